//! One file in the place of another, whole or not at all.
//!
//! In come a path and lines, out goes a file with these lines, or an error and what was there before.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Seek, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use tempfile::{Builder, NamedTempFile, PersistError};

/// What anybody may do with a new file, but for what the umask forbids, as C's `fopen`.
const NEW_FILE: u32 = 0o666;

/// The folder in which a path stands.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// Writes lines to their end.
pub(super) fn fill(file: impl Write, lines: impl Iterator<Item = String>) -> io::Result<()> {
    let mut buffer = BufWriter::new(file);
    for line in lines {
        buffer.write_all(line.as_bytes())?;
    }
    buffer.flush()
}

/// Puts a file with these lines where `path` is. Until it is whole, nothing changes there. `old` is the file that is
/// there, open for writing.
pub(super) fn replace(path: &Path, old: Option<File>, lines: impl Iterator<Item = String>) -> io::Result<()> {
    let permissions = fs::Permissions::from_mode(NEW_FILE);
    let scratch = Builder::new().prefix(".rab-").permissions(permissions).tempfile_in(folder(path))?;
    fill(scratch.as_file(), lines)?;
    let Some(old) = old else {
        scratch.as_file().sync_all()?;
        return scratch.persist(path).map(drop).map_err(|refused| refused.error);
    };
    if adopt(scratch.as_file(), &old.metadata()?).is_err() {
        return copy(scratch, old);
    }
    // Some file systems tell only now that they are full.
    scratch.as_file().sync_all()?;
    scratch.persist(path).map(drop).or_else(|PersistError { file, .. }| copy(file, old))
}

/// Gives a new file owner and permissions of the old one.
fn adopt(new: &File, old: &Metadata) -> io::Result<()> {
    let own = new.metadata()?;
    if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
        fchown(new, Some(old.uid()), Some(old.gid()))?;
    }
    new.set_permissions(old.permissions())
}

/// Where a file cannot be replaced, its content is.
fn copy(mut from: NamedTempFile, mut to: File) -> io::Result<()> {
    from.rewind()?;
    to.set_len(0)?;
    io::copy(from.as_file_mut(), &mut to).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    #[test]
    fn a_file_that_cannot_be_replaced_takes_the_content() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("old");
        fs::write(&path, "old content").unwrap();
        let inode = || fs::metadata(&path).unwrap().ino();
        let before = inode();
        let mut new = NamedTempFile::new_in(folder.path()).unwrap();
        new.write_all(b"new").unwrap();
        copy(new, File::options().write(true).open(&path).unwrap()).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), inode()), ("new", before));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_may_go_unnamed() {
        let folders = ["x", "./x", "/x", "a/b/x"].map(|path| folder(Path::new(path)));
        assert_eq!(folders, [".", ".", "/", "a/b"].map(Path::new));
    }
}
