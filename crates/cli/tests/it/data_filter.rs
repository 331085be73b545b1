//! `tesuji data`: which game files are of, ranges of scores, and mates that sort positions.

use std::{path::PathBuf, process::Command};
use tesuji_dataset::tasks::{
    DataGame, DataRequest, DataTask, MatePreset, MateTask, MateVerdict as Verdict, ShowTask, game_of,
};
use tesuji_kit::data::DataKit;
use tesuji_kits::GAMES;
use tesuji_record::Sample;

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
    for chess in ["games.pgn.zst", "positions.txt", "rows.parquet", "what.is.this", "-"] {
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

/// The verdict of a mate search on a position of `game`, within the limits.
fn verdict(game: &str, preset: MatePreset, nodes: Option<u64>, position: &str) -> Option<Verdict> {
    let kit = GAMES.0.iter().find(|kit| kit.name() == game).copied().expect("a game");
    let task = MateTask { output: PathBuf::new(), preset, nodes, plies: None, hash_mib: 8 };
    let sample = Sample { position: position.to_string(), ..Sample::default() };
    DataKit { kit, games: GAMES }.mate_judge(&task).unwrap().judge(&sample).ok()
}

#[track_caller]
fn check(game: &str, preset: MatePreset, position: &str, expect: Verdict) {
    assert_eq!(verdict(game, preset, None, position), Some(expect), "{position}");
}

#[test]
fn mates_on_both_sides_of_the_board_are_found() {
    use MatePreset::{Diary, Quick};
    check("shogi", Diary, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", Verdict::Mates);
    check("shogi", Diary, "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", Verdict::Mated);
    // In check, and whatever it answers it is mated by the next one.
    check("shogi", Diary, "4k4/9/3+P1+P3/9/9/9/9/4R4/4K4 w 2G 1", Verdict::Mated);
    check("shogi", Diary, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", Verdict::Neither);
    check("chess", Quick, "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", Verdict::Mates);
    check("chess", Quick, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Verdict::Mated);
    check("chess", Quick, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Verdict::Neither);
}

#[test]
fn a_limit_is_no_verdict() {
    let diary = "1n1g3+Pl/k1p1s4/1ng5p/pSP1p1pp1/1n3p3/P1K3P1P/1P7/9/L1G5L b 2R2BG2SL5Pn 161";
    check("shogi", MatePreset::Deep, diary, Verdict::Mates);
    assert_eq!(verdict("shogi", MatePreset::Quick, Some(100), diary), Some(Verdict::Limit));
    assert_eq!(verdict("shogi", MatePreset::Quick, Some(100), "9/9"), None, "no position");
}
