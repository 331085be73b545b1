//! The games as others see them.

mod bench;
mod nnue;
mod suites;
mod sums;
