//! The formats of data files: those of games, those of positions, and our columns.

use super::DataError;
use std::path::PathBuf;
use tesuji_record::{AnyGame, Labels, RecordFormat, SampleFormat, Survey, unpacked_name};

/// A format of data files.
#[derive(Clone, Copy)]
pub enum Format {
    /// Games, one after another.
    Games(&'static dyn RecordFormat),
    /// Positions, one after another.
    Samples(&'static dyn SampleFormat),
    /// Positions in columns (Parquet).
    Columns,
}

/// A file to read.
#[derive(Clone)]
pub struct Input {
    /// Its path; `-` is stdin.
    pub path: PathBuf,
    /// Its content.
    pub format: Format,
}

impl Format {
    /// Its short name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Games(format) => format.name(),
            Format::Samples(format) => format.name(),
            Format::Columns => "parquet",
        }
    }

    /// Endings of its files, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Games(format) => format.extensions(),
            Format::Samples(format) => format.extensions(),
            Format::Columns => &["parquet", "pq"],
        }
    }

    /// Whether a file called `name`, packed or not, is of this format by its ending.
    pub(super) fn fits(self, name: &str) -> bool {
        let lower = name.to_ascii_lowercase();
        let ending = unpacked_name(&lower).rsplit_once('.').map_or("", |(_, ending)| ending);
        self.name() == ending || self.extensions().contains(&ending)
    }

    /// Whether it holds games, not positions.
    pub fn holds_games(self) -> bool {
        matches!(self, Format::Games(_))
    }

    /// The labels that every record of this format has and that are lost in `to`, in words; empty for formats that do not answer.
    pub fn loses(self, to: Format) -> Vec<&'static str> {
        // A position made of another format's record does not say how the game ended.
        let labels = |format: Format| match format {
            Format::Samples(format) => format.labels(),
            Format::Games(_) | Format::Columns => Some(Labels { ending: false, ..Labels::ALL }),
        };
        labels(self).zip(labels(to)).map_or(Vec::new(), |(here, there)| here.beyond(there))
    }

    /// Whether it tells the number of the move; `None` where that is not known.
    pub fn tells_ply(self) -> Option<bool> {
        match self {
            Format::Samples(format) => format.labels().map(|labels| labels.ply),
            Format::Games(_) | Format::Columns => Some(true),
        }
    }

    /// All formats of `game`: games first. Where a format of games is one of positions too, that is listed alone.
    pub fn all(game: &dyn AnyGame, survey: Option<&'static dyn Survey>) -> Vec<Format> {
        let samples = survey.map_or(&[] as &[&dyn SampleFormat], Survey::formats);
        let games = game.formats().iter().filter(|f| samples.iter().all(|s| s.name() != f.name()));
        let columns = survey.map(|_| Format::Columns);
        games.map(|f| Format::Games(*f)).chain(samples.iter().map(|s| Format::Samples(*s))).chain(columns).collect()
    }

    /// The format called `name`, or that of the file `name` by its ending (endings of packers left out).
    ///
    /// # Errors
    /// When there is none; the words say which there are.
    pub fn find(game: &dyn AnyGame, survey: Option<&'static dyn Survey>, name: &str) -> Result<Format, DataError> {
        let lower = name.to_ascii_lowercase();
        let stem = unpacked_name(&lower);
        let ending = stem.rsplit_once('.').map_or(stem, |(_, ending)| ending);
        let all = Format::all(game, survey);
        // By name, then positions before games: `.fen` is a list of positions in any case.
        let fits = |f: &&Format| f.name() == ending;
        let named = all.iter().find(fits);
        let ended = || all.iter().rev().find(|f| f.extensions().contains(&ending));
        named.or_else(ended).copied().ok_or_else(|| {
            let names: Vec<_> = all.iter().map(|f| f.name()).collect();
            DataError::other(format!(
                "no format of {} is known for {name:?}; there are: {}",
                game.name(),
                names.join(", ")
            ))
        })
    }
}
