//! Benches of chess: its positions, and the speed of generation, making and taking back, attack queries and replayed searches.

use super::traced::{self, Done, Event, Plain, Traced};
use std::time::Duration;
use tesuji_chess::{Board, Chess, Move, Square, UciNotation};
use tesuji_chess_eval::HandEval;
use tesuji_game::{Game, Limits, Line, Notation, Report, Signal, Watch};
use tesuji_kit::bench::{
    Benchmark, Class, PlayoutPlies, Timing, classes, generate, make_all, moves_of, per_item, per_item_with,
};
use tesuji_search::{Searcher, alpha_beta::AlphaBeta};

/// The depth of the searches that are written down and replayed.
const TRACE_DEPTH: u32 = 8;

/// The benches.
pub(super) struct ChessBench;

impl Benchmark for ChessBench {
    fn classes(&self) -> Vec<Class> {
        classes(include_str!("../data/bench-chess.txt"))
    }

    fn depth(&self, family: &str) -> u32 {
        match family {
            "mcts" => 4,
            "best-first" => 2,
            _ => 10,
        }
    }

    fn nodes_max(&self, family: &str) -> Option<u64> {
        match family {
            "mcts" => Some(20_000),
            "best-first" => Some(80_000),
            _ => None,
        }
    }

    fn timings(&self) -> Vec<Timing> {
        self.classes().iter().flat_map(|(class, positions)| timings(class, positions)).collect()
    }

    fn playouts(&self) -> Vec<PlayoutPlies> {
        Vec::new()
    }
}

/// Times a class.
fn timings(class: &'static str, positions: &[&str]) -> Vec<Timing> {
    let rules = <Chess as Game>::Rules::default();
    let boards: Vec<Board> =
        positions.iter().filter_map(|text| UciNotation::parse_position(&rules, text).ok()).collect();
    let moves: Vec<Vec<Move>> = boards.iter().map(moves_of).collect();
    let count: u64 = moves.iter().map(|m| m.len() as u64).sum();
    let mut timings = Vec::new();
    let mut add = |what, count, nanoseconds| timings.push(Timing { class, what, count, nanoseconds });
    add("move generated", count, per_item(count, || boards.iter().map(generate).sum()));
    let made = || boards.iter().zip(&moves).map(|(b, m)| make_all(*b, m)).sum();
    add("move made and taken back", count, per_item(count, made));
    let queries = boards.len() as u64 * 64;
    let found: u64 = boards.iter().map(attackers).sum();
    let asked = || boards.iter().map(attackers).sum();
    add("attackers of a square", queries, per_item_with(queries, found, asked));
    let traces: Vec<(Board, Vec<Event>)> = boards.iter().map(|b| (*b, record(b))).collect();
    let done: Vec<Done> = traces.iter().map(|(b, t)| traced::replay(b, t)).collect();
    let plays: u64 = done.iter().map(|d| d.plays).sum();
    let replayed = || traces.iter().map(|(b, t)| traced::replay(b, t).plays).sum();
    add("node of a replayed search", plays, per_item(plays, replayed));
    let questions: u64 = done.iter().map(|d| d.plays + d.moves + d.answers).sum();
    add("question of a replayed search", questions, per_item_with(questions, plays, replayed));
    timings
}

fn attackers(board: &Board) -> u64 {
    Square::ALL.iter().map(|&square| u64::from(board.attackers_to(square, board.occupied()).count())).sum()
}

/// Records the board operations that a search of the position performs.
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
