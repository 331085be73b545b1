//! Go: boards, rules, scoring, life and ladders, record formats. Knows nothing about who is winning.

mod area;
mod board;
mod colour;
pub mod fuzz;
mod game;
pub mod handicap;
pub mod ladder;
pub mod life;
pub mod nakade;
pub mod notation;
pub mod perft;
mod position;
mod regions;
mod rules;
mod rules_text;
pub mod score;
mod size;
mod symmetry;
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
