//! Chess as learning sees it.

use super::{ChessKit, greko::GrekoSet, leaf::LeafLessons, margins::ChessMargins, sofcheck::SofcheckSet};
use std::sync::Arc;
use tesuji_chess::{Board, Chess, Move, san};
use tesuji_chess_eval::{ChessWeights, EvalKind, HandEval, PACKAGE, builtin_weights, material_weights, terms};
use tesuji_game::{Position, Side};
use tesuji_jobs::read_text_limited;
use tesuji_kit::{
    explain::{ByWeights, ExplainOf},
    tuning::{Lessons, Taught, Tuning, weights_path},
};
use tesuji_kits_shared::handmade::explain_by_net;
use tesuji_tune::{Canon, PieceTable, read_weights};

/// The longest file of weights, in bytes, unpacked.
pub(super) const WEIGHTS_BYTES_MAX: u64 = 64 << 20;

/// The tuning of chess weights: features, initial weights and files.
pub(super) static TUNING: Tuning = Tuning {
    features: &Lessons::<ChessTaught, HandEval>::new(),
    builtin: builtin_weights,
    material: material_weights,
    canon,
    package: PACKAGE,
    built_in: "crates/chess-eval/data/weights.json",
    source: Some("crates/chess-eval/src/generated/weights.rs"),
    sets: &[&GrekoSet, &SofcheckSet],
    leaves: Some(|weights| (Box::new(LeafLessons::new(Arc::new(weights))), LeafLessons::FILTER)),
    margins: Some(&ChessMargins),
};

/// The explanation of evaluations of chess positions.
pub(super) static EXPLAIN: ExplainOf<ChessTaught> = ExplainOf::new(by_weights, Some(explain_by_net::<ChessKit>));

/// Explains by the weights that `name` means: builtin, material, or a file of any evaluation of chess.
fn by_weights(name: &str) -> anyhow::Result<ByWeights<ChessTaught>> {
    let weights = match name {
        "builtin" | "material" => ChessWeights::Handmade(Arc::new(TUNING.weights(name)?)),
        file => {
            let text = read_text_limited(weights_path(file)?, WEIGHTS_BYTES_MAX)?;
            match EvalKind::of_text(&text) {
                EvalKind::Handmade => {
                    ChessWeights::Handmade(Arc::new(read_weights(&text, TUNING.game(), TUNING.terms(), file)?))
                }
                _ => ChessWeights::load(&text, file, None)?,
            }
        }
    };
    Ok(Box::new(move |board| weights.explain(board)))
}

/// Chess as a game that is learned from.
pub struct ChessTaught;

impl Taught for ChessTaught {
    type Game = Chess;

    fn is_loud(board: &Board, mv: Move) -> bool {
        board.is_capture(mv) || mv.promotion().is_some()
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
