//! What `tesuji data features` counts: SoFCheck's columns byte for byte, hashes, samples, and errors with their places.

use std::path::Path;
use std::process::{Command, Output};
use tesuji_record::transcript::fnv1a;
use tesuji_testkit::needs;

fn tesuji(arguments: &[&str]) -> Output {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(["data", "features"]).args(arguments).current_dir(data).output().expect("the binary starts")
}

#[track_caller]
fn said(arguments: &[&str]) -> Vec<u8> {
    let out = tesuji(arguments);
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    out.stdout
}

/// `features-few.csv` was written by SoFCheck's make_dataset (9d86bda) from `features-few.sgs`.
#[test]
fn few_games_give_make_datasets_bytes() {
    let golden = include_bytes!("../data/features-few.csv");
    for jobs in ["1", "2", "4"] {
        let csv = said(&["features-few.sgs", "--layout", "sofcheck", "--jobs", jobs]);
        let differ = csv.split(|b| *b == b'\n').zip(golden.split(|b| *b == b'\n')).position(|(a, b)| a != b);
        assert!(csv == golden, "{jobs} jobs: line {:?} of {} bytes", differ.map(|n| n + 1), csv.len());
    }
}

/// Length and FNV-1a of what make_dataset (9d86bda) wrote from `features.sgs`.
#[test]
fn more_games_give_make_datasets_bytes_for_any_jobs() {
    for jobs in ["1", "2", "4"] {
        let csv = said(&["features.sgs", "--layout", "sofcheck", "-j", jobs]);
        assert_eq!((csv.len(), fnv1a(&csv)), (1_591_260, 0x2d99_8ea9_8817_9cfd), "{jobs} jobs");
    }
    let csv = said(&["features.sgs", "--layout", "sofcheck", "--all"]);
    assert_eq!((csv.len(), fnv1a(&csv)), (2_685_648, 0xb255_5f24_2dbe_72ed));
}

/// `features.hash` is what every change of the evaluation that should change nothing must leave as it is. A change that
/// should, writes it again: `UPDATE=1 cargo test -p tesuji-cli --test it features`.
#[test]
fn the_hash_of_fixed_games_is_the_one_on_record() {
    let hash = |layout: &str, jobs: &str| {
        let text = String::from_utf8(said(&["features.sgs", "--hash", "--layout", layout, "--jobs", jobs])).unwrap();
        text.trim().to_string()
    };
    let now = format!("tesuji {}\nsofcheck {}\n", hash("tesuji", "1"), hash("sofcheck", "1"));
    for jobs in ["2", "4"] {
        assert_eq!(format!("tesuji {}\nsofcheck {}\n", hash("tesuji", jobs), hash("sofcheck", jobs)), now);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/features.hash");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    assert_eq!(now, std::fs::read_to_string(&path).unwrap(), "if that is meant: UPDATE=1, and a word in the commit");
}

#[test]
fn samples_are_rows_of_the_whole_whatever_the_jobs() {
    let whole = said(&["features.sgs", "--layout", "sofcheck"]);
    let whole: std::collections::HashSet<&[u8]> = whole.split(|b| *b == b'\n').collect();
    let draw =
        |seed: &str, jobs: &str| said(&["features.sgs", "--layout=sofcheck", "-c", "200", "-s", seed, "-j", jobs]);
    let first = draw("1", "1");
    for jobs in ["2", "4"] {
        assert!(draw("1", jobs) == first, "{jobs} jobs");
    }
    assert!(draw("2", "1") != first);
    let rows: Vec<&[u8]> = first.split(|b| *b == b'\n').collect();
    assert_eq!(rows.len(), 202, "a header, 200 rows, and nothing behind the last line end");
    assert!(rows.iter().all(|row| whole.contains(row)));
    assert!(!rows[1..201].is_sorted_by_key(|row| row.len()));
}

#[test]
fn filters_keep_what_they_say() {
    let rows = |more: &[&str]| {
        let csv = said(&[&["features.sgs", "--layout", "sofcheck"], more].concat());
        csv.iter().filter(|b| **b == b'\n').count() - 1
    };
    assert_eq!((rows(&[]), rows(&["--all"])), (1547, 2618));
    let open = ["--skip", "0", "--keep-captures", "--keep-checks", "--keep-after-checks"];
    assert_eq!(rows(&open), 2618);
    assert_eq!(rows(&[&open[..], &["--skip", "5"]].concat()[2..]), 2618 - 5 * 30);
    let (quiet, wide) = (rows(&["--quiet"]), rows(&["--quiet=200"]));
    assert!(500 < quiet && quiet < wide && wide < 1547, "{quiet} {wide}");
}

#[test]
fn errors_name_file_line_and_game() {
    let folder = tempfile::tempdir().unwrap();
    let broken = |name: &str, text: &str, expect: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let out = folder.path().join("rows.csv");
        let run =
            tesuji(&["features.sgs", path.to_str().unwrap(), "--layout", "sofcheck", "--out", out.to_str().unwrap()]);
        let error = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(2), "{error}");
        assert!(error.contains(expect), "{error} should say {expect}");
        assert!(!out.exists() && std::fs::read_dir(folder.path()).unwrap().count() == 1, "nothing half-written");
        std::fs::remove_file(&path).unwrap();
    };
    let good = "game W -\nstart\nmoves e2e4\n";
    broken(
        "a.sgs",
        &format!("{good}game B -\nstart\nmoves e2e4 e7e4\n"),
        "a.sgs: line 6 (game 2): move #2 is illegal: e7e4",
    );
    broken(
        "b.sgs",
        &format!("{good}\ngame ? -\nstart\nmoves e2e4\n"),
        "b.sgs: line 5 (game 2): expected a game with a result",
    );
    broken("c.sgs", "start\n", "c.sgs: line 1 (game 1): expected the command `game`, found `start`");
    broken("d.sgs", "game W -\nboard 8/8 w\n", "d.sgs: line 2 (game 1): ");
    broken("e.txt", good, "e.txt: no format is known by this name; known endings: ");
    broken("f.pgn", "[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 1-0\n", "f.pgn: ");
    let missing = tesuji(&["no-such.sgs", "--layout", "sofcheck"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no-such.sgs"));
}

/// SHA-256 of make_dataset's CSV of 30,000 games, default filter and all boards; needs SLOW=1, the games, and sha256sum.
#[test]
fn thirty_thousand_games_give_make_datasets_bytes() {
    if !needs::slow("30,000 games against make_dataset") {
        return;
    }
    let Some(games) = needs::data("sofcheck1_30k.sgs.zst") else { return };
    for (all, expect) in [
        (false, "fdf65654172f9bf72df171a12456ea69de6d5a2e9f68af3c52e477399309913b"),
        (true, "36d91002e0535510d496af6d0b015598f309bb92fa75c207c7dac65e03695b67"),
    ] {
        let mut features = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        features.args(["data", "features", "--layout", "sofcheck"]).arg(&games).args(all.then_some("--all"));
        let mut features = features.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let sum = Command::new("sha256sum").stdin(features.stdout.take().unwrap()).output();
        assert!(features.wait().unwrap().success());
        let Ok(sum) = sum else {
            return needs::skip("needs sha256sum (Debian's package coreutils)");
        };
        assert!(String::from_utf8_lossy(&sum.stdout).starts_with(expect), "all boards: {all}");
    }
}

/// pyarrow, and whatever else is there of pandas and polars, read the rows as they stand in the CSV.
#[test]
fn parquet_is_read_by_others_as_the_csv() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (rows, csv, again) = (path("rows.parquet"), path("rows.csv"), path("again.parquet"));
    said(&["features.sgs", "--layout", "sofcheck", "--out", &rows, "--jobs", "1"]);
    said(&["features.sgs", "--layout", "sofcheck", "--out", &again, "--jobs", "4"]);
    assert!(std::fs::read(&rows).unwrap() == std::fs::read(&again).unwrap(), "the file depends on the jobs");
    said(&["features.sgs", "--layout", "sofcheck", "--out", &csv]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parquet.py");
    let Some(python) = needs::python("pyarrow.parquet", "pyarrow") else { return };
    let out = Command::new(&python).arg(script).args([&rows, &csv]).output().expect("Python starts");
    let (told, error) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    match out.status.code() {
        Some(0) => eprint!("{told}"),
        code => panic!("{code:?}: {told}{error}"),
    }
}

#[test]
fn samples_of_our_own_features_go_into_parquet_too() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, jobs: &str| {
        let path = folder.path().join(name);
        said(&["features.sgs", "--count", "300", "--out", path.to_str().unwrap(), "--jobs", jobs]);
        std::fs::read(path).unwrap()
    };
    let one = write("a.parquet", "1");
    assert!(one.starts_with(b"PAR1") && one.ends_with(b"PAR1") && one == write("b.parquet", "4"));
    let wrong = tesuji(&["features.sgs"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("--out rows.parquet"));
}

#[test]
fn games_in_pgn_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let pgn = folder.path().join("few.pgn");
    let mut convert = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let convert = convert.args(["data", "convert"]).arg(data.join("features-few.sgs")).arg(&pgn).output().unwrap();
    assert!(convert.status.success(), "{}", String::from_utf8_lossy(&convert.stderr));
    for jobs in ["1", "4"] {
        let csv = said(&[pgn.to_str().unwrap(), "--layout", "sofcheck", "--jobs", jobs]);
        assert!(csv == include_bytes!("../data/features-few.csv"), "{jobs} jobs");
    }
}
