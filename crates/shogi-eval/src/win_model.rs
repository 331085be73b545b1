//! Chances to win, draw and lose that follow from a value.

use tesuji_game::{Value, Wdl};

/// The value, in centipawns, at which the side to move wins half of its games: next to none are drawn.
const EVEN_CHANCE_CP: f64 = 5.0;
/// How fast chances change around it, in centipawns: a judgement, between what strong engines print and our own games.
const SPREAD_CP: f64 = 300.0;

/// Win, draw and loss for the side to move, in thousandths.
///
/// Both ends are logistic: a win is as likely at `v` as a loss at `-v`. A proven mate is certain.
pub fn wdl(value: Value) -> Wdl {
    if let Some(plies) = value.mate_plies() {
        return if plies > 0 { Wdl { win: 1000, draw: 0, loss: 0 } } else { Wdl { win: 0, draw: 0, loss: 1000 } };
    }
    let chance = |v: f64| (1000.0 / (1.0 + ((EVEN_CHANCE_CP - v) / SPREAD_CP).exp())).round() as u16;
    let (win, loss) = (chance(f64::from(value.raw())), chance(-f64::from(value.raw())));
    Wdl { win, draw: 1000 - win - loss, loss }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_sum_to_a_thousand_and_grow_with_the_value() {
        let mut last = 0;
        for cp in (-3000..3000).step_by(7) {
            let (here, there) = (wdl(Value::cp(cp)), wdl(Value::cp(-cp)));
            assert_eq!(here.win + here.draw + here.loss, 1000);
            assert_eq!((here.win, here.loss), (there.loss, there.win));
            assert!(here.win >= last);
            last = here.win;
        }
        assert_eq!(wdl(Value::mate_in(5)).win, 1000);
        assert_eq!(wdl(Value::mated_in(4)).loss, 1000);
    }
}
