//! Static exchange evaluation: what a sequence of captures on one square is worth, least valuable pieces first.

use crate::{Bitboard, Board, Move, Piece, attacks};
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
    // Even if nothing is taken back.
    if balance < 0 {
        return false;
    }
    balance -= worth(becomes);
    // Even if the piece is lost for nothing.
    if balance >= 0 {
        return true;
    }
    let occupied = board.occupied().without(from) | to.into();
    me == exchange(board, to, occupied, !me, balance)
}

/// Whether the opponent, if it were to move, would win the piece that `mv` moves by an exchange on its square.
pub(crate) fn hangs(board: &Board, mv: Move) -> bool {
    let (Some(square), me) = (mv.from(), board.side_to_move()) else { return false };
    match board.piece_at(square) {
        None | Some(Piece::King) => false,
        Some(piece) => me != exchange(board, square, board.occupied(), !me, -EXCHANGE_CP[piece.index()]),
    }
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
        // A tokin is cheaper than a gold, a bishop cheaper than a horse.
        let promoted = board.promoted();
        let cheap = if class == Piece::Gold { taker & promoted } else { taker.without(promoted) };
        let Some(square) = (if cheap.any() { cheap } else { taker }).first() else { break };
        side = !side;
        balance = -balance - 1 - board.piece_at(square).map_or(0, |piece| EXCHANGE_CP[piece.index()]);
        if balance >= 0 {
            break;
        }
        occupied ^= square.into();
        // Only a taker on a line of the square can uncover another; knights and what stands off the lines hide nobody.
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

/// Worth of the kinds in exchanges, in centipawns; the king is beyond price.
pub const EXCHANGE_CP: [i32; 14] = [100, 300, 350, 500, 850, 1000, 550, 20_000, 500, 500, 500, 550, 1100, 1300];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules, Shogi, Square};
    use tesuji_game::{Game, Tactical};
    use tesuji_testkit::conform;

    /// The material that `side` wins by capturing the piece on `to`, worth `prey`; computed without thresholds and square by square.
    fn swap(board: &Board, to: Square, occupied: Bitboard, side: Side, prey: i32) -> i32 {
        let reaches = |side: Side, square: &Square| {
            board
                .at(*square)
                .is_some_and(|(owner, piece)| owner == side && attacks::of(piece, side, *square, occupied).contains(to))
        };
        let (held, pinners) = pinned(board, side);
        let bound = if (pinners & occupied).any() { held } else { Bitboard::EMPTY };
        let takers = occupied.without(bound).filter(|square| *square != to && reaches(side, square));
        let order = |square: &Square| {
            let piece = board.piece_at(*square).expect("a piece");
            let class = match piece {
                Piece::Horse | Piece::Dragon => piece.base(),
                _ if piece.moves_as_gold() => Piece::Gold,
                _ => piece,
            };
            let late = piece.is_promoted() != (class == Piece::Gold);
            (ORDER.iter().position(|&p| p == class), late, *square)
        };
        let Some(taker) = takers.min_by_key(order) else { return 0 };
        let piece = board.piece_at(taker).expect("a piece");
        let protected = occupied.filter(|s| *s != to && reaches(!side, s)).count() > 0;
        if piece == Piece::King && protected {
            return 0;
        }
        let worth = EXCHANGE_CP[piece.index()];
        (prey - swap(board, to, occupied ^ taker.into(), !side, worth)).max(0)
    }

    #[test]
    fn thresholds_agree_with_values() {
        let start = Shogi::start(&Rules::default());
        let (mut moves, mut lost) = (0, 0);
        conform::random_games(&start, 0..6, |line, _| {
            let board = line.here();
            for mv in board.legal_moves().into_iter().filter(|&mv| board.is_noisy(mv) || mv.is_drop()).take(12) {
                let from = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
                let moving = mv.from().map_or(mv.dropped(), |from| board.piece_at(from)).expect("a piece");
                let becomes = if mv.is_promotion() { moving.promoted().expect("it promotes") } else { moving };
                let occupied = board.occupied().without(from) | mv.to().into();
                let worth = |piece: Piece| EXCHANGE_CP[piece.index()];
                let value = board.piece_at(mv.to()).map_or(0, worth) + worth(becomes)
                    - worth(moving)
                    - swap(board, mv.to(), occupied, !board.side_to_move(), worth(becomes));
                assert!(at_least(board, mv, value), "{mv} is worth {value} in {board}");
                assert!(!at_least(board, mv, value + 1), "{mv} is worth no more than {value} in {board}");
                moves += 1;
                lost += usize::from(value < 0);
            }
        });
        assert!(moves > 5_000 && lost > 500, "{lost} of {moves}");
    }
}
