//! The phase of a position between middlegame and endgame, and the drawishness of its ending. Both follow from the pieces alone.

use crate::facts::*;
use crate::geometry::*;
use tesuji_chess::{Board, DARK, LIGHT, Piece};
use tesuji_tally::{Blend, SCALE_MAX, phase_of};

/// Points of each kind for the phase: SoFCheck's N 1, B 1, R 2, Q 4; 24 are a full board.
const PHASE_POINTS: [i32; 6] = [0, 1, 1, 2, 4, 0];
const PHASE_ALL: i32 = 24;
/// Nominal points of each kind, by which the stronger side is told.
const POINTS: [i32; 5] = [1, 3, 3, 5, 9];

/// Phase and scale of a position.
#[inline]
pub(crate) fn of(board: &Board) -> Blend {
    let raw = points(board);
    let phase = phase_of(raw, PHASE_ALL);
    // With most pieces on the board nothing is drawish, and the scale is not asked for often.
    let scale = if raw > PHASE_ALL / 2 { SCALE_MAX } else { scale(board) };
    Blend { phase, scale }
}

/// Phase of a position.
#[inline]
pub(crate) fn phase(board: &Board) -> i32 {
    phase_of(points(board), PHASE_ALL)
}

/// Points of all pieces for the phase.
#[inline(always)]
fn points(board: &Board) -> i32 {
    (KNIGHT..=QUEEN).map(|kind| PHASE_POINTS[kind] * n(board.pieces(Piece::ALL[kind]))).sum()
}

/// The scale of an endgame's value, in 64ths. The stronger side is the one with more nominal points.
#[inline(never)]
fn scale(board: &Board) -> i32 {
    let count = |side: usize, kind: usize| n(board.of(tesuji_game::Side::ALL[side], Piece::ALL[kind]));
    let counts: [[i32; 5]; 2] = std::array::from_fn(|side| std::array::from_fn(|kind| count(side, kind)));
    let points = counts.map(|c| (KNIGHT..=QUEEN).map(|kind| c[kind] * POINTS[kind]).sum::<i32>());
    let totals = [points[0] + counts[0][PAWN], points[1] + counts[1][PAWN]];
    let strong = usize::from(totals[1] > totals[0]);
    let weak = 1 - strong;
    let (us, them) = (&counts[strong], &counts[weak]);
    let lead = points[strong] - points[weak];
    let even = totals[0] == totals[1];
    if even && us[PAWN] != them[PAWN] {
        return by_pawns(us[PAWN].max(them[PAWN]));
    }

    if us[PAWN] == 0 && lead <= POINTS[KNIGHT] {
        // Not enough to force mate: alone a minor piece or two knights; against little, little.
        return match points[strong] {
            p if p < POINTS[ROOK] => 0,
            _ if points[weak] <= POINTS[KNIGHT] => SCALE_MAX / 16,
            _ => SCALE_MAX * 7 / 32,
        };
    }
    if us[PAWN] == 0 && us[KNIGHT] == 2 && points[strong] == 2 * POINTS[KNIGHT] {
        return 0;
    }
    let bishops = [0, 1].map(|side| board.of(tesuji_game::Side::ALL[side], Piece::Bishop));
    if us[PAWN] == 0 && us[BISHOP] * POINTS[BISHOP] == points[strong] && one_colour(bishops[strong]) {
        return 0;
    }
    if !even && points[strong] == POINTS[BISHOP] && us[BISHOP] == 1 && wrong_corner(board, strong) {
        return SCALE_MAX / 16;
    }
    let alone = us[BISHOP] == 1 && them[BISHOP] == 1 && one_colour(bishops[0]) && one_colour(bishops[1]);
    if alone && !one_colour(bishops[0] | bishops[1]) {
        // Bishops of opposite colours, alone or with other pieces.
        let quiet = points[strong] == POINTS[BISHOP] && points[weak] == POINTS[BISHOP];
        return if quiet {
            (SCALE_MAX / 4 + 6 * (us[PAWN] - them[PAWN]).max(0)).min(SCALE_MAX / 2)
        } else {
            SCALE_MAX * 3 / 4
        };
    }
    by_pawns(us[PAWN])
}

/// The fewer pawns the stronger side has, the easier they are all exchanged.
fn by_pawns(pawns: i32) -> i32 {
    (SCALE_MAX * 5 / 8 + 6 * pawns).min(SCALE_MAX)
}

/// Whether all squares are of one colour.
fn one_colour(set: tesuji_chess::Bitboard) -> bool {
    !any(set & LIGHT) || !any(set & DARK)
}

/// Whether the stronger side's pawns all stand on one rook file whose last square its bishop does not control, and the
/// weaker king is there.
fn wrong_corner(board: &Board, strong: usize) -> bool {
    let side = tesuji_game::Side::ALL[strong];
    let pawns = board.of(side, Piece::Pawn);
    let on = [0, 7].into_iter().find(|&f| any(pawns) && !any(pawns & !file_of(f)));
    let Some(on) = on else { return false };
    let corner = tesuji_chess::Square::ALL[on as usize + 56 * (1 - strong)];
    let bishop = board.of(side, Piece::Bishop);
    !one_colour(bishop | one(corner)) && distance(board.king(!side), corner) <= 1
}
