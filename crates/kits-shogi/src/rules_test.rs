//! Tests of the rules of shogi: its transcript, which other engines write too (`docs/selftest.md`).

use tesuji_game::NotationError;
use tesuji_kit::{
    RequestError, SelftestRequest,
    rules_test::{ByTranscript, Transcribed},
};
use tesuji_shogi::{Board, Move, Shogi, perft, selftest};

/// The tests.
pub(super) static RULES_TEST: ByTranscript<ShogiTranscript> = ByTranscript(ShogiTranscript);

/// The transcript of shogi.
pub(super) struct ShogiTranscript;

/// The deepest dump of an entry, in plies.
#[derive(Clone, Copy)]
pub(super) struct Depth(u32);

impl Transcribed for ShogiTranscript {
    type Game = Shogi;
    type Dumper = ();
    type Style = Depth;

    const ATTACKS: bool = false;
    const GREETING: [&'static str; 2] = ["usi", "usiok"];
    const POSITION: &'static str = "position sfen";

    fn style(request: &SelftestRequest) -> Result<Depth, RequestError> {
        if request.attacks {
            return Err(RequestError::field("attacks", "are not shown in shogi"));
        }
        if !request.rules.is_empty() {
            return Err(RequestError::field("rules", "are the usual ones in shogi"));
        }
        Ok(Depth(request.depth))
    }

    fn preparation(_: Depth) -> Option<&'static str> {
        None
    }

    fn load(line: &str, _: Depth) -> Result<Board, NotationError> {
        selftest::load(line)
    }

    fn invariants(board: &Board) -> Result<(), String> {
        selftest::check(board).map_err(|broken| broken.to_string())
    }

    fn write_entry(line: &str, board: &Board, Depth(depth): Depth, (): &mut (), out: &mut String) {
        selftest::write_entry(line, board, depth, out);
    }

    fn our_set(positions: usize, seed: u64) -> String {
        selftest::our_set(positions, seed)
    }

    fn leaves_below(board: &Board, mv: Move, depth: u32) -> u64 {
        perft::below(board, mv, depth)
    }
}
