//! The safety of kings: attackers, escapes, generals, drops with check; castles; and kings on their way into the enemy camp.

use crate::facts::Facts;
use crate::geometry::put;
use crate::terms::*;
use tesuji_game::Side;
use tesuji_shogi::{Board, Piece, Square, attacks};
use tesuji_tally::Tally;

/// The last entry of [`KING_DANGER`].
const DANGER_MAX: i32 = 39;
/// Kinds that can be dropped with check, in the order of [`DROP_CHECKS`]; a pawn dropped so may not mate.
const DROPS: [Piece; 6] = [Piece::Lance, Piece::Knight, Piece::Silver, Piece::Bishop, Piece::Rook, Piece::Gold];

/// Counts what `side` does to the enemy king.
#[inline(always)]
pub(crate) fn attack(board: &Board, side: Side, facts: &Facts, t: &mut impl Tally) {
    let (us, them) = (&facts.side[side.index()], &facts.side[(!side).index()]);
    let Some(king) = them.king else { return };
    let weak = (us.attacked & them.ring).without(them.by_pieces).count() as i32;
    let escapes = them.ring.without(them.all | us.attacked).count() as i32;
    put(t, side, KING_RING_ATTACKS, us.ring_attacks);
    put(t, side, KING_RING_WEAK, weak);
    put(t, !side, KING_ESCAPES + escapes as usize, 1);

    let (drops, held) = drop_checks(board, side, king, facts, t);
    lines(board, side, king, facts, t);
    let mut units = us.units + (us.ring_attacks - 2).max(0) / 2 + weak + 2 * drops + held + (3 - escapes).max(0);
    if us.units == 0 {
        // Nobody is near: what is in hand threatens little by itself.
        units /= 2;
    }
    if units > 0 {
        put(t, side, KING_DANGER + units.min(DANGER_MAX) as usize, 1);
    }
}

/// Counts kinds in hand that can be dropped with check where at most the king guards. Returns how many there are, and
/// how many silvers, golds, bishops and rooks are in hand.
#[inline(always)]
fn drop_checks(board: &Board, side: Side, king: Square, facts: &Facts, t: &mut impl Tally) -> (i32, i32) {
    let (us, them) = (&facts.side[side.index()], &facts.side[(!side).index()]);
    let hand = board.hand(side);
    if hand.is_empty() {
        return (0, 0);
    }
    // Beside the king a drop needs support, elsewhere it must not be taken by others.
    let safe = !(facts.occupied | them.by_pieces | them.ring.without(us.attacked));
    let (mut drops, mut held) = (0, 0);
    for (i, piece) in DROPS.into_iter().enumerate() {
        let count = i32::from(hand.count(piece));
        if count == 0 {
            continue;
        }
        if i >= 2 {
            held += count;
        }
        if (attacks::of(piece, !side, king, facts.occupied) & safe).any() {
            put(t, side, DROP_CHECKS + i, 1);
            drops += 1;
        }
    }
    (drops, held)
}

/// Counts sliders that look at the enemy king through one piece or none.
#[inline(always)]
fn lines(board: &Board, side: Side, king: Square, facts: &Facts, t: &mut impl Tally) {
    let far = (attacks::bishop_rays(king) & board.diagonal_sliders())
        | (attacks::rook_rays(king) & board.straight_sliders())
        | (attacks::lance_ray(!side, king) & board.pieces(Piece::Lance));
    for slider in far & facts.side[side.index()].all {
        let between = attacks::between(king, slider) & facts.occupied;
        if !between.several() {
            put(t, side, KING_LINES + usize::from(between.is_empty()), 1);
        }
    }
}

/// Counts what `side` has around its own king: generals beside it, a castle.
#[inline(always)]
pub(crate) fn guard(board: &Board, side: Side, facts: &Facts, t: &mut impl Tally) {
    let us = &facts.side[side.index()];
    let Some(king) = us.king else { return };
    let generals = (board.gold_like() | board.pieces(Piece::Silver)) & us.all & us.ring;
    put(t, side, KING_GENERALS + (generals.count() as usize).min(5), 1);
    castle(board, side, king, t);
    entering(board, side, king, t);
}

/// A king's square and pieces as Black has them, on either wing.
struct Castle {
    king: (u8, u8),
    pieces: &'static [(Piece, u8, u8)],
}

const fn castle_of(king: (u8, u8), pieces: &'static [(Piece, u8, u8)]) -> Castle {
    Castle { king, pieces }
}

/// Files as written, ranks from 1 for a; in the order of [`CASTLE`].
const CASTLES: [Castle; 8] = {
    use Piece::{Gold, Silver};
    [
        castle_of((8, 8), &[(Gold, 7, 8), (Gold, 6, 7), (Silver, 7, 7)]),
        castle_of((2, 8), &[(Silver, 3, 8), (Gold, 4, 9), (Gold, 5, 8)]),
        castle_of((2, 8), &[(Silver, 3, 8), (Gold, 4, 9), (Gold, 4, 7)]),
        castle_of((2, 8), &[(Silver, 2, 7), (Gold, 3, 8), (Gold, 4, 7)]),
        castle_of((9, 9), &[(Silver, 8, 8), (Gold, 7, 9), (Gold, 7, 8)]),
        castle_of((6, 9), &[(Gold, 7, 8), (Silver, 6, 7), (Silver, 5, 7), (Gold, 5, 8)]),
        castle_of((7, 8), &[(Gold, 6, 9), (Gold, 5, 8), (Silver, 7, 9)]),
        castle_of((8, 9), &[(Gold, 7, 8), (Gold, 7, 9), (Silver, 8, 8)]),
    ]
};

/// The castles that a king on each square may be in, one bit each; by index of the square as its side sees it, on this
/// wing and on the other.
const HOMES: [[u8; 2]; 81] = {
    let mut homes = [[0; 2]; 81];
    let mut i = 0;
    while i < CASTLES.len() {
        let (file, rank) = CASTLES[i].king;
        let square = Square::new(file - 1, rank - 1);
        homes[square.index()][0] |= 1 << i;
        homes[square.mirrored().index()][1] |= 1 << i;
        i += 1;
    }
    homes
};

/// Counts the pieces in place of the castles whose home the king is in.
#[inline(always)]
fn castle(board: &Board, side: Side, king: Square, t: &mut impl Tally) {
    for (mirrored, homes) in HOMES[king.relative(side).index()].into_iter().enumerate() {
        let mut homes = homes;
        while homes != 0 {
            let i = homes.trailing_zeros() as usize;
            homes &= homes - 1;
            let in_place = |&&(piece, file, rank): &&(Piece, u8, u8)| {
                let square = Square::new(file - 1, rank - 1);
                let square = if mirrored == 1 { square.mirrored() } else { square };
                board.at(square.relative(side)) == Some((side, piece))
            };
            let pieces = CASTLES[i].pieces.iter().filter(in_place).count();
            put(t, side, CASTLE + i, pieces as i32);
            put(t, side, CASTLE_DONE + i, i32::from(pieces == CASTLES[i].pieces.len()));
        }
    }
}

/// Counts how far the king of `side` has come on its way to a declaration.
#[inline(always)]
fn entering(board: &Board, side: Side, king: Square, t: &mut impl Tally) {
    match king.relative_rank(side) {
        4 => put(t, side, ENTER_KING, 1),
        3 => put(t, side, ENTER_KING + 1, 1),
        0..3 => {
            put(t, side, ENTER_KING + 2, 1);
            put(t, side, ENTER_GUARD, board.entered(side).count().min(10) as i32);
            put(t, side, ENTER_POINTS, board.entering_points(side).min(28) as i32);
        }
        _ => {}
    }
}
