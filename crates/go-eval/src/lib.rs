//! Evaluation of go positions by playouts: move choosers, playout statistics, priors learned from games, an oracle.
//!
//! Playouts run on the raw [`tesuji_go::Board`], never through [`tesuji_game::Position`], which is many times slower.
//!
//! ```
//! use tesuji_game::Random;
//! use tesuji_go::{GoPosition, Rules, Small};
//! use tesuji_go_eval::{Light, Totals};
//!
//! let rules: Rules = "9x9 chinese komi 7".parse()?;
//! let start = GoPosition::<Small>::start(&rules)?;
//! let mut totals = Totals::default();
//! totals.begin(&start);
//! totals.play(&start, None, 200, &mut Light, &mut Random::new(1));
//! assert!(totals.value().abs() < 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bakago;
mod blended;
mod count;
mod estimate;
pub mod fuzz;
mod gammas;
mod heavy;
mod learned;
mod move_features;
mod nets;
mod oracle;
pub mod patterns;
mod planes;
mod playout;
mod reasons;
mod shapes;
mod totals;
mod vital;

pub use blended::{BlendParameters, Blended};
pub use estimate::{Estimate, EstimateParameters};
pub use gammas::{Gammas, GammasError, Pattern};
pub use heavy::{Heavy, HeavyParameters};
pub use learned::{Learned, PlayoutStrengths};
pub use move_features::{Family, MoveFeatures, fill_features};
pub use nets::NETS;
pub use oracle::{PlayoutOracle, PlayoutParameters};
pub use planes::GoPlanes;
pub use playout::{Chooser, Ended, Light, play_out};
pub use reasons::{Likely, Reason};
pub use shapes::is_shape;
pub use totals::Totals;
