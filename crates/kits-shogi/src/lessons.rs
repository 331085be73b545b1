//! Shogi as learning sees it.

use super::ShogiKit;
use tesuji_kit::{
    explain::{ByWeights, ExplainOf},
    tuning::{Lessons, Taught, Tuning},
};
use tesuji_kits_shared::handmade::explain_by_net;
use tesuji_shogi::{Board, Move, Shogi};
use tesuji_shogi_eval::{HandEval, PACKAGE, builtin_weights, explain, material_weights, terms};
use tesuji_tune::{Canon, PieceTable};

/// The tuning of shogi weights: features, initial weights and files.
pub(super) static TUNING: Tuning = Tuning {
    features: &Lessons::<ShogiTaught, HandEval>::new(),
    builtin: builtin_weights,
    material: material_weights,
    canon,
    package: PACKAGE,
    built_in: "crates/shogi-eval/data/weights.json",
    source: Some("crates/shogi-eval/src/generated/weights.rs"),
    sets: &[],
    leaves: None,
    margins: None,
};

/// The explanation of evaluations of shogi positions.
pub(super) static EXPLAIN: ExplainOf<ShogiTaught> = ExplainOf::new(by_weights, Some(explain_by_net::<ShogiKit>));

/// Explains by the weights that `name` means.
fn by_weights(name: &str) -> anyhow::Result<ByWeights<ShogiTaught>> {
    let weights = TUNING.weights(name)?;
    Ok(Box::new(move |board| explain(board, &weights)))
}

/// Shogi as a game that is learned from.
pub struct ShogiTaught;

impl Taught for ShogiTaught {
    type Game = Shogi;

    fn is_loud(board: &Board, mv: Move) -> bool {
        board.is_capture(mv) || mv.is_promotion()
    }

    fn say(board: &Board, mv: Move) -> String {
        format!("{}. {mv}", board.move_number())
    }
}

/// The canonical form that makes shogi weights readable: tables hold what a square adds, a rook is worth what it is in
/// the hand-made weights: a pawn's worth hangs on too much. Promoted pawns, lances, knights and silvers share a
/// table, so that none of theirs can move into a value.
fn canon() -> Canon {
    let table = |(kind, table): (usize, usize)| {
        let first = terms::PSQ_PAWN + 81 * table;
        PieceTable { value: terms::MATERIAL + kind, table: first..first + 81 }
    };
    // Horses and dragons: behind the tables of golds, kings and tokins.
    let tables = (0..7).map(|kind| (kind, kind)).chain([(11, 9), (12, 10)]);
    Canon { tables: tables.map(table).collect(), unit: Some((terms::MATERIAL + 5, 950)) }
}
