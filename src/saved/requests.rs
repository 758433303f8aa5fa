//! What a run asked for, as far as a file tells it.
//!
//! In come the requests of a plan, out go [`Requests`]: the first of them, how many there are, and one digest that says
//! whether two runs asked for the same in the same order. A list may have a million lines, so that no more of it is
//! here; what is known of its single URLs has its own place in a run.

use std::collections::HashMap;

use aws_lc_rs::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};

use super::count::bounded;
use super::{headers, text};
use crate::plan;

/// What was asked for, in turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    /// How many different requests there are, at least 1: the URLs of a list.
    #[serde(deserialize_with = "bounded")]
    pub urls: u64,
    /// How many turns a pass over them has: the lines of a list.
    #[serde(deserialize_with = "bounded")]
    pub turns: u64,
    /// The seed of their order; `None` for that of the list.
    #[serde(with = "seed")]
    pub shuffle: Option<u64>,
    /// How many of the URLs have a body.
    #[serde(deserialize_with = "bounded")]
    pub with_body: u64,
    /// A digest of all turns in their order, in which secrets have no part.
    pub sha256: String,
    /// The first one.
    pub first: Request,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The method.
    pub method: String,
    /// Path and query as typed.
    #[serde(with = "text")]
    pub path: Vec<u8>,
    /// The names of the header fields, as sent.
    pub header_names: Vec<String>,
    /// A digest of the header lines, in which secrets have no part.
    pub headers_sha256: String,
    /// The body, if there is one.
    pub body: Option<Body>,
}

/// A request's body, which is not kept itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Its length.
    #[serde(deserialize_with = "bounded")]
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: String,
}

impl Requests {
    /// Those of a plan, the first of which has this path.
    pub(super) fn new(requests: &plan::Requests, path: &[u8]) -> Self {
        let mut digests = Digests::default();
        Self {
            urls: requests.count() as u64,
            turns: requests.turns(),
            shuffle: requests.shuffle(),
            with_body: requests.iter().filter(|request| request.body.is_some()).count() as u64,
            sha256: digests.of_turns(requests),
            first: Request::new(requests.first(), path, &mut digests),
        }
    }
}

impl Request {
    fn new(request: &plan::Request, path: &[u8], digests: &mut Digests) -> Self {
        Self {
            method: request.method.as_ref().to_owned(),
            path: path.to_vec(),
            header_names: headers::names(&request.fields),
            headers_sha256: digests.of_headers(request).to_owned(),
            body: request
                .body
                .as_ref()
                .map(|body| Body { bytes: body.len() as u64, sha256: digests.of_body(body).to_owned() }),
        }
    }
}

/// Where something lies in memory: what many requests share is looked at once.
type Place<T> = (*const T, usize);

/// The digests of header lines and bodies.
#[derive(Default)]
struct Digests {
    headers: HashMap<Place<plan::Field>, String>,
    bodies: HashMap<Place<u8>, String>,
}

impl Digests {
    fn of_headers(&mut self, request: &plan::Request) -> &str {
        let fields = &request.fields;
        self.headers.entry((fields.as_ptr(), fields.len())).or_insert_with(|| headers::sha256(fields))
    }

    fn of_body(&mut self, body: &[u8]) -> &str {
        self.bodies.entry((body.as_ptr(), body.len())).or_insert_with(|| headers::body_sha256(body))
    }

    /// SHA-256 over all turns, in hexadecimal digits, each as method, blank, target, line feed, digest of the header lines,
    /// line feed, digest of the body or nothing, line feed.
    fn of_turns(&mut self, requests: &plan::Requests) -> String {
        let mut all = Context::new(&SHA256);
        for &url in requests.order() {
            let request = &requests[url];
            for part in [request.method.as_bytes(), b" ", request.target(), b"\n"] {
                all.update(part);
            }
            all.update(self.of_headers(request).as_bytes());
            all.update(b"\n");
            all.update(request.body.as_ref().map_or("", |body| self.of_body(body)).as_bytes());
            all.update(b"\n");
        }
        headers::hexadecimal(&all.finish())
    }
}

/// A number that may need all of 64 bits, which not every reader of JSON has: in decimal digits.
mod seed {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(seed: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        seed.map(|seed| seed.to_string()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        let number =
            |text: String| text.parse().map_err(|_| D::Error::custom(format!("`{text}` is no seed")));
        text.map(number).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Requests as Planned;
    use crate::summary::fixture;

    fn of(requests: &Planned) -> Requests {
        Requests::new(requests, b"/doc")
    }

    #[test]
    fn the_digest_is_what_sha256sum_says() {
        let plan = fixture::plan();
        let told = of(&plan.requests);
        let lines = format!("GET /doc\n{}\n\n", headers::body_sha256(b""));
        assert_eq!((told.urls, told.turns, told.with_body), (1, 1, 0));
        assert_eq!(told.sha256, headers::body_sha256(lines.as_bytes()));
    }

    #[test]
    fn the_digest_tells_method_target_fields_and_body_apart() {
        let with = |change: fn(&mut plan::Request)| {
            let mut plan = fixture::plan();
            fixture::change_request(&mut plan, change);
            of(&plan.requests)
        };
        let all = [
            with(|_| ()),
            with(|request| request.method = "PUT".into()),
            with(|request| request.head = b"GET /other HTTP/1.0\r\n\r\n".as_slice().into()),
            with(|request| request.fields = [plan::Field { line: b"A: b".to_vec() }].into()),
            with(|request| request.body = Some(bytes::Bytes::new())),
            with(|request| request.body = Some(b"x".as_slice().into())),
        ];
        for (number, one) in all.iter().enumerate() {
            assert!(all[..number].iter().all(|other| other.sha256 != one.sha256), "{number}");
        }
        assert_eq!(with(|request| request.version = plan::Version::Http11).sha256, all[0].sha256);
        assert_eq!((all[0].with_body, all[5].with_body), (0, 1));
    }
}
