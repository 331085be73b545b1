//! Chances to win, draw and lose that follow from a value.

use crate::{Value, Wdl};

/// A logistic model of results (as Stockfish's is, 2020): the chance to win at value `v` is `1 / (1 + exp((even - v) / spread))`, that to
/// lose at `v` is that to win at `-v`, and the rest are draws.
///
/// # Examples
/// ```
/// use tesuji_game::{Value, WinModel};
/// let model = WinModel { even_chance_cp: 110.0, spread_cp: 115.0 };
/// let wdl = model.wdl(Value::cp(110));
/// assert_eq!((wdl.win, wdl.draw, wdl.loss), (500, 371, 129));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WinModel {
    /// The value, in centipawns, at which the side to move wins half of its games.
    pub even_chance_cp: f64,
    /// How fast chances change around it, in centipawns; more than 0.
    pub spread_cp: f64,
}

impl WinModel {
    /// Win, draw and loss for the side to move, in thousandths that sum to 1,000. A proven mate is certain.
    pub fn wdl(self, value: Value) -> Wdl {
        if let Some(plies) = value.mate_plies() {
            return if plies > 0 { Wdl { win: 1000, draw: 0, loss: 0 } } else { Wdl { win: 0, draw: 0, loss: 1000 } };
        }
        let chance = |v: f64| (1000.0 / (1.0 + ((self.even_chance_cp - v) / self.spread_cp).exp())).round() as u16;
        let (win, loss) = (chance(f64::from(value.raw())), chance(-f64::from(value.raw())));
        Wdl { win, draw: 1000 - win - loss, loss }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_sum_to_a_thousand_and_grow_with_the_value() {
        for (even_chance_cp, spread_cp) in [(111.0, 115.0), (5.0, 300.0), (20.0, 60.0)] {
            let model = WinModel { even_chance_cp, spread_cp };
            let mut last = 0;
            for cp in (-3000..3000).step_by(7) {
                let (here, there) = (model.wdl(Value::cp(cp)), model.wdl(Value::cp(-cp)));
                assert_eq!(here.win + here.draw + here.loss, 1000);
                assert_eq!((here.win, here.loss), (there.loss, there.win));
                assert!(here.win >= last);
                last = here.win;
            }
            assert_eq!(model.wdl(Value::mate_in(5)).win, 1000);
            assert_eq!(model.wdl(Value::mated_in(4)).loss, 1000);
        }
    }
}
