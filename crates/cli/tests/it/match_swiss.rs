//! Swiss tournaments from outside: pairings, table, what goes together, a tournament that goes on after a stop.

use crate::match_::{engine, games, run};
use std::path::Path;

/// The words of a tournament of five mock engines, with more options.
fn words(more: &[&str]) -> Vec<String> {
    let players = ["A", "B", "C", "D", "E"].iter().zip(1..);
    let engines = players.flat_map(|(name, seed)| ["--engine".into(), engine(name, &format!("--seed {seed}"))]);
    let limits = ["--swiss", "--nodes", "1", "--seed", "4", "-j", "2", "--quiet", "--pgn-out", "a.pgn"];
    engines.chain(limits.iter().chain(more).map(|word| word.to_string())).collect()
}

fn play(folder: &Path, more: &[&str]) -> (i32, String, String) {
    let words = words(more);
    run(folder, &words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_swiss_tournament_has_rounds_byes_and_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let (code, told, errors) = play(folder.path(), &["--rounds", "3"]);
    assert_eq!(code, 0, "{told}{errors}");
    let lines: Vec<&str> = told.lines().take_while(|line| !line.starts_with("Ratings")).collect();
    // Three rounds of a bye and two meetings, and the table.
    assert_eq!(lines.iter().filter(|line| line.starts_with("Round ")).count(), 3, "{told}");
    let byes: Vec<&&str> = lines.iter().filter(|line| line.ends_with(" has a bye")).collect();
    assert!(byes.len() == 3 && byes[0] != byes[1] && byes[1] != byes[2] && byes[0] != byes[2], "{told}");
    assert_eq!(lines.iter().filter(|line| line.contains(" : ")).count(), 6, "{told}");
    let table = lines.iter().skip_while(|line| !line.contains("points  Buchholz")).skip(1);
    let points: f64 = table.map(|line| line.split_whitespace().nth(2).unwrap().parse::<f64>().unwrap()).sum();
    // Six meetings of two games, and three byes of two points.
    assert_eq!(points, 18.0, "{told}");
    assert_eq!(games(&folder.path().join("a.pgn")).len(), 12);
    let (code, json, _) = play(folder.path(), &["--rounds", "3", "--json"]);
    let end: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    let sums =
        |field: &str| end["table"].as_array().unwrap().iter().map(|row| row[field].as_f64().unwrap()).sum::<f64>();
    assert_eq!((code, sums("points"), sums("byes")), (0, 18.0, 3.0), "{end}");
}

/// The pairings follow from the results: a tournament in pieces is the same tournament.
#[test]
fn a_stopped_swiss_tournament_goes_on() {
    let [whole, torn] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (code, _, errors) = play(whole.path(), &["--rounds", "4", "--games", "1", "--sides", "alternate"]);
    assert_eq!(code, 0, "{errors}");
    let words = words(&["--rounds", "4", "--games", "1", "--sides", "alternate"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut child = crate::match_::tesuji(torn.path(), &words).spawn().unwrap();
    let journal = torn.path().join("a.pgn.journal");
    while child.try_wait().unwrap().is_none() && games_in(&torn.path().join("a.pgn")) < 3 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let _ = child.kill();
    child.wait().unwrap();
    assert!(journal.exists());
    let (code, told, errors) = run(torn.path(), &["--resume", "a.pgn.journal", "--quiet"]);
    assert!(code == 0 && told.contains("Buchholz"), "{told}{errors}");
    assert_eq!(games(&torn.path().join("a.pgn")), games(&whole.path().join("a.pgn")));
    let (code, _, errors) = run(torn.path(), &["--resume", "a.pgn.journal", "--rounds", "5", "--quiet"]);
    assert!(code == 2 && errors.contains("--rounds is 4 in the journal"), "{code} {errors}");
}

fn games_in(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().matches("[Event ").count()
}

#[test]
fn what_no_swiss_tournament_can_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (more, said) in [
        (&["--rounds", "6"][..], "--rounds 6: 5 engines meet each other in 5 rounds"),
        (&["--rounds", "0"], "--rounds 0: nothing to play"),
        (&["--sides", "fixed"], "--swiss balances sides"),
        (&["--knockout"], "cannot be used with"),
        (&["--sprt", "0", "5"], "cannot be used with"),
    ] {
        let (code, _, errors) = play(folder.path(), more);
        assert!(code == 2 && errors.contains(said), "{more:?}: {code} {errors}");
    }
    let (code, told, errors) = play(folder.path(), &["--dry-run"]);
    assert!(code == 0 && told.contains("20 games of chess"), "{told}{errors}");
    assert!(told.contains("A against C\nD against B\nE has a bye in round 1\n"), "{told}");
    assert!(!folder.path().join("a.pgn").exists());
}
