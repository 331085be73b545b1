//! Shogi: rules, notation, exchanges, packed forms, record formats. Knows nothing about who is winning.

pub mod attacks;
mod bitboard;
mod board;
mod entering;
mod hand;
mod mating;
mod movegen;
mod moves;
pub mod perft;
mod piece;
mod play;
mod repetition;
mod rules;
mod see;
mod setup;
pub mod sfen;
mod square;
mod tactical;
mod zobrist;

pub use bitboard::Bitboard;
pub use board::Board;
pub use hand::Hand;
pub use moves::Move;
pub use piece::{BLACK, Piece, WHITE};
pub use play::{Change, Mark};
pub use rules::{Declaration, HANDICAPS, Handicap, Rules, Shogi, UsiNotation, parse_usi};
pub use setup::{Setup, SetupError};
pub use square::Square;
pub use tactical::EXCHANGE_CP;
