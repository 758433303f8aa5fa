//! The tables, in Markdown.

use std::fmt::Write;

use crate::launch::Figures;
use crate::scenario::Scenario;
use crate::tool::Client;

/// The figures of each client, round by round.
pub(crate) type Rows<'a> = Vec<(&'a Client, Vec<Figures>)>;

/// All figures of one scenario.
pub(crate) fn scenario(scenario: &Scenario, rows: &[(&Client, Vec<Figures>)]) -> String {
    let mut text = format!(
        "### {}: {} requests, {} at a time\n\n\
         | client | CPU a request, µs | requests/s | peak memory, MiB | CPU of rab to this |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
        scenario.title, scenario.requests, scenario.connections
    );
    for (client, figures) in rows {
        let of = |figure: fn(&Figures) -> f64| median(figures.iter().map(figure).collect());
        let (cpu, rate, peak) = (of(|row| row.cpu), of(|row| row.rate), of(|row| row.peak));
        let ratio = ratio(rows, client).map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {cpu:.2} | {rate:.0} | {peak:.1} | {ratio} |", client.name);
    }
    text
}

/// The processor time of all clients in all scenarios.
pub(crate) fn summary(clients: &[Client], results: &[(Scenario, Rows<'_>)]) -> String {
    let names: Vec<_> = clients.iter().map(|client| client.name.as_str()).collect();
    let mut text = format!(
        "### CPU a request, µs (CPU of rab to this)\n\n| | {} |\n| --- |{}\n",
        names.join(" | "),
        " ---: |".repeat(names.len())
    );
    for (scenario, rows) in results {
        let _ = write!(text, "| {} |", scenario.title);
        for client in clients {
            let cell = rows.iter().find(|(other, _)| std::ptr::eq(*other, client)).map(|(_, figures)| {
                let cpu = median(figures.iter().map(|row| row.cpu).collect());
                let ratio = ratio(rows, client).map(|ratio| format!(" ({ratio:.2})")).unwrap_or_default();
                format!("{cpu:.2}{ratio}")
            });
            let _ = write!(text, " {} |", cell.unwrap_or_default());
        }
        text.push('\n');
    }
    text
}

/// The processor time of rab for a request, divided by this client's: the median over the rounds, in each of which both
/// met the same machine.
fn ratio(rows: &[(&Client, Vec<Figures>)], client: &Client) -> Option<f64> {
    let of = |wanted: &dyn Fn(&Client) -> bool| {
        rows.iter().find(|(client, _)| wanted(client)).map(|(_, rows)| rows)
    };
    if client.is_reference() {
        return None;
    }
    let pairs = of(&Client::is_reference)?.iter().zip(of(&|other| std::ptr::eq(other, client))?);
    Some(median(pairs.map(|(rab, other)| rab.cpu / other.cpu).collect()))
}

/// The middle one, or between the two that are.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}
