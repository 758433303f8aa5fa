//! A percentage with decimals, for percentiles such as 99.9.

use std::ffi::OsStr;
use std::fmt;

use super::{Refusal, shown};

/// Decimals that a percentage may have.
const DECIMALS: usize = 6;

/// Millionths in one percent.
const MILLION: u32 = 1_000_000;

/// A percentage from 0 to 100, exact to its sixth decimal. `Display` writes it without a percent sign and without zeros
/// at its end: `50`, `99.9`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(u32);

impl Percent {
    /// So many whole percent; more than 100 are 100.
    pub const fn whole(percent: u8) -> Self {
        Self(if percent < 100 { percent as u32 * MILLION } else { 100 * MILLION })
    }

    /// One in so many thousand is left out: 1 is 99.9.
    pub const fn all_but_thousandths(thousandths: u32) -> Self {
        Self(100 * MILLION - thousandths * (MILLION / 10))
    }

    /// In millionths of a percent.
    pub fn millionths(self) -> u32 {
        self.0
    }

    /// A list with commas, in ascending order and each once.
    pub(super) fn list(value: &OsStr) -> Result<Vec<Self>, Refusal> {
        let parse = |text: &str| text.split(',').map(Self::parse).collect::<Option<Vec<_>>>();
        let mut list = value.to_str().and_then(parse).ok_or_else(|| {
            Refusal::usage(format!(
                "--percentiles takes percentages from 0 to 100 with commas, such as 50,95,99.9, not '{}'",
                shown(value)
            ))
        })?;
        list.sort_unstable();
        list.dedup();
        Ok(list)
    }

    fn parse(text: &str) -> Option<Self> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(decimals) || decimals.len() > DECIMALS {
            return None;
        }
        let part: u32 = format!("{decimals:0<DECIMALS$}").parse().ok()?;
        let whole: u32 = whole.parse().ok().filter(|whole| *whole <= 100)?;
        Some(Self(whole * MILLION + part)).filter(|percent| *percent <= Self::whole(100))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / MILLION, self.0 % MILLION);
        write!(f, "{whole}")?;
        if part == 0 {
            return Ok(());
        }
        write!(f, ".{}", format!("{part:0DECIMALS$}").trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Result<String, String> {
        let list = Percent::list(OsStr::new(text)).map_err(|refusal| refusal.message)?;
        Ok(list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_list_is_in_order_and_has_each_once() {
        assert_eq!(list("99.9,50,100,050.0,0,0.000001,99.990").unwrap(), "0 0.000001 50 99.9 99.99 100");
        assert_eq!(Percent::whole(50).to_string(), "50");
        assert_eq!([Percent::whole(100), Percent::whole(101)].map(|p| p.to_string()), ["100", "100"]);
        assert_eq!([1, 10].map(|n| Percent::all_but_thousandths(n).to_string()), ["99.9", "99"]);
    }

    #[test]
    fn what_is_no_percentage_is_refused() {
        for text in [
            "",
            "x",
            "50,",
            ",50",
            "101",
            "100.1",
            "-1",
            "+1",
            "1e1",
            "50%",
            ".5",
            "5.",
            "1.0000001",
            "50 95",
            "nan",
        ] {
            let message = list(text).unwrap_err();
            assert!(
                message.starts_with("--percentiles takes") && message.ends_with(&format!("not '{text}'")),
                "{message}"
            );
        }
    }
}
