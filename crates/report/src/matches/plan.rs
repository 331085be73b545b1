//! `--plan`: how many games and how long, before anything is played.

use super::counts::sprt_unit;
use serde_json::json;
use std::fmt::Write as _;
use std::time::Duration;
use tesuji_arena::{Allowance, expected_time};
use tesuji_jobs::duration_text;
use tesuji_stats::{Length, Sprt, error_of_games, games_for_error, games_to_show};

/// The parameters of a planned match.
pub struct Question<'a> {
    /// The difference of interest, in Elo.
    pub elo: f64,
    /// The share of drawn games between level players.
    pub draws: f64,
    /// The test.
    pub sprt: Sprt,
    /// The limits of each move.
    pub allowance: &'a Allowance,
    /// Games at a time.
    pub jobs: usize,
    /// Plies of a game.
    pub plies: f64,
    /// For simulated tests.
    pub seed: u64,
}

/// The numbers of games of BattleField's rule of thumb, and what it says of them.
const RULE: [(u64, u32); 3] = [(100, 60), (1_000, 25), (10_000, 7)];
/// The chance with which a true difference is to be shown.
const POWER: f64 = 0.8;

/// The smallest difference for which games are counted, in Elo: below it they are more than can be played.
const ELO_MIN: f64 = 0.01;

/// A test's length when the truth is this, in the test's unit.
struct Expected {
    truth: f64,
    length: Length,
}

impl Question<'_> {
    /// Whether there is a plan for it.
    ///
    /// # Errors
    /// The number that stands against it, by the option that sets it.
    pub fn validate(&self) -> Result<(), String> {
        let Sprt { elo0, elo1, .. } = self.sprt;
        if !(self.elo.is_finite() && self.elo >= ELO_MIN) {
            return Err(format!("--elo {}: a difference of at least {ELO_MIN} is needed", self.elo));
        }
        if !(0.0..1.0).contains(&self.draws) {
            return Err(format!("--draws {}: a share from 0 to below 1 is needed", self.draws));
        }
        // Bounds are decimal: a little less is the same distance.
        if elo1 - elo0 < ELO_MIN * 0.999 {
            return Err(format!("--sprt {elo0} {elo1}: bounds at least {ELO_MIN} apart are needed"));
        }
        Ok(())
    }

    fn tests(&self) -> Vec<Expected> {
        let mut random = tesuji_game::Random::new(self.seed);
        let (low, high) = (self.sprt.elo0, self.sprt.elo1);
        let mut ask = |truth: f64| {
            let length = self.sprt.walk_from_start(truth, self.draws).length(&mut || random.unit());
            Expected { truth, length }
        };
        [low, (low + high) / 2.0, high].map(&mut ask).into()
    }

    /// The expected duration of a game at these limits; `None` where they are no time limits.
    fn game(&self) -> Option<Duration> {
        expected_time([self.allowance, self.allowance], self.plies)
    }

    /// The time of this many games.
    fn time(&self, games: f64) -> Option<Duration> {
        let seconds = self.game()?.as_secs_f64() * games / self.jobs as f64;
        Some(Duration::from_secs_f64(seconds.clamp(0.0, 1e12)))
    }

    /// ` (3.4 h)`, or nothing.
    fn time_text(&self, games: f64) -> String {
        self.time(games).map(|t| format!(" ({})", duration_text(t))).unwrap_or_default()
    }

    /// The plan for people.
    pub fn text(&self) -> String {
        let Question { elo, draws, sprt, jobs, .. } = self;
        let mut text = format!("Between level players who draw {:.0} % of their games:\n", 100.0 * draws);
        for (games, rule) in RULE {
            let error = error_of_games(games, *draws);
            let time = self.time_text(games as f64);
            let _ = writeln!(
                text,
                "  {games:>6} games tell the difference to ± {error:.1} Elo (rule of thumb: {rule}){time}"
            );
        }
        let exact = games_for_error(*elo, *draws);
        let shown = games_to_show(*elo, *draws, POWER);
        let _ = writeln!(text, "± {elo} Elo (95 %) takes {exact} games{}", self.time_text(exact as f64));
        let _ = writeln!(
            text,
            "A true difference of {elo} Elo is shown by {shown} games in {:.0} matches of 100{}",
            100.0 * POWER,
            self.time_text(shown as f64)
        );
        let unit = sprt_unit(sprt.model);
        let _ =
            writeln!(text, "SPRT {} to {} ({unit}, errors {} and {}):", sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta);
        for Expected { truth, length } in self.tests() {
            let _ = writeln!(
                text,
                "  at a true {truth}: {:.0} games on average, 8 tests of 10 take {:.0} to {:.0}; H1 in {:.0} %{}",
                length.mean,
                length.low,
                length.high,
                100.0 * length.h1,
                self.time_text(length.mean)
            );
        }
        match self.game() {
            Some(game) => {
                let _ = writeln!(
                    text,
                    "Times: {jobs} at a time, a game of {:.0} plies is about {} (engines use nine tenths of their clock)",
                    self.plies,
                    duration_text(game)
                );
            }
            None => text += "How long: say --tc or --st, and --jobs\n",
        }
        text + "Games in pairs from one opening with sides swapped need a little less.\n"
    }

    /// The plan as JSON.
    pub fn json(&self) -> serde_json::Value {
        let games = |n: f64| json!({ "games": n, "seconds": self.time(n).map(|t| t.as_secs_f64()) });
        let errors: Vec<_> = RULE
            .iter()
            .map(|&(n, rule)| json!({ "games": n, "error": error_of_games(n, self.draws), "rule_of_thumb": rule }))
            .collect();
        let tests: Vec<_> = self
            .tests()
            .iter()
            .map(|e| {
                json!({ "truth": e.truth, "h1": e.length.h1, "mean": games(e.length.mean), "low": games(e.length.low),
                        "middle": games(e.length.middle), "high": games(e.length.high) })
            })
            .collect();
        json!({
            "elo": self.elo, "draws": self.draws, "jobs": self.jobs, "plies": self.plies,
            "seconds_a_game": self.game().map(|t| t.as_secs_f64()), "errors": errors,
            "for_error": games(games_for_error(self.elo, self.draws) as f64),
            "to_show": games(games_to_show(self.elo, self.draws, POWER) as f64),
            "sprt": { "elo0": self.sprt.elo0, "elo1": self.sprt.elo1, "tests": tests },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(allowance: &Allowance, jobs: usize) -> Question<'_> {
        Question { elo: 5.0, draws: 0.0, sprt: Sprt::new(0.0, 5.0), allowance, jobs, plies: 100.0, seed: 1 }
    }

    #[test]
    fn differences_that_no_match_shows_are_refused() {
        let allowance = Allowance::default();
        let with = |elo, draws, bounds: (f64, f64)| {
            let sprt = Sprt::new(bounds.0, bounds.1);
            Question { elo, draws, sprt, ..question(&allowance, 1) }.validate()
        };
        assert_eq!(with(5.0, 0.5, (0.0, 5.0)), Ok(()));
        assert_eq!(with(0.01, 0.0, (1.0, 1.01)), Ok(()));
        assert_eq!(
            with(5.0, 0.0, (0.0, 1e-7)),
            Err("--sprt 0 0.0000001: bounds at least 0.01 apart are needed".into())
        );
        assert!(with(0.001, 0.0, (0.0, 5.0)).unwrap_err().starts_with("--elo 0.001"));
        assert!(with(5.0, 1.0, (0.0, 5.0)).unwrap_err().starts_with("--draws 1"));
    }

    #[test]
    fn battlefield_s_rule_is_computed() {
        let allowance = Allowance::default();
        let text = question(&allowance, 1).text();
        for line in [
            "     100 games tell the difference to ± 68.1 Elo (rule of thumb: 60)",
            "    1000 games tell the difference to ± 21.5 Elo (rule of thumb: 25)",
            "   10000 games tell the difference to ± 6.8 Elo (rule of thumb: 7)",
            "± 5 Elo (95 %) takes 18549 games",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(text.contains("How long: say --tc"));
    }

    #[test]
    fn clocks_tell_how_long() {
        let allowance = Allowance { control: Some("10+0.1".parse().unwrap()), ..Allowance::default() };
        let [one, four] = [1, 4].map(|jobs| question(&allowance, jobs).time(100.0).unwrap());
        assert_eq!(one, four * 4);
        assert_eq!(question(&Allowance::of_nodes(5), 1).game(), None);
    }
}
