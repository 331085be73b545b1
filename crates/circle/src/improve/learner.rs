//! Learners of `improve`: studies with default settings, start weights and a comparison of first and last weights.

use super::{EngineTraining, ImproveRequest, ImproveSettings, Study};
use crate::WEIGHTS_OPTION;
use std::path::Path;
use tesuji_kit::{Kit, RequestError};
use tesuji_tally::{Term, Weights};

/// A [`Study`] with the defaults for all that a request for a run leaves open.
///
/// # Examples
///
/// What a request leaves open comes from the learner:
///
/// ```
/// use tesuji_circle::improve::{ImproveRequest, Learner, Run, WeightsLearner};
///
/// let learner = WeightsLearner(&tesuji_four::TUNING);
/// let folder = tempfile::tempdir().unwrap();
/// let request = ImproveRequest {
///     game: "four".into(),
///     games: Some(10),
///     pairs: Some(4),
///     out: Some(folder.path().join("run")),
///     ..ImproveRequest::default()
/// };
/// let run = Run::begin(&tesuji_four::FOUR, &learner, &request, "example 1.0").unwrap();
/// assert_eq!(run.settings.nodes, learner.usual().nodes);
/// assert!(run.folder.join("start.json").exists());
/// ```
pub trait Learner: Study {
    /// The default settings of its runs.
    fn usual(&self) -> UsualSettings;

    /// The search family that plays; empty: the game's best.
    fn family(&self) -> &'static str {
        ""
    }

    /// The option of players that takes a file of what was learned.
    fn weights_option(&self) -> &'static str {
        WEIGHTS_OPTION
    }

    /// The name of the start weights `from` in the settings of a run.
    fn start_name<'a>(&self, from: &'a str) -> &'a str {
        from
    }

    /// Options of the players of a run that begins with `from`, before those that are asked for.
    fn options(&self, _from: &str) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Checks options that players of the game take, for all else that plays in a run.
    ///
    /// # Errors
    /// When an option is not known there, or has no such value.
    fn check_options(&self, _rules: &str, _options: &[(String, String)]) -> Result<(), RequestError> {
        Ok(())
    }

    /// The file of the weights that a run begins with.
    ///
    /// # Errors
    /// When `request.from` is neither a name that is known nor a file of such weights.
    fn start(&self, request: &ImproveRequest, settings: &ImproveSettings) -> Result<Vec<u8>, RequestError>;

    /// Checks that a player takes the start weights in the file `weights`: those of another game are told before games begin.
    ///
    /// # Errors
    /// When it does not.
    fn check_start(&self, kit: &dyn Kit, weights: &Path, settings: &ImproveSettings) -> Result<(), RequestError> {
        self.setup(weights, settings).player(kit).map(drop).map_err(RequestError::failed)
    }

    /// Compares the start weights of a run with its last ones, both files.
    ///
    /// # Errors
    /// When a file cannot be read.
    fn changes(&self, start: &Path, last: &Path) -> Result<Changes, RequestError>;
}

/// Default settings of runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UsualSettings {
    /// The rules; empty: the game's usual ones.
    pub rules: &'static str,
    /// Nodes a move.
    pub nodes: u64,
    /// The bounds of the test of each round's match, in normalised Elo; `None`: the score decides.
    pub sprt: Option<[f64; 2]>,
    /// Random plies that games begin with.
    pub random_plies: u32,
    /// Share of the result in what is learned.
    pub result_share: f64,
}

/// The changes that a run made.
#[derive(Debug, Clone)]
pub enum Changes {
    /// Weights of a hand-made evaluation.
    Weights(Box<WeightChanges>),
    /// Strengths of moves.
    Strengths(StrengthChanges),
    /// A network; the last one.
    Net(Box<tesuji_nn::Weights>),
    /// An efficiently updatable network; the last one.
    Nnue(NnueChange),
    /// The file of an engine of the user, which only that engine reads.
    Engine(Box<EngineTraining>),
}

/// An efficiently updatable network that was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct NnueChange {
    /// Its shape; `None` where the weights are still those of a hand-made evaluation.
    pub shape: Option<Box<tesuji_nn::nnue::Architecture>>,
    /// Who made it from what.
    pub origin: tesuji_nn::Origin,
}

/// Weights of a hand-made evaluation, before and after.
#[derive(Debug, Clone)]
pub struct WeightChanges {
    /// Its terms.
    pub terms: &'static [Term],
    /// The weights of the start.
    pub start: Weights,
    /// The last ones.
    pub last: Weights,
}

/// Strengths of moves, before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct StrengthChanges {
    /// Features of moves with their strengths.
    pub strengths: Vec<StrengthChange>,
    /// Patterns that have a strength at the end.
    pub patterns: usize,
}

/// The strength of what a move does, before and after: a factor, 1 for a plain move.
#[derive(Debug, Clone, PartialEq)]
pub struct StrengthChange {
    /// The feature.
    pub name: String,
    /// At the start.
    pub start: f32,
    /// At the end.
    pub last: f32,
}
