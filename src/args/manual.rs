//! The manual page, `rab.1`: the options from their table, all else from the prose beside this file.

use std::io;

use clap_mangen::Man;

use super::command::{USAGE, command};
use super::task::TASKS;

/// What stands before the options.
const DESCRIPTION: &str = include_str!("manual/description.roff");

/// What stands after them.
const SECTIONS: &str = include_str!("manual/sections.roff");

/// The title. The third place is for a date, which the page does not bear, so that it changes only with its text. The
/// other lines give the apostrophe a name that is safe in every output, for the parts that `clap_mangen` renders.
const TITLE: &str = concat!(
    ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n",
    ".TH RAB 1 \"\" \"rab ",
    env!("CARGO_PKG_VERSION"),
    "\" \"User Commands\"\n"
);

/// The page in roff.
pub(super) fn page() -> String {
    let mut usages =
        vec![USAGE, "rab [options] --urls file [http[s]://hostname[:port]/]", "rab [options] --demo"];
    usages.extend(TASKS.map(|task| task.usage));
    let man = Man::new(command().override_usage(usages.join("\n")));
    let name = part(|page| man.render_name_section(page));
    let synopsis = part(|page| man.render_synopsis_section(page));
    let options = part(|page| man.render_options_section(page));
    [TITLE, &name, &synopsis, DESCRIPTION, &options, SECTIONS].concat()
}

/// One rendered part, without the definitions in front of it, which the page has once.
fn part(render: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    // Writing to a Vec cannot fail.
    let _ = render(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    text.split_inclusive('\n').skip_while(|line| !line.starts_with(".SH")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_its_sections_in_the_usual_order() {
        let page = page();
        let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
        let expected = [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "\"OPTIONS OF AB\"",
            "\"OPTIONS OF RAB ALONE\"",
            "\"LISTS OF URLS\"",
            "\"READING THE REPORT\"",
            "\"COMPARING RUNS\"",
            "HINTS",
            "FILES",
            "\"EXIT STATUS\"",
            "EXAMPLES",
            "\"SEE ALSO\"",
        ];
        assert_eq!(sections, expected);
    }

    #[test]
    fn the_page_knows_every_option() {
        let page = page();
        for arg in command().get_arguments().filter(|arg| !arg.is_positional()) {
            let option = match (arg.get_short(), arg.get_long()) {
                (Some(letter), _) => format!("\\fB\\-{letter}\\fR"),
                (None, long) => format!("\\fB\\-\\-{}\\fR", long.unwrap().replace('-', "\\-")),
            };
            assert!(page.contains(&format!(".TP\n{option}")), "{option}");
        }
    }

    #[test]
    fn strings_are_defined_before_they_are_used() {
        let page = page();
        let name = page.find(".SH NAME").unwrap();
        for (at, _) in page.match_indices("\\*(") {
            assert!(page[at..].starts_with("\\*(Aq") && at > name, "{}", &page[at..]);
        }
        assert!(page[..name].contains(".ds Aq \\(aq\n"));
    }
}
