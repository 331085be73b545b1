//! The request for a run of `improve`, made by the command line, a file or the page.

use super::EngineTraining;
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};
use tesuji_cuda::ComputeDevice;
use tesuji_kit::RequestError;
use utoipa::ToSchema;

/// The longest budget, in seconds: about a year.
const BUDGET_MAX: f64 = 31e6;
/// The search family in which networks play, and the word for efficiently updatable networks, which play in the usual one.
const NET_FAMILY: &str = "mcts";
pub(super) const NNUE: &str = "nnue";

/// A run of `improve` that is wanted. It needs a game, and a budget or numbers of games and pairs; all else may be missing.
///
/// # Examples
/// ```
/// use tesuji_circle::improve::ImproveRequest;
///
/// let request: ImproveRequest = serde_json::from_str(r#"{ "game": "four", "budget_seconds": 300 }"#)?;
/// assert!(request.validate().is_ok());
/// assert_eq!(request.from, "builtin");
/// let endless: ImproveRequest = serde_json::from_str(r#"{ "game": "four", "games": 100 }"#)?;
/// assert!(endless.validate().unwrap_err().to_string().starts_with("budget_seconds is missing"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImproveRequest {
    /// The version of this form: [`ImproveRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// The source of the weights: a name that the learner knows (`builtin`, `material`, `new`, …), or a file.
    pub from: String,
    /// `mcts` where a policy and value network learns, `nnue` where an efficiently updatable one does; without it the hand-made evaluation, or
    /// what else the game learns by itself.
    pub search: Option<String>,
    /// The shape of a new network: residual blocks and channels, such as `4x32`, or the name of an efficiently updatable one.
    pub net: Option<String>,
    /// Time for everything, in seconds.
    pub budget_seconds: Option<f64>,
    /// Rounds; as many as the budget is good for if not given.
    pub rounds: Option<u32>,
    /// Games of self-play in a round; as many as there is time for if not given.
    pub games: Option<u64>,
    /// Pairs of games in each match; as many as there is time for if not given.
    pub pairs: Option<u64>,
    /// Nodes a move; the learner's usual number if not given.
    pub nodes: Option<u64>,
    /// The rules that are played; the learner's usual ones if not given.
    pub rules: Option<String>,
    /// Options of the players, as name and value.
    pub options: Vec<(String, String)>,
    /// A file of positions that games begin with.
    #[schema(value_type = Option<String>)]
    pub starts: Option<PathBuf>,
    /// The engine of the user that learns instead of players of this program, from the file of weights `from`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub engine: Option<EngineTraining>,
    /// Share of the result in what is learned, 0 to 1; the learner's usual one if not given.
    pub result_share: Option<f64>,
    /// Whether the verdict is repeated with more nodes.
    pub confirm: bool,
    /// Decides everything that time does not.
    pub seed: u64,
    /// Threads; 0: one for each core.
    pub jobs: usize,
    /// The device that computes networks.
    #[schema(value_type = String)]
    pub device: ComputeDevice,
    /// The folder of the run; the first free one of `runs/improve-GAME-N` if not given.
    #[schema(value_type = Option<String>)]
    pub out: Option<PathBuf>,
    /// The folder of a run to go on with, with its own settings. Only `game`, which may be missing, `confirm`, `device` and
    /// `jobs` may stand beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub resume: Option<PathBuf>,
}

impl Default for ImproveRequest {
    fn default() -> ImproveRequest {
        ImproveRequest {
            version: Self::VERSION,
            game: String::new(),
            from: "builtin".into(),
            search: None,
            net: None,
            budget_seconds: None,
            rounds: None,
            games: None,
            pairs: None,
            nodes: None,
            rules: None,
            options: Vec::new(),
            starts: None,
            engine: None,
            result_share: None,
            confirm: false,
            seed: 1,
            jobs: 0,
            device: ComputeDevice::default(),
            out: None,
            resume: None,
        }
    }
}

impl ImproveRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; game, rules, options and files are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        if self.resume.is_some() {
            return self.check_resume();
        }
        RequestError::check_jobs("jobs", self.jobs)?;
        if let Some(engine) = &self.engine {
            engine.validate()?;
            let own =
                [("search", self.search.is_some()), ("net", self.net.is_some()), ("options", !self.options.is_empty())];
            if let Some((field, _)) = own.into_iter().find(|(_, is_given)| *is_given) {
                return Err(RequestError::field(
                    field,
                    "is for players of this program; an engine has option.NAME=VALUE",
                ));
            }
        }
        if let Some(search) = self.search.as_deref().filter(|search| ![NET_FAMILY, NNUE].contains(search)) {
            return Err(RequestError::value("search", search, format!("expected {NET_FAMILY} or {NNUE}")));
        }
        match self.budget_seconds {
            Some(seconds) if !(seconds > 0.0 && seconds <= BUDGET_MAX) => {
                return Err(RequestError::value(
                    "budget_seconds",
                    seconds,
                    "expected a time between nothing and a year",
                ));
            }
            None if self.games.is_none() || self.pairs.is_none() => {
                return Err(RequestError::field(
                    "budget_seconds",
                    "is missing; only games and pairs (and rounds) do without",
                ));
            }
            _ => {}
        }
        if let Some(share) = self.result_share.filter(|share| !(0.0..=1.0).contains(share)) {
            return Err(RequestError::value("result_share", share, "expected a share from 0 to 1"));
        }
        Ok(())
    }

    /// Refuses what is in the folder of the run.
    fn check_resume(&self) -> Result<(), RequestError> {
        // Each field, so that a new one is not forgotten here.
        let ImproveRequest { version, game, confirm, device, jobs, resume, .. } = self.clone();
        match *self == (ImproveRequest { version, game, confirm, device, jobs, resume, ..ImproveRequest::default() }) {
            true => RequestError::check_jobs("jobs", jobs),
            false => Err(RequestError::field(
                "resume",
                ": the run has its settings; only --confirm, --device, --jobs and --fleet go with it",
            )),
        }
    }

    /// Time for everything.
    pub fn budget(&self) -> Option<Duration> {
        self.budget_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }

    /// Rounds: as asked for, or as many as the budget is good for, since each needs enough games to learn from.
    pub fn rounds(&self) -> u32 {
        let fitting = || match self.budget().map_or(u64::MAX, |budget| budget.as_secs()) {
            0..45 => 1,
            45..150 => 2,
            150..400 => 4,
            400..1800 => 5,
            _ => 6,
        };
        self.rounds.unwrap_or_else(fitting).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ImproveRequest {
        ImproveRequest { game: "four".into(), budget_seconds: Some(300.0), ..ImproveRequest::default() }
    }

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let request =
            ImproveRequest { device: ComputeDevice::Card(1), options: vec![("a".into(), "b".into())], ..request() };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<ImproveRequest>(&text).unwrap(), request);
        assert!(serde_json::from_str::<ImproveRequest>(r#"{ "round": 2 }"#).unwrap_err().to_string().contains("round"));
        let check = |change: fn(&mut ImproveRequest), says: &str| {
            let mut request = request.clone();
            change(&mut request);
            assert_eq!(request.validate().unwrap_err().to_string(), says);
        };
        check(|request| request.version = 2, "version 2: this program knows 1");
        check(|request| request.game.clear(), "game is missing");
        check(|request| request.search = Some("alpha-beta".into()), "search alpha-beta: expected mcts or nnue");
        let asked = "budget_seconds -1: expected a time between nothing and a year";
        check(|request| request.budget_seconds = Some(-1.0), asked);
        check(|request| request.result_share = Some(1.5), "result_share 1.5: expected a share from 0 to 1");
        assert!(request.validate().is_ok());
        let resume = Some("runs/a".into());
        let again = ImproveRequest { game: "four".into(), resume: resume.clone(), ..ImproveRequest::default() };
        assert!(again.validate().is_ok());
        assert!(ImproveRequest { jobs: 3, ..again.clone() }.validate().is_ok());
        // These were passed over, and the old verdict was printed again.
        assert!(ImproveRequest { rounds: Some(5), ..again.clone() }.validate().is_err());
        assert!(ImproveRequest { nodes: Some(9999), ..again.clone() }.validate().is_err());
        assert!(ImproveRequest { resume, ..request }.validate().is_err(), "it has a budget of its own");
    }

    #[test]
    fn rounds_fit_the_budget() {
        let rounds = |seconds| ImproveRequest { budget_seconds: seconds, ..request() }.rounds();
        assert_eq!([Some(20.0), Some(100.0), Some(300.0), Some(900.0), None].map(rounds), [1, 2, 4, 5, 6]);
        assert_eq!(ImproveRequest { rounds: Some(0), ..request() }.rounds(), 1);
    }
}
