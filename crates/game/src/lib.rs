//! The vocabulary that all crates of Tesuji share: sides, positions, lines, values, limits, reports, trees. No I/O, no clock, no threads, no game names.
//!
//! A game implements [`Position`] (and [`Tactical`] where depth-first search is wanted, [`Mating`] where mates are
//! solved); searches, matches and learning are written over these traits and never name a game.

mod cache_counts;
pub mod fnv;
pub mod invariants;
mod limits;
mod line;
mod notation;
mod note;
mod oracle;
mod outcome;
mod position;
mod random;
mod reason;
mod report;
mod side;
mod tree;
mod value;
mod win_model;

pub use cache_counts::CacheCounts;
pub use limits::{Clock, Limits};
pub use line::Line;
pub use notation::{Game, MoveOf, Notation, NotationError, move_text, position_text};
pub use note::{BestFirstNote, MateNote, NodeNote, NoteError};
pub use oracle::{Answer, AsFirst, Encoding, Oracle, OracleError, Query, Shape};
pub use outcome::{By, Outcome};
pub use position::{Evaluator, Hand, Mating, Position, Tactical, through_pointer};
pub use random::Random;
pub use reason::{Label, NodeMark, Reason};
pub use report::{Bound, Candidate, Choice, Report, Signal, Wants, Watch, Wdl};
pub use side::{FirstSide, Key, Side};
pub use tree::{TreeRow, TreeView};
pub use value::Value;
pub use win_model::WinModel;
