//! The course of learning: K first, then epochs of Adam, the best epoch by validation, rounding last.

use crate::{
    Canon, Settings,
    adam::Adam,
    model::{Pair, fit_k, gradient, mean_loss},
    set::Set,
};
use std::ops::ControlFlow;
use tesuji_dataset::Rows;
use tesuji_game::Random;
use tesuji_tally::Weights;
use thiserror::Error;

/// What learning tells after each epoch; epoch 0 is the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Passes done.
    pub epoch: u32,
    /// Passes planned at most.
    pub epochs: u32,
    /// Mean loss over the training rows during the pass (at its end for epoch 0).
    pub train_loss: f64,
    /// Mean loss over the validation rows; `None` where there are none.
    pub held_loss: Option<f64>,
    /// Whether this is the best so far.
    pub best: bool,
    /// Rows that were learned from in each pass.
    pub rows: usize,
}

impl Progress {
    /// What decides which epoch is best: the validation loss, or the training loss where there is no validation.
    pub fn decisive_loss(&self) -> f64 {
        self.held_loss.unwrap_or(self.train_loss)
    }
}

/// What learning found.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// The weights, rounded, with an empty origin: the caller knows it.
    pub weights: Weights,
    /// K of the finished weights.
    pub k: f64,
    /// K that the start weights were given.
    pub start_k: f64,
    /// Epochs as they were told, the start first.
    pub history: Vec<Progress>,
    /// The epoch that the weights come from.
    pub best_epoch: u32,
    /// Mean loss of the finished, rounded weights over the training rows.
    pub train_loss: f64,
    /// The same over the validation rows.
    pub held_loss: Option<f64>,
    /// Rows learned from and rows kept for validation.
    pub rows: [usize; 2],
    /// Whether the caller stopped it.
    pub stopped: bool,
}

/// Why nothing could be learned.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TuneError {
    /// Nothing to learn from.
    #[error("no rows to learn from: the games have no results, or the filter left nothing")]
    NoRows,
    /// Rows and weights belong to different evaluations.
    #[error("the rows count feature {found}, the weights have only {features}")]
    Features {
        /// The largest feature of the rows.
        found: usize,
        /// Features of the weights.
        features: usize,
    },
    /// The threads could not be started.
    #[error("cannot start {jobs} threads: {reason}")]
    Threads {
        /// How many were asked for.
        jobs: usize,
        /// What the system said.
        reason: String,
    },
}

/// Learns weights from `rows`, starting from `start`. `tell` hears of each epoch and may stop the work; the best weights
/// so far are the result then. The same rows, start, settings and seed give the same weights for any number of jobs.
///
/// # Errors
/// When there is nothing to learn from, or rows and weights do not belong together.
///
/// # Examples
/// ```
/// use std::ops::ControlFlow;
/// use tesuji_dataset::{Head, Rows};
/// use tesuji_tally::Weights;
/// use tesuji_tune::{Canon, Settings, learn};
///
/// // Who has feature 0 wins three games of four.
/// let mut rows = Rows::default();
/// for game in 0..400 {
///     let half_points = if game % 4 == 0 { 0 } else { 2 };
///     rows.push(Head { game, half_points, phase: 256, scale: 64, ..Head::default() }, &[(0, 1)]);
/// }
/// let settings = Settings { k: Some(150.0), ..Settings::default() };
/// let go_on = &mut |_: &_| ControlFlow::Continue(());
/// let trained = learn(&rows, &Weights::zero(1), &Canon::default(), &settings, go_on).unwrap();
/// assert!(trained.weights.values[0][0] > 100, "150 ln 3 = 165");
/// ```
pub fn learn(
    rows: &Rows,
    start: &Weights,
    canon: &Canon,
    settings: &Settings,
    tell: &mut (dyn FnMut(&Progress) -> ControlFlow<()> + Send),
) -> Result<Trained, TuneError> {
    let features = start.values.len();
    if rows.features_bound() > features {
        return Err(TuneError::Features { found: rows.features_bound() - 1, features });
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.jobs.max(1))
        .build()
        .map_err(|e| TuneError::Threads { jobs: settings.jobs, reason: e.to_string() })?;
    pool.install(|| {
        let (train, held) = Set::split(rows, settings);
        if train.is_empty() {
            return Err(TuneError::NoRows);
        }
        let start: Vec<Pair> = start.values.iter().map(|w| w.map(f32::from)).collect();
        Ok(Course::new(rows, train, held, start, settings).run(canon, tell))
    })
}

/// Everything that stays the same while learning, and the weights that do not.
struct Course<'a> {
    settings: &'a Settings,
    train: Set,
    held: Set,
    start: Vec<Pair>,
    weights: Vec<Pair>,
    /// Largest count of each feature in the training rows.
    ranges: Vec<u16>,
    k: f64,
}

impl<'a> Course<'a> {
    fn new(rows: &Rows, mut train: Set, mut held: Set, start: Vec<Pair>, settings: &'a Settings) -> Course<'a> {
        let k = settings.k.unwrap_or_else(|| fit_k(&train, &start, settings.loss).0);
        train.blend_scores(rows, settings.result_share, k);
        held.blend_scores(rows, settings.result_share, k);
        let ranges = train.ranges(start.len());
        Course { settings, train, held, weights: start.clone(), start, ranges, k }
    }

    fn run(mut self, canon: &Canon, tell: &mut (dyn FnMut(&Progress) -> ControlFlow<()> + Send)) -> Trained {
        let (mut history, mut stopped) = (Vec::new(), false);
        let mut best = (self.judge(0, self.loss(&self.train), true), self.weights.clone());
        history.push(best.0);
        stopped |= tell(&best.0).is_break();
        let mut walk = Walk::new(&self);
        for epoch in 1..=self.settings.epochs {
            if stopped || epoch > best.0.epoch + self.settings.patience {
                break;
            }
            let train_loss = walk.epoch(&mut self);
            let mut progress = self.judge(epoch, train_loss, false);
            progress.best = progress.decisive_loss() < best.0.decisive_loss();
            if progress.best {
                best = (progress, self.weights.clone());
            }
            tracing::info!(
                target: "tune",
                "epoch {epoch}: training {train_loss:.6}, validation {:.6}",
                progress.decisive_loss()
            );
            history.push(progress);
            stopped |= tell(&progress).is_break();
        }
        self.weights = best.1;
        self.finish(canon, history, best.0.epoch, stopped)
    }

    fn loss(&self, set: &Set) -> f64 {
        mean_loss(set, &self.weights, self.k, self.settings.loss)
    }

    fn held_loss(&self) -> Option<f64> {
        (!self.held.is_empty()).then(|| self.loss(&self.held))
    }

    fn judge(&self, epoch: u32, train_loss: f64, best: bool) -> Progress {
        let held_loss = self.held_loss();
        Progress { epoch, epochs: self.settings.epochs, train_loss, held_loss, best, rows: self.train.len() }
    }

    /// Makes the weights readable and whole.
    fn finish(mut self, canon: &Canon, history: Vec<Progress>, best_epoch: u32, stopped: bool) -> Trained {
        let start_k = self.k;
        if self.settings.frozen.is_empty() && best_epoch > 0 {
            let seen: Vec<bool> = self.ranges.iter().map(|&r| r > 0).collect();
            canon.centre(&mut self.weights, &seen);
            let factor = canon.factor(&self.weights);
            self.weights.iter_mut().flatten().for_each(|w| *w *= factor as f32);
            self.k *= factor;
        }
        self.weights.iter_mut().flatten().for_each(|w| *w = w.round());
        let mut weights = Weights::zero(self.weights.len());
        for (whole, real) in weights.values.iter_mut().zip(&self.weights) {
            *whole = real.map(|w| w as i16);
        }
        Trained {
            weights,
            k: self.k,
            start_k,
            best_epoch,
            train_loss: self.loss(&self.train),
            held_loss: self.held_loss(),
            rows: [self.train.len(), self.held.len()],
            history,
            stopped,
        }
    }
}

/// The optimiser on its way.
struct Walk {
    adam: Adam,
    random: Random,
    /// First rows of the batches, in the order of the next epoch.
    batches: Vec<usize>,
    batch: usize,
    steps: usize,
    steps_all: usize,
    pull: f64,
    gradient: Vec<[f64; 2]>,
    rates: Vec<f64>,
}

impl Walk {
    fn new(course: &Course) -> Walk {
        let settings = course.settings;
        let rows = course.train.len();
        // Little data still gets some steps an epoch.
        let batch = settings.batch.min(rows.div_ceil(8)).max(1);
        let batches: Vec<usize> = (0..rows).step_by(batch).collect();
        Walk {
            adam: Adam::new(course.start.len()),
            random: Random::new(settings.seed ^ 0x0BA7_C4E5),
            steps: 0,
            steps_all: batches.len() * settings.epochs.max(1) as usize,
            batches,
            batch,
            pull: settings.pull_rows / course.train.weight().max(1.0),
            gradient: vec![[0.0; 2]; course.start.len()],
            rates: vec![0.0; course.start.len()],
        }
    }

    /// One pass over all rows. Returns the mean loss on the way.
    fn epoch(&mut self, course: &mut Course) -> f64 {
        self.random.shuffle(&mut self.batches);
        let (mut loss, mut weight) = (0.0, 0.0);
        for i in 0..self.batches.len() {
            let from = self.batches[i];
            let range = from..(from + self.batch).min(course.train.len());
            let sums =
                gradient(&course.train, range, &course.weights, course.k, course.settings.loss, &mut self.gradient);
            loss += sums.loss;
            weight += sums.weight;
            self.add_pull(course, sums.weight);
            self.set_rates(course);
            self.adam.step(&mut course.weights, &self.gradient, &self.rates);
            self.steps += 1;
        }
        if weight > 0.0 { loss / weight } else { 0.0 }
    }

    /// Turns the sum into a mean and adds the pull towards the start, in pawns of what a feature can make.
    fn add_pull(&mut self, course: &Course, weight: f64) {
        let mean = if weight > 0.0 { 1.0 / weight } else { 0.0 };
        for (i, pair) in self.gradient.iter_mut().enumerate() {
            let range = f64::from(course.ranges[i]) / 100.0;
            for (phase, g) in pair.iter_mut().enumerate() {
                let away = f64::from(course.weights[i][phase] - course.start[i][phase]);
                *g = *g * mean + 2.0 * self.pull * range * range * away;
            }
        }
    }

    /// Steps are measured in what a feature can make and get shorter along a cosine; frozen and unseen features stay.
    fn set_rates(&mut self, course: &Course) {
        let done = self.steps as f64 / self.steps_all as f64;
        let rate = course.settings.rate_cp * 0.5 * (1.0 + (std::f64::consts::PI * done).cos());
        for (r, &range) in self.rates.iter_mut().zip(&course.ranges) {
            *r = if range > 0 { rate / f64::from(range) } else { 0.0 };
        }
        for &feature in &course.settings.frozen {
            if let Some(r) = self.rates.get_mut(feature) {
                *r = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loss;
    use tesuji_dataset::Head;

    const FEATURES: usize = 12;

    /// The weights that decide the games of [`games`].
    fn truth() -> Vec<[f32; 2]> {
        (0..FEATURES as i32).map(|i| [(60 - 20 * i) as f32, (i * i - 40) as f32]).collect()
    }

    /// Games that follow the logistic model exactly, K = 200; feature 11 is rare.
    fn games(count: u32, seed: u64) -> Rows {
        let (truth, mut rows) = (truth(), Rows::default());
        for game in 0..count {
            let mut random = Random::for_item(seed, u64::from(game));
            let mut counts: Vec<(u16, i16)> =
                (0..FEATURES as u16 - 1).map(|f| (f, random.below(5) as i16 - 2)).filter(|c| c.1 != 0).collect();
            if random.below(1000) == 0 {
                counts.push((11, 1));
            }
            let phase = random.below(257) as u16;
            let share = f32::from(phase) / 256.0;
            let pairs = counts.iter().map(|&(f, c)| (truth[f as usize], f32::from(c)));
            let value: f32 = pairs.map(|(w, c)| c * (w[0] * share + w[1] * (1.0 - share))).sum();
            let win = random.unit() < 1.0 / (1.0 + (-f64::from(value) / 200.0).exp());
            rows.push(Head { game, phase, scale: 64, half_points: 2 * win as u8, ..Head::default() }, &counts);
        }
        rows
    }

    fn settings() -> Settings {
        Settings { k: Some(200.0), lambda_plies: None, batch: 4096, ..Settings::default() }
    }

    fn train(rows: &Rows, settings: &Settings) -> Trained {
        let start = Weights::zero(FEATURES);
        learn(rows, &start, &Canon::default(), settings, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn known_weights_are_found_again() {
        for loss in [Loss::Squared, Loss::CrossEntropy] {
            let trained = train(&games(200_000, 1), &Settings { loss, ..settings() });
            for (f, (found, truth)) in trained.weights.values.iter().zip(truth()).enumerate().take(FEATURES - 1) {
                for phase in 0..2 {
                    let off = (f32::from(found[phase]) - truth[phase]).abs();
                    assert!(off < 7.0, "{loss}: feature {f}: {found:?} for {truth:?}");
                }
            }
        }
    }

    #[test]
    fn the_loss_falls_and_the_best_epoch_counts() {
        let trained = train(&games(20_000, 2), &settings());
        let first = trained.history[0].held_loss.unwrap();
        assert!((first - 0.25).abs() < 1e-6, "nothing known: {first}");
        assert!(trained.held_loss.unwrap() < 0.9 * first);
        let least = trained.history.iter().map(|p| p.decisive_loss()).fold(f64::MAX, f64::min);
        assert_eq!(trained.history[trained.best_epoch as usize].decisive_loss(), least);
    }

    #[test]
    fn the_number_of_jobs_changes_nothing() {
        let rows = games(20_000, 3);
        let run = |jobs| train(&rows, &Settings { jobs, epochs: 5, ..settings() });
        let one = run(1);
        assert_eq!(one, run(3));
        assert_eq!(one, run(4));
        let other = train(&rows, &Settings { seed: 9, epochs: 5, ..settings() });
        assert_ne!(one.history, other.history);
    }

    #[test]
    fn k_is_fitted_to_the_start() {
        let rows = games(50_000, 4);
        let mut start = Weights::zero(FEATURES);
        for (whole, real) in start.values.iter_mut().zip(truth()) {
            *whole = real.map(|w| w as i16);
        }
        let settings = Settings { k: None, epochs: 0, ..settings() };
        let trained = learn(&rows, &start, &Canon::default(), &settings, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!((trained.k - 200.0).abs() < 6.0, "{}", trained.k);
        assert_eq!(trained.weights, start, "no epochs, no change");
    }

    #[test]
    fn what_few_boards_know_stays_near_its_start() {
        let rows = games(20_000, 5);
        let free = train(&rows, &Settings { pull_rows: 0.0, ..settings() });
        let pulled = train(&rows, &Settings { pull_rows: 0.5, ..settings() });
        let size = |t: &Trained| t.weights.values[11].iter().map(|w| w.abs()).max();
        assert!(size(&pulled) < size(&free), "{:?} {:?}", size(&pulled), size(&free));
        assert!(pulled.weights.values[0][0] > 30, "what many boards know is learned: {:?}", pulled.weights.values[0]);
    }

    #[test]
    fn frozen_weights_stay_and_a_stop_keeps_the_best() {
        let rows = games(5_000, 6);
        let frozen = train(&rows, &Settings { frozen: vec![0, 3], ..settings() });
        assert_eq!((frozen.weights.values[0], frozen.weights.values[3]), ([0; 2], [0; 2]));
        assert_ne!(frozen.weights.values[1], [0; 2]);
        let mut stop = |p: &Progress| if p.epoch == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let stopped = learn(&rows, &Weights::zero(FEATURES), &Canon::default(), &settings(), &mut stop).unwrap();
        assert!(stopped.stopped);
        assert_eq!(stopped.history.len(), 3);
    }

    #[test]
    fn scores_can_stand_in_for_results() {
        let mut rows = Rows::default();
        for game in 0..2000 {
            let head = Head { game, half_points: 1, score: Some(100), phase: 256, scale: 64, ..Head::default() };
            rows.push(head, &[(0, 1)]);
        }
        let trained = train(&rows, &Settings { result_share: 0.0, ..settings() });
        assert!((90..=110).contains(&trained.weights.values[0][0]), "{:?}", trained.weights.values[0]);
        let trained = train(&rows, &Settings { result_share: 1.0, ..settings() });
        assert_eq!(trained.weights.values[0], [0; 2]);
    }

    #[test]
    fn bad_input_is_named() {
        let start = Weights::zero(2);
        let go_on = &mut |_: &Progress| ControlFlow::Continue(());
        let empty = learn(&Rows::default(), &start, &Canon::default(), &settings(), go_on);
        assert_eq!(empty.unwrap_err(), TuneError::NoRows);
        let mut rows = Rows::default();
        rows.push(Head::default(), &[(5, 1)]);
        let wrong = learn(&rows, &start, &Canon::default(), &settings(), go_on);
        assert_eq!(wrong.unwrap_err(), TuneError::Features { found: 5, features: 2 });
    }
}
