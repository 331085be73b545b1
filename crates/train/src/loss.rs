//! The loss of a net on a batch, and the gradients by its outputs.

use crate::net::Raw;
use crate::sample::Sample;
use tesuji_nn::{Architecture, Squash};

/// Weights of the parts of the loss, and the loss function of the value.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct LossSettings {
    /// The policy's cross-entropy.
    pub policy: f32,
    /// The value.
    pub value: f32,
    /// The mean over the points of the squared error of ownership.
    pub ownership: f32,
    /// The score: Huber's loss of the error in units of [`SCORE_UNIT`] points.
    pub score: f32,
    /// Cross-entropy of the chance of winning, instead of the squared error of the value.
    pub value_entropy: bool,
}

impl Default for LossSettings {
    fn default() -> Self {
        LossSettings { policy: 1.0, value: 1.0, ownership: 0.5, score: 0.1, value_entropy: false }
    }
}

/// Points of score that count as one.
pub const SCORE_UNIT: f32 = 20.0;

/// Sums over positions, which become means by [`Figures::of`].
///
/// # Examples
///
/// ```
/// use tesuji_train::loss::Figures;
/// let mut sums = Figures { values: 4.0, value: 2.0, ..Figures::default() };
/// sums.add(&Figures { values: 1.0, value: 0.5, ..Figures::default() });
/// assert_eq!(Figures::of(sums.value, sums.values), Some(0.5));
/// assert_eq!(Figures::of(sums.score, sums.scores), None);
/// assert_eq!(Figures::from_numbers(sums.numbers()), sums);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// Positions with a policy.
    pub policies: f64,
    /// Cross-entropy of the policy, summed.
    pub policy: f64,
    /// Top-1 accuracy: the net's first choice is the best of the target.
    pub top1: f64,
    /// Top-5 accuracy: the best of the target is among the net's first five choices.
    pub top5: f64,
    /// Weights of positions with a value.
    pub values: f64,
    /// Squared error of the value, summed.
    pub value: f64,
    /// Values on the right side of 0.
    pub signs: f64,
    /// Positions with ownership.
    pub ownerships: f64,
    /// Mean squared error of ownership, summed.
    pub ownership: f64,
    /// Positions with a score.
    pub scores: f64,
    /// Absolute error of the score in points, summed.
    pub score: f64,
    /// The whole loss as it was minimised, summed over the positions.
    pub total: f64,
    /// Positions.
    pub positions: f64,
}

impl Figures {
    /// The number of figures.
    pub const COUNT: usize = 13;

    /// All of them, in the order of the fields.
    pub fn numbers(&self) -> [f64; Figures::COUNT] {
        let Figures { policies, policy, top1, top5, values, value, signs, ownerships, ownership, .. } = *self;
        let Figures { scores, score, total, positions, .. } = *self;
        [policies, policy, top1, top5, values, value, signs, ownerships, ownership, scores, score, total, positions]
    }

    /// The reverse of [`Figures::numbers`].
    pub fn from_numbers(numbers: [f64; Figures::COUNT]) -> Figures {
        let [
            policies,
            policy,
            top1,
            top5,
            values,
            value,
            signs,
            ownerships,
            ownership,
            scores,
            score,
            total,
            positions,
        ] = numbers;
        Figures {
            policies,
            policy,
            top1,
            top5,
            values,
            value,
            signs,
            ownerships,
            ownership,
            scores,
            score,
            total,
            positions,
        }
    }

    /// Adds the figures of more positions.
    pub fn add(&mut self, other: &Figures) {
        let (here, there) = (self.numbers(), other.numbers());
        *self = Figures::from_numbers(std::array::from_fn(|at| here[at] + there[at]));
    }

    /// `sum / count`, or nothing where nothing was counted.
    pub fn of(sum: f64, count: f64) -> Option<f64> {
        (count > 0.0).then(|| sum / count)
    }
}

/// The value that a raw number stands for, in -1..=1.
///
/// # Examples
/// ```
/// use tesuji_nn::Squash;
/// use tesuji_train::loss::squashed;
/// assert_eq!(squashed(Squash::Tanh, 0.0), 0.0);
/// assert!(squashed(Squash::Sigmoid, 8.0) > 0.99);
/// ```
pub fn squashed(squash: Squash, raw: f32) -> f32 {
    match squash {
        Squash::Tanh => raw.tanh(),
        Squash::Sigmoid => 2.0 / (1.0 + (-raw).exp()) - 1.0,
    }
}

/// The loss of a batch, and its slope by every raw output (that of the mean over the batch) into `slopes`.
///
/// # Panics
/// When a sample's action lies outside the policy.
///
/// # Examples
///
/// ```
/// use tesuji_nn::Architecture;
/// use tesuji_train::{
///     loss::{LossSettings, losses},
///     net::Raw,
///     sample::Sample,
/// };
/// // A net that says the same of all moves, and that nobody wins.
/// let architecture = Architecture::for_any_size("go-1", 1, 2, 1, 16);
/// let (mut raw, mut slopes) = (Raw::default(), Raw::default());
/// raw.reset(&architecture, 1);
/// let sample = Sample { planes: vec![0.0; 4], policy: vec![(2, 1.0)], value: 1.0, value_weight: 1.0, ..Sample::default() };
/// let figures = losses(&architecture, &LossSettings::default(), &raw, &[sample], &mut slopes);
/// // Of four points and the pass each has a fifth.
/// assert!((figures.policy - 5_f64.ln()).abs() < 1e-6 && figures.value == 1.0);
/// // The right move and the value must rise, the other moves fall.
/// assert!(slopes.policy[2] < 0.0 && slopes.policy[0] > 0.0 && slopes.value[0] < 0.0);
/// ```
pub fn losses(
    architecture: &Architecture,
    settings: &LossSettings,
    raw: &Raw,
    samples: &[Sample],
    slopes: &mut Raw,
) -> Figures {
    let batch = samples.len();
    slopes.reset(architecture, batch);
    let (actions, share) = (raw.policy.len() / batch, 1.0 / batch as f32);
    let points = architecture.height * architecture.width;
    let mut figures = Figures { positions: batch as f64, ..Figures::default() };
    for (n, sample) in samples.iter().enumerate() {
        let here = n * actions..(n + 1) * actions;
        if !sample.policy.is_empty() {
            policy(
                settings.policy,
                share,
                &raw.policy[here.clone()],
                &sample.policy,
                &mut slopes.policy[here],
                &mut figures,
            );
        }
        if sample.value_weight > 0.0 {
            slopes.value[n] = share * value(settings, architecture.value.squash, raw.value[n], sample, &mut figures);
        }
        if architecture.ownership && !sample.ownership.is_empty() {
            assert_eq!(sample.ownership.len(), points, "ownership of another board");
            let mut sum = 0.0;
            for (at, &target) in (n * points..).zip(&sample.ownership) {
                let said = raw.ownership[at].tanh();
                sum += (said - target) * (said - target);
                // The derivative of tanh is one less its square.
                let slope = 2.0 * (said - target) * (1.0 - said * said);
                slopes.ownership[at] = share * settings.ownership * slope / points as f32;
            }
            figures.ownerships += 1.0;
            figures.ownership += f64::from(sum / points as f32);
            figures.total += f64::from(settings.ownership * sum / points as f32);
        }
        if architecture.score
            && let Some(target) = sample.score
        {
            // Huber's loss: a lost group moves a score by dozens of points, which must not outweigh all other samples.
            let error = (raw.score[n] - target) / SCORE_UNIT;
            let huber = if error.abs() <= 1.0 { 0.5 * error * error } else { error.abs() - 0.5 };
            slopes.score[n] = share * settings.score * error.clamp(-1.0, 1.0) / SCORE_UNIT;
            figures.scores += 1.0;
            figures.score += f64::from((raw.score[n] - target).abs());
            figures.total += f64::from(settings.score * huber);
        }
    }
    figures
}

/// Cross-entropy of one policy with its target.
fn policy(weight: f32, share: f32, logits: &[f32], target: &[(u16, f32)], slopes: &mut [f32], figures: &mut Figures) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (slope, &logit) in slopes.iter_mut().zip(logits) {
        *slope = (logit - largest).exp();
        sum += *slope;
    }
    let all: f32 = target.iter().map(|&(_, part)| part).sum();
    slopes.iter_mut().for_each(|slope| *slope *= weight * share * all / sum);
    let log_sum = sum.ln() + largest;
    let mut entropy = 0.0;
    let mut best = target[0];
    for &(action, part) in target {
        let at = usize::from(action);
        assert!(at < logits.len(), "action {at} of a policy with {}", logits.len());
        entropy += part * (log_sum - logits[at]);
        slopes[at] -= weight * share * part;
        if part > best.1 {
            best = (action, part);
        }
    }
    let wanted = logits[usize::from(best.0)];
    let better = logits.iter().filter(|&&logit| logit > wanted).count();
    figures.policies += 1.0;
    figures.policy += f64::from(entropy);
    figures.total += f64::from(weight * entropy);
    figures.top1 += f64::from(u8::from(better < 1));
    figures.top5 += f64::from(u8::from(better < 5));
}

/// The slope of the value's loss by its raw number.
fn value(settings: &LossSettings, squash: Squash, raw: f32, sample: &Sample, figures: &mut Figures) -> f32 {
    let said = squashed(squash, raw);
    let weight = sample.value_weight;
    let error = said - sample.value;
    figures.values += f64::from(weight);
    figures.value += f64::from(weight * error * error);
    figures.signs += f64::from(weight * f32::from(said * sample.value > 0.0));
    // How fast the value moves with the raw number; the logit of winning moves `unit` times as fast.
    let (slope, unit) = match squash {
        Squash::Tanh => (1.0 - said * said, 2.0),
        Squash::Sigmoid => ((1.0 - said * said) / 2.0, 1.0),
    };
    let count = settings.value * weight;
    if !settings.value_entropy {
        figures.total += f64::from(count * error * error);
        return count * 2.0 * error * slope;
    }
    let (logit, chance) = (raw * unit, (sample.value + 1.0) / 2.0);
    // ln(1 + exp(x)) without overflow.
    let soft = |x: f32| x.max(0.0) + (-x.abs()).exp().ln_1p();
    figures.total += f64::from(count * (chance * soft(-logit) + (1.0 - chance) * soft(logit)));
    count * unit * ((said + 1.0) / 2.0 - chance)
}
