//! The rules of shogi against published figures and other implementations.

mod cshogi;
mod invariants;
mod mates;
mod oracles;
mod packed;
mod published;
mod records;
mod records_of_others;
mod rules;
mod samples;
mod selftest;
mod speed;
mod texts;
mod words;
