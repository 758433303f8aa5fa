//! Completions for shells, made from the table of options.
//!
//! In comes the name of a shell, out goes a script for it. Options complete, files complete after the options that
//! name a file, and words do after those that take one of a few. Where the URL stands nothing is offered: names of
//! files, which shells fall back on, are no URLs.

use clap::Command;
use clap::builder::{PossibleValuesParser, ValueParser};
use clap_complete::{Shell, generate};

use super::command::command;

/// Words that are worth offering for values that may be others as well.
const WORDS: [(&str, &[&str]); 2] = [
    ("f", &["TLS1.2", "TLS1.3", "ALL"]),
    ("m", &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]),
];

/// How bash is told to offer names of files where the script has nothing to offer.
const BASH_FALLBACK: &str = " -o bashdefault -o default";

/// The same turned off in fish, which falls back by itself; options that take a file are not touched by it.
const FISH_WITHOUT_FALLBACK: &str = "complete -c rab -f\n";

/// The script for a shell; `None` if no script can be made for one of this name.
pub(super) fn script(shell: &str) -> Option<String> {
    let shell = match shell {
        "bash" => Shell::Bash,
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        _ => return None,
    };
    let mut bytes = Vec::new();
    generate(shell, &mut with_words(command()), "rab", &mut bytes);
    let script = String::from_utf8_lossy(&bytes).into_owned();
    Some(match shell {
        Shell::Bash => script.replace(BASH_FALLBACK, ""),
        Shell::Fish => script + FISH_WITHOUT_FALLBACK,
        _ => script,
    })
}

/// The command with the words that its values may be. Parsing does not know them, since its messages are its own.
fn with_words(command: Command) -> Command {
    let takes = |words: Vec<String>| ValueParser::from(PossibleValuesParser::new(words));
    command.mut_args(|arg| {
        // A colon would end the name in zsh's notation.
        let shown = arg.get_value_names().and_then(<[_]>::first).map(|name| name.replace(':', "\\:"));
        let arg = if let Some(name) = shown { arg.value_name(name) } else { arg };
        let listed = WORDS.iter().find(|(name, _)| arg.get_id() == name).map(|(_, words)| *words);
        let name = arg.get_value_names().and_then(<[_]>::first).filter(|name| name.contains('|'));
        match (listed, name.cloned()) {
            (Some(words), _) => arg.value_parser(takes(words.iter().map(ToString::to_string).collect())),
            (None, Some(name)) => arg.value_parser(takes(name.split('|').map(str::to_owned).collect())),
            (None, None) => arg,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(shell: &str) -> String {
        script(shell).unwrap()
    }

    #[test]
    fn every_option_is_known_to_every_shell() {
        let (bash, zsh, fish) = (made("bash"), made("zsh"), made("fish"));
        for arg in command().get_arguments() {
            if let Some(letter) = arg.get_short() {
                assert!(bash.contains(&format!("-{letter} ")), "{letter}");
                assert!(zsh.contains(&format!("-{letter}")), "{letter}");
                assert!(fish.contains(&format!(" -s {letter} ")), "{letter}");
            }
            if let Some(long) = arg.get_long() {
                assert!(bash.contains(&format!("--{long}")) && zsh.contains(&format!("--{long}")), "{long}");
                assert!(fish.contains(&format!(" -l {long} ")), "{long}");
            }
        }
    }

    #[test]
    fn files_complete_only_for_the_options_that_take_one() {
        let zsh = made("zsh");
        let take_files =
            ["p", "u", "E", "g", "e", "urls", "samples", "save", "cert", "key", "cacert", "unix-socket"];
        for line in zsh.lines().filter(|line| line.starts_with("'*-")) {
            // An option's line begins like '*-p+[ or '*--key=[ does.
            let name = line[2..].trim_start_matches('-').split(['+', '=', '[']).next().unwrap();
            assert_eq!(line.contains("_files"), take_files.contains(&name), "{line}");
        }
        assert!(!made("bash").contains("-o default"));
        assert!(made("fish").ends_with("\ncomplete -c rab -f\n"));
    }

    #[test]
    fn words_complete_where_there_are_only_a_few() {
        let zsh = made("zsh");
        for words in ["(wire hyper)", "(man bash zsh fish)", "(TLS1.2 TLS1.3 ALL)", "(GET HEAD "] {
            assert!(zsh.contains(words), "{words}");
        }
    }

    #[test]
    fn a_colon_in_a_name_does_not_end_it_in_zsh() {
        for line in made("zsh").lines().filter(|line| line.starts_with("'*-")) {
            let plain = line.replace("\\:", "");
            assert_eq!(plain.matches(':').count(), 2, "{line}");
        }
    }

    #[test]
    fn other_shells_have_no_script() {
        assert_eq!(script("elvish"), None);
    }
}
