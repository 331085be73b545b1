//! Chess as learning sees it.

use super::{ChessKit, greko::GrekoSet, leaf::LeafLessons, margins::ChessMargins};
use std::sync::Arc;
use tesuji_chess::{Board, Chess, Move, san};
use tesuji_chess_eval::{HandEval, PACKAGE, builtin_weights, explain, material_weights, terms};
use tesuji_game::{Position, Side};
use tesuji_kit::{
    explain::ExplainOf,
    tuning::{Lessons, Taught, Tuning},
};
use tesuji_kits_shared::handmade::explain_by_net;
use tesuji_tally::{Explanation, Weights};
use tesuji_tune::{Canon, PieceTable};

/// The tuning of chess weights: features, initial weights and files.
pub(super) static TUNING: Tuning = Tuning {
    features: &Lessons::<ChessTaught, HandEval>::new(),
    builtin: builtin_weights,
    material: material_weights,
    canon,
    package: PACKAGE,
    built_in: "crates/chess-eval/data/weights.json",
    source: Some("crates/chess-eval/src/generated/weights.rs"),
    sets: &[&GrekoSet],
    leaves: Some(|weights| (Box::new(LeafLessons::new(Arc::new(weights))), LeafLessons::FILTER)),
    margins: Some(&ChessMargins),
};

/// The explanation of evaluations of chess positions.
pub(super) static EXPLAIN: ExplainOf<ChessTaught> =
    ExplainOf::new(|name| TUNING.weights(name), Some(explain_by_net::<ChessKit>));

/// Chess as a game that is learned from.
pub struct ChessTaught;

impl Taught for ChessTaught {
    type Game = Chess;

    fn is_loud(board: &Board, mv: Move) -> bool {
        board.is_capture(mv) || mv.promotion().is_some()
    }

    fn explain(board: &Board, weights: &Weights) -> Explanation {
        explain(board, weights)
    }

    fn say(board: &Board, mv: Move) -> String {
        let dots = if board.side_to_move() == Side::First { ". " } else { "... " };
        let mut said = format!("{}{dots}", board.fullmove());
        san::write(board, mv, &mut said);
        said
    }
}

/// The canonical form that makes chess weights readable: tables hold what a square adds, a pawn is worth 100.
fn canon() -> Canon {
    let table = |kind: usize| {
        let first = terms::PSQ_PAWN + 64 * kind;
        PieceTable { value: terms::MATERIAL + kind, table: first..first + 64 }
    };
    Canon { tables: (0..5).map(table).collect(), unit: Some((terms::MATERIAL, 100)) }
}
