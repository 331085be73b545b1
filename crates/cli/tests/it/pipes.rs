//! Inputs that are long in coming, and Ctrl-C.

use rustix::{
    fs::{CWD, FileType, Mode, mknodat},
    process::{Pid, Signal, kill_process},
};
use std::{
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// Sends one Ctrl-C, and waits for the end; `None`: it did not come.
pub(crate) fn interrupted(child: &mut Child) -> Option<ExitStatus> {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
    let until = Instant::now() + Duration::from_secs(10);
    while Instant::now() < until {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

#[track_caller]
fn check(folder: &Path, line: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(line.split_whitespace()).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary starts");
    // Time to come to the pipe: an earlier signal ends it as well.
    sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "{line}: it should wait for the pipe");
    assert!(interrupted(&mut child).is_some(), "{line}: one Ctrl-C should end it");
}

/// A named pipe without a writer held `data`, `tune` and others in its opening; only a second Ctrl-C ended them.
#[test]
fn one_interrupt_ends_what_waits_for_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["p.pgn", "p.txt", "p.sgf"] {
        mknodat(CWD, folder.path().join(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }
    for line in [
        "data stats p.pgn",
        "data convert p.pgn o.sgs",
        "analyse chess p.pgn --nodes 5",
        "tune chess --games p.pgn --out w.json",
        "tune go --games p.sgf --out w.txt",
        "book import chess p.pgn --out b.tsv",
        "solve shogi --problems p.txt",
        "selftest chess p.txt",
    ] {
        check(folder.path(), line);
    }
}

/// `selfplay --out PIPE` wrote all games into a named pipe, and then waited for somebody who writes it.
#[test]
fn self_play_into_a_named_pipe_ends() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("games.sgs");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe)
    });
    let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args([
            "selfplay",
            "chess",
            "--games",
            "2",
            "--nodes",
            "20",
            "--seed",
            "1",
            "--jobs",
            "1",
            "--quiet",
            "--out",
            "games.sgs",
        ])
        .current_dir(folder.path())
        .output()
        .expect("the binary starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(reader.join().unwrap().unwrap().matches("\nmoves ").count(), 2);
}
