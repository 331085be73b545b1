//! Before a match: how exact this many games are, and how many it takes. Between players who are nearly level, games
//! counted one by one; pairs from one opening need a little less.

use crate::elo::{ELO_PER_NT, Z95, score_of_elo};
use statrs::distribution::{ContinuousCDF, Normal};

/// The deviation of one game's score between level players who draw this share of their games.
fn deviation(draws: f64) -> f64 {
    (0.25 - draws.clamp(0.0, 1.0) / 4.0).sqrt()
}

/// Elo per point of score where players are level: the slope of the logistic curve.
const ELO_PER_POINT: f64 = 2.0 * ELO_PER_NT;

/// Half the 95 % interval of Elo after this many games between level players, as in `± 6.8`. Infinite without games.
///
/// # Examples
/// BattleField's rule of thumb says 60, 25 and 7 for 100, 1,000 and 10,000 games.
/// ```
/// let error = |games| tesuji_stats::error_of_games(games, 0.0).round();
/// assert_eq!([100, 1_000, 10_000].map(error), [68.0, 22.0, 7.0]);
/// ```
pub fn error_of_games(games: u64, draws: f64) -> f64 {
    Z95 * deviation(draws) / (games as f64).sqrt() * ELO_PER_POINT
}

/// Games until the 95 % interval is `±elo`.
pub fn games_for_error(elo: f64, draws: f64) -> u64 {
    (Z95 * deviation(draws) * ELO_PER_POINT / elo.abs()).powi(2).ceil() as u64
}

/// Games that show a true difference of `elo` with this chance (`power`, in 0.5..1): the 95 % interval then excludes 0.
pub fn games_to_show(elo: f64, draws: f64, power: f64) -> u64 {
    let z = Z95 + Normal::standard().inverse_cdf(power.clamp(0.5, 1.0 - 1e-9));
    let score = score_of_elo(elo);
    let var = (score * (1.0 - score) - draws.clamp(0.0, 1.0) / 4.0).max(0.0);
    (z * z * var / (score - 0.5).powi(2)).ceil() as u64
}

/// A match that goes on until its 95 % interval of Elo is narrow enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopWidth {
    /// From the lower end to the upper one, in Elo.
    pub elo: f64,
}

/// Results that are needed at least: fewer tell their spread badly.
const RESULTS_MIN: u64 = 20;

impl StopWidth {
    /// Whether this many results (pairs, or games that are none) tell it narrowly enough.
    pub fn is_reached(&self, results: u64, elo: Option<crate::Interval>) -> bool {
        results >= RESULTS_MIN && elo.is_some_and(|i| i.high - i.low <= self.elo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Games, Pairs};

    #[test]
    fn plans_agree_with_what_matches_say() {
        for draws in [0.0, 0.3, 0.6] {
            for games in [100u64, 1_000, 10_000] {
                let drawn = (games as f64 * draws) as u64;
                let found = Games::new((games - drawn) / 2, drawn, (games - drawn) / 2).elo().unwrap().error();
                let planned = error_of_games(games, draws);
                assert!((planned / found - 1.0).abs() < 0.02, "{games} games, {draws}: {planned} {found}");
                assert!((games_for_error(planned, draws) as i64 - games as i64).abs() <= 1);
            }
        }
    }

    /// By the textbook: n = ((z₀.₉₇₅ + z₀.₈) σ / δ)², σ = ½, δ = 0.0071959 for 5 Elo: 37,891; its variance a hair less.
    #[test]
    fn a_true_difference_is_shown() {
        let games = games_to_show(5.0, 0.0, 0.8);
        assert!((37_870..37_910).contains(&games), "{games}");
        assert!(games_to_show(5.0, 0.6, 0.8) < games / 2);
    }

    #[test]
    fn widths_stop_when_they_are_reached() {
        let stop = StopWidth { elo: 40.0 };
        let reached = |pairs: Pairs| stop.is_reached(pairs.pairs(), pairs.elo());
        assert!(!reached(Pairs([0, 0, 3, 0, 0])), "too few");
        assert!(!reached(Pairs([2, 8, 20, 8, 2])));
        assert!(reached(Pairs([20, 80, 200, 80, 20])));
        assert!(!reached(Pairs([0, 0, 0, 0, 50])), "no width is known");
    }
}
