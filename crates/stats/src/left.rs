//! Time left of a schedule of games: a log-normal fit of durations that counts running games too, then simulation.
//!
//! Finished games alone mislead: short ones finish first. A running game of age `a` says that its duration is above
//! `a` (censoring), and the likelihood has both: the density of finished durations times the survival of the ages.

use crate::elo::phi;
use statrs::distribution::{ContinuousCDF, Normal};
use std::time::Duration;

/// What is known about the durations of games, kept as sums.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Durations {
    n: u64,
    sum_ln: f64,
    sum_ln2: f64,
}

/// A range of the time left that holds the truth eight times in ten, and its middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLeft {
    /// One chance in ten that it ends sooner.
    pub low: Duration,
    /// As likely sooner as later.
    pub middle: Duration,
    /// One chance in ten that it takes longer.
    pub high: Duration,
}

/// The spread of durations (of their logarithm) until enough games tell their own.
const SIGMA_AT_FIRST: f64 = 0.4;
/// Games that tell the spread.
const GAMES_FOR_SIGMA: u64 = 8;
/// The spread at first counts as much as that of so many games later on: few games tell it badly, and too small.
const PRIOR_GAMES: f64 = 6.0;
/// Simulated futures.
const FUTURES: usize = 200;
/// Games a worker that are scheduled one by one; what lies before them only as a sum.
const GAMES_EACH: usize = 6;

impl Durations {
    /// A game took so long.
    pub fn add(&mut self, duration: Duration) {
        let ln = duration.as_secs_f64().max(1e-6).ln();
        self.n += 1;
        self.sum_ln += ln;
        self.sum_ln2 += ln * ln;
    }

    /// How many games.
    pub fn games(&self) -> u64 {
        self.n
    }

    /// The likeliest mean and deviation of the logarithm, given the ages of running games. `None` without any game.
    fn fit(&self, ages: &[f64]) -> Option<(f64, f64)> {
        let ages: Vec<f64> = ages.iter().map(|a| a.max(1e-6).ln()).collect();
        let oldest = ages.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let n = self.n as f64;
        let centre = if self.n > 0 { self.sum_ln / n } else { oldest };
        if !centre.is_finite() {
            return None;
        }
        let likelihood = |mu: f64, sigma: f64| {
            let squares = self.sum_ln2 - 2.0 * mu * self.sum_ln + n * mu * mu + PRIOR_GAMES * SIGMA_AT_FIRST.powi(2);
            let done = -(n + PRIOR_GAMES) * sigma.ln() - squares / (2.0 * sigma * sigma);
            // Below 1e-300 the logarithm would be infinite.
            done + ages.iter().map(|a| phi((mu - a) / sigma).max(1e-300).ln()).sum::<f64>()
        };
        let (from, to) = (centre - 1.0, centre.max(oldest) + 2.0);
        let best_mu = |sigma: f64| maximum(from, to, |mu| likelihood(mu, sigma));
        if self.n == 0 {
            // Only ages: likelihood grows without end. Running games are taken as half done.
            return Some((oldest + std::f64::consts::LN_2, SIGMA_AT_FIRST));
        }
        if self.n < GAMES_FOR_SIGMA {
            return Some((best_mu(SIGMA_AT_FIRST), SIGMA_AT_FIRST));
        }
        let sigma = maximum(0.02f64.ln(), 1.5f64.ln(), |s| likelihood(best_mu(s.exp()), s.exp())).exp();
        Some((best_mu(sigma), sigma))
    }
}

/// Where a function with one hill is highest (golden section).
fn maximum(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut fa, mut fb) = (f(a), f(b));
    for _ in 0..40 {
        if fa < fb {
            (low, a, fa) = (a, b, fb);
            b = low + GOLDEN * (high - low);
            fb = f(b);
        } else {
            (high, b, fb) = (b, a, fa);
            a = high - GOLDEN * (high - low);
            fa = f(a);
        }
    }
    (low + high) / 2.0
}

/// How much a running game of this age tells about the mean, in finished games (Fisher's information of a censored
/// normal observation).
fn told_by_age(age: f64, mu: f64, sigma: f64) -> f64 {
    let z = (age.max(1e-6).ln() - mu) / sigma;
    let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let hazard = density / phi(-z).max(1e-300);
    if hazard.is_finite() { (hazard * (hazard - z)).clamp(0.0, 1.0) } else { 1.0 }
}

/// The time until `waiting` games more are played on `jobs` workers, some of which play games of these `ages` now.
/// `uniform` gives numbers in 0..1. `None` as long as nothing is known at all.
pub fn time_left(
    durations: &Durations,
    ages: &[Duration],
    waiting: u64,
    jobs: usize,
    uniform: &mut dyn FnMut() -> f64,
) -> Option<TimeLeft> {
    let ages: Vec<f64> = ages.iter().map(Duration::as_secs_f64).collect();
    let (mu, sigma) = durations.fit(&ages)?;
    let normal = Normal::standard();
    let mut draw = |from: f64| normal.inverse_cdf((from + (1.0 - from) * uniform()).clamp(1e-9, 1.0 - 1e-9));
    let jobs = jobs.max(ages.len()).max(1);
    let single = waiting.min((jobs * GAMES_EACH) as u64);
    let bulk = (waiting - single) as f64;
    let known =
        sigma / (durations.n as f64 + ages.iter().map(|a| told_by_age(*a, mu, sigma)).sum::<f64>()).max(0.3).sqrt();
    let mut ends: Vec<f64> = (0..FUTURES)
        .map(|_| {
            let mu = mu + known * draw(0.0);
            let mut free: Vec<f64> = ages
                .iter()
                .map(|&age| {
                    let ln = age.max(1e-6).ln();
                    ((mu + sigma * draw(phi((ln - mu) / sigma))).exp() - age).max(0.0)
                })
                .collect();
            free.resize(jobs, 0.0);
            let mean = (mu + sigma * sigma / 2.0).exp();
            let deviation = mean * ((sigma * sigma).exp() - 1.0).sqrt();
            let sum = (bulk * mean + bulk.sqrt() * deviation * draw(0.0)).max(0.0);
            free.iter_mut().for_each(|t| *t += sum / jobs as f64);
            for _ in 0..single {
                let next = free.iter_mut().min_by(|a, b| a.total_cmp(b));
                if let Some(next) = next {
                    *next += (mu + sigma * draw(0.0)).exp();
                }
            }
            free.into_iter().fold(0.0, f64::max)
        })
        .collect();
    ends.sort_by(f64::total_cmp);
    // Measured (see the tests), these ends hold the truth eight times in ten: the fit itself errs a little.
    let at = |share: f64| Duration::from_secs_f64(ends[(share * (FUTURES - 1) as f64) as usize].min(1e12));
    Some(TimeLeft { low: at(0.07), middle: at(0.5), high: at(0.93) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small linear congruential generator: tests need no better one.
    struct Uniform(u64);

    impl Uniform {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        fn game(&mut self, sigma: f64) -> f64 {
            let z = Normal::standard().inverse_cdf(self.next().clamp(1e-9, 1.0 - 1e-9));
            (sigma * z).exp()
        }
    }

    /// Plays schedules of 200 games on `jobs` workers; mean relative error of the total after `done` games, and how
    /// often the range held it.
    fn simulate(jobs: usize, sigma: f64, done: usize) -> (f64, f64) {
        let mut random = Uniform(jobs as u64 * 1000 + done as u64);
        let (mut error, mut held) = (0.0, 0.0);
        const RUNS: usize = 300;
        for _ in 0..RUNS {
            let games: Vec<f64> = (0..200).map(|_| random.game(sigma)).collect();
            let mut free = vec![0.0; jobs];
            let spans: Vec<(f64, f64)> = games
                .iter()
                .map(|g| {
                    let next = free.iter_mut().min_by(|a, b| f64::total_cmp(a, b)).unwrap();
                    let begin = *next;
                    *next += g;
                    (begin, *next)
                })
                .collect();
            let end = free.into_iter().fold(0.0, f64::max);
            let mut finished: Vec<f64> = spans.iter().map(|s| s.1).collect();
            finished.sort_by(f64::total_cmp);
            let now = finished[done - 1];
            let mut durations = Durations::default();
            let mut ages = Vec::new();
            let mut waiting = 0;
            for &(begin, finish) in &spans {
                if finish <= now {
                    durations.add(Duration::from_secs_f64(finish - begin));
                } else if begin <= now {
                    ages.push(Duration::from_secs_f64(now - begin));
                } else {
                    waiting += 1;
                }
            }
            let left = time_left(&durations, &ages, waiting, jobs, &mut || random.next()).unwrap();
            error += ((now + left.middle.as_secs_f64()) / end - 1.0).abs() / RUNS as f64;
            let truth = Duration::from_secs_f64((end - now).max(0.0));
            held += f64::from(left.low <= truth && truth <= left.high) / RUNS as f64;
        }
        (error, held)
    }

    #[test]
    fn the_range_holds_the_truth() {
        for (jobs, sigma, done, worst) in
            [(8, 0.4, 1, 0.22), (8, 0.4, 4, 0.15), (8, 0.4, 8, 0.15), (1, 0.4, 8, 0.14), (4, 0.2, 8, 0.08)]
        {
            let (error, held) = simulate(jobs, sigma, done);
            eprintln!("{jobs} jobs, {done} done: error {:.1} %, range held {:.0} %", error * 100.0, held * 100.0);
            assert!(error < worst && held >= 0.78, "{jobs} jobs, {done} done: {error} {held}");
        }
    }

    #[test]
    fn little_is_known_at_first() {
        let mut random = Uniform(1);
        let mut ask = |durations: &Durations, ages: &[u64], waiting| {
            let ages: Vec<Duration> = ages.iter().map(|&s| Duration::from_secs(s)).collect();
            time_left(durations, &ages, waiting, 2, &mut || random.next())
        };
        assert_eq!(ask(&Durations::default(), &[], 5), None);
        assert!(ask(&Durations::default(), &[10, 10], 5).is_some());
        let mut one = Durations::default();
        one.add(Duration::from_secs(10));
        let left = ask(&one, &[], 0).unwrap();
        assert_eq!(left.high, Duration::ZERO);
        let left = ask(&one, &[], 1_000_000_000).unwrap();
        assert!(left.low > Duration::from_secs(1_000_000_000) && left.low < left.high);
    }
}
