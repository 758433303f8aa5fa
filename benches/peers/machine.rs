//! Where and when it was measured, and with what.

use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;

use jiff::Zoned;

use crate::tool::Client;

/// Date, machine and versions, in one paragraph.
pub(crate) fn description(clients: &[Client], nginx: &Path) -> String {
    let versions = clients.iter().filter(|client| client.is_reference() || !client.name.starts_with("rab"));
    let versions: Vec<_> = versions.map(|client| format!("{} {}", client.name, client.version)).collect();
    format!(
        "{}; {} cores of {}, Linux {}; {}, nginx {} in one process on the same machine.",
        Zoned::now().date(),
        available_parallelism().map_or(1, NonZero::get),
        first_of("/proc/cpuinfo", "model name").unwrap_or_else(|| "an unknown processor".to_owned()),
        std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim(),
        versions.join(", "),
        nginx_version(nginx),
    )
}

/// The value of the first line with this name.
fn first_of(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn nginx_version(nginx: &Path) -> String {
    let output = Command::new(nginx).arg("-v").output().expect("nginx starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.trim().rsplit('/').next().unwrap_or_default().to_owned()
}
