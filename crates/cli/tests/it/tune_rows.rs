//! `tesuji tune rows`: tables of any format give the same weights, known weights are found again, templates are filled, and what is
//! broken is one clear line.

use serde_json::Value;
use std::{
    fmt::Write as _,
    path::Path,
    process::{Command, Output},
};

fn tesuji(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(arguments.split_whitespace()).current_dir(folder).output().expect("the binary starts")
}

fn ok(folder: &Path, arguments: &str) -> String {
    let out = tesuji(folder, arguments);
    assert_eq!(out.status.code(), Some(0), "{arguments}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[track_caller]
fn refused(folder: &Path, arguments: &str, says: &str) {
    let out = tesuji(folder, arguments);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{arguments}: {said}");
    assert!(said.contains(says) && said.trim_end().lines().count() == 1, "{arguments}: {said}");
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Made-up rows whose results follow the weights 0.4, -0.3 and 0.1.
fn rows() -> Vec<([f64; 3], bool)> {
    let row = |i: u64| {
        let [x, y] = [(i * 7919 + 13) % 11, (i * 104_729 + 7) % 7].map(|number| number as f64);
        let values = [x - 5.0, y - 3.0, ((i * 31) % 17) as f64 / 4.0];
        let luck = (i * 2_654_435_761 % (1 << 32)) as f64 / 2f64.powi(32);
        let value = 0.4 * values[0] - 0.3 * values[1] + 0.1 * values[2];
        (values, luck < 1.0 / (1.0 + (-value).exp()))
    };
    (0..2000).map(row).collect()
}

/// The rows as CSV, without and with games, and as sparse text.
fn write(folder: &Path) {
    let (mut csv, mut sparse) = ("result,game_id,x,y,z\n".to_string(), String::new());
    for (number, (values, won)) in rows().into_iter().enumerate() {
        let (won, game) = (u8::from(won), number / 4);
        let _ = writeln!(csv, "{won},{game},{},{},{}", values[0], values[1], values[2]);
        let _ = write!(sparse, "{won} qid:{game}");
        let cells = values.iter().enumerate().filter(|(_, value)| **value != 0.0);
        cells.for_each(|(index, value)| _ = write!(sparse, " {}:{value}", index + 1));
        sparse.push('\n');
    }
    std::fs::write(folder.join("a.csv"), csv).unwrap();
    std::fs::write(folder.join("a.libsvm"), sparse).unwrap();
    std::fs::write(folder.join("names.txt"), "x\ny\nz\n").unwrap();
}

const EXACT: &str = "--loss cross-entropy --pull 0 --held-out 0 --k 1 --quiet";

/// Newton's method in NumPy 2.4 on the same likelihood.
const NUMPY: [f64; 3] = [0.418_331_21, -0.302_136_12, 0.084_478_22];
const NUMPY_LOSS: f64 = 0.518_391_837;

#[test]
fn numpy_finds_the_same_weights_and_known_ones_are_found_again() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let told = json(&ok(folder.path(), &format!("tune rows a.csv {EXACT} --json --out w.json")));
    let weights = json(&read(folder.path(), "w.json"));
    for ((name, numpy), truth) in ["x", "y", "z"].iter().zip(NUMPY).zip([0.4, -0.3, 0.1]) {
        let ours = weights[name].as_f64().unwrap();
        assert!((ours - numpy).abs() < 2e-4, "{name}: {ours}, {numpy}");
        assert!((ours - truth).abs() < 0.1, "{name}: {ours}");
    }
    let loss = told["train_loss"].as_f64().unwrap();
    assert!((loss - NUMPY_LOSS).abs() < 1e-6, "{loss}");
    // Each of the other methods ends where L-BFGS does.
    for (method, more) in [("adam", "--epochs 300 --rate 20"), ("coordinate", "--step 0.001"), ("cma-es", "")] {
        ok(folder.path(), &format!("tune rows a.csv {EXACT} --method {method} {more} --out {method}.json"));
        let again = json(&read(folder.path(), &format!("{method}.json")));
        for name in ["x", "y", "z"] {
            let [a, b] = [&weights, &again].map(|weights| weights[name].as_f64().unwrap());
            assert!((a - b).abs() < 0.01, "{method} {name}: {a}, {b}");
        }
    }
}

#[test]
fn every_format_and_any_number_of_jobs_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here);
    let learned = |table: &str, more: &str, out: &str| {
        ok(here, &format!("tune rows {table} --k 1 --quiet --bootstrap 3 {more} --out {out}"));
        read(here, out)
    };
    let csv = learned("a.csv", "-j 1", "a1.csv");
    assert!(csv.starts_with("name,value,error\nx,0.") && csv.lines().count() == 4, "{csv}");
    assert_eq!(learned("a.csv", "-j 3", "a3.csv"), csv);
    assert_eq!(learned("a.libsvm", "--column names=names.txt", "s.csv"), csv);
}

/// Rows of a game as CSV and as Parquet, with the names in the footer.
#[test]
fn csv_and_parquet_of_data_features_give_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/features.sgs").display().to_string();
    for out in ["r.csv", "r.parquet"] {
        ok(here, &format!("data features {games} --layout sofcheck --out {out} --no-progress"));
        ok(here, &format!("tune rows {out} --divide 256 --k 200 --held-out 0.3 --quiet --epochs 20 --out {out}.json"));
    }
    let weights = read(here, "r.csv.json");
    assert_eq!(read(here, "r.parquet.json"), weights);
    assert!(json(&weights)["psq.cost.0"].as_f64().unwrap() != 0.0);
    // Our own evaluation's rows are tapered by the phase that stands beside them.
    ok(here, &format!("data features {games} --out own.parquet --no-progress"));
    ok(here, "tune rows own.parquet --held-out 0.3 --quiet --epochs 5 --out own.json");
    assert_eq!(json(&read(here, "own.json"))["pawn_open"].as_array().map(Vec::len), Some(2));
}

#[test]
fn starts_groups_and_templates_are_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here);
    std::fs::write(here.join("start.json"), "[1, {\"y z\": [-2.5,   3]}]\n").unwrap();
    let layout = "[[groups]]\ncolumns = 'y'\nfrozen = true\n[[groups]]\ncolumns = 'z'\nlow = 0\nhigh = 0.01\n";
    std::fs::write(here.join("layout.toml"), layout).unwrap();
    std::fs::write(here.join("eval.h.in"), "#define X {{x:1}}\n#define Y {{y}}\n").unwrap();
    let words = "tune rows a.csv --layout layout.toml --start start.json --k 1 --pull 0 --quiet --template eval.h.in eval.h \
        --template start.json again.json --out w.json --curves c.svg";
    let told = ok(here, words);
    assert!(told.contains("at its bound") && told.contains("500 games (by their column)"), "{told}");
    assert!(read(here, "w.json").contains("\"y\": -2.5,\n"), "{}", read(here, "w.json"));
    assert!(read(here, "eval.h").ends_with("\n#define Y -2.5\n"), "{}", read(here, "eval.h"));
    assert!(read(here, "again.json").contains("{\"y z\": [-2.5,   0]}]\n"), "{}", read(here, "again.json"));
    assert!(read(here, "c.svg").contains("<polyline"));
    refused(here, words, "this file exists; --force replaces it");
    let words = "tune rows a.csv --unit x=100 --pull 0 --k 1 --decimals 0 --quiet --out unit.csv";
    ok(here, words);
    assert!(read(here, "unit.csv").starts_with("name,value\nx,100\ny,-"), "{}", read(here, "unit.csv"));
}

#[test]
fn what_is_broken_is_one_clear_line() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here);
    let file = |name: &str, text: &str| std::fs::write(here.join(name), text).unwrap();
    file("short.csv", "result,a,b\n1,2,3\n1,2\n");
    file("text.csv", "result,fen,a\n1,xyz,3\n");
    file("nan.csv", "result,a\n1,NaN\n");
    file("none.csv", "wdl,a\n1,1\n");
    file("empty.csv", "result,a\n");
    file("broken.parquet", "PAR1 this is none");
    file("unknown.h", "{{nonsense}}\n");
    let check = |words: &str, says: &str| refused(here, &format!("tune rows {words} --quiet --out o.json"), says);
    check("short.csv", "short.csv: line 3: 2 cells, the header has 3");
    check(
        "text.csv",
        "text.csv: line 2: column \"fen\": expected a number, found \"xyz\" (--column 'ignore=fen' leaves it out)",
    );
    check("nan.csv", "nan.csv: line 2: column \"a\": expected a number that is finite");
    check("none.csv", "none.csv: no column is called result: name it (--column result=NAME); its columns: wdl, a");
    check("empty.csv", "there is no row to learn from");
    check("broken.parquet", "broken.parquet: no Parquet file");
    check("a.csv short.csv", "column \"a\" is no column of a.csv");
    check("a.txt", "the name tells no format");
    check("missing.csv", "missing.csv");
    check("a.csv --column game=id", "it has no column \"id\", which was named as game");
    check("a.csv --column colour=x", "expected ROLE=NAME");
    check("a.csv --freeze q*", "no column is \"q*\"; the columns: x, y, z");
    check("a.csv --template unknown.h o.h", "line 1: {{nonsense}} is no weight");
    check("a.csv --unit x=0", "expected NAME=NUMBER");
    check("a.csv --freeze x,y,z", "no weight is free");
}
