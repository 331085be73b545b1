//! The board: pieces, side to move, rights, counters, and what follows from them (keys, checkers, pins).

use crate::{Bitboard, Piece, Square, WHITE, attacks, zobrist};
use tesuji_game::{Key, Side};

/// No piece, no square.
pub(crate) const NONE: u8 = 64;

/// A chess position without a past. 168 bytes, copied freely; taking a move back is copying.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    pub(crate) pieces: [Bitboard; 6],
    pub(crate) sides: [Bitboard; 2],
    /// The kind of piece on each square, [`NONE`] where there is none.
    pub(crate) cells: [u8; 64],
    pub(crate) key: u64,
    pub(crate) pawn_key: u64,
    /// Pieces that check the side to move.
    pub(crate) checkers: Bitboard,
    /// Pieces of the side to move that stand alone between their king and a slider.
    pub(crate) pinned: Bitboard,
    pub(crate) side: Side,
    /// Squares of the rooks that may castle: White's towards h and a, Black's; [`NONE`] where the right is gone.
    pub(crate) castling: [[u8; 2]; 2],
    /// The square behind a pawn that has just made a double step, as given; [`NONE`] else.
    pub(crate) en_passant: u8,
    /// Whether a pawn of the side to move stands next to it, so that the key names it.
    pub(crate) en_passant_counts: bool,
    /// Plies since a capture or a pawn move.
    pub(crate) halfmoves: u16,
    /// Plies that can be taken back by moves: zeroed by captures, pawn moves, lost rights and passes.
    pub(crate) reversible: u16,
    pub(crate) fullmove: u16,
    pub(crate) chess960: bool,
}

const _: () = assert!(std::mem::size_of::<Board>() <= 184);

impl Board {
    /// The usual start position.
    pub fn start() -> Board {
        use Piece::{Bishop, King, Knight, Queen, Rook};
        let mut board = Board::empty();
        let back = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
        for side in Side::ALL {
            for (file, piece) in back.into_iter().enumerate() {
                board.put(side, piece, Square::new(file as u8, 0).relative(side));
                board.put(side, Piece::Pawn, Square::new(file as u8, 1).relative(side));
            }
            let rank = 56 * side as u8;
            board.castling[side.index()] = [7 + rank, rank];
        }
        board.refresh();
        board
    }

    /// A board without pieces; not a legal position.
    pub(crate) fn empty() -> Board {
        Board {
            pieces: [Bitboard::EMPTY; 6],
            sides: [Bitboard::EMPTY; 2],
            cells: [NONE; 64],
            key: 0,
            pawn_key: 0,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            side: WHITE,
            castling: [[NONE; 2]; 2],
            en_passant: NONE,
            en_passant_counts: false,
            halfmoves: 0,
            reversible: 0,
            fullmove: 1,
            chess960: false,
        }
    }

    /// The pieces of one kind and side.
    #[inline(always)]
    pub fn of(&self, side: Side, piece: Piece) -> Bitboard {
        self.pieces[piece.index()] & self.sides[side.index()]
    }

    /// The pieces of one kind, both sides.
    #[inline(always)]
    pub fn pieces(&self, piece: Piece) -> Bitboard {
        self.pieces[piece.index()]
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

    /// Bishops and queens of one side.
    #[inline(always)]
    pub fn diagonal_sliders(&self, side: Side) -> Bitboard {
        (self.pieces[2] | self.pieces[4]) & self.sides[side.index()]
    }

    /// Rooks and queens of one side.
    #[inline(always)]
    pub fn straight_sliders(&self, side: Side) -> Bitboard {
        (self.pieces[3] | self.pieces[4]) & self.sides[side.index()]
    }

    /// The kind of piece on a square.
    #[inline(always)]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Piece::from_index(self.cells[square.index()] as usize)
    }

    /// The side whose piece stands on a square.
    #[inline(always)]
    pub fn side_at(&self, square: Square) -> Option<Side> {
        if self.sides[0].contains(square) {
            Some(Side::First)
        } else if self.sides[1].contains(square) {
            Some(Side::Second)
        } else {
            None
        }
    }

    /// The square of a side's king.
    #[inline(always)]
    pub fn king(&self, side: Side) -> Square {
        Square::from_index(self.of(side, Piece::King).0.trailing_zeros() as u8)
    }

    /// Pieces that check the side to move.
    #[inline(always)]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Pieces of the side to move that may not leave the line to their king.
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The square of the rook with which `side` may castle towards the h-file (`true`) or the a-file.
    #[inline]
    pub fn castling_rook(&self, side: Side, towards_h: bool) -> Option<Square> {
        let rook = self.castling[side.index()][usize::from(!towards_h)];
        (rook != NONE).then(|| Square::from_index(rook))
    }

    /// Whether `side` still has a right to castle.
    #[inline]
    pub fn can_castle(&self, side: Side) -> bool {
        self.castling[side.index()] != [NONE; 2]
    }

    /// The square behind a pawn that has just made a double step, whether or not it can be taken.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        (self.en_passant != NONE).then(|| Square::from_index(self.en_passant))
    }

    /// The en-passant square where a pawn of the side to move stands ready to capture (it may still be pinned), as in the Zobrist
    /// key.
    #[inline]
    pub fn en_passant_usable(&self) -> Option<Square> {
        if self.en_passant_counts { self.en_passant() } else { None }
    }

    /// Plies since a capture or a pawn move.
    #[inline]
    pub fn halfmove_clock(&self) -> u32 {
        u32::from(self.halfmoves)
    }

    /// The number of the move, from 1.
    #[inline]
    pub fn fullmove(&self) -> u32 {
        u32::from(self.fullmove)
    }

    /// Whether castling is written and played as in Chess960.
    #[inline]
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// The key of the pawns of both sides.
    #[inline(always)]
    pub fn pawn_key(&self) -> Key {
        Key(self.pawn_key)
    }

    /// All pieces of both sides that attack `square` when `occupied` is occupied.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let [pawns, knights, bishops, rooks, queens, kings] = self.pieces;
        (attacks::pawn(Side::First, square) & pawns & self.sides[1])
            | (attacks::pawn(Side::Second, square) & pawns & self.sides[0])
            | (attacks::knight(square) & knights)
            | (attacks::king(square) & kings)
            | (attacks::bishop(square, occupied) & (bishops | queens))
            | (attacks::rook(square, occupied) & (rooks | queens))
    }

    /// Whether `side` attacks `square` when `occupied` is occupied.
    #[inline(always)]
    pub fn is_attacked(&self, square: Square, side: Side, occupied: Bitboard) -> bool {
        (attacks::knight(square) & self.of(side, Piece::Knight)).any()
            || (attacks::pawn(!side, square) & self.of(side, Piece::Pawn)).any()
            || (attacks::king(square) & self.of(side, Piece::King)).any()
            || (attacks::bishop(square, occupied) & self.diagonal_sliders(side)).any()
            || (attacks::rook(square, occupied) & self.straight_sliders(side)).any()
    }

    /// Puts a piece on an empty square; keys are not touched.
    #[inline(always)]
    pub(crate) fn put(&mut self, side: Side, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.pieces[piece.index()] ^= bit;
        self.sides[side.index()] ^= bit;
        self.cells[square.index()] = piece as u8;
    }

    /// Takes a piece from its square; keys are not touched.
    #[inline(always)]
    pub(crate) fn take(&mut self, side: Side, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.pieces[piece.index()] ^= bit;
        self.sides[side.index()] ^= bit;
        self.cells[square.index()] = NONE;
    }

    /// Computes again what follows from the rest: checkers, pins, whether en passant counts, keys.
    pub(crate) fn refresh(&mut self) {
        self.find_checkers();
        self.en_passant_counts = self.en_passant != NONE && self.en_passant_takers().any();
        self.pawn_key = self.fresh_pawn_key();
        self.key = self.fresh_key();
    }

    /// Pawns of the side to move next to a pawn that has just made a double step.
    #[inline(always)]
    pub(crate) fn en_passant_takers(&self) -> Bitboard {
        attacks::pawn(!self.side, Square::from_index(self.en_passant)) & self.of(self.side, Piece::Pawn)
    }

    /// Finds what checks and what is pinned to the king of the side to move.
    #[inline(always)]
    pub(crate) fn find_checkers(&mut self) {
        let (me, them) = (self.side, !self.side);
        let king = self.king(me);
        let own = self.sides[me.index()];
        let occupied = self.occupied();
        self.checkers = (attacks::pawn(me, king) & self.of(them, Piece::Pawn))
            | (attacks::knight(king) & self.of(them, Piece::Knight));
        self.pinned = Bitboard::EMPTY;
        let snipers = (attacks::bishop_rays(king) & self.diagonal_sliders(them))
            | (attacks::rook_rays(king) & self.straight_sliders(them));
        for sniper in snipers {
            let blockers = attacks::between(king, sniper) & occupied;
            if blockers.is_empty() {
                self.checkers |= sniper.into();
            } else if !blockers.several() {
                self.pinned |= blockers & own;
            }
        }
    }

    fn fresh_pawn_key(&self) -> u64 {
        let keys = Side::ALL
            .into_iter()
            .flat_map(|side| self.of(side, Piece::Pawn).map(move |square| zobrist::piece(side, Piece::Pawn, square)));
        keys.fold(0, |all, key| all ^ key)
    }

    /// The key computed from nothing but the position.
    pub fn fresh_key(&self) -> u64 {
        let mut key = if self.side == Side::Second { zobrist::side() } else { 0 };
        for side in Side::ALL {
            for piece in Piece::ALL {
                for square in self.of(side, piece) {
                    key ^= zobrist::piece(side, piece, square);
                }
            }
            for rook in self.castling[side.index()] {
                if rook != NONE {
                    key ^= zobrist::castling(side, rook & 7);
                }
            }
        }
        if self.en_passant_counts {
            key ^= zobrist::en_passant(self.en_passant & 7);
        }
        key
    }

    /// Whether keys, cells, sets, checkers and pins agree with each other: what every move must keep.
    pub fn is_consistent(&self) -> bool {
        let mut fresh = *self;
        fresh.refresh();
        let cells = Square::all().all(|square| {
            let piece = self.piece_at(square);
            let sets = Piece::ALL.into_iter().filter(|p| self.pieces[p.index()].contains(square));
            sets.eq(piece) && piece.is_some() == self.side_at(square).is_some()
        });
        fresh == *self && cells && (self.sides[0] & self.sides[1]).is_empty()
    }
}
