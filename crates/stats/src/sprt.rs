//! The sequential probability ratio test: generalised log-likelihood ratios over games or pairs.
//!
//! Maximum likelihood under a constrained mean or a constrained t-value, after Michel Van den Bergh, "A practical
//! introduction to the GSPRT" and "Normalized Elo" (2021), as fishtest has it. Counts of zero are taken as a
//! thousandth, so that every set of counts has a ratio.

use crate::elo::{ELO_PER_NT, score_of_elo};
use crate::{Counts, Games, Pairs};

/// In what the two hypotheses are stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Model {
    /// Normalised Elo: per standard deviation of a game. The same number of games whatever the draw ratio.
    #[default]
    Normalised,
    /// Logistic Elo, as ratings have it.
    Logistic,
    /// BayesElo, with the draw rate as observed. For games, not for pairs: a level pair does not tell its draws.
    Bayesian,
}

/// A test of "the difference is `elo1`" against "it is `elo0`".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    /// The hypothesis to be refuted.
    pub elo0: f64,
    /// The hypothesis to be proved; greater than `elo0`.
    pub elo1: f64,
    /// The chance to accept `elo1` where `elo0` is true.
    pub alpha: f64,
    /// The chance to accept `elo0` where `elo1` is true.
    pub beta: f64,
    /// The unit of `elo0` and `elo1`.
    pub model: Model,
}

/// The current decision of a sequential test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// `elo0`: the change is no gain.
    AcceptH0,
    /// `elo1`: the change is a gain.
    AcceptH1,
    /// Play on.
    Continue,
}

impl Sprt {
    /// A test with both error chances at 5 %, in normalised Elo.
    pub const fn new(elo0: f64, elo1: f64) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model: Model::Normalised }
    }

    /// The ratios at which it accepts H0 and H1: `ln(β / (1 - α))`, `ln((1 - β) / α)` (Wald, 1945).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The decision at a ratio.
    pub fn decide(&self, llr: f64) -> Decision {
        let (low, high) = self.bounds();
        match llr {
            r if r <= low => Decision::AcceptH0,
            r if r >= high => Decision::AcceptH1,
            _ => Decision::Continue,
        }
    }

    /// Whether it looks at pairs; a model of games cannot.
    pub fn is_of_pairs(&self) -> bool {
        self.model != Model::Bayesian
    }

    /// The log-likelihood ratio of games; 0 without games.
    pub fn llr_games(&self, games: &Games) -> f64 {
        let counts = games.by_score();
        match self.model {
            Model::Bayesian if games.games() > 0 => {
                let found = Distribution::of(&counts);
                let [s0, s1] = [self.elo0, self.elo1].map(|elo| found.score_of_bayes_elo(elo));
                found.llr_of_scores(s0, s1)
            }
            _ => self.llr(&counts),
        }
    }

    /// The log-likelihood ratio of pairs; 0 without pairs. [`Model::Bayesian`] is taken as logistic.
    pub fn llr_pairs(&self, pairs: &Pairs) -> f64 {
        self.llr(pairs)
    }

    fn llr(&self, counts: &(impl Counts + ?Sized)) -> f64 {
        if counts.results() == 0 {
            return 0.0;
        }
        let found = Distribution::of(counts.counts());
        match self.model {
            Model::Normalised => {
                let per_result = (counts.games_each() as f64).sqrt() / ELO_PER_NT;
                found.llr_of_t(self.elo0 * per_result, self.elo1 * per_result)
            }
            Model::Logistic | Model::Bayesian => found.llr_of_scores(score_of_elo(self.elo0), score_of_elo(self.elo1)),
        }
    }
}

/// Observed frequencies of scores.
struct Distribution {
    /// Results, the thousandths that stand for zeros included.
    n: f64,
    scores: Vec<f64>,
    shares: Vec<f64>,
}

impl Distribution {
    fn of(counts: &[u64]) -> Distribution {
        let regular: Vec<f64> = counts.iter().map(|&c| if c == 0 { 1e-3 } else { c as f64 }).collect();
        let n: f64 = regular.iter().sum();
        let step = 1.0 / (counts.len() - 1) as f64;
        let scores = (0..counts.len()).map(|i| i as f64 * step).collect();
        Distribution { n, scores, shares: regular.iter().map(|c| c / n).collect() }
    }

    /// The ratio between mean scores `s1` and `s0`.
    fn llr_of_scores(&self, s0: f64, s1: f64) -> f64 {
        let [p0, p1] = [s0, s1].map(|s| {
            let far: Vec<f64> = self.scores.iter().map(|a| a - s).collect();
            tilt(&self.shares, &far)
        });
        self.ratio(&p0, &p1)
    }

    /// The ratio between t-values `t1` and `t0` (distance of the mean from one half in standard deviations).
    fn llr_of_t(&self, t0: f64, t1: f64) -> f64 {
        let [p0, p1] = [t0, t1].map(|t| self.likeliest_under_t(t));
        self.ratio(&p0, &p1)
    }

    fn ratio(&self, p0: &[f64], p1: &[f64]) -> f64 {
        self.n * self.shares.iter().zip(p0).zip(p1).map(|((p, p0), p1)| p * (p1 / p0).ln()).sum::<f64>()
    }

    /// The likeliest distribution with the t-value `t`, by iteration from the uniform one.
    fn likeliest_under_t(&self, t: f64) -> Vec<f64> {
        let mut p = vec![1.0 / self.scores.len() as f64; self.scores.len()];
        for _ in 0..10 {
            let mean: f64 = self.scores.iter().zip(&p).map(|(a, p)| a * p).sum();
            let var: f64 = self.scores.iter().zip(&p).map(|(a, p)| (a - mean) * (a - mean) * p).sum();
            let sigma = var.max(1e-300).sqrt();
            let far: Vec<f64> =
                self.scores.iter().map(|a| a - 0.5 - t * sigma * (1.0 + ((a - mean) / sigma).powi(2)) / 2.0).collect();
            let next = tilt(&self.shares, &far);
            let change = next.iter().zip(&p).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            p = next;
            if change < 1e-9 {
                break;
            }
        }
        p
    }

    /// The score of a BayesElo difference at the draw rate found here.
    fn score_of_bayes_elo(&self, elo: f64) -> f64 {
        let (loss, win) = (self.shares[0], self.shares[2]);
        let draw_elo = 200.0 * ((1.0 - loss) / loss * (1.0 - win) / win).log10();
        let win = 1.0 / (1.0 + 10f64.powf((draw_elo - elo) / 400.0));
        let loss = 1.0 / (1.0 + 10f64.powf((draw_elo + elo) / 400.0));
        (1.0 + win - loss) / 2.0
    }
}

/// The likeliest distribution near `shares` under which `far` has mean zero: `p / (1 + θ far)` with the θ that solves
/// `Σ p far / (1 + θ far) = 0`. `shares` themselves where `far` does not change sign, so that no θ exists.
fn tilt(shares: &[f64], far: &[f64]) -> Vec<f64> {
    let (min, max) = far.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &f| (lo.min(f), hi.max(f)));
    if min >= 0.0 || max <= 0.0 {
        return shares.to_vec();
    }
    // The sum falls from +∞ to -∞ between these ends.
    let (mut low, mut high) = (-1.0 / max, -1.0 / min);
    for _ in 0..200 {
        let theta = (low + high) / 2.0;
        let sum: f64 = shares.iter().zip(far).map(|(p, f)| p * f / (1.0 + theta * f)).sum();
        if theta == low || theta == high {
            break;
        }
        if sum > 0.0 { low = theta } else { high = theta }
    }
    let theta = (low + high) / 2.0;
    shares.iter().zip(far).map(|(p, f)| p / (1.0 + theta * f)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTED: Sprt = Sprt::new(0.0, 5.0);

    fn with(model: Model) -> Sprt {
        Sprt { model, ..TESTED }
    }

    /// Normalised, logistic and bayesian ratios as fastchess prints them; its logistic root is good to 1e-3 only.
    #[test]
    fn trinomial_ratios_are_fastchess_s() {
        for (w, d, l, normalised, logistic, bayesian) in [
            (35515, 29453, 35032, "-2.0789", -4.8258, "-3.2445"),
            (1940, 1337, 1723, "3.1309", 3.5565, "3.3483"),
            (36433, 68692, 36027, "-6.4611", -17.0893, "-7.8973"),
            (3456, 6686, 3278, "2.2267", 2.3362, "2.2731"),
            (5, 3, 2, "0.0506", 0.0603, "0.0537"),
            (1500, 1800, 1700, "-4.1152", -5.3047, "-4.5234"),
            (0, 20, 0, "-0.0029", -0.2839, "-0.0000"),
        ] {
            let games = Games::new(w, d, l);
            assert_eq!(format!("{:.4}", with(Model::Normalised).llr_games(&games)), normalised, "{games:?}");
            assert!((with(Model::Logistic).llr_games(&games) - logistic).abs() < 2e-3, "{games:?}");
            let found = with(Model::Bayesian).llr_games(&games);
            let near = (found - bayesian.parse::<f64>().unwrap()).abs();
            assert!(near < 2e-3, "{games:?}: {found} for {bayesian}");
        }
    }

    #[test]
    fn pentanomial_ratios_are_fishtest_s() {
        for (counts, expect) in [
            ([379, 10170, 21828, 10640, 343], "1.97733"),
            ([127, 4883, 10712, 5150, 104], "1.87910"),
            ([72, 2370, 5021, 2466, 87], "1.39549"),
            ([223, 9863, 21279, 10037, 246], "-2.43300"),
            ([0, 0, 10, 20, 5], "0.45948"),
            ([50, 200, 500, 200, 50], "-0.20711"),
        ] {
            assert_eq!(format!("{:.5}", TESTED.llr_pairs(&Pairs(counts))), expect);
        }
    }

    #[test]
    fn logistic_ratios_are_exact() {
        let logistic = with(Model::Logistic);
        for (w, d, l, expect) in [
            (1940, 1337, 1723, 3.55650097),
            (3456, 6686, 3278, 2.33584145),
            (36433, 68692, 36027, -17.08956104),
            (5, 3, 2, 0.06027585),
        ] {
            let found = logistic.llr_games(&Games::new(w, d, l));
            assert!((found - expect).abs() < 1e-6, "{found} {expect}");
        }
        for (counts, expect) in [
            ([379, 10170, 21828, 10640, 343], -11.90598922),
            ([72, 2370, 5021, 2466, 87], -0.95516551),
            ([50, 200, 500, 200, 50], -0.51739092),
        ] {
            let found = logistic.llr_pairs(&Pairs(counts));
            assert!((found - expect).abs() < 1e-6, "{found} {expect}");
        }
    }

    #[test]
    fn bounds_are_wald_s() {
        let (low, high) = TESTED.bounds();
        assert_eq!((format!("{low:.4}"), format!("{high:.4}")), ("-2.9444".into(), "2.9444".into()));
        assert_eq!(
            [-3.0, 0.0, 3.0].map(|r| TESTED.decide(r)),
            [Decision::AcceptH0, Decision::Continue, Decision::AcceptH1]
        );
    }

    /// A runner hung on bounds like these (fastchess #877).
    #[test]
    fn far_hypotheses_and_lone_results_end() {
        for model in [Model::Normalised, Model::Logistic, Model::Bayesian] {
            for (elo0, elo1) in [(-1500.0, 0.0), (0.0, 1500.0), (-3000.0, 3000.0)] {
                let sprt = Sprt { elo0, elo1, ..with(model) };
                for games in [Games::default(), Games::new(1, 0, 0), Games::new(0, 0, 9), Games::new(0, 1, 0)] {
                    assert!(sprt.llr_games(&games).is_finite(), "{sprt:?} {games:?}");
                }
                assert!(sprt.llr_pairs(&Pairs([0, 0, 0, 0, 3])).is_finite());
                assert_eq!(sprt.llr_pairs(&Pairs::default()), 0.0);
            }
        }
    }
}
