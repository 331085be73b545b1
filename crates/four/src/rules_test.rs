//! Tests of the rules of Connect Four: a transcript of positions with their moves and leaves, invariants, another engine's perft.

use crate::mirrored;
use std::ops::ControlFlow::Continue;
use tesuji_game::{Notation, NotationError, Position, move_text};
use tesuji_kit::{
    RequestError, SelftestRequest,
    rules_test::{ByTranscript, Transcribed},
};
use tesuji_record::cases::{self, Broken, Case, case};
use tesuji_testkit::four::{Columns, Drop, Four, FourPosition, NoRules};

/// The tests.
pub(crate) static RULES_TEST: ByTranscript<FourTranscript> = ByTranscript(FourTranscript);

/// The transcript of Connect Four.
pub(crate) struct FourTranscript;

/// The deepest dump of an entry, in plies.
#[derive(Clone, Copy)]
pub(crate) struct Depth(u32);

/// Edge cases.
const CASES: &[Case] = &[
    case("the empty board", "......./......./......./......./......./......./x"),
    case("four on the ground", "......./......./......./......./..ooo../.xxxx../o"),
    case("four in a column", "......./......./x....../xo...../xo...../xo...../o"),
    case("four on a diagonal", "......./......./...x.../..xo.../.xoo.../xoxxo../o"),
    case("no four over the edge", "......./......./......./......./oo...oo/xx...xx/x"),
    case("a full column", "...o.../...x.../...o.../...x.../...o.../...x.../x"),
];

impl Transcribed for FourTranscript {
    type Game = Four;
    type Dumper = ();
    type Style = Depth;

    const ATTACKS: bool = false;
    const GREETING: [&'static str; 2] = ["uci", "uciok"];
    const POSITION: &'static str = "position fen";

    fn style(request: &SelftestRequest) -> Result<Depth, RequestError> {
        if request.attacks {
            return Err(RequestError::field("attacks", "are not known in Connect Four"));
        }
        let rules: Result<NoRules, NotationError> = request.rules.parse();
        rules.map_err(|error| RequestError::value("rules", &request.rules, error))?;
        Ok(Depth(request.depth))
    }

    fn preparation(_: Depth) -> Option<&'static str> {
        None
    }

    fn load(line: &str, _: Depth) -> Result<FourPosition, NotationError> {
        Columns::parse_position(&NoRules, line)
    }

    fn invariants(pos: &FourPosition) -> Result<(), String> {
        check(pos).map_err(|broken| broken.to_string())
    }

    fn write_entry(line: &str, pos: &FourPosition, Depth(depth): Depth, (): &mut (), out: &mut String) {
        *out += &format!("position: {line}\nmoves: [\n");
        for mv in moves(pos) {
            *out += &format!("{}\n", move_text::<Four>(pos, mv));
        }
        *out += "]\n";
        for depth in 1..=depth {
            *out += &format!("perft({depth}): {}\n", leaves(pos, depth));
        }
        out.push('\n');
    }

    fn our_set(positions: usize, seed: u64) -> String {
        cases::set::<Four>(CASES, ("mirrored", mirrored), positions, seed)
    }

    fn leaves_below(pos: &FourPosition, mv: Drop, depth: u32) -> u64 {
        let mut next = *pos;
        next.play(mv);
        leaves(&next, depth.saturating_sub(1))
    }
}

/// The legal moves.
fn moves(pos: &FourPosition) -> Vec<Drop> {
    let mut moves = Vec::with_capacity(7);
    let _ = pos.for_each_move(|mv| {
        moves.push(mv);
        Continue::<(), ()>(())
    });
    moves
}

/// The leaves of the tree below `pos`.
fn leaves(pos: &FourPosition, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => pos.count_moves() as u64,
        _ => moves(pos).into_iter().map(|mv| FourTranscript::leaves_below(pos, mv, depth)).sum(),
    }
}

/// Checks all invariants at `pos` and at every position one move away.
fn check(pos: &FourPosition) -> Result<(), Broken> {
    let invariant =
        |pos: &FourPosition| cases::moves_of(pos).map_err(|invariant| Broken::at::<Four>(pos, None, invariant));
    for mv in invariant(pos)? {
        let broken = |invariant| Err(Broken::at::<Four>(pos, Some(mv), invariant));
        let mut next = *pos;
        let undo = next.play_seen(mv, |_| ());
        invariant(&next)?;
        next.undo(mv, undo);
        if next != *pos {
            return broken("a move that is taken back leaves the position as it was");
        }
        if pos.unpack(FourPosition::pack(mv)) != Some(mv) {
            return broken("a packed move is the same move when it is unpacked");
        }
    }
    Ok(())
}
