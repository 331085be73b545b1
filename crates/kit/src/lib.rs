//! What a game offers to the workshop: the trait `Kit` with all that every game must answer, its optional capabilities as traits, and
//! their implementations for any game. Names no game.

pub mod bench;
pub mod explain;
pub mod features;
mod kit;
pub mod mates;
pub mod networks;
mod pasted;
pub mod playouts;
mod records;
pub mod regions;
mod request;
mod rules_only;
pub mod rules_test;
mod skip;
pub mod think;
pub mod tuning;

pub use kit::{Kit, KitError};
pub use pasted::Pasted;
pub use records::open_records;
pub use request::RequestError;
pub use rules_only::RulesOnly;
pub use rules_test::{Perft, PerftRequest, RulesTest, Selftest, SelftestRequest};
pub use skip::{SkipErrors, complain};

use tesuji_game::{Game, Notation, Position};

/// The moves of a game.
pub type MoveOf<G> = <<G as Game>::Position as Position>::Move;

/// A position in its game's notation.
pub fn position_text<G: Game>(pos: &G::Position) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = G::Notation::write_position(pos, &mut text);
    text
}

/// A move in its game's notation.
pub fn move_text<G: Game>(pos: &G::Position, mv: MoveOf<G>) -> String {
    let mut text = String::new();
    let _ = G::Notation::write_move(pos, mv, &mut text);
    text
}
