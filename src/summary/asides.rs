//! What only the hints of a run that has just ended are about.

use jiff::Timestamp;

use super::token;
use crate::plan::{Plan, Request};

/// What hints need of the plan and no file holds, since it may quote what is secret.
#[derive(Debug, Clone, Default)]
pub struct Asides {
    pub(super) plain_text_body: bool,
    pub(super) token_expiry: Option<Timestamp>,
    pub(super) remarks: Vec<String>,
}

impl Asides {
    /// Those of a plan. A run from a file has none.
    pub fn of(plan: &Plan) -> Self {
        Self {
            plain_text_body: plan.requests.iter().any(has_plain_text_body),
            token_expiry: token::bearer_expiry(&plan.requests.first().fields),
            remarks: plan.remarks.clone(),
        }
    }
}

/// Whether there is a body and its type is the one that `-p` and `-u` have without `-T`.
fn has_plain_text_body(request: &Request) -> bool {
    let is_plain = |line: &[u8]| line.eq_ignore_ascii_case(b"Content-type: text/plain");
    request.body.is_some() && request.fields.iter().any(|field| is_plain(&field.line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Field;
    use crate::summary::fixture;

    #[test]
    fn only_abs_default_type_counts_as_plain_text() {
        let mut request = fixture::plan().requests.first().clone();
        request.fields = [Field { line: b"Content-type: text/plain".to_vec() }].into();
        assert!(!has_plain_text_body(&request));
        request.body = Some(bytes::Bytes::from_static(b"{}"));
        assert!(has_plain_text_body(&request));
        request.fields = [Field { line: b"Content-type: application/json".to_vec() }].into();
        assert!(!has_plain_text_body(&request));
    }
}
