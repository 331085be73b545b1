//! Legal moves: targets are found set by set under check and pin masks, so that no move is generated and thrown away.

use crate::{Bitboard, Board, Move, Piece, Square, attacks, board::NONE};
use std::ops::ControlFlow::{self, Continue};
use tesuji_game::{Position, Side};

/// Takes legal moves as sets of targets.
pub(crate) trait Sink<B> {
    /// A piece (not a pawn, not castling) on `from` may go to all of `to`.
    fn piece(&mut self, from: Square, to: Bitboard) -> ControlFlow<B>;
    /// Pawns may go to all of `to`, each from `to - step`; with `promote`, `promotions` says into which pieces.
    fn pawns(&mut self, to: Bitboard, step: i8, promotions: &'static [Piece]) -> ControlFlow<B>;
    /// One move of another kind.
    fn special(&mut self, mv: Move) -> ControlFlow<B>;
}

/// Calls a closure with each move.
pub(crate) struct Each<F>(pub(crate) F);

impl<B, F: FnMut(Move) -> ControlFlow<B>> Sink<B> for Each<F> {
    #[inline(always)]
    fn piece(&mut self, from: Square, to: Bitboard) -> ControlFlow<B> {
        for to in to {
            (self.0)(Move::normal(from, to))?;
        }
        Continue(())
    }

    #[inline(always)]
    fn pawns(&mut self, to: Bitboard, step: i8, promotions: &'static [Piece]) -> ControlFlow<B> {
        for to in to {
            let from = Square::from_index((to.index() as i8 - step) as u8);
            if promotions.is_empty() {
                (self.0)(Move::normal(from, to))?;
            } else {
                for &piece in promotions {
                    (self.0)(Move::promote(from, to, piece))?;
                }
            }
        }
        Continue(())
    }

    #[inline(always)]
    fn special(&mut self, mv: Move) -> ControlFlow<B> {
        (self.0)(mv)
    }
}

/// Counts moves without listing them.
pub(crate) struct Count(pub(crate) usize);

impl Sink<()> for Count {
    #[inline(always)]
    fn piece(&mut self, _: Square, to: Bitboard) -> ControlFlow<()> {
        self.0 += to.count() as usize;
        Continue(())
    }

    #[inline(always)]
    fn pawns(&mut self, to: Bitboard, _: i8, promotions: &'static [Piece]) -> ControlFlow<()> {
        self.0 += to.count() as usize * promotions.len().max(1);
        Continue(())
    }

    #[inline(always)]
    fn special(&mut self, _: Move) -> ControlFlow<()> {
        self.0 += 1;
        Continue(())
    }
}

/// Stops at the first move.
pub(crate) struct Any;

impl Sink<()> for Any {
    #[inline(always)]
    fn piece(&mut self, _: Square, to: Bitboard) -> ControlFlow<()> {
        if to.any() { ControlFlow::Break(()) } else { Continue(()) }
    }

    #[inline(always)]
    fn pawns(&mut self, to: Bitboard, _: i8, _: &'static [Piece]) -> ControlFlow<()> {
        if to.any() { ControlFlow::Break(()) } else { Continue(()) }
    }

    #[inline(always)]
    fn special(&mut self, _: Move) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// Selection of moves to generate. Noisy: captures, en passant, promotions to a queen, all promotions that capture. Quiet: the
/// rest.
pub(crate) const NOISY: u8 = 1;
/// See [`NOISY`].
pub(crate) const QUIET: u8 = 2;
/// See [`NOISY`].
pub(crate) const ALL: u8 = 3;

const QUEEN: &[Piece] = &[Piece::Queen];
const UNDER: &[Piece] = &[Piece::Rook, Piece::Bishop, Piece::Knight];
const EVERY: &[Piece] = &Piece::PROMOTIONS;
const NO_PROMOTION: &[Piece] = &[];

impl Board {
    /// Gives all legal moves of the kinds in `WANTED` to `sink`.
    #[inline(always)]
    pub(crate) fn generate<B, const WANTED: u8>(&self, sink: &mut impl Sink<B>) -> ControlFlow<B> {
        match self.side {
            Side::First => self.generate_for::<B, WANTED, true>(sink),
            Side::Second => self.generate_for::<B, WANTED, false>(sink),
        }
    }

    #[inline(always)]
    fn generate_for<B, const WANTED: u8, const WHITE: bool>(&self, sink: &mut impl Sink<B>) -> ControlFlow<B> {
        let me = if WHITE { Side::First } else { Side::Second };
        let king = self.king(me);
        let wanted = match WANTED {
            NOISY => self.side(!me),
            QUIET => !self.occupied(),
            _ => !self.side(me),
        };
        self.king_moves::<B, WANTED>(me, king, wanted, sink)?;
        if self.checkers.is_empty() {
            self.piece_moves(me, king, wanted, Bitboard::ALL, true, sink)?;
            self.pawn_moves::<B, WANTED, WHITE>(king, Bitboard::ALL, sink)?;
        } else if !self.checkers.several() {
            // In double check the king alone can move.
            let checker = Square::from_index(self.checkers.0.trailing_zeros() as u8);
            let parry = attacks::between(king, checker) | self.checkers;
            // A pinned piece cannot parry another check without leaving its line.
            self.piece_moves(me, king, wanted, parry, false, sink)?;
            self.pawn_moves::<B, WANTED, WHITE>(king, parry, sink)?;
        }
        Continue(())
    }

    #[inline(always)]
    fn king_moves<B, const WANTED: u8>(
        &self,
        me: Side,
        king: Square,
        wanted: Bitboard,
        sink: &mut impl Sink<B>,
    ) -> ControlFlow<B> {
        let mut to = Bitboard::EMPTY;
        // A king does not hide the squares behind it from a slider that checks it.
        let without_king = self.occupied() ^ king.into();
        for square in attacks::king(king) & wanted {
            if !self.is_attacked(square, !me, without_king) {
                to |= square.into();
            }
        }
        sink.piece(king, to)?;
        if WANTED & QUIET != 0 && self.checkers.is_empty() && self.castling[me.index()] != [NONE; 2] {
            for rook in self.castling[me.index()] {
                if rook != NONE && self.may_castle(me, king, Square::from_index(rook)) {
                    sink.special(Move::castling(king, Square::from_index(rook)))?;
                }
            }
        }
        Continue(())
    }

    /// Whether the way of king and rook is free and no square of the king's way attacked. The right and no check are given.
    #[inline]
    pub(crate) fn may_castle(&self, me: Side, king: Square, rook: Square) -> bool {
        let mv = Move::castling(king, rook);
        let (king_to, rook_to) = (mv.castling_king_to(), mv.castling_rook_to());
        let others = self.occupied() & !Bitboard::of(king) & !Bitboard::of(rook);
        let ends = Bitboard::of(king_to) | Bitboard::of(rook_to);
        let way = attacks::between(king, king_to) | attacks::between(rook, rook_to) | ends;
        if (way & others).any() {
            return false;
        }
        // A rook pinned along the rank uncovers an attack on the king's new square: `others` has it away already.
        let king_way = attacks::between(king, king_to) | Bitboard::of(king_to);
        let after = others | Bitboard::of(rook_to);
        king_way.into_iter().all(|square| {
            let occupied = if square == king_to { after } else { others | Bitboard::of(rook) };
            !self.is_attacked(square, !me, occupied)
        })
    }

    #[inline(always)]
    fn piece_moves<B>(
        &self,
        me: Side,
        king: Square,
        wanted: Bitboard,
        parry: Bitboard,
        pinned_move: bool,
        sink: &mut impl Sink<B>,
    ) -> ControlFlow<B> {
        let targets = wanted & parry;
        let occupied = self.occupied();
        let free = !self.pinned;
        for from in self.of(me, Piece::Knight) & free {
            sink.piece(from, attacks::knight(from) & targets)?;
        }
        let (diagonal, straight) = (self.diagonal_sliders(me), self.straight_sliders(me));
        for from in diagonal & free {
            sink.piece(from, attacks::bishop(from, occupied) & targets)?;
        }
        for from in straight & free {
            sink.piece(from, attacks::rook(from, occupied) & targets)?;
        }
        if pinned_move {
            for from in diagonal & self.pinned {
                sink.piece(from, attacks::bishop(from, occupied) & targets & attacks::line(king, from))?;
            }
            for from in straight & self.pinned {
                sink.piece(from, attacks::rook(from, occupied) & targets & attacks::line(king, from))?;
            }
        }
        Continue(())
    }

    #[inline(always)]
    fn pawn_moves<B, const WANTED: u8, const WHITE: bool>(
        &self,
        king: Square,
        parry: Bitboard,
        sink: &mut impl Sink<B>,
    ) -> ControlFlow<B> {
        let me = if WHITE { Side::First } else { Side::Second };
        let up: i8 = if WHITE { 8 } else { -8 };
        let pawns = self.of(me, Piece::Pawn);
        let free = pawns & !self.pinned;
        let held = pawns & self.pinned;
        // A pinned pawn moves along its pin: straight ahead on the king's file, sideways on the diagonal.
        let diagonal = attacks::bishop_rays(king);
        let ahead = free | held & Bitboard::file(king.file());
        let empty = !self.occupied();
        let last = Bitboard::relative_rank(7, me);
        let single = ahead.forward(me) & empty;
        let pushes = single & parry;
        if WANTED & QUIET != 0 {
            let double = single.forward(me) & Bitboard::relative_rank(3, me) & empty & parry;
            sink.pawns(pushes & !last, up, NO_PROMOTION)?;
            sink.pawns(double, 2 * up, NO_PROMOTION)?;
        }
        match WANTED {
            NOISY => sink.pawns(pushes & last, up, QUEEN)?,
            QUIET => sink.pawns(pushes & last, up, UNDER)?,
            _ => sink.pawns(pushes & last, up, EVERY)?,
        }
        if WANTED & NOISY != 0 {
            let targets = self.side(!me) & parry;
            let held_left = (held & diagonal).forward(me).left() & diagonal;
            let held_right = (held & diagonal).forward(me).right() & diagonal;
            let left = (free.forward(me).left() | held_left) & targets;
            let right = (free.forward(me).right() | held_right) & targets;
            sink.pawns(left & !last, up - 1, NO_PROMOTION)?;
            sink.pawns(right & !last, up + 1, NO_PROMOTION)?;
            sink.pawns(left & last, up - 1, EVERY)?;
            sink.pawns(right & last, up + 1, EVERY)?;
            if self.en_passant_counts {
                let to = Square::from_index(self.en_passant);
                for from in self.en_passant_takers() {
                    if self.may_take_en_passant(me, king, from, to) {
                        sink.special(Move::en_passant(from, to))?;
                    }
                }
            }
        }
        Continue(())
    }

    /// Whether the king is safe after taking en passant: two pawns leave one rank at once, so the pins do not tell.
    #[inline]
    pub(crate) fn may_take_en_passant(&self, me: Side, king: Square, from: Square, to: Square) -> bool {
        let taken = Square::new(to.file(), from.rank());
        // The board after the capture.
        let occupied = (self.occupied() ^ from.into() ^ taken.into()) | to.into();
        let others = self.checkers & !Bitboard::of(taken);
        // A knight that checks cannot be parried by taking a pawn; sliders are looked at afresh.
        (others & self.pieces(Piece::Knight)).is_empty()
            && (others & self.pieces(Piece::Pawn)).is_empty()
            && (attacks::bishop(king, occupied) & self.diagonal_sliders(!me)).is_empty()
            && (attacks::rook(king, occupied) & self.straight_sliders(!me)).is_empty()
    }

    /// Whether a word read from anywhere is a legal move here.
    pub(crate) fn is_legal(&self, mv: Move) -> bool {
        let (me, from, to) = (self.side, mv.from(), mv.to());
        let Some(piece) = self.piece_at(from).filter(|_| self.side(me).contains(from)) else { return false };
        let king = self.king(me);
        if mv.is_castling() {
            return piece == Piece::King
                && self.checkers.is_empty()
                && self.castling[me.index()].contains(&(to.index() as u8))
                && self.may_castle(me, king, to);
        }
        if mv.is_en_passant() {
            return piece == Piece::Pawn
                && self.en_passant_usable() == Some(to)
                && self.en_passant_takers().contains(from)
                && self.may_take_en_passant(me, king, from, to);
        }
        if piece == Piece::King {
            return mv.is_normal()
                && !self.side(me).contains(to)
                && attacks::king(from).contains(to)
                && !self.is_attacked(to, !me, self.occupied() ^ from.into());
        }
        self.leaves_king_safe(from, to)
            && if piece == Piece::Pawn { self.pawn_reaches(mv) } else { self.piece_reaches(piece, mv) }
    }

    /// Whether a piece other than the king, which reaches `to` from `from`, may go there: no own piece stands there, checks
    /// are met, pins are kept.
    pub(crate) fn leaves_king_safe(&self, from: Square, to: Square) -> bool {
        let king = self.king(self.side);
        if self.side(self.side).contains(to) {
            return false;
        }
        if self.checkers.any() {
            if self.checkers.several() {
                return false;
            }
            let checker = Square::from_index(self.checkers.0.trailing_zeros() as u8);
            if !(attacks::between(king, checker) | self.checkers).contains(to) {
                return false;
            }
        }
        !self.pinned.contains(from) || attacks::line(king, from).contains(to)
    }

    fn piece_reaches(&self, piece: Piece, mv: Move) -> bool {
        mv.is_normal() && attacks::of(piece, self.side, mv.from(), self.occupied()).contains(mv.to())
    }

    fn pawn_reaches(&self, mv: Move) -> bool {
        let (me, from, to) = (self.side, mv.from(), mv.to());
        let kind_fits = if to.relative_rank(me) == 7 { mv.promotion().is_some() } else { mv.is_normal() };
        let empty = !self.occupied();
        let single = Bitboard::of(from).forward(me) & empty;
        let double = single.forward(me) & empty & Bitboard::relative_rank(3, me);
        let captures = attacks::pawn(me, from) & self.side(!me);
        kind_fits && (single | double | captures).contains(to)
    }

    /// Whether `mv` takes something.
    #[inline(always)]
    pub fn is_capture(&self, mv: Move) -> bool {
        mv.is_en_passant() || self.side(!self.side).contains(mv.to())
    }

    /// The number of legal moves, without listing them.
    pub(crate) fn count(&self) -> usize {
        let mut count = Count(0);
        let _ = self.generate::<(), ALL>(&mut count);
        count.0
    }

    /// Gives all legal moves to `f`, which is called through a pointer: so this is compiled once, and not for each of the many places
    /// that look at moves. Only the search's ordering of moves has generators of its own.
    pub(crate) fn give_moves(&self, f: &mut dyn FnMut(Move) -> ControlFlow<()>) -> ControlFlow<()> {
        self.generate::<(), ALL>(&mut Each(f))
    }

    /// All legal moves in a vector.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(48);
        let _ = self.for_each_move(|mv| {
            moves.push(mv);
            Continue::<(), ()>(())
        });
        moves
    }
}
