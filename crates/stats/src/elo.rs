//! Elo and normalised Elo with intervals, and the two likelihoods of superiority in use.

use crate::{Counts, Games, Pairs};
use statrs::function::erf::erf;

/// Normalised Elo of one standard deviation a game: 800 / ln 10 (Van den Bergh, "Normalized Elo", 2021).
pub const ELO_PER_NT: f64 = 800.0 / std::f64::consts::LN_10;

/// The normal quantile of a two-sided 95 % interval.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// An estimate with its interval. The ends may be infinite; they are never NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// The estimate.
    pub value: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Half the width, as in `1.68 ± 1.81`; may be infinite.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// The Elo difference of an expected score in 0..=1; ±infinity at its ends.
pub fn elo_of_score(score: f64) -> f64 {
    match score {
        s if s <= 0.0 => f64::NEG_INFINITY,
        s if s >= 1.0 => f64::INFINITY,
        // Adding zero turns the -0 of a level score into 0.
        s => -400.0 * (1.0 / s - 1.0).log10() + 0.0,
    }
}

/// The expected score of an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The normal distribution function.
pub(crate) fn phi(z: f64) -> f64 {
    0.5 * (1.0 + erf(z / std::f64::consts::SQRT_2))
}

/// The 95 % interval of the mean score. Where all results are alike the spread is unknown, and the interval is exact
/// instead: with `n` results of score `a`, the share `q` of such results is at least `0.05^(1/n)` (95 %), and the mean
/// lies between `a q` and `a q + 1 - q`.
fn score_interval(counts: &(impl Counts + ?Sized)) -> Option<Interval> {
    let (mean, var) = counts.moments()?;
    let n = counts.results() as f64;
    if var <= 0.0 {
        let q = share_of_alike(n);
        return Some(Interval { low: mean * q, value: mean, high: 1.0 - q * (1.0 - mean) });
    }
    let margin = Z95 * (var / n).sqrt();
    // Of few results that are nearly alike the spread says too little: no results prove more than as many that were all won, or lost.
    let most = share_of_alike(n);
    Some(Interval { low: (mean - margin).min(most), value: mean, high: (mean + margin).max(1.0 - most) })
}

/// The share that results of one kind have at least (95 %), when `n` of `n` were of it.
fn share_of_alike(n: f64) -> f64 {
    0.05f64.powf(1.0 / n)
}

fn elo(counts: &(impl Counts + ?Sized)) -> Option<Interval> {
    let s = score_interval(counts)?;
    Some(Interval { low: elo_of_score(s.low), value: elo_of_score(s.value), high: elo_of_score(s.high) })
}

/// Where all results are alike, the ends are those of the exact share with all others lost, or won.
fn normalised_elo(counts: &(impl Counts + ?Sized)) -> Option<Interval> {
    let (mean, var) = counts.moments()?;
    let each = counts.games_each() as f64;
    let of = |mean: f64, var: f64| match mean - 0.5 {
        d if var > 0.0 => d / (var * each).sqrt() * ELO_PER_NT + 0.0,
        0.0 => 0.0,
        d => f64::INFINITY * d.signum(),
    };
    let value = of(mean, var);
    if var > 0.0 {
        let error = Z95 * ELO_PER_NT / (counts.games() as f64).sqrt();
        return Some(Interval { low: value - error, value, high: value + error });
    }
    let q = share_of_alike(counts.results() as f64);
    let spread = q * (1.0 - q);
    let low = of(mean * q, mean * mean * spread);
    let high = of(1.0 - q * (1.0 - mean), (1.0 - mean) * (1.0 - mean) * spread);
    Some(Interval { low, value, high })
}

/// Where all results are alike the spread is unknown: a uniform prior over the chance of such a result takes its place.
fn los(counts: &(impl Counts + ?Sized)) -> Option<f64> {
    let (mean, var) = counts.moments()?;
    let n = counts.results() as f64;
    // No results say more than as many that were all lost.
    let least = 0.5f64.powf(n + 1.0);
    Some(match mean - 0.5 {
        d if var > 0.0 => phi(d / (var / n).sqrt()).clamp(least, 1.0 - least),
        0.0 => 0.5,
        d if d > 0.0 => 1.0 - least,
        _ => least,
    })
}

impl Games {
    /// Elo with its 95 % interval; `None` without games.
    pub fn elo(&self) -> Option<Interval> {
        elo(&self.by_score())
    }

    /// Normalised Elo with its 95 % interval; `None` without games. Infinite when all games were won or lost.
    pub fn normalised_elo(&self) -> Option<Interval> {
        normalised_elo(&self.by_score())
    }

    /// The chance in 0..=1 that the first player is the better one: normal, with the spread of all results.
    pub fn los(&self) -> Option<f64> {
        los(&self.by_score())
    }

    /// The likelihood of superiority in 0..=1, from wins and losses alone (BattleField, BayesElo); `None` without any.
    pub fn los_wl(&self) -> Option<f64> {
        let (w, l) = (self.wins as f64, self.losses as f64);
        (w + l > 0.0).then(|| 0.5 * (1.0 + erf((w - l) / (2.0 * (w + l)).sqrt())))
    }

    /// The 95 % interval of the score a game, in 0..=1.
    pub fn score_interval(&self) -> Option<Interval> {
        score_interval(&self.by_score())
    }

    /// Elo with the 95 % interval of another spread; [`Sigma::Trinomial`] is that of [`Games::elo`].
    pub fn elo_by(&self, sigma: Sigma) -> Option<Interval> {
        let (mean, _) = self.by_score().moments()?;
        match sigma {
            // Without draws the two spreads are one, and so are their degenerate cases.
            Sigma::Binomial if mean > 0.0 && mean < 1.0 => {
                let margin = Z95 * (mean * (1.0 - mean) / self.games() as f64).sqrt();
                let [low, value, high] = [mean - margin, mean, mean + margin].map(elo_of_score);
                Some(Interval { low, value, high })
            }
            _ => self.elo(),
        }
    }
}

impl Pairs {
    /// Elo with its 95 % interval; `None` without pairs.
    pub fn elo(&self) -> Option<Interval> {
        elo(self)
    }

    /// Normalised Elo with its 95 % interval; `None` without pairs. Infinite when all pairs were won or lost.
    pub fn normalised_elo(&self) -> Option<Interval> {
        normalised_elo(self)
    }

    /// The chance in 0..=1 that the first player is the better one.
    pub fn los(&self) -> Option<f64> {
        los(self)
    }
}

/// The formula for the variance of a game's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sigma {
    /// `μ(1 - μ)`, as if there were no draws: BattleField before 2022.
    Binomial,
    /// `μ(1 - μ) - D / 4n`: BattleField since then, and fastchess.
    #[default]
    Trinomial,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elo, nElo and LOS as fastchess prints them.
    #[track_caller]
    fn check(elo: Option<Interval>, nelo: Option<Interval>, los: Option<f64>, expect: [&str; 3]) {
        let pm = |i: Option<Interval>| i.map(|i| format!("{:.2} {:.2}", i.value, i.error())).unwrap();
        assert_eq!([pm(elo), pm(nelo), format!("{:.2}", los.unwrap() * 100.0)], expect);
    }

    #[test]
    fn trinomial_figures_are_fastchess_s() {
        let check = |w, d, l, expect| {
            let g = Games::new(w, d, l);
            check(g.elo(), g.normalised_elo(), g.los(), expect);
        };
        check(35515, 29453, 35032, ["1.68 1.81", "2.00 2.15", "96.55"]);
        check(1940, 1337, 1723, ["15.09 8.25", "17.64 9.63", "99.98"]);
        check(36433, 68692, 36027, ["1.00 1.30", "1.39 1.81", "93.43"]);
        check(3456, 6686, 3278, ["4.61 4.16", "6.51 5.88", "98.50"]);
        check(5, 3, 2, ["107.54 215.77", "133.45 215.34", "88.78"]);
        check(1500, 1800, 1700, ["-13.90 7.71", "-17.39 9.63", "0.02"]);
    }

    #[test]
    fn pentanomial_figures_are_fastchess_s() {
        let check = |counts, expect| {
            let p = Pairs(counts);
            check(p.elo(), p.normalised_elo(), p.los(), expect);
        };
        check([379, 10170, 21828, 10640, 343], ["1.59 1.21", "3.05 2.31", "99.51"]);
        check([127, 4883, 10712, 5150, 104], ["1.83 1.70", "3.58 3.32", "98.26"]);
        check([72, 2370, 5021, 2466, 87], ["2.19 2.51", "4.18 4.81", "95.58"]);
        check([223, 9863, 21279, 10037, 246], ["0.92 1.21", "1.79 2.36", "93.20"]);
        check([0, 0, 10, 20, 5], ["159.18 45.44", "329.61 81.39", "100.00"]);
        check([50, 200, 500, 200, 50], ["0.00 9.63", "0.00 15.23", "50.00"]);
    }

    #[test]
    fn los_from_wins_and_losses_is_battlefield_s() {
        for (w, d, l, expect) in [
            (35515, 29453, 35032, "0.9655"),
            (1940, 1337, 1723, "0.9998"),
            (36433, 68692, 36027, "0.9343"),
            (3456, 6686, 3278, "0.9850"),
            (5, 3, 2, "0.8716"),
            (1500, 1800, 1700, "0.0002"),
        ] {
            assert_eq!(format!("{:.4}", Games::new(w, d, l).los_wl().unwrap()), expect);
        }
        assert_eq!(Games::new(0, 20, 0).los_wl(), None);
    }

    /// `0 0 0 1 2` gave a likelihood of 100.00 % and an Elo from +223, the better `0 0 0 0 3` 93.75 % and an Elo from -94.
    #[test]
    fn few_results_prove_no_more_than_as_many_that_were_won() {
        for n in 1..30 {
            let best = Pairs([0, 0, 0, 0, n]);
            for less in 1..=n {
                let pairs = Pairs([0, 0, 0, less, n - less]);
                assert!(pairs.los() <= best.los(), "{pairs:?}");
                assert!(pairs.elo().unwrap().low <= best.elo().unwrap().low, "{pairs:?}");
                let mirrored = Pairs([n - less, less, 0, 0, 0]);
                assert!(mirrored.los().unwrap() >= 1.0 - best.los().unwrap() - 1e-12, "{mirrored:?}");
            }
        }
        assert_eq!(Pairs([0, 0, 0, 1, 2]).los(), Some(0.9375));
        assert!(Pairs([0, 0, 2, 0, 2]).elo().unwrap().low < 0.0);
    }

    #[test]
    fn degenerate_counts_have_true_answers() {
        assert_eq!((Games::default().elo(), Games::default().los(), Pairs::default().elo()), (None, None, None));
        let wins = Games::new(20, 0, 0);
        let elo = wins.elo().unwrap();
        assert_eq!((elo.value, elo.high), (f64::INFINITY, f64::INFINITY));
        assert!((313.0..317.0).contains(&elo.low), "{elo:?}");
        let nelo = wins.normalised_elo().unwrap();
        assert!(nelo.value == f64::INFINITY && nelo.high == f64::INFINITY && nelo.low.is_finite(), "{nelo:?}");
        for n in 1..200 {
            let pairs = Pairs([0, 0, 0, 0, n]);
            assert_eq!(pairs.elo().unwrap().high, f64::INFINITY, "{n}");
            assert_eq!(Games::new(n, 0, 0).elo().unwrap().high, f64::INFINITY, "{n}");
            assert_eq!(Games::new(0, 0, n).elo().unwrap().low, f64::NEG_INFINITY, "{n}");
        }
        assert!(wins.los().unwrap() < 1.0 && wins.los().unwrap() > 0.999);
        assert_eq!(Games::new(1, 0, 0).los(), Some(0.75));
        let losses = Games::new(0, 0, 20).elo().unwrap();
        assert_eq!(losses.low, f64::NEG_INFINITY);
        assert!((losses.high + elo.low).abs() < 1e-9);
        let draws = Games::new(0, 20, 0);
        let elo = draws.elo().unwrap();
        assert_eq!((elo.value, draws.los()), (0.0, Some(0.5)));
        assert!((elo.low + elo.high).abs() < 1e-9 && (45.0..55.0).contains(&elo.high), "{elo:?}");
    }

    /// Figures that BattleField's author published before 2022.
    #[test]
    fn the_old_spread_is_binomial() {
        for (w, d, l, expect) in [
            (35515, 29453, 35032, "-0.48/1.68/3.83"),
            (36433, 68692, 36027, "-0.81/1.00/2.81"),
            (0, 20, 0, "-163.32/0.00/163.32"),
        ] {
            let i = Games::new(w, d, l).elo_by(Sigma::Binomial).unwrap();
            assert_eq!(format!("{:.2}/{:.2}/{:.2}", i.low, i.value, i.high), expect);
        }
        let games = Games::new(5, 3, 2);
        assert_eq!(games.elo_by(Sigma::Trinomial), games.elo());
        assert_eq!(Games::new(9, 0, 0).elo_by(Sigma::Binomial), Games::new(9, 0, 0).elo());
        assert_eq!(Games::default().elo_by(Sigma::Binomial), None);
    }

    #[test]
    fn scores_and_elo_are_inverse() {
        for elo in [-700.0, -1.0, 0.0, 5.0, 300.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
    }
}
