//! SoFGameSet 1.0: games as lines of commands, with what else is known in commands that other readers ignore.
//!
//! The grammar of the format and of our extensions stands in `docs/formats.md`.

mod blocks;
mod notes;
mod read;
mod write;

use blocks::before_last_game;
pub use blocks::{SgsGames, count, games};
use std::io::{BufRead, Write};
use tesuji_record::{GameRecord, Part, RecordFormat, RecordReader, RecordWriter};

/// The format SoFGameSet 1.0.
#[derive(Debug, Clone, Copy)]
pub struct Sgs {
    /// Whether to write values, clocks, tags and reasons as commands that other readers ignore.
    pub extended: bool,
}

impl Sgs {
    /// With all that a record knows.
    pub const EXTENDED: Sgs = Sgs { extended: true };
    /// With the commands of SoFGameSet 1.0 alone.
    pub const PLAIN: Sgs = Sgs { extended: false };
}

impl RecordFormat for Sgs {
    fn name(&self) -> &'static str {
        if self.extended { "sgs" } else { "sgs-plain" }
    }

    fn extensions(&self) -> &'static [&'static str] {
        if self.extended { &["sgs"] } else { &[] }
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(read::Reader::<String>::new(input))
    }

    fn whole(&self, block: &[u8]) -> Option<usize> {
        Some(before_last_game(block))
    }

    fn drops(&self) -> &'static [Part] {
        if self.extended { &[Part::Variations] } else { &Part::ALL }
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(write::Writer::new(output, if self.extended { Layout::Extended } else { Layout::Plain }))
    }
}

/// The game sets of BattleField up to 0.9.11: a board for every position, no moves. They are read as all game sets are.
#[derive(Debug, Clone, Copy)]
pub struct Boards;

impl RecordFormat for Boards {
    fn name(&self) -> &'static str {
        "boards"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["boards"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(read::Reader::new(input))
    }

    fn whole(&self, block: &[u8]) -> Option<usize> {
        Some(before_last_game(block))
    }

    fn drops(&self) -> &'static [Part] {
        &Part::ALL
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(write::Writer::new(output, Layout::Boards))
    }
}

/// The parts of a game that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// The commands of SoFGameSet 1.0.
    Plain,
    /// All that the record knows.
    Extended,
    /// The commands of SoFGameSet 1.0, every position as a board.
    Boards,
}

/// The longest title, in characters.
const TITLE_MAX: usize = 4096;

/// Whether `label` may name a game: 1 to 64 of `0-9a-zA-Z_`.
fn is_label(label: &str) -> bool {
    (1..=64).contains(&label.len()) && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The title that stands for the players' names.
fn title_of_players(white: &str, black: &str) -> String {
    let title: String = format!("{white} vs {black}").chars().map(notes::plain).take(TITLE_MAX).collect();
    title.trim().to_string()
}
