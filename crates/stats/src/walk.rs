//! The expected length of a sequential test: its log-likelihood ratio as a random walk between two bounds. Near the hypotheses the
//! ratio of `n` games moves like a Brownian motion with drift (Van den Bergh, "A practical introduction to the GSPRT").

use crate::elo::{ELO_PER_NT, score_of_elo};
use crate::{Counts, Model, Sprt};
use statrs::distribution::{ContinuousCDF, Normal};

/// The rest of a test: where its ratio is, and how it moves with each game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Walk {
    at: f64,
    low: f64,
    high: f64,
    /// Of the ratio, each game: its likeliest value, and how well that is known.
    drift: f64,
    drift_known: f64,
    /// Of the ratio, each game.
    deviation: f64,
}

/// The predicted result and remaining length of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    /// The chance that H1 is accepted, in 0..=1.
    pub h1: f64,
    /// Games until the decision, on average.
    pub mean: f64,
    /// Games that one test in ten does not need.
    pub low: f64,
    /// Games of the middle test.
    pub middle: f64,
    /// Games that are enough for nine tests in ten.
    pub high: f64,
}

/// The step of a simulated walk, in units of the ratio.
const STEP: f64 = 0.25;
/// By how much such steps overshoot a bound on average (Siegmund, 1985).
const OVERSHOOT: f64 = 0.583 * STEP;
/// Simulated tests.
const TESTS: usize = 1000;
/// No test is followed for longer, in steps.
const STEPS_MAX: usize = 20_000;

impl Sprt {
    /// A difference in the test's unit as standard deviations of one game, where a game's result has this deviation
    /// and draw rate.
    fn in_deviations(&self, elo: f64, deviation: f64, draws: f64) -> f64 {
        match self.model {
            Model::Normalised => elo / ELO_PER_NT,
            Model::Logistic => (score_of_elo(elo) - 0.5) / deviation,
            Model::Bayesian => {
                let win = ((1.0 - draws) / 2.0).clamp(1e-6, 0.5);
                let draw_elo = 400.0 * ((1.0 - win) / win).log10();
                let chance = |by: f64| 1.0 / (1.0 + 10f64.powf((draw_elo - by) / 400.0));
                ((1.0 + chance(elo) - chance(-elo)) / 2.0 - 0.5) / deviation
            }
        }
    }

    /// A test from its start, when the truth is `elo` in the test's own unit and level players draw this share of
    /// their games.
    pub fn walk_from_start(&self, elo: f64, draws: f64) -> Walk {
        let deviation = (0.25 - draws.clamp(0.0, 1.0) / 4.0).max(1e-4).sqrt();
        let [t0, t1, t] = [self.elo0, self.elo1, elo].map(|elo| self.in_deviations(elo, deviation, draws));
        let (low, high) = self.bounds();
        let drift = (t1 - t0) * (t - (t0 + t1) / 2.0);
        Walk { at: 0.0, low, high, drift, drift_known: 0.0, deviation: t1 - t0 }
    }

    /// A test that stands at `llr` after these results. What they say about the truth is weighed against the
    /// expectation that it lies about as far from the middle of the hypotheses as they from each other.
    pub fn walk_on(&self, llr: f64, counts: &(impl Counts + ?Sized)) -> Walk {
        // Half a result more of every kind: a few results tell their spread badly.
        let shares: Vec<f64> = counts.counts().iter().map(|&c| c as f64 + 0.5).collect();
        let n: f64 = shares.iter().sum();
        let step = 1.0 / (shares.len() - 1) as f64;
        let sum =
            |f: &dyn Fn(f64) -> f64| shares.iter().enumerate().map(|(i, c)| c * f(i as f64 * step)).sum::<f64>() / n;
        let mean = sum(&|x| x);
        let each = counts.games_each() as f64;
        let deviation = (sum(&|x| (x - mean) * (x - mean)) * each).sqrt();
        let draws = shares[shares.len() / 2] / n;
        let [t0, t1] = [self.elo0, self.elo1].map(|elo| self.in_deviations(elo, deviation, draws));
        let (middle, width) = ((t0 + t1) / 2.0, t1 - t0);
        let games = counts.games() as f64;
        let (told, expected) = (games, 1.0 / (width * width));
        let t = (told * (mean - 0.5) / deviation + expected * middle) / (told + expected);
        let (low, high) = self.bounds();
        Walk {
            at: llr,
            low,
            high,
            drift: width * (t - middle),
            drift_known: width / (told + expected).sqrt(),
            deviation: width,
        }
    }
}

impl Walk {
    /// Plays the rest of the test once: the games it needs and whether H1 is accepted. `uniform` gives numbers in 0..1.
    pub fn play(&self, uniform: &mut dyn FnMut() -> f64) -> (f64, bool) {
        let normal = Normal::standard();
        let mut draw = || normal.inverse_cdf(uniform().clamp(1e-9, 1.0 - 1e-9));
        let drift = self.drift + self.drift_known * draw();
        // Steps of STEP or less, even where the drift is strong.
        let games = (STEP / self.deviation).powi(2).min(STEP / drift.abs().max(1e-12)).max(1.0);
        let (by, spread) = (drift * games, self.deviation * games.sqrt());
        let (low, high) = (self.low + OVERSHOOT.min(0.583 * spread), self.high - OVERSHOOT.min(0.583 * spread));
        let mut at = self.at;
        let mut steps = 0;
        while at > low && at < high && steps < STEPS_MAX {
            at += by + spread * draw();
            steps += 1;
        }
        (steps as f64 * games, at >= high)
    }

    /// Plays it many times.
    pub fn length(&self, uniform: &mut dyn FnMut() -> f64) -> Length {
        let mut games = Vec::with_capacity(TESTS);
        let mut h1 = 0;
        for _ in 0..TESTS {
            let (n, accepted) = self.play(uniform);
            games.push(n);
            h1 += usize::from(accepted);
        }
        games.sort_by(f64::total_cmp);
        let at = |share: f64| games[(share * (TESTS - 1) as f64) as usize];
        Length {
            h1: h1 as f64 / TESTS as f64,
            mean: games.iter().sum::<f64>() / TESTS as f64,
            low: at(0.1),
            middle: at(0.5),
            high: at(0.9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Uniform;
    use crate::{Decision, Games, Pairs};

    /// Wald's means: `E(LLR at the end) / drift`, and at the middle `-low * high / variance`.
    #[test]
    fn lengths_are_wald_s() {
        let mut random = Uniform(7);
        let sprt = Sprt { model: Model::Logistic, ..Sprt::new(0.0, 5.0) };
        for (elo, draws, h1) in [(0.0, 0.5, 0.05), (5.0, 0.5, 0.95), (2.5, 0.3, 0.5)] {
            let length = sprt.walk_from_start(elo, draws).length(&mut || random.next());
            let deviation = (0.25 - draws / 4.0_f64).sqrt();
            let t = |elo: f64| (score_of_elo(elo) - 0.5) / deviation;
            let (low, high) = sprt.bounds();
            let width = t(5.0) - t(0.0);
            let drift = width * (t(elo) - (t(0.0) + t(5.0)) / 2.0);
            let mean = match elo {
                2.5 => -low * high / (width * width),
                _ => (h1 * high + (1.0 - h1) * low) / drift,
            };
            assert!((length.mean / mean - 1.0).abs() < 0.08, "{elo}: {length:?}, Wald {mean}");
            assert!((length.h1 - h1).abs() < 0.05, "{elo}: {length:?}");
            assert!(length.low < length.middle && length.middle < length.high);
        }
    }

    /// The rest of tests that are really played, game by game, against what was predicted on the way.
    #[test]
    fn the_range_holds_the_games_to_come() {
        let mut random = Uniform(11);
        let sprt = Sprt::new(0.0, 40.0);
        let (mut held, mut asked) = (0, 0);
        for test in 0..120 {
            let win = 0.25 + 0.06 * f64::from(test % 4) / 3.0;
            let (mut games, mut foretold) = (Games::default(), Vec::new());
            while sprt.decide(sprt.llr_games(&games)) == Decision::Continue {
                if matches!(games.games(), 40 | 120) {
                    let walk = sprt.walk_on(sprt.llr_games(&games), &games.by_score());
                    foretold.push((games.games(), walk.length(&mut || random.next())));
                }
                let u = random.next();
                games.add(if u < win {
                    1.0
                } else if u < win + 0.5 {
                    0.5
                } else {
                    0.0
                });
            }
            for (at, length) in foretold {
                let more = (games.games() - at) as f64;
                asked += 1;
                held += u32::from(length.low <= more && more <= length.high);
            }
        }
        let share = f64::from(held) / f64::from(asked);
        assert!((0.72..0.95).contains(&share), "{held} of {asked}");
    }

    #[test]
    fn nothing_played_can_be_asked_too() {
        let mut random = Uniform(3);
        for model in [Model::Normalised, Model::Logistic, Model::Bayesian] {
            let sprt = Sprt { model, ..Sprt::new(0.0, 5.0) };
            for pairs in [Pairs::default(), Pairs([0, 0, 9, 0, 0]), Pairs([0, 0, 0, 0, 3])] {
                let length = sprt.walk_on(sprt.llr_pairs(&pairs), &pairs).length(&mut || random.next());
                assert!(length.mean.is_finite() && length.high >= length.low, "{model:?} {pairs:?} {length:?}");
            }
        }
    }
}
