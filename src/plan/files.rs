//! The files that a run leaves behind besides its report.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::args::{Args, Refusal, shown};

/// What is written to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// Percentages and the times within which they were served (`-e`).
    Csv,
    /// A line a request in order of total time (`-g`).
    Gnuplot,
    /// A line a request in order of time (`--samples`).
    Samples,
    /// The whole run, to be read again (`--save`).
    SavedRun,
}

impl FileFormat {
    /// The option that asks for it.
    pub fn option(self) -> &'static str {
        match self {
            Self::Csv => "-e",
            Self::Gnuplot => "-g",
            Self::Samples => "--samples",
            Self::SavedRun => "--save",
        }
    }
}

/// A file to be written after the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideFile {
    /// What goes into it.
    pub format: FileFormat,
    /// Its path as typed.
    pub path: PathBuf,
}

/// The files that were asked for, no two of them the same.
///
/// As in ab, `-e` and `-g` write nothing beside an HTML report; a remark says so, since the option looks as if it
/// did. `--samples` and `--save` are not ab's and are written beside any report.
pub(super) fn side_files(args: &Args, remarks: &mut Vec<String>) -> Result<Vec<SideFile>, Refusal> {
    if args.html && (args.csv.is_some() || args.gnuplot.is_some()) {
        remarks.push(
            "-e and -g write no file beside an HTML report, as in ab; leave out -w, -x, -y and -z to have them."
                .to_owned(),
        );
    }
    let beside_text = |path: &Option<_>| path.clone().filter(|_| !args.html);
    let wanted = [
        (FileFormat::Csv, beside_text(&args.csv)),
        (FileFormat::Gnuplot, beside_text(&args.gnuplot)),
        (FileFormat::Samples, args.samples.clone()),
        (FileFormat::SavedRun, args.save.clone()),
    ];
    let wanted = wanted.into_iter().filter_map(|(format, path)| Some((format, PathBuf::from(path?))));
    let files: Vec<_> = wanted.map(|(format, path)| SideFile { format, path }).collect();
    for (number, file) in files.iter().enumerate() {
        if let Some(earlier) = files[..number].iter().find(|earlier| is_same(&earlier.path, &file.path)) {
            return Err(Refusal::usage(format!(
                "{} and {} name the same file, '{}'",
                earlier.format.option(),
                file.format.option(),
                shown(file.path.as_os_str())
            )));
        }
    }
    Ok(files)
}

/// Whether both would end up in one file, so that the second took the place of the first. Devices, pipes and
/// descriptors such as `/dev/stdout` take one after the other.
fn is_same(one: &Path, other: &Path) -> bool {
    let is_special = one.starts_with("/dev") || one.starts_with("/proc");
    let (one, other) = (resolved(one), resolved(other));
    one == other && !is_special && fs::metadata(one).map_or(true, |found| found.is_file())
}

/// The path without links, `.` and `..`, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or(OsStr::new(""));
    parent.canonicalize().map_or_else(|_| path.to_owned(), |parent| parent.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::{plan, quoted, refused};

    fn files(line: &str) -> Vec<SideFile> {
        plan(line).unwrap().output.files
    }

    #[test]
    fn each_option_names_its_file_and_the_last_one_counts() {
        let file = |format, path: &str| SideFile { format, path: path.into() };
        assert_eq!(files("h/"), []);
        assert_eq!(
            files("-g no/g -e no/x -e no/e --samples no/s h/"),
            [
                file(FileFormat::Csv, "no/e"),
                file(FileFormat::Gnuplot, "no/g"),
                file(FileFormat::Samples, "no/s")
            ]
        );
    }

    #[test]
    fn beside_html_only_the_samples_are_written_and_a_remark_says_so() {
        let with = plan("-w -e e -g g --samples s h/").unwrap();
        let formats: Vec<_> = with.output.files.iter().map(|file| file.format).collect();
        assert_eq!((formats, with.remarks.len()), (vec![FileFormat::Samples], 1));
        assert!(plan("-w --samples s h/").unwrap().remarks.is_empty());
    }

    #[test]
    fn two_options_may_not_name_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let [file, link, new] = [file, link, folder.path().join("new")].map(|path| quoted(&path));
        let around = quoted(&folder.path().join("./file"));
        for line in [
            format!("-e {file} -g {file}"),
            format!("-e {file} -g {around}"),
            format!("-g {link} --samples {file}"),
            format!("-e {new} --samples {new}"),
            "-e no/such -g no/such".to_owned(),
        ] {
            let refusal = refused(&format!("{line} h/"));
            assert!(refusal.message.contains("name the same file") && refusal.status == 22, "{line}");
        }
        assert_eq!(files(&format!("-e /dev/null -g /dev/null --samples {new} h/")).len(), 3);
        assert_eq!(files(&format!("-e {file} -g {new} h/")).len(), 2);
    }
}
