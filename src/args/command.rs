//! The one table of options. Parsing, the usage text, `--help`, the manual page and completions are made from it.
//!
//! ab's options are letters and have no long names; what rab adds has long names and no letters, so that a letter
//! that ab may add one day is still free.

use clap::builder::OsStringValueParser;
use clap::{Arg, ArgAction, Command, ValueHint};

use super::task;

/// How the program is called.
pub(super) const USAGE: &str = "rab [options] [http[s]://]hostname[:port]/path";

const AB: &str = "Options of ab";
const OWN: &str = "Options of rab alone";
const JUDGING: &str = "Options of rab compare";

/// The two groups of options, in the order in which they are shown.
pub(super) const HEADINGS: [&str; 2] = [AB, OWN];

/// An option: its letter or long name, the name of its value (none for a switch), its line in the usage text, and
/// what `--help` adds to that. A value is a file if its name says so or is `path`, and one of several words if these make up its name.
type Row = (&'static str, &'static str, &'static str, &'static str);

const AB_ROWS: [Row; 38] = [
    ("n", "requests", "Requests to make; 1 unless given", ""),
    (
        "c",
        "concurrency",
        "Requests in flight at a time; 1 unless given",
        "From 1 to 200000, and not above -n.",
    ),
    (
        "t",
        "timelimit",
        "Seconds until the run ends; sets -n to 50000 where it stands",
        "An -n after it caps the run, one before it is lost. With 0 there is no time limit, but the 50000 stay.",
    ),
    ("s", "timeout", "Seconds a connection may be silent; 30 unless given", ""),
    ("b", "windowsize", "Bytes in the send and receive buffers of a socket", ""),
    (
        "B",
        "address",
        "Local address to connect from",
        "Given more than once, or as a list with commas, the addresses are used in turn.",
    ),
    ("p", "postfile", "Send this file with POST (see -T); - is standard input", ""),
    ("u", "putfile", "Send this file with PUT (see -T); - is standard input", ""),
    ("T", "content-type", "Content type of what -p or -u sends; text/plain unless given", ""),
    (
        "v",
        "verbosity",
        "Print more: 2 requests and headers, 3 status codes, 4 all",
        "With -r, 1 prints the errors that a run went past.",
    ),
    ("w", "", "Report in HTML tables", ""),
    ("i", "", "Ask with HEAD", ""),
    ("x", "attributes", "Attributes of the HTML table; implies -w", ""),
    ("y", "attributes", "Attributes of its rows; implies -w", ""),
    ("z", "attributes", "Attributes of its cells; implies -w", ""),
    ("C", "cookie", "Cookie to send, name=value; may be repeated", "All of them go out in one line."),
    (
        "H",
        "header",
        "Header line to send, 'Name: value'; may be repeated",
        "Host, User-Agent, Accept and Content-Type take the place of rab's own.",
    ),
    ("A", "user:password", "Basic credentials for the server", ""),
    ("P", "user:password", "Basic credentials for the proxy", ""),
    (
        "X",
        "proxy:port",
        "Send everything through this proxy",
        "An IPv6 address stands in brackets. The proxy sees http requests whole. For https it is asked for a tunnel \
         (CONNECT), and told the host and port of the URL and the User-Agent. What stands in -P or in a -H \
         Proxy-Authorization goes to the proxy and not through the tunnel.",
    ),
    ("V", "", "Print the version", ""),
    ("k", "", "Use connections again (keep-alive)", ""),
    ("d", "", "Leave out the table of percentiles", ""),
    ("S", "", "Leave out medians, deviations and the advice on them", ""),
    ("q", "", "No progress lines, no hints", ""),
    ("l", "", "Documents may differ in length", ""),
    ("g", "filename", "Write every request to this file, for gnuplot", ""),
    ("e", "filename", "Write percentiles to this file, as CSV", ""),
    ("r", "", "Count connection errors and go on", ""),
    ("m", "method", "Ask with this method", "After -p or -u it replaces their method and keeps the body."),
    ("h", "", "Print a line about every option", "On standard error, with exit code 22, as ab does."),
    ("I", "", "Do not name the host in TLS handshakes (SNI)", ""),
    ("Z", "ciphersuite", "TLS cipher suites, in OpenSSL's notation", ""),
    (
        "f",
        "protocol",
        "TLS version: TLS1.2, TLS1.3 or ALL",
        "The names of older versions are known, not spoken.",
    ),
    ("E", "certfile", "Client certificate, chain and key in one PEM file", ""),
    ("W", "workers", "Worker threads; 1 unless given, 0 for one a core", ""),
    ("R", "milliseconds", "Milliseconds between opening one connection and the next", ""),
    ("Q", "", "No banner", ""),
];

const OWN_ROWS: [Row; 32] = [
    (
        "http1.0",
        "",
        "Speak HTTP/1.0, as ab does (default)",
        "Of this, --http1.1 and --http2 the last one counts.",
    ),
    (
        "http1.1",
        "",
        "Speak HTTP/1.1",
        "The protocol spoken then has a line in the report, after those about TLS.",
    ),
    (
        "http2",
        "",
        "Speak HTTP/2",
        "Over TLS the server is asked for it in the handshake (ALPN), and without TLS it has to know beforehand. A \
         server that does not speak it ends the run before the first request. The protocol has a line in the report, \
         after those about TLS.",
    ),
    (
        "streams",
        "number",
        "Requests in flight on one connection of --http2; implies -k",
        "1 unless given. -c stays the number of connections, and the report's concurrency level is -c times this.",
    ),
    (
        "engine",
        "wire|hyper",
        "What speaks HTTP",
        "wire sends the request byte for byte as typed, and is the default for HTTP/1.0. hyper is a strict HTTP \
         library, the default for HTTP/1.1, and what speaks HTTP/2.",
    ),
    (
        "rate",
        "number",
        "Send so many requests a second, whether or not answers came",
        "Over up to -c connections; all workers together. A request that finds them all busy goes out late, and is \
         counted as such. After the report stand latencies from sending and from the planned start.",
    ),
    (
        "ramp-up",
        "time",
        "Open the connections one after the other, over so long",
        "In seconds, or with a unit, as in 90s, 2m or 500ms.",
    ),
    (
        "duration",
        "time",
        "End after so long; no limit on the requests but that of -n",
        "Where -t is ab's, with its 50000 requests.",
    ),
    (
        "urls",
        "file",
        "Ask for the URLs in this file, one after the other; - is standard input",
        "Each line is '[METHOD] URL [@BODYFILE]', and a path will do for the URL. The command line then names the server \
         alone, as in http://host/, or nothing where the first line is a whole URL. Without -n and -t the list is gone \
         through once.",
    ),
    (
        "shuffle",
        "seed",
        "Ask for them in random order, the same for the same number",
        "Each pass over the list has an order of its own, in which every line has its turn.",
    ),
    (
        "by-url",
        "",
        "After the report, print a table with a line for each of them",
        "The slowest first, 50 at most; the others are summed up in a line. `rab report` prints it for a saved run.",
    ),
    (
        "samples",
        "filename",
        "Write every request to this file, as CSV in order of time",
        "In microseconds, with a header line. Where the folder allows it, an existing file is replaced at the end, whole \
         or not at all; the same holds for -e and -g.",
    ),
    (
        "save",
        "filename",
        "Save the run to this file, as JSON that loses nothing",
        "Written as well when an error or a signal ends the run. `rab report` prints its report again. Of the request it \
         holds no credentials and no header values; path and query stand in it as typed.",
    ),
    (
        "json",
        "",
        "Report in JSON, times in microseconds",
        "Standard output then carries that alone: no banner, no lines around it. A table of --by-url is part of it.",
    ),
    (
        "percentiles",
        "list",
        "Percentages that --json shows, such as 50,95,99.9",
        "From 0 to 100, with up to six decimals. Unless given, those of the text report and 99.9.",
    ),
    (
        "fail-if",
        "rules",
        "Exit with 3 if a rule is true: 'p95>300ms'; may be repeated",
        "Or several with commas. There are rps, mean, p50, p95, p99.9 and so on, max, failed, non-2xx and complete; <, <=, >, \
         >= and ==; us, ms or s for times, and % for shares of the complete requests. Each rule has its line with the value on \
         standard error. A figure that there is none of breaks its rule. A run that failed keeps its exit code.",
    ),
    (
        "cert",
        "certfile",
        "Client certificate and chain, in PEM",
        "Like -E, but that the key may stand in the file of --key.",
    ),
    ("key", "keyfile", "Key of the client certificate, in PEM", ""),
    (
        "verify",
        "",
        "Refuse servers whose certificate is not good",
        "As in ab, any certificate is taken otherwise: expired, self-signed, or for another name.",
    ),
    (
        "cacert",
        "file",
        "Believe the certificates in this PEM file; implies --verify",
        "Instead of those of the system. A server may also show one of these certificates itself.",
    ),
    (
        "connect-to",
        "host[:port]",
        "Connect to this address instead of the URL's",
        "Host field, TLS name and report stay those of the URL, and so does the port unless one is given. An IPv6 \
         address stands in brackets.",
    ),
    (
        "unix-socket",
        "path",
        "Connect to this unix socket",
        "Host field, TLS name and report stay those of the URL; with https, TLS is spoken over the socket. With @ in \
         front it is the name of an abstract socket of Linux; a file of such a name is ./@name. -b sets what the system \
         heeds of it; -B, -X, --connect-to and --all-addresses do not go with it.",
    ),
    (
        "all-addresses",
        "",
        "Spread connections over all addresses of the host",
        "Each new connection goes to the next address, and a hint tells at the end what each of them did. With -k there \
         are few connections: no more than -c, as long as the server keeps them. Without this option, the first address \
         that works serves the whole run.",
    ),
    (
        "repeat",
        "runs",
        "Repeat the run so often; report the median one and the spread",
        "From 1 to 1000; 10 unless given for `rab versus`. The run in the middle by requests a second is reported, and after \
         it all runs in a table. -e, -g and --samples write that run, --save writes all of them, after each. A run that an error \
         ended is not repeated if nothing was complete in it.",
    ),
    (
        "cool-down",
        "time",
        "Pause between one run and the next, such as 2s or 500ms",
        "For --repeat, --sweep, `rab versus` and `rab calibrate`.",
    ),
    (
        "warm-up",
        "amount",
        "Make a run before the first that does not count: 5s, or 1000 requests",
        "A number is requests, one with a unit a time. It has a line on standard error, and no part in reports and files.",
    ),
    (
        "sweep",
        "steps",
        "Make a run for each of these concurrencies: 10,30,50 or 1..200",
        "In the place of -c. A range goes by 1, 2, 5, 10, 20, 50 and so on, with both its ends. A row is printed as each step \
         ends, and then where more connections stopped to help. -n is for each step, and not below any concurrency. With \
         --repeat, a row is the median run of its step.",
    ),
    (
        "until",
        "rules",
        "End a --sweep at a broken rule: 'p95<200ms,failed<1%'",
        "The steps go on while all of them are true. They are written like those of --fail-if.",
    ),
    ("partial", "", "Report what was complete when an error ends the run", ""),
    (
        "demo",
        "",
        "Benchmark a server within rab; no URL",
        "With -n 10000 -c 10, unless other numbers are given.",
    ),
    (
        "generate",
        "man|bash|zsh|fish",
        "Print the manual page, or completions for a shell",
        "On standard output, made from the table of options that this program itself reads by.",
    ),
    ("help", "", "Print all about the options", ""),
];

/// What only tasks take, see [`task`](super::task).
const JUDGING_ROWS: [Row; 5] = [
    (
        "seed",
        "number",
        "Repeat the random order of the runs",
        "Which of a pair goes first is decided by chance. The seed is printed on standard error.",
    ),
    (
        "margin",
        "percent",
        "Changes up to this are none; 5 unless given",
        "Twice as much for the 99th percentile. A change must be beyond it to be better or worse, and shown to be within it to \
         be the same.",
    ),
    (
        "anyway",
        "",
        "Compare even what is not comparable",
        "Another -c, another document, or other answers become a warning.",
    ),
    ("strict", "", "Exit with 11, and not with 0, if it cannot be told", ""),
    ("markdown", "", "Print Markdown, for a pull request", ""),
];

/// The command: every option under its heading, and any number of words, which [`parse`](super::parse) counts. The
/// program's name is not part of what it parses.
pub fn command() -> Command {
    with_rows(|name| JUDGING_ROWS.iter().all(|row| row.0 != name)).after_help(task::list())
}

/// The same with some of the options only.
pub(super) fn with_rows(wanted: impl Fn(&str) -> bool) -> Command {
    let rows = |rows: &'static [Row], heading| {
        rows.iter().filter(|row| wanted(row.0)).map(|row| arg(row, heading)).collect::<Vec<_>>()
    };
    let words = Arg::new("url").value_name("url").action(ArgAction::Append).num_args(0..).hide(true);
    let words = words.value_parser(OsStringValueParser::new()).value_hint(ValueHint::Other);
    Command::new("rab")
        .about("ApacheBench for today: the same flags and the same report, counted right")
        .override_usage(USAGE)
        .version(env!("CARGO_PKG_VERSION"))
        .no_binary_name(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .max_term_width(100)
        .args(rows(&AB_ROWS, AB))
        .args(rows(&OWN_ROWS, OWN))
        .args(rows(&JUDGING_ROWS, JUDGING))
        .arg(words)
}

fn arg((name, value, help, more): &Row, heading: &'static str) -> Arg {
    let mut letters = name.chars();
    let arg = Arg::new(*name).help_heading(heading).help(*help);
    let arg = match (letters.next(), letters.next()) {
        (Some('V'), None) => arg.short('V').long("version"),
        (Some(letter), None) => arg.short(letter),
        _ => arg.long(*name),
    };
    let arg = if more.is_empty() { arg } else { arg.long_help(format!("{help}. {more}")) };
    if value.is_empty() {
        let switch = arg.action(ArgAction::SetTrue);
        // A second -i is a mistake, since HEAD has been chosen then; all others may be repeated.
        return if *name == "i" { switch } else { switch.overrides_with(*name) };
    }
    let is_file = value.contains("file") || *value == "path";
    let hint = if is_file { ValueHint::FilePath } else { ValueHint::Other };
    // Every occurrence is kept, since the order rules need all their places.
    arg.value_name(*value)
        .value_hint(hint)
        .action(ArgAction::Append)
        .num_args(1)
        .allow_hyphen_values(true)
        .value_parser(OsStringValueParser::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn help_has_both_groups() {
        let help = command().render_long_help().to_string();
        for part in [AB, OWN, "compare before after", "--engine <wire|hyper>", "-V, --version", USAGE] {
            assert!(help.contains(part), "{part}: {help}");
        }
    }
}
