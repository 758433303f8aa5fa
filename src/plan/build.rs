//! From what was typed to what will be done.

use std::ffi::OsString;
use std::net::SocketAddr;

use super::asked::Asked;
use super::bodies::Bodies;
use super::files::side_files;
use super::output::SHOWS_HEADS;
use super::{Attributes, Load, Network, Output, Percent, Plan, Requests, Tls, list};
use crate::args::{Args, Refusal};

/// The percentiles of a report in JSON unless others are chosen: those of ab's table, and 99.9.
const JSON_PERCENTILES: [Percent; 10] = [
    Percent::whole(50),
    Percent::whole(66),
    Percent::whole(75),
    Percent::whole(80),
    Percent::whole(90),
    Percent::whole(95),
    Percent::whole(98),
    Percent::whole(99),
    Percent::all_but_thousandths(1),
    Percent::whole(100),
];

impl Plan {
    /// Decides what will be done. Reads the bodies, the list of `--urls` and the certificates, and looks whether two files are
    /// the same; touches nothing else. `demo` is the address on which the server of `--demo` listens, and counts only
    /// with that option.
    ///
    /// Of several mistakes the first in this order is reported, as ab does: a body that cannot be read, an option
    /// or the number of words, the URL or the list of them, `-c`; then what the engine cannot send, TLS, where connections
    /// go, and files named twice.
    pub fn new(mut args: Args, demo: Option<SocketAddr>) -> Result<Self, Refusal> {
        let bodies = Bodies::new(args.body.as_deref())?;
        if let Some(offence) = args.offence.take() {
            return Err(offence);
        }
        let demo = demo.filter(|_| args.demo).map(|address| OsString::from(format!("http://{address}/")));
        let url = args.url.take().or(demo);
        let mut remarks = std::mem::take(&mut args.remarks);
        let text = args.urls.as_deref().map(list::read).transpose()?.unwrap_or_default();
        let asked = match (&args.urls, url) {
            (Some(file), url) => Asked::listed(&args, (file, &text), url.as_deref(), bodies, &mut remarks)?,
            (None, Some(url)) => Asked::one(&args, &url, bodies)?,
            (None, None) => return Err(Refusal::usage("wrong number of arguments")),
        };
        let load = Load::new(&args, asked.turns.len() as u64)?;
        let requests = Requests::new(&args, &asked, &mut remarks)?;
        let target = asked.origin.target;
        let tls = Tls::new(&args, &target, requests.first(), &mut remarks)?;
        let network = Network::new(&args, &target, requests.first())?;
        let output = Output::new(&args, &mut remarks)?;
        let gates = std::mem::take(&mut args.judging.fail_if);
        Ok(Self { target, requests, load, network, tls, output, gates, remarks })
    }

    /// So many complete requests lie between two progress lines; `None` if there are none.
    pub fn progress_interval(&self) -> Option<u64> {
        self.output.progress_interval(self.load.requests)
    }
}

impl Output {
    /// What is to be printed and written. Usage errors where two options want standard output to be something else.
    pub fn new(args: &Args, remarks: &mut Vec<String>) -> Result<Self, Refusal> {
        Ok(Self {
            verbosity: args.verbosity,
            quiet: args.quiet,
            banner: !args.no_banner,
            percentiles: !args.no_percentiles,
            confidence: !args.no_confidence,
            partial: args.partial,
            by_url: args.by_url,
            html: args.html.then(|| Attributes::new(args)),
            json: json(args)?,
            files: side_files(args, remarks)?,
        })
    }
}

/// The percentiles of a report in JSON; `None` if it is to be another.
fn json(args: &Args) -> Result<Option<Vec<Percent>>, Refusal> {
    let refuse = |message: &str| Err(Refusal::usage(message));
    match (args.json, &args.percentiles) {
        (false, Some(_)) => refuse("--percentiles chooses what --json shows, which is not given"),
        (false, None) => Ok(None),
        (true, _) if args.html => refuse("--json and -w (or -x, -y, -z) ask for different reports"),
        (true, _) if args.verbosity >= SHOWS_HEADS => {
            refuse("--json leaves no room on standard output for what -v 2 and above prints")
        }
        (true, percentiles) => Ok(Some(percentiles.clone().unwrap_or_else(|| JSON_PERCENTILES.to_vec()))),
    }
}

impl Attributes {
    fn new(args: &Args) -> Self {
        let typed = |text: &Option<OsString>, default: &str| {
            text.as_ref().map_or_else(|| default.into(), |text| text.as_encoded_bytes().to_vec())
        };
        Self {
            table: typed(&args.table_attributes, ""),
            row: typed(&args.row_attributes, ""),
            cell: typed(&args.cell_attributes, "bgcolor=white"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::args::{Invocation, parse};
    use crate::plan::testing::{plan, refused};

    const USAGE: &str = "Usage: rab [options] [http[s]://]hostname[:port]/path\n";

    #[test]
    fn defaults_are_ab_s() {
        let plan = plan("localhost/").unwrap();
        let load = &plan.load;
        assert_eq!((load.requests, load.concurrency, load.time_limit), (1, 1, None));
        assert_eq!((load.silence, load.ramp), (Duration::from_secs(30), Duration::ZERO));
        assert!(!load.keep_alive && !load.tolerate && load.fixed_length);
        assert_eq!((plan.network.all_addresses, plan.network.socket_buffer), (false, None));
        let output = &plan.output;
        assert!(output.banner && output.percentiles && output.confidence && !output.quiet && !output.partial);
        assert!(plan.remarks.is_empty());
    }

    #[test]
    fn concurrency_is_within_its_range_and_not_above_the_requests() {
        for line in
            ["-c 0", "-c -1", "-n 300000 -c 200001", "-c 99999999999999999999", "-c -99999999999999999999"]
        {
            assert_eq!(refused(&format!("{line} h/")).message, "Invalid Concurrency [Range 1..200000]");
        }
        let above = "Cannot use concurrency level greater than total number of requests";
        let text = refused("-c 5 h/").to_string();
        assert!(text.starts_with(&format!("rab: {above}\n{USAGE}")), "{text}");
        // As ab: -t helps only by its 50,000 requests.
        for line in ["-t 1 -n 2 -c 5 h/", "-t 1 -c 50001 h/"] {
            assert_eq!(refused(line).message, above);
        }
        assert_eq!(plan("-c 50000 -t 1 h/").unwrap().load.concurrency, 50_000);
    }

    #[test]
    fn mistakes_are_judged_in_ab_s_order() {
        let missing = "Could not open POST data file (no/such): No such file or directory";
        for (line, message) in [
            ("-n 0 -p no/such", "Invalid number of requests"),
            ("-p no/such -n 0", missing),
            ("-u no/such -i", missing),
            ("-p no/such", missing),
            ("-p /dev/null -i h/", "Cannot mix HEAD with other methods"),
            ("-c 0", "wrong number of arguments"),
            ("-c 0 http://h", "invalid URL"),
            ("-n 5 -c 0 h/", "Invalid Concurrency [Range 1..200000]"),
            ("-g f -c 5 h/", "Cannot use concurrency level greater than total number of requests"),
            ("-g f https://h", "invalid URL"),
            ("-g f --http1.1 -H x h/", "the hyper engine takes no -H 'x', which is no header field"),
        ] {
            assert_eq!(refused(line).message, message, "{line}");
        }
    }

    #[test]
    fn attributes_of_the_html_report_are_as_typed() {
        let html = |line: &str| plan(line).unwrap().output.html;
        let attributes = |table: &str, row: &str, cell: &str| {
            Some(Attributes { table: table.into(), row: row.into(), cell: cell.into() })
        };
        assert_eq!(html("h/"), None);
        assert_eq!(html("-w h/"), attributes("", "", "bgcolor=white"));
        assert_eq!(html("-x 'border=1 <' -y b -z '' h/"), attributes("border=1 <", "b", ""));
    }

    #[test]
    fn json_has_standard_output_for_itself() {
        let shown = |line: &str| {
            let list = plan(line).unwrap().output.json?;
            Some(list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(shown("h/"), None);
        assert_eq!(shown("--json h/").unwrap(), "50 66 75 80 90 95 98 99 99.9 100");
        assert_eq!(shown("--json -v 1 --percentiles 95,50 h/").unwrap(), "50 95");
        for (line, word) in [
            ("--json -w", "-w"),
            ("--json -z a", "-w"),
            ("--json -v 2", "-v 2"),
            ("--percentiles 50", "--json"),
            ("--json --percentiles 50,x", "50,x"),
        ] {
            let refusal = refused(&format!("{line} h/"));
            assert!(refusal.message.contains(word) && refusal.status == 22, "{line}: {refusal}");
        }
    }

    #[test]
    fn more_is_recorded_only_for_json_and_saved_runs() {
        let needs = |line: &str| plan(&format!("{line} h/")).unwrap().output.needs_detail();
        assert_eq!(
            ["", "-e e -g g --samples s", "--json", "--save s"].map(needs),
            [false, false, true, true]
        );
    }

    #[test]
    fn a_demo_has_its_own_numbers_and_address() {
        let numbers = |line: &str| {
            let Plan { load, target, .. } = plan(line).unwrap();
            assert_eq!(
                (target.authority().as_str(), target.path.as_slice()),
                ("127.0.0.1:9", b"/".as_slice())
            );
            (load.requests, load.concurrency)
        };
        assert_eq!(numbers("--demo"), (10_000, 10));
        assert_eq!(numbers("--demo -n 5"), (5, 5));
        assert_eq!(numbers("-c 20 --demo"), (10_000, 20));
        assert_eq!(numbers("--demo -t 3"), (50_000, 10));
        assert_eq!(refused("--demo h/").message, "--demo takes no URL");
    }

    #[test]
    fn hyper_is_the_engine_of_http_1_1_unless_another_is_named() {
        let is_hyper = |line: &str| plan(&format!("{line} h/")).unwrap().requests.first().for_hyper.is_some();
        assert_eq!([is_hyper(""), is_hyper("--http1.0")], [false; 2]);
        assert_eq!([is_hyper("--http1.1"), is_hyper("--engine hyper")], [true; 2]);
        assert!(!is_hyper("--http1.1 --engine wire"));
    }

    #[test]
    fn progress_is_shown_as_in_ab() {
        let interval = |line: &str| plan(&format!("{line} h/")).unwrap().progress_interval();
        assert_eq!([interval("-n 150"), interval("-q -n 151"), interval("-n 151")], [None, None, Some(100)]);
        assert_eq!(
            [interval("-n 1000"), interval("-n 1234"), interval("-t 1")],
            [Some(100), Some(123), Some(5000)]
        );
    }

    /// Arguments that are often good, sometimes nearly, and sometimes any bytes at all.
    fn argument() -> impl Strategy<Value = OsString> {
        let options: Vec<String> =
            "nctsbBpuTvwixyzCHAPXVkdSqlgermhIZfEWRQj-".chars().map(|c| format!("-{c}")).collect();
        let longs = [
            "--engine",
            "--http1.1",
            "--http1.0",
            "--demo",
            "--partial",
            "--help",
            "--nonsense",
            "--demo=1",
            "--connect-to",
            "--unix-socket",
            "--all-addresses",
        ];
        let values = [
            "5",
            "0",
            "-1",
            "99999999999999999999",
            "10k",
            "GET",
            "X: y",
            "nocolon",
            "",
            "a:80",
            "[::1]:80",
            "hyper",
            "wire",
            "http://h/",
            "h:81/x?y#z",
            "https://u:p@h/",
            "http://h",
            "ftp://h/",
            "TLS1.2",
            "%4\u{e9}%41",
            "-",
        ];
        prop_oneof![
            4 => proptest::sample::select(options).prop_map(OsString::from),
            4 => proptest::sample::select(values.to_vec()).prop_map(OsString::from),
            1 => proptest::sample::select(longs.to_vec()).prop_map(OsString::from),
            1 => "-[a-zA-Z]{1,3}[0-9:/]{0,3}".prop_map(OsString::from),
            1 => any::<OsString>(),
            1 => "(http://)?[\\[\\]:@/?#%a1 ]{0,12}".prop_map(OsString::from),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn any_command_line_ends_in_a_plan_or_a_refusal(words in prop::collection::vec(argument(), 0..7)) {
            match parse(words) {
                Ok(Invocation::Run(mut args)) => {
                    // Random names must not make the test read files or standard input.
                    let body = args.body.take();
                    if let Err(refusal) = Plan::new(*args.clone(), None) {
                        prop_assert!(!refusal.to_string().is_empty());
                    }
                    args.body = body.map(|_| "no/such/file".into());
                    let has_body = args.body.is_some();
                    prop_assert!(!has_body || Plan::new(*args, None).is_err());
                }
                Ok(_) => {}
                Err(refusal) => prop_assert!([1, 22].contains(&refusal.status)),
            }
        }
    }
}
