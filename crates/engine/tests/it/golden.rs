//! Dialogues as text files: `I` a line sent, `W` wait for a line that begins so, `O` a line answered, `C` the input is closed.
//!
//! `UPDATE=1` writes the `O` lines again.

use crate::wire::Wire;
use std::{fs, path::Path};

/// Plays the inputs of a dialogue and returns it with the answers got.
fn play(dialogue: &str) -> String {
    let mut wire = Wire::scripted();
    let mut out = String::new();
    let answer = |out: &mut String, lines: Vec<String>| {
        for line in lines {
            // The speed of perft is the machine's.
            let line = if line.starts_with("Time: ") { "Time: …" } else { &line };
            out.push_str(format!("O {line}").trim_end());
            out.push('\n');
        }
    };
    for line in dialogue.lines().filter(|line| !line.starts_with('O')) {
        out.push_str(line);
        out.push('\n');
        match line.split_at_checked(2) {
            Some(("I ", text)) => wire.send(text),
            Some(("W ", head)) => answer(&mut out, wire.until(head)),
            _ if line == "C" => wire.close(),
            _ => {}
        }
    }
    wire.close();
    answer(&mut out, wire.rest());
    out
}

#[track_caller]
fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let expected = fs::read_to_string(&path).unwrap();
    let got = play(&expected);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, got).unwrap();
    } else {
        assert_eq!(got, expected, "{name} differs; UPDATE=1 writes it");
    }
}

#[test]
fn greeting_and_options() {
    check("options.txt");
}

#[test]
fn searches() {
    check("search.txt");
}

#[test]
fn pondering() {
    check("ponder.txt");
}

#[test]
fn wrong_input() {
    check("wrong.txt");
}

#[test]
fn questions() {
    check("questions.txt");
}

#[test]
fn a_panic_is_told_and_survived() {
    check("panic.txt");
}
