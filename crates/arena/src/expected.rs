//! The expected duration of games by their time controls alone.

use crate::{Allowance, Overtime, TimeControl};
use std::time::Duration;
use tesuji_game::Side;

/// The part of its clock that an engine uses in a whole game.
const USED: f64 = 0.9;

/// The expected duration of a game of this many plies between players with these allowances; `None` where nodes or depths limit
/// them.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tesuji_arena::{Allowance, expected_time};
/// let a_second_a_move = Allowance { move_time: Some(Duration::from_secs(1)), ..Allowance::default() };
/// let time = expected_time([&a_second_a_move, &a_second_a_move], 80.0);
/// assert_eq!(time, Some(Duration::from_secs(80)));
/// let by_nodes = Allowance { nodes: Some(5000), ..Allowance::default() };
/// assert_eq!(expected_time([&by_nodes, &a_second_a_move], 80.0), None);
/// ```
pub fn expected_time(allowances: [&Allowance; 2], plies: f64) -> Option<Duration> {
    let [first, second] = allowances;
    let [first, second] =
        [first.of(Side::First), second.of(Side::Second)].map(|allowance| of_side(&allowance, plies / 2.0));
    Some(Duration::from_secs_f64((first? + second?).clamp(0.0, 1e9)))
}

/// Seconds that a side uses for this many moves.
fn of_side(allowance: &Allowance, moves: f64) -> Option<f64> {
    // With nodes or depths besides, clocks are seldom used.
    if allowance.nodes.is_some() || allowance.depth.is_some() {
        return None;
    }
    match (&allowance.control, allowance.move_time) {
        (_, Some(time)) => Some(moves * time.as_secs_f64()),
        (Some(control), None) => Some(of_clock(control, moves)),
        (None, None) => None,
    }
}

fn of_clock(control: &TimeControl, moves: f64) -> f64 {
    let (mut left, mut seconds) = (moves, 0.0);
    let mut stages = control.stages().iter();
    let Some(mut stage) = stages.next() else { return 0.0 };
    // Of overtime nobody knows how many moves it comes to; half of them is a guess between none and all.
    let overtime = control.overtime().map_or(0.0, |overtime| match overtime {
        Overtime::Byoyomi(period) | Overtime::Periods(period, _) => period.as_secs_f64(),
        Overtime::Canadian(period, moves) => period.as_secs_f64() / f64::from(moves.max(1)),
    });
    seconds += USED * overtime * moves / 2.0;
    while left > 0.0 {
        let whole = stage.moves.map(|n| f64::from(n.max(1)));
        let played = whole.map_or(left, |n| n.min(left));
        let part = whole.map_or(1.0, |n| played / n);
        seconds += USED * part * stage.time.as_secs_f64() + played * stage.increment.as_secs_f64();
        left -= played;
        stage = stages.next().unwrap_or(stage);
    }
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_tell_how_long() {
        let check = |allowance: &Allowance, seconds: f64| {
            let found = expected_time([allowance, allowance], 100.0).unwrap().as_secs_f64();
            assert!((found - seconds).abs() < 1e-6, "{found} {seconds}");
        };
        let control = |text: &str| Allowance { control: Some(text.parse().unwrap()), ..Allowance::default() };
        check(&control("10+0.1"), 2.0 * (9.0 + 5.0));
        check(&control("40/40"), 2.0 * (36.0 + 9.0));
        check(&control("40/100+1:60+2"), 2.0 * (90.0 + 40.0 + 54.0 + 20.0));
        check(&control("10+b0.5"), 2.0 * (9.0 + 0.9 * 0.5 * 25.0));
        let fixed = Allowance { move_time: Some(Duration::from_secs(2)), ..Allowance::default() };
        check(&fixed, 200.0);
        let nodes = Allowance::of_nodes(5);
        assert_eq!(expected_time([&fixed, &nodes], 100.0), None);
        let uneven = expected_time([&fixed, &control("10+0.1")], 100.0).unwrap();
        assert_eq!(uneven, Duration::from_secs(114));
    }
}
