//! An engine at work: a player drives a searcher in text, a session joins it to a protocol. Opens no files, names no game.
//!
//! [`Player`] is an engine without a protocol: [`SearchPlayer`] makes one of any searcher, [`Weakened`] lets it play weaker.
//! [`Session`] lets a player speak a protocol. [`Judge`] reviews games: what each move costs.

mod account;
mod analysis;
pub mod fuzz;
mod mating;
mod player;
mod review;
mod saved;
mod search_player;
mod session;
mod strength;
mod tree;
mod wrapper;

pub use account::{Account, PhaseSums, Term};
pub use analysis::{AnalysisServer, AnalysisSettings};
pub use mating::Mates;
pub use player::{Handicap, HandicapError, Placed, Player, PlayerError};
pub use review::{Judge, MistakeKind, MoveVerdict, Reviewed, Scale, expected_of_value, expected_result};
pub use saved::{SavedTree, SavedTreeError};
pub use search_player::SearchPlayer;
pub use session::{Bench, Host, Identity, Session, SessionOptions};
pub use strength::{Ladder, LadderError, Strength, Weakened};
pub use tree::{LiveTree, TreeBounds, TreeCopy, TreeNode, copy_tree};
pub use wrapper::Wrapper;
