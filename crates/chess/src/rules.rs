//! The rules by which chess is played: the usual ones, or those of Chess960.

use std::{fmt, str::FromStr};
use tesuji_game::NotationError;

/// Chess, or Chess960.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// King and rooks may start elsewhere; castling is written as king takes rook.
    pub chess960: bool,
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.chess960 { "chess960" } else { "" })
    }
}

impl FromStr for Rules {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Rules, NotationError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "" | "chess" | "standard" => Ok(Rules { chess960: false }),
            "chess960" | "fischerandom" => Ok(Rules { chess960: true }),
            _ => Err(NotationError::Syntax { at: 0, expected: "chess or chess960" }),
        }
    }
}
