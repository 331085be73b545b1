//! Facts about a position that several terms need, computed once: sets of pieces, attacks, zones of the kings.

use crate::geometry::*;
use crate::pawns::PawnSets;
use tesuji_chess::{Bitboard, Board, Piece, Square, attacks};

pub(crate) const PAWN: usize = 0;
pub(crate) const KNIGHT: usize = 1;
pub(crate) const BISHOP: usize = 2;
pub(crate) const ROOK: usize = 3;
pub(crate) const QUEEN: usize = 4;
pub(crate) const KING: usize = 5;

/// Facts about one side.
#[derive(Clone, Copy)]
pub(crate) struct SideFacts {
    /// Its pieces by kind.
    pub pieces: [Bitboard; 6],
    /// All its pieces.
    pub all: Bitboard,
    /// Its king.
    pub king: Square,
    /// The squares that its pieces attack, by kind.
    pub by: [Bitboard; 6],
    /// All squares that it attacks.
    pub attacked: Bitboard,
    /// The squares that it attacks at least twice.
    pub twice: Bitboard,
    /// The squares that its pawns attack now or after any advance.
    pub spans: Bitboard,
    /// The squares beside its king.
    pub ring: Bitboard,
    /// King, ring and the rank before the ring.
    pub zone: Bitboard,
    /// Units of its pieces that attack the other king's zone.
    pub zone_units: i32,
    /// Their attacks on the other king's ring.
    pub ring_attacks: i32,
}

/// Facts about a position.
pub(crate) struct Facts {
    /// Of both sides.
    pub side: [SideFacts; 2],
    /// All pieces.
    pub occupied: Bitboard,
    /// Passed pawns of both sides.
    pub passed: Bitboard,
}

impl Facts {
    /// The facts known without looking at pieces one by one: pawns and kings have their attacks, pieces get theirs from
    /// [`crate::pieces`].
    #[inline]
    pub(crate) fn new(board: &Board, pawns: &PawnSets) -> Facts {
        let side = [of_side::<White>(board, pawns), of_side::<Black>(board, pawns)];
        Facts { occupied: side[0].all | side[1].all, side, passed: Bitboard(pawns.passed) }
    }

    /// The facts of `U`.
    #[inline(always)]
    pub(crate) fn us<U: Us>(&self) -> &SideFacts {
        &self.side[U::INDEX]
    }

    /// The facts of the other side.
    #[inline(always)]
    pub(crate) fn them<U: Us>(&self) -> &SideFacts {
        &self.side[1 - U::INDEX]
    }
}

#[inline(always)]
fn of_side<U: Us>(board: &Board, pawns: &PawnSets) -> SideFacts {
    let pieces = Piece::ALL.map(|piece| board.of(U::SIDE, piece));
    let king = board.king(U::SIDE);
    let ring = attacks::king(king);
    let guards = pawn_attacks::<U>(pieces[PAWN]);
    let mut by = [EMPTY; 6];
    (by[PAWN], by[KING]) = (guards, ring);
    SideFacts {
        pieces,
        all: board.side(U::SIDE),
        king,
        by,
        attacked: guards | ring,
        twice: (guards & ring) | pawn_attacks_twice::<U>(pieces[PAWN]),
        spans: Bitboard(pawns.spans[U::INDEX]),
        ring,
        zone: ring | one(king) | ahead::<U>(ring),
        zone_units: 0,
        ring_attacks: 0,
    }
}
