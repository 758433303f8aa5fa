//! A version of HTTP as the request line has it, or would. For the `with` of serde.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::plan::Version;

const ALL: [Version; 3] = [Version::Http10, Version::Http11, Version::Http2];

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
pub(super) fn serialize<S: Serializer>(version: &Version, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(version.as_str())
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Version, D::Error> {
    named(&String::deserialize(deserializer)?)
}

fn named<E: serde::de::Error>(text: &str) -> Result<Version, E> {
    let found = ALL.into_iter().find(|version| version.as_str() == text);
    found.ok_or_else(|| E::custom(format!("this rab knows no version of HTTP named `{text}`")))
}

/// The same for one that may be missing.
pub(super) mod option {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Version, named};

    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(in super::super) fn serialize<S: Serializer>(
        version: &Option<Version>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        version.map(Version::as_str).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Version>, D::Error> {
        Option::<String>::deserialize(deserializer)?.map(|text| named(&text)).transpose()
    }
}
