//! A distribution as bytes, for files: the histogram in the form that every `HdrHistogram` library reads, and beside it
//! the figures that a histogram does not keep.
//!
//! The form is "V2 with DEFLATE" of the `HdrHistogram` project: a cookie, a length, and a zlib stream of a head and the
//! counts. Decoding takes bytes from anywhere: nothing in them can make it panic or take more memory than the
//! histogram itself needs.

use std::io::Read;

use flate2::read::ZlibDecoder;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use hdrhistogram::{Counter, Histogram};

/// The first bytes of the compressed form.
const COMPRESSED: [u8; 4] = 0x1c84_9314_u32.to_be_bytes();

/// The first bytes of what is compressed.
const PLAIN: [u8; 4] = 0x1c84_9313_u32.to_be_bytes();

/// Bytes of the head of what is compressed: the cookie; length, offset and digits in four bytes each; the least and the
/// greatest value and a ratio in eight.
const HEAD: usize = 40;

/// Far above the size of a histogram up to an hour with four digits (1.5 MB if every bucket has a large count).
const MOST_BYTES: u64 = 8 << 20;

/// A count takes at most so many bytes: 64 bits of which each byte but the ninth carries seven.
const LONGEST_COUNT: usize = 9;

/// Why bytes are no histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Corrupt(pub(super) &'static str);

/// The histogram as bytes.
///
/// # Panics
///
/// Never: a Vec takes all that is written, and counts are below 2^63.
#[expect(clippy::expect_used, reason = "see above")]
pub(super) fn encode<T: Counter>(histogram: &Histogram<T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).expect("a Vec takes everything");
    bytes
}

/// The histogram that these bytes hold, which must have this resolution and tell values apart up to `longest` at
/// most.
pub(super) fn decode<T: Counter>(bytes: &[u8], digits: u8, longest: u64) -> Result<Histogram<T>, Corrupt> {
    let plain = inflate(bytes)?;
    let head = plain.get(..HEAD).ok_or(Corrupt("it is cut short"))?;
    let number = |at: usize| head[at..at + 8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    if head[..4] != PLAIN || number(4) >> 32 != (plain.len() - HEAD) as u64 {
        return Err(Corrupt("it is cut short, or no V2 histogram"));
    }
    // Digits stand in four bytes after the offset; then come the least value and the greatest.
    if number(8) != u64::from(digits) || number(16) != 1 {
        return Err(Corrupt("its resolution is not that of a saved run"));
    }
    // The bounds of a histogram that grew by itself are a power of two above what it was to hold.
    if !(2..=longest.saturating_mul(4)).contains(&number(24)) {
        return Err(Corrupt("its bounds are not those of a saved run"));
    }
    // A run of such bytes, which no count of ours has, is the least of all numbers to the library, and has no negative.
    if plain[HEAD..].windows(LONGEST_COUNT).any(|run| run == [u8::MAX; LONGEST_COUNT]) {
        return Err(Corrupt("it has a count that cannot be"));
    }
    Deserializer::new().deserialize(&mut plain.as_slice()).map_err(|_| Corrupt("its counts are damaged"))
}

/// What is compressed, to its end, where its checksum is.
fn inflate(bytes: &[u8]) -> Result<Vec<u8>, Corrupt> {
    let cut = Corrupt("it is cut short");
    let (cookie, rest) = bytes.split_first_chunk::<4>().ok_or(cut)?;
    if *cookie != COMPRESSED {
        return Err(Corrupt("it is no compressed V2 histogram"));
    }
    let (length, packed) = rest.split_first_chunk::<4>().ok_or(cut)?;
    if u32::from_be_bytes(*length) as usize != packed.len() {
        return Err(cut);
    }
    let mut plain = Vec::new();
    let read = ZlibDecoder::new(packed).take(MOST_BYTES).read_to_end(&mut plain);
    read.map_err(|_| Corrupt("its compressed part is damaged"))?;
    if plain.len() as u64 == MOST_BYTES {
        return Err(Corrupt("it is larger than any histogram of a saved run"));
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use proptest::prelude::*;
    use std::io::Write as _;

    const HOUR: u64 = 3_600_000_000;

    fn histogram(values: &[u64]) -> Histogram<u32> {
        let mut histogram = Histogram::new(4).unwrap();
        histogram.auto(true);
        for &value in values {
            histogram.record(value).unwrap();
        }
        histogram
    }

    fn decoded(bytes: &[u8]) -> Result<Histogram<u32>, Corrupt> {
        decode(bytes, 4, HOUR)
    }

    /// Wraps a plain histogram as the compressed form does.
    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(plain).unwrap();
        let zlib = zlib.finish().unwrap();
        [&COMPRESSED[..], &u32::try_from(zlib.len()).unwrap().to_be_bytes(), &zlib].concat()
    }

    #[test]
    fn a_histogram_comes_back() {
        for values in [&[][..], &[0], &[1, 1, 1], &[5, 7_000, 123_456_789, HOUR, 7_000]] {
            let (before, after) = (histogram(values), decoded(&encode(&histogram(values))).unwrap());
            assert_eq!(before, after);
        }
    }

    #[test]
    fn every_cut_is_found() {
        let bytes = encode(&histogram(&[5, 7_000, 123_456_789]));
        for length in 0..bytes.len() {
            assert!(decoded(&bytes[..length]).is_err(), "{length}");
        }
        assert!(decoded(&[&bytes[..], &[0]].concat()).is_err());
    }

    #[test]
    fn what_is_not_ours_is_named() {
        let plain = inflate(&encode(&histogram(&[5, 6]))).unwrap();
        let with = |at: usize, bytes: &[u8]| {
            let mut plain = plain.clone();
            plain[at..at + bytes.len()].copy_from_slice(bytes);
            decoded(&packed(&plain)).unwrap_err().0
        };
        assert!(decoded(&packed(&plain)).is_ok());
        assert!(with(0, b"x").contains("V2"));
        assert!(with(4, &u32::MAX.to_be_bytes()).contains("cut short"));
        assert!(with(12, &5_u32.to_be_bytes()).contains("resolution"));
        assert!(with(24, &u64::MAX.to_be_bytes()).contains("bounds"));
        let endless = [&plain[..4], &9_u32.to_be_bytes(), &plain[8..HEAD], &[u8::MAX; 9]].concat();
        assert!(decoded(&packed(&endless)).unwrap_err().0.contains("count"));
        assert!(decoded(&packed(&vec![0; 9 << 20])).unwrap_err().0.contains("larger"));
        let mut coarse = Histogram::<u32>::new(3).unwrap();
        coarse.auto(true);
        assert!(decoded(&encode(&coarse)).unwrap_err().0.contains("resolution"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn any_bytes_are_a_histogram_or_an_error(mut bytes in prop::collection::vec(any::<u8>(), 0..60), whole: bool) {
            if whole {
                let plain = inflate(&encode(&histogram(&[5, 6]))).unwrap();
                let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
                bytes = packed(&[&plain[..4], &length, &plain[8..HEAD], &bytes].concat());
            }
            let _ = decoded(&bytes);
        }

        #[test]
        fn a_flipped_bit_is_found(values in prop::collection::vec(0..5_000_000_u64, 1..20), at: prop::sample::Index, bit in 0..8_u8) {
            let mut bytes = encode(&histogram(&values));
            let at = at.index(bytes.len());
            bytes[at] ^= 1_u8 << bit;
            // Some bits of a zlib stream mean nothing.
            prop_assert!(decoded(&bytes).is_err() || decoded(&bytes) == Ok(histogram(&values)));
        }
    }
}
