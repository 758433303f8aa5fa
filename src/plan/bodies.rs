//! The bodies of a run: that of the command line (`-p`, `-u`), and those that the lines of a list name.
//!
//! In come names of files, out go numbers; each file is read once, whole, however many requests send it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

use bytes::Bytes;

use super::body;
use crate::args::{Args, Refusal};

/// The bodies, each file once.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    all: Vec<(OsString, Bytes)>,
    numbers: HashMap<OsString, usize>,
    /// The number of the body of `-p` or `-u`.
    pub(super) of_command_line: Option<usize>,
}

impl Bodies {
    /// Reads the body of `-p` or `-u`.
    pub(super) fn new(file: Option<&OsStr>) -> Result<Self, Refusal> {
        let mut bodies = Self::default();
        bodies.of_command_line = file.map(|file| bodies.read(file)).transpose()?;
        Ok(bodies)
    }

    /// The number of the body that a line names.
    pub(super) fn of_line(&mut self, file: &OsStr, args: &Args) -> Result<usize, Refusal> {
        if file == "-" && args.urls.as_deref() == Some(OsStr::new("-")) {
            return Err(Refusal::error("standard input is the list, so that no body can come from it"));
        }
        self.read(file)
    }

    fn read(&mut self, file: &OsStr) -> Result<usize, Refusal> {
        if let Some(number) = self.numbers.get(file) {
            return Ok(*number);
        }
        self.all.push((file.to_owned(), body::read(file)?));
        self.numbers.insert(file.to_owned(), self.all.len() - 1);
        Ok(self.all.len() - 1)
    }

    /// What is sent.
    pub(super) fn bytes(&self, number: usize) -> Option<Bytes> {
        self.all.get(number).map(|(_, bytes)| bytes.clone())
    }

    /// The file.
    pub(super) fn name(&self, number: usize) -> Option<&OsStr> {
        self.all.get(number).map(|(file, _)| file.as_os_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_once() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "before").unwrap();
        let (name, args) = (file.path().as_os_str(), Args::default());
        let mut bodies = Bodies::new(Some(name)).unwrap();
        std::fs::write(file.path(), "after").unwrap();
        let number = bodies.of_line(name, &args).unwrap();
        assert_eq!(
            (bodies.of_command_line, bodies.bytes(number).unwrap()),
            (Some(number), Bytes::from("before"))
        );
        let other = bodies.of_line(OsStr::new("/dev/null"), &args).unwrap();
        assert_eq!(
            (bodies.bytes(other).unwrap().len(), bodies.name(other)),
            (0, Some(OsStr::new("/dev/null")))
        );
        assert_eq!(bodies.bytes(other + 1), None);
        assert!(bodies.of_line(OsStr::new("no/such"), &args).is_err());
    }

    #[test]
    fn a_list_that_is_standard_input_leaves_no_body_there() {
        let args = Args { urls: Some("-".into()), ..Args::default() };
        let refusal = Bodies::default().of_line(OsStr::new("-"), &args).unwrap_err();
        assert!(refusal.message.starts_with("standard input is the list"), "{refusal}");
    }
}
