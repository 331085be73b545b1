//! The rules of shogi against published figures and other implementations.

mod cshogi;
mod laws;
mod mates;
mod oracles;
mod published;
mod rules;
mod speed;
mod texts;
