//! The rules of shogi against published figures and other implementations.

mod laws;
mod oracles;
mod published;
mod rules;
mod speed;
mod texts;
