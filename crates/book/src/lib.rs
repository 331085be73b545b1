//! An engine's memory between games: learned positions with their reliability (SQLite), opening books of weighted moves (text, Polyglot,
//! YaneuraOu, Apery). Never names a game: positions and moves are text.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod apery;
pub mod fuzz;
mod learned;
mod lines;
mod polyglot;
mod yaneuraou;

pub use apery::{Apery, AperyEntry, AperyError};
pub use learned::{Learned, LearnedError, Memory, POSITIONS_MAX};
pub use lines::{Book, BookError, BookMove};
pub use polyglot::{Polyglot, PolyglotError, PolyglotMove};
pub use yaneuraou::{Yaneuraou, YaneuraouError, YaneuraouMove};
