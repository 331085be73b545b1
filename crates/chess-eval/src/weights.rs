//! The weights that the program is built with, and how others are read.

use crate::terms::{MATERIAL, TERMS};
use tesuji_tally::{Origin, Weights, WeightsError, find_term};

/// The name of the game in weights files.
pub const GAME: &str = "chess";

/// The package that is built with [`WEIGHTS_JSON`].
pub const PACKAGE: &str = env!("CARGO_PKG_NAME");

/// The weights file that the program is built with.
pub const WEIGHTS_JSON: &str = include_str!("../data/weights.json");

/// The weights that the program is built with.
pub fn builtin_weights() -> Weights {
    use crate::generated::weights as data;
    let origin = Origin { made_by: data::MADE_BY.into(), from: data::FROM.into(), ..Origin::default() };
    Weights { values: data::VALUES.to_vec(), origin }
}

/// Reads a weights file; `file` is what errors call it.
///
/// # Errors
/// The file is wrong; the error names the term.
pub fn load_weights(text: &str, file: &str) -> Result<Weights, WeightsError> {
    Weights::from_json(text, GAME, TERMS, file)
}

/// Piece values alone, in the ratio 1 : 3 : 3 : 5 : 9 (Shannon 1950); all other weights are 0. Where learning may start.
pub fn material_weights() -> Weights {
    let mut weights = Weights::zero(crate::FEATURES);
    for (kind, value) in [100, 300, 300, 500, 900].into_iter().enumerate() {
        weights.values[MATERIAL + kind] = [value; 2];
    }
    weights.origin.made_by = "hand".into();
    weights.origin.from = "piece values alone, 1 : 3 : 3 : 5 : 9".into();
    debug_assert!(find_term(TERMS, "material").is_some_and(|t| t.len == 5));
    weights
}
