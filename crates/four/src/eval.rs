//! The evaluation of Connect Four: a disc in each cell, threats by rows, the move. Weights as data.

use crate::{SIDES, first_and_all};
use std::sync::Arc;
use tesuji_game::{Evaluator, FirstSide, Position, Side, Value, Wdl, WinModel};
use tesuji_tally::{Blend, Explanation, Linear, Origin, PHASE_MAX, Packed, Sum, Tally, Term, Weights, WeightsError};
use tesuji_testkit::four::{FourPosition, winning_cells};

/// The name of the game in weights files.
pub(crate) const GAME: &str = "four";

/// Columns and rows of the board.
const COLUMNS: usize = 7;
const ROWS: usize = 6;

/// The first features of the terms.
const CELLS: usize = 0;
const THREATS: usize = CELLS + COLUMNS * ROWS;
const TEMPO: usize = THREATS + ROWS;
/// The number of features.
pub const FEATURES: usize = TEMPO + 1;

/// The terms of the evaluation.
pub static TERMS: &[Term] = &[
    Term {
        name: "cells",
        group: "cells",
        first: CELLS,
        len: COLUMNS * ROWS,
        columns: COLUMNS,
        unit: 1,
        doc: "Discs by their cells, the bottom row first.",
        source: "plain",
    },
    Term {
        name: "threats",
        group: "threats",
        first: THREATS,
        len: ROWS,
        columns: 0,
        unit: 1,
        doc: "Empty cells that would make four, by their rows from the bottom: who begins wants odd ones, the other even ones.",
        source: "V. Allis, A Knowledge-based Approach of Connect-Four, 1988",
    },
    Term {
        name: "tempo",
        group: "tempo",
        first: TEMPO,
        len: 1,
        columns: 0,
        unit: 1,
        doc: "The move.",
        source: "plain",
    },
];

/// The weights that the program is built with.
pub fn builtin_weights() -> Weights {
    load_weights(include_str!("../data/weights.json"), "data/weights.json").expect("the file is of this evaluation")
}

/// Threats alone, and a little for the middle. Where learning may start.
pub fn material_weights() -> Weights {
    let mut weights = Weights::zero(FEATURES);
    let columns: [i16; COLUMNS] = [0, 2, 4, 7, 4, 2, 0];
    for (cell, weight) in weights.values[CELLS..THREATS].iter_mut().enumerate() {
        *weight = [columns[cell % COLUMNS]; 2];
    }
    weights.values[THREATS..TEMPO].fill([30; 2]);
    weights.origin = Origin { made_by: "hand".into(), from: "threats, and the middle".into(), ..Origin::default() };
    weights
}

/// Reads a weights file; `file` is what errors call it.
///
/// # Errors
/// The error names the term of the file.
pub(crate) fn load_weights(text: &str, file: &str) -> Result<Weights, WeightsError> {
    Weights::from_json(text, GAME, TERMS, file)
}

/// Explains the value of `pos` by `weights`.
pub(crate) fn explain(pos: &FourPosition, weights: &Weights) -> Explanation {
    Explanation::of::<_, HandEval>(pos, weights, SIDES, pos.side_to_move() == Side::Second, None)
}

/// Win, draw and loss for the side to move, in thousandths; the model is a judgement.
pub(crate) fn wdl(value: Value) -> Wdl {
    WinModel { even_chance_cp: 20.0, spread_cp: 60.0 }.wdl(value)
}

/// The evaluation, ready to play. Clones share the weights.
#[derive(Clone)]
pub struct HandEval {
    weights: Arc<[Packed; FEATURES]>,
}

impl HandEval {
    /// An evaluation by `weights`.
    ///
    /// # Panics
    /// When `weights` does not have [`FEATURES`] features; loaded files always have.
    pub fn new(weights: Arc<Weights>) -> HandEval {
        HandEval { weights: weights.packed::<FEATURES>().expect("weights of this evaluation").into() }
    }
}

impl Linear<FourPosition> for HandEval {
    fn terms() -> &'static [Term] {
        TERMS
    }

    fn tally<T: Tally>(pos: &FourPosition, t: &mut T) -> Blend {
        let (first, all) = first_and_all(pos);
        for (sign, own) in [(1, first), (-1, all ^ first)] {
            each_cell(own, |column, row| t.add_for(sign, CELLS + COLUMNS * row + column, 1));
            each_cell(winning_cells(own, all), |_, row| t.add_for(sign, THREATS + row, 1));
        }
        t.add_for(FirstSide::of(pos.side_to_move(), 1).0, TEMPO, 1);
        Blend::of_phase(PHASE_MAX - PHASE_MAX * all.count_ones() as i32 / 42)
    }
}

/// Calls `f` with column and row of every cell.
fn each_cell(mut cells: u64, mut f: impl FnMut(usize, usize)) {
    while cells != 0 {
        let cell = cells.trailing_zeros() as usize;
        cells &= cells - 1;
        // Columns are seven bits wide, of which the seventh stays empty.
        f(cell / 7, cell % 7);
    }
}

impl Evaluator<FourPosition> for HandEval {
    fn value(&mut self, pos: &FourPosition) -> Value {
        let mut sum = Sum::new(&self.weights);
        let blend = HandEval::tally(pos, &mut sum);
        Value::cp(FirstSide(blend.value(sum.total)).seen_by(pos.side_to_move()))
    }
}
