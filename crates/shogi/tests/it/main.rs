//! The rules of shogi against published figures and other implementations.

mod laws;
mod oracles;
mod published;
