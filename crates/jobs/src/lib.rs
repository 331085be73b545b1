//! Long work: progress with rate and time left, a clean stop by Ctrl-C, files that are whole or absent, journals that survive a kill. The same for a terminal and the page.

mod bounded;
mod bundle;
mod files;
mod interrupt;
mod journal;
pub mod leash;
mod ordered;
mod progress;
pub mod words;
mod zipped;

pub use bounded::{open_bounded, read_bounded, read_text_bounded};
pub use bundle::{Member, each_member};
pub use files::{AtomicFile, open_input, open_watched};
pub use interrupt::Interrupt;
pub use journal::LineJournal;
pub use ordered::in_order;
pub use progress::{Progress, Show, duration_text};
