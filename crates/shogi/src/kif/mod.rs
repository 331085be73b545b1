//! KIF and KI2, the formats of Japanese shogi programs: variations, comments, times, handicaps, boards; in Shift-JIS (code page 932) or
//! UTF-8.
//!
//! One reader takes both formats in both charsets, and finds the charset by itself. Other programs go by the ending: `.kif` and `.ki2` are
//! Shift-JIS, `.kifu` and `.ki2u` UTF-8. What they have no word for stands in comments that only we read:
//! `*評価値=30` (for Black), `*depth=12 nodes=3456`, `#outcome:black adjudication`.

mod bod;
mod head;
mod read;
mod write;

pub use bod::{parse_bod, write_bod};

use std::io::{BufRead, Write};
use tesuji_record::{GameRecord, Part, RecordFormat, RecordReader, RecordWriter};

/// One of the two formats in one of the two charsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kif {
    /// Moves in words, many to a line: KI2.
    words: bool,
    shift_jis: bool,
}

impl Kif {
    /// KIF in Shift-JIS, which other programs expect under this name.
    pub const KIF: Kif = Kif { words: false, shift_jis: true };
    /// KIF in UTF-8.
    pub const KIFU: Kif = Kif { words: false, shift_jis: false };
    /// KI2 in Shift-JIS.
    pub const KI2: Kif = Kif { words: true, shift_jis: true };
    /// KI2 in UTF-8.
    pub const KI2U: Kif = Kif { words: true, shift_jis: false };
}

impl RecordFormat for Kif {
    fn name(&self) -> &'static str {
        match (self.words, self.shift_jis) {
            (false, true) => "kif",
            (false, false) => "kifu",
            (true, true) => "ki2",
            (true, false) => "ki2u",
        }
    }

    fn extensions(&self) -> &'static [&'static str] {
        match (self.words, self.shift_jis) {
            // `kif-sjis` was its name when `kif` was UTF-8.
            (false, true) => &["kif", "kif-sjis"],
            (false, false) => &["kifu"],
            (true, true) => &["ki2", "ki2-sjis"],
            (true, false) => &["ki2u"],
        }
    }

    fn is_of_one_game(&self) -> bool {
        true
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(read::Reader::new(input))
    }

    fn drops(&self) -> &'static [Part] {
        &[Part::Visits]
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(write::Writer { output, record: 0, format: *self })
    }
}

/// The prefix of a value in a comment; the value is for Black.
const VALUE: &str = "評価値=";
/// The prefix of our words for an outcome.
const OUTCOME: &str = "#outcome:";
