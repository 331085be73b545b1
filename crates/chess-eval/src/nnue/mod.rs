//! Efficiently updatable networks for chess: what their inputs mean, and shapes in use by name.

mod features;
mod shapes;

/// The network that the program is built with, as a file; its origin says which games it learned from.
pub const NETWORK: &[u8] = include_bytes!("../../data/net.nnue");

pub use features::ChessFeatures;
pub use shapes::{SHAPES, shape};
