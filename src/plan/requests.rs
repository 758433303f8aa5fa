//! All requests of a run, and whose turn it is.
//!
//! In comes what is asked for, out go [`Requests`]: each different request once, prepared to the last byte, and the order
//! in which they take turns. The ticket of a request tells its turn, whoever holds it, so that workers need not agree.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Index;
use std::sync::Arc;

use super::asked::Asked;
use super::common::Common;
use super::shuffle::shuffled;
use super::{Request, tunnel};
use crate::args::{Args, Refusal, shown_bytes};

/// The requests of a run, at least one: that of the command line, or those of a list (`--urls`).
///
/// A *URL* is here what a line of the list names: method, path and body. Lines that name the same are one URL with
/// several turns, which is how a list gives some of them more weight.
#[derive(Debug, Clone)]
pub struct Requests {
    /// Never empty.
    urls: Vec<Request>,
    /// A name for each; empty without a list.
    names: Arc<[Box<str>]>,
    /// The URL of each line.
    turns: Vec<u32>,
    /// The seed of the order (`--shuffle`); `None` for the order of the list.
    shuffle: Option<u64>,
}

impl Requests {
    /// One request, again and again.
    pub fn one(request: Request) -> Self {
        Self { urls: vec![request], names: Arc::default(), turns: vec![0], shuffle: None }
    }

    /// Prepares all that is asked for, and adds to `remarks` what may not be meant. Errors if hyper cannot send
    /// something, with the line of the list that it is on.
    pub(super) fn new(args: &Args, asked: &Asked<'_>, remarks: &mut Vec<String>) -> Result<Self, Refusal> {
        let origin = &asked.origin;
        let by_proxy = args.proxy.is_some() && !tunnel::is_needed(args, &origin.target);
        let prefix = if by_proxy { origin.server.as_slice() } else { b"" };
        let (mut commons, mut kinds, mut known) = (Vec::new(), HashMap::new(), HashMap::new());
        let (mut urls, mut names, mut turns) =
            (Vec::new(), Vec::new(), Vec::with_capacity(asked.turns.len()));
        for turn in &asked.turns {
            let kind = match kinds.entry((turn.method, turn.body, turn.credentials.as_deref())) {
                Entry::Occupied(kind) => *kind.get(),
                Entry::Vacant(kind) => {
                    let (method, body, credentials) = *kind.key();
                    let body = body.and_then(|body| asked.bodies.bytes(body));
                    commons.push(Common::new(args, &origin.target, (method, body, credentials), remarks)?);
                    *kind.insert(commons.len() - 1)
                }
            };
            let next = u32::try_from(urls.len()).unwrap_or(u32::MAX);
            let url = *known.entry((kind, &*turn.path)).or_insert(next);
            if url == next {
                let request = commons[kind].request(&[prefix, &turn.path].concat());
                urls.push(request.map_err(|refusal| asked.blame(turn, refusal))?);
                if asked.is_list() {
                    names.push(shown_bytes(&asked.name(turn)).into());
                }
            }
            turns.push(url);
        }
        Ok(Self { urls, names: names.into(), turns, shuffle: args.shuffle })
    }

    /// The first of the list.
    pub fn first(&self) -> &Request {
        &self.urls[0]
    }

    /// How many URLs there are.
    pub fn count(&self) -> usize {
        self.urls.len()
    }

    /// How many turns a pass has: the lines of the list.
    pub fn turns(&self) -> u64 {
        self.turns.len() as u64
    }

    /// Whether they come from a list.
    pub fn is_list(&self) -> bool {
        !self.names.is_empty()
    }

    /// Each URL's request, in the order of the list.
    pub fn iter(&self) -> std::slice::Iter<'_, Request> {
        self.urls.iter()
    }

    /// The URL of each turn of a pass, before it is shuffled.
    pub fn order(&self) -> &[u32] {
        &self.turns
    }

    /// The seed of the order (`--shuffle`).
    pub fn shuffle(&self) -> Option<u64> {
        self.shuffle
    }

    /// What people call each URL, on one line: `METHOD path`, and ` @file` if it has a body. Empty without a list.
    pub fn names(&self) -> &Arc<[Box<str>]> {
        &self.names
    }

    /// The URL whose turn it is with this ticket, of which the run's first is 0.
    pub fn url_of(&self, ticket: u64) -> u32 {
        let length = self.turns();
        if length <= 1 {
            return 0;
        }
        let (pass, place) = (ticket / length, ticket % length);
        let place = self.shuffle.map_or(place, |seed| shuffled(seed, pass, place, length));
        usize::try_from(place).ok().and_then(|place| self.turns.get(place)).copied().unwrap_or(0)
    }
}

impl<'a> IntoIterator for &'a Requests {
    type Item = &'a Request;
    type IntoIter = std::slice::Iter<'a, Request>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The request of a URL, by what [`Requests::url_of`] says.
///
/// # Panics
///
/// If there is no such URL.
impl Index<u32> for Requests {
    type Output = Request;

    fn index(&self, url: u32) -> &Request {
        &self.urls[url as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::plan;
    use proptest::prelude::*;

    /// Requests that take these turns.
    fn requests(turns: Vec<u32>, shuffle: Option<u64>) -> Requests {
        let one = plan("h/").unwrap().requests;
        let count = turns.iter().max().map_or(0, |last| *last as usize + 1);
        Requests {
            urls: vec![one.first().clone(); count],
            names: vec!["".into(); count].into(),
            turns,
            shuffle,
        }
    }

    #[test]
    fn without_a_seed_turns_are_in_the_order_of_the_list() {
        let requests = requests(vec![0, 1, 0, 2], None);
        let found: Vec<u32> = (0..9).map(|ticket| requests.url_of(ticket)).collect();
        assert_eq!(found, [0, 1, 0, 2, 0, 1, 0, 2, 0]);
        assert_eq!(requests.url_of(u64::MAX), 2);
    }

    #[test]
    fn one_request_is_asked_for_again_and_again() {
        let one = Requests::one(plan("h/").unwrap().requests.first().clone());
        assert_eq!([one.url_of(0), one.url_of(7), one.url_of(u64::MAX)], [0; 3]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn a_shuffled_pass_has_the_turns_of_the_list(seed: u64, turns in prop::collection::vec(0_u32..20, 2..60)) {
            let requests = requests(turns.clone(), Some(seed));
            let length = requests.turns();
            let pass = |pass: u64| -> Vec<u32> {
                (0..length).map(|place| requests.url_of(pass * length + place)).collect()
            };
            let mut listed = turns;
            listed.sort_unstable();
            for number in [0, 1, 1_000_000] {
                let mut found = pass(number);
                prop_assert_eq!(&found, &pass(number));
                found.sort_unstable();
                prop_assert_eq!(&found, &listed);
            }
        }
    }
}
