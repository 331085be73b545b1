//! Chess as learning sees it.

use super::{Lessons, Subject, Taught};
use tesuji_chess::{Board, Chess, Move};
use tesuji_chess_eval::{HandEval, builtin_weights, generate::rust_source, material_weights, terms};
use tesuji_tune::{Canon, PieceTable};

/// What learns of chess.
pub(super) static SUBJECT: Subject = Subject {
    features: &Lessons::<Chess, HandEval>::new(),
    builtin: builtin_weights,
    material: material_weights,
    canon,
    source: rust_source,
    built_in: ["crates/chess-eval/data/weights.json", "crates/chess-eval/src/generated/weights.rs"],
};

impl Taught for Chess {
    fn is_loud(board: &Board, mv: Move) -> bool {
        board.is_capture(mv) || mv.promotion().is_some()
    }
}

/// What makes chess weights readable: tables hold what a square adds, a pawn is worth 100.
fn canon() -> Canon {
    let table = |kind: usize| {
        let first = terms::PSQ_PAWN + 64 * kind;
        PieceTable { value: terms::MATERIAL + kind, table: first..first + 64 }
    };
    Canon { tables: (0..5).map(table).collect(), unit: Some((terms::MATERIAL, 100)) }
}
