//! Shogi as a game: its handicaps and rules of declaration, its start, its moves in the words of USI.

use crate::{Board, Declaration, Move, Piece, Square, japanese, sfen};
use std::{fmt, str::FromStr};
use tesuji_game::{Game, Notation, NotationError, Position};

/// The handicap that the stronger player gives, who is White and moves first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Handicap {
    /// Nothing.
    #[default]
    Even,
    /// The left lance, on 1a.
    Lance,
    /// The right lance, on 9a.
    RightLance,
    /// The bishop.
    Bishop,
    /// The rook.
    Rook,
    /// Rook and left lance.
    RookLance,
    /// Rook and bishop.
    Two,
    /// Rook, bishop and the right lance.
    Three,
    /// Rook, bishop and both lances.
    Four,
    /// Rook, bishop, both lances and the right knight, on 8a.
    Five,
    /// Rook, bishop, both lances and the left knight, on 2a.
    LeftFive,
    /// Rook, bishop, lances and knights.
    Six,
    /// Rook, bishop, lances, knights and the right silver, on 7a.
    Seven,
    /// Rook, bishop, lances, knights and the left silver, on 3a.
    LeftSeven,
    /// Rook, bishop, lances, knights and silvers.
    Eight,
    /// Everything but king and pawns.
    Ten,
}

/// Each handicap, its name in texts of rules and its position.
pub const HANDICAPS: [(Handicap, &str, &str); 16] = [
    (Handicap::Even, "even", sfen::START),
    (Handicap::Lance, "lance", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::RightLance, "right-lance", "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::Bishop, "bishop", "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::Rook, "rook", "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::RookLance, "rook-lance", "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::Two, "2-piece", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::Three, "3-piece", "1nsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::Four, "4-piece", "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::Five, "5-piece", "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::LeftFive, "left-5-piece", "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::Six, "6-piece", "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::Seven, "7-piece", "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::LeftSeven, "left-7-piece", "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::Eight, "8-piece", "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Handicap::Ten, "10-piece", "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
];

/// The start and the end of a game: handicap and declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// The handicap: the pieces that White starts without.
    pub handicap: Handicap,
    /// The declaration rule for an entered king.
    pub declaration: Declaration,
}

/// The words that differ from the default, which is the empty text: `2-piece try`.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handicap = HANDICAPS.iter().find(|h| h.0 == self.handicap && h.0 != Handicap::Even).map(|h| h.1);
        let named = |d: &&(Declaration, &str)| d.0 == self.declaration && d.0 != Declaration::default();
        let declaration = Declaration::NAMES.iter().find(named).map(|d| d.1);
        let words: Vec<&str> = handicap.into_iter().chain(declaration).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Rules {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Rules, NotationError> {
        let mut rules = Rules::default();
        for word in text.split_ascii_whitespace() {
            if let Some(&(handicap, ..)) = HANDICAPS.iter().find(|h| h.1.eq_ignore_ascii_case(word)) {
                rules.handicap = handicap;
            } else if let Some(&(declaration, _)) = Declaration::NAMES.iter().find(|d| d.1.eq_ignore_ascii_case(word)) {
                rules.declaration = declaration;
            } else if !word.eq_ignore_ascii_case("shogi") {
                let at = word.as_ptr() as usize - text.as_ptr() as usize;
                let expected = "a handicap (even, lance, bishop, rook, 2-piece to 10-piece), 27-points, 24-points, try \
                                or no-declaration";
                return Err(NotationError::Syntax { at, expected });
            }
        }
        Ok(rules)
    }
}

/// Shogi.
pub struct Shogi;

impl Game for Shogi {
    const NAME: &'static str = "shogi";
    type Position = Board;
    type Notation = UsiNotation;
    type Rules = Rules;

    fn start(rules: &Rules) -> Board {
        let sfen = HANDICAPS.iter().find(|h| h.0 == rules.handicap).map_or(sfen::START, |h| h.2);
        // The table is checked by a test; a board without pieces stands for a mistake in it.
        sfen::parse(sfen).unwrap_or(Board::empty()).with_declaration(rules.declaration)
    }
}

/// SFEN and moves as USI writes them: `7g7f`, `8h2b+`, `P*5e`.
pub struct UsiNotation;

impl Notation<Board, Rules> for UsiNotation {
    /// `startpos` is the start under these rules.
    fn parse_position(rules: &Rules, text: &str) -> Result<Board, NotationError> {
        if text.trim() == "startpos" {
            Ok(Shogi::start(rules))
        } else {
            Ok(sfen::parse(text)?.with_declaration(rules.declaration))
        }
    }

    fn write_position(board: &Board, out: &mut dyn fmt::Write) -> fmt::Result {
        sfen::write(board, out)
    }

    fn parse_move(board: &Board, text: &str) -> Result<Move, NotationError> {
        let mv = parse_usi(text)?;
        board.unpack(Board::pack(mv)).ok_or_else(|| NotationError::IllegalMove { text: text.to_string() })
    }

    fn write_readable(board: &Board, mv: Move, out: &mut dyn fmt::Write) -> fmt::Result {
        let mark = ["☗", "☖"][board.side_to_move().index()];
        write!(out, "{mark}{}", japanese::in_words(board, mv, None))
    }

    fn parse_readable(board: &Board, text: &str) -> Result<Move, NotationError> {
        let bare = text.trim_start_matches(['☗', '☖', '▲', '△']);
        let japanese_or_western =
            || japanese::parse(board, bare, None).or_else(|| japanese::parse_western(board, bare));
        Self::parse_move(board, text).or_else(|error| japanese_or_western().ok_or(error))
    }

    fn write_move(_: &Board, mv: Move, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{mv}")
    }
}

/// Reads a move of USI without a board.
///
/// # Errors
/// For words that are no moves; whether a move is legal is not asked.
pub fn parse_usi(text: &str) -> Result<Move, NotationError> {
    if text.is_empty() {
        return Err(NotationError::Empty);
    }
    let square = |at: usize| {
        let word = text.get(at..at + 2).and_then(Square::parse);
        word.ok_or(NotationError::Syntax { at, expected: "a square from 1a to 9i" })
    };
    if text.as_bytes().get(1) == Some(&b'*') {
        let piece = text.chars().next().filter(char::is_ascii_uppercase).and_then(Piece::from_letter);
        let piece = piece.filter(|p| p.is_droppable());
        let piece = piece.ok_or(NotationError::Syntax { at: 0, expected: "P, L, N, S, B, R or G before *" })?;
        let to = square(2)?;
        return match text.len() {
            4 => Ok(Move::drop(piece, to)),
            _ => Err(NotationError::Syntax { at: 4, expected: "nothing after a drop" }),
        };
    }
    let (from, to) = (square(0)?, square(2)?);
    match &text[4..] {
        _ if from == to => Err(NotationError::Syntax { at: 2, expected: "another square than the first" }),
        "" => Ok(Move::normal(from, to)),
        "+" => Ok(Move::promote(from, to)),
        _ => Err(NotationError::Syntax { at: 4, expected: "+ or nothing" }),
    }
}
