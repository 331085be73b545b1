//! `tesuji data` and files that it must not destroy, and what it says about what it leaves out.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const GAMES: &str = "game B a\ntag White x\nstart\nmoves g2g4 e7e5 f2f3 d8h4\nscores +1 +2 +3 +4\n\n\
                     game D b\nstart\nmoves e2e4 e7e5\nscores +1 +2\n\n";

fn tesuji(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.arg("data").args(line.split_whitespace()).arg("--quiet").current_dir(folder);
    command.output().expect("the binary starts")
}

/// Runs the words, which must end with `code`, and gives all that they say.
#[track_caller]
fn said(folder: &Path, line: &str, code: i32) -> String {
    let out = tesuji(folder, line);
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(code), "{line}: {text}");
    text
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("g.sgs"), GAMES).expect("a file");
    folder
}

/// `data convert g.sgs precious.pgn --resume` replaced a file that nobody had begun to write.
#[test]
fn resume_without_stopped_work_replaces_nothing() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("p.sgs"), "precious").unwrap();
    for line in [
        "convert g.sgs p.sgs --resume",
        "shuffle g.sgs p.sgs --resume",
        "dedup g.sgs p.sgs --resume",
        "filter g.sgs p.sgs --resume",
        "split g.sgs --train p.sgs --valid v.sgs --resume",
        "split g.sgs --train t.sgs --valid p.sgs --resume",
    ] {
        let text = said(here, line, 2);
        assert!(text.contains("p.sgs: this file exists; --force replaces it"), "{line}: {text}");
        assert!(text.contains("there is no stopped work to go on with"), "{line}: {text}");
    }
    assert_eq!(fs::read_to_string(here.join("p.sgs")).unwrap(), "precious");
    assert_eq!(fs::read_dir(here).unwrap().count(), 2, "nothing is left behind");
    // With nothing in the way it is a beginning.
    said(here, "convert g.sgs n.sgs --resume", 0);
}

/// Work that was done ended with an error when it was asked for again with `--resume`, as a script does that begins again.
#[test]
fn work_that_is_done_is_said_to_be_done() {
    let folder = folder();
    let here = folder.path();
    for (line, name) in [
        ("convert g.sgs a.pgn", "a.pgn"),
        ("shuffle g.sgs b.sgs --seed 5 --resume", "b.sgs"),
        ("dedup g.sgs c.sgs", "c.sgs"),
        ("filter g.sgs d.sgs --result draw", "d.sgs"),
        ("split g.sgs --train t.sgs --valid v.sgs --share 0.5", "t.sgs"),
        ("convert g.sgs e.parquet", "e.parquet"),
    ] {
        let line = line.trim_end_matches(" --resume");
        said(here, line, 0);
        let before = fs::read(here.join(name)).unwrap();
        let text = said(here, &format!("{line} --resume"), 0);
        assert!(text.contains("all is done already") && text.contains(name), "{line}: {text}");
        assert_eq!(fs::read(here.join(name)).unwrap(), before);
        // Other work, and files that changed since, are refused as before.
        let text = said(here, line, 2);
        assert!(text.contains("this file exists"), "{line}: {text}");
        fs::write(here.join(name), "precious").unwrap();
        let text = said(here, &format!("{line} --resume"), 2);
        assert!(text.contains("there is no stopped work to go on with"), "{line}: {text}");
        assert_eq!(fs::read_to_string(here.join(name)).unwrap(), "precious");
    }
    fs::write(here.join("g.sgs"), GAMES.replace("d8h4", "f8c5")).unwrap();
    let text = said(here, "convert g.sgs c.sgs --resume", 2);
    assert!(text.contains("this file exists"), "{text}");
}

/// A value out of range in a comment became the nearest one, and nobody was told.
#[test]
fn values_out_of_range_are_counted() {
    let folder = folder();
    let here = folder.path();
    let pgn = "[White \"a\"]\n\n1. e4 {+999.00/9} e5 {+0.10/9} 1-0\n\n[White \"b\"]\n\n1. e4 {+0.20/9} e5 1-0\n";
    fs::write(here.join("a.pgn"), pgn).unwrap();
    fs::write(here.join("a.csa"), "V2.2\nPI\n+\n+7776FU\n'** 99999\n-3334FU\n'** 20\n%TORYO\n").unwrap();
    fs::write(here.join("a.kif"), "手合割：平手\n1 ７六歩(77)\n*評価値=-99999\n2 投了\n").unwrap();
    for line in ["convert a.pgn b.sgs", "convert a.csa b.kif --game shogi", "convert a.kif c.csa --game shogi"] {
        let text = said(here, line, 0);
        assert!(text.contains("left out: values out of range (the nearest are kept) of 1 games\n"), "{line}: {text}");
    }
    assert!(!said(here, "convert b.sgs c.pgn", 0).contains("out of range"), "what was written is in range");
}

/// Inputs and outputs were compared by their names.
#[test]
fn one_file_under_two_names_is_not_read_and_written() {
    let folder = folder();
    let here = folder.path();
    let path = here.display().to_string();
    let name = here.file_name().unwrap().to_string_lossy().into_owned();
    fs::hard_link(here.join("g.sgs"), here.join("hard.sgs")).unwrap();
    let mut others =
        vec!["./g.sgs".to_string(), format!("../{name}/g.sgs"), format!("{path}/g.sgs"), "hard.sgs".into()];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("g.sgs", here.join("soft.sgs")).unwrap();
        others.push("soft.sgs".into());
    }
    for other in &others {
        for line in ["filter g.sgs OTHER --result draw --force", "split g.sgs --train t.sgs --valid OTHER --force"] {
            let text = said(here, &line.replace("OTHER", other), 2);
            assert!(text.contains("is read and written"), "{other}: {text}");
        }
    }
    for line in
        ["split g.sgs --train s.sgs --valid ./s.sgs", &format!("split g.sgs --train s.sgs --valid {path}/s.sgs")]
    {
        assert!(said(here, line, 2).contains("are one file"), "{line}");
    }
    assert_eq!(fs::read_to_string(here.join("g.sgs")).unwrap(), GAMES);
    assert!(!here.join("s.sgs").exists() && !here.join("t.sgs").exists());
}

#[test]
fn a_foreign_part_file_is_not_overwritten() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("out.pgn.part"), "precious").unwrap();
    for line in ["convert g.sgs out.pgn", "convert g.sgs out.pgn --force", "shuffle g.sgs out.pgn --resume"] {
        assert!(said(here, line, 2).contains("out.pgn.part: this file is in the way"), "{line}");
    }
    assert_eq!(fs::read_to_string(here.join("out.pgn.part")).unwrap(), "precious");
}

/// Variations and words were dropped without a word.
#[test]
fn what_games_lose_is_counted() {
    let folder = folder();
    let here = folder.path();
    let pgn =
        "[White \"a\"]\n\n1. e4 {words} (1. d4 d5) 1... e5 $1 {[%clk 0:01:00]} 1-0\n\n[White \"b\"]\n\n1. e4 e5 1-0\n";
    fs::write(here.join("a.pgn"), pgn).unwrap();
    let text = said(here, "convert a.pgn a.sgs", 0);
    assert!(text.contains("left out: variations of 1 games\n") && !text.contains("comments"), "{text}");
    for name in ["a.viri", "a.epd"] {
        let text = said(here, &format!("convert a.pgn {name}"), 0);
        for line in ["variations of 1", "comments of 1", "glyphs of 1", "clocks of 1", "tags of 2"] {
            assert!(text.contains(&format!("left out: {line} games\n")), "{name}: {text}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&said(here, "convert a.pgn b.viri --json", 0)).unwrap();
    assert_eq!((json["lost"]["variations"].as_u64(), json["left"].get("variations")), (Some(1), None));
    let text = said(here, "convert a.pgn b.pgn", 0);
    assert!(!text.contains("left out"), "{text}");
    let kif = "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n*words\n   2 ３四歩(33)\n   3 投了\n\n変化：2手\n   2 ８四歩(83)\n";
    fs::write(here.join("a.kif"), kif).unwrap();
    let text = said(here, "convert a.kif a.csa", 0);
    assert!(text.contains("left out: variations of 1 games\n"), "{text}");
    let sgf = "(;GM[1]SZ[19]RE[B+R]BR[5d];B[pd]C[words](;W[dd])(;W[dp]))";
    fs::write(here.join("a.sgf"), sgf).unwrap();
    let text = said(here, "convert --game go a.sgf a.txt", 0);
    assert!(text.contains("left out: variations of 1 games\n") && text.contains("comments of 1"), "{text}");
    assert!(!text.contains("tags"), "ranks are kept: {text}");
    fs::write(here.join("club.sgf"), sgf.replace("BR[5d]", "PB[Shusaku]")).unwrap();
    let text = said(here, "convert --game go club.sgf club.txt", 0);
    assert!(text.contains("left out: names and other tags of 1 games\n"), "{text}");
}

/// Other programs read only the first game of a KIF file.
#[test]
fn many_games_went_into_one_kif_without_a_word() {
    let folder = folder();
    let here = folder.path();
    let game = "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 投了\n";
    fs::write(here.join("one.kif"), game).unwrap();
    let text = said(here, "convert one.kif same.kif", 0);
    assert!(!text.contains("warning"), "{text}");
    let text = said(here, "convert one.kif same.kif two.kif", 0);
    assert!(text.contains("warning: two.kif holds 2 games, of which other programs may read only the first"), "{text}");
}

/// `[Result "1-0"]` before moves that end with `1/2-1/2` was taken for a draw without a word.
#[test]
fn a_result_that_contradicts_its_tag_is_named() {
    let folder = folder();
    let here = folder.path();
    let pgn =
        "[Result \"1-0\"]\n\n1. e4 e5 1/2-1/2\n\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n\n[Result \"*\"]\n\n1. d4 d5 1-0\n";
    fs::write(here.join("a.pgn"), pgn).unwrap();
    let text = said(here, "check a.pgn", 1);
    assert!(
        text.contains("a.pgn: game 1: expected the result of the tag Result") && text.contains("1/2-1/2"),
        "{text}"
    );
    assert!(text.ends_with("3 games, 1 broken\n"), "{text}");
    let text = said(here, "convert a.pgn a.sgs", 0);
    assert!(text.contains("left out: results behind the moves (the tag Result says another) of 1 games\n"), "{text}");
    let sgs = fs::read_to_string(here.join("a.sgs")).unwrap();
    assert!(sgs.starts_with("game W -\n") && sgs.contains("tag MovetextResult 1/2-1/2\n"), "{sgs}");
    assert_eq!((sgs.matches("game W").count(), sgs.matches("game B").count()), (2, 1));
}

/// A game that ended in mate was counted as a draw because its file said so.
#[test]
fn a_result_that_the_last_position_contradicts_is_named() {
    let folder = folder();
    let here = folder.path();
    let pgn = "[Result \"1/2-1/2\"]\n\n1. f3 e5 2. g4 Qh4# 1/2-1/2\n\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    fs::write(here.join("a.pgn"), pgn).unwrap();
    let text = said(here, "check a.pgn", 1);
    let expected = "a.pgn: game 1: expected the result of the last position, found `1/2-1/2`";
    assert!(text.contains(expected) && text.ends_with("2 games, 1 broken\n"), "{text}");
    let text = said(here, "convert a.pgn a.sgs", 0);
    assert!(text.contains("left out: results that the last position contradicts (it counts) of 1 games\n"), "{text}");
    let sgs = fs::read_to_string(here.join("a.sgs")).unwrap();
    assert!(sgs.matches("game B").count() == 2 && sgs.contains("tag ClaimedResult 1/2-1/2\n"), "{sgs}");
}

/// 99999999 became 32,000: a proven win.
#[test]
fn scores_beyond_all_are_broken() {
    let folder = folder();
    let here = folder.path();
    let fen = "4k3/8/8/8/8/8/8/4K2R w - - 0 1";
    for (score, is_sound) in [("31000", true), ("32767", true), ("40000", false), ("-99999999", false)] {
        fs::write(here.join("a.txt"), format!("{fen} | {score} | 1.0\n")).unwrap();
        fs::write(here.join("a.epd"), format!("4k3/8/8/8/8/8/8/4K2R w - - ce {score};\n")).unwrap();
        for name in ["a.txt", "a.epd"] {
            let text = said(here, &format!("check {name}"), i32::from(!is_sound));
            let expected = "(position 1): expected a score in centipawns from -32767 to 32767";
            assert_eq!(text.contains(expected), !is_sound, "{name} {score}: {text}");
        }
    }
}

/// The name of an archive said nothing: "no format of chess is known".
#[test]
fn an_archive_is_known_by_what_is_in_it() {
    let Ok(python) = std::env::var("TESUJI_PYTHON") else {
        return tesuji_testkit::needs::skip("needs TESUJI_PYTHON, which makes an archive");
    };
    let folder = folder();
    let here = folder.path();
    let status = Command::new(python).args(["-m", "zipfile", "-c", "b.zip", "g.sgs"]).current_dir(here).status();
    assert!(status.expect("python starts").success());
    said(here, "convert b.zip b.pgn", 0);
    said(here, "convert g.sgs g.pgn", 0);
    assert!(fs::read(here.join("b.pgn")).unwrap() == fs::read(here.join("g.pgn")).unwrap());
}

/// "2,000 records written", to nobody.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_stdout_is_an_error() {
    let folder = folder();
    let run = |to: &str| {
        let line = format!("exec \"$0\" data convert g.sgs - --to pgn --quiet {to}");
        let mut command = Command::new("sh");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_tesuji")]).current_dir(folder.path());
        command.output().expect("the shell starts")
    };
    let out = run(">&-");
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("stdout is closed"));
    assert!(run("> /dev/null").status.success() && run("").status.success());
    // As Python's subprocess.DEVNULL opens it, and the standard library where stdout is closed.
    assert!(run("1<> /dev/null").status.success());
}

/// End positions went into hcpe and psv with move 0, which is no move.
#[test]
fn packed_positions_have_a_move() {
    let folder = folder();
    let here = folder.path();
    let csa = "V2.2\nN+a\nN-b\nPI\n+\n+7776FU\nT1\n-3334FU\nT1\n%TORYO\n";
    fs::write(here.join("a.csa"), csa).unwrap();
    for (name, bytes) in [("a.psv", 40), ("a.hcpe", 38), ("a.hcpe2", 38)] {
        let text = said(here, &format!("convert a.csa {name} --fill-score 0 --lossy"), 0);
        assert!(text.contains("left out: 1 positions without a move\n"), "{name}: {text}");
        assert_eq!(fs::metadata(here.join(name)).unwrap().len(), 2 * bytes, "{name}");
        said(here, &format!("check {name}"), 0);
    }
}
