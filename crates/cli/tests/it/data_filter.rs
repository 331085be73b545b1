//! `tesuji data`: which game files are of, and ranges of scores.

use std::{path::PathBuf, process::Command};
use tesuji_dataset::tasks::{DataGame, DataRequest, DataTask, ShowTask, game_of};
use tesuji_kit::data::DataKit;
use tesuji_kits::GAMES;

/// `.psv` asked for `--game shogi`, although no other game has such files.
#[test]
fn the_format_tells_the_game() {
    let all: Vec<DataKit> = GAMES.0.iter().map(|&kit| DataKit { kit, games: GAMES }).collect();
    let all: Vec<&dyn DataGame> = all.iter().map(|game| game as &dyn DataGame).collect();
    #[track_caller]
    fn check(all: &[&dyn DataGame], from: Option<&str>, game: Option<&str>, file: &str, expect: &str) {
        let [from, game] = [from, game].map(|text| text.map(String::from));
        let (inputs, task) = (vec![PathBuf::from(file)], DataTask::Show(ShowTask::default()));
        let request =
            DataRequest { version: DataRequest::VERSION, game, inputs, from, skip_errors: false, jobs: 1, task };
        assert_eq!(game_of(&request, all).ok().unwrap().records().name(), expect, "{file}");
    }
    check(&all, None, None, "a/teacher.psv", "shogi");
    check(&all, None, None, "games.sgf.xz", "go");
    check(&all, None, None, "games.kif", "shogi");
    check(&all, Some("hcpe"), None, "-", "shogi");
    check(&all, None, Some("go"), "games.psv", "go");
    let of_none = |from: Option<&str>| {
        let (inputs, task) = (vec![PathBuf::from("what.is.this")], DataTask::Show(ShowTask::default()));
        let from = from.map(String::from);
        let request =
            DataRequest { version: DataRequest::VERSION, game: None, inputs, from, skip_errors: false, jobs: 1, task };
        game_of(&request, &all).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(of_none(None).contains("--from says what it is; there are, for chess: "), "{}", of_none(None));
    assert!(of_none(Some("nothing")).contains("no format is called \"nothing\""), "{}", of_none(Some("nothing")));
    for chess in ["games.pgn.zst", "positions.txt", "rows.parquet", "-"] {
        check(&all, None, None, chess, "chess");
    }
}

/// What `tesuji data filter` with these words and two files says, stdout and stderr.
fn filter(words: &[&str]) -> [String; 2] {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let out = command.args(["data", "filter", "a.pgn", "b.epd"]).args(words).output().expect("the binary starts");
    [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// `--score -50..50` was an `unexpected argument '-5'`, and with `=` it expected what had been typed.
#[test]
fn a_signed_range_of_scores_says_that_sizes_are_asked_for() {
    for words in [&["--score", "-50..50"][..], &["--score=-50..50"], &["--score", "..-3"]] {
        let [_, error] = filter(words);
        assert!(error.contains("no matter who is better: 0..50 is -50 to 50"), "{error}");
    }
    let [request, error] = filter(&["--score", "0..50", "--print-request"]);
    let request: serde_json::Value = serde_json::from_str(&request).expect(&error);
    assert_eq!(request["task"]["filter"]["wanted"]["score_cp"], serde_json::json!([0, 50]), "{request}");
    assert!(filter(&["--plies", "9..3"])[1].contains("9 is above 3"));
}
