//! Tests of the rules of chess: its transcript, which other engines write too (`docs/selftest.md`).

use tesuji_chess::{
    Board, Chess, Move, Rules, perft,
    selftest::{self, Dumper, Style},
};
use tesuji_game::NotationError;
use tesuji_kit::{
    RequestError, SelftestRequest,
    rules_test::{ByTranscript, Transcribed},
};

/// The tests.
pub(super) static RULES_TEST: ByTranscript<ChessTranscript> = ByTranscript(ChessTranscript);

/// The transcript of chess.
pub(super) struct ChessTranscript;

impl Transcribed for ChessTranscript {
    type Game = Chess;
    type Dumper = Dumper;
    type Style = Style;

    const ATTACKS: bool = true;
    const GREETING: [&'static str; 2] = ["uci", "uciok"];
    const POSITION: &'static str = "position fen";

    fn style(request: &SelftestRequest) -> Result<Style, RequestError> {
        let rules: Result<Rules, NotationError> = request.rules.parse();
        let rules = rules.map_err(|error| RequestError::value("rules", &request.rules, error))?;
        Ok(Style { depth: request.depth, heatmaps: request.attacks, chess960: rules.chess960 })
    }

    fn preparation(style: Style) -> Option<&'static str> {
        style.chess960.then_some("setoption name UCI_Chess960 value true")
    }

    fn load(line: &str, style: Style) -> Result<Board, NotationError> {
        selftest::load(line, style)
    }

    fn invariants(board: &Board) -> Result<(), String> {
        selftest::check(board).map_err(|broken| broken.to_string())
    }

    fn write_entry(line: &str, board: &Board, style: Style, dumper: &mut Dumper, out: &mut String) {
        selftest::write_entry(line, board, style, dumper, out);
    }

    fn our_set(positions: usize, seed: u64) -> String {
        selftest::our_set(positions, seed)
    }

    fn leaves_below(board: &Board, mv: Move, depth: u32) -> u64 {
        perft::below(board, mv, depth)
    }
}
