//! What `tesuji explain` says along a game.

use std::process::{Command, Output};

const PGN: &str =
    "[White \"a\"]\n[Black \"b\"]\n[Result \"*\"]\n\n1. e4 d5 2. exd5 Qxd5 *\n\n[Result \"1-0\"]\n\n1. d4 1-0\n";

fn explain(pgn: &str, more: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("g.pgn"), pgn).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let fixed = ["explain", "chess", "g.pgn", "--weights", "material"];
    command.args(fixed).args(more).current_dir(folder.path()).output().expect("the binary starts")
}

#[track_caller]
fn said(more: &[&str]) -> String {
    let out = explain(PGN, more);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[track_caller]
fn refused(pgn: &str, more: &[&str], expect: &str) {
    let out = explain(pgn, more);
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{error}");
    assert!(error.contains(expect), "{error} should say {expect}");
}

/// One broken game before the one asked for stopped `explain --number`, which did not know the flag that its error named elsewhere.
#[test]
fn broken_games_before_the_one_asked_for_are_left_out_if_wanted() {
    let pgn = format!("[Result \"*\"]\n\n1. e4 e4 *\n\n{PGN}");
    refused(&pgn, &["--number", "2"], "--skip-errors");
    let out = explain(&pgn, &["--number", "2", "--skip-errors"]);
    assert!(out.status.success() && String::from_utf8_lossy(&out.stdout).contains("1. d4"));
    assert!(String::from_utf8_lossy(&out.stderr).contains("left out: "));
}

#[test]
fn every_position_has_its_value_and_what_the_move_changed() {
    let text = said(&[]);
    let heads: Vec<&str> = text.lines().filter(|l| !l.starts_with(' ')).collect();
    assert_eq!(
        heads,
        [
            "start: +0 cp for White, phase 256/256, scale 64/64",
            "1. e4: +0 (+0) cp for White, phase 256/256, scale 64/64",
            "1... d5: +0 (+0) cp for White, phase 256/256, scale 64/64",
            "2. exd5: +100 (+100) cp for White, phase 256/256, scale 64/64",
            "2... Qxd5: +0 (-100) cp for White, phase 256/256, scale 64/64",
        ]
    );
    let of = |head: &str| -> Vec<&str> {
        text.lines().skip_while(|l| !l.starts_with(head)).skip(1).take_while(|l| l.starts_with(' ')).collect()
    };
    assert!(of("start").iter().all(|l| l.starts_with("    ")), "nothing is marked at the start");
    assert!(of("2. exd5").contains(&"  * material                   +100.0  (+100.0)"), "{:?}", of("2. exd5"));
    assert!(of("2... Qxd5").contains(&"  * material                     +0.0  (-100.0)"), "{:?}", of("2... Qxd5"));
    assert!(of("1. e4").contains(&"    material                     +0.0"), "{:?}", of("1. e4"));
    let changes = said(&["--changes"]);
    assert!(changes.lines().all(|l| !l.starts_with("    ")) && changes.contains("  * psq_pawn"), "{changes}");
}

#[test]
fn csv_and_json_sum_to_the_value() {
    let csv = said(&["--csv"]);
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let mut sums = [0.0; 5];
    let (mut values, mut marks) = ([0.0; 5], std::collections::BTreeSet::new());
    for line in lines {
        let words: Vec<&str> = line.split(',').collect();
        assert_eq!(words.len(), header.len(), "{line}");
        let ply: usize = words[column("ply")].parse().unwrap();
        sums[ply] += words[column("adds")].parse::<f64>().unwrap();
        values[ply] = words[column("value")].parse().unwrap();
        marks.insert(words[column("mark")]);
    }
    assert_eq!((sums, values), ([0.0, 0.0, 0.0, 100.0, 0.0], [0.0, 0.0, 0.0, 100.0, 0.0]));
    assert_eq!(marks.into_iter().collect::<Vec<_>>(), ["", "changed", "gone", "new"]);
    let json: serde_json::Value = serde_json::from_str(&said(&["--json", "--number", "2"])).unwrap();
    assert_eq!(json["positions"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["positions"][1]["said"], "1. d4");
    assert_eq!(json["positions"][1]["evaluation"]["value"], 0);
}

#[test]
fn broken_games_are_told() {
    refused(PGN, &["--number", "3"], "g.pgn: there is no game 3, only 2 before the end");
    refused(PGN, &["--number", "0"], "games are counted from 1");
    refused("1. e4 e5 2. Ke3 *\n", &[], "g.pgn: line 1");
    refused(PGN, &["--fen", "x"], "cannot be used with");
}
