//! Matches of go: games that are counted, by a referee or by the players.

use crate::match_::{engine, run};
use std::path::Path;

const RULES: [&str; 8] = ["--game", "go", "--rules", "5x5 komi 0.5", "--openings", "random", "--plies", "2"];
const MATCH: [&str; 9] = ["--engine", "name=A", "--engine", "name=B", "--nodes", "5", "--games", "2", "--fresh"];
const QUIET: [&str; 7] = ["--seed", "3", "-j", "2", "--quiet", "--sgf-out", "games.sgf"];

/// Plays two games with these arguments, too; the games, the result and what was said.
fn play(folder: &Path, more: &[&str]) -> (String, String) {
    let args: Vec<&str> = RULES.iter().chain(&MATCH).chain(&QUIET).chain(more).copied().collect();
    // Games are appended to what is there.
    let _ = std::fs::remove_file(folder.join("games.sgf"));
    let (code, stdout, errors) = run(folder, &args);
    assert!(code == 0 && stdout.contains("Ended by:     points 2"), "{code} {stdout}{errors}");
    (std::fs::read_to_string(folder.join("games.sgf")).unwrap(), errors)
}

#[test]
fn games_of_go_are_counted_by_whom_they_should() {
    let folder = tempfile::tempdir().unwrap();
    let (games, _) = play(folder.path(), &[]);
    let agreed = |text: &str| text.matches("both players say").count() + text.matches("the players differ").count();
    assert_eq!((agreed(&games), games.matches("RU[Chinese]KM[0.5]").count()), (2, 2), "{games}");
    // Our own engine is asked as a player and as a referee: it sees the same dead stones.
    let results = |text: &str| -> Vec<String> {
        text.split("RE[").skip(1).map(|rest| rest.split(']').next().unwrap_or_default().to_string()).collect()
    };
    let (refereed, _) = play(folder.path(), &["--referee", "self"]);
    assert_eq!(refereed.matches("counted by the referee").count(), 2, "{refereed}");
    assert_eq!((results(&games).len(), results(&refereed).len()), (2, 2));
    // A referee that cannot count is told of, and the match goes on.
    let (games, errors) = play(folder.path(), &["--referee", &engine("mock", "--proto gtp")]);
    assert_eq!(games.matches("referee: it has no final_score").count(), 2, "{games}");
    assert!(agreed(&games) == 2 && errors.is_empty(), "{games}{errors}");
}

#[test]
fn a_referee_must_work_and_have_something_to_count() {
    let folder = tempfile::tempdir().unwrap();
    let with = |first: &[&str], referee: &str| {
        let args: Vec<&str> = first.iter().chain(&MATCH).copied().chain(["--referee", referee]).collect();
        run(folder.path(), &args)
    };
    let (code, _, errors) = with(&RULES, "/no/such/judge");
    assert!(code != 0 && errors.contains("the referee does not work"), "{code} {errors}");
    let (code, _, errors) = with(&[], "self");
    assert!(code != 0 && errors.contains("games of chess are not counted"), "{code} {errors}");
}
