//! `tesuji bench --profile`, `--suite` and `--make-suite` from outside: tables, JSON, engines in their own process, refusals.

use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

const THREE: &str = "# three\n\
    6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"back rank\";\n\
    r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#;\n\
    4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1 bm exd5;\n";

fn tesuji(folder: &Path, words: &str) -> Output {
    let words = words.split_whitespace().map(|word| word.replace('~', " "));
    Command::new(env!("CARGO_BIN_EXE_tesuji")).args(words).current_dir(folder).output().expect("the program starts")
}

#[track_caller]
fn said(folder: &Path, words: &str) -> String {
    let out = tesuji(folder, words);
    assert!(out.status.success(), "{words}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("text")
}

#[track_caller]
fn json(folder: &Path, words: &str) -> Value {
    serde_json::from_str(&said(folder, words)).expect("JSON")
}

#[track_caller]
fn refused(folder: &Path, words: &str, why: &str) {
    let out = tesuji(folder, words);
    let error = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && error.contains(why), "{words}: {error}");
    assert!(!error.contains("panicked"), "{error}");
}

#[test]
fn a_profile_is_told_in_a_table_and_in_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = said(folder.path(), "bench chess --profile --nodes 2000");
    for words in
        ["chess alpha-beta", "main cut", "quiescence all", "null move", "branching factor", "late move reduction"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let profile = &json(folder.path(), "bench chess shogi --profile --nodes 2000 --json");
    assert_eq!((&profile[0]["game"], &profile[1]["game"]), (&Value::from("chess"), &Value::from("shogi")));
    let visits: u64 =
        profile[0]["kinds"].as_array().expect("kinds").iter().filter_map(|row| row["visits"].as_u64()).sum();
    let number = |name: &str| profile[0][name].as_u64().expect("a number");
    assert_eq!(visits, number("nodes") - number("positions") + number("repeats"));
    refused(folder.path(), "bench go --profile", "go has no alpha-beta search to profile");
    refused(folder.path(), "bench chess --profile --nodes 5 --depth 3", "cannot be used with");
    refused(folder.path(), "bench chess --nodes 5", "--nodes is for --profile, --suite and --make-suite");
}

/// The same searches in this process and over UCI: the same moves after the same nodes.
#[test]
fn an_engine_in_its_own_process_is_measured_as_our_own_player() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("three.epd"), THREE).expect("a file");
    let own = json(folder.path(), "bench chess --suite three.epd --nodes 3000 --json");
    let engine = env!("CARGO_BIN_EXE_tesuji");
    let words = format!("bench chess --suite three.epd --nodes 3000 --json --engine cmd={engine}~args=uci~name=other");
    let other = json(folder.path(), &words);
    assert_eq!((&own[0]["engine"], &other[0]["engine"]), (&Value::from("tesuji"), &Value::from("other")));
    assert_eq!((own[0]["solved"].as_u64(), own[0]["positions"].as_u64()), (Some(3), Some(3)));
    for field in ["cases", "checkpoints", "nodes_geometric_mean", "branching_factor"] {
        assert_eq!(own[0][field], other[0][field], "{field}");
    }
    let text = said(folder.path(), "bench chess --suite three.epd --nodes 3000 --verbose");
    assert!(text.contains("3 of 3 solved") && text.contains("d1d8") && text.contains("back rank"), "{text}");
}

#[test]
fn suites_and_engines_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("bad.epd"), format!("{THREE}4k3/8/8/8/8/8/8/4K2R w K - bm Qa1;\n")).expect("a file");
    fs::write(folder.join("three.epd"), THREE).expect("a file");
    refused(folder, "bench chess --suite bad.epd", "bad.epd:5: best move \"Qa1\"");
    refused(folder, "bench chess --suite none.epd", "--suite: none.epd: ");
    refused(folder, "bench --suite three.epd", "a suite is of one game");
    refused(folder, "bench chess --suite three.epd --nodes 0", "--nodes");
    refused(folder, "bench chess --suite three.epd --engine cmd=./none", "--engine cmd=./none: ");
    refused(folder, "bench chess --suite three.epd --engine nonsense~here", "--engine nonsense here: ");
    refused(folder, "bench chess --make-suite new.epd", "--from");
    refused(folder, "bench chess --make-suite new.epd --from none.pgn", "none.pgn");
    refused(folder, "bench chess --make-suite new.epd --from three.pgn --nodes 500", "expected at least 100000");
    assert!(!folder.join("new.epd").exists());
}

/// A suite from games that the program plays itself: what is written is read again.
#[test]
fn a_suite_is_made_from_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    said(folder, "selfplay chess --games 12 --nodes 150 --seed 3 --quiet --out g.pgn");
    let words = "bench chess --make-suite new.epd --from g.pgn --count 1 --nodes 100000 --margin 60";
    let told = said(folder, words);
    assert!(told.contains("new.epd: ") && told.contains("tried"), "{told}");
    let text = fs::read_to_string(folder.join("new.epd")).expect("a suite");
    assert!(text.starts_with("# Made by tesuji bench --make-suite (seed 1): positions of g.pgn"), "{text}");
    if told.contains("new.epd: 1 positions") {
        let outcome = json(folder, "bench chess --suite new.epd --nodes 100000 --json");
        assert_eq!(outcome[0]["positions"].as_u64(), Some(1), "{text}");
    }
    refused(folder, words, "--force");
}
