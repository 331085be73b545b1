//! The Chess Engine Communication Protocol, version 2 (Tim Mann and H. G. Muller): both ends.
//!
//! Moves are asked for in coordinates (`san=0`). After the first `go` of a game the engine answers each `usermove` by
//! itself; a change of the board that is not one move of the opponent goes through `force`. Castling in Chess960 is `O-O`
//! there, and the king's square with the rook's for everybody else; some engines write it so in the usual game, too. Engines that do
//! not announce `setboard` get positions by `edit`.

mod castling;
mod edit;
mod engine;
mod features;
mod level;
mod runner;
mod thinking;

pub use engine::XboardEngine;
pub use runner::XboardRunner;
