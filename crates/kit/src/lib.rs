//! What a game offers to the workshop: the trait `Kit` with all that every game must answer. Names no game.

mod kit;
mod rules_only;

pub use kit::{Kit, KitError};
pub use rules_only::RulesOnly;
