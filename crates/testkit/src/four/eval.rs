//! An evaluation of Connect Four with an incremental part, so that push and pop are put to the test.

use super::{Disc, FourPosition, winning_cells};
use tesuji_game::{Evaluator, FirstSide, Position, Value};

/// Weights of the columns.
const COLUMN: [i32; 7] = [0, 2, 4, 7, 4, 2, 0];

/// Discs near the centre, kept incrementally, and cells that would win, counted afresh.
#[derive(Debug, Clone, Default)]
pub struct FourEval {
    stack: Vec<i32>,
}

impl Evaluator<FourPosition> for FourEval {
    fn reset(&mut self, pos: &FourPosition) {
        let (mine, all) = pos.discs();
        let sum =
            |discs: u64| -> i32 { (0..7).map(|c| COLUMN[c] * (discs & (0x3f << (7 * c))).count_ones() as i32).sum() };
        self.stack.clear();
        self.stack.push(FirstSide::of(pos.side_to_move(), sum(mine) - sum(all ^ mine)).0);
    }

    fn push(&mut self, _: &FourPosition, changes: &[Disc]) {
        let mut sum = self.stack.last().copied().unwrap_or(0);
        for change in changes {
            let weight = COLUMN[usize::from(change.column)];
            sum += FirstSide::of(change.side, weight).0;
        }
        self.stack.push(sum);
    }

    fn pop(&mut self) {
        self.stack.pop();
    }

    fn value(&mut self, pos: &FourPosition) -> Value {
        let (mine, all) = pos.discs();
        let threats = winning_cells(mine, all).count_ones() as i32 - winning_cells(all ^ mine, all).count_ones() as i32;
        let discs = FirstSide(self.stack.last().copied().unwrap_or(0));
        Value::cp(discs.seen_by(pos.side_to_move()) + 30 * threats)
    }
}
