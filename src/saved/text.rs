//! Bytes that are mostly text: a string in JSON if they are UTF-8, otherwise `{"base64": "..."}`, so that nothing is
//! lost. For the `with` of serde.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Bytes { base64: String },
}

pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let form = match std::str::from_utf8(bytes) {
        Ok(text) => Form::Text(text.to_owned()),
        Err(_) => Form::Bytes { base64: BASE64.encode(bytes) },
    };
    form.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    match Form::deserialize(deserializer)? {
        Form::Text(text) => Ok(text.into_bytes()),
        Form::Bytes { base64 } => BASE64.decode(base64).map_err(D::Error::custom),
    }
}
