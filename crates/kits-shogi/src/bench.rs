//! Benches of shogi: its positions, and the speed of generation, making and taking back, checks and perft.

use std::{hint::black_box, ops::ControlFlow::Continue};
use tesuji_game::Mating;
use tesuji_kit::bench::{
    Benchmark, Class, PlayoutPlies, Timing, classes, generate, make_all, moves_of, per_item, per_item_with,
};
use tesuji_shogi::{Board, perft::count as perft, sfen};

/// Plies of perft.
const PERFT: u32 = 3;

/// The benches.
pub(super) struct ShogiBench;

impl Benchmark for ShogiBench {
    fn classes(&self) -> Vec<Class> {
        classes(include_str!("../data/bench-shogi.txt"))
    }

    fn depth(&self, family: &str) -> u32 {
        match family {
            // Wider than others: pieces are dropped.
            "mcts" => 3,
            "best-first" => 2,
            _ => 10,
        }
    }

    fn nodes_max(&self, family: &str) -> Option<u64> {
        match family {
            "mcts" => Some(10_000),
            "best-first" => Some(20_000),
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
    let boards: Vec<Board> = positions.iter().filter_map(|text| sfen::parse(text).ok()).collect();
    let moves: Vec<_> = boards.iter().map(moves_of).collect();
    let count: u64 = moves.iter().map(|m| m.len() as u64).sum();
    let mut timings = Vec::new();
    let mut add = |what, count, nanoseconds| timings.push(Timing { class, what, count, nanoseconds });
    add("move generated", count, per_item(count, || boards.iter().map(generate).sum()));
    let made = || boards.iter().zip(&moves).map(|(b, m)| make_all(*b, m)).sum();
    add("move made and taken back", count, per_item(count, made));
    let found: u64 = boards.iter().map(checks).sum();
    let tried = boards.len() as u64;
    add("checks of a position", tried, per_item_with(tried, found, || boards.iter().map(checks).sum()));
    let leaves: u64 = boards.iter().map(|b| perft(b, PERFT)).sum();
    add("leaf of perft 3", leaves, per_item(leaves, || boards.iter().map(|b| perft(b, PERFT)).sum()));
    timings
}

/// The checks of the side to move.
fn checks(board: &Board) -> u64 {
    let mut n = 0;
    let _ = board.for_each_check(|mv| {
        black_box(mv);
        n += 1;
        Continue::<(), ()>(())
    });
    n
}
