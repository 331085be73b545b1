//! Pieces one by one: their attacks, mobility, places, and what they do near the enemy king's zone.

use crate::facts::*;
use crate::geometry::*;
use crate::terms::*;
use tesuji_chess::{Bitboard, Board, DARK, LIGHT, Square, attacks};
use tesuji_tally::Tally;

/// The four squares in the middle.
const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);
/// Weight of each kind's attack on a king zone, in units of danger: knight, bishop, rook, queen.
const ZONE_UNITS: [i32; 4] = [2, 2, 3, 4];
/// First features of the mobility tables: knight, bishop, rook, queen.
const MOBILITY: [usize; 4] = [MOBILITY_KNIGHT, MOBILITY_BISHOP, MOBILITY_ROOK, MOBILITY_QUEEN];

/// Counts the terms of `U`'s pieces and fills in their attacks.
#[inline(always)]
pub(crate) fn tally<U: Us>(board: &Board, facts: &mut Facts, t: &mut impl Tally) {
    let mut us = *facts.us::<U>();
    let them = *facts.them::<U>();
    let occupied = facts.occupied;
    let area = !(them.by[PAWN] | us.pieces[PAWN] | us.pieces[KING]);
    let outposts = (rank_of::<U>(3) | rank_of::<U>(4) | rank_of::<U>(5)) & us.by[PAWN] & !them.spans;

    for square in us.pieces[KNIGHT] {
        let reach = attacks::knight(square);
        piece::<U, KNIGHT>(&mut us, &them, reach, area, t);
        put::<U>(t, OUTPOST_REACH, i32::from(any(reach & outposts & !us.all)));
    }
    put::<U>(t, KNIGHT_OUTPOST, n(us.pieces[KNIGHT] & outposts));

    let rammed = us.pieces[PAWN] & back::<U>(them.pieces[PAWN]);
    let pawns = us.pieces[PAWN] | them.pieces[PAWN];
    for square in us.pieces[BISHOP] {
        let reach = attacks::bishop(square, occupied);
        piece::<U, BISHOP>(&mut us, &them, reach, area, t);
        let colour = if any(one(square) & LIGHT) { LIGHT } else { DARK };
        put::<U>(t, BISHOP_OWN_PAWNS, n(us.pieces[PAWN] & colour));
        put::<U>(t, BISHOP_RAMMED_PAWNS, n(rammed & colour));
        put::<U>(t, BISHOP_LONG, i32::from(n(attacks::bishop(square, pawns) & CENTRE) > 1));
    }
    put::<U>(t, BISHOP_OUTPOST, n(us.pieces[BISHOP] & outposts));
    put::<U>(t, MINOR_BEHIND_PAWN, n((us.pieces[KNIGHT] | us.pieces[BISHOP]) & back::<U>(pawns)));

    for square in us.pieces[ROOK] {
        let reach = attacks::rook(square, occupied);
        let mobility = piece::<U, ROOK>(&mut us, &them, reach, area, t);
        if mobility <= 3 && shut_in(square, us.king) {
            put::<U>(t, ROOK_TRAPPED, 1 + i32::from(!board.can_castle(U::SIDE)));
        }
    }
    for square in us.pieces[QUEEN] {
        let reach = attacks::queen(square, occupied);
        piece::<U, QUEEN>(&mut us, &them, reach, area, t);
        put::<U>(t, QUEEN_TROPISM, 7 - distance(square, them.king) as i32);
    }
    files_of_heavy::<U>(&us, &them, t);
    facts.side[U::INDEX] = us;
}

/// Counts the terms that all kinds of pieces share: attacks, mobility, king attackers. Returns the mobility.
#[inline(always)]
fn piece<U: Us, const KIND: usize>(
    us: &mut SideFacts,
    them: &SideFacts,
    reach: Bitboard,
    area: Bitboard,
    t: &mut impl Tally,
) -> usize {
    us.by[KIND] |= reach;
    us.twice |= us.attacked & reach;
    us.attacked |= reach;
    let mobility = n(reach & area) as usize;
    put::<U>(t, MOBILITY[KIND - KNIGHT] + mobility, 1);
    if KIND != QUEEN {
        put::<U>(t, REACH + KIND - KNIGHT, n(reach & !us.all));
    }
    if any(reach & them.zone) {
        put::<U>(t, KING_ATTACKERS + KIND - KNIGHT, 1);
        us.zone_units += ZONE_UNITS[KIND - KNIGHT];
        us.ring_attacks += n(reach & them.ring);
    }
    mobility
}

/// Whether a rook stands between its king and the edge the king leans to.
#[inline(always)]
fn shut_in(rook: Square, king: Square) -> bool {
    (file(king) < 4) == (file(rook) < file(king)) && file(rook) != file(king)
}

/// Rooks and queens on files, ranks and near the own king of the other side.
#[inline(always)]
pub(crate) fn files_of_heavy<U: Us>(us: &SideFacts, them: &SideFacts, t: &mut impl Tally) {
    let with_own = files(us.pieces[PAWN]);
    let with_enemy = files(them.pieces[PAWN]);
    let open = !(with_own | with_enemy);
    let semi_open = with_enemy & !with_own;
    put::<U>(t, ROOK_OPEN, n(us.pieces[ROOK] & open));
    put::<U>(t, ROOK_SEMI_OPEN, n(us.pieces[ROOK] & semi_open));
    put::<U>(t, ROOK_SEVENTH, n(us.pieces[ROOK] & rank_of::<U>(6)));
    if any(them.pieces[QUEEN]) {
        put::<U>(t, ROOK_QUEEN_FILE, n(us.pieces[ROOK] & files(them.pieces[QUEEN])));
        put::<U>(t, QUEEN_NEAR_KING, near(us.king, them.pieces[QUEEN]));
    }
    if any(us.pieces[QUEEN]) {
        put::<U>(t, QUEEN_OPEN, n(us.pieces[QUEEN] & open));
        put::<U>(t, QUEEN_SEMI_OPEN, n(us.pieces[QUEEN] & semi_open));
    }
    put::<U>(t, ROOK_NEAR_KING, near(us.king, them.pieces[ROOK]));
}

/// Closeness of `pieces` to `king` as SoFCheck counts it: 5, 4 and 1 at distances 1, 2 and 3.
#[inline(always)]
pub(crate) fn near(king: Square, pieces: Bitboard) -> i32 {
    let rings = &RINGS[king.index()];
    5 * n(pieces & rings[0]) + 4 * n(pieces & rings[1]) + n(pieces & rings[2])
}

/// Terms that depend on the numbers of pieces, and on castling rights.
#[inline(always)]
pub(crate) fn numbers<U: Us>(board: &Board, facts: &Facts, t: &mut impl Tally) {
    let us = facts.us::<U>();
    let [pawns, knights, bishops, rooks, ..] = us.pieces.map(n);
    put::<U>(t, BISHOP_PAIR, i32::from(bishops > 1));
    put::<U>(t, KNIGHT_PAIR, i32::from(knights > 1));
    put::<U>(t, ROOK_PAIR, i32::from(rooks > 1));
    put::<U>(t, KNIGHT_PAWNS, knights * (pawns - 5));
    put::<U>(t, ROOK_PAWNS, rooks * (pawns - 5));
    let [short, long] = castling::<U>(board);
    put::<U>(t, CASTLING, short);
    put::<U>(t, CASTLING + 1, long);
}

/// Whether `U` may still castle towards the h side, towards the a side: 1 or 0.
fn castling<U: Us>(board: &Board) -> [i32; 2] {
    [true, false].map(|towards_h| i32::from(board.castling_rook(U::SIDE, towards_h).is_some()))
}
