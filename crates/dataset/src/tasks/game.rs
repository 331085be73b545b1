//! The interface of a game for data tasks, and the detection of the game that files belong to.

use super::{DataRequest, MateTask, RescoreTask};
use crate::data::{Format, known_format};
use std::path::PathBuf;
use tesuji_jobs::{RequestError, files_within};
use tesuji_record::{AnyGame, Fault, Sample, Survey};

/// A game, for work on data.
pub trait DataGame: Sync {
    /// Its rules and records.
    fn records(&self) -> &'static dyn AnyGame;

    /// The game's code for single positions; `None`: its data are whole games.
    fn survey(&self) -> Option<&'static dyn Survey>;

    /// Looks for mates.
    ///
    /// # Errors
    /// When the game has none.
    fn mate_judge(&self, task: &MateTask) -> Result<Box<dyn MateJudge>, RequestError>;

    /// Gives positions scores by searches.
    ///
    /// # Errors
    /// The fault in the search or its options.
    fn scorer(&self, task: &RescoreTask) -> Result<Box<dyn Scorer>, RequestError>;
}

/// Tells mates from other positions, asked by many threads.
pub trait MateJudge: Sync {
    /// Decides whether the position is a mate.
    ///
    /// # Errors
    /// Where it is none.
    fn judge(&self, sample: &Sample) -> Result<MateVerdict, Fault>;
}

/// The result of a mate search on a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MateVerdict {
    /// The side to move mates.
    Mates,
    /// The side to move is mated, or will be whatever it answers to the check.
    Mated,
    /// Neither.
    Neither,
    /// Neither was found within the limits.
    Limit,
}

impl MateVerdict {
    /// The name of the verdict in the counts.
    pub fn words(self) -> &'static str {
        match self {
            MateVerdict::Mates => "mate, by the side to move",
            MateVerdict::Mated => "mate, of the side to move",
            MateVerdict::Neither => "no mate",
            MateVerdict::Limit => "limit reached, kept",
        }
    }
}

/// Gives positions scores, asked by many threads.
pub trait Scorer: Send + Sync {
    /// Gives all of `samples` their scores; `fault` hears of those that cannot be searched.
    /// They are block `block` of the work, from 0, which has the same samples always. [`Fault::Io`] ends all work.
    fn score(&self, block: u64, samples: &mut [Sample], fault: &mut dyn FnMut(usize, Fault));

    /// The most samples to score at once, so that progress is seen in between; all where a block is one piece of work.
    fn samples_at_once(&self) -> usize {
        usize::MAX
    }

    /// Scores so far that no file can hold, and became the nearest that it can.
    fn clipped(&self) -> u64 {
        0
    }

    /// What searches, in a line, as far as the request does not say it: the same work goes on with the same alone.
    fn identity(&self) -> String;
}

/// The game of a request: as named, else the first that has the format of the first file. Names that many games use, such as
/// `.txt` and `.parquet`, are those of the first of them.
///
/// # Errors
/// When no game has the name, or none has the format; the words say which there are.
pub fn game_of<'a>(request: &DataRequest, games: &[&'a dyn DataGame]) -> Result<&'a dyn DataGame, RequestError> {
    if let Some(name) = &request.game {
        let found = games.iter().find(|game| game.records().name().eq_ignore_ascii_case(name));
        let known = || games.iter().map(|game| game.records().name()).collect::<Vec<_>>().join(", ");
        let none = || RequestError::failed(format_args!("no game is called {name:?}; there are: {}", known()));
        return found.copied().ok_or_else(none);
    }
    let of = |format: &dyn Fn(&dyn DataGame) -> bool| games.iter().find(|game| format(**game));
    let named = |name: &str| of(&|game| Format::find(game.records(), game.survey(), name).is_ok());
    let format_of = |path: &PathBuf, game: &dyn DataGame| known_format(path, game.records(), game.survey());
    let of_file = |path: &PathBuf| of(&|game| matches!(format_of(path, game), Ok(Some(_))));
    let found = match (&request.from, request.inputs.first()) {
        (Some(name), _) => named(name),
        (None, Some(path)) if path.is_dir() => files_within(path).ok().and_then(|files| files.iter().find_map(of_file)),
        (None, path) => path.and_then(of_file),
    };
    let is_unknown =
        |path: &PathBuf| !path.is_dir() && games.iter().all(|game| matches!(format_of(path, *game), Ok(None)));
    match (found, &request.from, request.inputs.first()) {
        (None, Some(name), _) => Err(unknown(&format!("no format is called {name:?}"), games)),
        (None, None, Some(path)) if path.as_os_str() != "-" && is_unknown(path) => {
            let words = format!("the ending of {:?} is that of no format; --from says what it is", path.display());
            Err(unknown(&words, games))
        }
        _ => found.or(games.first()).copied().ok_or_else(|| RequestError::failed("there are no games")),
    }
}

/// `words`, and the formats of all games.
fn unknown(words: &str, games: &[&dyn DataGame]) -> RequestError {
    let of = |game: &&dyn DataGame| {
        let names = Format::all(game.records(), game.survey()).iter().map(|format| format.name()).collect::<Vec<_>>();
        format!("{}: {}", game.records().name(), names.join(", "))
    };
    RequestError::failed(format_args!(
        "{words}; there are, for {}",
        games.iter().map(of).collect::<Vec<_>>().join("; for ")
    ))
}
