//! Terms from the attacks of both sides together: loose pieces, threats, weak squares; and single pieces worth a number.

use crate::facts::Facts;
use crate::geometry::put;
use crate::terms::*;
use tesuji_game::Side;
use tesuji_shogi::{Bitboard, Board, Piece};
use tesuji_tally::Tally;

/// Counts what `side` threatens.
#[inline(always)]
pub(crate) fn threats(board: &Board, side: Side, facts: &Facts, t: &mut impl Tally) {
    let (us, them) = (&facts.side[side.index()], &facts.side[(!side).index()]);
    let targets = them.all.without(them.king.map_or(Bitboard::EMPTY, Bitboard::of));
    by_class(board, side, HANGING, (us.attacked & targets).without(them.attacked), t);
    by_class(board, side, THREAT_PAWN, us.by_pawn & targets, t);
    by_class(board, side, THREAT_MINOR, us.by_minor & targets, t);
    let camp = (Bitboard::zone(side) & us.attacked).without(them.attacked);
    put(t, side, CAMP, camp.count() as i32);
}

/// Counts the pieces on `victims` in a table of classes.
#[inline(always)]
fn by_class(board: &Board, side: Side, feature: usize, victims: Bitboard, t: &mut impl Tally) {
    for square in victims {
        if let Some(piece) = board.piece_at(square) {
            put(t, side, feature + crate::geometry::class(piece), 1);
        }
    }
}

/// Counts rooks on open files, files for pawn drops, knights that pawns can take, and the right to move.
#[inline(always)]
pub(crate) fn pieces(board: &Board, side: Side, facts: &Facts, t: &mut impl Tally) {
    let us = &facts.side[side.index()];
    let pawns = board.pieces(Piece::Pawn);
    for rook in board.of(side, Piece::Rook) {
        let file = Bitboard::file(rook.file()) & pawns;
        if (file & us.all).is_empty() {
            put(t, side, ROOK_OPEN + usize::from(file.is_empty()), 1);
        }
    }
    if board.hand(side).has(Piece::Pawn) {
        let closed = (pawns & us.all).count() as i32;
        // Two pawns never share a file.
        put(t, side, PAWN_DROPS, 9 - closed);
    }
    let heads = board.of(side, Piece::Knight).forward(side) & pawns;
    let loose = heads.without(us.all).without(us.attacked);
    put(t, side, KNIGHT_HEAD, loose.count() as i32);
    if tesuji_game::Position::side_to_move(board) == side {
        put(t, side, TEMPO, 1);
    }
}
