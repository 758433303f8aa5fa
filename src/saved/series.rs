//! A run by the second, as it stands in a file. What is 0 or empty is left out, since most of a good run's slots is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::times::bytes;
use crate::record::{Buckets, Failures, Series, Slot};

/// See [`Series`].
#[derive(Serialize, Deserialize)]
pub(super) struct SavedSeries {
    slot_us: Count,
    slots: Vec<SavedSlot>,
}

/// See [`Slot`].
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct SavedSlot {
    #[serde(skip_serializing_if = "is_default")]
    statuses: SavedStatuses,
    #[serde(skip_serializing_if = "is_default")]
    failures: SavedFailures,
    #[serde(skip_serializing_if = "is_default")]
    received_bytes: Count,
    #[serde(skip_serializing_if = "is_default")]
    connection_seconds: Count,
    /// V2 with DEFLATE, in base64.
    #[serde(skip_serializing_if = "String::is_empty")]
    times_2xx: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    times_other: String,
}

/// Complete requests of a slot by the class of their status.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SavedStatuses {
    #[serde(skip_serializing_if = "is_default")]
    none: Count,
    #[serde(rename = "1xx", skip_serializing_if = "is_default")]
    informational: Count,
    #[serde(rename = "2xx", skip_serializing_if = "is_default")]
    successful: Count,
    #[serde(rename = "3xx", skip_serializing_if = "is_default")]
    redirection: Count,
    #[serde(rename = "4xx", skip_serializing_if = "is_default")]
    client_error: Count,
    #[serde(rename = "5xx", skip_serializing_if = "is_default")]
    server_error: Count,
}

/// See [`Failures`].
#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedFailures {
    connect: Count,
    receive: Count,
    length: Count,
    exceptions: Count,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl From<Failures> for SavedFailures {
    fn from(failures: Failures) -> Self {
        let Failures { connect, receive, length, exceptions } = failures;
        Self {
            connect: Count(connect),
            receive: Count(receive),
            length: Count(length),
            exceptions: Count(exceptions),
        }
    }
}

impl From<SavedFailures> for Failures {
    fn from(saved: SavedFailures) -> Self {
        let SavedFailures { connect, receive, length, exceptions } = saved;
        Self { connect: connect.0, receive: receive.0, length: length.0, exceptions: exceptions.0 }
    }
}

impl From<[u64; 6]> for SavedStatuses {
    fn from(statuses: [u64; 6]) -> Self {
        let [none, informational, successful, redirection, client_error, server_error] = statuses.map(Count);
        Self { none, informational, successful, redirection, client_error, server_error }
    }
}

impl From<SavedStatuses> for [u64; 6] {
    fn from(saved: SavedStatuses) -> Self {
        let SavedStatuses { none, informational, successful, redirection, client_error, server_error } =
            saved;
        [none, informational, successful, redirection, client_error, server_error].map(|count| count.0)
    }
}

impl From<&Series> for SavedSeries {
    fn from(series: &Series) -> Self {
        let slots = series.slots().iter().map(SavedSlot::from).collect();
        Self { slot_us: Count(series.width()), slots }
    }
}

impl From<&Slot> for SavedSlot {
    fn from(slot: &Slot) -> Self {
        let encoded = |times: &Buckets| {
            if times.count() == 0 { String::new() } else { BASE64.encode(times.encoded()) }
        };
        Self {
            statuses: slot.statuses.into(),
            failures: slot.failures.into(),
            received_bytes: Count(slot.received),
            connection_seconds: Count(slot.connection_seconds),
            times_2xx: encoded(&slot.times_2xx),
            times_other: encoded(&slot.times_other),
        }
    }
}

impl SavedSeries {
    pub(super) fn restore(self) -> Result<Series, String> {
        let slots: Result<Vec<Slot>, String> = self.slots.into_iter().map(SavedSlot::restore).collect();
        Series::restore(self.slot_us.0, slots?).map_err(|corrupt| corrupt.to_string())
    }
}

impl SavedSlot {
    fn restore(self) -> Result<Slot, String> {
        let times = |text: &str| {
            if text.is_empty() {
                return Ok(Buckets::default());
            }
            Buckets::restore(&bytes(text)?).map_err(|corrupt| format!("the histogram of a slot: {corrupt}"))
        };
        Ok(Slot {
            statuses: self.statuses.into(),
            failures: self.failures.into(),
            received: self.received_bytes.0,
            connection_seconds: self.connection_seconds.0,
            times_2xx: times(&self.times_2xx)?,
            times_other: times(&self.times_other)?,
        })
    }
}
