//! Hides the numbers that time decides, so that whole reports can be compared.
//!
//! A number becomes a token of its width or its decimals, and only where the layout around it is exact: a column out
//! of place stays visible.

/// Lines of one number: what stands before it, its decimals, what stands after it.
const NUMBERS: [(&str, usize, &str); 7] = [
    ("Time taken for tests:   ", 3, " seconds"),
    ("Requests per second:    ", 2, " [#/sec] (mean)"),
    ("Time per request:       ", 3, " [ms] (mean)"),
    ("Time per request:       ", 3, " [ms] (mean, across all concurrent requests)"),
    ("Transfer rate:          ", 2, " [Kbytes/sec] received"),
    ("                        ", 2, " kb/s sent"),
    ("                        ", 2, " kb/s total"),
];

/// The text with times and rates hidden, and the port, too.
pub(crate) fn redact(stdout: &str, port: u16) -> String {
    let mut text = String::new();
    for line in stdout.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let hidden = number_line(line).or_else(|| row(line)).or_else(|| percentile(line));
        text += &hidden.unwrap_or_else(|| line.replace(&port.to_string(), "PORT"));
        text += end;
    }
    text
}

fn number_line(line: &str) -> Option<String> {
    NUMBERS.iter().find_map(|(before, decimals, after)| {
        let number = line.strip_prefix(before)?.strip_suffix(after)?;
        is_decimal(number, *decimals).then(|| format!("{before}<.{decimals}>{after}"))
    })
}

fn is_decimal(text: &str, decimals: usize) -> bool {
    text.split_once('.')
        .is_some_and(|(whole, part)| is_whole(whole) && is_whole(part) && part.len() == decimals)
}

fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn row(line: &str) -> Option<String> {
    let (label, cells) = line.split_at_checked(12)?;
    if !["Connect:    ", "Processing: ", "Waiting:    ", "Total:      "].contains(&label) {
        return None;
    }
    let full = columns(cells, &[(5, 0), (4, 0), (5, 1), (6, 0), (7, 0)], " ");
    let short = || columns(cells, &[(5, 0), (0, 0), (5, 0), (5, 0)], "");
    full.map(|()| format!("{label}<5> <4> <5.1> <6> <7>"))
        .or_else(|| short().map(|()| format!("{label}<5> <5><5>")))
}

/// Whether the text is these right-aligned columns, width and decimals each, with `between` between them. A width of 0
/// stands for one blank.
fn columns(mut text: &str, widths: &[(usize, usize)], between: &str) -> Option<()> {
    for (place, &(width, decimals)) in widths.iter().enumerate() {
        if place > 0 {
            text = text.strip_prefix(between)?;
        }
        if width == 0 {
            text = text.strip_prefix(' ')?;
            continue;
        }
        let number = text.trim_start();
        let digits = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
        let (blanks, length) = (text.len() - number.len(), digits);
        let fits = blanks + length == width || (blanks == 0 && length > width);
        let good =
            if decimals == 0 { is_whole(&number[..digits]) } else { is_decimal(&number[..digits], decimals) };
        text = number.get(digits..).filter(|_| fits && good)?;
    }
    text.is_empty().then_some(())
}

fn percentile(line: &str) -> Option<String> {
    let (percent, rest) = line.split_at_checked(7)?;
    let whole = percent.strip_suffix("%  ")?.trim_start();
    let (number, tail) = match rest.strip_suffix(" (longest request)") {
        Some(number) => (number, " (longest request)"),
        None => (rest, ""),
    };
    (is_whole(whole) && columns(number, &[(5, 0)], "").is_some()).then(|| format!("{percent}<5>{tail}"))
}

#[test]
fn only_well_placed_numbers_are_hidden() {
    let cases = [
        ("Time taken for tests:   0.003 seconds", "Time taken for tests:   <.3> seconds"),
        ("Time taken for tests:   0.03 seconds", "Time taken for tests:   0.03 seconds"),
        ("Connect:        0    0   0.0      0       0", "Connect:    <5> <4> <5.1> <6> <7>"),
        ("Connect:       0    0   0.0      0       0", "Connect:       0    0   0.0      0       0"),
        ("Total:      123456    0   0.0      0       0", "Total:      <5> <4> <5.1> <6> <7>"),
        ("Total:          0     0    0", "Total:      <5> <5><5>"),
        ("  50%      0", "  50%  <5>"),
        (" 100%      0 (longest request)", " 100%  <5> (longest request)"),
        ("  50%     0", "  50%     0"),
        ("Server Port:            8080", "Server Port:            PORT"),
    ];
    for (line, wanted) in cases {
        assert_eq!(redact(line, 8080), wanted);
    }
}
