//! Readers and writers of record formats, as objects: whoever opened the stream need not know the format.

use crate::{GameRecord, RecordError};
use std::io::{BufRead, Write};

/// A format that games are stored in. A value of it is stateless; readers and writers carry the state.
pub trait RecordFormat: Sync {
    /// Its short name: `pgn`, `sgs`.
    fn name(&self) -> &'static str;

    /// Endings of file names, without the dot, the usual one first.
    fn extensions(&self) -> &'static [&'static str];

    /// A reader of the games in `input`, one after another.
    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader>;

    /// How many bytes at the beginning of `block`, which begins with a game, are whole games: readers can then work on many
    /// blocks at once, and files can be joined by joining their bytes. `None`: this format cannot be cut. 0: there is no
    /// whole game, or none is seen to be.
    fn whole(&self, _block: &[u8]) -> Option<usize> {
        None
    }

    /// Whether a move without a value stays one. Elsewhere it looks like a move of value 0.
    fn tells_unvalued(&self) -> bool {
        true
    }

    /// Whether games keep their tags. Elsewhere whoever needs one again writes it beside the file.
    fn keeps_tags(&self) -> bool {
        true
    }

    /// A writer that appends games to `output`.
    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter>;
}

/// Endings of compressed files and archives, which are read as what is in them.
pub const PACKED_ENDINGS: [&str; 5] = [".zst", ".gz", ".xz", ".bz2", ".zip"];

/// `name` without the ending of what packs the file, whatever the case: `games.pgn` for `games.pgn.xz`.
///
/// # Examples
/// ```
/// use tesuji_record::unpacked_name;
/// assert_eq!(unpacked_name("a/games.sgs.XZ"), "a/games.sgs");
/// assert_eq!(unpacked_name("games.pgn"), "games.pgn");
/// ```
pub fn unpacked_name(name: &str) -> &str {
    let stem = |packed: &&str| {
        let (stem, ending) = name.split_at_checked(name.len().checked_sub(packed.len())?)?;
        ending.eq_ignore_ascii_case(packed).then_some(stem)
    };
    PACKED_ENDINGS.iter().find_map(stem).unwrap_or(name)
}

/// Reads games from a stream. Memory is bounded by the largest game.
pub trait RecordReader: Send {
    /// The next game; `None` at the end.
    ///
    /// # Errors
    /// When the game cannot be read. Unless the error is [fatal](RecordError::is_fatal), the next call goes on
    /// with the next game.
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError>;
}

/// Writes games to a stream. What a call wrote is complete: a file cut between two games is a good file.
pub trait RecordWriter: Send {
    /// Appends `record`.
    ///
    /// # Errors
    /// When the stream fails or the record cannot be expressed; nothing of such a record is written.
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError>;

    /// Hands what was written so far to the system, so that a crash loses no finished game.
    ///
    /// # Errors
    /// When the stream fails.
    fn flush(&mut self) -> Result<(), RecordError>;

    /// Writes what ends a file and flushes.
    ///
    /// # Errors
    /// When the stream fails.
    fn finish(self: Box<Self>) -> Result<(), RecordError>;
}

/// The games of a reader as an iterator that ends after a fatal error.
pub struct Records {
    reader: Option<Box<dyn RecordReader>>,
}

impl Records {
    /// Iterates over what `reader` reads.
    pub fn new(reader: Box<dyn RecordReader>) -> Records {
        Records { reader: Some(reader) }
    }
}

impl Iterator for Records {
    type Item = Result<GameRecord<String>, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.reader.as_mut()?.read().transpose();
        if matches!(&result, None | Some(Err(_))) && !matches!(&result, Some(Err(e)) if !e.is_fatal()) {
            self.reader = None;
        }
        result
    }
}
