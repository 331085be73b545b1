//! Connect Four as learning sees it.

use crate::{HandEval, builtin_weights, eval, material_weights};
use tesuji_game::Tactical;
use tesuji_kit::{
    explain::ExplainOf,
    tuning::{Lessons, Taught, Tuning},
};
use tesuji_testkit::four::{Drop, Four, FourPosition};
use tesuji_tune::Canon;

/// Tuning of Connect Four.
pub static TUNING: Tuning = Tuning {
    features: &Lessons::<FourTaught, HandEval>::new(),
    builtin: builtin_weights,
    material: material_weights,
    canon: Canon::default,
    package: env!("CARGO_PKG_NAME"),
    built_in: "crates/four/data/weights.json",
    // The JSON itself is built in.
    source: None,
    sets: &[],
    leaves: None,
    margins: None,
};

/// Explanation of its positions.
pub(crate) static EXPLAIN: ExplainOf<FourTaught> = ExplainOf::new(
    |name| {
        let weights = TUNING.weights(name)?;
        Ok(Box::new(move |pos| eval::explain(pos, &weights)))
    },
    None,
);

/// Connect Four as a game that is learned from.
pub(crate) struct FourTaught;

impl Taught for FourTaught {
    type Game = Four;

    fn is_loud(pos: &FourPosition, mv: Drop) -> bool {
        pos.is_noisy(mv)
    }

    fn say(pos: &FourPosition, mv: Drop) -> String {
        format!("{}. {}", pos.discs().1.count_ones() + 1, mv.0 + 1)
    }
}
