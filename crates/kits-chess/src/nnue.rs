//! The efficiently updatable networks of chess.

use std::marker::PhantomData;
use tesuji_chess::Chess;
use tesuji_chess_eval::{
    WEIGHTS_JSON,
    nnue::{ChessFeatures, SHAPES, shape},
};
use tesuji_kit::nnue::NnueOf;

pub(crate) static NNUE: NnueOf<Chess, ChessFeatures> = NnueOf {
    shapes: &SHAPES,
    usual: "chess-768m-128x8",
    shape,
    inputs: ChessFeatures::new,
    base: WEIGHTS_JSON,
    formats: &[],
    game: PhantomData,
};
