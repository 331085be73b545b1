//! Shapes of networks for chess that training knows by name.

use super::features::INPUTS;
use tesuji_nn::nnue::{Activation, Architecture, Base, Features, Quantisation};

/// Eight buckets of squares of the own king, counted on files a to d and mirrored: rank 1 in four, the others in fours.
const KING_BUCKETS: [u8; 64] = {
    let rows: [[u8; 4]; 8] = [
        [0, 1, 2, 3],
        [4, 4, 5, 5],
        [6, 6, 6, 6],
        [6, 6, 6, 6],
        [7, 7, 7, 7],
        [7, 7, 7, 7],
        [7, 7, 7, 7],
        [7, 7, 7, 7],
    ];
    let mut all = [0; 64];
    let mut square = 0;
    while square < 64 {
        let file = if square % 8 < 4 { square % 8 } else { 7 - square % 8 };
        all[square] = rows[square / 8][file];
        square += 1;
    }
    all
};

/// The end of the names of shapes that correct the hand-made evaluation.
const RESIDUAL: &str = "-residual";

/// Name, feature set, width, output buckets.
const ROWS: [(&str, &str, usize, usize); 12] = [
    ("chess-768x32", "768", 32, 1),
    ("chess-768x64", "768", 64, 1),
    ("chess-768x128", "768", 128, 1),
    ("chess-768x256", "768", 256, 1),
    ("chess-768m-128", "768-mirrored", 128, 1),
    ("chess-768m-256", "768-mirrored", 256, 1),
    ("chess-768m-128x8", "768-mirrored", 128, 8),
    ("chess-768m-256x8", "768-mirrored", 256, 8),
    ("chess-768k8-256x8", "768-mirrored-buckets", 256, 8),
    ("chess-768m-64x8-residual", "768-mirrored", 64, 8),
    ("chess-768m-128x8-residual", "768-mirrored", 128, 8),
    ("chess-768m-256x8-residual", "768-mirrored", 256, 8),
];

/// The names of all shapes.
pub const SHAPES: [&str; ROWS.len()] = {
    let mut names = [""; ROWS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = ROWS[at].0;
        at += 1;
    }
    names
};

/// The shape of that name, with squared clipped ReLU and the usual quantisation.
pub fn shape(name: &str) -> Option<Architecture> {
    let &(name, set, width, output_buckets) = ROWS.iter().find(|row| row.0 == name)?;
    let king_buckets = if set.ends_with("buckets") { KING_BUCKETS.to_vec() } else { Vec::new() };
    let buckets = king_buckets.iter().max().map_or(1, |&last| usize::from(last) + 1);
    Some(Architecture {
        name: name.to_owned(),
        game: crate::GAME.to_owned(),
        width,
        activation: Activation::Screlu,
        hidden: Vec::new(),
        output_buckets,
        scale: 400,
        base: if name.ends_with(RESIDUAL) { Base::Handmade } else { Base::None },
        features: Features { set: set.to_owned(), inputs: buckets * INPUTS, active_max: 32, king_buckets },
        quantisation: Quantisation::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::{super::ChessFeatures, *};

    #[test]
    fn all_shapes_are_sound() {
        for name in SHAPES {
            let shape = shape(name).unwrap();
            assert_eq!(shape.check(), Ok(()), "{name}");
            assert!(ChessFeatures::new(&shape).is_ok(), "{name}");
            assert_eq!(Architecture::parse(&shape.to_toml()), Ok(shape));
        }
        assert_eq!(shape("chess-1x1"), None);
    }
}
