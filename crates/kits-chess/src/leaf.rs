//! Chess as the original Texel method sees it: rows of the boards where captures end.

use super::{lessons::ChessTaught, quiescence::Quiescence};
use std::sync::Arc;
use tesuji_chess::{Board, UciNotation};
use tesuji_chess_eval::{FEATURES, GAME, HandEval, TERMS};
use tesuji_dataset::{Features, Filter, Rows, SampleError};
use tesuji_game::Notation;
use tesuji_kit::tuning::{push, walk};
use tesuji_record::GameRecord;
use tesuji_tally::{Row, Term, Weights};

/// Chess as the original Texel method sees it (P. Österlund, 2014): the row of a board is that of the quiet board where
/// the captures and promotions that the start weights like best end. Boards whose captures end in mate make no row.
pub struct LeafLessons {
    weights: Arc<Weights>,
}

impl LeafLessons {
    /// With the weights that choose the captures.
    pub fn new(weights: Arc<Weights>) -> LeafLessons {
        LeafLessons { weights }
    }

    /// The filter of training positions: no captures need to be left out, only the opening.
    pub const FILTER: Filter = Filter { skip: 5, ..Filter::ALL };
}

impl Features for LeafLessons {
    fn game(&self) -> &'static str {
        GAME
    }

    fn terms(&self) -> &'static [Term] {
        TERMS
    }

    fn rows(
        &self,
        game: &GameRecord<String>,
        number: u32,
        filter: &Filter,
        out: &mut Rows,
    ) -> Result<usize, SampleError> {
        let mut row = Row::new(FEATURES);
        let mut quiescence = Quiescence::with_weights(self.weights.clone());
        let parse = |board: &Board, text: &String| UciNotation::parse_move(board, text);
        walk::<ChessTaught, _>(game, number, parse, |board, seen, head| {
            if let Some(leaf) = filter.keeps(seen).then(|| quiescence.leaf(board)).flatten() {
                push::<_, HandEval>(&leaf, head(), &mut row, out);
            }
        })
    }
}
