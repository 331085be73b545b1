//! A long match in which engines crash, hang, lie and flood, undisturbed and killed again and again: the same table.

use crate::match_::{engine, games, run, table, tesuji};
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;
use tesuji_game::Random;

/// Games of the match, and how often it is killed.
const GAMES: usize = 2000;
const KILLS: usize = 50;

#[test]
fn two_thousand_games_and_fifty_kills() {
    if !tesuji_testkit::needs::slow("2,000 games and 50 kills") {
        return;
    }
    // Every tenth game or so ends by a fault.
    let engines = [
        ("sound", "--seed 1"),
        ("crash", "--seed 2 --proto usi --do crash --odds 1500"),
        ("hang", "--seed 3 --proto gtp --do hang --odds 3000"),
        ("lies", "--seed 4 --proto xboard --do illegal --odds 1500"),
        ("flood", "--seed 5 --do flood --odds 3000"),
    ];
    let specs = engines.map(|(name, habits)| {
        let protocol = habits.split_once("--proto ").map_or("uci", |(_, rest)| rest.split(' ').next().unwrap());
        engine(name, habits) + " proto=" + protocol
    });
    let mut args: Vec<&str> = specs.iter().flat_map(|spec| ["--engine", spec]).collect();
    let games_each = (GAMES / 10).to_string();
    args.extend(["--games", &games_each, "--nodes", "1", "--patience", "3", "--seed", "7", "-j", "4", "--quiet"]);
    args.extend(["--plies", "4", "--pgn-out", "games.pgn"]);

    let whole = tempfile::tempdir().unwrap();
    let (code, expect, errors) = run(whole.path(), &args);
    assert_eq!(code, 5, "done with engine faults: {expect}{errors}");
    let played = games(&whole.path().join("games.pgn"));
    let numbers: BTreeSet<&str> = played.iter().map(|game| game.split('"').nth(1).unwrap()).collect();
    assert_eq!((played.len(), numbers.len()), (GAMES, GAMES), "every game is there, and once");
    for fault in ["crash", "hang", "illegal", "garbage"] {
        assert!(expect.contains(&format!("faults: {fault} ")), "{fault}: {expect}");
    }
    println!("{expect}");

    let torn = tempfile::tempdir().unwrap();
    let mut random = Random::new(11);
    let mut kills = 0;
    let mut next = args.clone();
    let stdout = loop {
        let mut child = tesuji(torn.path(), &next).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        if kills < KILLS {
            std::thread::sleep(Duration::from_millis(50 + random.below(1000) as u64));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
                if torn.path().join("games.pgn.journal").exists() {
                    next = vec!["--resume", "games.pgn.journal", "--quiet"];
                }
                continue;
            }
        }
        let output = child.wait_with_output().unwrap();
        if output.status.code() == Some(2) {
            // It was killed before it had written down what to play.
            next = args.clone();
            continue;
        }
        break String::from_utf8(output.stdout).unwrap();
    };
    println!("{kills} kills");
    assert_eq!(table(&stdout), table(&expect));
    assert_eq!(games(&torn.path().join("games.pgn")), played);
}

/// `--pgn-out weights.json` appended games to learned weights, which nobody could read any more.
#[test]
fn games_are_appended_to_files_of_games_alone() {
    let folder = tempfile::tempdir().unwrap();
    let own = engine("sound", "--seed 1");
    let of = |file: &'static str| {
        let args = ["--engine", &own, "--engine", &own.replace("sound", "other"), "--games", "2", "--nodes", "1", "-q"];
        run(folder.path(), &[&args[..], &["--pgn-out", file]].concat())
    };
    for content in ["{\n \"game\": \"chess\",\n \"weights\": {}\n}\n", "root:x:0:0\n", "<!doctype html>\n"] {
        std::fs::write(folder.path().join("w.pgn"), content).unwrap();
        let (code, _, errors) = of("w.pgn");
        assert_eq!(code, 2, "{content:?}: {errors}");
        assert!(errors.contains("w.pgn: this file holds something else than games as pgn"), "{content:?}: {errors}");
        assert_eq!(std::fs::read_to_string(folder.path().join("w.pgn")).unwrap(), content);
    }
    let comment = "\u{feff}\n[Event \"by hand\"]\n\n1. e4 e5 1/2-1/2\n";
    std::fs::write(folder.path().join("mine.pgn"), comment).unwrap();
    let (code, _, errors) = of("mine.pgn");
    assert_eq!(code, 0, "{errors}");
    assert!(std::fs::read_to_string(folder.path().join("mine.pgn")).unwrap().starts_with(comment));
}

/// The weights of a player were exchanged between a stop and `--resume`, and the verdict was about neither of the two engines.
#[test]
fn a_match_does_not_go_on_with_another_engine() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("own-engine");
    std::fs::copy(tesuji_testkit::mock::path(), &program).unwrap();
    let first = "cmd=./own-engine name=first args='--seed 1'";
    let other = engine("other", "--seed 2");
    let begun = ["--engine", first, "--engine", &other, "--games", "2", "--nodes", "1", "-q", "--pgn-out", "g.pgn"];
    let (code, _, errors) = run(folder.path(), &begun);
    assert_eq!(code, 0, "{errors}");
    let go_on = |games: &'static str| run(folder.path(), &["--resume", "g.pgn.journal", "--games", games, "-q"]);
    let (code, _, errors) = go_on("4");
    assert_eq!(code, 0, "the same engine goes on: {errors}");
    let played = std::fs::read(folder.path().join("g.pgn")).unwrap();
    let mut bytes = std::fs::read(&program).unwrap();
    bytes.push(0);
    std::fs::write(&program, bytes).unwrap();
    let (code, _, errors) = go_on("6");
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("own-engine: this file of an engine was changed since the match was begun"), "{errors}");
    assert_eq!(std::fs::read(folder.path().join("g.pgn")).unwrap(), played);
}
