//! Numbers that learn, and AdamW's step over them: plain loops, compiled for each instruction set, with the same bits on all.
#![allow(unsafe_code)]

use std::ops::Range;
use tesuji_nn::kernels::Isa;

/// The coefficients of an AdamW step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NnueStep {
    /// The learning rate.
    pub rate: f32,
    /// Weight decay for each unit of rate.
    pub decay: f32,
    /// Memory of the mean of gradients.
    pub beta1: f32,
    /// Memory of the mean of their squares.
    pub beta2: f32,
    /// `1 / (1 - beta^step)` of both: the means start from 0.
    pub correction: [f32; 2],
}

impl NnueStep {
    /// Step number `step`, from 1.
    pub(super) fn new(rate: f32, decay: f32, [beta1, beta2]: [f32; 2], step: u64) -> NnueStep {
        let correction = |beta: f32| (1.0 / (1.0 - f64::from(beta).powf(step as f64))) as f32;
        NnueStep { rate, decay, beta1, beta2, correction: [correction(beta1), correction(beta2)] }
    }
}

/// Keeps the root of the mean square away from 0.
const EPSILON: f32 = 1e-8;

/// Numbers with their gradient and what AdamW remembers of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Tensor {
    pub(super) values: Vec<f32>,
    pub(super) gradient: Vec<f32>,
    /// Means of gradients and of their squares.
    pub(super) moments: [Vec<f32>; 2],
    /// The values as integers of the network will have them, once rounding has begun.
    rounded: Vec<f32>,
    /// Numbers beyond ±this are brought back.
    bound: f32,
    /// 1.0 as an integer of the network; 0: never rounded.
    one: f32,
    /// Numbers before this place lose by decay; biases behind it do not.
    decayed: usize,
}

impl Tensor {
    /// `values` that stay within ±`bound`, and are `one` times as large in integers (0: never rounded).
    pub(super) fn new(values: Vec<f32>, bound: f32, one: i32) -> Tensor {
        let zeros = || vec![0.0; values.len()];
        let decayed = values.len();
        let one = one as f32;
        Tensor { gradient: zeros(), moments: [zeros(), zeros()], rounded: Vec::new(), values, bound, one, decayed }
    }

    /// Numbers that no decay makes smaller.
    pub(super) fn without_decay(mut self) -> Tensor {
        self.decayed = 0;
        self
    }

    /// The numbers that forward and backward passes read: the values, or the rounded ones in the last stage.
    pub(super) fn used(&self) -> &[f32] {
        if self.rounded.is_empty() { &self.values } else { &self.rounded }
    }

    /// [`Tensor::used`] beside the gradient, to be added to.
    pub(super) fn used_and_gradient(&mut self) -> (&[f32], &mut [f32]) {
        (if self.rounded.is_empty() { &self.values } else { &self.rounded }, &mut self.gradient)
    }

    /// Begins to use rounded numbers, or goes back; again after the values were changed from outside.
    pub(super) fn round(&mut self, is_rounded: bool) {
        self.rounded.clear();
        if is_rounded && self.one > 0.0 {
            self.rounded.extend(self.values.iter().map(|value| rounded_value(*value, self.one)));
        }
    }

    /// Moves the numbers of `range` by their gradient, which becomes 0.
    pub(super) fn step(&mut self, with: Isa, step: &NnueStep, range: Range<usize>) {
        let at = range.start;
        let rounded = if self.rounded.is_empty() { &mut [][..] } else { &mut self.rounded[range.clone()] };
        let [first, second] = &mut self.moments;
        let mut numbers = Numbers {
            values: &mut self.values[range.clone()],
            gradient: &mut self.gradient[range.clone()],
            first: &mut first[range.clone()],
            second: &mut second[range],
            bound: self.bound,
        };
        let step = NnueStep { decay: if at < self.decayed { step.decay } else { 0.0 }, ..*step };
        match with {
            // SAFETY: `Isa::best` looked whether the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 if with <= Isa::best() => unsafe { adamw_avx512(&mut numbers, &step) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 if with <= Isa::best() => unsafe { adamw_avx2(&mut numbers, &step) },
            _ => adamw(&mut numbers, &step),
        }
        for (to, value) in rounded.iter_mut().zip(numbers.values) {
            *to = rounded_value(*value, self.one);
        }
    }

    /// Moves all numbers.
    pub(super) fn step_all(&mut self, with: Isa, step: &NnueStep) {
        self.step(with, step, 0..self.values.len());
    }

    /// The sum of squares of the gradient.
    pub(super) fn gradient_square(&self) -> f64 {
        self.gradient.iter().map(|&slope| f64::from(slope) * f64::from(slope)).sum()
    }
}

fn rounded_value(value: f32, one: f32) -> f32 {
    (value * one).round_ties_even() / one
}

struct Numbers<'a> {
    values: &'a mut [f32],
    gradient: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    bound: f32,
}

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019).
#[inline(always)]
fn adamw(numbers: &mut Numbers, step: &NnueStep) {
    let NnueStep { rate, decay, beta1, beta2, correction } = *step;
    let bound = numbers.bound;
    let all = numbers.values.iter_mut().zip(&mut *numbers.gradient).zip(&mut *numbers.first).zip(&mut *numbers.second);
    for (((value, gradient), first), second) in all {
        // Cleared where it is in the cache, instead of in a pass of its own.
        let slope = std::mem::replace(gradient, 0.0);
        *first = beta1 * *first + (1.0 - beta1) * slope;
        *second = beta2 * *second + (1.0 - beta2) * (slope * slope);
        let pace = *first * correction[0] / ((*second * correction[1]).sqrt() + EPSILON);
        let moved = *value - rate * (pace + decay * *value);
        *value = if moved > bound {
            bound
        } else if moved < -bound {
            -bound
        } else {
            moved
        };
    }
}

/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn adamw_avx2(numbers: &mut Numbers, step: &NnueStep) {
    adamw(numbers, step);
}

/// # Safety
/// The processor has AVX-512F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn adamw_avx512(numbers: &mut Numbers, step: &NnueStep) {
    adamw(numbers, step);
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Random;

    #[test]
    fn all_instruction_sets_step_alike() {
        let mut random = Random::new(1);
        let mut numbers = |count: usize| (0..count).map(|_| random.normal() as f32).collect::<Vec<_>>();
        let mut tensor = Tensor::new(numbers(1003), 1.98, 64);
        tensor.round(true);
        let slopes: Vec<Vec<f32>> = (0..3).map(|_| numbers(1003)).collect();
        let mut outcomes = Vec::new();
        for with in [Isa::Scalar, Isa::Avx2, Isa::Avx512].into_iter().filter(|with| *with <= Isa::best()) {
            let mut tensor = tensor.clone();
            for (number, slopes) in slopes.iter().enumerate() {
                tensor.gradient.copy_from_slice(slopes);
                tensor.step_all(with, &NnueStep::new(0.01, 0.01, [0.9, 0.999], number as u64 + 1));
            }
            assert!(tensor.gradient.iter().all(|&slope| slope == 0.0));
            assert!(tensor.values.iter().all(|value| value.abs() <= 1.98));
            assert!(tensor.used().iter().all(|value| (value * 64.0).fract() == 0.0));
            outcomes.push((tensor.values.clone(), tensor.moments.clone()));
        }
        assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
    }

    /// The first step of Adam goes as far as the rate, against the gradient, whatever its length.
    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        let mut tensor = Tensor::new(vec![1.0, -1.0, 0.5], 1.98, 0);
        tensor.gradient = vec![3.0, -0.001, 0.0];
        tensor.step_all(Isa::Scalar, &NnueStep::new(0.1, 0.0, [0.9, 0.999], 1));
        for (found, expected) in tensor.values.iter().zip([0.9, -0.9, 0.5]) {
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
    }
}
