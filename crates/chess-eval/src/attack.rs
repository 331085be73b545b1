//! Terms from the attacks of both sides together: king safety, threats, space. Needs the attacks of all pieces.

use crate::facts::*;
use crate::geometry::*;
use crate::terms::*;
use tesuji_chess::{Bitboard, attacks};
use tesuji_tally::Tally;

/// The last entry of [`KING_DANGER`].
const DANGER_MAX: i32 = 31;
/// Units of danger for a kind of safe check: knight, bishop, rook, queen.
const CHECK_UNITS: [i32; 4] = [3, 2, 3, 3];

/// Counts what `U` does to the enemy king.
#[inline(always)]
pub(crate) fn on_king<U: Us>(facts: &Facts, t: &mut impl Tally) {
    let (us, them) = (facts.us::<U>(), facts.them::<U>());
    let guarded = them.by[PAWN] | them.by[KNIGHT] | them.by[BISHOP] | them.by[ROOK];
    let weak = us.attacked & !guarded & (!them.attacked | them.by[KING] | them.by[QUEEN]);
    let weak_ring = n(weak & them.ring);
    put::<U>(t, KING_RING_ATTACKS, us.ring_attacks);
    put::<U>(t, KING_RING_WEAK, weak_ring);

    let mut units = us.zone_units + weak_ring + us.ring_attacks / 2;
    let safe = !us.all & (!them.attacked | (weak & us.twice));
    let rook_lines = attacks::rook(them.king, facts.occupied);
    let bishop_lines = attacks::bishop(them.king, facts.occupied);
    let lines = [attacks::knight(them.king), bishop_lines, rook_lines, rook_lines | bishop_lines];
    for kind in KNIGHT..=QUEEN {
        let checks = lines[kind - KNIGHT] & us.by[kind] & safe;
        if any(checks) {
            put::<U>(t, SAFE_CHECK + kind - KNIGHT, n(checks));
            units += CHECK_UNITS[kind - KNIGHT];
        }
    }
    if !any(us.pieces[QUEEN]) {
        units /= 2;
    }
    if units > 0 {
        put::<U>(t, KING_DANGER + units.min(DANGER_MAX) as usize, 1);
    }

    let centre = file_of((file(them.king) as u32).clamp(1, 6));
    let camp = rank_of::<U>(4) | rank_of::<U>(5) | rank_of::<U>(6) | rank_of::<U>(7);
    put::<U>(t, KING_FLANK, n(us.attacked & (centre | beside(centre)) & camp));
}

/// Counts what `U` threatens to take, and the squares it takes from the enemy.
#[inline(always)]
pub(crate) fn threats<U: Us>(facts: &Facts, t: &mut impl Tally) {
    let (us, them) = (facts.us::<U>(), facts.them::<U>());
    let targets = them.all & !them.pieces[KING];
    let pieces = targets & !them.pieces[PAWN];
    by_kind::<U>(t, THREAT_PAWN, them, us.by[PAWN] & pieces);

    let unguarded_by_pawns = targets & !them.by[PAWN];
    by_kind::<U>(t, THREAT_KNIGHT, them, us.by[KNIGHT] & (pieces | unguarded_by_pawns));
    by_kind::<U>(t, THREAT_BISHOP, them, us.by[BISHOP] & (pieces | unguarded_by_pawns));
    by_kind::<U>(t, THREAT_ROOK, them, us.by[ROOK] & (them.pieces[QUEEN] | unguarded_by_pawns));
    let loose = us.attacked & targets & !them.attacked;
    by_kind::<U>(t, HANGING, them, loose);
    put::<U>(t, THREAT_KING, n(us.by[KING] & loose));

    let free = !facts.occupied;
    let step = ahead::<U>(us.pieces[PAWN]) & free;
    let pushes = step | (ahead::<U>(step & rank_of::<U>(2)) & free);
    let safe = pushes & !them.by[PAWN] & (us.attacked | !them.attacked);
    put::<U>(t, THREAT_PUSH, n(pawn_attacks::<U>(safe) & pieces & !us.by[PAWN]));
    put::<U>(t, RESTRICTED, n(us.attacked & them.attacked & !them.by[PAWN] & !them.twice));

    let middle = file_of(2) | file_of(3) | file_of(4) | file_of(5);
    let room = middle & (rank_of::<U>(1) | rank_of::<U>(2) | rank_of::<U>(3)) & !us.pieces[PAWN] & !them.by[PAWN];
    let behind = back::<U>(us.pieces[PAWN]);
    let behind = behind | back::<U>(behind);
    put::<U>(t, SPACE, n(room) + n(room & (behind | back::<U>(behind)) & !them.attacked));
}

/// Counts `victims`, pieces of `them`, in a table of kinds.
#[inline(always)]
fn by_kind<U: Us>(t: &mut impl Tally, feature: usize, them: &SideFacts, victims: Bitboard) {
    if any(victims) {
        for kind in PAWN..=QUEEN {
            put::<U>(t, feature + kind, n(victims & them.pieces[kind]));
        }
    }
}
