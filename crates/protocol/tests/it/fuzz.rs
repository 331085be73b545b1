//! Any bytes in: no panic, and what was understood reads back the same.

use proptest::{collection::vec, prelude::*, sample::select};
use tesuji_protocol::fuzz;

/// Words that lines of the protocols are made of, so that random lines come far.
const WORDS: &str = "\
    uci debug on off isready setoption name value ucinewgame position startpos fen moves go \
    searchmoves ponder wtime btime winc binc movestogo depth nodes mate movetime infinite stop ponderhit \
    quit d perft id author option type spin string combo button default min max \
    var info score cp wdl pv multipv bestmove (none) e2e4 e7e8q 0 -1 7 \
    99999999999999999999 error: usi usinewgame sfen byoyomi gameover lose checkmate nomate 7g7f G*5b + - \
    = ? =1 ?2 genmove b white play D4 pass komi boardsize time_left time_settings \
    kgs-time_settings canadian known_command set_free_handicap tesuji-position # feature ping=1 done=1 option=\"A -spin 1 0 9\" move pong 1-0 offer \
    draw Illegal 9. resign =5 visits winrate 0.5 1e400 nan order rootInfo scoreLead pvVisits ownership pv";

/// All targets.
const TARGETS: [fn(&[u8]); 9] = [
    fuzz::uci_engine,
    fuzz::uci_runner,
    fuzz::usi_engine,
    fuzz::usi_runner,
    fuzz::gtp_engine,
    fuzz::gtp_runner,
    fuzz::gtp_analysis,
    fuzz::kata_runner,
    fuzz::xboard_runner,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_of_known_words(
        words in vec(select(WORDS.split_whitespace().collect::<Vec<_>>()), 0..16),
        gaps in vec(select(vec![" ", "  ", "\t", "\n", "\n\n"]), 16),
    ) {
        let text: String = words.iter().zip(gaps).flat_map(|(word, gap)| [*word, gap]).collect();
        TARGETS.iter().for_each(|target| target(text.as_bytes()));
        let line = words.join(" ");
        TARGETS.iter().for_each(|target| target(line.as_bytes()));
    }

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..80)) {
        TARGETS.iter().for_each(|target| target(&bytes));
    }

    #[test]
    fn any_text(text in "\\PC*") {
        TARGETS.iter().for_each(|target| target(text.as_bytes()));
    }
}
