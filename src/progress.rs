//! What is said while a benchmark goes on, in ab's words: its beginning, its progress, its end, and what `-v` shows.
//!
//! ab says part of this on standard output, around the report, and scripts count its lines; progress itself goes to
//! standard error.

use std::sync::Arc;

use jiff::Timestamp;

use crate::plan::Plan;
use crate::report::{closing, opening};
use crate::run::{Ending, Fatal, Handshake, HandshakeError, Observer, TunnelError};
use crate::sink::Console;

/// From this level on, every status is shown, and not only those that are no success.
const SHOWS_STATUSES: u32 = 3;

/// Says on a console what happens.
pub struct Progress {
    console: Arc<Console>,
    plan: Arc<Plan>,
}

impl Progress {
    /// Says how this plan fares.
    pub fn new(console: Arc<Console>, plan: Arc<Plan>) -> Self {
        Self { console, plan }
    }

    /// Before anything is sent: who speaks, and what is benchmarked. With `-v 2`, the head of the request, or of the first
    /// of many.
    pub fn begin(&self) {
        let plan = &self.plan;
        let through = plan.network.proxy().map(ToString::to_string);
        self.console.out(opening(&plan.output, &plan.target.host, through.as_deref(), self.counts()));
        if plan.output.shows_heads() {
            let request = plan.requests.first();
            let beginning = format!("INFO: {} header == \n---\n", request.method);
            self.console.out([beginning.as_bytes(), &request.head, b"\n---\n"].concat());
        }
    }

    /// After a run: how it ended, as far as ab says so on standard error.
    pub fn ended(&self, ending: &Ending, complete: u64) {
        match ending {
            Ending::Complete | Ending::TimeLimit if self.counts() => {
                self.console.err(format!("Finished {complete} requests\n"));
            }
            Ending::Complete | Ending::TimeLimit | Ending::Interrupted(_) => {}
            Ending::Failed(fatal) => self.console.err(format!("{fatal}\n")),
        }
    }

    /// Before the report of a run: how it ended, as far as ab says so on standard output.
    pub fn closed(&self, ending: &Ending, complete: u64) {
        self.console.out(closing(&self.plan.output, ending, complete, self.counts()));
    }

    /// Whether the run is long enough, and may, be counted.
    fn counts(&self) -> bool {
        self.plan.progress_interval().is_some()
    }
}

impl Observer for Progress {
    fn progress(&self, complete: u64) {
        self.console.err(format!("Completed {complete} requests\n"));
    }

    fn head_received(&self, so_far: &[u8]) {
        self.console.out([b"LOG: header received:\n", so_far, b"\n"].concat());
    }

    fn status(&self, status: u16) {
        if status / 100 != 2 {
            self.console.out(format!("WARNING: Response code not 2xx ({status})\n"));
        } else if self.plan.output.verbosity >= SHOWS_STATUSES {
            self.console.out(format!("LOG: Response code = {status}\n"));
        }
    }

    fn handshake_done(&self, handshake: &Handshake) {
        if let Some(certificate) = &handshake.certificate {
            self.console.out(format!(
                "Peer certificate\nCertificate version: {}\nValid from: {}\nValid to  : {}\nPublic key is {} bits\n\
                 The issuer name is {}\nThe subject name is {}\nExtension Count: {}\n",
                certificate.version,
                date(certificate.valid_from),
                date(certificate.valid_to),
                certificate.key_bits,
                certificate.issuer,
                certificate.subject,
                certificate.extensions,
            ));
        }
        let (version, suite) = (handshake.version, handshake.suite);
        self.console.err(format!(
            "\nTransport Protocol      :{version}\nCipher Suite Protocol   :{version}\n\
             Cipher Suite Name       :{}\nCipher Suite Cipher Bits:{bits} ({bits})\n",
            suite.name,
            bits = suite.bits,
        ));
    }

    fn handshake_failed(&self, error: &HandshakeError) {
        self.console.err(format!("{error}\n"));
    }

    fn tunnel_failed(&self, error: &TunnelError) {
        self.console.err(format!("{error}\n"));
    }

    fn receive_error(&self, error: &Fatal) {
        self.console.err(format!("{error}\n"));
    }
}

/// A date as OpenSSL writes it; empty for one that no calendar has.
fn date(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds);
    time.map(|time| time.strftime("%b %e %H:%M:%S %Y GMT").to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_written_as_openssl_does() {
        assert_eq!(date(1_796_064_688), "Nov 30 18:51:28 2026 GMT");
        assert_eq!(date(1_577_923_200), "Jan  2 00:00:00 2020 GMT");
        assert_eq!(date(i64::MAX), "");
    }
}
