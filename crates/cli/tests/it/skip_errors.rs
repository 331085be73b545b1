//! One broken game among good ones: every command that reads games names `--skip-errors`, and goes on with it.

use std::{fs, path::Path, process::Command};

/// Commands that read all games of a file. `GAMES` is the file, `OUT` where they may write.
const READERS: [(&str, &str); 11] = [
    ("analyse", "chess GAMES --nodes 10"),
    ("bench", "chess --make-suite OUT.epd --from GAMES --count 1"),
    ("book", "import chess GAMES --out OUT.tsv"),
    ("data", "convert GAMES OUT.sgs"),
    ("data", "shuffle GAMES OUT.sgs"),
    ("data", "stats GAMES"),
    ("data", "features GAMES --layout sofcheck --no-progress --out OUT.csv"),
    ("match", "--engine name=A --engine name=B --nodes 5 --games 2 -j 1 --max-plies 10 --openings GAMES"),
    ("train", "nnue --game chess --net chess-768x32 --games GAMES --out OUT.net"),
    ("tune", "chess --games GAMES --epochs 1 --out OUT.json"),
    ("tune", "chess --games GAMES --chances"),
];

/// The exit code of a command and what it says.
fn run(folder: &Path, name: &str, words: &str) -> (Option<i32>, String) {
    let words = words.replace("GAMES", "games.pgn").replace("OUT", "out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let out = command.arg(name).args(words.split(' ')).current_dir(folder).output().expect("the binary starts");
    (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
}

/// `book import`, `bench --make-suite` and `train nnue` stopped at the first broken game, and nothing told what to do.
#[test]
fn every_reader_of_games_names_the_option_that_leaves_broken_ones_out() {
    for (name, words) in READERS {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("games.pgn"), "1. e4 e5 1/2-1/2\n\n1. e4 e5 2. Ke3 *\n\n1. d4 d5 1-0\n").unwrap();
        let (code, said) = run(folder.path(), name, words);
        let fault = "line 3 (game 2): move #3 is illegal: Ke3; --skip-errors leaves";
        let is_told = said.contains("games.pgn: ") && said.contains(fault);
        assert!(matches!(code, Some(1 | 2)) && is_told, "{name} {words}: {code:?} {said}");
        let (_, said) = run(folder.path(), name, &format!("{words} --skip-errors"));
        let goes_on = said.contains("move #3 is illegal: Ke3") && !said.contains("--skip-errors leaves");
        assert!(goes_on, "{name} {words}: {said}");
    }
}

/// A file that was cut within its last game passed as sound.
#[test]
fn every_reader_of_games_reports_a_file_that_was_cut() {
    let cut = "1. e4 e5 1/2-1/2\n\n1. d4 d5 1-0\n\n[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3";
    for (name, words) in READERS {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("games.pgn"), cut).unwrap();
        let (code, said) = run(folder.path(), name, words);
        let is_told =
            ["games.pgn: ", "line 8 (game 3): expected a result", "--skip-errors leaves"].map(|w| said.contains(w));
        assert!(matches!(code, Some(1 | 2)) && is_told == [true; 3], "{name} {words}: {code:?} {said}");
        let (_, said) = run(folder.path(), name, &format!("{words} --skip-errors"));
        let goes_on = said.contains("expected a result") && !said.contains("--skip-errors leaves");
        assert!(goes_on, "{name} {words}: {said}");
    }
}
