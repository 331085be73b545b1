//! Settings of a training run, as stored in its checkpoint.

use crate::loss::LossSettings;
use crate::optimiser::OptimiserSettings;
use serde::{Deserialize, Serialize};
use tesuji_nn::Architecture;

/// All that decides the numbers of a run. How many threads do the work does not.
///
/// # Examples
///
/// ```
/// use tesuji_nn::Architecture;
/// use tesuji_train::settings::TrainSettings;
/// let settings = TrainSettings {
///     architecture: Architecture::for_any_size("go-1", 2, 4, 1, 16),
///     seed: 5,
///     samples: "games of March".into(),
///     batch: 32,
///     steps: 100,
///     optimiser: Default::default(),
///     loss: Default::default(),
///     log_every: 10,
///     validate_every: 50,
///     validation: 64,
/// };
/// // A run may become longer, but it goes on with the same samples.
/// assert_eq!(TrainSettings { steps: 200, ..settings.clone() }.difference(&settings), None);
/// let other = TrainSettings { samples: "games of April".into(), ..settings.clone() };
/// assert!(other.difference(&settings).unwrap().starts_with("samples: asked for games of April"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainSettings {
    /// The net.
    pub architecture: Architecture,
    /// Of the first numbers, and of the stream of samples.
    pub seed: u64,
    /// In words: which samples, in which order. A run goes on with the same ones only.
    pub samples: String,
    /// Positions of one step.
    pub batch: usize,
    /// Steps in all; the schedule of the rate is stretched over them.
    pub steps: u64,
    /// The optimiser.
    pub optimiser: OptimiserSettings,
    /// The loss function.
    pub loss: LossSettings,
    /// Steps between two lines of the log.
    pub log_every: u64,
    /// Steps between two validations.
    pub validate_every: u64,
    /// Positions of a validation.
    pub validation: usize,
}

impl TrainSettings {
    /// The first difference that forbids going on with a checkpoint of `other`; the number of steps may change.
    pub fn difference(&self, other: &TrainSettings) -> Option<String> {
        let text = |settings: &TrainSettings| -> Vec<(&'static str, String)> {
            let json = |value: Result<String, serde_json::Error>| value.unwrap_or_default();
            vec![
                ("architecture", json(serde_json::to_string(&settings.architecture))),
                ("seed", settings.seed.to_string()),
                ("samples", settings.samples.clone()),
                ("batch", settings.batch.to_string()),
                ("optimiser", json(serde_json::to_string(&settings.optimiser))),
                ("loss", json(serde_json::to_string(&settings.loss))),
                ("lines of the log", settings.log_every.to_string()),
                ("validations", format!("{} positions every {} steps", settings.validation, settings.validate_every)),
            ]
        };
        let pairs = text(self).into_iter().zip(text(other));
        pairs
            .into_iter()
            .find(|(a, b)| a != b)
            .map(|((name, here), (_, there))| format!("{name}: asked for {here}, the checkpoint was made with {there}"))
    }
}
