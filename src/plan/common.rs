//! What many requests have in common, so that it is made, and kept, once.
//!
//! In come the arguments, the server, and a method, a body and credentials; out goes a [`Common`], and from that, with a
//! target, each [`Request`].

use std::sync::Arc;

use bytes::Bytes;
use hyper::Uri;

use super::prepare::{
    check_for_hyper, expects_continue, fields, for_hyper, refused_by_hyper, rest_of_head, typed_fields,
};
use super::request::ForHyper;
use super::{Field, Request, Target, Version};
use crate::args::{Args, Engine, Refusal};

/// What requests have in common that differ in their target alone.
pub(super) struct Common {
    method: Arc<str>,
    version: Version,
    fields: Arc<[Field]>,
    body: Option<Bytes>,
    expects_continue: bool,
    /// What follows the target in the head.
    rest_of_head: Vec<u8>,
    /// For the hyper engine, if that is to send.
    for_hyper: Option<Arc<hyper::Request<()>>>,
}

impl Common {
    /// Prepares requests of one method to the origin, and adds to `remarks` what `-H` may not have meant to do.
    /// `credentials` are those of the URL. Usage errors if hyper cannot send what was typed.
    pub(super) fn new(
        args: &Args,
        origin: &Target,
        (method, body, credentials): (&str, Option<Bytes>, Option<&[u8]>),
        remarks: &mut Vec<String>,
    ) -> Result<Self, Refusal> {
        let engine = args.engine.unwrap_or(match args.version {
            Version::Http10 => Engine::Wire,
            Version::Http11 => Engine::Hyper,
        });
        let typed = typed_fields(args, body.is_some(), remarks);
        if engine == Engine::Hyper {
            check_for_hyper(args, &typed)?;
        }
        let fields = fields(args, origin, credentials, body.as_deref(), typed);
        let for_hyper = match engine {
            Engine::Wire => None,
            Engine::Hyper => Some(for_hyper(method, args.version, &fields).map_err(|error| {
                Refusal::usage(format!("the hyper engine does not take this request: {error}"))
            })?),
        };
        Ok(Self {
            method: method.into(),
            version: args.version,
            expects_continue: expects_continue(args.version, &fields, body.as_deref()),
            rest_of_head: rest_of_head(args.version, &fields),
            for_hyper: for_hyper.map(Arc::new),
            fields: fields.into(),
            body,
        })
    }

    /// The request for this target, as it stands in the request line. A usage error if hyper takes no such target.
    pub(super) fn request(&self, target: &[u8]) -> Result<Request, Refusal> {
        let for_hyper = match &self.for_hyper {
            None => None,
            Some(common) => Some(ForHyper {
                common: Arc::clone(common),
                target: Uri::try_from(target)
                    .map_err(|_| refused_by_hyper("the hyper engine takes no such URL"))?,
            }),
        };
        Ok(Request {
            method: Arc::clone(&self.method),
            version: self.version,
            fields: Arc::clone(&self.fields),
            body: self.body.clone(),
            head: [self.method.as_bytes(), b" ", target, &self.rest_of_head].concat().into(),
            for_hyper,
            expects_continue: self.expects_continue,
        })
    }
}
