//! Why a run ended, as it stands in a file.

use serde::{Deserialize, Serialize};

use crate::run::{Ending, Fatal, Signal, SocketCall};

/// See [`Ending`].
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum SavedEnding {
    Complete,
    TimeLimit,
    Interrupted {
        signal: SavedSignal,
    },
    Failed {
        /// For people; not read back.
        #[serde(skip_deserializing)]
        message: String,
        error: SavedError,
    },
}

/// See [`Signal`].
#[derive(Serialize, Deserialize)]
pub(super) enum SavedSignal {
    #[serde(rename = "SIGINT")]
    Interrupt,
    #[serde(rename = "SIGTERM")]
    Terminate,
}

/// See [`Fatal`].
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum SavedError {
    Lookup {
        name: String,
        code: i32,
        text: String,
    },
    Tls {
        why: String,
    },
    Socket {
        call: SavedCall,
        errno: i32,
    },
    #[serde(rename = "not_http2")]
    NotHttp2 {
        how: String,
    },
    Timeout,
    TooManyFailures,
}

/// See [`SocketCall`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SavedCall {
    Socket,
    Bind,
    Connect,
    Receive,
}

impl From<&Ending> for SavedEnding {
    fn from(ending: &Ending) -> Self {
        match ending {
            Ending::Complete => Self::Complete,
            Ending::TimeLimit => Self::TimeLimit,
            Ending::Interrupted(Signal::Interrupt) => Self::Interrupted { signal: SavedSignal::Interrupt },
            Ending::Interrupted(Signal::Terminate) => Self::Interrupted { signal: SavedSignal::Terminate },
            Ending::Failed(fatal) => {
                Self::Failed { message: fatal.to_string().trim().to_owned(), error: fatal.into() }
            }
        }
    }
}

impl From<SavedEnding> for Ending {
    fn from(saved: SavedEnding) -> Self {
        match saved {
            SavedEnding::Complete => Self::Complete,
            SavedEnding::TimeLimit => Self::TimeLimit,
            SavedEnding::Interrupted { signal: SavedSignal::Interrupt } => {
                Self::Interrupted(Signal::Interrupt)
            }
            SavedEnding::Interrupted { signal: SavedSignal::Terminate } => {
                Self::Interrupted(Signal::Terminate)
            }
            SavedEnding::Failed { error, .. } => Self::Failed(error.into()),
        }
    }
}

impl From<&Fatal> for SavedError {
    fn from(fatal: &Fatal) -> Self {
        match fatal.clone() {
            Fatal::Lookup { name, code, text } => Self::Lookup { name, code, text },
            Fatal::Tls(why) => Self::Tls { why },
            Fatal::Socket { call, errno } => Self::Socket { call: call.into(), errno },
            Fatal::NotHttp2(how) => Self::NotHttp2 { how: how.into_owned() },
            Fatal::Timeout => Self::Timeout,
            Fatal::TooManyFailures => Self::TooManyFailures,
        }
    }
}

impl From<SavedError> for Fatal {
    fn from(saved: SavedError) -> Self {
        match saved {
            SavedError::Lookup { name, code, text } => Self::Lookup { name, code, text },
            SavedError::Tls { why } => Self::Tls(why),
            SavedError::Socket { call, errno } => Self::Socket { call: call.into(), errno },
            SavedError::NotHttp2 { how } => Self::NotHttp2(how.into()),
            SavedError::Timeout => Self::Timeout,
            SavedError::TooManyFailures => Self::TooManyFailures,
        }
    }
}

impl From<SocketCall> for SavedCall {
    fn from(call: SocketCall) -> Self {
        match call {
            SocketCall::Socket => Self::Socket,
            SocketCall::Bind => Self::Bind,
            SocketCall::Connect => Self::Connect,
            SocketCall::Receive => Self::Receive,
        }
    }
}

impl From<SavedCall> for SocketCall {
    fn from(saved: SavedCall) -> Self {
        match saved {
            SavedCall::Socket => Self::Socket,
            SavedCall::Bind => Self::Bind,
            SavedCall::Connect => Self::Connect,
            SavedCall::Receive => Self::Receive,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_comes_back() {
        let socket = |call| Fatal::Socket { call, errno: 104 };
        let failed = [
            Fatal::Lookup { name: "x.invalid".into(), code: 2, text: "unknown".into() },
            Fatal::Tls("why".into()),
            socket(SocketCall::Socket),
            socket(SocketCall::Bind),
            socket(SocketCall::Connect),
            socket(SocketCall::Receive),
            Fatal::NotHttp2("it answered in something else".into()),
            Fatal::Timeout,
            Fatal::TooManyFailures,
        ];
        let endings = [
            Ending::Complete,
            Ending::TimeLimit,
            Ending::Interrupted(Signal::Interrupt),
            Ending::Interrupted(Signal::Terminate),
        ];
        for ending in endings.into_iter().chain(failed.into_iter().map(Ending::Failed)) {
            let json = serde_json::to_string(&SavedEnding::from(&ending)).unwrap();
            let saved: SavedEnding = serde_json::from_str(&json).unwrap();
            assert_eq!(Ending::from(saved), ending, "{json}");
        }
    }
}
