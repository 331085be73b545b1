//! The speed of the rules by class of position: generation, making and taking back, attack queries, and searches replayed.

use super::{
    set,
    traced::{self, Done, Event, Plain, Traced},
};
use serde::Serialize;
use std::{fmt::Write, hint::black_box, ops::ControlFlow::Continue, time::Duration};
use tesuji_chess::{Board, Chess, Move, Square, UciNotation};
use tesuji_chess_eval::HandEval;
use tesuji_game::{Game, Limits, Line, Mating, Notation, Position, Report, Signal, Tactical, Watch};
use tesuji_jobs::thread_processor_time;
use tesuji_search::{Searcher, alpha_beta::AlphaBeta};
use tesuji_shogi::{Board as ShogiBoard, Shogi, perft::count as perft, sfen};

/// The depth of the searches that are written down and replayed.
const TRACE_DEPTH: u32 = 8;
/// Plies of shogi's perft.
const PERFT: u32 = 3;
/// Each timing is repeated until so much processor time has passed; the median of the rounds counts.
const ROUND: Duration = Duration::from_millis(20);
const ROUNDS: usize = 5;

/// How fast something went for a class of positions.
#[derive(Clone, Serialize)]
pub struct Timing {
    /// The class of positions.
    pub(super) class: &'static str,
    /// What was timed.
    pub(super) what: &'static str,
    /// How often it happens in one pass.
    pub(super) count: u64,
    /// Nanoseconds of processor time for one, the median of five rounds.
    pub(super) nanoseconds: f64,
}

/// Times chess.
pub fn chess() -> Vec<Timing> {
    let mut timings = Vec::new();
    for (class, positions) in set::classes(Chess::NAME) {
        let rules = <Chess as Game>::Rules::default();
        let boards: Vec<Board> =
            positions.iter().filter_map(|text| UciNotation::parse_position(&rules, text).ok()).collect();
        let moves: Vec<Vec<Move>> = boards.iter().map(moves_of).collect();
        let count: u64 = moves.iter().map(|m| m.len() as u64).sum();
        let mut add = |what, count, nanoseconds| timings.push(Timing { class, what, count, nanoseconds });
        add("move generated", count, per_item(count, || boards.iter().map(generate).sum()));
        add(
            "move made and taken back",
            count,
            per_item(count, || boards.iter().zip(&moves).map(|(b, m)| make_all(*b, m)).sum()),
        );
        let queries = boards.len() as u64 * 64;
        let attackers: u64 = boards.iter().map(attackers).sum();
        add(
            "attackers of a square",
            queries,
            per_item_with(queries, attackers, || boards.iter().map(self::attackers).sum()),
        );
        let traces: Vec<(Board, Vec<Event>)> = boards.iter().map(|b| (*b, record(b))).collect();
        let done: Vec<Done> = traces.iter().map(|(b, t)| traced::replay(b, t)).collect();
        let plays: u64 = done.iter().map(|d| d.plays).sum();
        let replayed = || traces.iter().map(|(b, t)| traced::replay(b, t).plays).sum();
        add("node of a replayed search", plays, per_item(plays, replayed));
        let asked: u64 = done.iter().map(|d| d.plays + d.moves + d.answers).sum();
        add("question of a replayed search", asked, per_item_with(asked, plays, replayed));
    }
    timings
}

/// Times shogi.
pub fn shogi() -> Vec<Timing> {
    let mut timings = Vec::new();
    for (class, positions) in set::classes(Shogi::NAME) {
        let boards: Vec<ShogiBoard> = positions.iter().filter_map(|text| sfen::parse(text).ok()).collect();
        let moves: Vec<_> = boards.iter().map(moves_of).collect();
        let count: u64 = moves.iter().map(|m| m.len() as u64).sum();
        let mut add = |what, count, nanoseconds| timings.push(Timing { class, what, count, nanoseconds });
        add("move generated", count, per_item(count, || boards.iter().map(generate).sum()));
        let made = || boards.iter().zip(&moves).map(|(b, m)| make_all(*b, m)).sum();
        add("move made and taken back", count, per_item(count, made));
        let checks: u64 = boards.iter().map(checks).sum();
        let tried = boards.len() as u64;
        add("checks of a position", tried, per_item_with(tried, checks, || boards.iter().map(self::checks).sum()));
        let leaves: u64 = boards.iter().map(|b| perft(b, PERFT)).sum();
        add("leaf of perft 3", leaves, per_item(leaves, || boards.iter().map(|b| perft(b, PERFT)).sum()));
    }
    timings
}

/// The checks of the side to move.
fn checks(board: &ShogiBoard) -> u64 {
    let mut n = 0;
    let _ = board.for_each_check(|mv| {
        black_box(mv);
        n += 1;
        Continue::<(), ()>(())
    });
    n
}

/// A table for people.
pub fn table(timings: &[Timing]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{:<14}{:<32}{:>12}{:>12}{:>14}", "class", "what", "count", "CPU-ns each", "per CPU-s");
    for t in timings {
        let rate = 1e9 / t.nanoseconds.max(1e-9);
        let _ = writeln!(out, "{:<14}{:<32}{:>12}{:>12.2}{rate:>14.0}", t.class, t.what, t.count, t.nanoseconds);
    }
    out
}

/// Nanoseconds of processor time an item of work that finds `count` items.
pub(super) fn per_item(count: u64, work: impl Fn() -> u64) -> f64 {
    per_item_with(count, count, work)
}

/// Nanoseconds of processor time an item of work on `count` items that must answer `answer` every time.
pub(super) fn per_item_with(count: u64, answer: u64, work: impl Fn() -> u64) -> f64 {
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let began = thread_processor_time();
            let (mut passes, mut spent) = (0, Duration::ZERO);
            while spent < ROUND {
                assert_eq!(black_box(work()), answer, "a bench finds the same every time");
                passes += 1;
                spent = thread_processor_time().saturating_sub(began);
            }
            spent.as_nanos() as f64 / (passes * count.max(1)) as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}

pub(super) fn moves_of<P: Position>(board: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    let _ = board.for_each_move(|mv| {
        moves.push(mv);
        Continue::<(), ()>(())
    });
    moves
}

/// Generates as a search does: noisy moves, then quiet ones.
fn generate<P: Tactical>(board: &P) -> u64 {
    let mut n = 0;
    let mut each = |mv| {
        black_box(mv);
        n += 1;
        Continue::<(), ()>(())
    };
    let _ = board.for_each_noisy(&mut each);
    let _ = board.for_each_quiet(&mut each);
    n
}

pub(super) fn make_all<P: Position>(mut board: P, moves: &[P::Move]) -> u64 {
    for &mv in moves {
        let undo = board.play_seen(mv, |change| {
            black_box(change);
        });
        black_box(board.key());
        board.undo(mv, undo);
    }
    moves.len() as u64
}

fn attackers(board: &Board) -> u64 {
    Square::ALL.iter().map(|&square| u64::from(board.attackers_to(square, board.occupied()).count())).sum()
}

/// What a search of the position asks of the board.
fn record(board: &Board) -> Vec<Event> {
    struct Quiet;
    impl Watch<Move> for Quiet {
        fn signal(&mut self) -> Signal {
            Signal::Run
        }
        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
        fn report(&mut self, _: &Report<Move>) {}
    }
    let mut search = AlphaBeta::<Traced, Plain>::new(Plain(HandEval::default()));
    let line = Line::new(Traced(*board));
    // What choosing the root moves and the answer to ponder asks is not part of the walk.
    traced::take();
    search.search(&line, &Limits { depth: Some(TRACE_DEPTH), ..Limits::default() }, &[], &mut Quiet);
    traced::take()
}
