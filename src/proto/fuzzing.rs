//! A way in for tests, benches and the fuzz target `response`: the response side alone, fed in pieces. It is no part of
//! the public interface, and the program does not use it.

use super::Break;
use super::head::Recent;
use super::response::{Progress, Response};

/// All that is known of a response in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Whether it is whole.
    pub result: Result<(), Break>,
    /// The final status.
    pub status: Option<u16>,
    /// Bytes of the document.
    pub document: u64,
    /// The server keeps the connection.
    pub persistent: bool,
    /// Whether the body that was held back was asked for.
    pub continued: bool,
    /// The `Server` field of the final head, as shown.
    pub server: Vec<u8>,
    /// Bytes behind the end.
    pub surplus: usize,
}

/// What a response comes to when its bytes arrive in pieces of these lengths, the rest in one, and then the peer
/// closes. With `skips`, bytes that may be skipped are.
pub fn outcome(bytes: &[u8], pieces: &[usize], to_head_request: bool, skips: bool) -> Outcome {
    let mut response = Response::new(to_head_request);
    let (mut recent, mut server) = (Recent::default(), Vec::new());
    let (mut rest, mut result) = (bytes, Ok(()));
    let mut lengths = pieces.iter().copied();
    let mut surplus = 0;
    while !rest.is_empty() {
        let most = lengths.next().unwrap_or(usize::MAX).min(rest.len());
        let skippable = usize::try_from(response.skippable()).unwrap_or(usize::MAX).min(most);
        let is_skipped = skips && skippable > 0;
        let (piece, after) = rest.split_at(if is_skipped { skippable } else { most });
        let progress = if is_skipped {
            Ok(response.skip(piece.len()))
        } else {
            response.feed(piece, &mut recent, &mut |head| server = head.server.to_vec())
        };
        rest = after;
        match progress {
            Ok(Progress::More) => {}
            Ok(Progress::Whole { surplus: behind }) => {
                surplus = behind + rest.len();
                break;
            }
            Err(broken) => {
                result = Err(broken);
                break;
            }
        }
    }
    Outcome {
        result: result.and_then(|()| response.close()),
        status: response.status(),
        document: response.document(),
        persistent: response.is_persistent(),
        continued: response.has_continued(),
        server,
        surplus,
    }
}
