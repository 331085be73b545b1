//! The six kinds of pieces.

use tesuji_game::Side;

/// White moves first.
pub const WHITE: Side = Side::First;
/// Black moves second.
pub const BLACK: Side = Side::Second;

/// A kind of piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Piece {
    /// Pawn.
    Pawn,
    /// Knight.
    Knight,
    /// Bishop.
    Bishop,
    /// Rook.
    Rook,
    /// Queen.
    Queen,
    /// King.
    King,
}

impl Piece {
    /// All kinds, pawn first, king last.
    pub const ALL: [Piece; 6] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];
    /// The pieces that a pawn may promote to, queen first.
    pub const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight];

    /// 0 for the pawn to 5 for the king.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind of `index`; `None` above 5.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Option<Piece> {
        match index {
            0 => Some(Piece::Pawn),
            1 => Some(Piece::Knight),
            2 => Some(Piece::Bishop),
            3 => Some(Piece::Rook),
            4 => Some(Piece::Queen),
            5 => Some(Piece::King),
            _ => None,
        }
    }

    /// `p n b r q k`.
    pub const fn letter(self) -> char {
        ['p', 'n', 'b', 'r', 'q', 'k'][self as usize]
    }

    /// The letter as FEN writes it: upper case for White.
    pub const fn fen_letter(self, side: Side) -> char {
        match side {
            Side::First => self.letter().to_ascii_uppercase(),
            Side::Second => self.letter(),
        }
    }

    /// The kind that a letter of either case names.
    pub const fn from_letter(letter: char) -> Option<Piece> {
        match letter.to_ascii_lowercase() {
            'p' => Some(Piece::Pawn),
            'n' => Some(Piece::Knight),
            'b' => Some(Piece::Bishop),
            'r' => Some(Piece::Rook),
            'q' => Some(Piece::Queen),
            'k' => Some(Piece::King),
            _ => None,
        }
    }
}
