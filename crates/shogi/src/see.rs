//! Static exchange evaluation: what a sequence of captures on one square is worth, least valuable pieces first.

use crate::{Bitboard, Board, Move, Piece, attacks, tactical::EXCHANGE_CP};
use tesuji_game::{Position, Side};

/// The classes of movement in the order in which they take: cheap pieces first, the king last.
const ORDER: [Piece; 8] =
    [Piece::Pawn, Piece::Lance, Piece::Knight, Piece::Silver, Piece::Gold, Piece::Bishop, Piece::Rook, Piece::King];

/// Whether the exchange that `mv` starts is worth at least `threshold_cp` to the mover.
///
/// The swap algorithm with a moving threshold: each side takes with its least valuable piece while that pays. A piece
/// counts what it is worth on the board; nobody promotes on the way but the first move. Pieces pinned to their king do
/// not take while their pinner stands.
pub(crate) fn at_least(board: &Board, mv: Move, threshold_cp: i32) -> bool {
    let (to, me) = (mv.to(), board.side_to_move());
    let worth = |piece: Piece| EXCHANGE_CP[piece.index()];
    let gain = board.piece_at(to).map_or(0, worth);
    let (moving, from) = match mv.from() {
        Some(from) => (board.piece_at(from).unwrap_or(Piece::Pawn), Bitboard::of(from)),
        None => (mv.dropped().unwrap_or(Piece::Pawn), Bitboard::EMPTY),
    };
    let becomes = if mv.is_promotion() { moving.promoted().unwrap_or(moving) } else { moving };
    let mut balance = gain + worth(becomes) - worth(moving) - threshold_cp;
    if balance < 0 {
        return false;
    }
    balance -= worth(becomes);
    if balance >= 0 {
        return true;
    }
    let occupied = board.occupied().without(from) | to.into();
    me == exchange(board, to, occupied, !me, balance)
}

/// Plays the captures out from `side`, which may stop at any time; returns who comes out ahead.
fn exchange(board: &Board, to: crate::Square, mut occupied: Bitboard, mut side: Side, mut balance: i32) -> Side {
    let attackers = |occupied| board.attackers(Side::First, to, occupied) | board.attackers(Side::Second, to, occupied);
    let mut standing = attackers(occupied) & occupied;
    let pins = Side::ALL.map(|side| pinned(board, side));
    loop {
        let (held, pinners) = pins[side.index()];
        let mut mine = standing & board.side(side);
        if (pinners & occupied).any() {
            mine &= !held;
        }
        let Some(class) = ORDER.into_iter().find(|&p| (mine & board.class(p)).any()) else { break };
        if class == Piece::King && (standing & board.side(!side)).any() {
            // The king may not take what is protected.
            break;
        }
        let taker = mine & board.class(class);
        // Unpromoted bishops and rooks take before horses and dragons.
        let cheap = taker.without(board.promoted());
        let Some(square) = (if cheap.any() { cheap } else { taker }).first() else { break };
        side = !side;
        balance = -balance - 1 - board.piece_at(square).map_or(0, |piece| EXCHANGE_CP[piece.index()]);
        if balance >= 0 {
            break;
        }
        occupied ^= square.into();
        if attacks::rook_rays(to).contains(square) || attacks::bishop_rays(to).contains(square) {
            standing |= attackers(occupied);
        }
        standing &= occupied;
    }
    !side
}

/// Pieces of `side` pinned to their king, and what pins them.
fn pinned(board: &Board, side: Side) -> (Bitboard, Bitboard) {
    let Some(king) = board.king(side) else { return (Bitboard::EMPTY, Bitboard::EMPTY) };
    let occupied = board.occupied();
    board.snipers(!side, king).fold((Bitboard::EMPTY, Bitboard::EMPTY), |(held, pinners), sniper| {
        let blockers = attacks::between(king, sniper) & occupied;
        if blockers.any() && !blockers.several() && (blockers & board.side(side)).any() {
            (held | blockers, pinners | sniper.into())
        } else {
            (held, pinners)
        }
    })
}
