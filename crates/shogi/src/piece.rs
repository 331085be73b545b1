//! The fourteen kinds of pieces, eight as they start and six promoted.

use tesuji_game::Side;

/// Black (sente) moves first.
pub const BLACK: Side = Side::First;
/// White (gote) moves second.
pub const WHITE: Side = Side::Second;

/// A kind of piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Piece {
    /// Pawn (fu).
    Pawn,
    /// Lance (kyo).
    Lance,
    /// Knight (kei).
    Knight,
    /// Silver (gin).
    Silver,
    /// Bishop (kaku).
    Bishop,
    /// Rook (hisha).
    Rook,
    /// Gold (Kin).
    Gold,
    /// King (gyoku).
    King,
    /// Promoted pawn (tokin).
    ProPawn,
    /// Promoted lance (narikyo).
    ProLance,
    /// Promoted knight (narikei).
    ProKnight,
    /// Promoted silver (narigin).
    ProSilver,
    /// Promoted bishop (uma).
    Horse,
    /// Promoted rook (ryu).
    Dragon,
}

use Piece::{
    Bishop, Dragon, Gold, Horse, King, Knight, Lance, Pawn, ProKnight, ProLance, ProPawn, ProSilver, Rook, Silver,
};

impl Piece {
    /// All kinds by index.
    pub const ALL: [Piece; 14] =
        [Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight, ProSilver, Horse, Dragon];
    /// The kinds that can be held in hand, by index.
    pub const HAND: [Piece; 7] = [Pawn, Lance, Knight, Silver, Bishop, Rook, Gold];
    /// The number of pieces of each kind of [`Piece::HAND`] in a full set.
    pub const SET: [u8; 7] = [18, 4, 4, 4, 2, 2, 4];

    /// 0 for the pawn to 13 for the dragon.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind of `index`; `None` above 13.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Option<Piece> {
        if index < 14 { Some(Piece::ALL[index]) } else { None }
    }

    /// Whether this kind is the promoted side of another.
    #[inline(always)]
    pub const fn is_promoted(self) -> bool {
        self as u8 >= ProPawn as u8
    }

    /// The promoted piece of this kind; `None` for gold, king and promoted kinds.
    #[inline(always)]
    pub const fn promoted(self) -> Option<Piece> {
        if (self as u8) < Gold as u8 { Some(Piece::ALL[self as usize + 8]) } else { None }
    }

    /// The unpromoted piece of this kind, which it becomes in hand; the king stays the king.
    #[inline(always)]
    pub const fn base(self) -> Piece {
        if self.is_promoted() { Piece::ALL[self as usize - 8] } else { self }
    }

    /// Whether it can be held in hand as it is.
    #[inline(always)]
    pub const fn is_droppable(self) -> bool {
        (self as u8) < King as u8
    }

    /// Whether it moves like a gold: the gold and the promoted pawn, lance, knight and silver.
    #[inline(always)]
    pub const fn moves_as_gold(self) -> bool {
        matches!(self, Gold | ProPawn | ProLance | ProKnight | ProSilver)
    }

    /// The number of ranks at the far end on which it may not stand, since it could never move again.
    #[inline(always)]
    pub const fn dead_ranks(self) -> u8 {
        match self {
            Pawn | Lance => 1,
            Knight => 2,
            _ => 0,
        }
    }

    /// `p l n s b r g k`, the letter of [`Piece::base`].
    pub const fn letter(self) -> char {
        ['p', 'l', 'n', 's', 'b', 'r', 'g', 'k'][self.base() as usize]
    }

    /// The letter as SFEN writes it, without the plus of promoted kinds: upper case for Black.
    pub const fn sfen_letter(self, side: Side) -> char {
        match side {
            Side::First => self.letter().to_ascii_uppercase(),
            Side::Second => self.letter(),
        }
    }

    /// The unpromoted kind that a letter of either case names.
    pub const fn from_letter(letter: char) -> Option<Piece> {
        match letter.to_ascii_lowercase() {
            'p' => Some(Pawn),
            'l' => Some(Lance),
            'n' => Some(Knight),
            's' => Some(Silver),
            'b' => Some(Bishop),
            'r' => Some(Rook),
            'g' => Some(Gold),
            'k' => Some(King),
            _ => None,
        }
    }
}
