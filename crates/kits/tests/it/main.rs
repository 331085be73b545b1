//! The games as others see them.

mod bench;
mod formats;
mod nnue;
mod suites;
mod sums;
