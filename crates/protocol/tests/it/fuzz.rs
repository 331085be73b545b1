//! Any bytes in: no panic, and what was understood reads back the same.

use proptest::{collection::vec, prelude::*, sample::select};
use tesuji_protocol::fuzz;

/// Words that lines of UCI are made of, so that random lines come far.
const WORDS: [&str; 58] = [
    "uci",
    "debug",
    "on",
    "off",
    "isready",
    "setoption",
    "name",
    "value",
    "ucinewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "stop",
    "ponderhit",
    "quit",
    "d",
    "perft",
    "id",
    "author",
    "option",
    "type",
    "spin",
    "string",
    "combo",
    "button",
    "default",
    "min",
    "max",
    "var",
    "info",
    "score",
    "cp",
    "wdl",
    "pv",
    "multipv",
    "bestmove",
    "(none)",
    "e2e4",
    "e7e8q",
    "0",
    "-1",
    "7",
    "99999999999999999999",
    "error:",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_of_known_words(words in vec(select(&WORDS[..]), 0..12), gap in select(vec![" ", "  ", "\t"])) {
        let line = words.join(gap);
        fuzz::uci_engine(line.as_bytes());
        fuzz::uci_runner(line.as_bytes());
    }

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..80)) {
        fuzz::uci_engine(&bytes);
        fuzz::uci_runner(&bytes);
    }

    #[test]
    fn any_text(text in "\\PC*") {
        fuzz::uci_engine(text.as_bytes());
        fuzz::uci_runner(text.as_bytes());
    }
}
