//! CMA-ES (N. Hansen and A. Ostermeier, 2001) in the short form of H.-G. Beyer and B. Sendhoff (MA-ES, 2017), which
//! learns the square root of the covariance: a search that needs no gradient and is not caught by every hollow.

use crate::{journal::Journal, objective::Objective};
use tesuji_game::Random;

/// The width, in centipawns of what a feature can make, below which nothing is found any more.
const WIDTH_CP_MIN: f64 = 0.02;

/// The numbers that follow from how many weights there are.
struct Rates {
    samples: usize,
    /// Recombination weights of the better half of the samples, the best first.
    shares: Vec<f64>,
    /// 1 / Σ shares².
    mass: f64,
    path: f64,
    one: f64,
    many: f64,
    damping: f64,
    /// The expected length of a normal vector.
    length: f64,
}

impl Rates {
    fn new(n: usize) -> Rates {
        let dim = n as f64;
        // Population, recombination and learning rates as N. Hansen gives them ("The CMA Evolution Strategy: A Tutorial", 2016).
        let samples = 4 + (3.0 * dim.ln()).floor() as usize;
        let parents = samples / 2;
        let logs: Vec<f64> = (1..=parents).map(|i| (parents as f64 + 0.5).ln() - (i as f64).ln()).collect();
        let sum: f64 = logs.iter().sum();
        let shares: Vec<f64> = logs.iter().map(|l| l / sum).collect();
        let mass = 1.0 / shares.iter().map(|s| s * s).sum::<f64>();
        let path = (mass + 2.0) / (dim + mass + 5.0);
        let one = 2.0 / ((dim + 1.3).powi(2) + mass);
        let many = (2.0 * (mass - 2.0 + 1.0 / mass) / ((dim + 2.0).powi(2) + mass)).min(1.0 - one);
        let damping = 1.0 + path + 2.0 * (((mass - 1.0) / (dim + 1.0)).sqrt() - 1.0).max(0.0);
        // The mean length of a normally distributed vector, to its second order.
        let length = dim.sqrt() * (1.0 - 1.0 / (4.0 * dim) + 1.0 / (21.0 * dim * dim));
        Rates { samples, shares, mass, path, one, many, damping, length }
    }
}

/// A place that was tried.
struct Sample {
    normal: Vec<f64>,
    step: Vec<f64>,
    value: f64,
}

/// The shape from which samples are drawn.
struct Shape {
    rates: Rates,
    /// Row by row: a normal vector times this is a step.
    matrix: Vec<Vec<f64>>,
    path: Vec<f64>,
    width: f64,
}

/// Learns from `mean` on, telling `journal`.
pub(crate) fn learn(objective: &Objective, mut mean: Vec<f64>, journal: &mut Journal, seed: u64) {
    let n = mean.len();
    let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect();
    let mut shape = Shape {
        rates: Rates::new(n),
        matrix: (0..n).map(unit).collect(),
        path: vec![0.0; n],
        // Places are in pawns, the rate is in centipawns.
        width: 2.0 * objective.settings.rate_cp / 100.0,
    };
    let mut random = Random::new(seed);
    objective.clamp(&mut mean);
    for _ in 0..objective.settings.epochs {
        let mut samples: Vec<Sample> =
            (0..shape.rates.samples).map(|_| shape.sample(objective, &mean, &mut random)).collect();
        // Only the order of samples counts, so that any scaling of the loss gives the same steps.
        samples.sort_by(|a, b| a.value.total_cmp(&b.value));
        for (share, sample) in shape.rates.shares.iter().zip(&samples) {
            for (mean, step) in mean.iter_mut().zip(&sample.step) {
                *mean += shape.width * share * step;
            }
        }
        objective.clamp(&mut mean);
        shape.learn(&samples);
        let weights = objective.weights(&mean);
        let train_loss = objective.train_loss(&weights);
        if journal.epoch(objective, &weights, train_loss).is_break() || shape.width * 100.0 < WIDTH_CP_MIN {
            break;
        }
    }
}

impl Shape {
    fn sample(&self, objective: &Objective, mean: &[f64], random: &mut Random) -> Sample {
        let normal: Vec<f64> = mean.iter().map(|_| random.normal()).collect();
        let step: Vec<f64> = self.matrix.iter().map(|row| row.iter().zip(&normal).map(|(m, x)| m * x).sum()).collect();
        let z: Vec<f64> = mean.iter().zip(&step).map(|(mean, step)| mean + self.width * step).collect();
        // Beyond a bound nothing changes any more, so that samples there must cost something: a pawn twice the loss.
        let mut within = z.clone();
        objective.clamp(&mut within);
        let beyond: f64 = z.iter().zip(&within).map(|(z, w)| (z - w) * (z - w)).sum();
        let value = objective.value(&within) * (1.0 + beyond);
        Sample { normal, step, value }
    }

    /// Bends the shape towards what was better, and widens or narrows it.
    fn learn(&mut self, samples: &[Sample]) {
        let Rates { shares, mass, path, one, many, damping, length, .. } = &self.rates;
        // Keeps the path's variance at 1 if selection were random.
        let keep = (mass * path * (2.0 - path)).sqrt();
        for (i, p) in self.path.iter_mut().enumerate() {
            let mean: f64 = shares.iter().zip(samples).map(|(s, x)| s * x.normal[i]).sum();
            *p = (1.0 - path) * *p + keep * mean;
        }
        // M (1 + c1/2 (p pᵀ - 1) + cw/2 (Σ w x xᵀ - 1)), where M x is the step of x.
        let along: Vec<f64> =
            self.matrix.iter().map(|row| row.iter().zip(&self.path).map(|(m, p)| m * p).sum()).collect();
        for (i, row) in self.matrix.iter_mut().enumerate() {
            for (j, m) in row.iter_mut().enumerate() {
                let spread: f64 = shares.iter().zip(samples).map(|(s, x)| s * x.step[i] * x.normal[j]).sum();
                *m += 0.5 * one * (along[i] * self.path[j] - *m) + 0.5 * many * (spread - *m);
            }
        }
        let norm = self.path.iter().map(|p| p * p).sum::<f64>().sqrt();
        // A path longer than chance makes it means steps in one direction: wider; a shorter one means steps to and fro.
        self.width *= ((path / damping) * (norm / length - 1.0)).exp();
    }
}
