//! Numbers on the command line that nobody means: refused or carried out, never a panic, an abort or an overflown stack.
//! (`bounds.rs` beside it tests all options of all subcommands; here is what the program does with what it takes.)

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn tesuji(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(arguments.split(' ').map(|word| word.replace('_', " "))).current_dir(folder).stdin(Stdio::null());
    command.output().expect("the binary starts")
}

/// Runs, and expects this exit code and no panic.
#[track_caller]
fn check(folder: &Path, arguments: &str, code: i32) {
    let out = tesuji(folder, arguments);
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert_eq!(out.status.code(), Some(code), "{arguments}: {text}");
    assert!(!text.contains("panicked"), "{arguments}: {text}");
}

const GAME: &str = "[Event \"?\"]\n[Result \"1-0\"]\n\n1. f3 e5 2. g4 d5 3. a3 1-0\n\n";
const MATE: &str = "7k/8/5K2/6Q1/8/8/8/8_w_-_-_0_1";

#[test]
fn the_largest_numbers_that_are_taken_do_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("a.pgn"), GAME).expect("a file");
    check(at, "perft chess --depth 2 --threads 512", 0);
    check(at, "perft go --rules 3x3 --depth 1 --threads 512", 0);
    check(at, &format!("solve chess --fen {MATE} --hash 131072 --threads 4 --plies 65535 --time 1e9 --verify"), 0);
    check(at, &format!("solve chess --fen {MATE} --nodes 1000000000000000 --hash 1"), 0);
    check(at, "tree chess --depth 1 --plies 1000000 --show 1000000000000 --effort 1000000000000", 0);
    check(at, "tree chess --nodes 1 --time 1e9", 0);
    check(at, "owl --seed 18446744073709551615", 0);
    check(at, "book import chess a.pgn --plies 1000000 --out b.tsv", 0);
    check(at, "data show --game chess a.pgn --skip 1000000000000 --count 1000000000000", 0);
    check(at, "explain chess a.pgn --number 1000000000", 2);
    check(at, "explain chess a.pgn --number 0", 2);
    check(at, "data shuffle --game chess a.pgn s.pgn --seed 18446744073709551615 --memory 16777216 -j 1024 --quiet", 0);
    check(
        at,
        "selfplay chess --games 1 --nodes 1 --max-plies 1 --seed 18446744073709551615 -j 2 --out g.pgn --quiet",
        0,
    );
    check(at, "match --stats 1000000000000 1000000000000 1000000000000", 0);
    check(at, "match --pairs 1000000000000 1000000000000 1000000000000 1000000000000 1000000000000", 0);
    check(at, "match --plan --elo 1e9", 0);
    check(at, "selftest chess --make --positions 1 --seed 18446744073709551615 -j 1024", 0);
}

#[test]
fn absurd_numbers_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in ["-1", "1e20", "4294967296", "18446744073709551615", "NaN"] {
        for arguments in [
            "perft chess --depth",
            "perft chess --threads",
            "tree chess --depth",
            "selfplay chess --out g.pgn --games 1 -j",
            "match --jobs",
            "analyse chess a.pgn --depth",
            "bench chess --depth",
        ] {
            check(folder.path(), &format!("{arguments} {number}"), 2);
        }
    }
    check(folder.path(), "selfplay chess --out g.pgn --games 18446744073709551615", 2);
    assert!(std::fs::read_dir(folder.path()).expect("a folder").next().is_none(), "nothing is written");
}
