//! `tesuji data --game shogi`: every format into every other, what is lost said beforehand, the filters of teacher data.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Two games of six and three positions: numbers, moves, scores and results of the side to move.
const LINES: &str = "\
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 move 7g7f score 35 ply 1 result 1
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2 move 3c3d score -20 ply 2 result -1
sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3 move 8h2b+ score 700 ply 3 result 1
sfen lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4 move 3a2b score -900 ply 4 result -1
";

fn tesuji(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command
        .arg("data")
        .args(line.split_whitespace())
        .args(["--game", "shogi", "--quiet", "--force"])
        .current_dir(folder);
    command.output().expect("the binary starts")
}

#[track_caller]
fn good(folder: &Path, line: &str) {
    let out = tesuji(folder, line);
    assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
}

#[track_caller]
fn bad(folder: &Path, line: &str, error: &str) {
    let out = tesuji(folder, line);
    let told = String::from_utf8_lossy(&out.stderr);
    assert_eq!((out.status.code(), told.trim_end()), (Some(2), error), "{line}");
}

/// What `name` holds, as lines.
#[track_caller]
fn lines(folder: &Path, name: &str) -> String {
    good(folder, &format!("convert {name} as.txt --lossy"));
    fs::read_to_string(folder.join("as.txt")).unwrap()
}

/// `LINES` without the words after one of `words`, and with move number 1 where they have none.
fn without(words: &[&str]) -> String {
    let mut text = String::new();
    for line in LINES.lines() {
        let mut parts: Vec<&str> = line.split(' ').collect();
        for word in words {
            let at = parts.iter().position(|part| part == word).unwrap();
            parts.drain(at..at + 2);
        }
        if words.contains(&"ply") {
            parts[4] = "1";
        }
        text += &(parts.join(" ") + "\n");
    }
    text
}

/// The short cut from one packed format to another dropped the move numbers, and counted nothing.
#[test]
fn what_a_short_cut_drops_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("a.txt"), LINES).unwrap();
    good(here, "convert a.txt a.psv");
    for (to, lost) in [("hcpe", &["ply"][..]), ("hcpe2", &["ply"]), ("psfen", &["move", "ply", "result", "score"])] {
        let out = tesuji(here, &format!("convert a.psv b.{to} --lossy"));
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let told: Vec<&str> = text.lines().filter(|line| line.starts_with("lost: ")).collect();
        let expect: Vec<String> =
            lost.iter().map(|label| format!("lost: {label} of 4 positions (the format has none)")).collect();
        assert_eq!(told, expect, "{to}: {text}");
    }
}

#[test]
fn positions_go_through_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("a.txt"), LINES).unwrap();
    let all = ["move", "score", "ply", "result"];
    for (name, words) in [
        ("a.psv", &[][..]),
        ("a.hcpe", &["ply"]),
        ("a.hcpe2", &["ply"]),
        ("a.hcp", &all),
        ("a.psfen", &all),
        ("a.parquet", &[]),
    ] {
        good(here, &format!("convert a.txt {name} --lossy"));
        let told = lines(here, name);
        let expected = without(words);
        // A position alone has its number all the same.
        let told = if words.contains(&"ply") { told.replace(" ply 1", "") } else { told };
        assert_eq!(told, expected, "{name}");
    }
    // Between all packed formats: the same bytes with and without samples in between, whatever the jobs.
    for from in ["psv", "hcpe", "hcpe2", "hcp", "psfen"] {
        for to in ["psv", "hcpe", "hcpe2", "hcp", "psfen"] {
            if ["hcp", "psfen"].contains(&from) && !["hcp", "psfen"].contains(&to) {
                // A file that is there would not be replaced by nothing.
                let _ = fs::remove_file(here.join(format!("x.{to}")));
                let out = tesuji(here, &format!("convert a.{from} x.{to}"));
                assert_eq!(out.status.code(), Some(1), "{from} to {to}");
                continue;
            }
            good(here, &format!("convert a.{from} one.{to} --lossy -j 1"));
            good(here, &format!("convert a.{from} four.{to} --lossy -j 4 --unchecked"));
            good(here, &format!("shuffle a.{from} mixed.{to} --lossy"));
            let read = |name: &str| fs::read(here.join(format!("{name}.{to}"))).unwrap();
            assert!(read("one") == read("four"), "{from} to {to}");
            let records = |bytes: Vec<u8>| {
                let mut records: Vec<_> = bytes.chunks(bytes.len() / 4).map(<[u8]>::to_vec).collect();
                records.sort();
                records
            };
            assert!(records(read("one")) == records(read("mixed")), "{from} to {to}");
        }
    }
}

#[test]
fn positions_become_games_and_positions_again() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("a.txt"), LINES).unwrap();
    good(here, "convert a.txt a.psv");
    for name in ["a.csa", "a.hcpe3", "a.kif"] {
        good(here, &format!("convert a.psv {name}"));
        good(here, &format!("convert {name} back.psv"));
        let (told, expected) = (lines(here, "back.psv"), lines(here, "a.psv"));
        let moves =
            |text: &str| text.lines().map(|l| l.split(" score").next().unwrap_or("").to_string()).collect::<Vec<_>>();
        // The last position of a game has no move; where it has no score, it is left out.
        assert_eq!(moves(&told)[..moves(&told).len().min(4)], moves(&expected)[..moves(&told).len().min(4)], "{name}");
    }
    good(here, "convert a.csa b.kif");
    good(here, "convert b.kif b.csa");
    good(here, "convert b.csa b.parquet");
}

#[test]
fn what_would_be_lost_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("a.txt"), LINES).unwrap();
    good(here, "convert a.txt a.psv");
    for (to, lost) in [("hcp", "move, score, result, ply"), ("psfen", "move, score, result, ply"), ("hcpe", "ply")] {
        bad(
            here,
            &format!("convert a.psv a.{to}"),
            &format!("tesuji: a.psv: {to} cannot hold what psv tells: {lost}; --lossy writes without"),
        );
        assert!(!here.join(format!("a.{to}")).exists());
    }
    good(here, "convert a.psv a.hcpe --lossy");
    good(here, "convert a.hcpe b.psv");
    good(here, "convert a.psv a.csa");
    bad(
        here,
        "convert a.hcpe x.hcpe2 --score-below 500 --or-ply-max 3",
        "tesuji: a.hcpe: hcpe has no move numbers, and --or-ply-max asks for them",
    );
    bad(
        here,
        "convert a.psv x.txt --unchecked",
        "tesuji: --unchecked is for packed positions: there is no short cut between these formats",
    );
}

/// `psv_to_hcp A B 500` and its fourth argument: near to balance, or early.
#[test]
fn teacher_data_near_to_balance() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("a.txt"), LINES).unwrap();
    good(here, "convert a.txt a.psv");
    for (words, kept) in [
        ("--score-below 500", &[1, 2][..]),
        ("--score-below 700", &[1, 2]),
        ("--score-below 701", &[1, 2, 3]),
        ("--score-below 20 --or-ply-max 1", &[1]),
        ("--score-below 500 --or-ply-max 3", &[1, 2, 3]),
        ("--score-below 0 --or-ply-max 4", &[1, 2, 3, 4]),
    ] {
        for line in [
            "convert a.psv b.hcp",
            "convert a.psv b.psv",
            "filter a.psv b.txt",
            "filter a.psv b.psv",
            "convert a.txt b.hcp",
        ] {
            good(here, &format!("{line} {words} --lossy"));
            let output = line.rsplit(' ').next().unwrap();
            assert_eq!(lines(here, output).lines().count(), kept.len(), "{line} {words}");
        }
        good(here, &format!("convert a.psv b.psv {words}"));
        let expected: String =
            LINES.lines().enumerate().filter(|(i, _)| kept.contains(&(i + 1))).map(|(_, l)| format!("{l}\n")).collect();
        assert_eq!(lines(here, "b.psv"), expected, "{words}");
    }
}

#[test]
fn games_of_strong_players_that_ended_well() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let game = |black: &str, white: &str, end: &str| {
        format!(
            "V2.2\nN+a\nN-b\n'black_rate:a+1:{black}\n'white_rate:b+2:{white}\nPI\n+\n+7776FU\nT1\n-3334FU\nT1\n%{end}\n/\n"
        )
    };
    let files = [
        ("1.csa", game("3100.5", "3000", "TORYO")),
        ("2.csa", game("3100", "2400", "TORYO")),
        ("3.csa", game("3100", "3200", "TIME_UP")),
    ];
    for (name, text) in &files {
        fs::write(here.join(name), text).unwrap();
    }
    let kept = |words: &str| {
        // A file that is there would not be replaced by nothing.
        let _ = fs::remove_file(here.join("out.csa"));
        good(here, &format!("filter 1.csa 2.csa 3.csa out.csa {words}"));
        fs::read_to_string(here.join("out.csa")).unwrap().matches("PI").count()
    };
    assert_eq!((kept("--rating 3000.."), kept("--ending resignation"), kept("--plies 3..")), (2, 2, 0));
    assert_eq!(kept("--rating 3000.. --ending resignation --plies ..2"), 1);
}

/// New scores come from the nodes alone: the same for any jobs, and after a stop; other labels stay.
#[test]
fn new_scores_by_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("a.txt"), LINES).unwrap();
    good(here, "convert a.txt a.psv");
    good(here, "rescore a.psv one.psv --nodes 500 -j 1 --option Hash=1");
    good(here, "rescore a.psv two.psv --nodes 500 -j 2 --option Hash=1");
    assert!(fs::read(here.join("one.psv")).unwrap() == fs::read(here.join("two.psv")).unwrap());
    let (old, new) = (lines(here, "a.psv"), lines(here, "one.psv"));
    assert_ne!(old, new);
    let words = |line: &str| line.split(' ').map(str::to_string).collect::<Vec<_>>();
    for (old, new) in old.lines().map(words).zip(new.lines().map(words)) {
        let at = old.iter().position(|word| word == "score").unwrap() + 1;
        assert_eq!((&old[..at], &old[at + 1..]), (&new[..at], &new[at + 1..]));
    }
    // Black has taken a bishop that White takes back.
    let score = |line: &str| line.split("score ").nth(1).unwrap().split(' ').next().unwrap().parse::<i32>().unwrap();
    assert!(new.lines().all(|line| score(line).abs() < 600), "{new}");
    bad(here, "rescore a.psv x.csa --nodes 5", "tesuji: x.csa holds games: scores are given to positions");
}

/// "no format of chess is known", of a file of shogi that no ending told and whose game nobody had named.
#[test]
fn an_ending_that_tells_nothing_asks_for_a_format_of_any_game() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("a.txt"), LINES).unwrap();
    good(here, "convert a.txt shuffled_sfen1.bin --to psv");
    let data = |line: &str, code: i32| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        let out = command.arg("data").args(line.split(' ')).current_dir(here).output().expect("the binary starts");
        let told = String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).to_string();
        assert_eq!(out.status.code(), Some(code), "{line}: {told}");
        told
    };
    let told = data("check shuffled_sfen1.bin", 2);
    let expect = "the ending of \"shuffled_sfen1.bin\" is that of no format; --from says what it is; there are, for chess: sgs, ";
    assert!(told.contains(expect) && told.contains("for shogi: ") && told.contains(", psv, "), "{told}");
    let told = data("check --from pvs shuffled_sfen1.bin", 2);
    assert!(told.contains("no format is called \"pvs\"; there are, for chess: sgs, "), "{told}");
    assert!(data("check --from psv shuffled_sfen1.bin", 0).contains("4 positions, 0 broken"));
    // As psv_to_hcp FILE FILE 500 did it, and divide_hcp.py FILE 2.
    data("convert --from psv shuffled_sfen1.bin starts.hcp --score-below 500 --lossy", 0);
    assert_eq!(fs::metadata(here.join("starts.hcp")).unwrap().len(), 2 * 32);
    data("split starts.hcp --parts 2 --out part.hcp", 0);
    assert!(["part-1.hcp", "part-2.hcp"].iter().all(|name| fs::metadata(here.join(name)).unwrap().len() == 32));
}
