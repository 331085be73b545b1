//! The rules by which chess is played: the usual ones, or those of Chess960.

use std::{fmt, str::FromStr};
use tesuji_game::NotationError;

/// Chess, or Chess960.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// King and rooks may start elsewhere; castling is written as king takes rook.
    pub chess960: bool,
    /// Standard chess was asked for by name: castling rights that only Chess960 has are an error, and do not make a position
    /// one of Chess960.
    pub standard: bool,
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rules { chess960: true, .. } => "chess960",
            Rules { standard: true, .. } => "standard",
            _ => "",
        })
    }
}

impl FromStr for Rules {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Rules, NotationError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "" => Ok(Rules::default()),
            "chess" | "standard" => Ok(Rules { chess960: false, standard: true }),
            "chess960" | "fischerandom" => Ok(Rules { chess960: true, standard: false }),
            _ => Err(NotationError::Syntax { at: 0, expected: "standard or chess960" }),
        }
    }
}
