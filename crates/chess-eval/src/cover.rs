//! The king behind its pawns: what follows from the pawns of both sides and one king. In play its sum is cached with the pawns.

use crate::geometry::*;
use crate::terms::*;
use tesuji_chess::{Bitboard, Square};
use tesuji_tally::Tally;

/// Counts the terms of one king among the pawns `own` and `enemy`.
pub(crate) fn tally<U: Us>(king: Square, own: Bitboard, enemy: Bitboard, t: &mut impl Tally) {
    castled::<U>(king, own, enemy, t);
    shelter::<U>(king, own, enemy, t);

    let all = own | enemy;
    let here = file_of(file(king) as u32);
    let near = beside(here);
    put::<U>(t, KING_FILE_OPEN, i32::from(!any(all & here)));
    put::<U>(t, KING_FILE_OPEN + 1, i32::from(!any(own & here)));
    put::<U>(t, KING_FILE_OPEN + 2, n(near & rank_of::<U>(0) & !files(all)));
    put::<U>(t, KING_FILE_OPEN + 3, n(near & rank_of::<U>(0) & !files(own)));

    let nearest = if any(all) {
        let mut reach = one(king);
        let mut steps = 0;
        // A pawn never stands on the king, so that at least one step is made.
        while !any(reach & all) {
            reach |= beside(reach);
            reach |= ahead::<U>(reach) | back::<U>(reach);
            steps += 1;
        }
        steps
    } else {
        0
    };
    put::<U>(t, KING_PAWN_DISTANCE + nearest, 1);
}

/// The pawns beside a castled king: SoFCheck's shield and storm, GreKo's shield.
pub(crate) fn castled<U: Us>(king: Square, own: Bitboard, enemy: Bitboard, t: &mut impl Tally) {
    let at = file(king) as i32;
    if at == 3 || at == 4 || rank::<U>(king) > 1 {
        return;
    }
    let towards_centre = if at < 4 { 1 } else { -1 };
    if rank::<U>(king) == 0 && at != 2 && at != 5 {
        for i in 0..3 {
            let neighbour = at + towards_centre * (i - 1);
            if !(0..8).contains(&neighbour) {
                continue;
            }
            let on = file_of(neighbour as u32);
            let i = i as usize;
            for (half, own_rank) in [(0, 1), (3, 2)] {
                put::<U>(t, KING_SHIELD + half + i, n(own & on & rank_of::<U>(own_rank)));
                put::<U>(t, KING_STORM + half + i, n(enemy & on & rank_of::<U>(own_rank + 1)));
            }
        }
    }
    let here = file_of(at as u32);
    let before = own & (here | beside(here));
    let count = 2 * n(before & rank_of::<U>(1) & !one(king)) + n(before & rank_of::<U>(2));
    put::<U>(t, KING_WING_SHIELD, count);
}

/// Shelter and storm on the three files around the king, which are those of b or g at the edge.
fn shelter<U: Us>(king: Square, own: Bitboard, enemy: Bitboard, t: &mut impl Tally) {
    let not_behind = !rear_ranks::<U>(rank::<U>(king));
    let (own, enemy) = (own & not_behind, enemy & not_behind);
    let rammed = back::<U>(enemy) & own;
    let centre = file(king).clamp(1, 6);
    for on in centre - 1..=centre + 1 {
        let column = file_of(on as u32);
        let table = 8 * from_edge(on);
        let friend = first::<U>(own & column);
        put::<U>(t, KING_SHELTER + table + friend, 1);
        let foe = first::<U>(enemy & column);
        if foe > 0 && any(rammed & column & ahead_rank::<U>(foe)) {
            put::<U>(t, KING_PAWN_STORM_RAMMED + foe, 1);
        } else {
            put::<U>(t, KING_PAWN_STORM + table + foe, 1);
        }
    }
}

/// The rank right behind rank `rank`.
#[inline(always)]
fn ahead_rank<U: Us>(rank: usize) -> Bitboard {
    rank_of::<U>(rank as u32 - 1)
}

/// All ranks behind `rank`.
#[inline(always)]
fn rear_ranks<U: Us>(rank: usize) -> Bitboard {
    let below = (1u64 << (8 * rank)) - 1;
    Bitboard(if U::INDEX == 0 { below } else { below.swap_bytes() })
}

/// The lowest rank of `set` as `U` counts; 0 where there is none (pawns never stand there).
#[inline(always)]
fn first<U: Us>(set: Bitboard) -> usize {
    if !any(set) {
        0
    } else if U::INDEX == 0 {
        set.0.trailing_zeros() as usize >> 3
    } else {
        set.0.leading_zeros() as usize >> 3
    }
}
