//! `tesuji match --check`: sound engines pass in every protocol, and each fault is named.

use std::process::{Command, Stdio};
use tesuji_testkit::mock;

/// The exit code and the verdict lines of a mock engine with these habits.
fn check(habits: &str, more: &str) -> (i32, Vec<String>) {
    let spec = format!("'cmd={}' args='{habits}' quit=0.5 {more}", mock::path().display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let output = command.args(["match", "--check", &spec]).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap_or(-1), text.lines().map(str::to_string).collect())
}

#[track_caller]
fn has(lines: &[String], verdict: &str, name: &str, words: &str) {
    let is = |line: &&String| line.trim_start().starts_with(verdict) && line.contains(name) && line.contains(words);
    assert!(lines.iter().any(|line| is(&line)), "{verdict} {name} {words}: {lines:#?}");
}

#[test]
fn sound_engines_pass_in_every_protocol() {
    for protocol in ["uci", "usi", "gtp", "xboard"] {
        let (code, lines) = check(&format!("--proto {protocol} --use 40 --infos 3"), "");
        assert!(lines[0].ends_with(&format!("over {protocol}:")), "{lines:#?}");
        assert_eq!((code, lines.last().map(String::as_str)), (0, Some("0 errors, 0 warnings")), "{lines:#?}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let (code, lines) = check("--do illegal --at 0", "proto=uci");
    has(&lines, "error", "move from the start", "z9z9");
    assert_eq!(code, 5);
    // Carp answered after 0.6 ms, and nothing else was wrong with it.
    let (code, lines) = check("--infos 0", "proto=uci");
    has(&lines, "warning", "time for a move", "of 300.0 ms: it hardly thinks");
    has(&lines, "warning", "clock", "of 150.0 ms: it hardly thinks");
    has(&lines, "warning", "depth limit", "it sends no info");
    assert_eq!(code, 0);
    let (_, lines) = check("--infos 90 --use 20", "proto=uci");
    has(&lines, "warning", "node limit", "9000 nodes instead of 2000");
    let (_, lines) = check("--proto usi --do slow --at 0", "proto=usi");
    has(&lines, "ok", "time for a move", "of 300.0 ms");
    let (code, lines) = check("--deaf", "proto=uci");
    has(&lines, "error", "quit", "within 0.5 s");
    has(&lines, "warning", "end of input", "lives on");
    assert_eq!(code, 5);
    let (_, lines) = check("--proto xboard --do crash --at 2", "proto=xboard");
    has(&lines, "ok", "move from the start", "");
    has(&lines, "error", "move after moves", "it ended");
    let (_, lines) = check("--proto gtp --do garbage --at 0", "proto=gtp");
    has(&lines, "error", "genmove", "cannot think");
    let (code, lines) = check("--mute", "proto=uci start=0.2");
    has(&lines, "error", "greeting", "within 0.2 s");
    assert_eq!((code, lines.len()), (5, 3), "nothing else can be checked: {lines:#?}");
    let (_, lines) = check("--busy", "proto=uci start=0.2");
    has(&lines, "error", "ready", "no sign of being ready");
}

#[test]
fn who_speaks_no_protocol_is_an_error_of_usage() {
    let (code, lines) = check("--mute", "start=0.1");
    assert!(code == 2 && lines[0].contains("did not greet"), "{lines:#?}");
}
