//! The request as hyper takes it: the prepared head, and a body in one piece.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::StatusCode;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep};

use super::super::CONTINUE_WITHIN;
use crate::plan::{ForHyper, Request};

/// A request body.
pub(super) struct Outgoing {
    bytes: Option<Bytes>,
    leave: Leave,
}

/// Whether the body may go out.
enum Leave {
    Granted,
    /// It waits for the server's `100 Continue`, or until it has waited long enough.
    Awaited {
        asked_for: oneshot::Receiver<()>,
        timer: Pin<Box<Sleep>>,
    },
    /// The server has answered without asking for it.
    Refused,
}

impl Outgoing {
    /// The request as it was prepared for hyper, which every one is that comes here.
    pub(super) fn message(request: &Request) -> hyper::Request<Self> {
        let head = request.for_hyper.as_ref().map(ForHyper::message).unwrap_or_default();
        let bytes = request.body.clone().filter(|bytes| !bytes.is_empty());
        if !request.expects_continue {
            return head.map(|()| Self { bytes, leave: Leave::Granted });
        }
        let (ask, asked_for) = oneshot::channel();
        let leave = Leave::Awaited { asked_for, timer: Box::pin(sleep(CONTINUE_WITHIN)) };
        let mut message = head.map(|()| Self { bytes, leave });
        // The callback may come more than once, and from anywhere as far as its type says. It goes with the final
        // response, which tells the body that nobody will ask for it any more.
        let ask = Arc::new(Mutex::new(Some(ask)));
        hyper::ext::on_informational(&mut message, move |interim| {
            if interim.status() == StatusCode::CONTINUE
                && let Some(ask) = ask.lock().ok().and_then(|mut ask| ask.take())
            {
                let _ = ask.send(());
            }
        });
        message
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Leave::Awaited { asked_for, timer } = &mut self.leave {
            self.leave = match Pin::new(asked_for).poll(cx) {
                Poll::Ready(Ok(())) => Leave::Granted,
                Poll::Ready(Err(_)) => Leave::Refused,
                Poll::Pending if timer.as_mut().poll(cx).is_ready() => Leave::Granted,
                Poll::Pending => return Poll::Pending,
            };
        }
        match self.leave {
            Leave::Granted => Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Leave::Awaited { .. } | Leave::Refused => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, Bytes::len) as u64)
    }
}
