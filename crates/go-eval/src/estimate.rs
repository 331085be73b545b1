//! One number for a position, for searches that have no use for playouts in their tree: the share of short matches with itself
//! that the side to move wins, as centipawns. The same position is always worth the same.

use crate::{Heavy, HeavyParameters, Totals};
use tesuji_game::{Evaluator, FirstSide, Position, Random, Value};
use tesuji_go::{Area, GoPosition, Symmetry};
use tesuji_options::options;

options! {
    /// Options of the static evaluation of a position by playouts.
    pub struct EstimateParameters(expert) {
        /// Playouts behind the value of one position.
        estimate_playouts: usize = 16 in 1..=10000, "EstimatePlayouts";
        /// Centipawns that a point of the mean margin counts beside the share of won playouts.
        estimate_point_cp: i32 = 5 in 0..=100, "EstimatePoint";
        /// The seed of the playouts.
        estimate_seed: u64 = 0 in 0..=2147483647, "EstimateSeed";
    }
}

/// Centipawns at which the odds to win are e to one, as best-first search shows them.
const SCALE_CP: f32 = 140.0;

/// Values positions by playouts that start from their key.
#[derive(Clone)]
pub struct Estimate<A: Area> {
    parameters: EstimateParameters,
    heavy: Heavy,
    totals: Totals<A>,
}

impl<A: Area> Estimate<A> {
    /// With these options, and playouts with these habits.
    pub fn new(parameters: EstimateParameters, habits: HeavyParameters) -> Estimate<A> {
        Estimate { parameters, heavy: Heavy::new(habits), totals: Totals::default() }
    }
}

impl<A: Area> Evaluator<GoPosition<A>> for Estimate<A> {
    fn value(&mut self, pos: &GoPosition<A>) -> Value {
        // Playouts choose among points in the order in which the board keeps them, which tells of the game before.
        let pos = &pos.turned(Symmetry::IDENTITY);
        let playouts = self.parameters.estimate_playouts;
        let mut random = Random::for_item(self.parameters.estimate_seed, pos.key().0);
        self.totals.begin(pos);
        // Where the last move went is not told: the value must hang on the position alone.
        self.totals.play(pos, None, playouts, &mut self.heavy, &mut random);
        // One win and one loss more than were seen (Laplace): no number of playouts is a proof.
        let share = (self.totals.value() * playouts as f32) / (playouts as f32 + 2.0);
        let odds = ((1.0 + share) / (1.0 - share)).ln();
        let points = self.totals.margin() * self.parameters.estimate_point_cp as f32;
        Value::cp(FirstSide(SCALE_CP * odds + points).seen_by(pos.side_to_move()) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Notation;
    use tesuji_go::{Area, GtpNotation, Rules, Small};
    use tesuji_testkit::conform;

    fn position<A: Area>(text: &str) -> GoPosition<A> {
        GtpNotation::parse_position(&Rules::default(), text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn estimate() -> Estimate<Small> {
        Estimate::new(
            EstimateParameters { estimate_playouts: 8, ..EstimateParameters::default() },
            HeavyParameters::default(),
        )
    }

    #[test]
    fn values_hang_on_positions_alone() {
        conform::evaluator_invariants(&position::<Small>("5/5/5/5/5 b komi 0.5"), &estimate(), 0..2);
    }

    #[test]
    fn who_owns_the_board_is_ahead() {
        let rows = "7/XXXXXXX/7/7/OOOOOOO/7/7";
        let value =
            |side: &str, komi: &str| estimate().value(&position::<Small>(&format!("{rows} {side} komi {komi}")));
        assert!(value("b", "-30") > Value::cp(150) && value("w", "-30") < Value::cp(-100));
        assert!(value("b", "30") < Value::cp(-300) && value("w", "30") > Value::cp(300));
    }
}
