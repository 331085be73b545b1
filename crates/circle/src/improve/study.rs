//! Studies: a game's self-play and learning, which `improve` calls between start weights and match.

use super::{EpochLoss, ImproveSettings, LearnedRound};
use crate::{CircleError, Duelist, Openings, Played, SelfplayPlan, Setup, conditions, selfplay};
use std::path::{Path, PathBuf};
use tesuji_arena::Conditions;
use tesuji_jobs::Interrupt;
use tesuji_kit::Kit;

/// The self-play and learning of a game. Its result, the "weights", is a file that players of the game load.
///
/// # Examples
///
/// A study that fits the weights of the hand-made evaluation, as [`WeightsLearner`](super::WeightsLearner) does, but to the games
/// of the latest round alone:
///
/// ```
/// use tesuji_circle::{
///     CircleError,
///     improve::{EpochLoss, LearnedRound, Lesson, LessonNews, Study, WeightsLearner},
/// };
///
/// struct LatestRound;
///
/// impl Study for LatestRound {
///     fn learn(
///         &self,
///         lesson: &Lesson<'_>,
///         tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
///     ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, CircleError> {
///         let games = lesson.games.last().cloned().into_iter().collect();
///         WeightsLearner(&tesuji_four::TUNING).learn(&Lesson { games, ..*lesson }, tell)
///     }
/// }
///
/// // All else is as a study does it where nothing is said: weights are JSON, say.
/// assert_eq!(LatestRound.ending(), "json");
/// ```
pub trait Study: Sync {
    /// The ending of files of weights.
    fn ending(&self) -> &str {
        "json"
    }

    /// The player setup with the weights in the file `weights`.
    fn setup(&self, weights: &Path, settings: &ImproveSettings) -> Setup {
        let mut setup = Setup::with_weights(weights);
        setup.options.extend(settings.options.iter().cloned());
        setup
    }

    /// The side that plays with the weights in the file `weights`; `None` when it was stopped before that was ready.
    ///
    /// # Errors
    /// When an engine cannot be made ready with them.
    fn duelist(&self, weights: &Path, settings: &ImproveSettings) -> Result<Option<Duelist>, CircleError> {
        Ok(Some(self.setup(weights, settings).into()))
    }

    /// The conditions of games at `nodes` a move: rules, limits, adjudication.
    fn conditions(&self, settings: &ImproveSettings, nodes: u64) -> Conditions {
        Conditions { rules: settings.rules.clone(), ..conditions(nodes) }
    }

    /// The openings of games, where no file of positions is given.
    fn openings(&self, settings: &ImproveSettings, seed: u64) -> Openings {
        Openings::random(settings.random_plies, seed)
    }

    /// Plays games to learn from into the file `path`, or goes on with it, as [`selfplay`] does.
    ///
    /// # Errors
    /// Those of [`selfplay`].
    fn play(
        &self,
        kit: &dyn Kit,
        plan: &SelfplayPlan,
        path: &Path,
        stop: &Interrupt,
        tell: &mut dyn FnMut(&Played),
    ) -> Result<Played, CircleError> {
        selfplay(kit, plan, path, path.exists(), stop, tell)
    }

    /// Learns from games, and writes the weights to [`Lesson::into`]. `None` when it was stopped; `tell` may say so by
    /// `false`.
    ///
    /// # Errors
    /// When games or weights cannot be read or written, or nothing can be learned.
    fn learn(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, CircleError>;
}

/// The input of learning in a round.
pub struct Lesson<'a> {
    /// The game.
    pub kit: &'a dyn Kit,
    /// The round, from 1.
    pub number: u32,
    /// Rounds and the files of their games, the latest last.
    pub games: Vec<(u32, PathBuf)>,
    /// The weights that played the latest.
    pub best: &'a Path,
    /// The file for the weights.
    pub into: &'a Path,
    /// The result of the first round, if this is a later one.
    pub first: Option<&'a LearnedRound>,
    /// The settings of the run.
    pub settings: &'a ImproveSettings,
}

/// Progress of learning.
#[derive(Debug, Clone, PartialEq)]
pub enum LessonNews {
    /// Games were read.
    Read {
        /// Games.
        games: u64,
        /// The number of training samples made of them.
        rows: usize,
        /// The name of these samples: `quiet boards`.
        what: &'static str,
    },
    /// An epoch ended, with this loss.
    Epoch(u32, f64),
    /// It is done.
    Learned {
        /// The loss of the weights before, and of those learned, where it is judged.
        loss: [f64; 2],
        /// A further remark.
        note: String,
    },
}
