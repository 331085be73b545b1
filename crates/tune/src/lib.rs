//! Weights from samples: a logistic model on the evaluation's linear terms, learned by gradients, step by step or by
//! evolution. Plays no games.
//!
//! Texel's method (P. Österlund, 2014) as linear algebra: since the evaluation is linear in its weights, a board is a
//! sparse row of counts, and the gradient of the loss is exact. The weighting by plies left is V. Medvedev's (GreKo,
//! 2016) and A. Kernozhitsky's (SoFCheck, 2020).
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod adam;
mod attempt;
mod bootstrap;
mod canon;
mod chances;
mod compare;
pub mod contests;
mod coordinate;
mod cross;
mod evidence;
mod evolution;
mod files;
mod journal;
mod lbfgs;
mod learn;
mod loss;
mod model;
mod objective;
mod pair;
mod reach;
mod set;
mod settings;
mod spsa;
mod trained;

pub use canon::{Canon, PieceTable};
pub use chances::{Chances, Fates};
pub use compare::Comparison;
pub use files::{FileError, load_weights, old_name, read_weights, save_weights};
pub use learn::{learn, learn_real, learn_with};
pub use loss::Loss;
pub use model::{K_UNKNOWN, fit_k};
pub use set::Set;
pub use settings::{Method, TuneSettings};
pub use spsa::{Parameter, SPSA_RATE, Spsa};
pub use trained::{Event, Kept, LearnedChange, Progress, RunEnd, Trained, TuneError};
