//! Options beside `tesuji match --resume`, engines that do not start or are not there, and what a newcomer types.

use crate::match_::{engine, run};
use std::process::Command;

/// `--resume J --nodes 10 --engine name=zzz --sprt 0 5` ignored all of these without a word.
#[test]
fn options_that_contradict_the_journal_are_refused_at_resume() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let players = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    let limits = ["--nodes", "5k", "--games", "2", "--seed", "5", "--pgn-out", "a.pgn", "-j", "1", "--quiet"];
    let begin: Vec<&str> = ["--engine", &players[0], "--engine", &players[1]].into_iter().chain(limits).collect();
    let (code, _, errors) = run(here, &begin);
    assert_eq!(code, 0, "{errors}");
    let again = |more: &[&str]| run(here, &[&["--resume", "a.pgn.journal"], more].concat());
    let typed = ["--sprt", "0", "5", "--nodes", "10", "--engine", "name=zzz", "--seed", "77", "--pgn-out", "b.pgn"];
    let (code, stdout, errors) = again(&typed);
    assert!(code == 2 && stdout.is_empty() && errors.lines().count() == 1, "{code} {stdout}{errors}");
    for named in
        ["--sprt is not in", "--nodes is 5000 in", "--engine differs", "--seed is 5 in", "--pgn-out is a.pgn in"]
    {
        assert!(errors.contains(named), "{named}: {errors}");
    }
    assert!(!here.join("b.pgn").exists());
    let same = ["--nodes", "5000", "--engine", &players[0], "--engine", &players[1], "--quiet"];
    let (code, stdout, errors) = again(&same);
    assert!(code == 0 && stdout.contains("Games: 2, "), "{code} {stdout}{errors}");
    let free = ["--rounds", "2", "-j", "1", "--html", "a.html", "--sigma", "binomial", "--json"];
    let (code, stdout, errors) = again(&free);
    assert!(
        code == 0 && stdout.contains(r#""event":"end""#) && here.join("a.html").exists(),
        "{code} {stdout}{errors}"
    );
    let (code, stdout, errors) = again(&["--quiet"]);
    assert!(code == 0 && stdout.contains("Games: 4, "), "{code} {stdout}{errors}");
}

/// An engine of cutechess-cli's own settings became `--engine ''`, which is our own, and the exit code was 0.
#[test]
fn a_foreign_engine_without_a_program_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let command = "cutechess-cli -engine cmd=sf -engine conf=abc -each tc=1+0.01";
    let (code, stdout, errors) = run(folder.path(), &["--from-command", command]);
    assert!(
        code == 2 && stdout.is_empty() && errors.contains("-engine conf=abc: it has no cmd=PROGRAM"),
        "{code} {errors}"
    );
    let (code, stdout, errors) =
        run(folder.path(), &["--from-command", "cutechess-cli -engine name=a -each cmd=sf tc=inf"]);
    assert!(code == 0 && stdout.contains("--each cmd=sf"), "{code} {stdout}{errors}");
    let (code, _, errors) = run(folder.path(), &["--engine", "", "--engine", "name=B", "--nodes", "1"]);
    assert!(code == 2 && errors.contains("an empty engine"), "{code} {errors}");
}

/// `doctor` found programs that `match` did not, and the error did not say where it had looked.
#[test]
fn an_engine_that_is_not_found_says_where_it_was_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, errors) = run(folder.path(), &["--check", "cmd=no-such-engine"]);
    let says = "looked in the folders of PATH, /usr/games and /usr/local/games";
    assert!(code == 2 && errors.contains("cannot start no-such-engine") && errors.contains(says), "{code} {errors}");
    let tesuji = |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_tesuji")).args(args).output().unwrap();
    assert!(String::from_utf8_lossy(&tesuji(&["doctor"]).stdout).contains("gnugo"));
}

/// `solve shogi SFEN` was an unexpected argument, and `analyze` no subcommand.
#[test]
fn what_newcomers_type_is_understood_or_told() {
    let tesuji = |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_tesuji")).args(args).output().unwrap();
    let solved = tesuji(&["solve", "shogi", "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"]);
    let errors = String::from_utf8_lossy(&solved.stderr);
    assert!(solved.status.code() == Some(2) && errors.contains("a position follows --position"), "{errors}");
    assert_eq!(tesuji(&["analyze", "--help"]).stdout, tesuji(&["analyse", "--help"]).stdout);
}
