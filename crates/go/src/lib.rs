//! Go: boards, rules, scoring, life and ladders, record formats. Knows nothing about who is winning.
//!
//! ```
//! use tesuji_game::{Game, Line, Notation, Position};
//! use tesuji_go::{Go, GtpNotation, Rules, Small};
//!
//! let rules: Rules = "9x9 japanese komi 6.5".parse()?;
//! let mut game = Line::new(Go::<Small>::start(&rules));
//! for text in ["E5", "C4", "pass", "pass"] {
//!     let mv = GtpNotation::parse_move(game.here(), text)?;
//!     assert!(game.here().allows(mv, game.past()));
//!     game.push(mv);
//! }
//! assert_eq!(game.outcome().map(|end| end.winner), Some(Some(tesuji_go::WHITE)));
//! # Ok::<(), tesuji_game::NotationError>(())
//! ```

mod area;
mod board;
mod colour;
pub mod fuzz;
mod fuzz_records;
mod game;
pub mod handicap;
pub mod ladder;
pub mod ladder_without_ko;
pub mod life;
pub mod list;
pub mod nakade;
pub mod notation;
pub mod owned;
pub mod perft;
mod position;
pub mod race;
pub mod reading;
mod regions;
mod rules;
mod rules_text;
pub mod score;
pub mod sgf;
mod size;
mod symmetry;
mod tactical;
mod tactics;
mod undo;
mod vertex;
mod zobrist;

pub use area::{Area, Bits, Cell, CellMap, CellSet, Grid, Large, Medium, Small};
pub use board::Board;
pub use colour::Colour;
pub use game::{Go, GoDoor, door};
pub use notation::GtpNotation;
pub use position::{Change, GoPosition, Mark, SetupError, Undo};
pub use rules::{Bonus, Ko, Preset, Rules, Scoring, Tax};
pub use rules_text::parse_komi;
pub use size::Size;
pub use symmetry::Symmetry;
use tesuji_game::Side;
pub use undo::BoardUndo;
pub use vertex::{Move, Vertex};

/// Black moves first.
pub const BLACK: Side = Side::First;
/// White moves second.
pub const WHITE: Side = Side::Second;
