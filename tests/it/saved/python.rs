//! The histograms of a saved run, read by another library: `HdrHistogram` for Python.

use std::fs;
use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hdrhistogram::Histogram;
use hdrhistogram::iterators::IterationValue;
use hdrhistogram::serialization::Deserializer;
use serde_json::Value;
use tempfile::tempdir;

use super::{name, origin, run, save};
use crate::support::needs;
use crate::support::rab::Rab;
use crate::support::saved::saved;
use crate::support::server::{Plan, Step, answer, closing};

/// Prints a line for each histogram: where it stands, count, least, greatest, and some percentiles, all as the library
/// has them.
const READ: &str = "
import json, sys
from hdrh.histogram import HdrHistogram
run = json.load(open(sys.argv[1]))['runs'][0]
found = {'times.' + name: times['histogram'] for name, times in run['times'].items()}
found['schedule'] = run['schedule']['since_planned']['histogram']
found.update({'urls.' + url['name'].replace(' ', '_'): url['times']['histogram'] for url in run['urls']})
for number, slot in enumerate(run['series']['slots']):
    found.update({f'{number}.{name}': slot[name] for name in ('times_2xx', 'times_other') if name in slot})
for place, payload in found.items():
    h = HdrHistogram.decode(payload)
    figures = [h.get_total_count(), h.get_min_value(), h.get_max_value()]
    print(place, *figures, *[h.get_value_at_percentile(p) for p in (10, 50, 75, 90, 99)])
";

/// The same line, by the library that wrote it.
fn line(place: &str, payload: &Value) -> String {
    let bytes = BASE64.decode(payload.as_str().expect("a histogram")).unwrap();
    let read: Histogram<u64> = Deserializer::new().deserialize(&mut Cursor::new(bytes)).unwrap();
    let figures = [read.len(), read.min(), read.max()];
    let percentiles = [10, 50, 75, 90, 99].map(|percent| {
        // Python rounds half up where others do not; which value a rank has does not depend on that.
        let rank = ((read.len() * percent + 50) / 100).max(1);
        let mut passed = 0;
        let reaches = |step: &IterationValue<u64>| {
            passed += step.count_since_last_iteration();
            passed >= rank
        };
        read.iter_recorded().find(reaches).expect("a value").value_iterated_to()
    });
    let numbers: Vec<String> = figures.iter().chain(&percentiles).map(ToString::to_string).collect();
    format!("{place} {}", numbers.join(" "))
}

#[test]
fn python_reads_every_histogram_as_it_was_written() {
    let Some(python) = needs::python_module("hdrh") else { return };
    let server = Plan::by(|number, _| match number % 10 {
        9 => answer("404 Not Found", &[], &[b'x'; 50], Step::Close),
        4 => vec![Step::Wait(std::time::Duration::from_millis(3)), closing(100).remove(0), Step::Close],
        _ => closing(100),
    })
    .start();
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.json");
    let list = folder.path().join("list");
    fs::write(&list, "/\n/b\n").unwrap();
    let words = format!("-n 1000 -c 10 -q --rate 100000 --by-url --urls {}", name(&list));
    save(&path, &words, &origin(&server)).good_report();
    let file = saved(&path);
    let run = run(&file);
    let done = Rab::of(python, ["-c", READ, name(&path)]).run();
    assert_eq!((done.code(), done.stderr.as_str()), (0, ""), "{done}");
    let mut expected = Vec::new();
    for (phase, times) in run["times"].as_object().unwrap() {
        expected.push(line(&format!("times.{phase}"), &times["histogram"]));
        let figures: Vec<u64> =
            expected.last().unwrap().split(' ').skip(1).map(|number| number.parse().unwrap()).collect();
        assert_eq!(times["count"], figures[0]);
        // A histogram keeps a time to one part in ten thousand.
        for (exact, kept) in [(&times["min_us"], figures[1]), (&times["max_us"], figures[2])] {
            let exact = exact.as_u64().unwrap();
            assert!(exact.abs_diff(kept) <= exact / 10_000, "{phase}: {exact} {kept}");
        }
    }
    expected.push(line("schedule", &run["schedule"]["since_planned"]["histogram"]));
    for url in run["urls"].as_array().unwrap() {
        let name = url["name"].as_str().unwrap().replace(' ', "_");
        expected.push(line(&format!("urls.{name}"), &url["times"]["histogram"]));
    }
    for (number, slot) in run["series"]["slots"].as_array().unwrap().iter().enumerate() {
        for times in ["times_2xx", "times_other"].into_iter().filter(|times| slot.get(times).is_some()) {
            expected.push(line(&format!("{number}.{times}"), &slot[times]));
        }
    }
    let mut found: Vec<&str> = done.stdout.lines().collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert!(expected.len() >= 10, "{expected:?}");
    assert_eq!(found, expected);
}
