//! Portable Game Notation: games with tags, variations, comments that carry values and clocks, read with patience and written with care.
//!
//! What our comments say (`{+0.31/12 0.052s, n=12345}`) stands in `docs/formats.md`.

mod comment;
mod read;
mod tags;
mod tokens;
mod write;

use std::io::{BufRead, Write};
use tesuji_record::{RecordFormat, RecordReader, RecordWriter};

/// The format PGN.
#[derive(Debug, Clone, Copy)]
pub struct Pgn;

impl RecordFormat for Pgn {
    fn name(&self) -> &'static str {
        "pgn"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["pgn"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(read::Reader::new(input))
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(write::Writer::new(output))
    }
}
