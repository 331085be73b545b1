//! Adam (D. Kingma and J. Ba, 2014): steps whose length does not depend on the size of the gradient, over batches of
//! rows.

use crate::{journal::Journal, objective::Objective, pair::Pair};
use tesuji_game::Random;

/// Decay rate of the mean gradient: the share of it that a step keeps (the paper's).
const BETA1: f64 = 0.9;
/// Decay rate of the mean squared gradient: the share of it that a step keeps (the paper's).
const BETA2: f64 = 0.999;
/// Keeps steps finite where the gradient was always 0.
const EPSILON: f64 = 1e-12;

/// Learns from `weights` on until the epochs are over or `journal` says stop.
pub(crate) fn minimise(objective: &Objective, mut weights: Vec<Pair>, journal: &mut Journal) {
    let mut walk = Walk::new(objective);
    for _ in 0..objective.settings.epochs {
        let train_loss = walk.epoch(objective, &mut weights);
        if journal.epoch(objective, &weights, train_loss).is_break() {
            break;
        }
    }
}

/// The optimiser on its way.
struct Walk {
    mean: Vec<f64>,
    square: Vec<f64>,
    random: Random,
    /// First rows of the batches, in the order of the next epoch.
    batches: Vec<usize>,
    batch: usize,
    steps: i32,
    steps_all: usize,
    slopes: Vec<[f64; 2]>,
}

impl Walk {
    fn new(objective: &Objective) -> Walk {
        let settings = objective.settings;
        let rows = objective.train.len();
        // Little data still gets some steps an epoch.
        let batch = settings.batch.min(rows.div_ceil(8)).max(1);
        let batches: Vec<usize> = (0..rows).step_by(batch).collect();
        Walk {
            mean: vec![0.0; objective.free.len()],
            square: vec![0.0; objective.free.len()],
            random: Random::new(settings.seed ^ 0x0BA7_C4E5),
            steps: 0,
            steps_all: batches.len() * settings.epochs.max(1) as usize,
            batches,
            batch,
            slopes: vec![[0.0; 2]; objective.start.len()],
        }
    }

    /// One pass over all rows. Returns the mean loss on the way.
    fn epoch(&mut self, objective: &Objective, weights: &mut [Pair]) -> f64 {
        // Batches, not rows: rows of a batch lie side by side in memory.
        self.random.shuffle(&mut self.batches);
        let (mut loss, mut weight) = (0.0, 0.0);
        for i in 0..self.batches.len() {
            let from = self.batches[i];
            let range = from..(from + self.batch).min(objective.train.len());
            let [batch_loss, batch_weight] = objective.slopes(range, weights, &mut self.slopes);
            loss += batch_loss;
            weight += batch_weight;
            self.step(objective, weights);
        }
        if weight > 0.0 { loss / weight } else { 0.0 }
    }

    /// Steps are measured in what a feature can make and get shorter along a cosine.
    fn step(&mut self, objective: &Objective, weights: &mut [Pair]) {
        let done = f64::from(self.steps) / self.steps_all as f64;
        // Down along half a cosine to 0 at the last step, so that the noise of single batches dies away.
        let rate = objective.settings.rate_cp * 0.5 * (1.0 + (std::f64::consts::PI * done).cos());
        self.steps += 1;
        // Running means begin at 0 and are too small at first: these shares correct that (Kingma and Ba, 2015).
        let mean_part = 1.0 - BETA1.powi(self.steps);
        let square_part = 1.0 - BETA2.powi(self.steps);
        for (i, free) in objective.free.iter().enumerate() {
            let slope = self.slopes[free.feature][free.phase];
            let (mean, square) = (&mut self.mean[i], &mut self.square[i]);
            *mean = BETA1 * *mean + (1.0 - BETA1) * slope;
            *square = BETA2 * *square + (1.0 - BETA2) * slope * slope;
            let step = (*mean / mean_part) / ((*square / square_part).sqrt() + EPSILON);
            // The rate is what a feature can add to a value at most: large counts take shorter steps.
            let rate = rate / f64::from(objective.reach[free.feature].both);
            let [low, high] = objective.bounds[i].map(|b| b as f32);
            let weight = &mut weights[free.feature][free.phase];
            *weight = (*weight - (rate * step) as f32).clamp(low, high);
        }
    }
}
