//! The games as others see them.

mod bench;
mod suites;
mod sums;
