//! The board: pieces, hands, side to move, and what follows from them (keys, checkers, pins).

use crate::{Bitboard, Declaration, Hand, Piece, Square, attacks, zobrist};
use tesuji_game::{Key, Side};

/// No piece, no king.
pub(crate) const NONE: u8 = 0xFF;

/// The set that holds each kind: kinds that move alike share one, and horses and dragons lie with bishops and rooks.
const CLASS: [u8; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 6, 6, 6, 6, 4, 5];

/// A shogi position without a past: about 350 bytes, copied freely; taking a move back is copying.
///
/// A side without a king can be neither checked nor mated: mate problems often have none for the attacker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// Pieces by how they move: pawns, lances, knights, silvers, bishops and horses, rooks and dragons, golds and what
    /// moves like them, kings.
    pub(crate) sets: [Bitboard; 8],
    pub(crate) promoted: Bitboard,
    pub(crate) sides: [Bitboard; 2],
    /// Kind in bits 0 to 3 and side in bit 4 for each square, [`NONE`] where there is no piece.
    pub(crate) cells: [u8; 81],
    /// The squares of the kings, [`NONE`] for a side without one.
    pub(crate) kings: [u8; 2],
    pub(crate) hands: [Hand; 2],
    pub(crate) board_key: u64,
    pub(crate) hand_key: u64,
    pub(crate) pawn_key: u64,
    /// Pieces that check the side to move.
    pub(crate) checkers: Bitboard,
    /// Pieces of the side to move that stand alone between their king and a slider.
    pub(crate) pinned: Bitboard,
    pub(crate) side: Side,
    pub(crate) declaration: Declaration,
    /// The number of the next move, from 1.
    pub(crate) move_number: u16,
}

impl Board {
    /// A board without pieces, the first side to move.
    pub(crate) fn empty() -> Board {
        Board {
            sets: [Bitboard::EMPTY; 8],
            promoted: Bitboard::EMPTY,
            sides: [Bitboard::EMPTY; 2],
            cells: [NONE; 81],
            kings: [NONE; 2],
            hands: [Hand::EMPTY; 2],
            board_key: 0,
            hand_key: 0,
            pawn_key: 0,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            side: Side::First,
            declaration: Declaration::default(),
            move_number: 1,
        }
    }

    /// The set of a class of movement, both sides.
    #[inline(always)]
    pub(crate) fn class(&self, piece: Piece) -> Bitboard {
        self.sets[CLASS[piece.index()] as usize & 7]
    }

    /// The pieces of one kind, both sides.
    pub fn pieces(&self, piece: Piece) -> Bitboard {
        let class = self.class(piece);
        match piece {
            Piece::Bishop | Piece::Rook | Piece::Gold => class.without(self.promoted),
            Piece::Horse | Piece::Dragon => class & self.promoted,
            Piece::ProPawn | Piece::ProLance | Piece::ProKnight | Piece::ProSilver => {
                (class & self.promoted).filter(|&square| self.piece_at(square) == Some(piece)).collect()
            }
            _ => class,
        }
    }

    /// The pieces of one kind and side.
    #[inline]
    pub fn of(&self, side: Side, piece: Piece) -> Bitboard {
        self.pieces(piece) & self.sides[side.index()]
    }

    /// Golds and promoted pawns, lances, knights and silvers of both sides.
    #[inline(always)]
    pub fn gold_like(&self) -> Bitboard {
        self.sets[6]
    }

    /// Bishops and horses of both sides.
    #[inline(always)]
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.sets[4]
    }

    /// Rooks and dragons of both sides.
    #[inline(always)]
    pub fn straight_sliders(&self) -> Bitboard {
        self.sets[5]
    }

    /// All promoted pieces.
    #[inline(always)]
    pub fn promoted(&self) -> Bitboard {
        self.promoted
    }

    /// All pieces of one side.
    #[inline(always)]
    pub fn side(&self, side: Side) -> Bitboard {
        self.sides[side.index()]
    }

    /// All pieces.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    /// The kind of piece on a square.
    #[inline(always)]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let cell = self.cells[square.index()];
        if cell == NONE { None } else { Piece::from_index((cell & 15) as usize) }
    }

    /// The side whose piece stands on a square.
    #[inline(always)]
    pub fn side_at(&self, square: Square) -> Option<Side> {
        match self.cells[square.index()] {
            NONE => None,
            cell if cell & 16 == 0 => Some(Side::First),
            _ => Some(Side::Second),
        }
    }

    /// Side and kind of the piece on a square.
    #[inline(always)]
    pub fn at(&self, square: Square) -> Option<(Side, Piece)> {
        Some((self.side_at(square)?, self.piece_at(square)?))
    }

    /// The square of a side's king; `None` in problems without it.
    #[inline(always)]
    pub fn king(&self, side: Side) -> Option<Square> {
        Square::from_index(self.kings[side.index()])
    }

    /// The pieces that a side holds in hand.
    #[inline(always)]
    pub fn hand(&self, side: Side) -> Hand {
        self.hands[side.index()]
    }

    /// Pieces that check the side to move.
    #[inline(always)]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Pieces of the side to move that may only move along the line of their king.
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The number of the next move, from 1.
    #[inline(always)]
    pub fn move_number(&self) -> u16 {
        self.move_number
    }

    /// The rule by which a side with an entered king may declare.
    pub fn declaration(&self) -> Declaration {
        self.declaration
    }

    /// This position under another declaration rule.
    #[must_use]
    pub fn with_declaration(self, declaration: Declaration) -> Board {
        Board { declaration, ..self }
    }

    /// The key of board and side to move without hands.
    #[inline(always)]
    pub fn board_key(&self) -> Key {
        Key(self.board_key)
    }

    /// Pieces of `side` that reach `square` if `occupied` were taken.
    #[inline]
    pub fn attackers(&self, side: Side, square: Square, occupied: Bitboard) -> Bitboard {
        let [_, lances, _, _, diagonal, straight, _, _] = self.sets;
        let far = (attacks::bishop(square, occupied) & diagonal)
            | (attacks::rook(square, occupied) & straight)
            | (attacks::lance(!side, square, occupied) & lances);
        (self.steppers(side, square) | far) & self.sides[side.index()]
    }

    /// Pieces of either side that stand a step of theirs as `side` from `square`; to be cut with the side's own.
    #[inline(always)]
    pub(crate) fn steppers(&self, side: Side, square: Square) -> Bitboard {
        let [pawns, _, knights, silvers, diagonal, straight, golds, kings] = self.sets;
        (attacks::pawn(!side, square) & pawns)
            | (attacks::knight(!side, square) & knights)
            | (attacks::silver(!side, square) & silvers)
            | (attacks::gold(!side, square) & golds)
            | (attacks::king(square) & (kings | (self.promoted & (diagonal | straight))))
    }

    /// Whether `side` reaches `square` if `occupied` were taken.
    #[inline]
    pub fn is_attacked(&self, square: Square, side: Side, occupied: Bitboard) -> bool {
        let mine = self.sides[side.index()];
        let [_, lances, _, _, diagonal, straight, _, _] = self.sets;
        // Steps before slides, and rays before blockers: the dear questions come last.
        (self.steppers(side, square) & mine).any()
            || (attacks::lance_ray(!side, square) & lances & mine).any()
                && (attacks::lance(!side, square, occupied) & lances & mine).any()
            || (attacks::bishop_rays(square) & diagonal & mine).any()
                && (attacks::bishop(square, occupied) & diagonal & mine).any()
            || (attacks::rook_rays(square) & straight & mine).any()
                && (attacks::rook(square, occupied) & straight & mine).any()
    }

    /// Sliders of `side` that would reach `square` on an empty board.
    #[inline(always)]
    pub(crate) fn snipers(&self, side: Side, square: Square) -> Bitboard {
        let [_, lances, _, _, diagonal, straight, _, _] = self.sets;
        ((attacks::bishop_rays(square) & diagonal)
            | (attacks::rook_rays(square) & straight)
            | (attacks::lance_ray(!side, square) & lances))
            & self.sides[side.index()]
    }

    /// Pieces of any side that stand alone between `square` and a slider of `side`.
    #[inline]
    pub(crate) fn screens(&self, side: Side, square: Square) -> Bitboard {
        let occupied = self.occupied();
        self.snipers(side, square).fold(Bitboard::EMPTY, |screens, sniper| {
            let blockers = attacks::between(square, sniper) & occupied;
            if blockers.several() { screens } else { screens | blockers }
        })
    }

    /// Finds checkers and pins of the side to move again.
    #[inline]
    pub(crate) fn find_checkers(&mut self) {
        let (me, them) = (self.side, !self.side);
        // A side may have no king, as the attacker of a mate problem.
        let Some(king) = self.king(me) else {
            (self.checkers, self.pinned) = (Bitboard::EMPTY, Bitboard::EMPTY);
            return;
        };
        let occupied = self.occupied();
        let mut checkers = self.steppers(them, king) & self.sides[them.index()];
        let mut pinned = Bitboard::EMPTY;
        for sniper in self.snipers(them, king) {
            let blockers = attacks::between(king, sniper) & occupied;
            if blockers.is_empty() {
                checkers |= sniper.into();
            } else if !blockers.several() {
                pinned |= blockers;
            }
        }
        self.checkers = checkers;
        self.pinned = pinned & self.sides[me.index()];
    }

    /// Puts a piece on an empty square. Keys and what follows from the board are not touched.
    #[inline(always)]
    pub(crate) fn put(&mut self, side: Side, piece: Piece, square: Square) {
        self.flip(side, piece, square);
        self.cells[square.index()] = piece as u8 | (side as u8) << 4;
    }

    /// Takes a piece away. Keys and what follows from the board are not touched.
    #[inline(always)]
    pub(crate) fn take(&mut self, side: Side, piece: Piece, square: Square) {
        self.flip(side, piece, square);
        self.cells[square.index()] = NONE;
    }

    #[inline(always)]
    fn flip(&mut self, side: Side, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.sets[CLASS[piece.index()] as usize & 7] ^= bit;
        self.sides[side.index()] ^= bit;
        if piece.is_promoted() {
            self.promoted ^= bit;
        }
    }

    /// Puts a piece on an empty square, with its share of the keys; for boards that are being set up.
    #[inline(always)]
    pub(crate) fn put_new(&mut self, side: Side, piece: Piece, square: Square) {
        self.put(side, piece, square);
        self.enter(side, piece, square);
    }

    #[inline(always)]
    fn enter(&mut self, side: Side, piece: Piece, square: Square) {
        let number = zobrist::piece(side, piece, square);
        self.board_key ^= number;
        match piece {
            Piece::Pawn => self.pawn_key ^= number,
            Piece::King => self.kings[side.index()] = square.index() as u8,
            _ => {}
        }
    }

    /// Finds what follows from hands and side to move, when all pieces were [put](Board::put_new).
    pub(crate) fn finish(&mut self) {
        if self.side == Side::Second {
            self.board_key ^= zobrist::side();
        }
        self.hand_key =
            Side::ALL.into_iter().fold(0, |sum, side| sum.wrapping_add(zobrist::hand(side, self.hands[side.index()])));
        self.find_checkers();
    }

    /// Whether keys, cells, sets, checkers and pins agree with each other: what every move must keep.
    pub fn is_consistent(&self) -> bool {
        let mut fresh = Board {
            side: self.side,
            hands: self.hands,
            declaration: self.declaration,
            move_number: self.move_number,
            ..Board::empty()
        };
        for square in Square::all() {
            if let Some((side, piece)) = self.at(square) {
                fresh.put_new(side, piece, square);
            }
        }
        fresh.finish();
        fresh == *self
    }
}
