//! What `tesuji tune` says of games.

use std::process::{Command, Output};

fn tesuji(folder: &std::path::Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tesuji")).args(arguments).current_dir(folder).output().expect("the binary starts")
}

#[test]
fn chances_are_fitted_to_games_with_scores() {
    let folder = tempfile::tempdir().unwrap();
    let played = ["selfplay", "chess", "--games", "60", "--nodes", "300", "--seed", "2", "--out", "g.sgs", "--quiet"];
    assert!(tesuji(folder.path(), &played).status.success());
    let out = tesuji(folder.path(), &["tune", "chess", "--games", "g.sgs", "--chances", "--json"]);
    let text = String::from_utf8_lossy(&out.stdout);
    let fit: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let number = |name: &str| fit[name].as_f64().unwrap();
    assert_eq!(number("games"), 60.0);
    assert!(number("samples") > 1000.0 && number("even_cp") > 0.0 && number("spread_cp") > 0.0, "{fit}");
    // Better than knowing nothing: ln 3 for three outcomes.
    assert!(number("loss") < 3f64.ln(), "{fit}");
}

#[test]
fn chances_need_scores() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("g.pgn"), "[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n").unwrap();
    let out = tesuji(folder.path(), &["tune", "chess", "--games", "g.pgn", "--chances"]);
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{error}");
    assert!(error.contains("0 scores of 1 games are not enough"), "{error}");
}
