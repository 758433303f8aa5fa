//! What does not go together on a whole command line, whatever the order.

use std::ffi::{OsStr, OsString};

use super::Refusal;
use super::typed::Args;

/// Two that would read standard input. Neither is read: the second would find nothing there.
pub(super) fn twice_standard_input(args: &Args) -> Option<Refusal> {
    let is_input = |file: &Option<OsString>| file.as_deref() == Some(OsStr::new("-"));
    let both = is_input(&args.urls) && is_input(&args.body);
    both.then(|| Refusal::usage("--urls and a body cannot both come from standard input"))
}

/// What does not go together on a command line with so many words besides its options.
pub(super) fn offence(args: &Args, words: usize) -> Option<Refusal> {
    let lonely = [("--shuffle", args.shuffle.is_some()), ("--by-url", args.by_url)];
    if let (None, Some((option, _))) = (&args.urls, lonely.iter().find(|(_, given)| *given)) {
        return Some(Refusal::usage(format!("{option} is about the list of --urls, and there is none")));
    }
    if args.demo && words > 0 {
        return Some(Refusal::usage("--demo takes no URL").hint("it benchmarks a server of its own"));
    }
    // The first line of a list may name the server.
    let is_good = words == 1 || (words == 0 && (args.demo || args.urls.is_some()));
    (!is_good).then(|| Refusal::usage("wrong number of arguments"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Invocation, parse};

    fn outcome(line: &str) -> Result<Args, String> {
        match parse(line.split_whitespace().map(OsString::from)) {
            Ok(Invocation::Run(args)) => Ok(*args),
            Ok(other) => panic!("{line}: {other:?}"),
            Err(refusal) => {
                assert_eq!(refusal.status, 22, "{line}");
                Err(refusal.message)
            }
        }
    }

    #[test]
    fn a_list_of_urls_needs_no_url_and_its_options_need_the_list() {
        let listed = outcome("--urls a --urls - --shuffle 7 --by-url").unwrap();
        assert_eq!(
            (listed.urls, listed.shuffle, listed.by_url, listed.url),
            (Some("-".into()), Some(7), true, None)
        );
        assert_eq!(outcome("--urls a h/").unwrap().url, Some("h/".into()));
        assert_eq!(outcome("--urls a h/ h/").unwrap_err(), "wrong number of arguments");
        assert!(outcome("--urls - -p -").unwrap_err().ends_with("cannot both come from standard input"));
        assert_eq!(
            outcome("--by-url h/").unwrap_err(),
            "--by-url is about the list of --urls, and there is none"
        );
        assert_eq!(
            outcome("--shuffle 1 h/").unwrap_err(),
            "--shuffle is about the list of --urls, and there is none"
        );
        assert_eq!(outcome("--shuffle x --urls a").unwrap_err(), "--shuffle takes a whole number, not 'x'");
        for seed in ["-1", "99999999999999999999"] {
            let message = outcome(&format!("--shuffle {seed} --urls a")).unwrap_err();
            assert!(message.starts_with("--shuffle takes a whole number from 0 to "), "{message}");
        }
    }
}
