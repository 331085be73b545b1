//! Broken files of every kind: one clear error with file and place, exit code 2, and nothing left behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SOUND: &str = "game B a\nstart\nmoves g2g4 e7e5 f2f3 d8h4\n";
const WEIGHTS: &str = include_str!("../../../chess-eval/data/weights.json");

fn tesuji(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(line.split_whitespace()).current_dir(folder).output().expect("the binary starts")
}

/// A folder with a sound game in many formats.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("ok.sgs"), SOUND).unwrap();
    for name in ["ok.parquet", "ok.viri", "ok.binpack", "ok.bullet", "ok.sgs.zst", "ok.pgn.gz"] {
        let out = tesuji(here, &format!("data convert ok.sgs {name} --fill-score 0 --quiet"));
        assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    }
    let line =
        "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 move 7g7f score 35 ply 1 result 1\n";
    fs::write(here.join("ok.txt"), line.repeat(3)).unwrap();
    for name in ["ok.psv", "ok.hcpe"] {
        let out = tesuji(here, &format!("data convert --game shogi ok.txt {name} --lossy --quiet"));
        assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    }
    folder
}

/// Runs `line`, which must end with code 2, one line on stderr that begins with `error`, and the same files as before.
#[track_caller]
fn check(here: &Path, line: &str, error: &str) {
    let names = || {
        let mut names: Vec<_> = fs::read_dir(here).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let out = tesuji(here, line);
    let told = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{line}: {told}");
    assert!(told.starts_with(&format!("tesuji: {error}")), "{line}: {told}");
    assert_eq!(told.lines().count(), 1, "{line}: {told}");
    assert_eq!(names(), before, "{line} left something behind");
}

/// A file made of a sound one.
fn broken(here: &Path, from: &str, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(here.join(from)).unwrap();
    change(&mut bytes);
    fs::write(here.join(name), bytes).unwrap();
}

#[test]
fn broken_text_is_one_error_with_its_line() {
    let folder = folder();
    let here = folder.path();
    let pgn = "[White \"a\"]\n\n1. e4 *\n\n[White \"b\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"c\"]\n\n1. d4 *\n";
    for (name, text, error) in [
        (
            "a.sgs",
            SOUND.to_string() + "game W b\nstart\nmoves e2e4 e7e6 e4e6\n",
            "line 6 (game 2): move #3 is illegal: e4e6",
        ),
        ("b.sgs", SOUND.to_string() + "game Q b\nstart\n", "line 4 (game 2): expected the winner"),
        ("c.sgs", "start\nmoves e2e4\n".into(), "line 1 (game 1): expected the command `game`, found `start`"),
        ("d.sgs", SOUND.to_string() + "game W b\nboard 8/8/8/8 w - -\n", "line 5 (game 2): "),
        ("a.pgn", pgn.into(), "line 7 (game 2): move #3 is illegal: Ke3"),
        ("b.pgn", "[FEN \"nonsense\"]\n\n1. e4 *\n".into(), "line 3 (game 1): bad position: "),
    ] {
        fs::write(here.join(name), text).unwrap();
        for line in [
            "data convert NAME out.parquet",
            "data convert NAME out.sgs.zst -j 3",
            "data stats NAME",
            "data shuffle NAME out.pgn",
        ] {
            check(here, &(line.replace("NAME", name) + " --quiet"), &format!("{name}: {error}"));
        }
        check(here, &format!("data features {name} --out rows.parquet --no-progress"), &format!("{name}: {error}"));
    }
    for (name, text, error) in [
        ("a.epd", "4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8 w - -\n", "line 2 (position 2): "),
        ("a.fen", "0.5 3 4k3/8/8/8/8/8/8/4K3 w - - 0 1\nx\n", "line 2 (position 2): "),
    ] {
        fs::write(here.join(name), text).unwrap();
        check(here, &format!("data convert {name} out.parquet --quiet"), &format!("{name}: {error}"));
    }
}

#[test]
fn broken_bytes_are_one_error_with_their_place() {
    let folder = folder();
    let here = folder.path();
    broken(here, "ok.parquet", "cut.parquet", |b| b.truncate(900));
    broken(here, "ok.parquet", "hole.parquet", |b| b[300..500].fill(0));
    broken(here, "ok.parquet", "tiny.parquet", |b| b.truncate(4));
    broken(here, "ok.viri", "cut.viri", |b| b.truncate(b.len() - 3));
    broken(here, "ok.binpack", "cut.binpack", |b| b.truncate(b.len() - 1));
    broken(here, "ok.binpack", "magic.binpack", |b| b[0] = b'X');
    broken(here, "ok.binpack", "long.binpack", |b| b[7] = 0xFF);
    broken(here, "ok.binpack", "move.binpack", |b| b[8 + 24] = 0xFF);
    broken(here, "ok.bullet", "cut.bullet", |b| b.truncate(50));
    broken(here, "ok.sgs.zst", "cut.sgs.zst", |b| b.truncate(b.len() - 5));
    broken(here, "ok.pgn.gz", "cut.pgn.gz", |b| b.truncate(b.len() - 12));
    broken(here, "ok.psv", "cut.psv", |b| b.truncate(100));
    broken(here, "ok.psv", "move.psv", |b| b[40 + 34] = 0xFF);
    broken(here, "ok.hcpe", "code.hcpe", |b| b[2 * 38 + 5..2 * 38 + 32].fill(0xFF));
    for (game, name, output, error) in [
        ("chess", "cut.parquet", "out.epd", "no Parquet file"),
        ("chess", "hole.parquet", "out.epd", "the checksum of bytes 0 to "),
        ("chess", "tiny.parquet", "out.epd", "no Parquet file"),
        ("chess", "cut.viri", "out.pgn", "game 1: the file ends in the middle of a game"),
        ("chess", "cut.binpack", "out.pgn", "game 1: at byte "),
        ("chess", "magic.binpack", "out.pgn", "game 1: at byte 0: expected BINP at the beginning of a block"),
        ("chess", "long.binpack", "out.pgn", "game 1: at byte 4: expected a block of at most 100 MiB"),
        ("chess", "move.binpack", "out.pgn", "game 1: at byte 8: expected a legal move"),
        ("chess", "cut.bullet", "out.epd", "position 2: expected a whole record"),
        ("chess", "cut.sgs.zst", "out.pgn", "the file is cut: it ends in the middle of its zstd stream"),
        ("chess", "cut.pgn.gz", "out.sgs", "the file is cut: it ends in the middle of its gzip stream"),
        ("shogi", "cut.psv", "out.parquet", "position 3: at byte 100: expected a whole record, found `20 of 40 bytes`"),
        ("shogi", "cut.psv", "out.hcpe", "position 3: at byte 100: expected a whole record, found `20 of 40 bytes`"),
        ("shogi", "move.psv", "out.txt", "position 2: at byte 74: expected a legal move"),
        ("shogi", "move.psv", "out.hcpe", "position 2: at byte 74: expected a legal move"),
        ("shogi", "code.hcpe", "out.psv", "position 3: at byte "),
    ] {
        for jobs in [1, 3] {
            let line = format!("data convert --game {game} {name} {output} --lossy --quiet -j {jobs}");
            check(here, &line, &format!("{name}: {error}"));
        }
    }
}

#[test]
fn broken_weights_are_one_error_with_their_line() {
    let folder = folder();
    let here = folder.path();
    let cut: String = WEIGHTS.split_inclusive('\n').take(14).collect();
    for (name, text, error) in [
        (
            "cut.json",
            cut,
            "expected weights in JSON as `tesuji tune` writes them, found something else: EOF while parsing a value at line 15",
        ),
        (
            "word.json",
            WEIGHTS.replacen("\"mg\": [", "\"mg\": [x", 1),
            "expected weights in JSON as `tesuji tune` writes them, found something else: expected value at line 10",
        ),
        ("name.json", WEIGHTS.replacen("bishop_pair", "bishop_pear", 1), ""),
        (
            "none.json",
            String::new(),
            "expected weights in JSON as `tesuji tune` writes them, found something else: EOF while parsing",
        ),
    ] {
        fs::write(here.join(name), text).unwrap();
        check(here, &format!("weights show {name}"), &format!("{name}: {error}"));
        check(here, &format!("explain chess --weights {name}"), &format!("{name}: {error}"));
    }
}
