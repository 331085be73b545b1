//! From gradients to steps: momentum, AdamW, how fast over time, how far at most, and the average along the way.

use crate::parameters::{ParameterKind, Parameters};
use serde::{Deserialize, Serialize};

/// The update rule of an optimiser.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Stochastic gradient descent with Nesterov's momentum; the decay is added to the gradient.
    Sgd {
        /// The share of the last step that is kept.
        momentum: f32,
    },
    /// Adam with decoupled weight decay (Loshchilov and Hutter, 2019, <https://arxiv.org/abs/1711.05101>).
    AdamW {
        /// Memory of the mean.
        beta1: f32,
        /// Memory of the square.
        beta2: f32,
    },
}

/// The schedule of the learning rate over the steps of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Constant after the warm-up.
    Constant,
    /// Down along a cosine to `last` times the rate at the end.
    Cosine {
        /// The share of the rate at the last step.
        last: f32,
    },
    /// Times `factor` at each of these shares of the run, in 0..=1.
    Steps {
        /// Where.
        at: Vec<f32>,
        /// By how much.
        factor: f32,
    },
}

/// Settings of the optimiser.
///
/// # Examples
///
/// ```
/// use tesuji_train::optimiser::{OptimiserSettings, Schedule};
/// let settings =
///     OptimiserSettings { rate: 0.1, warm_up: 10, schedule: Schedule::Cosine { last: 0.01 }, ..Default::default() };
/// // A tenth of the rate at the first step of ten to warm up, and a hundredth at the end.
/// assert!((settings.rate_at(0, 1000) - 0.01).abs() < 1e-6);
/// assert!((settings.rate_at(1000, 1000) - 0.001).abs() < 1e-6);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimiserSettings {
    /// The update rule.
    pub rule: Rule,
    /// The largest learning rate.
    pub rate: f32,
    /// The schedule of the learning rate.
    pub schedule: Schedule,
    /// Warm-up: steps over which the rate rises from 0.
    pub warm_up: u64,
    /// Weight decay for each unit of rate; biases and norms have none.
    pub decay: f32,
    /// Gradient clipping: the largest norm of a gradient, to which longer ones are scaled down. 0: no limit.
    pub clip: f32,
    /// The share that the average of the parameters keeps at each step; 0: no average.
    pub average: f32,
    /// Momentum of batch norm: the share of each batch in the running means and variances.
    pub norm_momentum: f32,
}

impl Default for OptimiserSettings {
    fn default() -> Self {
        OptimiserSettings {
            rule: Rule::Sgd { momentum: 0.9 },
            rate: 0.1,
            schedule: Schedule::Cosine { last: 0.01 },
            warm_up: 200,
            decay: 1e-4,
            clip: 5.0,
            average: 0.999,
            norm_momentum: 0.05,
        }
    }
}

impl OptimiserSettings {
    /// The rate of step `step` of `steps`.
    pub fn rate_at(&self, step: u64, steps: u64) -> f32 {
        let share = step as f32 / steps.max(1) as f32;
        let factor = match &self.schedule {
            Schedule::Constant => 1.0,
            Schedule::Cosine { last } => {
                last + (1.0 - last) * 0.5 * (1.0 + (std::f32::consts::PI * share.min(1.0)).cos())
            }
            Schedule::Steps { at, factor } => factor.powi(at.iter().filter(|&&at| share >= at).count() as i32),
        };
        let rise = if step < self.warm_up { (step + 1) as f32 / self.warm_up as f32 } else { 1.0 };
        self.rate * factor * rise
    }
}

/// The numbers of a step for one tensor.
struct Pace {
    /// The learning rate.
    rate: f32,
    /// The weight decay.
    decay: f32,
    /// The factor that clips the gradient.
    shorten: f32,
}

/// The state of an optimiser; all of it goes into checkpoints.
///
/// # Examples
///
/// ```
/// use tesuji_nn::{Architecture, Weights};
/// use tesuji_train::{
///     optimiser::{Optimiser, OptimiserSettings, Rule, Schedule},
///     parameters::Parameters,
/// };
/// let architecture = Architecture::for_any_size("go-1", 1, 3, 1, 16);
/// let layout = Parameters::new(&architecture);
/// let mut row = layout.row(&Weights::random(architecture, 1));
/// let settings = OptimiserSettings {
///     rule: Rule::Sgd { momentum: 0.0 },
///     rate: 0.1,
///     schedule: Schedule::Constant,
///     warm_up: 0,
///     clip: 0.0,
///     average: 0.0,
///     decay: 0.0,
///     norm_momentum: 0.0,
/// };
/// let mut optimiser = Optimiser::new(&settings, &row);
/// let bias = layout.range("value.output.bias").start;
/// let (mut gradient, before) = (vec![0.0; row.len()], row[bias]);
/// gradient[bias] = 3.0;
/// // Downhill by the rate times the slope; the length of the gradient comes back.
/// assert_eq!(optimiser.step(&settings, &layout, 100, &gradient, &mut row), 3.0);
/// assert!((row[bias] - (before - 0.3)).abs() < 1e-6);
/// assert_eq!(optimiser.best(&row), &row[..]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Optimiser {
    /// Steps taken.
    pub step: u64,
    /// The last step, or the mean of gradients.
    pub first: Vec<f32>,
    /// The mean of squares; empty for SGD.
    pub second: Vec<f32>,
    /// The average of the parameters; empty without.
    pub average: Vec<f32>,
}

impl Optimiser {
    /// The beginning of a run from `parameters`.
    pub fn new(settings: &OptimiserSettings, parameters: &[f32]) -> Optimiser {
        let zeros = || vec![0.0; parameters.len()];
        Optimiser {
            step: 0,
            first: zeros(),
            second: if matches!(settings.rule, Rule::AdamW { .. }) { zeros() } else { Vec::new() },
            average: if settings.average > 0.0 { parameters.to_vec() } else { Vec::new() },
        }
    }

    /// One step of `steps`. `gradient` holds the batch's figures in the places of running means and variances. Returns the
    /// length of the gradient before it was clipped.
    pub fn step(
        &mut self,
        settings: &OptimiserSettings,
        layout: &Parameters,
        steps: u64,
        gradient: &[f32],
        parameters: &mut [f32],
    ) -> f32 {
        let learned = || layout.kinds().iter().filter(|(_, kind)| *kind != ParameterKind::Running);
        let square: f64 =
            learned().flat_map(|(range, _)| &gradient[range.clone()]).map(|&g| f64::from(g) * f64::from(g)).sum();
        let length = square.sqrt() as f32;
        let shorten = if settings.clip > 0.0 && length > settings.clip { settings.clip / length } else { 1.0 };
        let rate = settings.rate_at(self.step, steps);
        self.step += 1;
        for (range, kind) in layout.kinds() {
            if *kind == ParameterKind::Running {
                for (kept, batch) in parameters[range.clone()].iter_mut().zip(&gradient[range.clone()]) {
                    *kept += settings.norm_momentum * (batch - *kept);
                }
                continue;
            }
            let decay = if *kind == ParameterKind::Weight { settings.decay } else { 0.0 };
            self.move_range(settings.rule, range.clone(), Pace { rate, decay, shorten }, gradient, parameters);
        }
        self.follow(settings.average, parameters);
        length
    }

    /// Moves the numbers of one tensor.
    fn move_range(
        &mut self,
        rule: Rule,
        range: std::ops::Range<usize>,
        Pace { rate, decay, shorten }: Pace,
        gradient: &[f32],
        parameters: &mut [f32],
    ) {
        let numbers = parameters[range.clone()].iter_mut().zip(&gradient[range.clone()]);
        match rule {
            Rule::Sgd { momentum } => {
                for ((number, &slope), last) in numbers.zip(&mut self.first[range]) {
                    let slope = slope * shorten + decay * *number;
                    *last = momentum * *last + slope;
                    *number -= rate * (slope + momentum * *last);
                }
            }
            Rule::AdamW { beta1, beta2 } => {
                // The means begin at zero; these make up for it.
                let after = |beta: f32| 1.0 - f64::from(beta).powf(self.step as f64);
                let (first_share, second_share) = (after(beta1) as f32, after(beta2) as f32);
                let memory = self.first[range.clone()].iter_mut().zip(&mut self.second[range]);
                for ((number, &slope), (mean, square)) in numbers.zip(memory) {
                    let slope = slope * shorten;
                    *mean = beta1 * *mean + (1.0 - beta1) * slope;
                    *square = beta2 * *square + (1.0 - beta2) * slope * slope;
                    let step = (*mean / first_share) / ((*square / second_share).sqrt() + 1e-8);
                    *number -= rate * (step + decay * *number);
                }
            }
        }
    }

    /// The average takes its share of the new parameters: an even one of all steps until that is smaller.
    fn follow(&mut self, keep: f32, parameters: &[f32]) {
        let keep = keep.min(self.step as f32 / (self.step as f32 + 10.0));
        for (average, &number) in self.average.iter_mut().zip(parameters) {
            *average += (1.0 - keep) * (number - *average);
        }
    }

    /// The parameters that a net should play with: the average, where there is one.
    pub fn best<'a>(&'a self, parameters: &'a [f32]) -> &'a [f32] {
        if self.average.is_empty() { parameters } else { &self.average }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_nn::Architecture;

    /// A net's row with a valley around `goal`: the gradient is the distance.
    fn distance_after(settings: &OptimiserSettings, steps: u64) -> (f32, f32) {
        let layout = Parameters::new(&Architecture::for_any_size("test-1", 1, 3, 0, 2));
        let goal = |at: usize| {
            if layout.kinds().iter().any(|(r, k)| r.contains(&at) && *k == ParameterKind::Running) { 3.0 } else { 0.5 }
        };
        let mut row = vec![0.0; layout.len()];
        let mut optimiser = Optimiser::new(settings, &row);
        for _ in 0..steps {
            let running =
                |at: usize| layout.kinds().iter().any(|(r, k)| r.contains(&at) && *k == ParameterKind::Running);
            let gradient: Vec<f32> =
                row.iter().enumerate().map(|(at, x)| if running(at) { goal(at) } else { x - goal(at) }).collect();
            optimiser.step(settings, &layout, steps, &gradient, &mut row);
        }
        let far = |row: &[f32]| row.iter().enumerate().map(|(at, x)| (x - goal(at)).abs()).fold(0.0, f32::max);
        (far(&row), far(optimiser.best(&row)))
    }

    #[test]
    fn every_rule_finds_the_valley() {
        let base = OptimiserSettings { decay: 0.0, warm_up: 10, average: 0.9, ..OptimiserSettings::default() };
        let adam = Rule::AdamW { beta1: 0.9, beta2: 0.99 };
        for rule in [Rule::Sgd { momentum: 0.9 }, Rule::Sgd { momentum: 0.0 }, adam] {
            let (last, average) = distance_after(&OptimiserSettings { rule, rate: 0.05, ..base.clone() }, 600);
            assert!(last < 0.01 && average < 0.01, "{rule:?}: {last}, {average}");
        }
        let (far, _) = distance_after(&OptimiserSettings { decay: 1.0, rate: 0.05, ..base }, 600);
        assert!((far - 0.25).abs() < 0.01, "decay of the gradient's size leaves half: {far}");
    }

    #[test]
    fn rates_rise_and_fall() {
        let with = |schedule| OptimiserSettings { rate: 1.0, warm_up: 4, schedule, ..OptimiserSettings::default() };
        let cosine = with(Schedule::Cosine { last: 0.1 });
        assert_eq!(cosine.rate_at(0, 100), 0.25);
        assert!((cosine.rate_at(50, 100) - 0.55).abs() < 1e-6 && (cosine.rate_at(100, 100) - 0.1).abs() < 1e-6);
        let steps = with(Schedule::Steps { at: vec![0.5, 0.75], factor: 0.1 });
        let at = |step| steps.rate_at(step, 100);
        assert!(at(49) == 1.0 && (at(50) - 0.1).abs() < 1e-6 && (at(80) - 0.01).abs() < 1e-6);
        assert_eq!(with(Schedule::Constant).rate_at(99, 100), 1.0);
    }

    #[test]
    fn a_long_gradient_is_shortened() {
        let layout = Parameters::new(&Architecture::for_any_size("test-1", 1, 3, 0, 2));
        let rule = Rule::Sgd { momentum: 0.0 };
        let schedule = Schedule::Constant;
        let settings =
            OptimiserSettings { rule, schedule, rate: 1.0, clip: 1.0, decay: 0.0, warm_up: 0, ..Default::default() };
        let mut row = vec![0.0; layout.len()];
        let mut optimiser = Optimiser::new(&settings, &row);
        let length = optimiser.step(&settings, &layout, 1, &vec![100.0; layout.len()], &mut row);
        let learned = layout.kinds().iter().filter(|(_, kind)| *kind != ParameterKind::Running);
        let moved: f32 = learned.flat_map(|(range, _)| &row[range.clone()]).map(|x| x * x).sum();
        assert!(length > 100.0 && (moved - 1.0).abs() < 1e-4, "{length}, {moved}");
    }
}
