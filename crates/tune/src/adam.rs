//! Adam (D. Kingma and J. Ba, 2014): steps whose length does not depend on the size of the gradient.

/// How much of the mean gradient a step keeps.
const BETA1: f64 = 0.9;
/// How much of the mean squared gradient a step keeps.
const BETA2: f64 = 0.999;
/// Keeps steps finite where the gradient was always 0.
const EPSILON: f64 = 1e-12;

/// The memory of the optimiser.
pub(crate) struct Adam {
    mean: Vec<[f64; 2]>,
    square: Vec<[f64; 2]>,
    steps: i32,
}

impl Adam {
    /// An optimiser of so many pairs of weights that has seen nothing yet.
    pub fn new(features: usize) -> Adam {
        Adam { mean: vec![[0.0; 2]; features], square: vec![[0.0; 2]; features], steps: 0 }
    }

    /// Moves `weights` against `gradient`: weight `i` by about `rates[i]`, not at all where that is 0.
    pub fn step(&mut self, weights: &mut [[f32; 2]], gradient: &[[f64; 2]], rates: &[f64]) {
        self.steps += 1;
        let mean_part = 1.0 - BETA1.powi(self.steps);
        let square_part = 1.0 - BETA2.powi(self.steps);
        for (i, weight) in weights.iter_mut().enumerate() {
            for phase in 0..2 {
                let g = gradient[i][phase];
                let mean = &mut self.mean[i][phase];
                let square = &mut self.square[i][phase];
                *mean = BETA1 * *mean + (1.0 - BETA1) * g;
                *square = BETA2 * *square + (1.0 - BETA2) * g * g;
                let step = (*mean / mean_part) / ((*square / square_part).sqrt() + EPSILON);
                weight[phase] -= (rates[i] * step) as f32;
            }
        }
    }
}
