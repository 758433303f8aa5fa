//! The open-file limit of the process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that the process holds open besides: the standard streams, the files that it is to write, and a few more.
const OTHER_FILES: u64 = 64;

/// Raises the soft limit of open files to the hard one if so many files besides the usual ones need it.
///
/// Never fails: where the limit stays too low, the connection that finds no descriptor says so.
pub fn raise_open_files(files: usize) {
    let limit = getrlimit(Resource::Nofile);
    let needed = files as u64 + OTHER_FILES;
    if limit.current.is_some_and(|current| current < needed) {
        // The next socket() reports what is missing, in ab's words.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
}
