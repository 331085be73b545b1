//! Time left of a schedule of games: a log-normal fit of durations that counts running games too, then simulation.
//!
//! Finished games alone mislead: short ones finish first. A running game of age `a` says that its duration is above
//! `a` (censoring), and the likelihood has both: the density of finished durations times the survival of the ages.
//! One game of eight that began together says little even so (the least of eight tells the mean no better than to
//! ±0.6 spreads), so what is known beforehand counts too: how many plies games usually have, at the pace seen in all
//! games, also those in play.

use crate::Walk;
use crate::elo::phi;
use statrs::distribution::{ContinuousCDF, Normal};
use std::time::Duration;

/// Statistics of game durations, kept as sums.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Durations {
    n: u64,
    seconds: f64,
    sum_ln: f64,
    sum_ln2: f64,
    plies: u64,
    plies_usual: Option<f64>,
    seconds_expected: Option<f64>,
    /// Seconds and plies of the games in play: what they say of the pace.
    in_play: (f64, u64),
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

/// A game in play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InPlay {
    /// Time since it began.
    pub age: Duration,
    /// Plies that its players have made.
    pub plies: u32,
}

/// The remaining work of a match.
#[derive(Debug, Clone, Copy)]
pub enum Ahead<'a> {
    /// The number of games besides those in play, all to their ends.
    Games(u64),
    /// Until a test decides; at most this many games besides those in play.
    Test(&'a Walk, u64),
}

/// Spreads of durations (deviations of their logarithm) that are thought possible.
const SPREADS: [f64; 11] = [0.02, 0.06, 0.1, 0.15, 0.2, 0.27, 0.35, 0.45, 0.6, 0.8, 1.1];
/// The likeliest spread before any game, and by what factor it may be wrong (deviation of its logarithm).
const SPREAD_USUAL: (f64, f64) = (0.4, 0.6);
/// Uncertainty of a match's mean duration when it is estimated from the usual number of plies at the pace of all games so far
/// (deviation of the logarithm).
const USUAL_KNOWN: f64 = 0.20;
/// Uncertainty of a game's duration when it is estimated from its limits alone (deviation of the logarithm).
const LIMITS_KNOWN: f64 = 0.35;
/// By how much the pace of what is to come differs from that of what was (deviation of the logarithm): machines are
/// more or less busy. Measured: 200 games on a busy machine went 5 % faster after the first 40.
const DRIFT: f64 = 0.04;
/// Simulated futures.
const FUTURES: usize = 200;
/// Games a worker that are scheduled one by one; what lies before them only as a sum.
const GAMES_EACH: usize = 6;

/// The posterior of the mean logarithm of durations, given that their spread is `sigma`.
#[derive(Debug, Clone, Copy)]
struct Belief {
    sigma: f64,
    mu: f64,
    /// The deviation of `mu`.
    known: f64,
    /// The probability of this spread.
    weight: f64,
}

impl Durations {
    /// Nothing yet, of games in which the players usually make this many plies.
    ///
    /// # Panics
    /// When `plies` is not above 0.
    pub fn of_usual(plies: f64) -> Durations {
        assert!(plies > 0.0, "games of {plies} plies");
        Durations { plies_usual: Some(plies), ..Durations::default() }
    }

    /// A game is expected to take so long, by its limits alone: believed until a game is over.
    pub fn expect(self, time: Duration) -> Durations {
        Durations { seconds_expected: Some(time.as_secs_f64().max(1e-6)), ..self }
    }

    /// A game took so long, for this many plies that the players made.
    pub fn add(&mut self, duration: Duration, plies: u32) {
        let seconds = duration.as_secs_f64().max(1e-6);
        let ln = seconds.ln();
        self.n += 1;
        self.seconds += seconds;
        self.sum_ln += ln;
        self.sum_ln2 += ln * ln;
        self.plies += u64::from(plies);
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.n
    }

    /// Their mean duration; `None` without games.
    pub fn mean(&self) -> Option<Duration> {
        (self.n > 0).then(|| Duration::from_secs_f64((self.seconds / self.n as f64).min(1e12)))
    }

    /// Their measured spread: the deviation of the logarithm, so that 0.3 means that most games take between 0.74
    /// and 1.35 times the usual. `None` below two games.
    pub fn spread(&self) -> Option<f64> {
        let n = self.n as f64;
        (self.n > 1).then(|| ((self.sum_ln2 - self.sum_ln * self.sum_ln / n).max(0.0) / (n - 1.0)).sqrt())
    }

    /// The prior of the mean logarithm for the spread `sigma`, from sources other than measured durations: its value and its
    /// deviation.
    fn expected(&self, sigma: f64, oldest: f64) -> Option<(f64, f64)> {
        if let (0, Some(seconds)) = (self.n, self.seconds_expected) {
            return Some((seconds.ln() - sigma * sigma / 2.0, LIMITS_KNOWN));
        }
        if self.n == 0 {
            // Ages alone grow without end: running games are taken as half done, and nobody knows.
            return oldest.is_finite().then_some((oldest + std::f64::consts::LN_2, 1.0));
        }
        let pace = (self.seconds + self.in_play.0) / (self.plies + self.in_play.1).max(1) as f64;
        let plies = self.plies_usual.filter(|_| self.plies > 0)?;
        Some(((pace * plies).ln() - sigma * sigma / 2.0, USUAL_KNOWN))
    }

    /// Fits the mean logarithm for every spread, from the durations and from the logarithms of the ages of running games. `None` when
    /// they give no information.
    fn fit(&self, ages: &[f64]) -> Option<Vec<Belief>> {
        let oldest = ages.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let n = self.n as f64;
        let start = match self.seconds_expected {
            _ if self.n > 0 => self.sum_ln / n,
            Some(seconds) => seconds.ln(),
            None => oldest,
        };
        if !start.is_finite() {
            return None;
        }
        let mut beliefs = Vec::with_capacity(SPREADS.len());
        for sigma in SPREADS {
            let expected = self.expected(sigma, oldest);
            let (mut mu, mut told) = (start.max(oldest), 0.0);
            // Newton on a function with one hill; from above all ages it does not leap over it.
            for _ in 0..60 {
                let (mut slope, mut bend) = ((self.sum_ln - n * mu) / (sigma * sigma), n / (sigma * sigma));
                for &age in ages {
                    let z = (age - mu) / sigma;
                    let hazard = hazard(z);
                    slope += hazard / sigma;
                    bend += (hazard * (hazard - z)).clamp(0.0, 1.0) / (sigma * sigma);
                }
                if let Some((centre, known)) = expected {
                    slope += (centre - mu) / (known * known);
                    bend += 1.0 / (known * known);
                }
                told = bend;
                let step = (slope / bend.max(1e-12)).clamp(-1.0, 1.0);
                mu += step;
                if step.abs() < 1e-9 {
                    break;
                }
            }
            let squares = self.sum_ln2 - 2.0 * mu * self.sum_ln + n * mu * mu;
            let doubt = expected.map_or(0.0, |(centre, known)| ((mu - centre) / known).powi(2));
            let usual = (sigma / SPREAD_USUAL.0).ln() / SPREAD_USUAL.1;
            let ln = -n * sigma.ln() - squares / (2.0 * sigma * sigma) - doubt / 2.0 - usual * usual / 2.0
                + ages.iter().map(|a| survival((a - mu) / sigma).ln()).sum::<f64>()
                - told.max(1e-12).ln() / 2.0;
            beliefs.push(Belief { sigma, mu, known: 1.0 / told.max(1e-12).sqrt(), weight: ln });
        }
        // Less the largest, so that no exponential overflows.
        let best = beliefs.iter().map(|b| b.weight).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = beliefs.iter().map(|b| (b.weight - best).exp()).sum();
        beliefs.iter_mut().for_each(|b| b.weight = (b.weight - best).exp() / sum);
        Some(beliefs)
    }
}

/// The chance of a standard normal number above `z`; never 0.
fn survival(z: f64) -> f64 {
    // Never 0, whose logarithm is infinite.
    phi(-z).max(1e-300)
}

/// The density of a standard normal number at `z` over its chance above; by its asymptote where both vanish.
fn hazard(z: f64) -> f64 {
    // The survival cannot be told from 0 there: the first terms of the series for large numbers stand in.
    if z > 30.0 {
        return z + 1.0 / z;
    }
    (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() / survival(z)
}

/// One way in which the rest may go.
struct Future<'a> {
    mu: f64,
    sigma: f64,
    uniform: &'a mut dyn FnMut() -> f64,
}

impl Future<'_> {
    /// A standard normal number above the quantile `from`.
    fn normal(&mut self, from: f64) -> f64 {
        let u = from + (1.0 - from) * (self.uniform)();
        // The ends of the distribution are infinite.
        Normal::standard().inverse_cdf(u.clamp(1e-9, 1.0 - 1e-9))
    }

    /// The duration of a game.
    fn game(&mut self) -> f64 {
        (self.mu + self.sigma * self.normal(0.0)).exp()
    }

    /// The remaining duration of a game of this age.
    fn rest(&mut self, age: f64) -> f64 {
        let played = phi((age.max(1e-6).ln() - self.mu) / self.sigma);
        ((self.mu + self.sigma * self.normal(played)).exp() - age).max(0.0)
    }

    /// The time of this many games together.
    fn bulk(&mut self, games: f64) -> f64 {
        let variance = self.sigma * self.sigma;
        let mean = (self.mu + variance / 2.0).exp();
        (games * mean + games.sqrt() * mean * (variance.exp() - 1.0).sqrt() * self.normal(0.0)).max(0.0)
    }

    /// The time until `waiting` games more are over, and those of these ages too.
    fn all(&mut self, ages: &[f64], waiting: u64, jobs: usize) -> f64 {
        let mut free: Vec<f64> = ages.iter().map(|&age| self.rest(age)).collect();
        free.resize(jobs, 0.0);
        let single = waiting.min((jobs * GAMES_EACH) as u64);
        let before = self.bulk((waiting - single) as f64) / jobs as f64;
        free.iter_mut().for_each(|t| *t += before);
        for _ in 0..single {
            let game = self.game();
            let next = soonest(&free);
            free[next] += game;
        }
        free.into_iter().fold(0.0, f64::max)
    }

    /// The time until `over` games are over, those of these ages or later ones.
    fn until(&mut self, ages: &[f64], over: u64, jobs: usize) -> f64 {
        let mut free: Vec<f64> = ages.iter().map(|&age| self.rest(age)).collect();
        let idle = jobs - free.len();
        for _ in 0..idle {
            free.push(self.game());
        }
        let single = over.min((jobs * GAMES_EACH) as u64);
        let before = self.bulk((over - single) as f64) / jobs as f64;
        free.iter_mut().for_each(|t| *t += before);
        let mut end = before;
        for _ in 0..single {
            let game = self.game();
            let next = soonest(&free);
            end = free[next];
            free[next] += game;
        }
        end
    }
}

/// The worker that is free first.
fn soonest(free: &[f64]) -> usize {
    free.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i)
}

/// The time until what lies ahead is played on `jobs` workers, some of which have these games in play now.
/// `uniform` gives numbers in 0..1. `None` as long as nothing is known at all.
///
/// One worker has no others to wait for: without a test the middle is the mean duration times the games then, exactly.
pub fn time_left(
    durations: &Durations,
    playing: &[InPlay],
    ahead: Ahead<'_>,
    jobs: usize,
    uniform: &mut dyn FnMut() -> f64,
) -> Option<TimeLeft> {
    let ages: Vec<f64> = playing.iter().map(|game| game.age.as_secs_f64()).collect();
    let durations = &Durations {
        in_play: (ages.iter().sum(), playing.iter().map(|game| u64::from(game.plies)).sum()),
        ..*durations
    };
    let logs: Vec<f64> = ages.iter().map(|a| a.max(1e-6).ln()).collect();
    let jobs = jobs.max(ages.len()).max(1);
    let is_alone = jobs == 1 && durations.n > 0;
    let judge = if is_alone { Durations { plies_usual: None, ..*durations } } else { *durations };
    let beliefs = judge.fit(&logs)?;
    let mut ends: Vec<f64> = (0..FUTURES)
        .map(|_| {
            let mut at = uniform();
            let chosen = beliefs.iter().find(|b| {
                at -= b.weight;
                at < 0.0
            });
            let belief = chosen.or(beliefs.last()).copied()?;
            let mut future = Future { mu: belief.mu, sigma: belief.sigma, uniform: &mut *uniform };
            future.mu += belief.known.hypot(DRIFT) * future.normal(0.0);
            Some(match ahead {
                Ahead::Games(waiting) => future.all(&ages, waiting, jobs),
                Ahead::Test(walk, most) => {
                    let games = walk.play(future.uniform).0.ceil().max(1.0);
                    if games >= (most + ages.len() as u64) as f64 {
                        future.all(&ages, most, jobs)
                    } else {
                        future.until(&ages, games as u64, jobs)
                    }
                }
            })
        })
        .collect::<Option<_>>()?;
    ends.sort_by(f64::total_cmp);
    // Measured (see the tests), these ends hold the truth eight times in ten: the fit itself errs a little.
    let at = |share: f64| ends[(share * (FUTURES - 1) as f64) as usize];
    let scale = match (ahead, durations.mean()) {
        (Ahead::Games(waiting), Some(mean)) if is_alone => {
            let mean = mean.as_secs_f64();
            let exact = waiting as f64 * mean + ages.iter().map(|age| (mean - age).max(0.0)).sum::<f64>();
            if at(0.5) > 0.0 { exact / at(0.5) } else { 1.0 }
        }
        _ => 1.0,
    };
    let [low, middle, high] = [0.07, 0.5, 0.93].map(|share| Duration::from_secs_f64((at(share) * scale).min(1e12)));
    Some(TimeLeft { low, middle, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Uniform;

    /// The parameters of a simulated match.
    #[derive(Debug, Clone, Copy)]
    struct Simulation {
        jobs: usize,
        /// The spread of its games' durations.
        spread: f64,
        /// Games that are over when the question is asked.
        done: usize,
        /// The plies that are thought usual; they are 115.
        usual: Option<f64>,
    }

    /// By how much the mean number of plies differs from match to match (deviation of the logarithm): 86 to 154 in
    /// nine matches of ten around 115. Measured between engines: 105 to 125.
    const MATCHES: f64 = 0.18;
    /// The part of the spread that is not plies: moves of one game are slower than those of another.
    const PACE: f64 = 0.1;
    const RUNS: usize = 400;

    /// Plays schedules of 200 games; mean relative error of the total predicted, and how often the range held it.
    fn simulate(simulation: Simulation) -> (f64, f64) {
        let Simulation { jobs, spread, done, usual } = simulation;
        let mut random = Uniform(jobs as u64 * 1000 + done as u64 + (spread * 1e4) as u64);
        let (mut error, mut held) = (0.0, 0.0);
        let pace = PACE.min(spread);
        for _ in 0..RUNS {
            let mean = 115.0 * (MATCHES * random.normal()).exp();
            let of_plies = (spread * spread - pace * pace).max(0.0).sqrt();
            let games: Vec<(f64, f64)> = (0..200)
                .map(|_| {
                    let plies = mean * (of_plies * random.normal() - of_plies * of_plies / 2.0).exp();
                    (plies, plies * 0.05 * (pace * random.normal()).exp())
                })
                .collect();
            let mut free = vec![0.0; jobs];
            let spans: Vec<(f64, f64)> = games
                .iter()
                .map(|(_, seconds)| {
                    let next = soonest(&free);
                    let begin = free[next];
                    free[next] += seconds;
                    (begin, free[next])
                })
                .collect();
            let end = free.into_iter().fold(0.0, f64::max);
            let mut finished: Vec<f64> = spans.iter().map(|s| s.1).collect();
            finished.sort_by(f64::total_cmp);
            let now = finished[done - 1];
            let mut durations = usual.map_or(Durations::default(), Durations::of_usual);
            let (mut playing, mut waiting) = (Vec::new(), 0);
            for (&(begin, finish), (plies, _)) in spans.iter().zip(&games) {
                if finish <= now {
                    durations.add(Duration::from_secs_f64(finish - begin), *plies as u32);
                } else if begin <= now {
                    let age = now - begin;
                    let plies = (plies * age / (finish - begin)) as u32;
                    playing.push(InPlay { age: Duration::from_secs_f64(age), plies });
                } else {
                    waiting += 1;
                }
            }
            let left = time_left(&durations, &playing, Ahead::Games(waiting), jobs, &mut || random.next()).unwrap();
            error += ((now + left.middle.as_secs_f64()) / end - 1.0).abs() / RUNS as f64;
            let truth = Duration::from_secs_f64((end - now).max(0.0));
            held += f64::from(left.low <= truth && truth <= left.high) / RUNS as f64;
        }
        (error, held)
    }

    #[track_caller]
    fn check(simulation: Simulation, error_max: f64, held_min: f64) {
        let (error, held) = simulate(simulation);
        eprintln!("{simulation:?}: error {:.1} %, held {:.0} %", error * 100.0, held * 100.0);
        assert!(error <= error_max && held >= held_min, "{simulation:?}: error {error:.3}, held {held:.3}");
    }

    /// The promise: on 8 jobs the total is predicted to 15 % after 1, 4 and 8 of 200 games.
    #[test]
    fn eight_jobs_know_early_how_long_it_takes() {
        for spread in [0.15, 0.25, 0.4] {
            for done in [1, 4, 8] {
                check(Simulation { jobs: 8, spread, done, usual: Some(115.0) }, 0.15, 0.8);
            }
        }
        // Twice as wide as matches were seen to be; who knew spread and pace beforehand would err by 13 % after one game.
        for (done, error_max) in [(1, 0.165), (4, 0.15), (8, 0.15)] {
            check(Simulation { jobs: 8, spread: 0.6, done, usual: Some(115.0) }, error_max, 0.8);
        }
    }

    /// The estimates are as good as possible without knowing beforehand how long games are. After one game of eight (spread 0.4,
    /// known) no estimate can be better than 19 %: it is the least of eight, which scatters by 0.61 spreads.
    #[test]
    fn the_range_holds_the_truth_on_any_number_of_jobs() {
        for (jobs, spread, done, error_max) in [(1, 0.4, 8, 0.13), (2, 0.25, 4, 0.12), (4, 0.25, 8, 0.09)] {
            check(Simulation { jobs, spread, done, usual: None }, error_max, 0.8);
        }
        for (jobs, spread, done, error_max) in
            [(2, 0.4, 1, 0.18), (4, 0.25, 1, 0.14), (16, 0.25, 8, 0.1), (16, 0.4, 16, 0.1), (32, 0.15, 8, 0.1)]
        {
            check(Simulation { jobs, spread, done, usual: Some(115.0) }, error_max, 0.8);
        }
    }

    /// The whole table: 1 to 32 jobs, four spreads, five moments.
    #[test]
    fn all_jobs_and_spreads() {
        if !tesuji_testkit::needs::slow("simulates all numbers of jobs") {
            return;
        }
        for jobs in [1, 2, 4, 8, 16, 32] {
            for spread in [0.15, 0.25, 0.4, 0.6] {
                for (done, error_max) in [(1, 0.24), (4, 0.24), (8, 0.22), (16, 0.18), (40, 0.15)] {
                    // One worker judges by its games alone, and one game says little.
                    let alone = if jobs == 1 { 0.3 } else { 0.0 };
                    let held_min = if jobs == 1 && done == 1 { 0.7 } else { 0.79 };
                    check(Simulation { jobs, spread, done, usual: Some(115.0) }, error_max + alone, held_min);
                }
            }
        }
    }

    #[test]
    fn one_worker_is_exact() {
        let mut random = Uniform(5);
        let mut durations = Durations::of_usual(115.0);
        for (done, seconds) in [10, 14, 9, 11, 16].into_iter().enumerate() {
            durations.add(Duration::from_secs(seconds), 80);
            let mean = durations.mean().unwrap().as_secs_f64();
            let waiting = 199 - done as u64;
            let left = time_left(&durations, &[], Ahead::Games(waiting), 1, &mut || random.next()).unwrap();
            assert!((left.middle.as_secs_f64() / (mean * waiting as f64) - 1.0).abs() < 1e-6, "{left:?}");
            assert!(left.low < left.middle && left.middle < left.high);
        }
    }

    /// Under a test the games to come are not known: the range is that of its walk, and never beyond the schedule.
    #[test]
    fn a_test_ends_before_its_schedule() {
        let mut random = Uniform(9);
        let mut durations = Durations::default();
        (0..50).for_each(|i| durations.add(Duration::from_secs(8 + i % 5), 100));
        let sprt = crate::Sprt::new(0.0, 5.0);
        let ages = [InPlay { age: Duration::from_secs(3), plies: 30 }; 4];
        let mut left = |walk: Walk, most| {
            time_left(&durations, &ages, Ahead::Test(&walk, most), 4, &mut || random.next()).unwrap()
        };
        let walk = sprt.walk_from_start(0.0, 0.5);
        let long = left(walk, 1_000_000);
        let games = walk.length(&mut Uniform(1).closure());
        let expect = games.middle * 10.0 / 4.0;
        assert!((long.middle.as_secs_f64() / expect - 1.0).abs() < 0.15, "{long:?} {games:?}");
        assert!(long.low * 2 < long.high);
        let short = left(walk, 20);
        assert!((50.0..75.0).contains(&short.high.as_secs_f64()), "{short:?}");
        let over = left(sprt.walk_on(2.94, &crate::Pairs([2, 20, 60, 40, 4])), 1_000_000);
        assert!(over.low < Duration::from_secs(60), "{over:?}");
    }

    #[test]
    fn little_is_known_at_first() {
        let mut random = Uniform(1);
        let mut ask = |durations: &Durations, ages: &[u64], waiting| {
            let playing: Vec<InPlay> =
                ages.iter().map(|&s| InPlay { age: Duration::from_secs(s), plies: 9 * s as u32 }).collect();
            time_left(durations, &playing, Ahead::Games(waiting), 2, &mut || random.next())
        };
        assert_eq!(ask(&Durations::default(), &[], 5), None);
        assert!(ask(&Durations::default(), &[10, 10], 5).is_some());
        let mut one = Durations::default();
        one.add(Duration::from_secs(10), 90);
        assert_eq!((one.spread(), one.mean()), (None, Some(Duration::from_secs(10))));
        let left = ask(&one, &[], 0).unwrap();
        assert_eq!(left.high, Duration::ZERO);
        let left = ask(&one, &[], 1_000_000_000).unwrap();
        assert!(left.low > Duration::from_secs(1_000_000_000) && left.low < left.high);
        let left = ask(&one, &[1_000_000, 0], 3).unwrap();
        assert!(left.high >= left.low, "an age far beyond all games: {left:?}");
    }

    /// Limits of time tell something before any game is over, and nothing afterwards.
    #[test]
    fn limits_are_believed_until_a_game_is_over() {
        let mut random = Uniform(2);
        let mut ask = |durations: &Durations, ages: &[u64], waiting| {
            let playing: Vec<InPlay> =
                ages.iter().map(|&s| InPlay { age: Duration::from_secs(s), plies: 9 * s as u32 }).collect();
            time_left(durations, &playing, Ahead::Games(waiting), 2, &mut || random.next()).unwrap()
        };
        let expected = Durations::default().expect(Duration::from_secs(30));
        let left = ask(&expected, &[], 100);
        assert!((1300..1700).contains(&left.middle.as_secs()) && left.high > left.low * 2, "{left:?}");
        // Games that are older already than they were expected to become make it longer.
        assert!(ask(&expected, &[60, 60], 100).middle > left.middle.mul_f64(1.3));
        let (mut known, mut unknown) = (expected, Durations::default());
        for durations in [&mut known, &mut unknown] {
            (0..5).for_each(|i| durations.add(Duration::from_secs(8 + i), 100));
        }
        let [a, b] = [known, unknown].map(|d| ask(&d, &[], 100).middle.as_secs_f64());
        assert!((a / b - 1.0).abs() < 0.1, "{a} {b}");
    }

    #[test]
    fn the_spread_is_measured() {
        let mut durations = Durations::default();
        [1.0f64, 2.0, 4.0].into_iter().for_each(|s| durations.add(Duration::from_secs_f64(s), 10));
        assert!((durations.spread().unwrap() - 2f64.ln()).abs() < 1e-12);
    }
}
