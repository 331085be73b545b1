//! Chess and Chess960: rules, notation, exchanges, record formats. Knows nothing about who is winning.

pub mod attacks;
mod bitboard;
mod board;
pub mod chess960;
mod coordinates;
mod ending;
pub mod epd;
mod facts;
pub mod fen;
pub mod fuzz;
mod fuzz_packed;
mod fuzz_texts;
mod kept;
pub mod labelled;
mod lines;
mod mating;
mod movegen;
mod moves;
mod notation;
pub mod packed;
pub mod perft;
pub mod pgn;
mod piece;
mod play;
mod rules;
pub mod san;
mod see;
pub mod selftest;
pub mod sgs;
mod square;
mod survey;
mod zobrist;

pub use bitboard::{Bitboard, bitboard_of};
pub use board::Board;
pub use moves::Move;
pub use notation::{Chess, UciNotation};
pub use piece::{BLACK, Piece, WHITE};
pub use play::Change;
pub use rules::Rules;
pub use see::EXCHANGE_CP;
pub use square::Square;
pub use survey::ChessSurvey;

/// The dark squares.
pub const DARK: Bitboard = Bitboard::DARK;
/// The light squares.
pub const LIGHT: Bitboard = Bitboard::LIGHT;
