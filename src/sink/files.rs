//! The files of `-e`, `-g`, `--samples` and `--save`: looked at before the run, written after it.
//!
//! In come the paths of the plan, and later the lines of each file. A path that cannot be written is known before the
//! first request is sent, and not after the last. What is measured replaces a file whole or not at all:
//!
//! | what the path names | how it is written |
//! | --- | --- |
//! | nothing yet | a temporary file beside it, renamed at the end |
//! | a regular file | the same; it keeps its permissions and its owner |
//! | one of several hard links to a file | the same, and the other links keep the old content |
//! | a link | what is said here of the file it leads to; the link stays |
//! | standard output or standard error, under any name | through the [`Console`], after what is there already |
//! | an open descriptor (`/dev/fd/3`), a device, a pipe | in place, and opened before the run |
//! | a regular file in a folder that takes no new file, or that cannot be replaced (a mount point, another owner) | in place |
//!
//! A pipe that has no reader yet is waited for before the run. A reader that has gone away ends its file quietly, as
//! it does on standard output.

use std::error::Error;
use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use tempfile::tempfile_in;

use super::Console;
use super::replace::{fill, folder, replace};
use crate::plan::{FileFormat, SideFile};
use crate::strerror::strerror;

/// So many links lead from one to another at most, as in Linux.
const MOST_LINKS: usize = 40;

/// A file that can be written, as far as that can be known before.
#[derive(Debug)]
pub struct OutputFile {
    format: FileFormat,
    /// As typed.
    path: PathBuf,
    place: Place,
}

/// Where the lines go.
#[derive(Debug)]
enum Place {
    Out,
    Err,
    /// Opened, and written as it is.
    Stream(File),
    /// A regular file, open for writing, that is emptied before.
    Over(File),
    /// A regular file that does not exist yet.
    New(PathBuf),
    /// A regular file that is to be replaced, open for writing.
    Instead(PathBuf, File),
}

/// Why a file is not there. `Display` is the whole message, without a line end.
#[derive(Debug)]
pub enum FileError {
    /// It cannot be written, as is known before the run. The message is ab's.
    Open(FileFormat, io::Error),
    /// It could not be written to its end.
    Write(FileFormat, PathBuf, io::Error),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(format, error) => {
                write!(f, "Cannot open {} output file: {}", name(*format), strerror(error))
            }
            Self::Write(format, path, error) => {
                // Nothing in a name may be obeyed by a terminal.
                let path = path.display().to_string();
                let (name, path, text) = (name(*format), path.escape_debug(), strerror(error));
                write!(f, "rab: cannot write the {name} output file '{path}': {text}")
            }
        }
    }
}

impl Error for FileError {}

/// What ab calls a file in its messages.
fn name(format: FileFormat) -> &'static str {
    match format {
        FileFormat::Csv => "CSV",
        FileFormat::Gnuplot => "gnuplot",
        FileFormat::Samples => "samples",
        FileFormat::SavedRun => "saved run",
    }
}

impl OutputFile {
    /// Looks whether a file can be written, and opens it where opening changes nothing.
    pub fn open(file: &SideFile) -> Result<Self, FileError> {
        let place = place(&file.path).map_err(|error| FileError::Open(file.format, error))?;
        Ok(Self { format: file.format, path: file.path.clone(), place })
    }

    /// What goes into it.
    pub fn format(&self) -> FileFormat {
        self.format
    }

    /// Whether it is replaced whole, so that it may be written again and again.
    pub fn is_replaced(&self) -> bool {
        matches!(self.place, Place::New(_) | Place::Instead(..))
    }

    /// Writes it, to its end.
    pub fn write(self, lines: impl Iterator<Item = String>, console: &Console) -> Result<(), FileError> {
        let written = match self.place {
            Place::Out => fill(Through(&|bytes| console.out(bytes)), lines),
            Place::Err => fill(Through(&|bytes| console.err(bytes)), lines),
            Place::Stream(file) => fill(file, lines),
            Place::Over(file) => file.set_len(0).and_then(|()| fill(file, lines)),
            Place::New(path) => replace(&path, None, lines),
            Place::Instead(path, old) => replace(&path, Some(old), lines),
        };
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(FileError::Write(self.format, self.path, error))
            }
            _ => Ok(()),
        }
    }
}

/// Where a path leads.
fn place(path: &Path) -> io::Result<Place> {
    match path.as_os_str().as_encoded_bytes().last() {
        None => return Err(Errno::NOENT.into()),
        Some(b'/') => return Err(Errno::ISDIR.into()),
        Some(_) => {}
    }
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return new(path),
        Err(error) => return Err(error),
    };
    if is_stream(&found, io::stdout()) {
        Ok(Place::Out)
    } else if is_stream(&found, io::stderr()) {
        Ok(Place::Err)
    } else if found.is_file() && names_descriptor(path) {
        // Whoever opened it may have written to it, and may go on.
        OpenOptions::new().append(true).open(path).map(Place::Stream)
    } else if found.is_file() {
        let old = OpenOptions::new().write(true).open(path)?;
        let real = path.canonicalize()?;
        Ok(match tempfile_in(folder(&real)) {
            Ok(_) => Place::Instead(real, old),
            Err(_) => Place::Over(old),
        })
    } else {
        OpenOptions::new().write(true).open(path).map(Place::Stream)
    }
}

/// A file that does not exist: the folder takes one, which is tried out with one that has no name and stays nowhere.
fn new(path: &Path) -> io::Result<Place> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            Err(_) => return tempfile_in(folder(&path)).map(|_| Place::New(path)),
        }
    }
    Err(Errno::LOOP.into())
}

/// Whether what was found is what a standard stream is connected to.
fn is_stream(found: &Metadata, stream: impl AsFd) -> bool {
    let stream = stream.as_fd().try_clone_to_owned().and_then(|stream| File::from(stream).metadata());
    stream.is_ok_and(|stream| (stream.dev(), stream.ino()) == (found.dev(), found.ino()))
}

/// Whether a path names a descriptor that is open already.
fn names_descriptor(path: &Path) -> bool {
    path.starts_with("/dev/fd") || path.starts_with("/proc")
}

/// A standard stream, to be written to like a file. What becomes of the bytes the console knows.
struct Through<'a>(&'a dyn Fn(&[u8]));

impl Write for Through<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use tempfile::{TempDir, tempdir};

    /// A folder with a file `old` that nobody else may read, and a link `link` to it.
    fn scene() -> TempDir {
        let scene = tempdir().unwrap();
        let old = scene.path().join("old");
        fs::write(&old, "old content").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("old", scene.path().join("link")).unwrap();
        scene
    }

    fn open(path: &Path) -> Result<OutputFile, String> {
        let file = SideFile { format: FileFormat::Csv, path: path.to_owned() };
        OutputFile::open(&file).map_err(|error| error.to_string())
    }

    fn write(file: OutputFile) -> Result<(), String> {
        let console = Console::new(Box::new(io::sink()), Box::new(io::sink()));
        let lines = ["a\n", "b\n"].map(str::to_owned).into_iter();
        file.write(lines, &console).map_err(|error| error.to_string())
    }

    /// The names in a folder, sorted.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_appears_only_when_it_is_written() {
        let scene = scene();
        let path = scene.path().join("new");
        let file = open(&path).unwrap();
        assert_eq!(names(scene.path()), ["link", "old"]);
        write(file).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\nb\n");
        assert_eq!(names(scene.path()), ["link", "new", "old"]);
        // What the umask leaves, which is not what a temporary file has.
        let plain = scene.path().join("plain");
        fs::write(&plain, "").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().mode();
        assert_eq!(mode(&path), mode(&plain));
    }

    #[test]
    fn a_file_is_replaced_with_its_permissions_and_under_its_links() {
        let scene = scene();
        let (old, link) = (scene.path().join("old"), scene.path().join("link"));
        let before = fs::metadata(&old).unwrap();
        let file = open(&link).unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), "old content");
        write(file).unwrap();
        let after = fs::metadata(&old).unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), "a\nb\n");
        assert_eq!(after.mode() & 0o777, 0o640);
        assert_ne!(after.ino(), before.ino());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(scene.path()), ["link", "old"]);
    }

    #[test]
    fn a_link_to_nothing_leads_to_a_new_file() {
        let scene = scene();
        let (link, target) = (scene.path().join("dangling"), scene.path().join("target"));
        symlink("further", &link).unwrap();
        symlink(&target, scene.path().join("further")).unwrap();
        write(open(&link).unwrap()).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "a\nb\n");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        symlink("round", scene.path().join("round")).unwrap();
        let text = "Cannot open CSV output file: Too many levels of symbolic links";
        assert_eq!(open(&scene.path().join("round")).unwrap_err(), text);
    }

    #[test]
    fn what_cannot_be_written_is_known_before_in_ab_s_words() {
        let scene = scene();
        let at = |name: &str| open(&scene.path().join(name)).unwrap_err();
        for (name, text) in [
            ("", "Is a directory"),
            ("new/", "Is a directory"),
            ("old/", "Is a directory"),
            ("no/such", "No such file or directory"),
            ("old/x", "Not a directory"),
            (&"x".repeat(300), "File name too long"),
        ] {
            assert_eq!(at(name), format!("Cannot open CSV output file: {text}"), "{name}");
        }
        assert_eq!(
            open(Path::new("")).unwrap_err(),
            "Cannot open CSV output file: No such file or directory"
        );
        let names = [FileFormat::Gnuplot, FileFormat::Samples].map(|format| {
            let file = SideFile { format, path: scene.path().to_owned() };
            OutputFile::open(&file).unwrap_err().to_string()
        });
        assert_eq!(names[0], "Cannot open gnuplot output file: Is a directory");
        assert_eq!(names[1], "Cannot open samples output file: Is a directory");
    }

    #[test]
    fn a_device_is_written_in_place_and_its_error_names_it() {
        assert_eq!(write(open(Path::new("/dev/null")).unwrap()), Ok(()));
        assert_eq!(
            write(open(Path::new("/dev/full")).unwrap()).unwrap_err(),
            "rab: cannot write the CSV output file '/dev/full': No space left on device"
        );
    }

    #[test]
    fn a_folder_that_is_gone_after_the_run_is_an_error_with_the_name() {
        let scene = scene();
        let folder = scene.path().join("folder");
        fs::create_dir(&folder).unwrap();
        let file = open(&folder.join("file")).unwrap();
        fs::remove_dir(&folder).unwrap();
        let text = write(file).unwrap_err();
        assert!(text.ends_with("folder/file': No such file or directory"), "{text}");
    }
}
