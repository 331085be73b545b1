//! Shared helpers of tests: a toy game, the invariants every game must keep, mock engines. A dev-dependency only.

pub mod conform;
pub mod formats;
pub mod four;
pub mod fuzz;
pub mod mock;
pub mod needs;
pub mod perft;
