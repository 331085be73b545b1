//! The games as others see them.

mod bench;
mod sums;
