//! Games on record: a tree of steps with notes beside them, the door of a game for those who speak text, and the traits of record formats. Opens no files.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod blocks;
mod buffer;
pub mod cases;
mod door;
mod error;
mod format;
mod note;
pub mod perft;
mod record;
mod sample;
mod short_cut;
pub mod transcript;

pub use blocks::{Block, Blocks};
pub use buffer::SharedBuffer;
pub use door::{AnyGame, HasDoor, Of, RulesTable, format_of_name, of};
pub use error::{Fault, RecordError};
pub use format::{PACKED_ENDINGS, Part, RecordFormat, RecordReader, RecordWriter, Records, unpacked_name};
pub use note::Note;
pub use record::{CLAIMED_RESULT, GameRecord, Node, Step, Tree};
pub use sample::{
    Facts, Hash, Sample, SampleFormat, Survey, fingerprint, half_points, outcome_of, score_by, score_for, score_of,
    value_of,
};
pub use short_cut::{Ask, Labels, ShortCut};
