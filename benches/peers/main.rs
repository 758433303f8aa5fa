//! rab beside other clients, on the same work, against one nginx of its own on loopback.
//!
//! ```text
//! cargo bench --bench peers                          all scenarios, five rounds
//! cargo bench --bench peers -- --quick               a first look
//! cargo bench --bench peers -- --only keep-alive,http2 --rounds 9 --also "-W 2"
//! ```
//!
//! The clients take turns (A B C, A B C, ...), so that what else the machine does meets all of them alike; the first
//! turn only warms up. What is compared is the processor time that a client takes for a request, user's and system's, as
//! the kernel accounts it to the finished process: unlike a rate it says something even where the server is the
//! limit. All clients use one thread. What is not installed is said and left out.
//!
//! Standard output is Markdown. Load goes to 127.0.0.1 only, and everything that was started is ended.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code, reason = "the tests have uses for the rest of it")]
#[path = "../../tests/it/support/daemon.rs"]
mod daemon;
mod launch;
mod machine;
mod scenario;
mod server;
mod table;
mod tool;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use launch::Figures;
use scenario::Scenario;
use server::Server;
use table::Rows;
use tool::Client;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == launch::FLAG) {
        launch::launched(words);
        return ExitCode::SUCCESS;
    }
    let options = command().get_matches();
    if !options.get_flag("bench") {
        eprintln!("left out, since this is no test: cargo bench --bench peers");
        return ExitCode::SUCCESS;
    }
    let quick = options.get_flag("quick");
    let rounds = options.get_one("rounds").copied().unwrap_or(if quick { 2 } else { 5 });
    let clients = tool::clients(
        options.get_one("rab").map_or(env!("CARGO_BIN_EXE_rab"), String::as_str),
        options.get_many("also").unwrap_or_default().map(String::as_str),
    );
    let Some(nginx) = tool::installed("nginx") else {
        eprintln!("nginx is needed and not installed (on Debian: apt-get install nginx-light)");
        return ExitCode::FAILURE;
    };
    let server = Server::start(&nginx);
    println!("{}\n\n{rounds} rounds, medians.\n", machine::description(&clients, &nginx));
    let mut results = Vec::new();
    for scenario in chosen(&options) {
        eprintln!("{}", scenario.title);
        let scenario = if quick { scenario.shortened() } else { scenario };
        let figures = measure(&scenario, &server, &clients, rounds);
        println!("{}", table::scenario(&scenario, &figures));
        results.push((scenario, figures));
    }
    println!("{}", table::summary(&clients, &results));
    ExitCode::SUCCESS
}

fn command() -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("peers")
        .about("Measures rab beside ab, wrk, h2load and oha")
        .arg(
            option("rounds", "N", "Turns that count [default: 5]")
                .value_parser(value_parser!(u32).range(1..)),
        )
        .arg(
            option("only", "NAMES", "Scenarios, with commas between them")
                .value_delimiter(',')
                .value_parser(scenario::names()),
        )
        .arg(option("rab", "PROGRAM", "Another build of rab"))
        .arg(
            option("also", "OPTIONS", "rab once more, with these options")
                .action(ArgAction::Append)
                .allow_hyphen_values(true),
        )
        .arg(
            Arg::new("quick")
                .long("quick")
                .action(ArgAction::SetTrue)
                .help("A fifth of the requests, two rounds"),
        )
        // Cargo says so to what it runs as a benchmark, and not to what `cargo test --benches` runs.
        .arg(Arg::new("bench").long("bench").action(ArgAction::SetTrue).hide(true))
}

fn chosen(options: &ArgMatches) -> Vec<Scenario> {
    let only: Option<Vec<&String>> = options.get_many("only").map(Iterator::collect);
    let is_chosen = |scenario: &Scenario| {
        only.as_ref().is_none_or(|names| names.iter().any(|name| *name == scenario.name))
    };
    scenario::all().into_iter().filter(is_chosen).collect()
}

/// The figures of each client that can do a scenario, round by round.
fn measure<'a>(scenario: &Scenario, server: &Server, clients: &'a [Client], rounds: u32) -> Rows<'a> {
    let url = server.url(scenario);
    let able = clients.iter().filter_map(|client| Some((client, client.arguments(scenario, &url)?)));
    let able: Vec<_> = able.collect();
    let mut figures: Vec<_> = able.iter().map(|(client, _)| (*client, Vec::new())).collect();
    for round in 0..=rounds {
        for ((client, arguments), (_, rows)) in able.iter().zip(&mut figures) {
            let (run, output) = launch::launch(&client.program, arguments);
            let complete =
                client.complete(&output).unwrap_or_else(|| panic!("{}: no count in\n{output}", client.name));
            if round > 0 {
                rows.push(Figures::new(&run, complete));
            }
        }
    }
    figures
}
