//! Readers and writers of record formats, as objects: anyone who opened the stream need not know the format.

use crate::{GameRecord, Note, RecordError};
use std::io::{BufRead, Write};

/// A format that games are stored in. A value of it is stateless; readers and writers carry the state.
pub trait RecordFormat: Sync {
    /// Its short name: `pgn`, `sgs`.
    fn name(&self) -> &'static str;

    /// Endings of file names, without the dot, the usual one first.
    fn extensions(&self) -> &'static [&'static str];

    /// A reader of the games in `input`, one after another.
    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader>;

    /// The number of bytes at the beginning of `block`, which begins with a game, that are whole games: readers can then work on many
    /// blocks at once, and files can be joined by joining their bytes. `None`: this format cannot be cut. 0: there is no
    /// whole game, or none is seen to be.
    fn whole(&self, _block: &[u8]) -> Option<usize> {
        None
    }

    /// Whether other programs read only the first game of a file.
    fn is_of_one_game(&self) -> bool {
        false
    }

    /// Whether a move without a value stays one. Elsewhere it looks like a move of value 0.
    fn tells_unvalued(&self) -> bool;

    /// The parts of a game that files of this format cannot hold, so that nobody loses them unawares. `testkit::formats` checks that
    /// nothing else is lost, and that these are.
    fn drops(&self) -> &'static [Part];

    /// The number of moves of the main line of `game` that its writer leaves out.
    fn moves_left_out(&self, game: &GameRecord<String>) -> u64;

    /// Whether games keep their tags. Elsewhere anyone who needs one again writes it beside the file.
    fn keeps_tags(&self) -> bool {
        !self.drops().contains(&Part::Tags)
    }

    /// A writer that appends games to `output`.
    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter>;
}

/// Something that a game may say beside its moves and its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Moves beside the main line.
    Variations,
    /// Words.
    Comments,
    /// Numeric annotation glyphs.
    Glyphs,
    /// Time spent on moves.
    Times,
    /// Time left.
    Clocks,
    /// Values of searches.
    Values,
    /// Depths and nodes of searches.
    Depths,
    /// Visits of moves.
    Visits,
    /// Tags, but for label and title.
    Tags,
    /// Tags, but for these.
    TagsBut(&'static [&'static str]),
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 9] = [
        Part::Variations,
        Part::Comments,
        Part::Glyphs,
        Part::Times,
        Part::Clocks,
        Part::Values,
        Part::Depths,
        Part::Visits,
        Part::Tags,
    ];

    /// All but [`Part::Values`]: what packed games and positions have no place for.
    pub const BUT_VALUES: [Part; 8] = [
        Part::Variations,
        Part::Comments,
        Part::Glyphs,
        Part::Times,
        Part::Clocks,
        Part::Depths,
        Part::Visits,
        Part::Tags,
    ];

    /// Its name.
    pub fn words(self) -> &'static str {
        match self {
            Part::Variations => "variations",
            Part::Comments => "comments",
            Part::Glyphs => "glyphs",
            Part::Times => "times",
            Part::Clocks => "clocks",
            Part::Values => "values",
            Part::Depths => "depths and nodes",
            Part::Visits => "visits",
            Part::Tags => "tags",
            Part::TagsBut(_) => "names and other tags",
        }
    }

    /// Whether `game` has it.
    pub fn is_in<M>(self, game: &GameRecord<M>) -> bool {
        let noted = |says: fn(&Note) -> bool| game.notes.iter().any(says);
        match self {
            Part::Variations => game.has_variations(),
            Part::Comments => noted(|note| !note.comment.is_empty()),
            Part::Glyphs => noted(|note| !note.glyphs.is_empty()),
            Part::Times => noted(|note| note.spent.is_some() || note.told.is_some()),
            Part::Clocks => noted(|note| note.left.is_some()),
            Part::Values => noted(|note| note.value.is_some()),
            Part::Depths => noted(|note| note.depth.is_some() || note.nodes.is_some()),
            Part::Visits => noted(|note| !note.visits.is_empty()),
            Part::Tags => Part::TagsBut(&["Label", "Title"]).is_in(game),
            Part::TagsBut(kept) => game.tags.iter().any(|(name, _)| !kept.contains(&name.as_str())),
        }
    }
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
