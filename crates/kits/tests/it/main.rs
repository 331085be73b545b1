//! The games as others see them.

mod bench;
mod folders;
mod formats;
mod nnue;
mod suites;
mod sums;
