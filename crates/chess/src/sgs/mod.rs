//! SoFGameSet 1.0: games as lines of commands, with what else is known in commands that other readers ignore.
//!
//! The grammar of the format and of our extensions stands in `docs/formats.md`.

mod notes;
mod read;
mod write;

use std::io::{BufRead, Write};
use tesuji_record::{RecordFormat, RecordReader, RecordWriter};

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
        "sgs"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["sgs"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(read::Reader::new(input))
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(write::Writer::new(output, self.extended))
    }
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
