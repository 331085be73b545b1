//! `tesuji train nnue`: games in, a network out; killed and gone on with to the same bytes; what is refused.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(arguments.split_whitespace()).current_dir(folder);
    command
}

fn tesuji(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().expect("the binary starts")
}

const SHAPE: &str = "name = 'small'\ngame = 'chess'\nwidth = 32\nactivation = 'screlu'\noutput_buckets = 8\n[features]\n\
    set = '768'\ninputs = 768\nactive_max = 32\n";

/// A folder with a shape and a few games of chess with scores.
fn with_games() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.toml"), SHAPE).unwrap();
    let out = tesuji(folder.path(), "selfplay chess --games 24 --nodes 60 --seed 5 -j 2 --out games.sgs");
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    folder
}

const RUN: &str = "train nnue --game chess --games games.sgs --net small.toml --out net.nnue --batch 128 --epochs 12 \
    --held-out 0.2 --validate-every 2000 --warm-up 500 --rate 0.005";

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn games_become_a_network_and_killed_runs_end_in_the_same_bytes() {
    let folder = with_games();
    let here = folder.path();
    let out = tesuji(here, &format!("{RUN} -j 1 --curves loss.svg"));
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{said}");
    assert!(said.contains(" positions of 24 games: ") && said.contains(" filtered out, "), "{said}");
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.starts_with("validation after ") && text.contains(" parameters in net.nnue"), "{text}");
    let losses: Vec<f64> = String::from_utf8_lossy(&read(here, "net.log"))
        .lines()
        .filter(|line| !line.contains("\"validation\""))
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["loss"].as_f64().unwrap())
        .collect();
    assert!(losses.len() > 2 && losses.last().unwrap() < &losses[0], "{losses:?}");
    assert!(String::from_utf8_lossy(&read(here, "loss.svg")).contains("class=\"held\""));
    let shown = tesuji(here, "net show net.nnue");
    assert!(String::from_utf8_lossy(&shown.stdout).contains("games.sgs"), "{shown:?}");

    // Killed again and again, with other numbers of threads, on the same packed positions.
    let other = tempfile::tempdir().unwrap();
    for name in ["small.toml", "games.sgs"] {
        std::fs::copy(here.join(name), other.path().join(name)).unwrap();
    }
    for round in 0..6 {
        let run = format!("{RUN} -j {} --save-every 0 --quiet", 1 + round % 3);
        let mut child = command(other.path(), &run).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(150 + 100 * round));
        let _ = child.kill();
        child.wait().unwrap();
    }
    let out = tesuji(other.path(), &format!("{RUN} -j 2"));
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    for name in ["net.checkpoint", "net.log", "net.positions"] {
        assert!(read(here, name) == read(other.path(), name), "{name}");
    }
    // Another shape learns from the same positions; nothing is decoded again.
    let again =
        "train nnue --game chess --prepared net.positions --net chess-768x32 --out wide.nnue --epochs 1 --batch 256";
    let out = tesuji(here, again);
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && said.contains("the positions of net.positions are used again"), "{said}");
}

/// Runs of a sweep learn from the same positions; stopped, it goes on with the run in which that happened, and a finished one tells
/// the same table again.
#[test]
fn a_sweep_compares_settings_and_goes_on() {
    let folder = with_games();
    let here = folder.path();
    std::fs::write(here.join("plan.toml"), "[grid]\nrate = [0.0001, 0.005]\nseed = [1, 2]\n[[run]]\nepochs = 1.0\n")
        .unwrap();
    let line = format!("{} --sweep plan.toml", RUN.replace("--epochs 12", "--epochs 3"));
    let whole = tesuji(here, &line);
    let said = String::from_utf8_lossy(&whole.stderr);
    assert_eq!(whole.status.code(), Some(0), "{said}");
    assert_eq!(said.matches(" positions of 24 games: ").count(), 1, "{said}");
    assert_eq!(said.matches("are used again").count(), 4, "{said}");
    assert!(said.contains("run 3 of 5: rate 0.005, seed 1"), "{said}");
    let table = String::from_utf8_lossy(&whole.stdout).into_owned();
    assert_eq!(table.lines().count(), 6, "{table}");
    let loss = |line: &str| line.split_whitespace().next().unwrap().parse::<f64>().unwrap();
    assert!(table.lines().skip(1).map(loss).is_sorted(), "{table}");
    assert!(!here.join("net.nnue").exists() && here.join("net-5.nnue").exists());

    let other = tempfile::tempdir().unwrap();
    for name in ["small.toml", "games.sgs", "plan.toml"] {
        std::fs::copy(here.join(name), other.path().join(name)).unwrap();
    }
    for round in 0..4 {
        let run = format!("{line} --save-every 0 --quiet");
        let mut child = command(other.path(), &run).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(150 + 150 * round));
        let _ = child.kill();
        child.wait().unwrap();
    }
    for folder in [other.path(), here] {
        let again = tesuji(folder, &line);
        assert_eq!(String::from_utf8_lossy(&again.stdout), table, "{}", String::from_utf8_lossy(&again.stderr));
    }
    for name in ["net-1.checkpoint", "net-4.checkpoint", "net-5.checkpoint", "net.positions"] {
        assert!(read(here, name) == read(other.path(), name), "{name}");
    }
    std::fs::write(here.join("plan.toml"), "[grid]\nfilters = [1]\n").unwrap();
    refused(here, &line, "plan.toml: runs cannot differ in \"filters\"");
}

/// Stockfish's training data: converted, counted, shown, learned from.
#[test]
fn a_network_learns_from_a_binpack() {
    let folder = with_games();
    let here = folder.path();
    let said = |line: &str| {
        let out = tesuji(here, line);
        assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    said("data convert games.sgs games.binpack --lossy --quiet");
    assert!(said("data stats games.binpack").contains("24"));
    assert!(said("data show games.binpack --count 1").contains("e"));
    said("data convert games.binpack back.viri --quiet");
    said("data convert games.sgs forth.viri --quiet");
    assert!(read(here, "back.viri") == read(here, "forth.viri"));
    let positions = |games: &str, net: &str| {
        let line = RUN.replace("games.sgs", games).replace("net.nnue", net).replace("--epochs 12", "--epochs 1");
        let out = tesuji(here, &line);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{said}");
        said.lines().find(|line| line.contains(" positions of 24 games: ")).map(str::to_string).expect("a count")
    };
    assert_eq!(positions("games.binpack", "net.nnue"), positions("games.sgs", "other.nnue"));
}

#[track_caller]
fn refused(folder: &Path, arguments: &str, words: &str) {
    let out = tesuji(folder, arguments);
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{error}");
    assert!(error.contains(words) && error.lines().count() < 12, "{error}");
}

#[test]
fn what_cannot_be_learned_from_is_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("small.toml"), SHAPE).unwrap();
    std::fs::write(here.join("a.pgn"), "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0\n")
        .unwrap();
    std::fs::write(here.join("bad.pgn"), "[Result \"1-0\"]\n\n1. e4 Ke3 1-0\n").unwrap();
    let run = |games: &str, more: &str| {
        format!("train nnue --game chess --games {games} --net small.toml --out net.nnue {more}")
    };
    refused(here, &run("a.pgn", ""), "nothing to learn from or to judge by: 11 positions of 1 games");
    refused(here, &run("bad.pgn", ""), "bad.pgn");
    refused(here, &run("none.sgs", ""), "none.sgs: No such file");
    refused(here, &run("a.psv", ""), "a.psv");
    refused(here, &run("a.pgn", "--mirror"), "--mirror true: a mirrored board is worth something else in this game");
    refused(here, &run("a.pgn", "--run 300"), "expected a whole number from 1 to 256");
    refused(here, &run("a.pgn", "--device gpu"), "`gpu` is no device: expected cpu, cuda or cuda:N");
    // Without a driver, and with a card: there is none of this number.
    refused(here, &run("a.pgn", "--device cuda:4711"), "cuda: ");
    refused(here, &run("a.pgn", "--out nowhere/net.nnue"), "cannot be used multiple times");
    refused(
        here,
        "train nnue --game go --games a.sgf --net x --out y",
        "--game go: it has no efficiently updatable networks",
    );
    refused(
        here,
        "train nnue --game shogi --games a.psv --net small.toml --out y",
        "a network of chess, expected one of shogi",
    );
    refused(
        here,
        "train nnue --game chess --games a.pgn --net wide --out y",
        "expected a TOML file, or one of chess-768x32",
    );
    std::fs::write(here.join("net.positions"), "precious").unwrap();
    refused(here, &run("a.pgn", ""), "net.positions: no file of positions for training");
    assert_eq!(read(here, "net.positions"), b"precious");
    assert!(!here.join("net.nnue").exists());
    let request = tesuji(here, &run("a.pgn", "--result-share 0.2,0.6 --print-request"));
    assert!(String::from_utf8_lossy(&request.stdout).contains("0.6"), "{request:?}");
}

/// A file of somebody else was replaced without --force where the checkpoint of a run stood beside it.
#[test]
fn a_run_that_goes_on_replaces_its_own_net_alone() {
    let folder = with_games();
    let here = folder.path();
    let train = |more: &str| tesuji(here, &format!("{RUN} --quiet {more}"));
    assert_eq!(train("").status.code(), Some(0));
    let net = read(here, "net.nnue");
    assert_eq!(train("").status.code(), Some(0), "its own net");
    std::fs::write(here.join("net.nnue"), "another program's net").unwrap();
    let out = train("");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(2) && said.contains("net.nnue: this file exists; --force replaces it"), "{said}");
    assert_eq!(read(here, "net.nnue"), b"another program's net");
    std::fs::remove_file(here.join("net.nnue")).unwrap();
    assert_eq!(train("").status.code(), Some(0));
    assert_eq!(read(here, "net.nnue"), net);
}
