//! The board interface for mate solvers: checking moves, interpositions, and hands that keep a proof true.

use crate::{
    Bitboard, Board, Hand, Move, Piece, Square, attacks,
    movegen::{ALL, Each, Sink},
};
use std::ops::ControlFlow::{self, Continue};
use tesuji_game::{Key, Mating, Position, Side};

/// Passes on the moves that give check.
struct Checks<'a, S> {
    board: &'a Board,
    king: Square,
    /// From where each kind would check, by index of the kind.
    squares: [Bitboard; 14],
    /// Pieces that uncover a check by leaving their line.
    screens: Bitboard,
    inner: S,
}

impl<'a, S> Checks<'a, S> {
    fn new(board: &'a Board, king: Square, inner: S) -> Checks<'a, S> {
        let (me, occupied) = (board.side_to_move(), board.occupied());
        // A piece on one of the squares reaches the king as the opponent's piece of that kind would from the king.
        let squares = Piece::ALL.map(|piece| match piece {
            Piece::King => Bitboard::EMPTY,
            _ => attacks::of(piece, !me, king, occupied),
        });
        Checks { board, king, squares, screens: board.screens(me, king) & board.side(me), inner }
    }

    /// The squares on which `piece` checks, by itself or by leaving `from`.
    fn checks(&self, piece: Piece, from: Square) -> Bitboard {
        let direct = self.squares[piece.index()];
        if self.screens.contains(from) { direct | !attacks::ray_through(self.king, from) } else { direct }
    }
}

impl<B, S: Sink<B>> Sink<B> for Checks<'_, S> {
    fn piece(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) -> ControlFlow<B> {
        let Some(piece) = self.board.piece_at(from) else { return Continue(()) };
        let plain = plain & self.checks(piece, from);
        let promoting = piece.promoted().map_or(Bitboard::EMPTY, |piece| promoting & self.checks(piece, from));
        if (plain | promoting).is_empty() { Continue(()) } else { self.inner.piece(from, plain, promoting) }
    }

    fn pawns(&mut self, me: Side, plain: Bitboard, promoting: Bitboard) -> ControlFlow<B> {
        // A pawn on the file of the king never leaves its line.
        let leaving = self.screens.without(Bitboard::file(self.king.file())).forward(me);
        let plain = plain & (self.squares[Piece::Pawn.index()] | leaving);
        let promoting = promoting & (self.squares[Piece::ProPawn.index()] | leaving);
        if (plain | promoting).is_empty() { Continue(()) } else { self.inner.pawns(me, plain, promoting) }
    }

    fn drops(&mut self, piece: Piece, to: Bitboard) -> ControlFlow<B> {
        let to = to & self.squares[piece.index()];
        if to.is_empty() { Continue(()) } else { self.inner.drops(piece, to) }
    }
}

impl Board {
    /// The squares between the king to move and its one distant checker: where a check can be parried by stepping
    /// between. Empty where there are none.
    pub fn interposition_squares(&self) -> Bitboard {
        match (self.king(self.side_to_move()), self.checkers().first()) {
            (Some(king), Some(checker)) if !self.checkers().several() => attacks::between(king, checker),
            _ => Bitboard::EMPTY,
        }
    }

    /// Whether after the check `mv` the king may go to one of the squares of `open`, which are free of attacks as the board
    /// stands but for the king (`standing`). Pieces that come only shelter it, pieces that leave may let others through.
    fn leaves_open(&self, mv: Move, open: Bitboard, standing: Bitboard) -> bool {
        let (me, to) = (self.side_to_move(), Bitboard::from(mv.to()));
        let (piece, standing) = match (mv.from(), mv.dropped()) {
            (Some(from), _) => (self.piece_at(from), (standing ^ from.into()) | to),
            (None, piece) => (piece, standing | to),
        };
        let Some(piece) = piece else { return false };
        let form = piece.promoted().filter(|_| mv.is_promotion()).unwrap_or(piece);
        let left = open.without(attacks::of(form, me, mv.to(), standing)).without(to);
        match mv.from() {
            Some(_) => !left.into_iter().all(|square| self.is_attacked(square, me, standing)),
            None => left.any(),
        }
    }

    /// Whether `side` could drop a `piece` on one of the empty squares of `targets`, if it held one.
    fn has_room_for(&self, side: Side, piece: Piece, targets: Bitboard) -> bool {
        let files = match piece {
            Piece::Pawn => (self.class(Piece::Pawn) & self.side(side)).free_files(),
            _ => Bitboard::FULL,
        };
        (targets & files).without(Bitboard::far_ranks(side, piece.dead_ranks())).any()
    }
}

impl Mating for Board {
    type Hand = Hand;

    #[inline(always)]
    fn board_key(&self) -> Key {
        Board::board_key(self)
    }

    #[inline(always)]
    fn hand(&self, side: Side) -> Hand {
        Board::hand(self, side)
    }

    #[inline]
    fn for_each_check<B>(&self, f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        match self.king(!self.side_to_move()) {
            Some(king) => self.generate::<B, ALL>(&mut Checks::new(self, king, Each(f))),
            None => Continue(()),
        }
    }

    /// The hand of the side to move: a dropped piece must have been there, a captured one need not.
    fn hand_before(&self, mv: Move, after: Hand) -> Hand {
        match (mv.dropped(), self.piece_at(mv.to())) {
            (Some(piece), _) => after.with(piece),
            (None, Some(victim)) => after.without(victim.base()),
            (None, None) => after,
        }
    }

    /// Where the defender is in check from afar: `hand` with all of the attacker's pieces of each kind that the defender
    /// lacks and could drop between.
    fn hand_unblockable(&self, attacker: Side, hand: Hand) -> Hand {
        let defender = !attacker;
        let between = self.interposition_squares();
        if self.side_to_move() != defender || between.is_empty() {
            return hand;
        }
        let kept =
            |piece: &Piece| !Board::hand(self, defender).has(*piece) && self.has_room_for(defender, *piece, between);
        let kinds = Piece::HAND.into_iter().filter(kept);
        kinds.fold(hand, |hand, piece| hand.with_count_of(piece, Board::hand(self, attacker)))
    }

    fn hand_uncheckable(&self, hand: Hand) -> Hand {
        let me = self.side_to_move();
        let Some(king) = self.king(!me) else { return hand };
        let empty = !self.occupied();
        let added = |piece: &Piece| {
            let checks = attacks::of(*piece, !me, king, self.occupied()) & empty;
            !Board::hand(self, me).has(*piece) && self.has_room_for(me, *piece, checks)
        };
        Piece::HAND.into_iter().filter(added).fold(hand, Hand::without_all)
    }

    /// A dropped piece must be left in the defender's hand.
    fn hand_answered(&self, attacker: Side, mv: Move, hand: Hand) -> Hand {
        let Some(piece) = mv.dropped() else { return hand };
        let [own, other] = [attacker, !attacker].map(|side| Board::hand(self, side).count(piece));
        let most = (own + other).saturating_sub(1).min(hand.count(piece));
        (0..most).fold(hand.without_all(piece), |hand, _| hand.with(piece))
    }

    /// Drops between a checker and the king by square, moves of one piece by where they go.
    fn siblings(&self, mv: Move) -> Option<u32> {
        let to = mv.to().index() as u32;
        match mv.from() {
            Some(from) => Some(from.index() as u32 * 81 + to),
            // A drop out of check is one between; a drop with check is like no other.
            None if self.checkers().any() => Some(81 * 81 + to),
            None => None,
        }
    }

    fn lacks_for_mate(&self, attacker: Side) -> Option<&'static str> {
        let defender = !attacker;
        self.king(defender).is_none().then_some(match defender {
            Side::First => "expected Black's king, which is to be mated; only the attacker's king may be missing",
            Side::Second => "expected White's king, which is to be mated; only the attacker's king may be missing",
        })
    }

    fn keep_close(&self, checks: &mut Vec<Move>) {
        let me = self.side_to_move();
        let Some(king) = self.king(!me) else { return };
        let open = self.safe_for_king(!me, king, attacks::king(king).without(self.side(!me)));
        let standing = self.occupied() ^ king.into();
        checks.retain(|&mv| !self.leaves_open(mv, open, standing));
    }

    #[inline]
    fn after(&self, mv: Move, side: Side) -> (Key, Key, Hand) {
        let (board, hands) = self.keys_after(mv);
        let hand = Board::hand(self, side);
        let own = side == self.side_to_move();
        let hand = match (mv.dropped(), self.piece_at(mv.to())) {
            (Some(piece), _) if own => hand.without(piece),
            (None, Some(victim)) if own => hand.with(victim.base()),
            _ => hand,
        };
        (Key(board), Key(board ^ hands), hand)
    }
}
