//! The times of one phase, as they stand in a file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};

use super::count::Count;
use crate::record::{Distribution, Exact};

/// See [`Distribution`].
#[derive(Serialize, Deserialize)]
pub(super) struct Times {
    count: Count,
    min_us: Count,
    max_us: Count,
    /// In decimal digits, since it may need more than 64 bits.
    #[serde(with = "decimal")]
    sum_us: u128,
    #[serde(with = "decimal")]
    sum_of_squares_us2: u128,
    /// V2 with DEFLATE, in base64.
    histogram: String,
}

impl From<&Distribution> for Times {
    fn from(times: &Distribution) -> Self {
        let exact = times.exact();
        Self {
            count: Count(exact.count),
            min_us: Count(exact.min),
            max_us: Count(exact.max),
            sum_us: exact.sum,
            sum_of_squares_us2: exact.sum_of_squares,
            histogram: BASE64.encode(times.encoded()),
        }
    }
}

impl Times {
    pub(super) fn restore(self) -> Result<Distribution, String> {
        Distribution::restore(self.exact(), &bytes(&self.histogram)?).map_err(|corrupt| corrupt.to_string())
    }

    /// The same for those of one URL.
    pub(super) fn restore_coarse(self) -> Result<Distribution, String> {
        Distribution::restore_coarse(self.exact(), &bytes(&self.histogram)?)
            .map_err(|corrupt| format!("the times of a URL are damaged: {corrupt}"))
    }

    fn exact(&self) -> Exact {
        Exact {
            count: self.count.0,
            min: self.min_us.0,
            max: self.max_us.0,
            sum: self.sum_us,
            sum_of_squares: self.sum_of_squares_us2,
        }
    }
}

/// The bytes of a histogram.
pub(super) fn bytes(base64: &str) -> Result<Vec<u8>, String> {
    BASE64.decode(base64).map_err(|error| format!("it is not base64: {error}"))
}

/// Whole numbers of any size as strings.
mod decimal {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(number: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| D::Error::custom(format!("`{text}` is no whole number")))
    }
}
