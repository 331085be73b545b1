//! Efficiently updatable networks for shogi: what their inputs mean, and shapes in use by name.

mod features;
mod shapes;

pub use features::ShogiFeatures;
pub use shapes::{SHAPES, shape};
