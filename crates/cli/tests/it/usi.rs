//! The shogi engine as GUIs and runners meet it, and what else the binary says about shogi.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

fn tesuji(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the program reads");
    child.wait_with_output().expect("the program ends")
}

/// What the engine says to `input`.
fn said(input: &str) -> String {
    String::from_utf8(tesuji(&["usi"], input).stdout).expect("text")
}

#[track_caller]
fn check(input: &str, expect: &str) {
    let text = said(input);
    assert!(text.lines().any(|line| line.starts_with(expect)), "{expect:?} is not said to {input:?}:\n{text}");
}

#[test]
fn it_speaks_usi() {
    check("usi\n", "usiok");
    check("usi\n", "option name USI_Hash type spin default 16 ");
    check("usi\n", "option name USI_Ponder type check");
    check("setoption name USI_Hash value 32\nisready\n", "readyok");
    check("position startpos moves 7g7f 3c3d\ngo depth 3\n", "bestmove ");
    check("position startpos\ngo btime 0 wtime 0 byoyomi 50\n", "bestmove ");
    check("position startpos\ngo btime 2000 wtime 2000 binc 10 winc 10\n", "bestmove ");
    check("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1\ngo depth 3\n", "bestmove G*5b");
}

#[test]
fn it_declares_and_resigns() {
    let entered = "1K1+R+R+B+B2/+P+P+P+P+P+P3/9/9/9/9/9/9/8k b 2G2S12p2g2s4n4l 1";
    check(&format!("position sfen {entered}\ngo depth 3\n"), "bestmove win");
    let forbids =
        format!("setoption name EnteringKingRule value no-declaration\nposition sfen {entered}\ngo depth 2\n");
    assert!(!said(&forbids).contains("bestmove win"));
    // Mated, and as good as lost.
    check("position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\ngo depth 3\n", "bestmove resign");
    let lost = "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/4K4 b - 1\ngo depth 3\n";
    check(lost, "bestmove ");
    assert!(!said(lost).contains("bestmove resign"));
    check(&format!("setoption name ResignValue value 2000\n{lost}"), "bestmove resign");
}

/// What is said, without what differs from machine to machine.
fn said_steadily(input: &str) -> String {
    let mut text = String::new();
    for line in said(input).lines() {
        let mut words = line.split(' ');
        while let Some(word) = words.next() {
            let varies = ["nps", "time"].contains(&word);
            text += word;
            text += if varies && words.next().is_some() { " … " } else { " " };
        }
        text.truncate(text.trim_end().len());
        text += "\n";
    }
    text
}

#[test]
fn it_looks_for_mates() {
    for dialogue in include_str!("../data/go-mate.txt").split("\n\n").skip(1) {
        let lines = |mark| dialogue.lines().filter_map(move |line| line.strip_prefix(mark)).flat_map(|l| [l, "\n"]);
        assert_eq!(said_steadily(&lines("I ").collect::<String>()), lines("O ").collect::<String>(), "{dialogue}");
    }
}

#[test]
fn perft_and_explain_know_shogi() {
    let counted = tesuji(&["perft", "shogi", "--depth", "3"], "");
    assert!(String::from_utf8_lossy(&counted.stdout).contains("perft(3)  25470"));
    let told = tesuji(&["explain", "shogi", "--moves", "7g7f"], "");
    assert!(String::from_utf8_lossy(&told.stdout).contains("for the side to move"));
    let wrong = tesuji(&["explain", "shogi", "--moves", "7g7e"], "");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("7g7e"));
}

/// A GUI's names of options are right on the command line, too, and wrong ones are told.
#[test]
fn options_have_their_names_on_the_command_line() {
    let out = tesuji(&["usi", "--option", "USI_Hash=8", "--option", "usi_ponder=false"], "usi\n");
    let text = String::from_utf8_lossy(&out.stdout).to_string();
    assert!(out.status.success() && text.contains("option name USI_Hash "), "{text}");
    let out = tesuji(&["usi", "--option", "USI_Hosh=8"], "");
    let words = String::from_utf8_lossy(&out.stderr).to_string();
    assert!(!out.status.success() && words.contains("no option is called \"USI_Hosh\""), "{words}");
}
