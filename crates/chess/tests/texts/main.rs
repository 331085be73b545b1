//! The texts of chess: notation, record formats, the selftest; against other implementations, real files and themselves.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod blocks;
mod data;
mod packed;
mod parsers;
mod pgn;
mod pgn_speed;
mod records;
mod san;
mod selftest;
mod sgs;
