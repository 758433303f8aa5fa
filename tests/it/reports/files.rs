//! What else a run can write: CSV, HTML and gnuplot (section F of the list).

use crate::support::rab::{Done, ask, rab};
use crate::support::report::Counts;
use crate::support::server::{Plan, Reply, Server, closing, wait};

/// Good answers, the first of which is late, and every fourth one after it a little.
fn uneven() -> Server {
    let late = |time: u64| -> Reply { [vec![wait(time)], closing(500)].concat() };
    Plan::by(move |number, _| match number {
        0 => late(60),
        _ if number % 4 == 0 => late(20),
        _ => closing(500),
    })
    .start()
}

/// A file that a run has written with this option.
fn written(option: &str, options: &str) -> (String, Done) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let done = ask(&format!("{options} {option} {}", path.display()), &uneven().url());
    (std::fs::read_to_string(path).unwrap(), done)
}

#[test]
fn r69_the_csv_has_all_rows_from_0_to_100() {
    for requests in [1, 7, 60] {
        let (file, done) = written("-e", &format!("-n {requests} -c 1"));
        let report = done.good_report();
        let mut lines = file.lines();
        assert_eq!(lines.next(), Some("Percentage served,Time in ms"));
        let rows: Vec<(&str, &str)> = lines.map(|line| line.split_once(',').unwrap()).collect();
        let percents: Vec<&str> = rows.iter().map(|row| row.0).collect();
        assert_eq!(percents, (0..=100).map(|percent: u8| percent.to_string()).collect::<Vec<_>>());
        assert!(rows.iter().all(|(_, time)| time.split_once('.').is_some_and(|(_, part)| part.len() == 3)));
        let times: Vec<f64> = rows.iter().map(|(_, time)| time.parse().unwrap()).collect();
        assert!(times.is_sorted(), "{file}");
        assert!(times[100] >= 60.0, "{file}");
        if requests > 1 {
            #[allow(clippy::cast_precision_loss, reason = "milliseconds of a short run")]
            let longest = report.percentile(100) as f64;
            assert!((times[100] - longest).abs() <= 0.501, "{file}\n{done}");
        }
    }
}

/// The number in the cell or the cells after a label.
fn cells(html: &str, label: &str) -> Vec<f64> {
    let row = html.lines().find(|line| line.contains(&format!(">{label}:</th>")));
    let row = row.unwrap_or_else(|| panic!("no row {label} in\n{html}"));
    let texts = row.split("</td>").filter_map(|part| Some(part.rsplit_once('>')?.1.trim()));
    texts.filter_map(|text| text.split(' ').next()?.parse().ok()).collect()
}

#[test]
fn r70_the_numbers_of_the_html_are_in_the_units_of_the_text() {
    let html = ask("-w -n 20 -c 1", &uneven().url());
    assert_eq!(html.code(), 0, "{html}");
    let number = |label: &str| cells(&html.stdout, label)[0];
    let seconds = number("Time taken for tests");
    // The waits of the server alone, and far below the bound of a run.
    assert!((0.14..60.0).contains(&seconds), "{html}");
    // The time is printed to the millisecond.
    let near = |found: f64, wanted: f64| (found / wanted - 1.0).abs() < 0.01;
    assert!(near(number("Requests per second"), 20.0 / seconds), "{html}");
    assert!(near(number("Transfer rate"), number("Total transferred") / 1024.0 / seconds), "{html}");
    let [min, mean, max] = cells(&html.stdout, "Total")[..] else { panic!("{html}") };
    assert!(min <= mean && mean <= max && (60.0..=seconds * 1000.0).contains(&max), "{html}");
    // Twenty requests, one after the other, with the waits of the server among them.
    assert!((7.0..=seconds * 50.0 + 1.0).contains(&mean), "{html}");

    // What time does not decide is the same as in the text.
    let report = ask("-n 20 -c 1", &uneven().url()).good_report();
    for label in
        ["Document Length", "Complete requests", "Failed requests", "Total transferred", "HTML transferred"]
    {
        assert_eq!(Some(number(label)), report.number(label), "{label}");
    }
}

#[test]
fn r74_gnuplot_rows_are_in_order_of_their_time_and_samples_in_order_of_their_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let server = uneven();
    let arguments = ["-n", "40", "-c", "2", "-g", &path("plot"), "--samples", &path("list"), &server.url()];
    assert_eq!(rab(arguments).good_report().counts(), Counts::good(40));
    let rows = |name: &str, separator: char| -> Vec<Vec<String>> {
        let file = std::fs::read_to_string(path(name)).unwrap();
        file.lines().map(|line| line.split(separator).map(ToOwned::to_owned).collect()).collect()
    };
    let column = |rows: &[Vec<String>], at: usize| -> Vec<u64> {
        rows[1..].iter().map(|row| row[at].parse().unwrap()).collect()
    };

    let plot = rows("plot", '\t');
    assert_eq!(plot[0], ["starttime", "seconds", "ctime", "dtime", "ttime", "wait"]);
    let totals = column(&plot, 4);
    assert_eq!(totals.len(), 40);
    assert!(totals.is_sorted(), "{totals:?}");
    assert!(totals[39] >= 60, "{totals:?}");

    let list = rows("list", ',');
    assert_eq!(list[0][0], "start_us");
    let starts = column(&list, 0);
    assert_eq!(starts.len(), 40);
    assert!(starts.is_sorted(), "{starts:?}");
    // Finer than a second, and no longer in order of the time that requests took.
    assert!(starts.windows(2).filter(|pair| pair[0] < pair[1]).count() > 30, "{starts:?}");
    let totals = column(&list, 5);
    assert!(totals[0] >= 60_000 && !totals.is_sorted(), "{totals:?}");
}
