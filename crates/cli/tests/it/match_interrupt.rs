//! Ctrl-C in a running match: once finishes the games in play, twice breaks them off, and the match can go on.

use crate::match_::{engine, games, run, tesuji};
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A match whose first game is in play: one game at a time, a move every `spin_ms` milliseconds.
fn begun(folder: &Path, spin_ms: u32) -> Child {
    let [a, b] = ["A", "B"].map(|name| engine(name, &format!("--seed 1 --spin-ms {spin_ms}")));
    let args = ["--engine", &a, "--engine", &b, "--nodes", "1", "--games", "2", "--seed", "7", "-j", "1", "--quiet"];
    let args: Vec<&str> = args.into_iter().chain(["--pgn-out", "a.pgn", "--log-dialogue", "log"]).collect();
    let mut match_ = tesuji(folder, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !folder.join("log/game-000001.log").exists() {
        assert_eq!(match_.try_wait().unwrap(), None, "the match ends before its first game");
        std::thread::sleep(Duration::from_millis(5));
    }
    match_
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// Games in play were broken off at once, and nothing said so.
#[test]
fn the_first_interrupt_finishes_the_games_in_play() {
    let folder = tempfile::tempdir().unwrap();
    let match_ = begun(folder.path(), 5);
    interrupt(&match_);
    let out = match_.wait_with_output().unwrap();
    let errors = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(4), "{errors}");
    assert!(errors.contains("Stopping after 1 game in play; Ctrl-C again breaks off\n"), "{errors}");
    assert!(errors.contains("Stopped. Go on with: tesuji match --resume a.pgn.journal\n"), "{errors}");
    let played = games(&folder.path().join("a.pgn"));
    assert!(played.len() == 1 && !played[0].contains("[Result \"*\"]"), "{played:?}");
    let (_, told, errors) = run(folder.path(), &["--resume", "a.pgn.journal", "--games", "2", "--quiet"]);
    assert!(told.contains("Games: 2, "), "{told}{errors}");
}

#[test]
fn the_second_interrupt_breaks_games_off() {
    let folder = tempfile::tempdir().unwrap();
    let mut match_ = begun(folder.path(), 1_000);
    interrupt(&match_);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(match_.try_wait().unwrap(), None, "the game goes on");
    let status = crate::pipes::interrupted(&mut match_).expect("the second Ctrl-C ends it");
    assert_eq!(status.code(), Some(4));
    assert!(games(&folder.path().join("a.pgn")).is_empty());
}
