//! Settings of a training run of an efficiently updatable network, as stored in its checkpoint.

use serde::{Deserialize, Serialize};
use tesuji_nn::nnue::Architecture;

/// All that decides the numbers of a run. How many threads do the work does not.
///
/// # Examples
///
/// ```
/// use tesuji_nn::nnue::Architecture;
/// use tesuji_train::nnue::NnueSettings;
/// let text = "name = 'small'\ngame = 'cells'\nwidth = 32\nactivation = 'screlu'\n\
///             [features]\nset = 'cells'\ninputs = 8\nactive_max = 4\n";
/// let settings = NnueSettings {
///     architecture: Architecture::parse(text)?,
///     seed: 1,
///     positions: "an example".into(),
///     from: String::new(),
///     batch: 4,
///     steps: 100,
///     rate: 0.004,
///     rate_last: 0.0004,
///     warm_up: 4,
///     decay: 0.01,
///     score_scale: 400.0,
///     result_share: [0.3, 0.5],
///     power: 2.0,
///     rounded_share: 0.2,
///     mirror: false,
///     log_every: 10,
///     validate_every: 50,
///     validation: 2,
/// };
/// assert!((settings.rate_at(0) - 0.001).abs() < 1e-6 && (settings.rate_at(100) - 0.0004).abs() < 1e-6);
/// assert_eq!((settings.result_share_at(0), settings.is_rounded_at(79), settings.is_rounded_at(80)), (0.3, false, true));
/// assert_eq!(NnueSettings { steps: 200, ..settings.clone() }.difference(&settings), None);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NnueSettings {
    /// The network.
    pub architecture: Architecture,
    /// Of the first numbers, and of the order of positions.
    pub seed: u64,
    /// In words: which positions, in which order. A run goes on with the same ones only.
    pub positions: String,
    /// In words: the network that it begins with; empty: random numbers.
    pub from: String,
    /// Positions of one step.
    pub batch: usize,
    /// Steps in all; the schedules are stretched over them.
    pub steps: u64,
    /// The largest learning rate of AdamW.
    pub rate: f32,
    /// The share of the learning rate at the last step: it decays along a cosine.
    pub rate_last: f32,
    /// Steps over which it rises from nothing.
    pub warm_up: u64,
    /// Weight decay for each unit of rate.
    pub decay: f32,
    /// Centipawns of score whose logistic function is 0.73.
    pub score_scale: f32,
    /// The share of the result in the target, at the first and at the last step, 0 to 1; the rest is the score.
    pub result_share: [f32; 2],
    /// The loss is the error of the expected result to this power, 1 to 4.
    pub power: f32,
    /// The share of the steps, at the end, in which weights are rounded as the integers of the network.
    pub rounded_share: f32,
    /// Whether every other run is shown mirrored.
    pub mirror: bool,
    /// Steps between two lines of the log.
    pub log_every: u64,
    /// Steps between two validations.
    pub validate_every: u64,
    /// Positions of a validation, at most.
    pub validation: usize,
}

/// The memory of AdamW for gradients and for their squares.
pub(super) const BETAS: [f32; 2] = [0.9, 0.999];

impl NnueSettings {
    /// The learning rate of step `step`, from 0.
    pub fn rate_at(&self, step: u64) -> f32 {
        let share = (step as f64 / self.steps.max(1) as f64).min(1.0);
        let cosine = 0.5 * (1.0 + (std::f64::consts::PI * share).cos());
        let rise = if step < self.warm_up { (step + 1) as f64 / self.warm_up as f64 } else { 1.0 };
        let last = f64::from(self.rate_last);
        ((last + (f64::from(self.rate) - last) * cosine) * rise) as f32
    }

    /// The share of the result in the target at step `step`, from 0.
    pub fn result_share_at(&self, step: u64) -> f32 {
        let [first, last] = self.result_share;
        first + (last - first) * (step as f32 / self.steps.max(2).saturating_sub(1) as f32).min(1.0)
    }

    /// Whether the weights are rounded at step `step`, from 0.
    pub fn is_rounded_at(&self, step: u64) -> bool {
        step as f64 >= self.steps as f64 * (1.0 - f64::from(self.rounded_share))
    }

    /// The first difference that would make other numbers, in words; steps may be added.
    pub fn difference(&self, other: &NnueSettings) -> Option<String> {
        let fields = |settings: &NnueSettings| {
            let settings = NnueSettings { steps: 0, ..settings.clone() };
            let value = serde_json::to_value(settings).unwrap_or_default();
            value.as_object().cloned().unwrap_or_default()
        };
        let there = fields(other);
        fields(self).into_iter().find_map(|(name, here)| {
            let other = there.get(&name)?;
            (*other != here).then(|| format!("{name}: asked for {here}, the checkpoint was made with {other}"))
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A short run of a small network.
    pub(in super::super) fn settings(architecture: Architecture) -> NnueSettings {
        NnueSettings {
            architecture,
            seed: 1,
            positions: "made up".into(),
            from: String::new(),
            batch: 100,
            steps: 60,
            rate: 0.004,
            rate_last: 0.0004,
            warm_up: 5,
            decay: 0.01,
            score_scale: 400.0,
            result_share: [0.3, 0.5],
            power: 2.0,
            rounded_share: 0.2,
            mirror: false,
            log_every: 10,
            validate_every: 20,
            validation: 300,
        }
    }

    #[test]
    fn schedules_begin_and_end_where_they_should() {
        let architecture = Architecture::parse(
            "name = 'a'\ngame = 'b'\nwidth = 32\nactivation = 'screlu'\n[features]\nset = 'c'\ninputs = 4\nactive_max = 4\n",
        );
        let settings = settings(architecture.unwrap());
        assert!((settings.rate_at(0) - 0.0008).abs() < 1e-5, "{}", settings.rate_at(0));
        assert!((settings.rate_at(5) - 0.004).abs() < 1e-4 && (settings.rate_at(60) - 0.0004).abs() < 1e-6);
        assert_eq!((settings.result_share_at(0), settings.result_share_at(59)), (0.3, 0.5));
        assert!(!settings.is_rounded_at(47) && settings.is_rounded_at(48));
        let other = NnueSettings { steps: 100, decay: 0.5, ..settings.clone() };
        let difference = settings.difference(&other).unwrap();
        assert!(difference.starts_with("decay: asked for 0.00999"), "{difference}");
        assert_eq!(settings.difference(&NnueSettings { steps: 9, ..settings.clone() }), None);
    }
}
