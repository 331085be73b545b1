//! Mating a lone king: what is added to the evaluation, outside the learned weights, when one side has only its king left.

use crate::facts::*;
use crate::geometry::*;
use tesuji_chess::{Board, DARK, LIGHT, Piece};
use tesuji_game::Side;

/// Added for an ending that is won by force, in hundredths of a pawn.
const WON_CP: i32 = 400;
/// For each step of the lone king from the centre.
const EDGE_CP: i32 = 20;
/// For each step of the kings towards each other.
const KINGS_CP: i32 = 10;
/// For each step of the kings towards each other in the mate with bishop and knight: of 900 random positions none escaped
/// a search of 20,000 nodes a move for fifty moves (the longest took 46); with 10 one of 300 did, with 25 one of 600.
const KINGS_CORNER_CP: i32 = 20;
/// For each step of the lone king towards the corner in which bishop and knight mate: with 120 two of 600 escaped so.
const CORNER_CP: i32 = 150;

/// The mop-up bonus that the first side gains (the second loses) because one king is alone against enough material;
/// 0 in all other positions. Drives that king to the edge, or to the right corner against bishop and knight, and the
/// other towards it.
#[inline]
pub fn mop_up(board: &Board) -> i32 {
    for side in Side::ALL {
        let king = board.of(!side, Piece::King);
        if board.side(!side) == king && can_mate(board, side) {
            let sign = [1, -1][side.index()];
            return sign * drive(board, side);
        }
    }
    0
}

/// Whether `side` has queen, rook, bishops of both colours, or bishop and knight.
fn can_mate(board: &Board, side: Side) -> bool {
    let of = |kind: usize| board.of(side, Piece::ALL[kind]);
    let bishops = of(BISHOP);
    any(of(QUEEN) | of(ROOK)) || (any(bishops & LIGHT) && any(bishops & DARK)) || (any(bishops) && any(of(KNIGHT)))
}

fn drive(board: &Board, side: Side) -> i32 {
    let (king, lone) = (board.king(side), board.king(!side));
    let of = |kind: usize| n(board.of(side, Piece::ALL[kind]));
    let (column, row) = ((lone.index() & 7) as i32, (lone.index() >> 3) as i32);
    let bishop_and_knight = of(BISHOP) == 1 && of(KNIGHT) == 1 && n(board.side(side)) == 3;
    let nearness = 7 - distance(king, lone) as i32;
    if bishop_and_knight {
        // a1 and h8 are dark: 7 there, 0 in the light corners, and each step along the edge counts.
        let dark = any(board.of(side, Piece::Bishop) & DARK);
        let steps = (7 - if dark { column + row } else { 7 - column + row }).abs();
        return WON_CP + CORNER_CP * steps + KINGS_CORNER_CP * nearness;
    }
    let steps = 3 - from_edge(lone.index() & 7) as i32 + 3 - from_edge(lone.index() >> 3) as i32;
    WON_CP + EDGE_CP * steps + KINGS_CP * nearness
}
