//! The body of `-p` or `-u`: a file, a pipe, or standard input, read once and whole.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

use bytes::Bytes;

use crate::args::{Refusal, shown};
use crate::strerror::strerror;

/// The greatest body in bytes, 4 GiB: it is held in memory, and sent whole for every request.
const LIMIT: u64 = 4 << 30;

/// Reads a body; `-` is standard input. The messages are ab's, which say POST for `-u` as well.
pub(super) fn read(path: &OsStr) -> Result<Bytes, Refusal> {
    if path == "-" {
        return collect(io::stdin().lock(), 0, path, LIMIT);
    }
    let could_not_open = |error: io::Error| {
        Refusal::error(format!("Could not open POST data file ({}): {}", shown(path), strerror(&error)))
    };
    let file = File::open(path).map_err(could_not_open)?;
    // The length is 0 for a pipe. It is looked at first, so that a file too large is not read in vain.
    let length = file.metadata().map_err(could_not_open)?.len();
    collect(file, length, path, LIMIT)
}

/// Reads to the end, with room for `expected` bytes made beforehand.
fn collect(source: impl Read, expected: u64, path: &OsStr, limit: u64) -> Result<Bytes, Refusal> {
    let too_large = || {
        let gib = limit >> 30;
        Refusal::error(format!("POST data file ({}) is too large: {gib} GiB at most", shown(path)))
    };
    let could_not_read =
        |error: &io::Error| Refusal::error(format!("Could not read POST data file: {}", strerror(error)));
    if expected > limit {
        return Err(too_large());
    }
    let mut body = Vec::new();
    let room = usize::try_from(expected).map_err(|_| too_large())?;
    body.try_reserve_exact(room).map_err(|_| could_not_read(&io::ErrorKind::OutOfMemory.into()))?;
    // One byte more than allowed tells that there is more.
    source.take(limit + 1).read_to_end(&mut body).map_err(|error| could_not_read(&error))?;
    if body.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(body.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(path: &OsStr) -> String {
        read(path).unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_be_read_is_refused_in_ab_s_words() {
        let missing = message(OsStr::new("no/such.json"));
        assert_eq!(missing, "rab: Could not open POST data file (no/such.json): No such file or directory\n");
        assert_eq!(message(OsStr::new(".")), "rab: Could not read POST data file: Is a directory\n");
    }

    #[test]
    fn a_file_is_read_byte_for_byte() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let bytes: Vec<u8> = (0..=255).collect();
        io::Write::write_all(&mut file, &bytes).unwrap();
        assert_eq!(read(file.path().as_os_str()).unwrap(), bytes);
    }

    #[test]
    fn a_file_above_the_limit_is_refused_without_reading() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 40).unwrap();
        let text = message(file.path().as_os_str());
        assert!(text.starts_with("rab: POST data file (") && text.ends_with("is too large: 4 GiB at most\n"));
    }

    #[test]
    fn an_endless_pipe_is_refused_at_the_limit() {
        let name = OsStr::new("pipe");
        assert!(collect(io::repeat(0), 0, name, 1000).is_err());
        assert_eq!(collect(io::repeat(0).take(1000), 0, name, 1000).unwrap().len(), 1000);
    }
}
