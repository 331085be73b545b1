//! Playing moves: changes announced, keys kept, what follows found again; and the `Position` face of a board.

use crate::{
    Board, Move, Piece, Square,
    board::NONE,
    movegen::{ALL, Any},
    repetition::{self, Mark},
    zobrist,
};
use std::ops::ControlFlow;
use tesuji_game::{By, Key, Outcome, Position, Side, through_pointer};

/// One piece vanishes or appears, or a hand grows or shrinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A piece is no longer there.
    Vanish {
        /// The side.
        side: Side,
        /// Its kind.
        piece: Piece,
        /// The square that it left.
        square: Square,
    },
    /// A hand has one piece less.
    Drop {
        /// The side.
        side: Side,
        /// Its kind.
        piece: Piece,
        /// The number in hand before.
        count: u8,
    },
    /// A piece is there now.
    Appear {
        /// The side.
        side: Side,
        /// Its kind.
        piece: Piece,
        /// The square that it stands on.
        square: Square,
    },
    /// A hand has one piece more.
    Gain {
        /// The side.
        side: Side,
        /// Its kind.
        piece: Piece,
        /// The number in hand now.
        count: u8,
    },
}

impl Board {
    /// Plays `mv`. `KEYS` is false only where nobody asks for keys (perft): it saves their upkeep.
    #[inline(always)]
    pub(crate) fn make<const KEYS: bool>(&mut self, mv: Move, mut seen: impl FnMut(Change)) {
        let (me, them, to) = (self.side, !self.side, mv.to());
        if let Some(from) = mv.from() {
            debug_assert!(self.side(me).contains(from), "a move starts from a piece of its own");
            let victim = self.piece_at(to);
            if let Some(victim) = victim {
                self.vanish::<KEYS>(them, victim, to, &mut seen);
            }
            let piece = self.piece_at(from).unwrap_or(Piece::Pawn);
            self.vanish::<KEYS>(me, piece, from, &mut seen);
            let becomes = if mv.is_promotion() { piece.promoted().unwrap_or(piece) } else { piece };
            self.appear::<KEYS>(me, becomes, to, &mut seen);
            if piece == Piece::King {
                self.kings[me.index()] = to.index() as u8;
            }
            // In the hand only now: what vanishes is announced before what appears.
            if let Some(victim) = victim {
                self.gain::<KEYS>(me, victim.base(), &mut seen);
            }
        } else if let Some(piece) = mv.dropped() {
            let count = self.hands[me.index()].count(piece);
            debug_assert!(count > 0, "what is dropped was held");
            self.hands[me.index()] = self.hands[me.index()].without(piece);
            if KEYS {
                // A sum and no xor: two pieces of a kind must not cancel out.
                self.hand_key = self.hand_key.wrapping_sub(zobrist::in_hand(me, piece));
            }
            seen(Change::Drop { side: me, piece, count });
            self.appear::<KEYS>(me, piece, to, &mut seen);
        }
        self.side = them;
        self.move_number = self.move_number.saturating_add(1);
        if KEYS {
            self.board_key ^= zobrist::side();
        }
        self.find_checkers();
    }

    #[inline(always)]
    fn vanish<const KEYS: bool>(&mut self, side: Side, piece: Piece, square: Square, seen: &mut impl FnMut(Change)) {
        self.take(side, piece, square);
        self.toggle::<KEYS>(side, piece, square);
        seen(Change::Vanish { side, piece, square });
    }

    #[inline(always)]
    fn appear<const KEYS: bool>(&mut self, side: Side, piece: Piece, square: Square, seen: &mut impl FnMut(Change)) {
        self.put(side, piece, square);
        self.toggle::<KEYS>(side, piece, square);
        seen(Change::Appear { side, piece, square });
    }

    #[inline(always)]
    fn gain<const KEYS: bool>(&mut self, side: Side, piece: Piece, seen: &mut impl FnMut(Change)) {
        if !piece.is_droppable() {
            // A king is never taken by legal moves.
            return;
        }
        let hand = self.hands[side.index()].with(piece);
        self.hands[side.index()] = hand;
        if KEYS {
            self.hand_key = self.hand_key.wrapping_add(zobrist::in_hand(side, piece));
        }
        seen(Change::Gain { side, piece, count: hand.count(piece) });
    }

    #[inline(always)]
    fn toggle<const KEYS: bool>(&mut self, side: Side, piece: Piece, square: Square) {
        if KEYS {
            let number = zobrist::piece(side, piece, square);
            self.board_key ^= number;
            if piece == Piece::Pawn {
                self.pawn_key ^= number;
            }
        }
    }
}

impl Position for Board {
    type Move = Move;
    type Undo = Board;
    type Change = Change;
    type Mark = Mark;

    #[inline(always)]
    fn side_to_move(&self) -> Side {
        self.side
    }

    #[inline(always)]
    fn key(&self) -> Key {
        Key(self.board_key ^ self.hand_key)
    }

    #[inline(always)]
    fn mark(&self, past: &[Mark]) -> Mark {
        repetition::mark(self, past)
    }

    fn for_each_move<B>(&self, f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        through_pointer(f, |f| self.give_moves(f))
    }

    fn count_moves(&self) -> usize {
        self.count()
    }

    fn has_moves(&self) -> bool {
        self.generate::<(), ALL>(&mut Any).is_break()
    }

    #[inline(always)]
    fn pack(mv: Move) -> u16 {
        mv.bits()
    }

    #[inline]
    fn unpack(&self, bits: u16) -> Option<Move> {
        Move::from_bits(bits).filter(|&mv| self.is_legal(mv))
    }

    #[inline]
    fn play_seen(&mut self, mv: Move, seen: impl FnMut(Change)) -> Board {
        let undo = *self;
        self.make::<true>(mv, seen);
        undo
    }

    fn play(&mut self, mv: Move) {
        self.make::<true>(mv, |_| ());
    }

    #[inline(always)]
    fn undo(&mut self, _: Move, undo: Board) {
        *self = undo;
    }

    /// A king that has reached its goal under the try rule, and repetition: see [`crate::Declaration`] and [`Mark`].
    #[inline]
    fn ended(&self, past: &[Mark], root: usize) -> Option<Outcome> {
        self.tried().or_else(|| repetition::ended(self, past, root))
    }

    /// No move loses, in check or not.
    fn no_legal_moves(&self) -> Outcome {
        Outcome::win(!self.side, if self.checkers.any() { By::Mate } else { By::NoMoves })
    }

    fn claim(&self) -> Option<Outcome> {
        self.declared()
    }
}

const _: () = assert!(NONE > 80 && std::mem::size_of::<Mark>() == 16);
