//! Shogi: rules, notation, exchanges, packed forms, record formats. Knows nothing about who is winning.
//!
//! ```
//! use tesuji_game::{Game, Notation, Position};
//! use tesuji_shogi::{Rules, Shogi, UsiNotation};
//!
//! let mut board = Shogi::start(&Rules::default());
//! let mv = UsiNotation::parse_move(&board, "7g7f")?;
//! board.play(mv);
//! assert_eq!(board.to_string(), "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2");
//! assert_eq!(board.count_moves(), 30);
//! # Ok::<(), tesuji_game::NotationError>(())
//! ```

mod apery_key;
pub mod attacks;
mod bitboard;
mod board;
pub mod csa;
mod declaration;
mod endings;
mod entering;
mod facts;
mod figures;
pub mod fuzz;
mod fuzz_formats;
mod hand;
pub mod japanese;
pub mod kif;
pub mod labelled;
mod lines;
mod mate_at_once;
mod mating;
mod movegen;
mod moves;
pub mod packed;
pub mod perft;
mod piece;
mod play;
mod record;
mod repetition;
mod rules;
mod see;
pub mod selftest;
mod setup;
pub mod sfen;
mod square;
mod survey;
mod tactical;
mod zobrist;

pub use apery_key::apery_key;
pub use bitboard::Bitboard;
pub use board::Board;
pub use declaration::Declaration;
pub use hand::Hand;
pub use moves::Move;
pub use piece::{BLACK, Piece, WHITE};
pub use play::Change;
pub use repetition::Mark;
pub use rules::{HANDICAPS, Handicap, Rules, Shogi, UsiNotation, parse_usi};
pub use see::EXCHANGE_CP;
pub use setup::{Setup, SetupError};
pub use square::Square;
pub use survey::ShogiSurvey;

/// The formats of games, the preferred one first.
pub static FORMATS: &[&dyn tesuji_record::RecordFormat] =
    &[&csa::Csa, &kif::Kif::KIF, &kif::Kif::KIFU, &kif::Kif::KI2, &kif::Kif::KI2U, &packed::Hcpe3Format];
