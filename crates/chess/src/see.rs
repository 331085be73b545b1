//! Static exchange evaluation: what a sequence of captures on one square is worth, best captures first.

use crate::{Bitboard, Board, Move, Piece, Square, attacks};
use tesuji_game::{Position, Side};

/// Whether the exchange that `mv` starts is worth at least `threshold_cp` to the mover.
///
/// The swap algorithm with a moving threshold: each side takes with its least valuable piece while that pays. Pieces
/// pinned to their king do not take while their pinner stands.
pub(crate) fn at_least(board: &Board, mv: Move, threshold_cp: i32) -> bool {
    if mv.is_castling() {
        return threshold_cp <= 0;
    }
    let (from, to, me) = (mv.from(), mv.to(), board.side_to_move());
    let victim = if mv.is_en_passant() { Some(Piece::Pawn) } else { board.piece_at(to) };
    let moving = board.piece_at(from).unwrap_or(Piece::Pawn);
    let promotion = mv.promotion().map_or(0, |piece| EXCHANGE_CP[piece.index()] - EXCHANGE_CP[0]);
    let mut balance = victim.map_or(0, |piece| EXCHANGE_CP[piece.index()]) + promotion - threshold_cp;
    // Even if nothing is taken back.
    if balance < 0 {
        return false;
    }
    let on_square = mv.promotion().unwrap_or(moving);
    balance -= EXCHANGE_CP[on_square.index()];
    // Even if the piece is lost for nothing.
    if balance >= 0 {
        return true;
    }
    let mut occupied = (board.occupied() ^ from.into()) | to.into();
    if mv.is_en_passant() {
        // The pawn stood beside the target and may have hidden a slider.
        occupied ^= Square::new(to.file(), from.rank()).into();
    }
    me == exchange(board, to, occupied, !me, balance)
}

/// Whether the opponent, if it were to move, would win the piece that `mv` moves by an exchange on its square.
pub(crate) fn hangs(board: &Board, mv: Move) -> bool {
    let (square, me) = (mv.from(), board.side_to_move());
    match board.piece_at(square) {
        None | Some(Piece::King) => false,
        Some(piece) => me != exchange(board, square, board.occupied(), !me, -EXCHANGE_CP[piece.index()]),
    }
}

/// Plays the captures out from `side`, which may stop at any time; returns who comes out ahead.
fn exchange(board: &Board, to: Square, mut occupied: Bitboard, mut side: Side, mut balance: i32) -> Side {
    let diagonal = board.pieces(Piece::Bishop) | board.pieces(Piece::Queen);
    let straight = board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let mut attackers = board.attackers_to(to, occupied) & occupied;
    let pins = [pinned(board, Side::First), pinned(board, Side::Second)];
    loop {
        let (held, pinners) = pins[side.index()];
        let mut mine = attackers & board.side(side);
        // Which pins which is not kept: all pinned pieces stay as long as any pinner stands.
        if (pinners & occupied).any() {
            mine &= !held;
        }
        let Some(piece) = Piece::ALL.into_iter().find(|&p| (mine & board.pieces(p)).any()) else { break };
        if piece == Piece::King && (attackers & board.side(!side)).any() {
            // The king may not take what is protected.
            break;
        }
        side = !side;
        // Minus one: the side that answers must come out strictly ahead, since equal is enough for the other.
        balance = -balance - 1 - EXCHANGE_CP[piece.index()];
        if balance >= 0 {
            break;
        }
        let taker = mine & board.pieces(piece);
        // The lowest bit alone: which of equal takers goes first does not matter, what stands behind it does.
        occupied ^= Bitboard(taker.0 & taker.0.wrapping_neg());
        // Only who took along a diagonal can uncover another slider on it.
        if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen) {
            attackers |= attacks::bishop(to, occupied) & diagonal;
        }
        if matches!(piece, Piece::Rook | Piece::Queen) {
            attackers |= attacks::rook(to, occupied) & straight;
        }
        attackers &= occupied;
    }
    !side
}

/// Pieces of `side` pinned to their king, and what pins them. Only the side to move knows its pins already.
fn pinned(board: &Board, side: Side) -> (Bitboard, Bitboard) {
    let king = board.king(side);
    let snipers = (attacks::bishop_rays(king) & board.diagonal_sliders(!side))
        | (attacks::rook_rays(king) & board.straight_sliders(!side));
    let occupied = board.occupied();
    snipers.fold((Bitboard::EMPTY, Bitboard::EMPTY), |(held, pinners), sniper| {
        let blockers = attacks::between(king, sniper) & occupied;
        if blockers.any() && !blockers.several() && (blockers & board.side(side)).any() {
            (held | blockers, pinners | sniper.into())
        } else {
            (held, pinners)
        }
    })
}

/// Worth of the kinds in exchanges, in centipawns; the king is beyond price.
pub const EXCHANGE_CP: [i32; 6] = [100, 320, 330, 500, 950, 20_000];
