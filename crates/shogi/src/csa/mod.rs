//! CSA, the format of the Computer Shogi Association (versions 2 and 3), with what floodgate adds: values, lines and ratings in comments.
//!
//! CSA has one line of moves: variations of a record are not written. What it has no word for stands in comments that only
//! we read: `'depth=12 nodes=3456`, `'outcome:black adjudication`, `'Name:value` for tags.

mod position;
mod read;
mod server;
mod write;

pub use position::{csa_move, parse_csa_move, parse_csa_position, write_csa_position};
pub use server::{CsaResult, Said, Summary, SummaryError, Times, outcome, said};

use std::io::{BufRead, Write};
use tesuji_record::{GameRecord, Part, RecordFormat, RecordReader, RecordWriter};

/// The format CSA.
#[derive(Debug, Clone, Copy)]
pub struct Csa;

impl RecordFormat for Csa {
    fn name(&self) -> &'static str {
        "csa"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["csa"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(read::Reader::new(input))
    }

    fn drops(&self) -> &'static [Part] {
        &[Part::Variations, Part::Visits]
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(write::Writer { output, record: 0 })
    }
}

/// Header fields of CSA files and the tags that they become.
const TAGS: [(&str, &str); 9] = [
    ("N+", "Black"),
    ("N-", "White"),
    ("$EVENT:", "Event"),
    ("$SITE:", "Site"),
    ("$START_TIME:", "GameStartTime"),
    ("$END_TIME:", "GameEndTime"),
    ("$TIME_LIMIT:", "TimeLimit"),
    ("$OPENING:", "Opening"),
    ("$NOTE:", "Note"),
];

/// The tag that tells the rules of declaration, where they are not the usual ones.
const RULES: &str = "Rules";
