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
use super::{Field, Request, Target, Version, http2, tunnel};
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
    /// What stands in front of each path in HTTP/2.
    origin: Option<http2::Origin>,
}

impl Common {
    /// Prepares requests of one method to the origin, and adds to `remarks` what `-H` may not have meant to do.
    /// `credentials` are those of the URL. Usage errors if hyper cannot send what was typed.
    pub(super) fn new(
        args: &Args,
        target: &Target,
        (method, body, credentials): (&str, Option<Bytes>, Option<&[u8]>),
        remarks: &mut Vec<String>,
    ) -> Result<Self, Refusal> {
        let version = args.version.unwrap_or_default();
        let engine = engine(args, version)?;
        let mut typed = typed_fields(args, body.is_some(), remarks);
        if version == Version::Http2 {
            http2::leave_out_forbidden(&mut typed, remarks);
        }
        if tunnel::is_needed(args, target) {
            typed.retain(|field| !tunnel::is_for_proxy(field));
        }
        if engine == Engine::Hyper {
            check_for_hyper(args, &typed)?;
        }
        let fields = fields(args, version, (target, credentials), body.as_deref(), typed);
        let for_hyper = match engine {
            Engine::Wire => None,
            Engine::Hyper => Some(Arc::new(for_hyper(method, version, &fields)?)),
        };
        let origin =
            if version == Version::Http2 { Some(http2::Origin::new(target, &fields)?) } else { None };
        Ok(Self {
            method: method.into(),
            version,
            expects_continue: expects_continue(version, &fields, body.as_deref()),
            rest_of_head: rest_of_head(version, &fields),
            for_hyper,
            origin,
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
                target: match &self.origin {
                    Some(origin) => origin.uri(target),
                    None => Uri::try_from(target).ok(),
                }
                .ok_or_else(|| refused_by_hyper("the hyper engine takes no such URL"))?,
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

/// What is to speak this version.
fn engine(args: &Args, version: Version) -> Result<Engine, Refusal> {
    match (args.engine, version) {
        (Some(Engine::Wire), Version::Http2) => Err(Refusal::usage("the wire engine speaks no HTTP/2")),
        (Some(engine), _) => Ok(engine),
        (None, Version::Http10) => Ok(Engine::Wire),
        (None, Version::Http11 | Version::Http2) => Ok(Engine::Hyper),
    }
}
