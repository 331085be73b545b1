//! Benches of Connect Four: positions of random games, and the speed of generation and of making moves.

use tesuji_game::Notation;
use tesuji_kit::bench::{Benchmark, Class, PlayoutPlies, Timing, classes, generate, make_all, moves_of, per_item};
use tesuji_testkit::four::{Columns, FourPosition, NoRules};

/// The benches.
pub(crate) struct FourBench;

impl Benchmark for FourBench {
    fn classes(&self) -> Vec<Class> {
        classes(include_str!("../data/bench.txt"))
    }

    fn depth(&self, family: &str) -> u32 {
        match family {
            "mcts" => 4,
            "best-first" => 2,
            _ => 6,
        }
    }

    fn nodes_max(&self, family: &str) -> Option<u64> {
        match family {
            "mcts" | "best-first" => Some(20_000),
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
    let read = |text: &&str| Columns::parse_position(&NoRules, text).ok();
    let boards: Vec<FourPosition> = positions.iter().filter_map(read).collect();
    let moves: Vec<_> = boards.iter().map(moves_of).collect();
    let count: u64 = moves.iter().map(|moves| moves.len() as u64).sum();
    let made = || boards.iter().zip(&moves).map(|(pos, moves)| make_all(*pos, moves)).sum();
    let timing = |what, nanoseconds| Timing { class, what, count, nanoseconds };
    vec![
        timing("move generated", per_item(count, || boards.iter().map(generate).sum())),
        timing("move made and taken back", per_item(count, made)),
    ]
}
