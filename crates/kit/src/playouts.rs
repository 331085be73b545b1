//! Strengths of moves that playouts draw by, learned from games.

use crate::{
    RequestError,
    tuning::{check_games, check_out},
};
use serde::{Deserialize, Serialize};
use std::{ops::RangeInclusive, path::PathBuf};
use tesuji_jobs::Show;

/// A game that is searched by playouts whose moves have learned strengths.
pub trait Playouts: Sync {
    /// Learns strengths from games and writes them.
    ///
    /// # Errors
    /// When games cannot be read, or files cannot be written.
    fn learn(&self, request: &StrengthRequest, run: &mut StrengthRun<'_>) -> anyhow::Result<StrengthOutcome>;
}

/// The environment of learning strengths of moves: what does not change their numbers.
pub struct StrengthRun<'a> {
    /// The program that learns, with its version, for the origin of the strengths.
    pub made_by: String,
    /// The display of progress.
    pub show: Show,
    /// Gets the lines of the report as they are known.
    pub tell: &'a mut dyn FnMut(&str),
}

/// A request to learn strengths of moves. All fields but `game`, `games` and `out` may be missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StrengthRequest {
    /// The version of this form: [`StrengthRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// Files, folders and archives of games.
    pub games: Vec<PathBuf>,
    /// The file for the strengths; strengths that are there are kept as FILE.old.
    pub out: PathBuf,
    /// A CSV file with a line for each round.
    pub steps: Option<PathBuf>,
    /// Games in which a player is known to be weaker are left out: 6d, 1p.
    pub rank_min: Option<String>,
    /// Positions that moves are learned from, about this many; a million if not given.
    pub positions: Option<usize>,
    /// Patterns that were met less often are left out.
    pub pattern_min: usize,
    /// The largest patterns, 3 to 12.
    pub pattern_max: u8,
    /// Even contests that every strength is thought to have been in.
    pub pattern_prior: f64,
    /// Rounds of the fit at most.
    pub epochs: u32,
    /// Share of the games that is held out, 0 to 1.
    pub held_out: f64,
    /// Decides which positions are looked at and which games are held out.
    pub seed: u64,
    /// Whether broken games are left out.
    pub skip_errors: bool,
    /// Threads; 0: one for each core.
    pub jobs: usize,
}

impl Default for StrengthRequest {
    fn default() -> StrengthRequest {
        let usual = tesuji_tune::TuneSettings::default();
        StrengthRequest {
            version: Self::VERSION,
            game: String::new(),
            games: Vec::new(),
            out: PathBuf::new(),
            steps: None,
            rank_min: None,
            positions: None,
            pattern_min: 20,
            pattern_max: *Self::PATTERNS.end(),
            pattern_prior: 1.0,
            epochs: usual.epochs,
            held_out: usual.held_out,
            seed: usual.seed,
            skip_errors: false,
            jobs: 0,
        }
    }
}

impl StrengthRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;
    /// Sizes of patterns.
    const PATTERNS: RangeInclusive<u8> = 3..=12;

    /// Checks the request by itself.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        RequestError::check_jobs("jobs", self.jobs)?;
        check_games(&self.games)?;
        check_out(&self.out)?;
        if !Self::PATTERNS.contains(&self.pattern_max) {
            return Err(RequestError::value("pattern_max", self.pattern_max, "expected 3 to 12"));
        }
        if !(0.0..=1.0).contains(&self.held_out) {
            return Err(RequestError::value("held_out", self.held_out, "expected a share from 0 to 1"));
        }
        if !(self.pattern_prior >= 0.0 && self.pattern_prior.is_finite()) {
            return Err(RequestError::value("pattern_prior", self.pattern_prior, "expected at least 0"));
        }
        Ok(())
    }
}

/// The result of learning strengths.
#[derive(Debug, Clone, PartialEq)]
pub struct StrengthOutcome {
    /// The report for programs.
    pub json: serde_json::Value,
    /// It was stopped before its end; what was learned is written.
    pub stopped: bool,
}
