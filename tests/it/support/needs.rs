//! Programs and abilities of the system that some tests need and a developer's machine may lack.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// Set to `1` where everything is installed: then a test that would be left out fails instead.
const REQUIRE_ALL: &str = "RAB_TEST_REQUIRE_ALL";

/// Whether all of these programs are there. If not, says so, and the test should return.
pub(crate) fn programs(names: &[&str]) -> bool {
    let missing: Vec<&str> = names.iter().copied().filter(|name| !is_installed(name)).collect();
    missing.is_empty() || left_out(&format!("not installed: {}", missing.join(", ")))
}

/// Says why a test is left out; always false, for use as the value of a condition that does not hold.
///
/// # Panics
///
/// When `RAB_TEST_REQUIRE_ALL=1` says that nothing may be left out.
pub(crate) fn left_out(why: &str) -> bool {
    assert!(std::env::var_os(REQUIRE_ALL).is_none_or(|value| value != "1"), "cannot run: {why}");
    eprintln!("left out: {why}");
    false
}

/// A Python that has this module: that of `target/python`, or else the system's.
pub(crate) fn python_module(name: &str) -> Option<OsString> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python/bin/python3");
    let has = |python: &OsString| {
        let asked =
            Command::new(python).args(["-c", &format!("import {name}")]).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    let found = [own.into(), OsString::from("python3")].into_iter().find(has);
    found.or_else(|| {
        left_out(&format!("no Python with the module {name}; CONTRIBUTING.md says where it is looked for"));
        None
    })
}

/// Whether the system has the IPv6 loopback address.
pub(crate) fn ipv6_loopback() -> bool {
    std::net::TcpListener::bind("[::1]:0").is_ok() || left_out("there is no ::1 here")
}

fn is_installed(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Servers are often outside an ordinary user's PATH.
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .any(|folder| folder.join(name).is_file())
}
