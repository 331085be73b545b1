//! Passed pawns among pieces: their way, the kings, the rooks behind them.

use crate::facts::*;
use crate::geometry::*;
use crate::terms::*;
use tesuji_chess::Square;
use tesuji_game::Side;
use tesuji_tally::Tally;

/// Counts the terms of `U`'s passed pawns.
#[inline(always)]
pub(crate) fn tally<U: Us>(facts: &Facts, mover: Side, t: &mut impl Tally) {
    let (us, them) = (facts.us::<U>(), facts.them::<U>());
    let bare = !any(them.all & !them.pieces[PAWN] & !them.pieces[KING]);
    for square in facts.passed & us.pieces[PAWN] {
        let (here, at) = (one(square), rank::<U>(square));
        let stop = ahead::<U>(here);
        let not_safe = facts.occupied | them.attacked;
        put::<U>(t, if any(stop & facts.occupied) { PASSED_BLOCKED } else { PASSED_FREE } + at, 1);
        if !any(stop & not_safe) {
            put::<U>(t, PASSED_STOP_SAFE + at, 1);
            if !any(front::<U>(here) & not_safe) {
                put::<U>(t, PASSED_PATH_SAFE + at, 1);
            }
        }
        if at >= 3 {
            let stop = Square::ALL[stop.0.trailing_zeros() as usize];
            put::<U>(t, PASSED_OWN_KING + distance(us.king, stop), 1);
            put::<U>(t, PASSED_ENEMY_KING + distance(them.king, stop), 1);
        }
        let end = Square::ALL[file(square) + 56 * (1 - U::INDEX)];
        let enemy_way = distance(them.king, end) as i32;
        put::<U>(t, PASSED_RACE, enemy_way - distance(us.king, end) as i32);
        // The square of the pawn: its first move takes two steps of six, and a king that is to move is a step nearer.
        if bare && enemy_way > (7 - at).min(5) as i32 + i32::from(mover != U::SIDE) {
            put::<U>(t, PASSED_SQUARE, 1);
        }
        let behind = rear::<U>(here);
        put::<U>(t, PASSED_ROOK, i32::from(any(behind & us.pieces[ROOK])));
        put::<U>(t, PASSED_ENEMY_ROOK, i32::from(any(behind & them.pieces[ROOK])));
    }
}
