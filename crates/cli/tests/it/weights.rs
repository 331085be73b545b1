//! What `tesuji weights` does with weights files of all kinds.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn tesuji(folder: &Path, arguments: &[&str], stdin: &str) -> Output {
    use std::io::Write;
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.arg("weights").args(arguments).current_dir(folder).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

#[track_caller]
fn said(folder: &Path, arguments: &[&str]) -> String {
    let out = tesuji(folder, arguments, "");
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[track_caller]
fn refused(folder: &Path, arguments: &[&str], stdin: &str, expect: &str) {
    let out = tesuji(folder, arguments, stdin);
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{error}");
    assert!(error.contains(expect), "{error} should say {expect}");
}

/// A small file in SoFCheck's layout.
const SMALL: &str = "[\n    {\"two_bishops\": 34},\n    {\"king_pawn\": {\n        \"type\": \"king_pawn\",\n        \
    \"shield\": [9, 65, 7, 24, 56, -15],\n        \"storm\": [-78, -23, 49, 22, 2, 7]\n    }},\n    {\"steps\": [1, -2]}\n]\n";

#[test]
fn both_kinds_are_printed_as_they_were_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let ours = said(at, &["show", "builtin"]);
    std::fs::write(at.join("ours.json"), &ours).unwrap();
    assert_eq!(said(at, &["show", "ours.json"]), ours);
    std::fs::write(at.join("small.json"), SMALL).unwrap();
    assert_eq!(said(at, &["show", "small.json"]), SMALL);
    assert_eq!(said(at, &["show", "small.json", "--numbers"]), "34 9 65 7 24 56 -15 -78 -23 49 22 2 7 1 -2\n");
    assert_eq!(
        said(at, &["show", "small.json", "--only", "king_pawn.storm.1", "--only", "two"]),
        "two_bishops 34\nking_pawn.storm.1 -23\n"
    );
    assert_eq!(said(at, &["show", "material", "--only", "material.4"]), "material.4.mg 900\nmaterial.4.eg 900\n");
    refused(at, &["show", "small.json", "--only", "fly"], "", "no weight whose name begins so");
}

#[test]
fn grekos_weights_are_lines_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.txt"), "# learned\nVAL_P 90\nRookOpen 17\n").unwrap();
    let whole = said(at, &["show", "a.txt"]);
    assert!(whole.starts_with("VAL_P 90\nVAL_N 400\n") && whole.lines().count() == 27, "{whole}");
    assert_eq!(said(at, &["show", "a.txt", "--only", "Rook"]), "Rook7th 20\nRookOpen 17\nRookMobility 40\n");
    std::fs::write(at.join("b.txt"), whole.replace("RookOpen 17", "RookOpen 7")).unwrap();
    let out = tesuji(at, &["diff", "a.txt", "b.txt"], "");
    assert_eq!(out.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&out.stdout).starts_with("RookOpen                  17       7  -10\n1 of 27 weights")
    );
    said(at, &["blend", "a.txt", "b.txt", "--ratio", "0.5", "--out", "c.txt"]);
    assert_eq!(std::fs::read_to_string(at.join("c.txt")).unwrap(), whole.replace("RookOpen 17", "RookOpen 12"));
    let numbers = said(at, &["show", "a.txt", "--numbers"]).replacen("90", "95", 1);
    assert!(tesuji(at, &["apply", "-", "--to", "c.txt"], &numbers).status.success());
    assert_eq!(said(at, &["show", "c.txt", "--only", "VAL_P"]), "VAL_P 95\n");
    refused(at, &["apply", "-", "--to", "c.txt"], "1 2", "c.txt: expected 27 numbers, found 2");
    refused(at, &["diff", "a.txt", "builtin"], "", "one holds weights of GreKo, the other weights of ours");
    std::fs::write(at.join("bad.txt"), "VAL_P 1\nVAL_X 2\n").unwrap();
    refused(at, &["show", "bad.txt"], "", "bad.txt, line 2: no term is called \"VAL_X\"");
}

#[test]
fn sofchecks_own_file_is_printed_as_it_was_read() {
    let Some(file) = tesuji_testkit::needs::data("sofcheck-features.json") else { return };
    let text = std::fs::read_to_string(&file).expect("the weights");
    assert_eq!(said(Path::new("."), &["show", file.to_str().unwrap()]), text);
}

#[test]
fn numbers_are_applied_and_the_old_file_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("f.json"), SMALL).unwrap();
    let out = tesuji(at, &["apply", "-", "--to", "f.json"], "34 9 65 7 24 56 -15 -78 -23 49 22 2 7 1 77");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(std::fs::read_to_string(at.join("f.json")).unwrap(), SMALL.replace("-2]", "77]"));
    assert_eq!(std::fs::read_to_string(at.join("f.json.old")).unwrap(), SMALL);
    refused(at, &["apply", "-", "--to", "f.json"], "1 2 3", "f.json: expected 15 numbers, found 3");
    refused(at, &["apply", "-", "--to", "f.json"], "1 2 x", "number 3 of stdin: expected a whole number, found \"x\"");
    refused(
        at,
        &["apply", "builtin", "--to", "f.json"],
        "",
        "one holds weights of ours, the other weights of SoFCheck",
    );
    refused(at, &["apply", "builtin"], "", "no checkout of Tesuji holds");

    let numbers = said(at, &["show", "material", "--numbers"]);
    assert!(tesuji(at, &["apply", "material", "--to", "m.json"], "").status.success());
    assert!(tesuji(at, &["apply", "-", "--to", "m.json"], &numbers.replacen("100 100", "101 99", 1)).status.success());
    assert_eq!(said(at, &["show", "m.json", "--only", "material.0"]), "material.0.mg 101\nmaterial.0.eg 99\n");
    refused(at, &["apply", "-", "--to", "m.json"], &numbers.replacen("100", "99999", 1), "number 1: 99999 is outside");
}

#[test]
fn a_checkout_is_changed_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (data, generated) = (at.join("crates/chess-eval/data"), at.join("crates/chess-eval/src/generated"));
    std::fs::create_dir_all(&data).unwrap();
    std::fs::create_dir_all(&generated).unwrap();
    std::fs::write(data.join("weights.json"), said(at, &["show", "builtin"])).unwrap();
    said(&data, &["apply", "material", "--no-rebuild"]);
    assert_eq!(std::fs::read_to_string(data.join("weights.json")).unwrap(), said(at, &["show", "material"]));
    let source = std::fs::read_to_string(generated.join("weights.rs")).unwrap();
    assert!(source.contains("MADE_BY: &str = \"hand\"") && source.contains("[900, 900]"), "{source}");
    // Each game has its own.
    let shogi = at.join("crates/shogi-eval");
    std::fs::create_dir_all(shogi.join("data")).unwrap();
    std::fs::create_dir_all(shogi.join("src/generated")).unwrap();
    std::fs::write(shogi.join("data/weights.json"), said(at, &["show", "shogi:builtin"])).unwrap();
    said(&data, &["apply", "shogi:material", "--no-rebuild"]);
    let source = std::fs::read_to_string(shogi.join("src/generated/weights.rs")).unwrap();
    assert!(source.contains("[1200, 1200]"), "{source}");
    refused(at, &["diff", "builtin", "shogi:builtin"], "", "one holds weights of chess, the other of shogi");
}

#[test]
fn differences_and_mixtures_are_weight_by_weight() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.json"), SMALL).unwrap();
    std::fs::write(at.join("b.json"), SMALL.replace("34", "40").replace("-2]", "3]")).unwrap();
    assert_eq!(said(at, &["diff", "a.json", "a.json"]), "0 of 15 weights differ, by 0.0 on average and 0 at most\n");
    let out = tesuji(at, &["diff", "a.json", "b.json"], "");
    assert_eq!(out.status.code(), Some(1));
    let table = "two_bishops             34      40  +6\nsteps.1                 -2       3  +5\n\
        2 of 15 weights differ, by 5.5 on average and 6 at most\n";
    assert_eq!(String::from_utf8_lossy(&out.stdout), table);
    assert_eq!(said(at, &["blend", "a.json", "b.json", "--ratio", "0"]), SMALL);
    let half = SMALL.replace("34", "37").replace("-2]", "1]");
    said(at, &["blend", "a.json", "b.json", "--ratio", "0.5", "--out", "c.json"]);
    assert_eq!(std::fs::read_to_string(at.join("c.json")).unwrap(), half);
    let mixed = said(at, &["blend", "builtin", "material", "--ratio", "1"]);
    assert!(mixed.contains("\"from\": \"blend: 1 of material, the rest of builtin\""), "{mixed}");
    refused(at, &["blend", "a.json", "b.json", "--ratio", "1.5"], "", "expected a number from 0");
    refused(
        at,
        &["blend", "a.json", "builtin", "--ratio", "0.5"],
        "",
        "a.json and builtin: one holds weights of SoFCheck, the other weights of ours",
    );
    std::fs::write(at.join("d.json"), SMALL.replace("65, ", "")).unwrap();
    refused(at, &["diff", "a.json", "d.json"], "", "d.json: king_pawn.shield: expected 6 numbers, found 5");
    std::fs::write(at.join("half.json"), "{\"format\": \"tesuji-weights 1\",").unwrap();
    let out = tesuji(at, &["show", "half.json"], "");
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(error.matches("half.json").count(), 1, "{error} should say it once");
    std::fs::write(at.join("e.json"), SMALL.replace("[1, -2]", "[1]")).unwrap();
    refused(at, &["diff", "a.json", "e.json"], "", "one has 15 weights, the other 14");
}
