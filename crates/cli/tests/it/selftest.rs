//! The selftest from outside: transcripts, comparisons, exit codes.

use std::{
    path::Path,
    process::{Command, Output},
};

fn tesuji(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tesuji")).args(arguments).output().expect("the binary starts")
}

#[track_caller]
fn check(arguments: &[&str], code: i32, words: &str) -> String {
    check_game("chess", arguments, code, words)
}

#[track_caller]
fn check_game(game: &str, arguments: &[&str], code: i32, words: &str) -> String {
    let out = tesuji(&[&["selftest", game], arguments].concat());
    let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert_eq!(out.status.code(), Some(code), "{said}");
    assert!(said.contains(words), "{said}");
    String::from_utf8_lossy(&out.stdout).into()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn transcripts_are_written_and_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let (fens, expected) = (folder.path().join("a.fen"), folder.path().join("a.txt"));
    let set = check(&["--make", "--positions", "1"], 0, "# en passant\n");
    std::fs::write(&fens, set.lines().take(60).collect::<Vec<_>>().join("\n")).expect("written");
    let transcript = check(&[text(&fens), "--jobs", "1"], 0, "depth-dump-at-3: ");
    assert_eq!(check(&[text(&fens), "--jobs", "3"], 0, ""), transcript, "the same with any number of jobs");
    std::fs::write(&expected, &transcript).expect("written");
    check(&[text(&fens), "--expect", text(&expected)], 0, "identical: 29 positions");
    std::fs::write(&expected, transcript.replacen("  e2e4\n", "", 1)).expect("written");
    check(&[text(&fens), "--expect", text(&expected)], 1, "position 1 (line 1)");
    check(&[text(&fens), "--expect", text(&expected)], 1, "move e2e4 is not expected");
    std::fs::write(&expected, &transcript[..transcript.len() / 2]).expect("written");
    check(&[text(&fens), "--expect", text(&expected)], 1, "position ");
}

#[test]
fn bad_positions_name_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let fens = folder.path().join("a.fen");
    std::fs::write(&fens, "# one\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\n4k3/8/8/8/8/8/8/8 w - - 0 1\n").expect("written");
    check(&[text(&fens)], 1, "line 3: 4k3/8/8/8/8/8/8/8 w - - 0 1: at byte 0: placement: a king is missing");
    check(&["no-such-file.fen"], 2, "no-such-file.fen");
    check(&[], 2, "--games N");
}

/// Our own engine, asked as a foreign one.
#[test]
fn engines_are_asked_over_uci() {
    let engine = format!("{} uci", env!("CARGO_BIN_EXE_tesuji"));
    check(&["--games", "1", "--seed", "3", "--depth", "2", "--engine", &engine], 0, "identical: ");
    check(&["--games", "1", "--engine", "no-such-engine"], 2, "cannot start no-such-engine");
}

#[test]
fn shogi_has_a_transcript_too() {
    let shogi = |arguments: &[&str], code, words: &str| check_game("shogi", arguments, code, words);
    let folder = tempfile::tempdir().expect("a folder");
    let (sfens, expected) = (folder.path().join("a.sfen"), folder.path().join("a.txt"));
    let set = shogi(&["--make", "--positions", "1"], 0, "# matsuri\n");
    std::fs::write(&sfens, set.lines().take(16).collect::<Vec<_>>().join("\n")).expect("written");
    let transcript = shogi(&[text(&sfens), "--depth", "2"], 0, "every invariant holds");
    std::fs::write(&expected, &transcript).expect("written");
    shogi(&[text(&sfens), "--depth", "2", "--expect", text(&expected)], 0, "identical: 7 positions");
    std::fs::write(&expected, transcript.replacen("  2g2f\n", "", 1)).expect("written");
    shogi(&[text(&sfens), "--depth", "2", "--expect", text(&expected)], 1, "move 2g2f is not expected");
    shogi(&[text(&sfens), "--chess960"], 2, "--chess960 is for chess");
    let engine = format!("{} usi", env!("CARGO_BIN_EXE_tesuji"));
    shogi(&["--games", "1", "--seed", "3", "--depth", "1", "--engine", &engine], 0, "identical: ");
}
