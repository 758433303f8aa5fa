//! A network of a run's own, with few local ports.

use super::needs;
use super::rab::{Done, Rab};

/// Runs a script in a network namespace of its own, where only so many local ports exist. `None` if that cannot be had.
pub(crate) fn with_ports(count: u16, script: &str) -> Option<Done> {
    if !needs::programs(&["unshare", "ip"]) {
        return None;
    }
    let last = 40_000 + count - 1;
    let prepare =
        "ip link set lo up && echo \"$0 $1\" > /proc/sys/net/ipv4/ip_local_port_range || exit 250\n";
    let script = prepare.to_owned() + script;
    let done = Rab::of("unshare", ["-rn", "sh", "-c", &script, "40000", &last.to_string()]).run();
    let refused = done.code() == 250 || done.stderr.contains("unshare");
    if refused && !needs::left_out("no network namespace with its own ports here") {
        return None;
    }
    Some(done)
}
