//! What was typed.
//!
//! In comes the argument vector. Out goes an [`Invocation`]: mostly [`Args`], the typed values after ab's rules about
//! the order of options; or a [`Refusal`], which knows the exact text for standard error and the exit code. Nothing
//! here looks at the world: files are read, and URLs judged, by [`plan`](crate::plan). clap splits the words; what
//! its errors say is worded here, since ab's messages are an interface.

mod command;
mod completions;
mod judging;
mod letters;
mod manual;
mod misfit;
mod percent;
mod refusal;
mod reworded;
mod rule;
mod several;
mod task;
mod typed;
mod usage;
mod values;

use std::ffi::{OsStr, OsString};

use clap::ArgMatches;
use clap::parser::ValueSource;

pub use command::command;
pub use judging::Judging;
pub use percent::Percent;
pub use refusal::Refusal;
pub(crate) use refusal::{shown, shown_bytes};
use reworded::reworded;
pub use rule::{Measure, Operator, Percentile, Rule, RuleError, Unit};
pub use several::{Several, WarmUp};
use task::Task;
pub use typed::{Args, Credentials, Engine, Version};
pub use usage::usage;
pub(crate) use values::is_token;

/// What the command line asks for.
#[derive(Debug, Clone)]
pub enum Invocation {
    /// A benchmark. An error after the place of `-p` or `-u` is in [`Args::offence`].
    Run(Box<Args>),
    /// `rab report`: the reports of saved runs again.
    Report {
        /// The options on how they are shown; all others are as if not given.
        args: Box<Args>,
        /// The files, at least one.
        files: Vec<OsString>,
    },
    /// `rab versus`: two servers, compared by runs in turns.
    Versus {
        /// The options of all runs; there is no URL among them.
        args: Box<Args>,
        /// What is compared with, and what is compared.
        urls: [OsString; 2],
    },
    /// `rab calibrate`: how small a change can be told.
    Calibrate(Box<Args>),
    /// `rab compare`: whether the runs of one file are better than those of another.
    Compare {
        /// The options on the comparison; all others are as if not given.
        args: Box<Args>,
        /// Before and after.
        files: [OsString; 2],
    },
    /// `rab check`: rules held against the runs of files.
    Check {
        /// At least one rule; all other options are as if not given.
        args: Box<Args>,
        /// The files, at least one.
        files: Vec<OsString>,
    },
    /// `-h`: the short usage, to be printed on standard error; exit code 22, as ab.
    Usage(String),
    /// `--help`: the grouped help, to be printed on standard output; exit code 0.
    Help(String),
    /// `--generate`: the manual page or the completions of a shell, to be printed on standard output; exit code 0.
    Generated(String),
    /// `-V` or `--version`: the banner on standard output; exit code 0.
    Version {
        /// As HTML: an option that asks for it stands before this one, as in ab.
        html: bool,
    },
}

/// Reads the argument vector, without the program's name. The order of options counts, as in ab: `-t` and `-n`
/// (whichever comes last), `-m` and the options that choose a method, and which of several mistakes is reported.
///
/// Options may follow the URL; `--` ends them. Errors are usage errors (22) and ab's own (1), see [`Refusal`].
///
/// A first word that is the name of a task, such as `report`, asks for that.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Invocation, Refusal> {
    let mut words = words.into_iter().peekable();
    if let Some(task) = words.peek().and_then(|word| Task::named(word)) {
        return of_task(task, words.skip(1));
    }
    let matches = command().try_get_matches_from(words).map_err(|error| reworded(&error))?;
    let mut args = Args::default();
    for (option, value) in in_order(&matches) {
        match option {
            "h" => return Ok(Invocation::Usage(usage())),
            "help" => return Ok(Invocation::Help(command().render_long_help().to_string())),
            "V" => return Ok(Invocation::Version { html: args.html }),
            "generate" => return generated(value).map(Invocation::Generated),
            _ => {}
        }
        if let Err(offence) = letters::apply(&mut args, option, value) {
            return refused(args, offence);
        }
    }
    if let Some(refusal) = misfit::twice_standard_input(&args) {
        return Err(refusal);
    }
    let mut urls = other_words(&matches);
    if let Some(offence) = misfit::offence(&args, urls.len()) {
        return refused(args, offence);
    }
    args.url = urls.pop();
    Ok(Invocation::Run(Box::new(args)))
}

/// A task: its options, and its words.
fn of_task(task: &Task, words: impl Iterator<Item = OsString>) -> Result<Invocation, Refusal> {
    let matches = task.command().try_get_matches_from(words).map_err(|error| reworded(&error))?;
    let mut args = Args::default();
    for (option, value) in in_order(&matches) {
        match option {
            "h" | "help" => return Ok(Invocation::Help(task.command().render_long_help().to_string())),
            _ => letters::apply(&mut args, option, value)?,
        }
    }
    let words = other_words(&matches);
    match task.name {
        "versus" => versus(args, words),
        "calibrate" => calibrate(args, words),
        "compare" => compare(args, words),
        "check" => check(args, words),
        _ => report(args, words),
    }
}

/// `rab report`: options on the form of a report, and files.
fn report(args: Args, files: Vec<OsString>) -> Result<Invocation, Refusal> {
    if files.is_empty() {
        let refusal = Refusal::usage("report takes the files of saved runs, of which none is named");
        return Err(refusal.hint("a run is saved with --save FILE"));
    }
    Ok(Invocation::Report { args: Box::new(args), files })
}

/// `rab versus`: options on runs and their comparison, and two URLs.
fn versus(args: Args, urls: Vec<OsString>) -> Result<Invocation, Refusal> {
    let count = urls.len();
    let urls = urls.try_into().map_err(|_| {
        Refusal::usage(format!("versus takes two URLs, not {count}")).hint("they may be the same")
    })?;
    if args.body.as_deref() == Some(OsStr::new("-")) {
        return Err(Refusal::usage("versus takes no body from standard input, which can be read only once"));
    }
    one_form(&args)?;
    Ok(Invocation::Versus { args: Box::new(args), urls })
}

/// `rab calibrate`: options on runs, and a URL.
fn calibrate(mut args: Args, mut urls: Vec<OsString>) -> Result<Invocation, Refusal> {
    if urls.len() != 1 {
        return Err(Refusal::usage(format!("calibrate takes one URL, not {}", urls.len())));
    }
    args.url = urls.pop();
    Ok(Invocation::Calibrate(Box::new(args)))
}

/// A comparison has one form.
fn one_form(args: &Args) -> Result<(), Refusal> {
    if args.json && args.judging.markdown {
        return Err(Refusal::usage("--json and --markdown ask for different reports"));
    }
    Ok(())
}

/// `rab compare`: options on the comparison, and two files.
fn compare(args: Args, files: Vec<OsString>) -> Result<Invocation, Refusal> {
    let count = files.len();
    let files = files.try_into().map_err(|_| {
        let refusal =
            Refusal::usage(format!("compare takes two files of saved runs, before and after, not {count}"));
        refusal.hint("runs are saved with --save FILE")
    })?;
    one_form(&args)?;
    Ok(Invocation::Compare { args: Box::new(args), files })
}

/// `rab check`: rules, and files.
fn check(args: Args, files: Vec<OsString>) -> Result<Invocation, Refusal> {
    if args.judging.fail_if.is_empty() {
        return Err(Refusal::usage("check takes at least one rule, such as --fail-if 'p95>300ms'"));
    }
    if files.is_empty() {
        let refusal = Refusal::usage("check takes the files of saved runs, of which none is named");
        return Err(refusal.hint("a run is saved with --save FILE"));
    }
    Ok(Invocation::Check { args: Box::new(args), files })
}

/// The words that are neither options nor their values.
fn other_words(matches: &ArgMatches) -> Vec<OsString> {
    matches.get_many("url").into_iter().flatten().cloned().collect()
}

/// ab reads the body where `-p` or `-u` stands. So that a file that cannot be read is still reported before any later
/// mistake, that mistake then travels with the arguments.
fn refused(mut args: Args, offence: Refusal) -> Result<Invocation, Refusal> {
    if args.body.is_none() {
        return Err(offence);
    }
    args.offence = Some(offence);
    Ok(Invocation::Run(Box::new(args)))
}

/// What `--generate` asks for.
fn generated(kind: &OsStr) -> Result<String, Refusal> {
    let kind = kind.to_str().unwrap_or_default();
    let text = if kind == "man" { Some(manual::page()) } else { completions::script(kind) };
    text.ok_or_else(|| {
        Refusal::usage(format!("--generate takes man, bash, zsh or fish, not '{}'", shown(OsStr::new(kind))))
    })
}

/// The options with their values, in the order in which they stand; of a repeated switch, the last.
fn in_order(matches: &ArgMatches) -> Vec<(&str, &OsStr)> {
    let mut typed: Vec<(usize, &str, &OsStr)> = Vec::new();
    let ids = matches.ids().map(clap::Id::as_str).filter(|id| *id != "url");
    for id in ids.filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine)) {
        let (places, values) = (matches.indices_of(id), matches.get_raw(id));
        let pairs = places.into_iter().flatten().zip(values.into_iter().flatten());
        typed.extend(pairs.map(|(place, value)| (place, id, value)));
    }
    typed.sort_unstable_by_key(|(place, ..)| *place);
    typed.into_iter().map(|(_, id, value)| (id, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn parsed(line: &str) -> Result<Invocation, Refusal> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn args(line: &str) -> Args {
        match parsed(line) {
            Ok(Invocation::Run(args)) => *args,
            other => panic!("{line}: {other:?}"),
        }
    }

    /// Message and exit code of a refusal.
    fn refused(line: &str) -> (String, u8) {
        let refusal = parsed(line).expect_err(line);
        assert_eq!(refusal.usage, refusal.status == 22, "{line}");
        assert_eq!(refusal.named, refusal.status == 22, "{line}");
        (refusal.message, refusal.status)
    }

    #[test]
    fn letters_may_be_joined_and_values_glued() {
        let args = args("-kc 10 -n100000 -qdSv4 -Hx:y localhost/");
        assert_eq!((args.concurrency, args.requests, args.verbosity), (Some(10), Some(100_000), 4));
        assert!(args.keep_alive && args.quiet && args.no_percentiles && args.no_confidence);
        assert_eq!(args.headers, [b"x:y"]);
    }

    #[test]
    fn a_value_may_start_with_a_hyphen() {
        let args = args("-H -x -C -- -T --demo -A -n -c -1 u/");
        assert_eq!((args.headers, args.cookies), (vec![b"-x".to_vec()], vec![b"--".to_vec()]));
        assert_eq!((args.content_type, args.concurrency), (Some(b"--demo".to_vec()), Some(-1)));
    }

    #[test]
    fn options_may_follow_the_url_until_two_hyphens() {
        assert_eq!(args("u/ -n 2").requests, Some(2));
        assert_eq!(args("-n 2 -- u/").url, Some("u/".into()));
        assert_eq!(refused("-- u/ -n").0, "wrong number of arguments");
        assert_eq!(args("-- -n/").url, Some("-n/".into()));
    }

    #[test]
    fn a_time_limit_sets_the_requests_where_it_stands() {
        let both = |line| (args(line).requests, args(line).time_limit.map(|limit| limit.as_secs()));
        assert_eq!(both("-t 5 u/"), (Some(50_000), Some(5)));
        assert_eq!(both("-n 7 -t 5 u/"), (Some(50_000), Some(5)));
        assert_eq!(both("-t 5 -n 7 u/"), (Some(7), Some(5)));
        assert_eq!(both("-t 0 u/"), (Some(50_000), None));
        assert_eq!((args("-n 7 -t 5 u/").remarks.len(), args("-t 5 -n 7 u/").remarks.len()), (1, 0));
    }

    #[test]
    fn only_the_first_option_may_choose_the_method_but_m_replaces_it() {
        let mixed = |method: &str| (format!("Cannot mix {method} with other methods"), 1);
        assert_eq!(refused("-i -p f u/"), mixed("POST"));
        assert_eq!(refused("-m GET -i u/"), mixed("HEAD"));
        assert_eq!(refused("-i -i u/"), mixed("HEAD"));
        assert_eq!(refused("-m A -u f u/"), mixed("PUT"));
        for (line, method) in [("-p f -m PATCH u/", "PATCH"), ("-u f u/", "PUT"), ("-m A -m B u/", "B")] {
            assert_eq!(args(line).method.as_deref(), Some(method));
        }
        assert_eq!(args("-p f -m PATCH u/").body, Some("f".into()));
    }

    #[test]
    fn after_a_body_a_mistake_waits_until_that_has_been_read() {
        for (line, message) in [
            ("-p f -i u/", "Cannot mix HEAD with other methods"),
            ("-p f -n 0 u/", "Invalid number of requests"),
            ("-p f u/ u/", "wrong number of arguments"),
        ] {
            assert_eq!(args(line).offence.map(|offence| offence.message).as_deref(), Some(message));
        }
        assert_eq!(refused("-n 0 -p f u/").0, "Invalid number of requests");
    }

    #[test]
    fn the_first_mistake_is_the_one_reported() {
        assert_eq!(refused("-n 0 -i -m X -p f"), ("Invalid number of requests".into(), 1));
        assert_eq!(refused("-i -i -n 0").0, "Cannot mix HEAD with other methods");
        assert_eq!(refused("-s 0 -n 0").1, 22);
    }

    #[test]
    fn numbers_are_strict_and_name_their_option() {
        assert_eq!(refused("-n -5 u/"), ("Invalid number of requests".into(), 1));
        for option in ["n", "c", "t", "s", "b", "v", "W", "R"] {
            for value in ["10k", "abc", "1.5", "99999999999999999999"] {
                if option == "c" && value.starts_with('9') {
                    continue;
                }
                let (message, status) = refused(&format!("-{option} {value} u/"));
                assert!(
                    message.starts_with(&format!("-{option} takes a whole number")) && status == 22,
                    "{message}"
                );
            }
        }
        for line in ["-s 0 u/", "-b 0 u/", "-v -1 u/", "-W 1025 u/", "-R -1 u/", "-t -1 u/", "-nv 3 u/"] {
            assert_eq!(refused(line).1, 22, "{line}");
        }
    }

    #[test]
    fn ab_s_parser_errors_keep_their_words() {
        assert_eq!(refused("-j -n 2 u/").0, "illegal option -- j");
        assert_eq!(refused("-kj u/").0, "illegal option -- j");
        assert_eq!(refused("-n").0, "option requires an argument -- n");
        assert_eq!(refused("u/ --engine").0, "option requires an argument -- engine");
        assert_eq!(refused("--partial=x u/").0, "option takes no argument -- partial");
        assert_eq!(refused("").0, "wrong number of arguments");
        assert_eq!(refused("u/ u/").0, "wrong number of arguments");
        assert_eq!(refused("--engine h2 u/").0, "--engine takes wire or hyper, not 'h2'");
    }

    #[test]
    fn an_unknown_long_option_is_named_with_what_was_meant() {
        let refusal = parsed("--partia u/").unwrap_err();
        assert_eq!((refusal.message.as_str(), refusal.status), ("unknown option --partia", 22));
        assert_eq!(refusal.hints, ["did you mean --partial?"]);
        assert_eq!(parsed("--requests=5 u/").unwrap_err().message, "unknown option --requests");
        assert_eq!(parsed("--n 5 u/").unwrap_err().hints, ["did you mean -n?"]);
    }

    #[test]
    fn help_and_version_come_at_their_place() {
        assert!(matches!(parsed("-n 5 -V"), Ok(Invocation::Version { html: false })));
        assert!(matches!(parsed("--version u/ u/"), Ok(Invocation::Version { html: false })));
        for (line, html) in [("-w -V", true), ("-y a --version", true), ("-V -w", false), ("-wV", true)] {
            assert!(
                matches!(parsed(line), Ok(Invocation::Version { html: found }) if found == html),
                "{line}"
            );
        }
        assert!(matches!(parsed("-k -h -n 0"), Ok(Invocation::Usage(text)) if text.starts_with("Usage: ")));
        assert!(matches!(parsed("--help"), Ok(Invocation::Help(text)) if text.contains("--engine")));
        assert_eq!(refused("-n 0 -V").0, "Invalid number of requests");
    }

    #[test]
    fn generated_texts_are_known_by_name() {
        for kind in ["man", "bash", "zsh", "fish"] {
            let text = parsed(&format!("-k --generate {kind} -n 0"));
            assert!(matches!(text, Ok(Invocation::Generated(text)) if text.contains("rab")), "{kind}");
        }
        assert_eq!(refused("--generate elvish").0, "--generate takes man, bash, zsh or fish, not 'elvish'");
        assert_eq!(refused("--generate").0, "option requires an argument -- generate");
    }

    #[test]
    fn a_first_word_may_be_a_task() {
        let Ok(Invocation::Report { args: asked, files }) = parsed("report -w a.json --json b.json") else {
            panic!()
        };
        assert!(asked.html && asked.json && files == ["a.json", "b.json"]);
        assert!(matches!(parsed("report -h a"), Ok(Invocation::Help(text)) if text.contains("rab report")));
        assert_eq!(refused("report").0, "report takes the files of saved runs, of which none is named");
        assert_eq!(refused("report -n 5 a").0, "illegal option -- n");
        assert_eq!(refused("report --engine wire a").0, "unknown option --engine");
        // A URL has a slash, and the word comes first.
        assert_eq!(args("report/").url, Some("report/".into()));
        assert_eq!(args("-k report").url, Some("report".into()));
    }

    #[test]
    fn runs_are_judged_by_tasks_of_their_own() {
        let Ok(Invocation::Compare { args: asked, files }) = parsed("compare a --margin 3 --strict b") else {
            panic!()
        };
        assert!(asked.judging.strict && asked.judging.margin.is_some() && files == ["a", "b"]);
        for words in ["compare", "compare a", "compare a b c"] {
            let (message, status) = refused(words);
            assert!(message.starts_with("compare takes two files") && status == 22, "{message}");
        }
        assert_eq!(
            refused("compare --json --markdown a b").0,
            "--json and --markdown ask for different reports"
        );
        let Ok(Invocation::Check { args: asked, files }) = parsed("check --fail-if p95>1s a b") else {
            panic!()
        };
        assert_eq!((asked.judging.fail_if.len(), files.len()), (1, 2));
        assert!(refused("check a").0.starts_with("check takes at least one rule"));
        assert!(refused("check --fail-if rps<1").0.starts_with("check takes the files"));
        // They are no options of a benchmark, but gates are.
        assert_eq!(refused("--margin 5 u/").0, "unknown option --margin");
        assert_eq!(args("--fail-if rps<1 --fail-if failed>0 u/").judging.fail_if.len(), 2);
    }

    #[test]
    fn a_demo_has_no_url() {
        assert!(args("--demo -k").demo);
        assert_eq!(refused("--demo u/").0, "--demo takes no URL");
    }

    #[test]
    fn repeated_options_add_up_or_the_last_one_counts() {
        let args =
            args("-B a,b -B c -C 1 -C 2 -P p -A a -k -k --http1.1 --http1.0 --http1.1 -s 1 -s 2 -R 5 u/");
        assert_eq!(args.bind, ["a", "b", "c"]);
        assert_eq!(args.cookies.len(), 2);
        assert_eq!(args.credentials, [Credentials::Proxy(b"p".to_vec()), Credentials::Server(b"a".to_vec())]);
        assert_eq!((args.version, args.silence), (Some(Version::Http11), Some(Duration::from_secs(2))));
        assert_eq!(args.ramp, Duration::from_millis(5));
    }

    #[test]
    fn tls_names_are_known_in_any_case_and_attributes_imply_html() {
        assert_eq!(args("-f tls1.2 u/").protocol.as_deref(), Some("tls1.2"));
        assert_eq!(refused("-f TLS2 u/").1, 22);
        assert!(args("-y a u/").html && !args("-I u/").html);
    }

    #[cfg(unix)]
    #[test]
    fn arguments_need_not_be_utf_8() {
        use std::os::unix::ffi::OsStringExt as _;

        let words = |words: &[&[u8]]| parse(words.iter().map(|word| OsString::from_vec(word.to_vec())));
        let Ok(Invocation::Run(args)) = words(&[b"-H", b"X: \xff", b"-C\xfe", b"h/\xff"]) else { panic!() };
        assert_eq!((args.headers, args.cookies), (vec![b"X: \xff".to_vec()], vec![b"\xfe".to_vec()]));
        for bad in [[b"-n".as_slice(), b"\xff"], [b"-\xff", b"u/"], [b"--\xff", b"u/"], [b"-B", b"\xff"]] {
            assert_eq!(words(&bad).unwrap_err().status, 22);
        }
    }
}
