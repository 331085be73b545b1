//! The efficiently updatable networks of shogi, and those of YaneuraOu.

use std::marker::PhantomData;
use tesuji_kit::nnue::{ForeignNnue, NnueOf};
use tesuji_shogi::Shogi;
use tesuji_shogi_eval::{
    WEIGHTS_JSON,
    nnue::{SHAPES, ShogiFeatures, is_yaneuraou, read_yaneuraou, shape, write_yaneuraou},
};

pub(crate) static NNUE: NnueOf<Shogi, ShogiFeatures> = NnueOf {
    shapes: &SHAPES,
    usual: "shogi-2344-256",
    shape,
    inputs: ShogiFeatures::new,
    base: WEIGHTS_JSON,
    formats: &[YANEURAOU],
    game: PhantomData,
};

const YANEURAOU: ForeignNnue =
    ForeignNnue { name: "yaneuraou", is_file: is_yaneuraou, read: read_yaneuraou, write: write_yaneuraou };
