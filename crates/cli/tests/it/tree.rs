//! Trees of every family printed, saved and opened again; games looked over; learned positions; and what is broken is named.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn tesuji(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tesuji")).args(arguments).output().expect("the program starts")
}

#[track_caller]
fn said(arguments: &[&str]) -> String {
    let out = tesuji(arguments);
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("text")
}

#[track_caller]
fn refused(arguments: &[&str], expect: &str) {
    let out = tesuji(arguments);
    let error = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && error.contains(expect), "{arguments:?}: {error}");
    assert_eq!(error.trim().lines().count(), 1, "one clear error: {error}");
}

const MATE: &str = "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1";

fn path_text(path: &Path) -> &str {
    path.to_str().expect("a name")
}

#[test]
fn every_family_shows_saves_and_opens_its_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    for (game, search, extra) in [
        ("chess", "alpha-beta", ["--depth", "5"]),
        ("chess", "mcts", ["--nodes", "500"]),
        ("chess", "best-first", ["--nodes", "5000"]),
        ("chess", "mate", ["--fen", MATE]),
        ("shogi", "alpha-beta", ["--depth", "4"]),
        ("shogi", "mcts", ["--nodes", "300"]),
        ("shogi", "best-first", ["--nodes", "5000"]),
        ("go", "mcts", ["--nodes", "200"]),
        ("go", "best-first", ["--nodes", "600"]),
    ] {
        let path = folder.path().join(format!("{game}-{search}.json"));
        let file = path_text(&path);
        let arguments = ["tree", game, "--search", search, extra[0], extra[1], "--show", "60", "--save", file];
        let first = said(&arguments);
        assert!(first.contains("root") && first.lines().count() >= 3, "{first}");
        assert_eq!(said(&["tree", game, "--open", file, "--show", "60"]), first);
        assert!(said(&["tree", game, "--open", file, "--dot"]).starts_with("digraph tree {"));
        assert!(said(&["tree", game, "--open", file, "--json", "--show", "60"]).contains("\"sha256\""));
    }
}

#[test]
fn alpha_beta_says_why_it_left() {
    let text = said(&["tree", "chess", "--depth", "8", "--show", "5000", "--plies", "4"]);
    for words in ["window", "cut: a move is too good", "left out", "cut by the table"] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}

#[test]
fn broken_trees_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tree.json");
    let file = path_text(&path);
    said(&["tree", "chess", "--search", "best-first", "--nodes", "2000", "--show", "40", "--save", file]);
    let whole = fs::read_to_string(&path).expect("a tree");
    let open = ["tree", "chess", "--open", file];
    for (text, expect) in [
        (whole[..whole.len() / 2].to_string(), "is not a whole tree"),
        (whole.replacen("\"effort\": ", "\"effort\": 1", 1), "it was changed"),
        (whole.replacen("\"best-first\"", "\"best-firsu\"", 1), "it was changed"),
        (whole.replacen("\"rules\": \"\"", "\"rules\": \"chess960\"", 1), "it was changed"),
        (whole.replacen("tesuji-tree", "other-tree", 1), "its format is"),
        (whole.replacen("\"game\": \"chess\"", "\"game\": \"shogi\"", 1), "not of chess"),
        ("not JSON at all".to_string(), "is not a whole tree"),
    ] {
        fs::write(&path, text).expect("written");
        refused(&open, expect);
    }
    refused(&["tree", "chess", "--open", path_text(&folder.path().join("none.json"))], "none.json");
}

#[test]
fn best_first_plays_in_both_protocols_and_presets() {
    for preset in ["default", "delphi", "delphi-0"] {
        let text =
            said(&["tree", "chess", "--search", "best-first", "--preset", preset, "--depth", "2", "--nodes", "30000"]);
        assert!(text.contains("quality"), "{preset}: {text}");
    }
}

#[test]
fn what_was_learned_is_shown_pruned_and_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("learned.db");
    let file = path_text(&path);
    let set = format!("LearnedFile={file}");
    let line = ["--moves", "e2e4", "e7e5", "--option", "LearnedQuality=20", "--option", set.as_str()];
    said(&[&["tree", "chess", "--search", "best-first", "--nodes", "20000"], &line[..]].concat());
    let shown = said(&["learned", "show", "chess", file]);
    let count: u64 = shown.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    assert!(count > 10, "{shown}");
    assert_eq!(said(&["learned", "export", "chess", file]).lines().count() as u64, count);
    assert!(said(&["learned", "prune", "chess", file, "--max", "5"]).ends_with("5 left\n"));
    // Recalled in the next search: leaves that need no work.
    let again = said(&[&["tree", "chess", "--search", "best-first", "--nodes", "500"], &line[..]].concat());
    assert!(again.contains("root"), "{again}");

    refused(&["learned", "show", "shogi", file], "expected learned positions of shogi");
    let notes = folder.path().join("notes.txt");
    fs::write(&notes, "my notes, a little longer than the header of a database is").expect("written");
    refused(&["learned", "show", "chess", path_text(&notes)], "is no database of learned positions");
    refused(&["learned", "prune", "chess", path_text(&notes)], "is no database of learned positions");
    assert!(fs::read_to_string(&notes).expect("there").starts_with("my notes"));
}

#[test]
fn games_are_looked_over_in_their_own_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.pgn");
    fs::write(&path, "[White \"A\"]\n[Black \"B\"]\n[Result \"0-1\"]\n\n1. f3 e5 {open} 2. g4 Qh4# 0-1\n")
        .expect("written");
    let out = tesuji(&["analyse", "chess", path_text(&path), "--nodes", "5000", "--candidates", "2"]);
    let (text, summary) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{summary}");
    assert!(text.contains("[White \"A\"]") && text.contains("candidates:") && text.contains("open"), "{text}");
    // The move that allows mate is a blunder, with a better line beside it.
    assert!(text.contains("$4") || text.contains("??"), "{text}");
    assert!(text.contains("better") && text.contains('('), "{text}");
    assert!(summary.contains("White: 2 moves") && summary.contains("1 blunder\n"), "{summary}");
    // What was written can be looked over again.
    let again = folder.path().join("again.pgn");
    fs::write(&again, text.as_bytes()).expect("written");
    assert!(tesuji(&["analyse", "chess", path_text(&again), "--nodes", "500"]).status.success());

    let kif = folder.path().join("game.csa");
    fs::write(&kif, "V2.2\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n-3122GI\n%TORYO\n").expect("written");
    let out = tesuji(&["analyse", "shogi", path_text(&kif), "--nodes", "1000"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(String::from_utf8_lossy(&out.stdout).contains("+7776FU"));

    // In go a move loses chances: White's first one, in the corner, gives the board away.
    let sgf = folder.path().join("game.sgf");
    fs::write(&sgf, "(;GM[1]SZ[7]KM[9]RU[chinese];B[dd];W[aa];B[cc])").expect("written");
    let out = tesuji(&["analyse", "go", path_text(&sgf), "--nodes", "400"]);
    let (text, told) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success() && text.contains("% of the chance, better "), "{text}{told}");
    assert!(told.contains("White: 1 move, ") && told.contains(" % of the chance lost a move, 0 dubious"), "{told}");
}

#[test]
fn books_are_made_shown_and_edited() {
    let folder = tempfile::tempdir().expect("a folder");
    let games = folder.path().join("games.pgn");
    let two = "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n[Result \"1/2-1/2\"]\n\n1. d4 d5 1/2-1/2\n";
    fs::write(&games, two).expect("written");
    let book = folder.path().join("book.tsv");
    let file = path_text(&book);
    said(&["book", "import", "chess", path_text(&games), "--out", file]);
    assert_eq!(said(&["book", "show", "chess", file]), "e2e4\t2\t66.7 %\nd2d4\t1\t33.3 %\n");
    assert_eq!(said(&["book", "show", "chess", file, "--moves", "e2e4"]), "the book is silent here\n");
    said(&["book", "add", "chess", file, "--moves", "e2e4", "--", "c7c5", "7"]);
    assert!(said(&["book", "show", "chess", file, "--moves", "e2e4"]).starts_with("c7c5\t7"));
    said(&["book", "remove", "chess", file, "--", "d2d4"]);
    assert_eq!(said(&["book", "show", "chess", file]).lines().count(), 1);
    refused(&["book", "add", "chess", file, "--", "e2e5", "1"], "is no move");
    refused(&["book", "show", "chess", path_text(&games)], "is no book");

    // The key of the start position as the format's page publishes it, and e2e4 there.
    let entry = [&0x463b_9618_1691_fc9c_u64.to_be_bytes()[..], &[0x03, 0x1c, 0, 9, 0, 0, 0, 0]].concat();
    let polyglot = folder.path().join("book.bin");
    fs::write(&polyglot, &entry).expect("written");
    assert_eq!(said(&["book", "show", "chess", path_text(&polyglot)]), "e2e4\t9\t100.0 %\n");
    fs::write(&polyglot, &entry[..15]).expect("written");
    refused(&["book", "show", "chess", path_text(&polyglot)], "is no book of Polyglot's");
}
