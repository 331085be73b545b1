//! Efficiently updatable networks for chess: what their inputs mean, and shapes in use by name.

mod features;
mod shapes;

pub use features::ChessFeatures;
pub use shapes::{SHAPES, shape};
