//! Why the run ended, where that is not plain from ab's message.

use rustix::io::Errno;

use super::counted;
use crate::summary::{Ending, FILES_OF_A_WORKER, Fatal, SchemeDoubt, SocketCall, Summary, seconds};

/// Descriptors that are open besides those of connections and workers: standard streams, files.
const SPARE_FILES: u64 = 32;

/// The call that the system refused and the error, if that ended the run.
pub(super) fn refused(summary: &Summary) -> Option<(SocketCall, Errno)> {
    match summary.circumstances.ending {
        Ending::Failed(Fatal::Socket { call, errno }) => Some((call, Errno::from_raw_os_error(errno))),
        _ => None,
    }
}

/// A script that reads standard output must not take a broken run for a whole one, so the report is not there.
pub(super) fn unreported(summary: &Summary) -> Option<String> {
    let circumstances = &summary.circumstances;
    let is_hidden = matches!(circumstances.ending, Ending::Failed(_)) && !circumstances.partial;
    (is_hidden && summary.complete > 0).then(|| {
        format!(
            "with --partial the report on the {} before the error goes to standard output",
            counted(summary.complete, "request")
        )
    })
}

/// An older file is worth more than one with nothing in it.
pub(super) fn unsaved(summary: &Summary) -> Option<String> {
    (summary.circumstances.saves && summary.complete == 0)
        .then(|| "nothing was complete, so the file of --save stays as it was".to_owned())
}

/// As in ab, the first reset ends a run without `-r`.
pub(super) fn reset(summary: &Summary) -> Option<String> {
    let is_reset = refused(summary) == Some((SocketCall::Receive, Errno::CONNRESET));
    (is_reset && !summary.circumstances.tolerate).then(|| {
        "the server reset a connection, which ends the run as in ab; with -r it fails that one request and the run \
         goes on"
            .to_owned()
    })
}

/// Nothing is measured then, since nothing could be compared with it.
pub(super) fn not_http2(summary: &Summary) -> Option<String> {
    let is_it = matches!(summary.circumstances.ending, Ending::Failed(Fatal::NotHttp2(_)));
    is_it.then(|| {
        "without --http2 HTTP/1.0 is spoken, as by ab, and with --http1.1 HTTP/1.1; many servers speak HTTP/2 over TLS \
         only"
            .to_owned()
    })
}

/// Each closed connection holds its local port for a minute.
pub(super) fn ports_used_up(summary: &Summary) -> Option<String> {
    match refused(summary)? {
        (SocketCall::Connect, Errno::ADDRNOTAVAIL | Errno::ADDRINUSE)
        | (SocketCall::Bind, Errno::ADDRINUSE) => Some(
            "all local ports are used up by connections that were closed a short while ago; use connections \
                 again with -k, or spread them over several local addresses with -B, given once for each"
                .to_owned(),
        ),
        _ => None,
    }
}

/// rab raises the soft limit by itself, so the hard one is in the way.
pub(super) fn too_many_files(summary: &Summary) -> Option<String> {
    let (_, errno) = refused(summary)?;
    let client = &summary.circumstances.client;
    (errno == Errno::MFILE).then(|| {
        format!(
            "-c {} needs about {} open files, above the hard limit that `ulimit -Hn` shows; raise that limit, or \
             lower -c",
            client.connections,
            client.connections + client.workers * FILES_OF_A_WORKER as u64 + SPARE_FILES
        )
    })
}

/// `-s` is a time of silence, not of the whole request.
pub(super) fn silence(summary: &Summary) -> Option<String> {
    let circumstances = &summary.circumstances;
    (circumstances.ending == Ending::Failed(Fatal::Timeout)).then(|| {
        let never = "; no TLS handshake came to its end, so the server may speak plain HTTP on this port";
        format!(
            "no byte came or went on a connection for {} s, the time that -s sets; with -r that fails one request \
             and the run goes on{}",
            circumstances.silence.as_secs_f64(),
            if circumstances.scheme_doubt == Some(SchemeDoubt::NeverSecured) { never } else { "" }
        )
    })
}

/// `-t` brings a cap on the requests along, 50,000 unless `-n` follows it.
pub(super) fn cap_before_clock(summary: &Summary) -> Option<String> {
    let circumstances = &summary.circumstances;
    let limit = circumstances.time_limit.filter(|_| circumstances.ending == Ending::Complete)?;
    Some(format!(
        "the run ended after {} in {:.1} s, before the {} s of -t; -t allows 50000 unless a -n after it names another \
         number",
        counted(circumstances.requests?, "request"),
        seconds(summary.elapsed),
        limit.as_secs_f64()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::fixture;
    use std::time::Duration;

    fn ended_by(call: SocketCall, errno: Errno) -> Summary {
        let mut summary = fixture::staging();
        summary.circumstances.ending = Ending::Failed(Fatal::Socket { call, errno: errno.raw_os_error() });
        summary
    }

    #[test]
    fn a_reset_names_r_unless_it_is_given() {
        let mut summary = ended_by(SocketCall::Receive, Errno::CONNRESET);
        assert!(reset(&summary).unwrap().contains("with -r"));
        summary.circumstances.tolerate = true;
        assert_eq!(reset(&summary), None);
        assert_eq!(reset(&ended_by(SocketCall::Receive, Errno::CONNREFUSED)), None);
    }

    #[test]
    fn a_report_that_an_error_keeps_back_is_named_unless_it_is_shown() {
        let mut summary = ended_by(SocketCall::Receive, Errno::CONNRESET);
        assert!(unreported(&summary).unwrap().contains("--partial"));
        summary.circumstances.partial = true;
        assert_eq!(unreported(&summary), None);
        assert_eq!(unreported(&fixture::staging()), None);
    }

    #[test]
    fn a_run_that_is_not_saved_is_named() {
        let mut summary = fixture::staging();
        summary.circumstances.saves = true;
        assert_eq!(unsaved(&summary), None);
        summary.complete = 0;
        assert!(unsaved(&summary).unwrap().contains("--save"));
        summary.circumstances.saves = false;
        assert_eq!(unsaved(&summary), None);
    }

    #[test]
    fn used_up_ports_name_k_and_b() {
        let hint = ports_used_up(&ended_by(SocketCall::Connect, Errno::ADDRNOTAVAIL)).unwrap();
        assert!(hint.contains("-k") && hint.contains("-B"));
        // An address that is not this machine's is another matter.
        assert_eq!(ports_used_up(&ended_by(SocketCall::Bind, Errno::ADDRNOTAVAIL)), None);
    }

    #[test]
    fn missing_files_are_counted() {
        let mut summary = ended_by(SocketCall::Socket, Errno::MFILE);
        let client = &mut summary.circumstances.client;
        (client.connections, client.workers) = (10, 2);
        let hint = too_many_files(&summary).unwrap();
        assert!(hint.starts_with("-c 10 needs about 50 open files") && hint.contains("ulimit -Hn"));
    }

    #[test]
    fn silence_names_its_seconds() {
        let mut summary = fixture::staging();
        summary.circumstances.ending = Ending::Failed(Fatal::Timeout);
        assert!(silence(&summary).unwrap().contains("for 30 s, the time that -s sets; with -r"));
        assert!(!silence(&summary).unwrap().contains("TLS"));
        summary.circumstances.scheme_doubt = Some(SchemeDoubt::NeverSecured);
        assert!(silence(&summary).unwrap().contains("no TLS handshake"));
    }

    #[test]
    fn a_cap_that_came_before_the_clock_is_named() {
        let mut summary = fixture::staging();
        assert_eq!(cap_before_clock(&summary), None);
        summary.circumstances.time_limit = Some(Duration::from_secs(20));
        summary.circumstances.requests = Some(50_000);
        let hint = cap_before_clock(&summary).unwrap();
        assert!(
            hint.starts_with("the run ended after 50000 requests in 3.4 s, before the 20 s of -t"),
            "{hint}"
        );
        summary.circumstances.ending = Ending::TimeLimit;
        assert_eq!(cap_before_clock(&summary), None);
    }
}
