//! Shapes of networks for shogi that training knows by name.

use super::ShogiFeatures;
use tesuji_nn::nnue::{Activation, Architecture, Base, FeatureSet, Features, Quantisation};

/// The end of the names of shapes that correct the hand-made evaluation.
const RESIDUAL: &str = "-residual";

/// The bucket of each square of the own king, files 1 to 9, each from the opponent's end: castles on the last two ranks by file, the rank
/// before them, and the rest. Files 6 to 9 are those of their mirror images.
const KING_BUCKETS: [u8; 81] = {
    let mut all = [7; 81];
    let mut file = 0;
    while file < 9 {
        let near = if file < 5 { file } else { 8 - file };
        all[9 * file + 6] = if near < 3 { 5 } else { 6 };
        all[9 * file + 7] = near as u8;
        all[9 * file + 8] = near as u8;
        file += 1;
    }
    all
};

/// Name, set, width, output buckets; without hidden layers.
const DIRECT: [(&str, &str, ShogiFeatures, usize, usize); 9] = [
    ("shogi-2344-32", "2344", ShogiFeatures::Plain, 32, 1),
    ("shogi-2344-128", "2344", ShogiFeatures::Plain, 128, 1),
    ("shogi-2344-256", "2344", ShogiFeatures::Plain, 256, 1),
    ("shogi-2344-256x8", "2344", ShogiFeatures::Plain, 256, 8),
    ("shogi-kp-256", "kp", ShogiFeatures::Kp, 256, 1),
    ("shogi-kpk8-256x8", "kp-mirrored-buckets", ShogiFeatures::KpBuckets(KING_BUCKETS), 256, 8),
    ("shogi-2344-64-residual", "2344", ShogiFeatures::Plain, 64, 1),
    ("shogi-2344-128-residual", "2344", ShogiFeatures::Plain, 128, 1),
    ("shogi-2344-128x8-residual", "2344", ShogiFeatures::Plain, 128, 8),
];
/// Those with hidden layers, as other engines play them.
const LAYERED: [(&str, &str, ShogiFeatures); 2] =
    [("shogi-kp-256x2-32-32", "kp", ShogiFeatures::Kp), ("shogi-halfkp-256x2-32-32", "halfkp", ShogiFeatures::HalfKp)];

/// The names of all shapes.
pub const SHAPES: [&str; DIRECT.len() + LAYERED.len()] = {
    let mut names = [""; DIRECT.len() + LAYERED.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = if at < DIRECT.len() { DIRECT[at].0 } else { LAYERED[at - DIRECT.len()].0 };
        at += 1;
    }
    names
};

/// The shape of that name. Those without hidden layers have squared clipped ReLU and the usual quantisation; those with
/// `32-32` have clipped ReLU, 127 for 1.0, and values of a sixteenth of the output, as YaneuraOu plays them.
pub fn shape(name: &str) -> Option<Architecture> {
    if let Some(&(name, set, features, width, output_buckets)) = DIRECT.iter().find(|row| row.0 == name) {
        return Some(Architecture {
            name: name.to_owned(),
            game: crate::GAME.to_owned(),
            width,
            activation: Activation::Screlu,
            hidden: Vec::new(),
            output_buckets,
            scale: 400,
            base: if name.ends_with(RESIDUAL) { Base::Handmade } else { Base::None },
            features: inputs(set, features),
            quantisation: Quantisation::default(),
        });
    }
    let &(name, set, features) = LAYERED.iter().find(|row| row.0 == name)?;
    Some(Architecture {
        name: name.to_owned(),
        game: crate::GAME.to_owned(),
        width: 256,
        activation: Activation::Crelu,
        hidden: vec![32, 32],
        output_buckets: 1,
        // 127 * 64 / 508 = 16.
        scale: 508,
        base: Base::None,
        features: inputs(set, features),
        quantisation: Quantisation { input: 127, hidden: 64, output: 64 },
    })
}

fn inputs(set: &str, features: ShogiFeatures) -> Features {
    let (inputs, active_max) = (features.inputs(), features.active_max());
    let king_buckets = if let ShogiFeatures::KpBuckets(buckets) = features { buckets.to_vec() } else { Vec::new() };
    Features { set: set.to_owned(), inputs, active_max, king_buckets }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shapes_are_sound() {
        for name in SHAPES {
            let shape = shape(name).unwrap();
            assert_eq!(shape.check(), Ok(()), "{name}");
            assert!(ShogiFeatures::new(&shape).is_ok(), "{name}");
            assert_eq!(Architecture::parse(&shape.to_toml()), Ok(shape));
        }
        assert_eq!(shape("shogi-1x1"), None);
    }
}
