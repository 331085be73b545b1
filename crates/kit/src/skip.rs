//! `--skip-errors`: what every command that reads games does about broken ones, and what its errors say about it.

use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::path::Path;
use tesuji_dataset::{DatasetError, SampleError, data::DataError, tasks::SKIP_HINT as HINT};
use tesuji_game::NotationError;
use tesuji_jobs::terminal::error_text;
use tesuji_record::{Fault, GameRecord, RecordError, RecordReader};

/// Whether broken games are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkipErrors {
    /// Leave broken games and positions out, and name them, instead of stopping at the first.
    pub wanted: bool,
}

impl SkipErrors {
    /// `reader`, which reads `path`; where it is wanted broken games are named on stderr and left out, or read up to the fault
    /// where the reader knows the game up to there.
    pub fn reader(self, path: &Path, reader: Box<dyn RecordReader>) -> Box<dyn RecordReader> {
        if self.wanted { Box::new(Skipping { reader, name: path.display().to_string() }) } else { reader }
    }

    /// `result` without the error of a broken record, which is named on stderr, where it is wanted; `None` then.
    ///
    /// # Errors
    /// Those of `result` elsewhere, with what to do about it.
    pub fn leave_out<T>(self, result: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        match result {
            Err(error) if self.wanted && !is_fatal(&error) => {
                complain(&format!("{error:#}"));
                Ok(None)
            }
            other => self.hinted(other).map(Some),
        }
    }

    /// The hint at the end of errors about broken records; empty where such records are left out.
    pub fn hint(self) -> String {
        if self.wanted { String::new() } else { format!("; {HINT}") }
    }

    /// `result`, whose error says what to do about a broken record if it comes from one.
    ///
    /// # Errors
    /// Those of `result`.
    pub fn hinted<T>(self, result: anyhow::Result<T>) -> anyhow::Result<T> {
        result.map_err(|error| {
            let said = format!("{error:#}");
            let is_new = !self.wanted && is_of_record(&error) && !said.contains(HINT);
            if is_new { anyhow::anyhow!("{said}{}", self.hint()) } else { error }
        })
    }
}

/// `reader`, which reads the file `name`: where nothing but the end of the last game is missing, the game is taken as it is and
/// that is told on stderr.
pub(crate) fn closing(name: String, reader: Box<dyn RecordReader>) -> Box<dyn RecordReader> {
    Box::new(Closing { reader, name })
}

/// Says what is wrong with a record that is used in spite of it.
fn warn(error: &dyn Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "tesuji: {}", error_text(&error.to_string()));
}

/// Names a record that is left out, for those who do not read it on the way.
pub fn complain(error: &dyn Display) {
    use std::io::Write;
    // Nobody may be there to hear of it.
    let _ = writeln!(std::io::stderr(), "left out: {}", error_text(&error.to_string()));
}

/// Whether the stream itself failed.
fn is_fatal(error: &anyhow::Error) -> bool {
    let fatal = |e: &RecordError| e.is_fatal();
    error.chain().any(|cause| cause.downcast_ref::<RecordError>().is_some_and(fatal) || cause.is::<std::io::Error>())
}

/// Whether `error` is about one broken record, so that reading could go on behind it.
fn is_of_record(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let of_record = |e: &RecordError| !e.is_fatal();
        cause.downcast_ref::<RecordError>().is_some_and(of_record)
            || cause.is::<SampleError>()
            || cause.is::<NotationError>()
            || cause.downcast_ref::<DataError>().is_some_and(|e| e.record > 0)
            || cause.downcast_ref::<DatasetError>().is_some_and(|e| match e {
                DatasetError::Record(error) => of_record(error),
                other => matches!(other, DatasetError::Sample { .. }),
            })
    })
}

/// Closes a game that the input does not.
struct Closing {
    reader: Box<dyn RecordReader>,
    name: String,
}

impl RecordReader for Closing {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        match self.reader.read() {
            Err(mut error) if matches!(error.fault, Fault::Unclosed { .. }) => match error.read.take() {
                Some(game) => {
                    warn(&format_args!("{}: {error}; the game is taken to end there", self.name));
                    Ok(Some(*game))
                }
                None => Err(error),
            },
            other => other,
        }
    }
}

/// Reads on behind broken games.
struct Skipping {
    reader: Box<dyn RecordReader>,
    name: String,
}

impl RecordReader for Skipping {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        loop {
            match self.reader.read() {
                Err(mut error) if !error.is_fatal() => match error.read.take() {
                    Some(game) => {
                        warn(&format_args!("{}: {error}; the game is read up to there", self.name));
                        return Ok(Some(*game));
                    }
                    None => complain(&format_args!("{}: {error}", self.name)),
                },
                other => return other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    fn broken() -> RecordError {
        RecordError::new(3, 2, Fault::IllegalMove { number: 1, text: "e2e5".into() })
    }

    /// One illegal move in 801 games stopped `tune`, `learn`, `data features` and `match --openings` without a word of this.
    #[test]
    fn errors_of_broken_records_name_what_leaves_them_out() {
        let stop = SkipErrors::default();
        let failed = || Err::<(), _>(broken()).context("games.pgn");
        let said = stop.hinted(failed()).unwrap_err().to_string();
        assert_eq!(
            said,
            "games.pgn: line 3 (game 2): move #1 is illegal: e2e5; --skip-errors leaves broken records out"
        );
        let of_dataset = Err::<(), _>(DatasetError::Record(broken())).context("games.pgn");
        assert!(stop.leave_out(of_dataset).unwrap_err().to_string().ends_with(HINT));
        let io = || Err::<(), _>(RecordError::from(std::io::Error::other("gone"))).context("games.pgn");
        assert!(!format!("{:#}", stop.hinted(io()).unwrap_err()).contains(HINT));
        let skip = SkipErrors { wanted: true };
        assert!(skip.leave_out(failed()).unwrap().is_none());
        assert!(skip.leave_out(io()).is_err(), "a stream that failed gives nothing more");
    }

    /// A missing last bracket, or one illegal move, cost the whole game.
    #[test]
    fn a_broken_game_was_refused_whole_where_it_can_be_read_up_to_the_fault() {
        struct Broken(Option<RecordError>);
        impl RecordReader for Broken {
            fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
                self.0.take().map_or(Ok(None), Err)
            }
        }
        let read = |fault, wanted| {
            let error = RecordError { read: Some(Box::new(GameRecord::new())), ..RecordError::new(1, 1, fault) };
            let reader = closing("a.sgf".into(), Box::new(Broken(Some(error))));
            SkipErrors { wanted }.reader(Path::new("a.sgf"), reader).read()
        };
        let illegal = || Fault::IllegalMove { number: 3, text: "B A1".into() };
        assert!(read(illegal(), false).is_err() && read(illegal(), true).unwrap().is_some());
        let unclosed = || Fault::Unclosed { byte: 9, expected: "a `)` that ends the game" };
        assert!(read(unclosed(), false).unwrap().is_some() && read(unclosed(), true).unwrap().is_some());
    }

    #[test]
    fn broken_games_are_left_out_and_the_others_read() {
        struct Three(u32);
        impl RecordReader for Three {
            fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
                self.0 += 1;
                match self.0 {
                    2 => Err(broken()),
                    4.. => Ok(None),
                    _ => Ok(Some(GameRecord::new())),
                }
            }
        }
        let read = |wanted| {
            let mut reader = SkipErrors { wanted }.reader(Path::new("a.pgn"), Box::new(Three(0)));
            std::iter::from_fn(|| reader.read().transpose()).take(3).map(|r| r.is_ok()).collect::<Vec<_>>()
        };
        assert_eq!((read(true), read(false)), (vec![true, true], vec![true, false, true]));
    }
}
