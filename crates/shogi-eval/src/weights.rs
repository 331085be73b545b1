//! The weights that the program is built with, and how others are read.

use crate::terms::{self, MATERIAL, TERMS};
use tesuji_tally::{Origin, Weights, WeightsError};

/// The name of the game in weights files.
pub const GAME: &str = "shogi";

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

/// Round piece values alone, the same on the board and in hand; all other weights are 0. Where learning may start.
pub fn material_weights() -> Weights {
    let mut weights = Weights::zero(crate::FEATURES);
    let pieces = [100, 300, 300, 500, 800, 1000, 600, 600, 600, 600, 600, 1000, 1200];
    for (kind, value) in pieces.into_iter().enumerate() {
        weights.values[MATERIAL + kind] = [value; 2];
    }
    let hands = [terms::HAND_PAWN, terms::HAND_LANCE, terms::HAND_KNIGHT, terms::HAND_SILVER, terms::HAND_BISHOP];
    let hands = hands.into_iter().chain([terms::HAND_ROOK, terms::HAND_GOLD]);
    for (first, value) in hands.zip(pieces) {
        if let Some(term) = TERMS.iter().find(|term| term.first == first) {
            weights.of_mut(term).fill([value; 2]);
        }
    }
    weights.origin.made_by = "hand".into();
    weights.origin.from = "piece values alone, 1 : 3 : 3 : 5 : 6 : 8 : 10".into();
    weights
}
