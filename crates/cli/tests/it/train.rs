//! `tesuji train`: nets of small boards from a few games, gone on with, and what is refused.

use std::path::Path;
use std::process::{Command, Output};

fn tesuji(folder: &Path, arguments: &str) -> Output {
    let words = arguments.split(' ');
    Command::new(env!("CARGO_BIN_EXE_tesuji")).args(words).current_dir(folder).output().expect("the binary starts")
}

/// A folder with `games.txt`: 60 games of 5x5, each a few moves in an order of its own.
fn with_games() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let points: Vec<String> =
        (0..25).map(|at| format!("{}{}", (b'a' + at % 5) as char, (b'a' + at / 5) as char)).collect();
    let game = |n: usize| {
        let moves: String = (0..8).map(|ply| points[(n * 7 + ply * (1 + n % 3)) % 25].as_str()).collect();
        format!("5\t6.5\t{}+R\tcn\t9d\t9d\tmade\t?\t{moves}\n", if n.is_multiple_of(2) { "B" } else { "W" })
    };
    std::fs::write(folder.path().join("games.txt"), (0..60).map(game).collect::<String>()).unwrap();
    folder
}

/// A run of 5x5 that takes a moment.
const RUN: &str = "train go --games games.txt --size 5 --net 1x16 --batch 16 --held-out 0.3 --validation 64 \
    --validate-every 160 --warm-up 2 -j 2 --out net.safetensors";

#[track_caller]
fn refused(folder: &Path, arguments: &str, words: &str) {
    let out = tesuji(folder, arguments);
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{error}");
    assert!(error.contains(words), "{error}");
}

#[test]
fn a_net_is_made_with_its_log_and_curves_and_made_longer() {
    let folder = with_games();
    let out = tesuji(folder.path(), &format!("{RUN} --positions 480 --curves hits.svg"));
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.starts_with("validation after 480 positions: loss") && text.contains("top-1"), "{text}");
    let bytes = std::fs::read(folder.path().join("net.safetensors")).unwrap();
    assert!(String::from_utf8_lossy(&bytes[..2000]).contains("go-1"), "the net names its features");
    let log = std::fs::read_to_string(folder.path().join("net.log")).unwrap();
    assert_eq!(log.lines().filter(|line| line.contains("\"validation\"")).count(), 3, "{log}");
    for curve in ["hits.svg", "hits.loss.svg"] {
        let svg = std::fs::read_to_string(folder.path().join(curve)).unwrap();
        assert!(svg.contains("class=\"held\"") && !svg.contains("NaN"), "{svg}");
    }
    // The same again changes nothing; more positions go on.
    assert_eq!(tesuji(folder.path(), &format!("{RUN} --positions 480")).status.code(), Some(0));
    let tensors = |bytes: &[u8]| bytes[bytes.len() - 1000..].to_vec();
    assert!(tensors(&std::fs::read(folder.path().join("net.safetensors")).unwrap()) == tensors(&bytes));
    let out = tesuji(folder.path(), &format!("{RUN} --positions 640"));
    let error = String::from_utf8_lossy(&out.stderr);
    assert!(error.contains("going on with net.checkpoint after 480 positions"), "{error}");
}

/// The net took the place of the games that it was made from, and its curves the place of the net, without a word.
#[test]
fn a_training_replaces_neither_its_games_nor_other_files() {
    let folder = with_games();
    let path = folder.path();
    let games = std::fs::read(path.join("games.txt")).unwrap();
    std::fs::write(path.join("mine.svg"), "mine").unwrap();
    std::fs::write(path.join("hits.loss.svg"), "mine").unwrap();
    let to = |out: &str| RUN.replace("net.safetensors", out) + " --positions 32";
    refused(path, &to("games.txt"), "games.txt: this file is read; name another output");
    refused(path, &to("mine.svg"), "mine.svg: ");
    refused(path, &(to("net.safetensors") + " --curves games.txt"), "games.txt: this file is read");
    refused(path, &(to("net.safetensors") + " --curves mine.svg"), "mine.svg: ");
    refused(path, &(to("net.safetensors") + " --curves hits.svg"), "hits.loss.svg: ");
    refused(path, &(to("net.safetensors") + " --curves net.safetensors"), "two outputs cannot have one name");
    refused(path, &(to("net.safetensors") + " --journal net.checkpoint"), "two outputs cannot have one name");
    assert_eq!(std::fs::read(path.join("games.txt")).unwrap(), games);
    for mine in ["mine.svg", "hits.loss.svg"] {
        assert_eq!(std::fs::read_to_string(path.join(mine)).unwrap(), "mine");
    }
    assert!(!path.join("net.safetensors").exists() && !path.join("net.checkpoint").exists());
}

/// Files of games were known by their names: half of a net learned from other games than its first half.
#[test]
fn a_training_does_not_go_on_with_other_games() {
    let folder = with_games();
    let path = folder.path();
    assert_eq!(tesuji(path, &format!("{RUN} --positions 32")).status.code(), Some(0));
    let games = std::fs::read_to_string(path.join("games.txt")).unwrap();
    std::fs::write(path.join("games.txt"), games.replace("B+R", "W+R")).unwrap();
    refused(path, &format!("{RUN} --positions 64"), "a checkpoint of another run");
}

#[test]
fn what_does_not_fit_has_one_clear_error() {
    let folder = with_games();
    let path = folder.path();
    assert_eq!(tesuji(path, &format!("{RUN} --positions 32")).status.code(), Some(0));
    refused(
        path,
        &format!("{RUN} --positions 32 --features go-9"),
        "no encoding of go is called \"go-9\"; there are: go-1",
    );
    refused(path, &format!("{RUN} --positions 32 --features bakago-1"), "a checkpoint of another run: architecture");
    refused(path, &RUN.replace("--size 5", "--size 9"), "no positions to learn from");
    refused(path, &RUN.replace("1x16", "1by16"), "`1by16` is no tower: expected BxC, such as 6x64");
    refused(path, &RUN.replace("games.txt", "lost.txt"), "lost.txt");
    refused(path, &RUN.replace("net.saf", "new.saf").replace("1x16", "2x16 --from net.safetensors"), "it begins from");
    refused(path, "train chess --games games.txt --out n.safetensors", "; an NNUE: tesuji train nnue --game chess");
    refused(path, "train shogi --games games.txt --out n.safetensors", "nets of shogi learn from .hcpe");
    let checkpoint = path.join("net.checkpoint");
    let bytes = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &bytes[..bytes.len() / 2]).unwrap();
    refused(path, &format!("{RUN} --positions 32"), "net.checkpoint: a truncated checkpoint");
    std::fs::remove_file(&checkpoint).unwrap();
    std::fs::write(path.join("torn.safetensors"), &std::fs::read(path.join("net.safetensors")).unwrap()[..900])
        .unwrap();
    std::fs::remove_file(path.join("net.safetensors")).unwrap();
    refused(path, &format!("{RUN} --positions 32 --from torn.safetensors"), "torn.safetensors");
}

#[test]
fn nets_that_come_with_the_program_say_where_they_come_from() {
    for (name, bytes) in tesuji_go_eval::NETS.into_iter().chain(tesuji_shogi_eval::NETS) {
        let weights = tesuji_nn::Weights::read(bytes).unwrap();
        let (kind, shape) = name.split_once('-').unwrap();
        let (features, planes, words) = match kind {
            "go19" => ("go-1", 48, "train go --games go19.txt.zst"),
            "go9" => ("go-1", 48, "train go --games teacher.sgf"),
            _ => ("dlshogi-1", 119, "train shogi --games own.psv"),
        };
        weights.architecture.expect_features(features, planes).unwrap();
        // Nothing but names of files: anyone who has the games makes it again.
        assert!(!weights.origin.values().any(|words| words.contains(" /")), "{name}: {:?}", weights.origin);
        let says = |what: &str, words: &str| assert!(weights.origin[what].contains(words), "{:?}", weights.origin);
        says("command", &format!("tesuji {words}"));
        says("command", &format!("--net {shape}"));
        says("data", "by a hash");
        says("validation", "winner");
        assert!(weights.origin.contains_key("positions") && weights.origin.contains_key("made by"));
    }
}

/// What the flags ask for can be written down, run from there, and is not mixed with other flags.
#[test]
fn a_training_is_asked_for_by_a_file() {
    let folder = with_games();
    let out = tesuji(folder.path(), &format!("{RUN} --positions 160 --print-request"));
    let text = String::from_utf8_lossy(&out.stdout);
    let request: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!((&request["version"], &request["positions"]), (&1.into(), &160.into()));
    assert!(!folder.path().join("net.safetensors").exists(), "nothing was trained");
    std::fs::write(folder.path().join("r.json"), &*text).unwrap();
    let by_file = tesuji(folder.path(), "train --request r.json --quiet");
    assert_eq!(by_file.status.code(), Some(0), "{}", String::from_utf8_lossy(&by_file.stderr));
    let by_flags = tesuji(folder.path(), &format!("{RUN} --positions 160"));
    assert_eq!(by_file.stdout, by_flags.stdout);
    refused(folder.path(), "train --request r.json --batch 8", "cannot be used with");
    std::fs::write(folder.path().join("r.json"), text.replace("\"batch\"", "\"bach\"")).unwrap();
    refused(folder.path(), "train --request r.json", "--request r.json: unknown field `bach`");
}
