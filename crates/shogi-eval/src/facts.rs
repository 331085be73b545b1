//! Facts about a position that several terms need, computed once: attacks of both sides and the pieces that reach the kings.

use crate::geometry::{CLASSES, put};
use crate::terms::*;
use tesuji_game::Side;
use tesuji_shogi::{Bitboard, Board, Piece, Square, attacks};
use tesuji_tally::Tally;

/// The units that each class of pieces adds to the danger of a king whose surroundings it reaches.
const UNITS: [i32; CLASSES] = [1, 1, 1, 2, 3, 2, 3, 4, 5];

/// Facts about one side.
#[derive(Clone, Copy)]
pub(crate) struct SideFacts {
    /// All its pieces.
    pub all: Bitboard,
    /// Its king.
    pub king: Option<Square>,
    /// The squares beside its king.
    pub ring: Bitboard,
    /// These and the rank before them.
    pub zone: Bitboard,
    /// The squares that its pawns attack.
    pub by_pawn: Bitboard,
    /// The squares that its lances, knights and silvers attack.
    pub by_minor: Bitboard,
    /// The squares that its pieces attack, the king left out.
    pub by_pieces: Bitboard,
    /// All squares that it attacks.
    pub attacked: Bitboard,
    /// Units of its pieces that reach the surroundings of the other king.
    pub units: i32,
    /// Their attacks on the squares beside it.
    pub ring_attacks: i32,
}

/// Facts about a position, by index of the side.
pub(crate) struct Facts {
    pub side: [SideFacts; 2],
    pub occupied: Bitboard,
}

impl Facts {
    /// Finds all attacks, and counts what is told piece by piece on the way: mobility and attackers of kings.
    #[inline(always)]
    pub(crate) fn new(board: &Board, t: &mut impl Tally) -> Facts {
        let side = Side::ALL.map(|side| start(board, side));
        let mut facts = Facts { side, occupied: board.occupied() };
        for side in Side::ALL {
            attack(board, side, &mut facts, t);
        }
        facts
    }
}

#[inline(always)]
fn start(board: &Board, side: Side) -> SideFacts {
    let king = board.king(side);
    let ring = king.map_or(Bitboard::EMPTY, attacks::king);
    let by_pawn = board.of(side, Piece::Pawn).forward(side);
    SideFacts {
        all: board.side(side),
        king,
        ring,
        zone: ring | ring.forward(side),
        by_pawn,
        by_minor: Bitboard::EMPTY,
        by_pieces: by_pawn,
        attacked: by_pawn | ring,
        units: 0,
        ring_attacks: 0,
    }
}

/// The attacks of the pieces of `side`.
#[inline(always)]
fn attack(board: &Board, side: Side, facts: &mut Facts, t: &mut impl Tally) {
    let them = facts.side[(!side).index()];
    let occupied = facts.occupied;
    let mut us = facts.side[side.index()];
    let area = !(us.all | them.by_pawn);
    let pawns = us.by_pawn;
    reach(&mut us, &them, side, (0, pawns, (pawns & them.zone).count() as i32), t);
    for square in board.of(side, Piece::Knight) {
        let set = attacks::knight(side, square);
        us.by_minor |= set;
        reach(&mut us, &them, side, (2, set, 1), t);
    }
    for square in board.of(side, Piece::Silver) {
        let set = attacks::silver(side, square);
        us.by_minor |= set;
        reach(&mut us, &them, side, (3, set, 1), t);
    }
    for square in board.gold_like() & us.all {
        reach(&mut us, &them, side, (4, attacks::gold(side, square), 1), t);
    }
    for square in board.of(side, Piece::Lance) {
        let set = attacks::lance(side, square, occupied);
        us.by_minor |= set;
        reach(&mut us, &them, side, (1, set, 1), t);
        put(t, side, MOBILITY_LANCE + set.without(us.all).count() as usize, 1);
    }
    let (promoted, steps) = (board.promoted(), attacks::king);
    for square in board.diagonal_sliders() & us.all {
        let set = attacks::bishop(square, occupied);
        let (class, set, feature) = match promoted.contains(square) {
            true => (7, set | steps(square), MOBILITY_HORSE),
            false => (5, set, MOBILITY_BISHOP),
        };
        reach(&mut us, &them, side, (class, set, 1), t);
        put(t, side, feature + (set & area).count() as usize, 1);
    }
    for square in board.straight_sliders() & us.all {
        let set = attacks::rook(square, occupied);
        let (class, set, feature) = match promoted.contains(square) {
            true => (8, set | steps(square), MOBILITY_DRAGON),
            false => (6, set, MOBILITY_ROOK),
        };
        reach(&mut us, &them, side, (class, set, 1), t);
        put(t, side, feature + (set & area).count() as usize, 1);
    }
    us.attacked |= us.by_pieces;
    facts.side[side.index()] = us;
}

/// Takes the attacks of `count` pieces of a class: `(class, attacks, count)`.
#[inline(always)]
fn reach(us: &mut SideFacts, them: &SideFacts, side: Side, pieces: (usize, Bitboard, i32), t: &mut impl Tally) {
    let (class, set, count) = pieces;
    us.by_pieces |= set;
    if (set & them.zone).any() {
        put(t, side, KING_ATTACKERS + class, count);
        us.units += UNITS[class] * count;
        us.ring_attacks += (set & them.ring).count() as i32;
    }
}
