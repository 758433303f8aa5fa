//! The answers at the end of a run, as far as they are all alike.
//!
//! A token that runs out, a limit that is reached, a server that gives up: from some moment on every answer is another
//! one. The sums of a run do not show when that was.

use super::Micros;

/// The status that has been answered without another one between, and since when.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Streak {
    /// Nothing was answered.
    #[default]
    None,
    /// The last answers were all alike.
    Alike {
        /// Their status.
        status: u16,
        /// When the first of them had come, counted from the start of the run.
        since: Micros,
        /// How many they are.
        count: u64,
    },
    /// Several workers came to different ends.
    Mixed,
}

impl Streak {
    /// Goes on by the next answer, which had come at this time.
    pub fn count(&mut self, status: u16, done: Micros) {
        match self {
            Self::Alike { status: known, count, .. } if *known == status => *count += 1,
            _ => *self = Self::Alike { status, since: done, count: 1 },
        }
    }

    /// What was alike for all of several workers, which is from the time on when the last of them came to it.
    pub fn merge(&mut self, other: Self) {
        *self = match (*self, other) {
            (Self::None, streak) | (streak, Self::None) => streak,
            (
                Self::Alike { status, since, count },
                Self::Alike { status: theirs, since: later, count: more },
            ) if status == theirs => Self::Alike { status, since: since.max(later), count: count + more },
            _ => Self::Mixed,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What these answers, one a second, come to.
    fn streak(statuses: &[u16]) -> Streak {
        let mut streak = Streak::default();
        (1..).zip(statuses).for_each(|(second, status)| streak.count(*status, second * 1_000_000));
        streak
    }

    #[test]
    fn a_streak_begins_with_the_last_change() {
        assert_eq!(streak(&[]), Streak::None);
        let expected = Streak::Alike { status: 401, since: 4_000_000, count: 2 };
        assert_eq!(streak(&[200, 401, 200, 401, 401]), expected);
    }

    #[test]
    fn workers_must_agree() {
        let merged = |one: &[u16], two: &[u16]| {
            let mut all = streak(one);
            all.merge(streak(two));
            all
        };
        assert_eq!(
            merged(&[200, 401], &[200, 200, 401]),
            Streak::Alike { status: 401, since: 3_000_000, count: 2 }
        );
        assert_eq!(merged(&[], &[401]), streak(&[401]));
        assert_eq!(merged(&[200, 401], &[401, 200]), Streak::Mixed);
        assert_eq!(merged(&[200], &[]), streak(&[200]));
    }
}
