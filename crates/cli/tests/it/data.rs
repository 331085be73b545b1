//! `tesuji data`: files converted, sifted, shuffled, split, checked and shown.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tesuji_testkit::needs;

/// Five games: a mate, a draw, a Chess960 castling, one from a position, one the same as the first.
const GAMES: &str = "\
game B fools_mate
tag White a
tag Black b
start
moves g2g4 e7e5 f2f3 d8h4
scores -50 +80 -300 #1

game D -
start
moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8
scores +20 -20 +20 -20 +20 -20 +20 -20

game W -
variant chess960
board 4k3/8/8/8/8/8/8/4K1R1 w G - 0 1
moves e1g1 e8e7 f1f5
scores +480 -500 +510

game W -
board 7k/4Q1p1/8/8/8/8/rrp5/2K5 w - - 0 1
moves e7e8 h8h7
scores +900 -900

game B again
start
moves g2g4 e7e5 f2f3 d8h4
scores -50 +80 -300 #1

";

fn tesuji(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.arg("data").args(line.split_whitespace()).args(["--quiet", "--force"]).current_dir(folder);
    command.output().expect("the binary starts")
}

/// Runs the words, which must end well, and gives what they print.
#[track_caller]
fn good(folder: &Path, line: &str) -> String {
    let out = tesuji(folder, line);
    assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("text")
}

/// Runs the words, which must fail with `code`, and gives their complaint.
#[track_caller]
fn bad(folder: &Path, line: &str, code: i32) -> String {
    let out = tesuji(folder, line);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(code), "{line}: {error}");
    error
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("games.sgs"), GAMES).expect("a file");
    folder
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn formats_are_told_by_names_and_options() {
    let folder = folder();
    let here = folder.path();
    good(here, "convert games.sgs games.viri");
    good(here, "convert games.viri back.parquet");
    good(here, "convert back.parquet back.sgs.zst");
    let text = good(here, "convert back.sgs.zst - --to pgn");
    assert!(text.contains("1. g4 {-0.50} 1... e5 {+0.80} 2. f3 {-3.00} 2... Qh4# {+M1} 0-1"), "{text}");
    assert!(text.contains("[Variant \"Chess960\"]") && text.contains("1. O-O {+4.80} 1... Ke7"), "{text}");
    let lines = good(here, "convert games.sgs - --to text");
    assert!(lines.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | -50 | 0.0\n"), "{lines}");
    assert_eq!(lines.lines().count(), 21);
    let greko = good(here, "convert games.sgs - --to greko");
    assert!(greko.ends_with("0-1 0 rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3\n"), "{greko}");
    let plain = good(here, "convert games.viri - --to sgs-plain");
    assert!(plain.starts_with("game B -\nstart\nmoves g2g4 e7e5 f2f3 d8h4\n\ngame D -\n"), "{plain}");
    assert!(!plain.contains("scores") && !plain.contains("end "), "{plain}");
    let error = bad(here, "convert games.sgs games.xyz", 2);
    assert!(
        error.contains("no format of chess is known for \"games.xyz\"; there are: sgs, pgn, viri, boards"),
        "{error}"
    );
    assert!(bad(here, "convert games.sgs games.sgs", 2).contains("is read and written"));
    assert!(bad(here, "convert games.sgs -", 2).contains("--to FORMAT"));
    assert!(bad(here, "convert games.sgs a.parquet.zst", 2).contains("packed by itself"));
}

#[test]
fn what_a_format_cannot_hold_is_counted() {
    let folder = folder();
    let here = folder.path();
    std::fs::write(here.join("plain.sgs"), GAMES.replace("scores", "other")).expect("a file");
    let out = tesuji(here, "convert plain.sgs a.bullet");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("left out: 26 positions without a score\n--fill-score CP"), "{text}");
    good(here, "convert plain.sgs a.bullet --fill-score 0");
    assert_eq!(std::fs::metadata(here.join("a.bullet")).expect("a file").len(), 26 * 32);
    let json: serde_json::Value = serde_json::from_str(&good(here, "convert games.sgs b.txt --json")).expect("JSON");
    assert_eq!((json["records"].as_u64(), json["written"].as_u64()), (Some(5), Some(21)));
    assert_eq!(json["left"]["positions without a score"].as_u64(), Some(5));
}

/// Moves, scores and results that a format of positions has no place for were dropped without a word.
#[test]
fn what_positions_lose_is_counted() {
    let folder = folder();
    let here = folder.path();
    let text = good(here, "convert games.sgs b.txt");
    assert!(
        text.contains("lost: move of 21 positions (the format has none)\n") && !text.contains("lost: score"),
        "{text}"
    );
    let text = good(here, "convert games.sgs b.epd");
    assert!(!text.contains("lost: "), "{text}");
}

#[test]
fn filters_keep_games_and_positions() {
    let folder = folder();
    let here = folder.path();
    good(here, "filter games.sgs won.sgs --result win --plies 3..");
    let won = read(here, "won.sgs");
    assert!(won.starts_with("game W -\nvariant chess960\n") && won.matches("game ").count() == 1, "{won}");
    let tagged = good(here, "filter games.sgs - --to epd --tag white=A --ply 1..2");
    assert_eq!(tagged.lines().count(), 2, "{tagged}");
    let quiet = good(here, "filter games.sgs - --to epd --no-checks --score 100..600");
    assert_eq!(quiet.lines().count(), 5, "{quiet}");
    assert!(bad(here, "filter games.sgs a.pgn --no-checks", 2).contains("needs a format of positions"));
    good(here, "convert games.sgs a.parquet");
    assert!(bad(here, "filter a.parquet b.txt --plies 3..", 2).contains("ask whole games"));
    assert!(bad(here, "filter a.parquet b.txt --sofcheck", 2).contains("do not know what came before"));
    assert!(bad(here, "filter games.sgs b.txt --ply 3", 2).contains("expected A..B"));
    assert!(!here.join("b.txt").exists());
}

#[test]
fn shuffles_splits_and_dedups() {
    let folder = folder();
    let here = folder.path();
    good(here, "dedup games.sgs once.sgs");
    assert_eq!(read(here, "once.sgs").matches("game ").count(), 4);
    good(here, "shuffle games.sgs mixed.sgs --seed 3 -j 3");
    good(here, "shuffle games.sgs again.sgs --seed 3 -j 1 --memory 0");
    assert_eq!(read(here, "mixed.sgs"), read(here, "again.sgs"));
    assert_ne!(read(here, "mixed.sgs"), GAMES);
    good(here, "split games.sgs --train t.sgs --valid v.sgs --share 0.5");
    let of = |name: &str| read(here, name).matches("game ").count();
    assert_eq!(of("t.sgs") + of("v.sgs"), 5);
    // The game that is there twice is on one side.
    assert_ne!(read(here, "t.sgs").contains("fools_mate"), read(here, "v.sgs").contains("fools_mate"));
    assert_eq!(read(here, "t.sgs").contains("fools_mate"), read(here, "t.sgs").contains("again"));
    good(here, "convert games.sgs a.bullet");
    let error = bad(here, "split a.bullet --train t.bullet --valid v.bullet", 2);
    assert!(
        error.contains("a.bullet: bullet does not tell which game a position comes from")
            && !error.contains("--skip-errors"),
        "{error}"
    );
    assert!(!here.join("t.bullet").exists() && !here.join("t.bullet.part").exists());
}

#[test]
fn statistics_of_games_and_positions() {
    let folder = folder();
    let here = folder.path();
    let text = good(here, "stats games.sgs");
    for line in [
        "games            5",
        "  seen before    1 (20.00 %)",
        "positions        26",
        "  with a move    21 (80.77 %)",
        "  proven         2 (7.69 %)",
        "          wins             2  40.00 % ########################################",
        "         draws             1  20.00 % ####################",
        "plies of games: from 2 to 8, mean 4.2",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
    good(here, "convert games.sgs a.parquet");
    let json: serde_json::Value = serde_json::from_str(&good(here, "stats a.parquet --json")).expect("JSON");
    assert_eq!((json["games"].as_u64(), json["positions"].as_u64()), (Some(4), Some(26)));
    assert_eq!(json["results"], serde_json::json!([7, 9, 10, 0]));
}

#[test]
fn check_names_every_broken_record() {
    let folder = folder();
    let here = folder.path();
    assert_eq!(good(here, "check games.sgs"), "5 games, 0 broken\n");
    let bent = GAMES.replace("moves e1g1", "moves e1g1 e1g1").replace("g2g4 e7e5", "g2g4 e7e6x");
    std::fs::write(here.join("bent.sgs"), bent).expect("a file");
    let out = tesuji(here, "check bent.sgs");
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&out.stdout),
        "bent.sgs: line 5 (game 1): move #2 is illegal: e7e6x\n\
         bent.sgs: line 16 (game 3): move #2 is illegal: e1g1\n\
         bent.sgs: line 26 (game 5): move #2 is illegal: e7e6x\n5 games, 3 broken\n"
    );
    let pgn = "[White \"a\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"b\"]\n\n1. d4 *\n";
    std::fs::write(here.join("bent.pgn"), pgn).expect("a file");
    let error = bad(here, "convert bent.pgn a.parquet", 2);
    assert!(error.contains("bent.pgn: line 3 (game 1): move #3 is illegal: Ke3"), "{error}");
    assert!(!here.join("a.parquet").exists());
    std::fs::write(here.join("x.parquet"), "no columns").expect("a file");
    assert!(bad(here, "stats x.parquet", 2).contains("x.parquet: no Parquet file"));
    assert!(bad(here, "stats none.pgn", 2).contains("none.pgn: "));
}

#[test]
fn records_are_shown() {
    let folder = folder();
    let here = folder.path();
    let text = good(here, "show games.sgs --count 1");
    assert!(text.starts_with("game 1: 0-1 (mate), 4 plies\n  Label: fools_mate\n  White: a\n"), "{text}");
    assert!(text.contains("g2g4(-50) e7e5(+80) f2f3(-300) d8h4(+31999)"), "{text}");
    good(here, "convert games.sgs a.parquet");
    let text = good(here, "show a.parquet --skip 14 --count 1");
    let expected = "position 15: 4k3/8/8/8/8/8/8/4K1R1 w K - 0 1\n  move e1g1 score +480 result 1-0 plies left 3 game ";
    assert!(text.starts_with(expected), "{text}");
    let json: serde_json::Value = serde_json::from_str(&good(here, "show a.parquet --count 1 --json")).expect("JSON");
    assert_eq!((json["move"].as_str(), json["result"].as_f64()), (Some("g2g4"), Some(0.0)));
    assert!(good(here, "show --formats").contains("bullet    .bullet"));
}

/// The real games, where long tests run.
fn real() -> Option<PathBuf> {
    if needs::slow("30,000 real games") { needs::data("sofcheck1_30k.sgs.zst") } else { None }
}

/// Counts that make_dataset and the games' authors published.
#[test]
fn thirty_thousand_real_games_are_counted_as_by_others() {
    let Some(path) = real() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let path = path.display();
    let json: serde_json::Value = serde_json::from_str(&good(here, &format!("stats {path} --json"))).expect("JSON");
    assert_eq!((json["games"].as_u64(), json["positions"].as_u64()), (Some(30_000), Some(3_580_550)));
    assert_eq!(json["results"], serde_json::json!([11_920, 7_209, 10_871, 0]));
    let kept: serde_json::Value =
        serde_json::from_str(&good(here, &format!("filter {path} quiet.parquet --sofcheck --json"))).expect("JSON");
    assert_eq!(kept["written"].as_u64(), Some(2_181_340));
}

/// Folders and archives stand for the files in them.
#[test]
fn folders_and_archives_are_read_whole() {
    let folder = folder();
    let here = folder.path();
    std::fs::create_dir_all(here.join("all/below")).expect("a folder");
    std::fs::write(here.join("all/readme.txt"), "no games\n").expect("a file");
    good(here, "convert games.sgs all/a.sgs");
    good(here, "convert games.sgs all/below/b.pgn.gz");
    good(here, "convert all twice.sgs");
    good(here, "convert games.sgs games.sgs once.sgs");
    assert_eq!(read(here, "twice.sgs").matches("moves ").count(), 10);
    assert!(bad(here, "check all/readme.txt/none.sgs", 2).contains("none.sgs"));
    let tar = |file: &str, names: &[&str]| {
        let status = Command::new("tar").arg("caf").arg(file).args(names).current_dir(here).status();
        assert!(status.expect("tar starts").success());
    };
    tar("one.tar.gz", &["all/readme.txt", "all/a.sgs", "games.sgs"]);
    good(here, "convert one.tar.gz from-tar.sgs");
    assert_eq!(read(here, "from-tar.sgs"), read(here, "once.sgs"));
    tar("mixed.tar", &["all"]);
    let error = bad(here, "check mixed.tar", 2);
    assert!(
        error.contains("mixed.tar: expected files of one format in an archive") && error.contains("b.pgn.gz"),
        "{error}"
    );
    // Archives that are cut were files of no known format, and in a folder they were passed over without a word.
    let whole = std::fs::read(here.join("one.tar.gz")).expect("a file");
    std::fs::create_dir(here.join("torn")).expect("a folder");
    for (name, bytes) in [("torn/cut.tar.gz", &whole[..whole.len() / 2]), ("torn/cut.zip", b"PK\x03\x04junk")] {
        std::fs::write(here.join(name), bytes).expect("a file");
        for asked in [name, "torn"] {
            let error = bad(here, &format!("check {asked}"), 2);
            assert!(error.contains(name) && !error.contains("no format"), "{asked}: {error}");
        }
        std::fs::remove_file(here.join(name)).expect("a file");
    }
    std::fs::create_dir(here.join("empty")).expect("a folder");
    assert!(bad(here, "check empty", 2).contains("empty: no file in this folder"));
}

/// Parts hold every record once, in sizes that differ by one at most, and games stay whole.
#[test]
fn records_are_split_into_parts() {
    let folder = folder();
    let here = folder.path();
    let text = good(here, "split games.sgs --parts 2 --out part.sgs");
    // --quiet tells no parts.
    assert!(text.starts_with("5 games read, 5 records written in ") && !text.contains("part-"), "{text}");
    let counts = ["part-1.sgs", "part-2.sgs"].map(|part| read(here, part).matches("game ").count());
    assert_eq!(counts, [3, 2]);
    let parts = read(here, "part-1.sgs") + &read(here, "part-2.sgs");
    let lines = |text: &str| {
        let mut lines: Vec<String> =
            text.lines().filter(|line| line.starts_with("moves ")).map(str::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&parts), lines(GAMES));
    good(here, "convert games.sgs positions.bullet --fill-score 0");
    good(here, "split positions.bullet --parts 10 --out part.bullet");
    let sizes: Vec<u64> = (1..=10)
        .map(|part| std::fs::metadata(here.join(format!("part-{part:02}.bullet"))).expect("a part").len())
        .collect();
    let all = std::fs::metadata(here.join("positions.bullet")).expect("a file").len();
    assert_eq!(sizes.iter().sum::<u64>(), all);
    assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 32, "{sizes:?}");
    assert!(bad(here, "split games.sgs --parts 1 --out a.sgs", 2).contains("--parts 1: expected 2 to 500"));
    assert!(bad(here, "split games.sgs --parts 3 --out -", 2).contains("parts are files"));
}
