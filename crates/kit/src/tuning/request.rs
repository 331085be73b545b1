//! Requests to tune weights, validated in one place.

use crate::RequestError;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tesuji_tune::{Loss, Method, TuneSettings};
use utoipa::ToSchema;

/// The name of the set of weights that plays.
pub(super) const FULL: &str = "full";

/// Weights to be learned from games. All fields but `game`, `games` and `out` may be missing.
///
/// # Examples
/// ```
/// use tesuji_kit::tuning::TuneRequest;
///
/// let request: TuneRequest =
///     serde_json::from_str(r#"{ "game": "four", "games": ["g.sgs"], "out": "w.json", "method": "cma-es", "held_out": 1 }"#)?;
/// let error = request.validate().unwrap_err();
/// assert_eq!(error.to_string(), "held_out 1: expected a share from 0 up to, but not, 1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TuneRequest {
    /// The version of this form: [`TuneRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// The set of weights: `full` for those that play, or another set of the game.
    #[serde(alias = "set")]
    pub weight_set: String,
    /// The position whose features stand for a board.
    pub leaf: Leaf,
    /// Games to learn from, or positions with results.
    #[schema(value_type = Vec<String>)]
    pub games: Vec<PathBuf>,
    /// The file for the weights; weights that are there are kept as FILE.old.
    #[schema(value_type = String)]
    pub out: PathBuf,
    /// The weights to start from: `builtin`, `material`, or a file.
    pub start: String,
    /// Learn only these: groups, terms, features or ranges from 1; empty: all.
    pub only: Vec<String>,
    /// Leave these as they are.
    pub freeze: Vec<String>,
    /// The method of minimisation.
    pub method: Method,
    /// Passes over the games at most.
    pub epochs: u32,
    /// Stop after this many epochs without a better validation loss.
    pub patience: u32,
    /// Attempts after the first, from shaken weights.
    pub restarts: u32,
    /// The size of random perturbations of weights for another attempt, in centipawns of their effect.
    pub shake_cp: f64,
    /// Bootstrap: repetitions of learning with games drawn again, for standard errors.
    pub bootstrap: u32,
    /// A TOML file of bounds of weights.
    #[schema(value_type = Option<String>)]
    pub bounds: Option<PathBuf>,
    /// A board this many plies before the end counts 1/e of the last one; `null` or 0: all count the same.
    pub lambda_plies: Option<f64>,
    /// Share of the game's result in what is learned, 0 to 1; the rest is the search's score.
    pub result_share: f64,
    /// The loss that is minimised.
    pub loss: Loss,
    /// Length of the first steps, in centipawns.
    pub rate_cp: f64,
    /// Rows of one step.
    pub batch: usize,
    /// Regularisation towards the start weights, in boards of one more squared pawn of loss; `null`: the best by held-out games.
    pub pull_rows: Option<f64>,
    /// L2 regularisation towards 0, in the same measure.
    pub l2_rows: f64,
    /// Centipawns that multiply the odds by e; fitted if not given.
    pub k: Option<f64>,
    /// Share of the games that are kept to judge what was learned, at least 0 and below 1.
    pub held_out: f64,
    /// Decides the split and the order.
    pub seed: u64,
    /// Whether broken games are left out.
    pub skip_errors: bool,
    /// Threads; 0: one for each core. The result does not depend on them.
    pub jobs: usize,
    /// A CSV file with a line for each epoch.
    #[schema(value_type = Option<String>)]
    pub steps: Option<PathBuf>,
}

/// The position whose features stand for a board: the board itself, or the end of a capture sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Leaf {
    /// The board itself, where it is quiet.
    #[default]
    Static,
    /// The position at the end of the best captures.
    Quiescence,
}

impl Default for TuneRequest {
    fn default() -> TuneRequest {
        let usual = TuneSettings::default();
        TuneRequest {
            version: Self::VERSION,
            game: String::new(),
            weight_set: FULL.into(),
            leaf: Leaf::default(),
            games: Vec::new(),
            out: PathBuf::new(),
            start: "builtin".into(),
            only: Vec::new(),
            freeze: Vec::new(),
            method: usual.method,
            epochs: usual.epochs,
            patience: usual.patience,
            restarts: usual.restarts,
            shake_cp: usual.shake_cp,
            bootstrap: usual.bootstrap,
            bounds: None,
            lambda_plies: usual.lambda_plies,
            result_share: usual.result_share,
            loss: usual.loss,
            rate_cp: usual.rate_cp,
            batch: usual.batch,
            pull_rows: usual.pull_rows,
            l2_rows: usual.l2_rows,
            k: usual.k,
            held_out: usual.held_out,
            seed: usual.seed,
            skip_errors: false,
            jobs: 0,
            steps: None,
        }
    }
}

impl TuneRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; files and names of weights are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        self.validate_method()?;
        check_games(&self.games)?;
        check_out(&self.out)
    }

    /// Checks all but what is learned from and where it goes.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate_method(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        RequestError::check_jobs("jobs", self.jobs)?;
        if !(0.0..1.0).contains(&self.held_out) {
            return Err(RequestError::value("held_out", self.held_out, "expected a share from 0 up to, but not, 1"));
        }
        if !(0.0..=1.0).contains(&self.result_share) {
            return Err(RequestError::value("result_share", self.result_share, "expected a share from 0 to 1"));
        }
        if self.batch == 0 {
            return Err(RequestError::value("batch", 0, "expected at least 1"));
        }
        for (field, words) in [("only", &self.only), ("freeze", &self.freeze)] {
            let is_none = |word: &&String| word.is_empty() || word.starts_with('-') || word.contains(['/', '=']);
            if let Some(word) = words.iter().find(is_none) {
                return Err(RequestError::value(
                    field,
                    word,
                    "expected a group, a term, a feature or numbers such as 6..27",
                ));
            }
        }
        let measures = [
            ("lambda_plies", self.lambda_plies),
            ("pull_rows", self.pull_rows),
            ("l2_rows", Some(self.l2_rows)),
            ("rate_cp", Some(self.rate_cp)),
            ("shake_cp", Some(self.shake_cp)),
            ("k", self.k),
        ];
        match measures.into_iter().find(|(_, value)| value.is_some_and(|value| !(value >= 0.0 && value.is_finite()))) {
            Some((field, value)) => Err(RequestError::value(field, value.unwrap_or(f64::NAN), "expected at least 0")),
            None => Ok(()),
        }
    }
}

/// Chances to win, draw and lose that go with a value, to be fitted to games with scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChanceRequest {
    /// The version of this form: [`TuneRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// Games with their scores.
    pub games: Vec<PathBuf>,
    /// Whether broken games are left out.
    pub skip_errors: bool,
}

impl Default for ChanceRequest {
    fn default() -> ChanceRequest {
        ChanceRequest { version: TuneRequest::VERSION, game: String::new(), games: Vec::new(), skip_errors: false }
    }
}

impl ChanceRequest {
    /// Checks the request by itself.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, TuneRequest::VERSION)?;
        RequestError::check_game(&self.game)?;
        check_games(&self.games)
    }
}

/// Margins of pruning to be asked of the search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarginRequest {
    /// The version of this form: [`TuneRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// The margins by name; the game has the names.
    pub margins: Vec<String>,
    /// Games that positions are taken from.
    pub games: Vec<PathBuf>,
    /// The weights that the search plays with: `builtin`, `material`, or a file.
    pub start: String,
    /// Whether broken games are left out.
    pub skip_errors: bool,
    /// Positions, one of each game; 500 if not given.
    pub positions: Option<usize>,
    /// Nodes of each search.
    pub nodes: u64,
    /// The largest share of wrong prunings with a proposed margin.
    pub false_rate: f64,
    /// Decides the positions.
    pub seed: u64,
    /// Threads; 0: one for each core.
    pub jobs: usize,
}

impl Default for MarginRequest {
    fn default() -> MarginRequest {
        MarginRequest {
            version: TuneRequest::VERSION,
            game: String::new(),
            margins: Vec::new(),
            games: Vec::new(),
            start: "builtin".into(),
            skip_errors: false,
            positions: None,
            nodes: 50_000,
            false_rate: 0.01,
            seed: 0,
            jobs: 0,
        }
    }
}

impl MarginRequest {
    /// Positions that are asked about where the request does not say.
    const POSITIONS: usize = 500;

    /// Checks the request by itself.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, TuneRequest::VERSION)?;
        RequestError::check_game(&self.game)?;
        RequestError::check_jobs("jobs", self.jobs)?;
        if self.margins.is_empty() {
            return Err(RequestError::field("margins", "is missing"));
        }
        if !(0.0..=1.0).contains(&self.false_rate) {
            return Err(RequestError::value("false_rate", self.false_rate, "expected a share from 0 to 1"));
        }
        check_games(&self.games)
    }

    /// Positions that are asked about.
    pub fn positions(&self) -> usize {
        self.positions.unwrap_or(Self::POSITIONS)
    }
}

/// Checks that there are files to learn from.
pub(crate) fn check_games(games: &[PathBuf]) -> Result<(), RequestError> {
    if games.is_empty() { Err(RequestError::field("games", "is missing")) } else { Ok(()) }
}

/// Checks that what is learned goes somewhere.
pub(crate) fn check_out(out: &std::path::Path) -> Result<(), RequestError> {
    if out.as_os_str().is_empty() { Err(RequestError::field("out", "is missing")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let request = TuneRequest {
            game: "four".into(),
            games: vec!["g".into()],
            out: "w".into(),
            method: Method::CmaEs,
            loss: Loss::Fourth,
            lambda_plies: None,
            ..TuneRequest::default()
        };
        let text = serde_json::to_string(&request).unwrap();
        assert!(text.contains(r#""method":"cma-es""#) && text.contains(r#""loss":"l4""#), "{text}");
        assert_eq!(serde_json::from_str::<TuneRequest>(&text).unwrap(), request);
        let check = |change: fn(&mut TuneRequest), says: &str| {
            let mut request = request.clone();
            change(&mut request);
            assert_eq!(request.validate().unwrap_err().to_string(), says);
        };
        check(|request| request.games.clear(), "games is missing");
        check(|request| request.out = PathBuf::new(), "out is missing");
        check(|request| request.batch = 0, "batch 0: expected at least 1");
        check(|request| request.pull_rows = Some(-1.0), "pull_rows -1: expected at least 0");
        assert!(request.validate().is_ok());
        assert!(serde_json::from_str::<ChanceRequest>(r#"{ "epochs": 3 }"#).is_err());
        let margins = MarginRequest { game: "four".into(), ..MarginRequest::default() };
        assert_eq!(margins.validate().unwrap_err().to_string(), "margins is missing");
    }
}
