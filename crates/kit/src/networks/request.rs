//! The request to train a network, made by the command line, a file, the page or a round of `improve`.

use crate::{RequestError, WrittenNets, check_apart, check_plain_output};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tesuji_cuda::ComputeDevice;
use tesuji_jobs::{Existing, Identity, check_output};
use tesuji_nn::{Activation, Architecture};
use tesuji_train::{
    loss::LossSettings,
    optimiser::{OptimiserSettings, Rule, Schedule},
    settings::TrainSettings,
};

/// A net to be trained. All fields but `game`, `games` and `out` may be missing.
///
/// # Examples
/// ```
/// use tesuji_kit::networks::TrainRequest;
///
/// let request: TrainRequest = serde_json::from_str(
///     r#"{ "game": "four", "games": ["games.txt"], "out": "four.safetensors", "held_out": 1.5 }"#,
/// )?;
/// let error = request.validate().unwrap_err();
/// assert_eq!(error.to_string(), "held_out 1.5: expected a share of at least 0.001, below 1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainRequest {
    /// The version of this form: [`TrainRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// Games or positions to learn from.
    pub games: Vec<PathBuf>,
    /// Leave out games in which a player is known to be weaker, such as `6d`; in games with ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank_min: Option<String>,
    /// The file for the net.
    pub out: PathBuf,
    /// Residual blocks and channels: `6x64`.
    pub net: String,
    /// The encoding of positions; the game's usual one if not given.
    pub features: Option<String>,
    /// Lines of the board; the game's usual ones if not given.
    pub size: Option<usize>,
    /// The function after each batch norm.
    pub activation: Activation,
    /// The net to begin with; random numbers if not given.
    pub from: Option<PathBuf>,
    /// Positions to see in all.
    pub positions: u64,
    /// Positions of one step.
    pub batch: usize,
    /// The update rule of the optimiser.
    pub rule: OptimiserRule,
    /// The largest learning rate; the rule's usual one if not given.
    pub rate: Option<f32>,
    /// The schedule of the learning rate.
    pub schedule: RateSchedule,
    /// The shares of the run at which the schedule `steps` divides the rate by ten.
    pub steps_at: Vec<f32>,
    /// Steps over which the rate rises from nothing.
    pub warm_up: u64,
    /// Weight decay for each unit of rate.
    pub decay: f32,
    /// The largest norm of a gradient; 0: no limit.
    pub clip: f32,
    /// The decay of the moving average of the weights, which becomes the net; 0: no average.
    pub average: f32,
    /// Of the generator of random numbers.
    pub seed: u64,
    /// The weight of the value in the loss, beside the policy.
    pub value_weight: f32,
    /// The weight of the score in the loss, where games have one.
    pub score_weight: f32,
    /// The loss function of the value.
    pub value_loss: ValueLoss,
    /// The share of the games that is held out and judges the net.
    pub held_out: f64,
    /// Positions of a validation.
    pub validation: usize,
    /// Positions between two validations.
    pub validate_every: u64,
    /// Whether boards are turned and mirrored, in games that turning does not change.
    pub symmetries: bool,
    /// Whether boards are mirrored left to right at random, in games that only this does not change.
    pub mirror: bool,
    /// The share of the search's score in the value that is learned, 0 to 1; the rest is the result.
    pub search_share: f32,
    /// Games or positions in memory at once.
    pub room: usize,
    /// Draws of a game or position before another one replaces it, where not all fit.
    pub times: u32,
    /// The compute device.
    pub device: ComputeDevice,
    /// Threads; 0: one for each core.
    pub threads: usize,
    /// The file of the run; beside the net if not given.
    pub checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints.
    pub save_every: u64,
    /// The file of the log, a line of JSON for every few steps; beside the net if not given.
    pub journal: Option<PathBuf>,
}

/// The update rule of an optimiser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimiserRule {
    /// Stochastic gradient descent with momentum.
    #[default]
    Sgd,
    /// Adam with decay of the weights apart from the gradient.
    Adamw,
}

/// The schedule of the learning rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateSchedule {
    /// Not at all.
    Constant,
    /// As a cosine does.
    #[default]
    Cosine,
    /// To a tenth, at some shares of the run.
    Steps,
}

/// The loss function of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueLoss {
    /// Mean squared error.
    #[default]
    Mse,
    /// Cross-entropy.
    CrossEntropy,
}

impl Default for TrainRequest {
    fn default() -> TrainRequest {
        TrainRequest {
            version: Self::VERSION,
            game: String::new(),
            games: Vec::new(),
            rank_min: None,
            out: PathBuf::new(),
            net: "6x64".into(),
            features: None,
            size: None,
            activation: Activation::Relu,
            from: None,
            positions: 1_000_000,
            batch: 128,
            rule: OptimiserRule::default(),
            rate: None,
            schedule: RateSchedule::default(),
            steps_at: vec![0.5, 0.75, 0.9],
            warm_up: 200,
            decay: 1e-4,
            clip: 5.0,
            average: 0.999,
            seed: 1,
            value_weight: 1.0,
            score_weight: 0.1,
            value_loss: ValueLoss::default(),
            held_out: 0.05,
            validation: 8192,
            validate_every: 100_000,
            symmetries: true,
            mirror: false,
            search_share: 0.0,
            room: 1_000_000,
            times: 16,
            device: ComputeDevice::default(),
            threads: 0,
            checkpoint: None,
            save_every: 60,
            journal: None,
        }
    }
}

/// Positions of a step: more would take a machine's memory for activations, and learn no better.
const BATCH_MAX: usize = 65_536;

impl TrainRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; files, encoding and shape are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_jobs("threads", self.threads)?;
        let texts = [("games", self.games.is_empty()), ("out", self.out.as_os_str().is_empty())];
        if let Some((field, _)) = texts.into_iter().find(|(_, is_missing)| *is_missing) {
            return Err(RequestError::field(field, "is missing"));
        }
        let counts = [
            ("batch", self.batch == 0),
            ("positions", self.positions == 0),
            ("validation", self.validation == 0),
            ("validate_every", self.validate_every == 0),
        ];
        if let Some((field, _)) = counts.into_iter().find(|(_, is_none)| *is_none) {
            return Err(RequestError::value(field, 0, "expected at least 1"));
        }
        if self.batch > BATCH_MAX {
            return Err(RequestError::value("batch", self.batch, format_args!("expected at most {BATCH_MAX}")));
        }
        if !(0.0..1.0).contains(&self.held_out) || self.held_out * 1000.0 < 1.0 {
            let reason = "expected a share of at least 0.001, below 1";
            return Err(RequestError::value("held_out", self.held_out, reason));
        }
        if !(0.0..=1.0).contains(&self.search_share) {
            return Err(RequestError::value("search_share", self.search_share, "expected 0 to 1"));
        }
        Ok(())
    }

    /// The run for a net; `samples` says in words which these are.
    pub fn settings(&self, mut architecture: Architecture, samples: String) -> TrainSettings {
        if self.activation == Activation::Swish {
            architecture.activation = Activation::Swish;
        }
        let batch = self.batch as u64;
        TrainSettings {
            architecture,
            seed: self.seed,
            samples,
            batch: self.batch,
            steps: self.positions.div_ceil(batch),
            optimiser: self.optimiser(),
            loss: LossSettings {
                value: self.value_weight,
                score: self.score_weight,
                value_entropy: self.value_loss == ValueLoss::CrossEntropy,
                ..LossSettings::default()
            },
            log_every: (self.validate_every / 10).div_ceil(batch).max(1),
            validate_every: self.validate_every.div_ceil(batch),
            validation: self.validation,
        }
    }

    /// The optimiser.
    fn optimiser(&self) -> OptimiserSettings {
        let (rule, rate) = match self.rule {
            OptimiserRule::Sgd => (Rule::Sgd { momentum: 0.9 }, 0.1),
            OptimiserRule::Adamw => (Rule::AdamW { beta1: 0.9, beta2: 0.999 }, 0.002),
        };
        OptimiserSettings {
            rule,
            rate: self.rate.unwrap_or(rate),
            schedule: match self.schedule {
                RateSchedule::Constant => Schedule::Constant,
                RateSchedule::Cosine => Schedule::Cosine { last: 0.01 },
                RateSchedule::Steps => Schedule::Steps { at: self.steps_at.clone(), factor: 0.1 },
            },
            warm_up: self.warm_up,
            decay: self.decay,
            clip: self.clip,
            average: self.average,
            ..OptimiserSettings::default()
        }
    }

    /// Checks, before the work, the files that are written: none of them is read, and only a run that goes on has a net already.
    ///
    /// # Errors
    /// The file that is in the way.
    pub fn check_outputs(&self) -> Result<(), RequestError> {
        let outputs = self.outputs();
        check_apart(&outputs)?;
        outputs.iter().try_for_each(|path| check_plain_output(path, self.games.iter().chain(&self.from)))?;
        let checkpoint = self.checkpoint_path();
        let written = WrittenNets::beside(&checkpoint);
        let existing = if checkpoint.exists() { written.treatment(&self.out) } else { Existing::Refuse };
        Ok(check_output(&self.out, existing)?)
    }

    /// The files that are written.
    pub fn outputs(&self) -> Vec<PathBuf> {
        vec![self.out.clone(), self.checkpoint_path(), self.log_path()]
    }

    /// The file of the run.
    pub fn checkpoint_path(&self) -> PathBuf {
        self.beside(&self.checkpoint, "checkpoint")
    }

    /// The file of the log.
    pub fn log_path(&self) -> PathBuf {
        self.beside(&self.journal, "log")
    }

    fn beside(&self, given: &Option<PathBuf>, ending: &str) -> PathBuf {
        given.clone().unwrap_or_else(|| self.out.with_extension(ending))
    }

    /// The files in words, without their folders, and what is in them: what a run goes on with.
    pub fn files(&self) -> String {
        let words = |path: &PathBuf| {
            let name = Path::file_name(path).unwrap_or(path.as_os_str()).to_string_lossy();
            // Another file of the same name is another file. One that is not there is told by who reads it.
            match Identity::of(path) {
                Ok(Some(file)) => format!("{name} (SHA-256 {})", file.content()),
                _ => name.into_owned(),
            }
        };
        self.games.iter().map(words).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> TrainRequest {
        TrainRequest { game: "four".into(), games: vec!["a/b.txt".into()], out: "net.st".into(), ..Default::default() }
    }

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let request = TrainRequest { device: ComputeDevice::Card(1), rule: OptimiserRule::Adamw, ..request() };
        let text = serde_json::to_string(&request).unwrap();
        assert!(text.contains(r#""device":"cuda:1""#) && text.contains(r#""rule":"adamw""#), "{text}");
        assert_eq!(serde_json::from_str::<TrainRequest>(&text).unwrap(), request);
        let check = |change: fn(&mut TrainRequest), says: &str| {
            let mut request = request.clone();
            change(&mut request);
            assert_eq!(request.validate().unwrap_err().to_string(), says);
        };
        check(|request| request.batch = 0, "batch 0: expected at least 1");
        check(|request| request.batch = 99_999_999, "batch 99999999: expected at most 65536");
        check(|request| request.search_share = 1.5, "search_share 1.5: expected 0 to 1");
        check(|request| request.games.clear(), "games is missing");
        check(|request| request.version = 7, "version 7: this program knows 1");
        assert!(serde_json::from_str::<TrainRequest>(r#"{ "device": "gpu" }"#).is_err());
    }

    #[test]
    fn runs_are_measured_in_steps() {
        let request = TrainRequest { positions: 1000, batch: 128, validate_every: 300, ..request() };
        assert!(request.validate().is_ok());
        let settings = request.settings(Architecture::for_any_size("four-1", 2, 7, 1, 8), "samples".into());
        assert_eq!((settings.steps, settings.validate_every, settings.log_every), (8, 3, 1));
        assert_eq!((request.files().as_str(), request.log_path()), ("b.txt", PathBuf::from("net.log")));
    }
}
