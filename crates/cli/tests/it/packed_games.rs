//! Games of foreign engines and compressed files of games, from outside: `selfplay --engine`, `data rescore --engine`, outputs of `match`.

use crate::match_::{engine, run};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};
use tesuji_jobs::open_input;
use tesuji_testkit::mock;

/// Runs the binary in a folder: exit code and all that it printed.
fn tesuji(folder: &Path, words: &str) -> (Option<i32>, String) {
    let words = tesuji_jobs::words::split(words).expect("words");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let out = command.args(words).current_dir(folder).stdin(Stdio::null()).output().expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout) + &text(&out.stderr))
}

/// What a file holds, compressed or not.
fn text(path: &Path) -> String {
    std::io::read_to_string(open_input(path).expect("a file")).expect("text")
}

fn mock_engine(habits: &str) -> String {
    format!("--engine \"cmd={} args='{habits}'\"", mock::path().display())
}

#[test]
fn an_engine_makes_games_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let words = "selfplay chess --games 4 --seed 3 --nodes 100 --max-plies 60 --resign off -j 2 --quiet";
    let outs = "--out g.sgs.zst --out g.pgn.gz --out g.viri --out g.bullet --out g.parquet --out g.epd.zst";
    let (code, told) = tesuji(path, &format!("{words} {} {outs}", mock_engine("--score 25")));
    assert_eq!(code, Some(0), "{told}");
    let games = text(&path.join("g.sgs.zst"));
    assert_eq!((games.matches("game ").count() >= 4, games.contains("engine ")), (true, true), "{games}");
    assert_eq!(text(&path.join("g.pgn.gz")).matches("[Event ").count(), 4);
    for file in ["g.sgs.zst", "g.pgn.gz", "g.viri", "g.bullet", "g.parquet", "g.epd.zst"] {
        let (code, told) = tesuji(path, &format!("data check --game chess {file}"));
        assert_eq!(code, Some(0), "{file}: {told}");
    }
    // All that the games tell is their moves and results where that is wanted; scores stay beside them.
    let (code, told) = tesuji(path, &format!("{words} {} --sgs-style plain --out p.sgs", mock_engine("--score 25")));
    assert_eq!(code, Some(0), "{told}");
    let plain = text(&path.join("p.sgs"));
    assert!(!plain.contains("scores ") && !plain.contains("origin ") && plain.contains("moves "), "{plain}");
    assert!(text(&path.join("p.sgs.sgs")).contains("scores "));
    let (code, told) =
        tesuji(path, &format!("{words} {} --sgs-style plain --out p.sgs --resume", mock_engine("--score 25")));
    assert!(code == Some(0) && text(&path.join("p.sgs")) == plain, "{told}");
    // A format that has a score for each move holds no game without any.
    let (code, told) = tesuji(path, &format!("{words} {} --out n.sgs --out n.viri", mock_engine("--infos 0")));
    assert!(code == Some(0) && told.contains("told no score"), "{told}");
    assert!(told.contains("n.viri: 0 games, 4 left out (games without a score)"), "{told}");
    // Positions of these games, scored by another engine.
    let asked = format!("data rescore g.sgs.zst r.parquet --nodes 100 {}", mock_engine("--score -40"));
    let (code, told) = tesuji(path, &asked);
    assert!(code == Some(0) && told.contains("244 records written"), "{told}");
    let (code, told) = tesuji(path, "data show r.parquet --game chess --count 1 --skip 20");
    assert!(code == Some(0) && told.contains("40"), "{told}");
}

#[test]
fn wrong_engines_and_names_are_told_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for (words, wanted) in [
        ("selfplay chess --games 1 --engine cmd=/no/such --out g.sgs", "cannot start /no/such"),
        ("selfplay chess --games 1 --engine 'cmd=a tc=x' --out g.sgs", "1+0.01"),
        ("selfplay chess --games 1 --tc 1+0.01 --out g.sgs", "--tc 1+0.01: is for engines: name one"),
        (
            "selfplay chess --games 1 --engine cmd=a --weights w.json --out g.sgs",
            "--weights is for players of this program",
        ),
        ("selfplay chess --games 1 --out g.sgs.xz", "g.sgs.xz: .xz files are read, not written; .zst and .gz are"),
        ("selfplay chess --games 1 --out g.parquet.zst", "name it g.parquet and compress it afterwards"),
        ("data rescore g.sgs r.parquet --nodes 9 --engine cmd=/no/such", "cannot start /no/such"),
        ("data rescore g.sgs r.parquet --engine cmd=a", "--nodes says how long each position is searched"),
        ("data rescore g.sgs r.parquet --engine 'cmd=/no/such nodes=9'", "cannot start /no/such"),
        (
            "data rescore g.sgs r.parquet --nodes 9 --engine cmd=a --search mcts",
            "--search is for players of this program",
        ),
        ("improve chess --games 1 --pairs 1 --engine 'cmd=a option.F={weights}'", "expected weights-file=FILE in it"),
        (
            "improve chess --games 1 --pairs 1 --engine 'cmd=a weights-file=w.json' --rows 'a {games} {rows}'",
            "all versions would be the same",
        ),
        (
            "improve chess --games 1 --pairs 1 --engine 'cmd=a option.F={weights} weights-file=w.json' --learn nnue",
            "--learn nnue and --net SHAPE go together",
        ),
        (
            "improve chess --games 1 --pairs 1 --engine 'cmd=a option.F={weights} weights-file=w.json' --rows 'a {games} {rows}'",
            "w.json",
        ),
    ] {
        fs::write(folder.path().join("g.sgs"), "").expect("a file");
        if words.starts_with("selfplay") {
            fs::remove_file(folder.path().join("g.sgs")).expect("no file");
        }
        let (code, told) = tesuji(folder.path(), words);
        assert!(code == Some(2) && told.contains(wanted), "{words}: {told}");
    }
}

/// A match whose compressed outputs a kill tore goes on, and ends with whole files; what is no such file is not appended to.
#[test]
fn compressed_outputs_of_matches_grow_and_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let (a, b) = (engine("a", "--seed 1"), engine("b", "--seed 2"));
    let players =
        ["--engine", &a, "--engine", &b, "--nodes", "1", "--seed", "7", "-j", "1", "--quiet", "--max-plies", "40"];
    let files = ["--pgn-out", "g.pgn.zst", "--sgs-out", "g.sgs.gz", "--epd-out", "g.epd.zst"];
    let args: Vec<&str> = players.iter().chain(&files).chain(&["--games", "4"]).copied().collect();
    let (code, told, errors) = run(path, &args);
    assert_eq!(code, 0, "{told}{errors}");
    let count = |file: &str, word: &str| text(&path.join(file)).matches(word).count();
    assert_eq!([count("g.pgn.zst", "[Event "), count("g.sgs.gz", "\nend ")], [4, 4]);
    // The last game is torn: it comes from the journal.
    let whole = fs::read(path.join("g.pgn.zst")).expect("games");
    fs::write(path.join("g.pgn.zst"), &whole[..whole.len() - 5]).expect("a tear");
    let (code, told, errors) = run(path, &["--resume", "g.pgn.zst.journal", "--games", "8", "--quiet"]);
    assert_eq!(code, 0, "{told}{errors}");
    assert!(fs::read(path.join("g.pgn.zst")).expect("games").starts_with(&whole));
    assert_eq!([count("g.pgn.zst", "[Event "), count("g.sgs.gz", "\nend ")], [8, 8]);
    assert_eq!(text(&path.join("g.epd.zst")).lines().count(), 8);
    // Another match appends behind it; a result that somebody changed is noticed.
    let args: Vec<&str> = players.iter().chain(&files).chain(&["--games", "2", "--fresh"]).copied().collect();
    let (code, told, errors) = run(path, &args);
    assert!(code == 0 && count("g.pgn.zst", "[Event ") == 10, "{told}{errors}");
    let torn = fs::read(path.join("g.pgn.zst")).expect("games");
    for (bytes, words) in [
        (&b"[Event \"x\"]\n\n*\n"[..], "not compressed as its name says"),
        (&torn[..torn.len() - 9], "the file is cut"),
    ] {
        fs::write(path.join("g.pgn.zst"), bytes).expect("a file");
        let (code, told, errors) = run(path, &args);
        assert!(code == 2 && errors.contains(words) && errors.contains("nothing is appended to it"), "{told}{errors}");
        assert_eq!(fs::read(path.join("g.pgn.zst")).expect("the file"), bytes);
    }
}
