//! The board interface for depth-first search: noisy moves, checks, exchanges, indices of moves, passing.

use crate::{
    Bitboard, Board, Move, Piece, attacks,
    movegen::{Each, NOISY, QUIET, is_eager},
    see::{self, EXCHANGE_CP},
    zobrist,
};
use std::ops::ControlFlow;
use tesuji_game::{Key, Side, Tactical};

/// The rank of each kind of piece as a victim of a capture: see [`Tactical::victim`].
const RANK: [u8; 14] = [1, 2, 3, 4, 6, 7, 5, 10, 5, 5, 5, 5, 8, 9];

impl Board {
    /// The kind of piece that a legal move puts on its target.
    #[inline(always)]
    fn arriving_piece(&self, mv: Move) -> Piece {
        let Some(from) = mv.from() else { return mv.dropped().unwrap_or(Piece::Pawn) };
        let piece = self.piece_at(from).unwrap_or(Piece::Pawn);
        if mv.is_promotion() { piece.promoted().unwrap_or(piece) } else { piece }
    }

    /// The keys of the board and of the hands after a legal move.
    #[inline]
    pub(crate) fn keys_after(&self, mv: Move) -> (u64, u64) {
        let (me, to) = (self.side, mv.to());
        let (mut board, mut hands) = (self.board_key ^ zobrist::side(), self.hand_key);
        board ^= zobrist::piece(me, self.arriving_piece(mv), to);
        match mv.from() {
            Some(from) => {
                board ^= self.piece_at(from).map_or(0, |piece| zobrist::piece(me, piece, from));
                if let Some(victim) = self.piece_at(to) {
                    board ^= zobrist::piece(!me, victim, to);
                    hands = hands.wrapping_add(zobrist::in_hand(me, victim.base()));
                }
            }
            None => hands = hands.wrapping_sub(mv.dropped().map_or(0, |piece| zobrist::in_hand(me, piece))),
        }
        (board, hands)
    }

    /// Whether a piece that stands on `from` lays open a line of its side to the other king by going to `to`.
    #[inline]
    fn discovers_check(&self, from: crate::Square, to: crate::Square) -> bool {
        let Some(king) = self.king(!self.side) else { return false };
        let line = attacks::ray_through(king, from);
        // Along the line it still stands in between.
        if line.is_empty() || line.contains(to) {
            return false;
        }
        let occupied = self.occupied() ^ from.into();
        let mut beyond = line & self.snipers(self.side, king).without(from.into());
        Iterator::any(&mut beyond, |sniper| (attacks::between(king, sniper) & occupied).is_empty())
    }
}

impl Tactical for Board {
    const PIECE_TO_MAX: usize = 2 * 14 * 81;
    const FROM_TO_MAX: usize = 2 * 88 * 81;
    /// Nothing, pawn, lance, knight, silver, gold and its like, bishop, rook, horse, dragon.
    const VICTIM_MAX: usize = 11;

    #[inline(always)]
    fn for_each_noisy<B>(&self, f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.generate::<B, NOISY>(&mut Each(f))
    }

    #[inline(always)]
    fn for_each_quiet<B>(&self, f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.generate::<B, QUIET>(&mut Each(f))
    }

    #[inline(always)]
    fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Captures and promotions of pawns, bishops and rooks; where those could promote and do not, the move is quiet.
    #[inline]
    fn is_noisy(&self, mv: Move) -> bool {
        let Some(from) = mv.from() else { return false };
        let eager = self.piece_at(from).is_some_and(is_eager);
        if eager && (from.in_zone(self.side) || mv.to().in_zone(self.side)) {
            mv.is_promotion()
        } else {
            self.is_capture(mv)
        }
    }

    #[inline]
    fn gives_check(&self, mv: Move) -> bool {
        let Some(king) = self.king(!self.side) else { return false };
        let (piece, to) = (self.arriving_piece(mv), mv.to());
        let left = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
        let occupied = self.occupied().without(left) | to.into();
        attacks::of(piece, self.side, to, occupied).contains(king)
            || mv.from().is_some_and(|from| self.discovers_check(from, to))
    }

    #[inline]
    fn see_ge(&self, mv: Move, threshold_cp: i32) -> bool {
        see::at_least(self, mv, threshold_cp)
    }

    /// Attacked by pawns; by pawns and knights.
    type Threats = [Bitboard; 2];

    fn threats(&self) -> [Bitboard; 2] {
        let them = !self.side;
        let own = |piece: Piece| self.pieces(piece) & self.side(them);
        let by_pawns = own(Piece::Pawn).forward(them);
        let by_knights = own(Piece::Knight).fold(Bitboard::EMPTY, |all, from| all | attacks::knight(them, from));
        [by_pawns, by_pawns | by_knights]
    }

    #[inline]
    fn threat_change_cp(&self, threats: &[Bitboard; 2], mv: Move) -> i32 {
        let piece = self.arriving_piece(mv);
        let cheaper = match piece {
            Piece::Pawn | Piece::King => return 0,
            Piece::Lance | Piece::Knight => threats[0],
            _ => threats[1],
        };
        let leaves = mv.from().is_some_and(|from| cheaper.contains(from));
        EXCHANGE_CP[piece.index()] * (i32::from(leaves) - i32::from(cheaper.contains(mv.to())))
    }

    fn escapes(&self, mv: Move) -> bool {
        see::hangs(self, mv)
    }

    /// The kind after promotion.
    #[inline(always)]
    fn piece_to(&self, mv: Move) -> usize {
        (self.side.index() * 14 + self.arriving_piece(mv).index()) * 81 + mv.to().index()
    }

    #[inline(always)]
    fn from_to(&self, mv: Move) -> usize {
        // 81 squares and 7 kinds in hand are 88 origins.
        (self.side.index() * 88 + mv.origin()) * 81 + mv.to().index()
    }

    #[inline(always)]
    fn victim(&self, mv: Move) -> usize {
        self.piece_at(mv.to()).map_or(0, |piece| RANK[piece.index()].into())
    }

    #[inline]
    fn gain_cp(&self, mv: Move) -> i32 {
        let worth = |piece: Piece| EXCHANGE_CP[piece.index()];
        let promoted = mv.from().filter(|_| mv.is_promotion()).and_then(|from| self.piece_at(from));
        let promotion = promoted.and_then(|piece| Some(worth(piece.promoted()?) - worth(piece)));
        promotion.unwrap_or(0) + self.piece_at(mv.to()).map_or(0, worth)
    }

    fn mate_at_once(&self) -> Option<Move> {
        self.mate_beside_king()
    }

    /// Right for every move.
    #[inline]
    fn likely_key_after(&self, mv: Move) -> Key {
        let (board, hands) = self.keys_after(mv);
        Key(board ^ hands)
    }

    /// Always: nobody in shogi is ever bound to move to his harm for want of pieces.
    #[inline(always)]
    fn has_pieces(&self) -> bool {
        true
    }

    /// The pawns on the board.
    #[inline(always)]
    fn structure_key(&self) -> Key {
        Key(self.pawn_key)
    }

    /// King, golds and silvers: the castle. Hashed from the bitboards when it is asked for.
    #[inline]
    fn piece_keys(&self) -> [Key; 2] {
        let [.., silvers, _, _, golds, kings] = self.sets;
        Side::ALL.map(|side| {
            let own = self.side(side);
            [silvers, golds, kings].into_iter().fold(Key::default(), |key, set| {
                let squares = (set & own).0;
                key.with(squares as u64).with((squares >> 64) as u64)
            })
        })
    }

    fn play_null(&mut self) -> Option<Board> {
        if self.checkers.any() {
            return None;
        }
        let undo = *self;
        self.side = !self.side;
        self.move_number = self.move_number.saturating_add(1);
        self.board_key ^= zobrist::side();
        self.find_checkers();
        Some(undo)
    }

    fn undo_null(&mut self, undo: Board) {
        *self = undo;
    }
}

#[cfg(test)]
mod tests {
    use crate::{parse_usi, sfen};
    use tesuji_game::Tactical;

    #[track_caller]
    fn check(sfen: &str, mv: &str, worth_cp: i32) {
        let board = sfen::parse(sfen).expect("a position");
        let mv = parse_usi(mv).expect("a move");
        assert!(board.see_ge(mv, worth_cp), "{mv} is worth {worth_cp} in {sfen}");
        assert!(!board.see_ge(mv, worth_cp + 1), "{mv} is worth no more than {worth_cp} in {sfen}");
    }

    #[test]
    fn exchanges_are_counted() {
        // Nothing protects the pawn; a gold does; a second attacker helps; a slider behind another counts.
        check("4k4/9/9/9/4p4/4P4/9/9/4K4 b - 1", "5f5e", 100);
        check("4k4/9/9/4g4/4p4/4P4/9/9/4K4 b - 1", "5f5e", 0);
        check("4k4/9/9/4g4/4p4/4R4/9/9/4K4 b - 1", "5f5e", -900);
        check("4k4/9/9/4g4/4p4/4S4/4R4/9/4K4 b - 1", "5f5e", 100);
        check("4k4/9/9/4g4/4p4/4S4/4L4/9/4K4 b - 1", "5f5e", 100);
        // Drops risk what they put, and promotions what they become.
        check("4k4/9/9/9/3sp4/9/9/9/4K4 b G 1", "G*5f", -550);
        check("4k4/9/9/9/4p4/9/9/9/4K4 b G 1", "G*6f", 0);
        check("9/9/9/2P6/9/9/9/9/k7K b - 1", "7d7c+", 400);
        check("9/2g6/9/2P6/9/9/9/9/k7K b - 1", "7d7c+", -100);
    }

    #[test]
    fn pinned_pieces_do_not_take() {
        check("3k5/9/3g5/3Rp4/4P4/9/9/9/4K4 b - 1", "5e5d", 100);
        check("3k5/9/3g5/4p4/4P4/9/9/9/4K4 b - 1", "5e5d", 0);
    }
}
