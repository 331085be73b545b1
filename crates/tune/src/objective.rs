//! The loss as a function of the free weights alone, in units in which all of them matter alike.

use crate::{
    TuneSettings,
    model::{gradient, mean_loss},
    pair::Pair,
    reach::Reach,
    set::Set,
};
use std::{cell::Cell, ops::Range};

/// A weight that is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Free {
    pub feature: usize,
    pub phase: usize,
}

/// The training loss with its pulls, as a function of `z`: free weight `i` is `start + z[i] * scale[i]`, so that a step
/// of 1 makes at most a pawn of difference in any row (min-max scaling).
pub(crate) struct Objective<'a> {
    pub settings: &'a TuneSettings,
    pub train: &'a Set,
    pub held: &'a Set,
    /// All weights at the start.
    pub start: &'a [Pair],
    pub k: f64,
    pub reach: &'a [Reach],
    pub free: Vec<Free>,
    /// Centipawns of a step of 1.
    pub scale: Vec<f64>,
    /// Least and greatest weight.
    pub bounds: Vec<[f64; 2]>,
    /// Rows that were passed over, in sets.
    pub passes: Cell<f64>,
    /// Strengths of the pulls towards the start and towards 0 (regularisation), relative to the mean loss.
    pulls: [f64; 2],
}

impl<'a> Objective<'a> {
    pub fn new(
        settings: &'a TuneSettings,
        [train, held]: [&'a Set; 2],
        start: &'a [Pair],
        k: f64,
        reach: &'a [Reach],
    ) -> Objective<'a> {
        let mut free = Vec::new();
        for (feature, reach) in reach.iter().enumerate() {
            let phases = (0..2).filter(|&phase| reach.phases[phase] > 0.0);
            if !settings.frozen.contains(&feature) {
                free.extend(phases.map(|phase| Free { feature, phase }));
            }
        }
        // Parameters are measured in pawns that a feature makes in all: one step fits rare and common features alike.
        let scale = free.iter().map(|f| 100.0 / f64::from(reach[f.feature].both)).collect();
        // Whole weights are stored in 16 bits.
        let widest = if settings.is_whole() { [-32_768.0, 32_767.0] } else { [f64::NEG_INFINITY, f64::INFINITY] };
        let bound = |f: &Free| settings.bounds.get(f.feature).copied().unwrap_or(widest);
        let bounds = free.iter().map(bound).collect();
        let pulls = [settings.pull_rows.unwrap_or(0.0), settings.l2_rows].map(|rows| rows / train.weight().max(1.0));
        Objective { settings, train, held, start, k, reach, free, scale, bounds, passes: Cell::new(0.0), pulls }
    }

    /// The weight that `z` means for free weight `i`, kept within its bounds.
    fn weight(&self, i: usize, z: f64) -> f64 {
        let Free { feature, phase } = self.free[i];
        let [low, high] = self.bounds[i];
        (f64::from(self.start[feature][phase]) + z * self.scale[i]).clamp(low, high)
    }

    /// All weights at `z`.
    pub fn weights(&self, z: &[f64]) -> Vec<Pair> {
        let mut weights = self.start.to_vec();
        for (i, f) in self.free.iter().enumerate() {
            weights[f.feature][f.phase] = self.weight(i, z[i]) as f32;
        }
        weights
    }

    /// The `z` of `weights`.
    pub fn places(&self, weights: &[Pair]) -> Vec<f64> {
        let place =
            |(f, scale): (&Free, &f64)| f64::from(weights[f.feature][f.phase] - self.start[f.feature][f.phase]) / scale;
        self.free.iter().zip(&self.scale).map(place).collect()
    }

    /// `z` moved to where all weights are within their bounds.
    pub fn clamp(&self, z: &mut [f64]) {
        for (i, z) in z.iter_mut().enumerate() {
            let Free { feature, phase } = self.free[i];
            *z = (self.weight(i, *z) - f64::from(self.start[feature][phase])) / self.scale[i];
        }
    }

    /// The penalty of the pulls for free weight `i` at the value `weight`, and its slope.
    pub fn pull(&self, i: usize, weight: f64) -> [f64; 2] {
        let Free { feature, phase } = self.free[i];
        let per_100_cp = (f64::from(self.reach[feature].both) / 100.0).powi(2);
        let [pull, l2] = self.pulls.map(|p| p * per_100_cp);
        let away = weight - f64::from(self.start[feature][phase]);
        [pull * away * away + l2 * weight * weight, 2.0 * (pull * away + l2 * weight)]
    }

    /// The penalty of the pulls at `weights`; its slopes are added to `slopes`.
    fn pulls(&self, weights: &[Pair], mut slopes: Option<&mut [[f64; 2]]>) -> f64 {
        if self.pulls == [0.0; 2] {
            return 0.0;
        }
        let mut sum = 0.0;
        for (i, f) in self.free.iter().enumerate() {
            let [value, slope] = self.pull(i, f64::from(weights[f.feature][f.phase]));
            sum += value;
            if let Some(slopes) = &mut slopes {
                slopes[f.feature][f.phase] += slope;
            }
        }
        sum
    }

    fn count_pass(&self, rows: usize) {
        self.passes.set(self.passes.get() + rows as f64 / self.train.len().max(1) as f64);
    }

    /// The mean training loss alone.
    pub fn train_loss(&self, weights: &[Pair]) -> f64 {
        self.count_pass(self.train.len());
        mean_loss(self.train, weights, self.k, self.settings.loss)
    }

    /// The mean validation loss.
    pub fn held_loss(&self, weights: &[Pair]) -> Option<f64> {
        (!self.held.is_empty()).then(|| mean_loss(self.held, weights, self.k, self.settings.loss))
    }

    /// The objective at `z`: the mean training loss plus the penalty of the pulls.
    pub fn value(&self, z: &[f64]) -> f64 {
        let weights = self.weights(z);
        self.train_loss(&weights) + self.pulls(&weights, None)
    }

    /// The mean loss of the rows `range` at `weights` and the slopes of what is minimised by each weight (not by `z`),
    /// overwritten. Returns the sum of the losses and that of the rows' weights.
    pub fn slopes(&self, range: Range<usize>, weights: &[Pair], slopes: &mut [[f64; 2]]) -> [f64; 2] {
        self.count_pass(range.len());
        let sums = gradient(self.train, range, weights, self.k, self.settings.loss, slopes);
        let mean = if sums.weight > 0.0 { 1.0 / sums.weight } else { 0.0 };
        slopes.iter_mut().flatten().for_each(|s| *s *= mean);
        self.pulls(weights, Some(slopes));
        [sums.loss, sums.weight]
    }

    /// The objective at `z` and the training loss alone; the gradient of the objective by `z` is written to `by_z`. Where a weight
    /// stands on a bound and wants to leave, the gradient is 0.
    pub fn value_gradient(&self, z: &[f64], by_z: &mut [f64]) -> [f64; 2] {
        let weights = self.weights(z);
        let mut slopes = vec![[0.0; 2]; weights.len()];
        let [loss, weight] = self.slopes(0..self.train.len(), &weights, &mut slopes);
        for (i, f) in self.free.iter().enumerate() {
            let slope = slopes[f.feature][f.phase];
            let (at, [low, high]) = (f64::from(weights[f.feature][f.phase]), self.bounds[i]);
            // On its bound and pushed beyond it a weight counts as fixed: its slope would only bend the step of the others.
            let held = (at <= low && slope > 0.0) || (at >= high && slope < 0.0);
            by_z[i] = if held { 0.0 } else { slope * self.scale[i] };
        }
        let train_loss = if weight > 0.0 { loss / weight } else { 0.0 };
        [train_loss + self.pulls(&weights, None), train_loss]
    }
}
