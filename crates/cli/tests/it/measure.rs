//! `./measure`: the page of figures is that of its data, and figures are taken again.

use std::path::Path;
use std::process::Command;

/// Runs `./measure`; its exit code and all that it said.
fn measure(words: &[&str]) -> (Option<i32>, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../measure");
    let out = Command::new(script).args(words).output().expect("./measure runs (it needs Python 3.11)");
    (out.status.code(), [out.stdout, out.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat())
}

#[test]
fn the_page_of_figures_is_that_of_its_data() {
    assert_eq!(measure(&["--check"]), (Some(0), String::new()));
}

#[test]
fn figures_are_taken_again_beside_the_old_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = folder.path().join("m.toml");
    std::fs::write(&named, concat!("[programs]\ntesuji = \"", env!("CARGO_BIN_EXE_tesuji"), "\"\n")).expect("a file");
    let named = named.to_string_lossy();
    let (code, said) = measure(&["rules", "--runs", "1", "--with", &named]);
    assert!(code == Some(0) && said.matches("    before: ").count() == 3, "{said}");
    assert!(said.contains("    now:    ") && said.contains(" s of processor time"), "{said}");
    // What nobody named is left out, and when that is all it is an error.
    let (code, said) = measure(&["data", "--with", &named]);
    assert!(code == Some(1) && said.contains("does not name games") && said.contains("nothing was measured"), "{said}");
    let (code, said) = measure(&["weather"]);
    assert!(code == Some(1) && said.contains("expected one of rules, data"), "{said}");
    std::fs::write(folder.path().join("bad.toml"), "tesuji = 1\n").expect("a file");
    let (code, said) = measure(&["rules", "--with", &folder.path().join("bad.toml").to_string_lossy()]);
    assert!(code == Some(1) && said.contains("expected [programs] and [data]"), "{said}");
}
