//! Work on files of games and positions of any size: read in blocks by many threads, written in order, gone on with after an interruption.

mod dedup;
mod encode;
mod error;
mod format;
mod growing;
mod inputs;
pub(crate) mod parquet;
mod run;
mod shuffle;
mod sieve;
mod sink;
mod source;
mod spill;
mod stock;
mod summary;
mod work;

pub use dedup::dedup;
use encode::Left;
pub use encode::{Items, Lens};
pub use error::DataError;
pub use format::{Format, Input};
pub use growing::GameEncoder;
pub(crate) use inputs::file_name;
pub use inputs::{inputs_of, known_format};
pub use run::{Item, Job, KeepGame, OTHER_RESULT, Routed, Tally, convert, each, recode};
pub use shuffle::shuffle;
pub use sieve::{ENDINGS, Sieve, split_of};
pub use sink::Output;
pub use source::peek;
pub use spill::{Collected, Sorted, Spill};
pub use stock::Stock;
pub use summary::{Histogram, Summary, summarise};
pub use work::is_stopped;
