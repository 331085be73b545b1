//! Writing the planes.

use super::SQUARES;
use tesuji_game::{Position, Side};
use tesuji_shogi::{Bitboard, Board, Piece, attacks};

/// Hand pieces in the order of their planes, with the most that are shown.
const HAND: [(Piece, u8); 7] = [
    (Piece::Pawn, 8),
    (Piece::Lance, 4),
    (Piece::Knight, 4),
    (Piece::Silver, 4),
    (Piece::Gold, 4),
    (Piece::Bishop, 2),
    (Piece::Rook, 2),
];
/// The numbers of planes of missing pieces and of missing points.
const MEN: u32 = 10;
const POINTS: u32 = 20;

/// Pieces, what each kind reaches and how many reach each square, of the side to move and of the other.
pub fn board(board: &Board, mirrored: bool, out: &mut [f32]) {
    let me = board.side_to_move();
    for (side, out) in [me, !me].into_iter().zip(out.chunks_exact_mut(31 * SQUARES)) {
        let mut reached = [Bitboard::EMPTY; 14];
        let mut times = [Bitboard::EMPTY; 3];
        for piece in Piece::ALL {
            let pieces = board.of(side, piece);
            for square in pieces {
                let to = attacks::of(piece, side, square, board.occupied());
                reached[piece.index()] |= to;
                times[2] |= times[1] & to;
                times[1] |= times[0] & to;
                times[0] |= to;
            }
            show(pieces, me, mirrored, &mut out[piece.index() * SQUARES..][..SQUARES]);
        }
        for (set, plane) in reached.into_iter().chain(times).zip(out[14 * SQUARES..].chunks_exact_mut(SQUARES)) {
            show(set, me, mirrored, plane);
        }
    }
}

/// Ones where `set` is, as `me` sees it.
fn show(set: Bitboard, me: Side, mirrored: bool, plane: &mut [f32]) {
    plane.fill(0.0);
    for square in set {
        let square = square.relative(me);
        plane[if mirrored { square.mirrored() } else { square }.index()] = 1.0;
    }
}

/// Hands as thermometers, then whether there is a check.
pub fn hands(board: &Board, out: &mut [f32]) {
    let me = board.side_to_move();
    let mut planes = out.chunks_exact_mut(SQUARES);
    for side in [me, !me] {
        for (piece, most) in HAND {
            let count = board.hand(side).count(piece);
            for (n, plane) in (0..most).zip(&mut planes) {
                plane.fill(f32::from(u8::from(n < count)));
            }
        }
    }
    for plane in planes {
        plane.fill(f32::from(u8::from(board.checkers().any())));
    }
}

/// For each side: whether its king is in the opponent's camp, how many pieces it lacks there and how many points it lacks
/// for a declaration, wherever its king is. Nothing is shown where it has more than enough or where all are lacking.
pub fn entering(board: &Board, out: &mut [f32]) {
    let me = board.side_to_move();
    for (side, out) in [me, !me].into_iter().zip(out.chunks_exact_mut((1 + MEN + POINTS) as usize * SQUARES)) {
        out.fill(0.0);
        let mut one = |plane: u32| out[plane as usize * SQUARES..][..SQUARES].fill(1.0);
        if board.king(side).is_some_and(|king| king.in_zone(side)) {
            one(0);
        }
        let wanted = if side == Side::First { 28 } else { 27 };
        if let Some(pieces) = MEN.checked_sub(board.entered(side).count()).filter(|&pieces| pieces < MEN) {
            one(1 + pieces);
        }
        if let Some(points) = u32::checked_sub(wanted, board.entering_points(side)).filter(|&p| p < POINTS) {
            one(1 + MEN + points);
        }
    }
}
