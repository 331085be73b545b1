//! Efficiently updatable networks for shogi: what their inputs mean, and shapes in use by name.

mod features;
mod shapes;
mod yaneuraou;

pub use features::ShogiFeatures;
pub use shapes::{SHAPES, shape};
pub use yaneuraou::{fv_scale, is_yaneuraou, read_yaneuraou, write_yaneuraou};
