//! Pawn structure: what follows from the pawns of both sides alone. In play its sum is cached by the pawn key.

use crate::geometry::*;
use crate::terms::*;
use tesuji_chess::{Bitboard, Piece};
use tesuji_tally::Tally;

/// Sets of pawns and squares that other terms need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PawnSets {
    /// Passed pawns of both sides.
    pub passed: u64,
    /// For each side, the squares that its pawns attack now or after any advance.
    pub spans: [u64; 2],
}

/// Counts the terms of both sides.
#[inline(always)]
pub(crate) fn tally(board: &tesuji_chess::Board, t: &mut impl Tally) -> PawnSets {
    let white = board.of(White::SIDE, Piece::Pawn);
    let black = board.of(Black::SIDE, Piece::Pawn);
    let mut sets = PawnSets::default();
    side::<White>(white, black, t, &mut sets);
    side::<Black>(black, white, t, &mut sets);
    sets
}

fn side<U: Us>(own: Bitboard, enemy: Bitboard, t: &mut impl Tally, sets: &mut PawnSets) {
    let guards = pawn_attacks::<U>(own);
    let enemy_attacks = pawn_attacks::<U::Them>(enemy);
    let spans = beside(front::<U>(own));
    let unfaced = own & !rear::<U>(enemy);

    let open = own & !rear::<U>(own | enemy);
    let passed = open & !beside(rear::<U>(enemy));
    let candidate = open & !passed & !rear::<U>(enemy_attacks & !guards);
    put::<U>(t, PAWN_CANDIDATE, n(candidate));
    put::<U>(t, PAWN_OPEN, n(open & !passed & !candidate));

    let isolated = own & !beside(files(own));
    put::<U>(t, PAWN_ISOLATED, n(isolated));
    put::<U>(t, PAWN_ISOLATED_FACED, n(isolated & unfaced));
    put::<U>(t, PAWN_DOUBLE, n(own & (front::<U>(own) | rear::<U>(own))));
    put::<U>(t, PAWN_DOUBLED, n(own & rear::<U>(own)));

    let stopped = back::<U>(enemy_attacks);
    let backward = own & stopped & !back::<U>(spans);
    put::<U>(t, PAWN_BACKWARD, n(backward));
    put::<U>(t, PAWN_BACKWARD_FACED, n(backward & unfaced));
    put::<U>(t, PAWN_UNDEFENDED, n(own & stopped & !spans));

    let phalanx = own & beside(own);
    by_rank::<U>(t, PAWN_GUARDED, own & guards);
    by_rank::<U>(t, PAWN_PHALANX, phalanx);
    by_rank::<U>(t, PAWN_LEVER, own & enemy_attacks);
    by_rank::<U>(t, PASSED_GUARDED, passed & (guards | phalanx));
    for square in own & back::<U>(enemy) {
        put::<U>(t, PAWN_RAMMED + file(square), 1);
    }
    for square in passed {
        put::<U>(t, PASSED_FILE + from_edge(file(square)), 1);
    }
    let on_files = files(own).0 & 0xFF;
    put::<U>(t, PAWN_ISLANDS, (on_files & !(on_files << 1)).count_ones() as i32);

    sets.passed |= passed.0;
    sets.spans[U::INDEX] = spans.0;
}

/// Counts the squares of `set` in a table of ranks.
fn by_rank<U: Us>(t: &mut impl Tally, feature: usize, set: Bitboard) {
    for square in set {
        put::<U>(t, feature + rank::<U>(square), 1);
    }
}
