//! Chances to win, draw and lose as a function of a value: two numbers, fitted to games by maximum likelihood.

use std::collections::BTreeMap;

/// Values beyond this are counted as this: there is nothing to learn from them.
const VALUE_MAX: i32 = 3000;
/// Newton steps; a handful is enough.
const STEPS_MAX: u32 = 100;

/// Two logistic curves (an ordered logit model: McCullagh, 1980): a win is as likely at `v` as a loss at `-v`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chances {
    /// The value, in centipawns, at which half of the games are won.
    pub even_cp: f64,
    /// Width of the curves around it, in centipawns: the smaller, the faster the chances change.
    pub spread_cp: f64,
    /// The mean negative logarithm of the chance given to what happened, in nats.
    pub loss: f64,
    /// Positions it was fitted to.
    pub samples: u64,
}

/// Values with how the games went on: won, drawn, lost by the side whose value it is.
#[derive(Debug, Clone, Default)]
pub struct Fates {
    counts: BTreeMap<i32, [f64; 3]>,
    samples: u64,
}

impl Fates {
    /// Adds a position with its value in centipawns and the game's result, 1, ½ or 0, for the same side.
    pub fn add(&mut self, value_cp: i32, score: f64) {
        let index = if score > 0.75 {
            0
        } else if score < 0.25 {
            2
        } else {
            1
        };
        self.counts.entry(value_cp.clamp(-VALUE_MAX, VALUE_MAX)).or_default()[index] += 1.0;
        self.samples += 1;
    }

    /// Positions so far.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The curves under which these results are most likely; `None` where wins, draws or losses are missing, or better values
    /// do not mean better results.
    pub fn fit(&self) -> Option<Chances> {
        let total = |i: usize| self.counts.values().map(|c| c[i]).sum::<f64>();
        // Without one of the three results the likelihood has no maximum: a number would run to infinity.
        if (0..3).any(|i| total(i) == 0.0) {
            return None;
        }
        // By slope and threshold the likelihood has a single peak.
        let (mut slope, mut edge) = (1.0 / 150.0, 1.0);
        for _ in 0..STEPS_MAX {
            let (here, [by_slope, by_edge]) = self.likelihood(slope, edge);
            // Differences of the exact slopes: small enough to be straight, large enough for rounding errors.
            let (h, g) = (slope.abs() * 1e-5, edge * 1e-5);
            let along_slope = self.likelihood(slope + h, edge).1;
            let along_edge = self.likelihood(slope, edge + g).1;
            let [ss, se] = [(along_slope[0] - by_slope) / h, (along_slope[1] - by_edge) / h];
            let ee = (along_edge[1] - by_edge) / g;
            // Newton's step solves two equations: by hand, the inverse of a matrix of two rows.
            let det = ss * ee - se * se;
            let step = [(by_slope * ee - by_edge * se) / det, (by_edge * ss - by_slope * se) / det];
            let mut share = 1.0;
            while share > 1e-9 {
                let (s, e) = (slope - share * step[0], edge - share * step[1]);
                if e > 0.0 && self.likelihood(s, e).0 >= here {
                    (slope, edge) = (s, e);
                    break;
                }
                // Newton steps too far where the likelihood is not yet a parabola.
                share /= 2.0;
            }
            if share <= 1e-9 || (step[0] / slope).abs() + (step[1] / edge).abs() < 1e-9 {
                break;
            }
        }
        let loss = -self.likelihood(slope, edge).0 / self.samples as f64;
        let known = slope > 0.0 && loss.is_finite();
        known.then(|| Chances { even_cp: edge / slope, spread_cp: 1.0 / slope, loss, samples: self.samples })
    }

    /// The logarithm of the likelihood, and its slopes by both numbers.
    fn likelihood(&self, slope: f64, edge: f64) -> (f64, [f64; 2]) {
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let (mut sum, mut gradient) = (0.0, [0.0; 2]);
        for (&value, &[won, drawn, lost]) in &self.counts {
            let value = f64::from(value);
            let (win, loss) = (sigmoid(slope * value - edge), sigmoid(-slope * value - edge));
            // Never 0, whose logarithm is infinite: an edge near 0 leaves no room for draws.
            let draw = (1.0 - win - loss).max(1e-300);
            for (n, p) in [(won, win), (drawn, draw), (lost, loss)] {
                sum += if n > 0.0 { n * p.max(1e-300).ln() } else { 0.0 };
            }
            let by_win = won * (1.0 - win) - drawn * win * (1.0 - win) / draw;
            let by_loss = lost * (1.0 - loss) - drawn * loss * (1.0 - loss) / draw;
            gradient[0] += value * (by_win - by_loss);
            gradient[1] -= by_win + by_loss;
        }
        (sum, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Random;

    #[test]
    fn what_made_the_results_is_found_again() {
        let (even, spread) = (130.0, 60.0);
        let mut random = Random::new(3);
        let mut fates = Fates::default();
        for _ in 0..200_000 {
            let value = (random.normal() * 200.0).round();
            let chance = |v: f64| 1.0 / (1.0 + ((even - v) / spread).exp());
            let (win, loss, dice) = (chance(value), chance(-value), random.unit());
            let score = if dice < win {
                1.0
            } else if dice < win + loss {
                0.0
            } else {
                0.5
            };
            fates.add(value as i32, score);
        }
        let found = fates.fit().unwrap();
        assert!((found.even_cp - even).abs() < 2.0 && (found.spread_cp - spread).abs() < 1.0, "{found:?}");
        assert_eq!(found.samples, 200_000);
    }

    #[test]
    fn what_cannot_be_fitted_is_not() {
        let mut fates = Fates::default();
        assert_eq!(fates.fit(), None);
        fates.add(100, 1.0);
        fates.add(-100, 0.0);
        assert_eq!(fates.fit(), None, "no draws");
        let mut backwards = Fates::default();
        for (value, score) in [(-300, 1.0), (0, 0.5), (300, 0.0), (-100, 0.0), (100, 1.0), (-200, 1.0), (200, 0.0)] {
            backwards.add(value, score);
        }
        assert_eq!(backwards.fit(), None, "better values with worse results");
    }
}
