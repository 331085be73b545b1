//! `tesuji tune --sweep` with a pool of engines and clocks.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
use tesuji_testkit::mock;

fn tesuji(folder: &Path, arguments: &str) -> Output {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    Command::new(env!("CARGO_BIN_EXE_tesuji")).args(words).current_dir(folder).output().expect("the binary starts")
}

const SWEEP: &str =
    "tune chess --quiet --sweep s.toml --weight-set greko --method lbfgs --epochs 2 --held-out 0 -j 1 --out sweep";

/// GreKo's article as one command: versions that are listed, engines in the pool, two clocks, tables and pictures.
#[test]
fn listed_versions_meet_engines_at_every_clock() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (seed, games) in [(4, "own.sgs"), (5, "other.sgs")] {
        let played = format!("selfplay chess --games 20 --nodes 100 --seed {seed} --out {games} --quiet");
        assert!(tesuji(at, &played).status.success());
    }
    let plan = format!(
        "pool = ['builtin', \"'cmd={}' name=mock\", 'name=self option.Eval=greko']\npairs = 1\ntc = ['0.5+0.01', '1+0.01']\n\
         margin = 5000\n[games]\nown = ['own.sgs']\nother = ['other.sgs']\n\
         [[versions]]\nname = 'A'\ngames = 'own'\nonly = '6..27'\nlambda = 40\n\
         [[versions]]\nname = 'H1'\ngames = 'own,other'\nonly = 'all'\nlambda = 20\n",
        mock::path().display()
    );
    fs::write(at.join("s.toml"), &plan).unwrap();
    let out = tesuji(at, SWEEP);
    let table = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(table.starts_with("at 0.5+0.01:\n") && table.contains("\n\nat 1+0.01:\n"), "{table}");
    assert!(table.contains("\n\nat all limits:\n"), "{table}");
    for row in ["H1      own,other", "(mock)", "(self)", "against builtin, the anchor"] {
        assert!(table.contains(row), "{row}: {table}");
    }
    let told: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(at.join("sweep/table.json")).unwrap()).unwrap();
    let rows = told["versions"].as_array().unwrap();
    assert_eq!(rows.len(), 6, "two versions at two clocks and at both together: {told}");
    // Three members of the pool, a pair of games with each.
    assert!(rows[..4].iter().all(|row| row["played"] == 6) && rows[4]["played"] == 12, "{told}");
    let limits: Vec<&str> = rows.iter().filter_map(|row| row["limit"].as_str()).collect();
    assert_eq!(limits, ["0.5+0.01", "0.5+0.01", "1+0.01", "1+0.01", "all limits", "all limits"]);
    for picture in ["ratings.svg", "losses.svg"] {
        let svg = fs::read_to_string(at.join("sweep").join(picture)).unwrap();
        assert!(svg.contains(">H1</text>") && svg.ends_with("</svg>\n"), "{svg}");
    }
    assert_eq!(fs::read_to_string(at.join("sweep/H1/tc-2-pairs-3.txt")).unwrap().lines().count(), 1);
    // What was played is not played again: the same command prints the same tables, and starts no engine for them.
    assert_eq!(String::from_utf8_lossy(&tesuji(at, SWEEP).stdout), table);

    // An engine with other arguments is another sweep; one that is not there is told with its name.
    fs::write(at.join("s.toml"), plan.replace("name=mock", "name=mock args=--quick")).unwrap();
    let other = tesuji(at, SWEEP);
    let error = String::from_utf8_lossy(&other.stderr);
    assert!(other.status.code() == Some(2) && error.contains("another sweep is kept there"), "{error}");
    fs::write(at.join("s.toml"), plan.replace("name=self option.Eval=greko", "cmd=./nobody")).unwrap();
    let missing = tesuji(at, &SWEEP.replace("--out sweep", "--out other"));
    let error = String::from_utf8_lossy(&missing.stderr);
    assert!(missing.status.code() == Some(2) && error.contains("nobody"), "{error}");
}
