//! Tables of features: what an evaluation counts on every board of games, for learning elsewhere, for comparing, for hashing.

use crate::{RequestError, SkipErrors};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tesuji_dataset::Filter;
use tesuji_jobs::{Interrupt, Progress};

/// A game whose features are written as tables.
pub trait FeatureTables: Sync {
    /// The layouts of columns by their names, the game's own first.
    fn layouts(&self) -> &'static [&'static str];

    /// Writes the table, whole or not at all. Rows and their order are the same for any number of jobs.
    ///
    /// # Errors
    /// When a game is broken, the layout is unknown or cannot be written so, or a file cannot be read or written.
    fn write(&self, request: &FeatureRequest, stop: &Interrupt, progress: &Progress) -> anyhow::Result<FeatureOutcome>;
}

/// The destination of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureOutput {
    /// Lines of CSV; `-` is stdout.
    Csv(PathBuf),
    /// Columns of indices and counts.
    Parquet(PathBuf),
    /// Nowhere: one hash of all rows.
    Hash,
}

/// A request for a table of features.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeatureRequest {
    /// The version of this form: [`FeatureRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// Games; `-` is stdin.
    pub games: Vec<PathBuf>,
    /// The destination.
    pub out: FeatureOutput,
    /// The layout of columns, by name.
    pub layout: String,
    /// The filter of boards.
    pub filter: Filter,
    /// Keep only boards that captures and promotions make better for the mover by this many centipawns at most.
    pub quiet_cp: Option<u32>,
    /// Only this many rows, drawn at random; `None`: all.
    pub count: Option<usize>,
    /// Decides what is drawn.
    pub seed: u64,
    /// Broken games are left out.
    pub skip: SkipErrors,
    /// Threads, 0 for one on each core.
    pub jobs: usize,
}

impl FeatureOutput {
    /// The destination of rows by the name of a file; `-` is stdout.
    ///
    /// # Errors
    /// When the name says no format of tables.
    pub fn of_file(file: &Path) -> Result<FeatureOutput, RequestError> {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
        match ending.as_str() {
            "parquet" => Ok(FeatureOutput::Parquet(file.into())),
            _ if file == Path::new("-") || ending == "csv" => Ok(FeatureOutput::Csv(file.into())),
            _ => Err(RequestError::value("out", file.display(), "expected a name ending in .parquet or .csv")),
        }
    }

    /// The file that is made, if one is.
    pub fn file(&self) -> Option<&Path> {
        match self {
            FeatureOutput::Csv(file) | FeatureOutput::Parquet(file) if file != Path::new("-") => Some(file),
            _ => None,
        }
    }
}

impl Default for FeatureRequest {
    fn default() -> FeatureRequest {
        FeatureRequest {
            version: Self::VERSION,
            game: String::new(),
            games: Vec::new(),
            out: FeatureOutput::Hash,
            layout: String::new(),
            filter: Filter::default(),
            quiet_cp: None,
            count: None,
            seed: 0,
            skip: SkipErrors::default(),
            jobs: 0,
        }
    }
}

impl FeatureRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; the layout is looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        match self.games.is_empty() {
            true => Err(RequestError::field("games", "is missing")),
            false => Ok(()),
        }
    }

    /// Checks the layout; `layouts` are those of the game.
    ///
    /// # Errors
    /// When the game has no such layout.
    pub fn check_layout(&self, layouts: &[&str]) -> Result<(), RequestError> {
        match layouts.contains(&self.layout.as_str()) {
            true => Ok(()),
            false => {
                let reason = format!("expected one of {}", layouts.join(", "));
                Err(RequestError::value("layout", format_args!("{:?}", self.layout), reason))
            }
        }
    }
}

/// Counts of a table that was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureOutcome {
    /// Games with a result.
    pub games: u64,
    /// Games without one, which were left out.
    pub unfinished: u64,
    /// Boards of the games.
    pub boards: u64,
    /// Boards that passed the filters.
    pub kept: u64,
    /// Rows written.
    pub rows: u64,
    /// Of all rows, with [`FeatureOutput::Hash`].
    pub hash: Option<u64>,
    /// It was stopped; nothing was written under the name of the file.
    pub stopped: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let (game, layout) = ("four".to_string(), "own".to_string());
        let request = FeatureRequest { game, games: vec!["g.sgs".into()], layout, ..FeatureRequest::default() };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<FeatureRequest>(&text).unwrap(), request, "{text}");
        assert_eq!(request.validate().and_then(|()| request.check_layout(&["own"])), Ok(()));
        let says = |request: FeatureRequest| {
            let checked = request.validate().and_then(|()| request.check_layout(&["own", "other"]));
            checked.unwrap_err().to_string()
        };
        let (layout, version) = ("none".to_string(), 9);
        assert_eq!(says(FeatureRequest { layout, ..request.clone() }), "layout \"none\": expected one of own, other");
        assert_eq!(says(FeatureRequest { version, ..request.clone() }), "version 9: this program knows 1");
        assert_eq!(says(FeatureRequest { games: Vec::new(), ..request }), "games is missing");
        assert!(serde_json::from_str::<FeatureRequest>(r#"{ "layuot": "own" }"#).is_err());
    }
}
