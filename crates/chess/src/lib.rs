//! Chess and Chess960: rules, notation, exchanges, record formats. Knows nothing about who is winning.

pub mod attacks;
mod bitboard;
mod moves;
mod piece;
mod square;

pub use bitboard::{Bitboard, bitboard_of};
pub use moves::Move;
pub use piece::{BLACK, Piece, WHITE};
pub use square::Square;
