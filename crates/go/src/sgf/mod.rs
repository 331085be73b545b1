//! Smart Game Format: games of go in FF\[4\], read with patience for older and careless files, and written.
//!
//! `docs/formats.md` explains how a record is written in SGF. [`SgfTree`] is the file itself, nothing interpreted.

mod charset;
mod extras;
mod head;
mod info;
mod note;
mod numbers;
mod parse;
pub(crate) mod points;
mod read;
mod result;
mod source;
mod table;
mod tree;
mod write;

pub(crate) use head::{komi_text, rules_text, said_in};
pub(crate) use info::{read_komi, rules_named};
pub(crate) use result::{read_result, result_text};
pub use tree::{Property, SgfTree, composed, escape, simple_text, text};

use std::io::{BufRead, Write};
use tesuji_record::{GameRecord, Part, RecordFormat, RecordReader, RecordWriter};

/// The format SGF, for games of go.
#[derive(Debug, Clone, Copy)]
pub struct Sgf;

impl RecordFormat for Sgf {
    fn name(&self) -> &'static str {
        "sgf"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["sgf"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(read::Reader::new(input))
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn drops(&self) -> &'static [Part] {
        &[]
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(write::Writer::new(output))
    }
}
