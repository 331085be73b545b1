//! What `tesuji net` does with files of networks.

use std::path::Path;
use std::process::{Command, Output};

fn tesuji(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.arg("net").args(arguments).current_dir(folder).output().expect("the binary starts")
}

#[track_caller]
fn said(folder: &Path, arguments: &[&str]) -> String {
    let out = tesuji(folder, arguments);
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// One clear line, and exit code 2.
#[track_caller]
fn refused(folder: &Path, arguments: &[&str], expect: &str) {
    let out = tesuji(folder, arguments);
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!((out.status.code(), error.trim_end()), (Some(2), format!("tesuji: {expect}").as_str()));
}

#[test]
fn a_net_is_made_shown_and_measured() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let made = said(at, &["new", "go-2x16", "--size", "9", "--out", "a.safetensors"]);
    assert!(made.starts_with("wrote a.safetensors: 2 blocks of 16 channels over go-1 (48 planes), "), "{made}");
    let shown = said(at, &["show", "a.safetensors", "--tensors"]);
    for line in [
        "board       9x9, runs on any size",
        "stem        3x3 over planes 0 to 47",
        "heads       policy, value, ownership, score",
        "policy      82 actions: 1 planes, a pass, a bias per plane",
        "origin      made: random numbers, seed 1",
        "tensor      block.1.norm2.gamma      16               mean 1.0000, deviation 0.0000",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{shown} should hold {line}");
    }
    let json: serde_json::Value = serde_json::from_str(&said(at, &["show", "a.safetensors", "--json"])).unwrap();
    assert_eq!(json["architecture"]["channels"], 16);
    for kernels in ["plain", ""] {
        let mut arguments = vec!["bench", "a.safetensors", "--seconds", "0.05", "--threads", "2", "--size", "7"];
        if !kernels.is_empty() {
            arguments.extend(["--kernels", kernels]);
        }
        let speed = said(at, &arguments);
        assert!(speed.starts_with("a.safetensors 7x7, batch 8, 2 threads, "), "{speed}");
    }
}

#[test]
fn a_net_of_shogi_goes_to_onnx_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    said(at, &["new", "dlshogi-1x8", "--out", "a.safetensors"]);
    said(at, &["export", "a.safetensors", "--out", "a.onnx"]);
    said(at, &["import", "a.onnx", "--out", "b.safetensors"]);
    let shown = said(at, &["show", "b.safetensors"]);
    assert!(shown.contains("features    dlshogi-1, 119 planes"), "{shown}");
    assert!(shown.contains("origin      imported from: a.onnx"), "{shown}");
    // The same numbers: the tensors fill the same bytes at the end of both files.
    let read = |name: &str| std::fs::read(at.join(name)).unwrap();
    let (a, b) = (read("a.safetensors"), read("b.safetensors"));
    let tail = a.len() - 8 - u64::from_le_bytes(a[..8].try_into().unwrap()) as usize;
    assert!(a[a.len() - tail..] == b[b.len() - tail..]);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nn/tests/data/dlshogi-relu.onnx");
    let shown = said(at, &["show", golden.to_str().unwrap()]);
    assert!(shown.contains("tower       1 blocks of 5 channels, ReLU"), "{shown}");
}

#[test]
fn nets_are_averaged_and_blended() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for seed in ["1", "2"] {
        said(at, &["new", "go-1x8", "--size", "5", "--seed", seed, "--out", &format!("{seed}.safetensors")]);
    }
    let tensor = |file: &str| {
        let shown = said(at, &["show", file, "--tensors"]);
        let line = shown.lines().find(|line| line.contains(" score.weight ")).unwrap().to_owned();
        let mean = line.split("mean ").nth(1).unwrap().split(',').next().unwrap().parse::<f64>();
        mean.unwrap()
    };
    said(at, &["average", "1.safetensors", "2.safetensors", "--shares", "3,1", "--out", "a.safetensors"]);
    said(at, &["blend", "1.safetensors", "2.safetensors", "--ratio", "0.25", "--out", "b.safetensors"]);
    let expected = 0.75 * tensor("1.safetensors") + 0.25 * tensor("2.safetensors");
    for file in ["a.safetensors", "b.safetensors"] {
        assert!((tensor(file) - expected).abs() < 1e-3, "{file}: {}, expected {expected}", tensor(file));
    }
    said(at, &["blend", "1.safetensors", "2.safetensors", "--ratio", "0", "--out", "c.safetensors"]);
    assert!((tensor("c.safetensors") - tensor("1.safetensors")).abs() < 1e-9);
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    said(at, &["new", "go-1x8", "--size", "5", "--out", "a.safetensors"]);
    said(at, &["new", "go-1x9", "--size", "5", "--out", "b.safetensors"]);
    let bytes = std::fs::read(at.join("a.safetensors")).unwrap();
    std::fs::write(at.join("short.safetensors"), &bytes[..bytes.len() - 1]).unwrap();
    std::fs::write(at.join("text.onnx"), "no net").unwrap();
    std::fs::write(at.join("text"), "no net at all").unwrap();
    let out = ["--out", "x"];
    let with = |words: &[&'static str]| [words, &out].concat();
    refused(at, &["show", "none"], "none: No such file or directory (os error 2)");
    refused(
        at,
        &["show", "text"],
        "text: not a network file: expected .nnue, or .safetensors, whose header begins with `{` at byte 8",
    );
    for (name, start, what) in [
        ("a.positions", "TESUJI-POSITIONS\x01", "packed positions of `train nnue`"),
        ("a.checkpoint", "TESUJI-NNUE-RUN\x01", "a checkpoint of `train nnue`"),
        ("b.checkpoint", "TESUJI-TRAINING\x01", "a checkpoint of `train`"),
    ] {
        std::fs::write(at.join(name), start).unwrap();
        let expected = "expected .nnue, or .safetensors, whose header begins with `{` at byte 8";
        refused(at, &["show", name], &format!("{name}: not a network file: {expected}, found {what}"));
    }
    let raw = "a field of kind 6 (raw integers are read by the name of their shape)";
    refused(at, &with(&["import", "text.onnx"]), &format!("text.onnx: not a network file: no ONNX model: {raw}"));
    let length = bytes.len() - 8 - u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let short = format!(
        "short.safetensors: the file is truncated: tensor `score.bias` ends at byte {length} of the data, {} are there",
        length - 1
    );
    refused(at, &["show", "short.safetensors"], &short);
    refused(
        at,
        &with(&["average", "a.safetensors", "b.safetensors"]),
        "nets cannot be averaged: net 2 has another architecture than net 1",
    );
    refused(
        at,
        &with(&["blend", "a.safetensors", "b.safetensors", "--ratio", "0.5"]),
        "a.safetensors and b.safetensors are nets of different shapes",
    );
    refused(at, &with(&["average", "a.safetensors", "--shares", "1,2"]), "--shares: 2 numbers for 1 nets");
    refused(
        at,
        &with(&["new", "chess-1x8"]),
        "the architecture is wrong: `chess-1x8` is no preset: expected go-BxC or dlshogi-BxC, such as go-6x64",
    );
    refused(
        at,
        &with(&["new", "go-1x8", "--features", "go-0"]),
        "there are no features `go-0`; known are go-1, bakago-1, bakago-1-quirks, katago-7, katago-7-suicide, dlshogi-1, dlshogi-nyugyoku-1",
    );
    said(at, &["new", "dlshogi-1x8", "--out", "s.safetensors"]);
    refused(at, &["bench", "s.safetensors", "--size", "19"], "the net is for boards of 9x9, not 19x19");
    assert!(!at.join("x").exists());
}

/// `net average --force --out a.nnue a.nnue b.nnue` replaced one of the nets that it read.
#[test]
fn nets_that_are_read_are_no_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (ending, shape) in [("safetensors", "dlshogi-1x8"), ("nnue", "chess-768x32")] {
        let [a, b] = ["a", "b"].map(|name| format!("{name}.{ending}"));
        said(at, &["new", shape, "--seed", "1", "--out", &a]);
        said(at, &["new", shape, "--seed", "2", "--out", &b]);
        let before = std::fs::read(at.join(&b)).unwrap();
        let refused = |words: &[&str]| {
            let all = [words, &["--out", &b, "--force"]].concat();
            refused(at, &all, &format!("{b}: this file is read; name another output"));
            assert_eq!(std::fs::read(at.join(&b)).unwrap(), before);
        };
        refused(&["average", &a, &b]);
        refused(&["blend", &a, &b, "--ratio", "0.5"]);
        refused(&["export", &b]);
        refused(&["import", &b]);
    }
}
