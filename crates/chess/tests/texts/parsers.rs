//! Parsers take whatever comes: they return, and their errors say where.

use proptest::prelude::*;
use std::time::Duration;
use tesuji_chess::{epd::EpdFile, fuzz, pgn::Pgn, sgs::Sgs};
use tesuji_record::RecordFormat;
use tesuji_testkit::fuzz::run;

/// Every error of `format` on `text` names a line of it.
fn errors_have_lines(format: &dyn RecordFormat, text: &str) -> Result<(), TestCaseError> {
    for result in crate::records::read(format, text) {
        if let Err(error) = result {
            let lines = text.split('\n').count() as u64;
            prop_assert!(error.line.is_some_and(|line| line.get() <= lines), "{}", error);
            prop_assert!(!error.is_fatal());
        }
    }
    Ok(())
}

/// Words of a format in any order, with noise between.
fn words(of: &'static [&'static str]) -> impl Strategy<Value = String> {
    let word = prop_oneof![8 => proptest::sample::select(of).prop_map(String::from), 1 => "\\PC{0,8}"];
    proptest::collection::vec((word, prop_oneof![Just(" "), Just("\n"), Just("")]), 0..60)
        .prop_map(|all| all.into_iter().map(|(word, gap)| word + gap).collect())
}

const SGS_WORDS: &[&str] = &[
    "game W -\n",
    "game ? x\n",
    "start\n",
    "moves e2e4",
    "e7e5",
    "\nboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1\n",
    "e1g1",
    "title x\n",
    "scores +1 #3\n",
    "comment 1 x\\n\n",
    "variant chess960\n",
    "end time\n",
    "#",
    "times 1.5\n",
    "visits 0 1:1\n",
];
const PGN_WORDS: &[&str] = &[
    "[White \"a\"]\n",
    "\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n",
    "1.",
    "e4",
    "e5",
    "Nf3",
    "O-O",
    "(",
    ")",
    "{",
    "}",
    ";",
    "$1",
    "!?",
    "1-0",
    "*",
    "1/2-1/2",
    "[%eval 0.3]",
    "+0.31/12",
    "%",
    "[",
    "]",
    "\"",
    "--",
    "e8=Q",
];
const EPD_WORDS: &[&str] =
    &["4k3/8/8/8/8/8/8/4K2R w K - ", "0 1 ", "bm O-O;", "id \"x", "\";", ";", "#", "\n", "hmvc 4;", "w", "-"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sgs_errors_have_lines(text in words(SGS_WORDS)) {
        errors_have_lines(&Sgs::EXTENDED, &text)?;
        fuzz::sgs(text.as_bytes());
    }

    #[test]
    fn pgn_errors_have_lines(text in words(PGN_WORDS)) {
        errors_have_lines(&Pgn, &text)?;
        fuzz::pgn(text.as_bytes());
    }

    #[test]
    fn epd_errors_have_lines(text in words(EPD_WORDS)) {
        errors_have_lines(&EpdFile, &text)?;
        fuzz::epd(text.as_bytes());
    }

    #[test]
    fn san_takes_any_text(text in "\\PC{0,10}|[KQRBNkqrbn]?[a-h]?[1-8]?[x:-]?[a-h][1-8]=?[QRBNqrbn]?[+#!?]{0,2}|[O0o–-]{1,7}") {
        fuzz::san(text.as_bytes());
    }
}

#[test]
fn bent_files_do_no_harm() {
    let games = [crate::records::rich_game(1, true)];
    let (pgn, sgs) = (crate::records::written(&Pgn, &games), crate::records::written(&Sgs::EXTENDED, &games));
    let time = Duration::from_millis(300);
    run("chess::pgn", fuzz::pgn, &[&pgn], 31, time);
    run("chess::sgs", fuzz::sgs, &[&sgs], 31, time);
    run("chess::epd", fuzz::epd, &["4k3/8/8/8/8/8/8/4K2R w K - hmvc 1; id \"a\";\n"], 31, time);
    run("chess::san", fuzz::san, &["Nbd7+", "e8=Q#", "O-O-O", "exd6 e.p."], 31, time);
}
