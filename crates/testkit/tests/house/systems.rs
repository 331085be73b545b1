//! Operating systems differ in one crate, `system`: others ask it, and run on all of them.

use super::{code, files, root};
use std::fs;

/// Words by which code asks which system it is on, or calls one directly.
const OF_A_SYSTEM: [&str; 13] = [
    "std::os::",
    "os::unix",
    "os::windows",
    "os::fd",
    "libc::",
    "rustix::",
    "nix::",
    "windows_sys::",
    "cfg(unix",
    "cfg(windows",
    "target_os",
    "target_family",
    "signal::unix",
];
/// Files of a system that others do not have.
const OF_LINUX: [&str; 2] = ["\"/proc/", "\"/dev/"];
/// Crates that call a system directly.
const CALLS: [&str; 8] =
    ["libc", "rustix", "nix", "windows-sys", "winapi-util", "process-wrap", "win32job", "cpu-time"];
/// Other places, with their reasons.
const ELSEWHERE: [&str; 3] = [
    // git knows this name for nothing on every system.
    "crates/builds/src/revision.rs",
    // A disk that is full, for tests.
    "crates/dataset/src/data/sink.rs",
    // SIGTERM reaches the server through tokio, which has it on Unix alone.
    "crates/web/src/lib.rs",
];

#[test]
fn one_crate_knows_the_system() {
    let mut found = Vec::new();
    for path in files(&[".rs"]) {
        let name = path.to_string_lossy().replace(&format!("{}/", root().display()), "");
        let is_ours = name.starts_with("crates/") && name.contains("/src/") && !name.starts_with("crates/system/");
        // Tests measure memory and time where the system tells them.
        if !is_ours
            || name == "crates/testkit/src/fuzz.rs"
            || name.ends_with("/tests.rs")
            || ELSEWHERE.contains(&name.as_str())
        {
            continue;
        }
        let code = code(&path);
        let words = OF_A_SYSTEM.iter().chain(&OF_LINUX).filter(|word| code.contains(**word));
        found.extend(words.map(|word| format!("{name}: {word}")));
    }
    assert!(found.is_empty(), "what differs between systems belongs to crates/system: {found:#?}");
}

#[test]
fn one_crate_depends_on_the_system() {
    let mut found = Vec::new();
    for path in files(&["Cargo.toml"]) {
        let name = path.to_string_lossy().replace(&format!("{}/", root().display()), "");
        if !name.starts_with("crates/") || name.starts_with("crates/system/") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a manifest");
        let used = text.split("[dev-dependencies]").next().unwrap_or_default();
        let named = |line: &str| {
            CALLS.iter().any(|call| line.starts_with(&format!("{call}.")) || line.starts_with(&format!("{call} ")))
        };
        found.extend(used.lines().filter(|line| named(line)).map(|line| format!("{name}: {line}")));
    }
    assert!(found.is_empty(), "only crates/system calls the system: {found:#?}");
}
