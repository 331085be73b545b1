//! Legal moves: targets are found set by set under check and pin masks, so that no move is generated and thrown away.

use crate::{Bitboard, Board, Move, Piece, Square, attacks};
use std::ops::ControlFlow::{self, Continue};
use tesuji_game::{Position, Side};

/// Takes legal moves as sets of targets.
pub(crate) trait Sink<B> {
    /// The piece on `from` may go to all of `plain` as it is and to all of `promoting` with promotion.
    fn piece(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) -> ControlFlow<B>;
    /// Pawns of `me` may go to all of these, each from the square behind.
    fn pawns(&mut self, me: Side, plain: Bitboard, promoting: Bitboard) -> ControlFlow<B>;
    /// `piece` may be dropped on all of `to`.
    fn drops(&mut self, piece: Piece, to: Bitboard) -> ControlFlow<B>;
}

/// Calls a closure with each move.
pub(crate) struct Each<F>(pub(crate) F);

impl<B, F: FnMut(Move) -> ControlFlow<B>> Sink<B> for Each<F> {
    #[inline(always)]
    fn piece(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) -> ControlFlow<B> {
        for to in promoting {
            (self.0)(Move::promote(from, to))?;
        }
        for to in plain {
            (self.0)(Move::normal(from, to))?;
        }
        Continue(())
    }

    #[inline(always)]
    fn pawns(&mut self, me: Side, plain: Bitboard, promoting: Bitboard) -> ControlFlow<B> {
        // One step back is one index up for the first side and one down for the second.
        let behind = |to: Square| Square::at((to.index() as u32 + 1).wrapping_sub(2 * me as u32));
        for to in promoting {
            (self.0)(Move::promote(behind(to), to))?;
        }
        for to in plain {
            (self.0)(Move::normal(behind(to), to))?;
        }
        Continue(())
    }

    #[inline(always)]
    fn drops(&mut self, piece: Piece, to: Bitboard) -> ControlFlow<B> {
        for to in to {
            (self.0)(Move::drop(piece, to))?;
        }
        Continue(())
    }
}

/// Counts moves without listing them.
pub(crate) struct Count(pub(crate) u32);

impl Sink<()> for Count {
    #[inline(always)]
    fn piece(&mut self, _: Square, plain: Bitboard, promoting: Bitboard) -> ControlFlow<()> {
        self.0 += plain.count() + promoting.count();
        Continue(())
    }

    #[inline(always)]
    fn pawns(&mut self, _: Side, plain: Bitboard, promoting: Bitboard) -> ControlFlow<()> {
        self.0 += plain.count() + promoting.count();
        Continue(())
    }

    #[inline(always)]
    fn drops(&mut self, _: Piece, to: Bitboard) -> ControlFlow<()> {
        self.0 += to.count();
        Continue(())
    }
}

/// Stops at the first move.
pub(crate) struct Any;

impl Sink<()> for Any {
    #[inline(always)]
    fn piece(&mut self, _: Square, plain: Bitboard, promoting: Bitboard) -> ControlFlow<()> {
        stop_if((plain | promoting).any())
    }

    #[inline(always)]
    fn pawns(&mut self, _: Side, plain: Bitboard, promoting: Bitboard) -> ControlFlow<()> {
        stop_if((plain | promoting).any())
    }

    #[inline(always)]
    fn drops(&mut self, _: Piece, to: Bitboard) -> ControlFlow<()> {
        stop_if(to.any())
    }
}

fn stop_if(found: bool) -> ControlFlow<()> {
    if found { ControlFlow::Break(()) } else { Continue(()) }
}

/// Captures, and promotions of pawns, bishops and rooks, which do not take without promoting.
pub(crate) const NOISY: u8 = 1;
/// Everything else.
pub(crate) const QUIET: u8 = 2;
/// All legal moves.
pub(crate) const ALL: u8 = NOISY | QUIET;

/// Whether a kind nearly always promotes where it can: not promoting is then a quiet move even when it takes.
pub(crate) const fn is_eager(piece: Piece) -> bool {
    matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Rook)
}

/// The constraints on all legal moves of a side: occupied squares, and where a move parries the check.
struct Frame {
    me: Side,
    king: Option<Square>,
    own: Bitboard,
    enemy: Bitboard,
    /// The targets of pieces other than the king: all squares, or those that parry the check.
    parry: Bitboard,
}

impl Board {
    /// Gives `sink` the moves that are `WANTED`.
    #[inline(always)]
    pub(crate) fn generate<B, const WANTED: u8>(&self, sink: &mut impl Sink<B>) -> ControlFlow<B> {
        // Each side gets its own copy of the code, in which directions are constants.
        match self.side {
            Side::First => self.generate_as::<B, WANTED>(Side::First, sink),
            Side::Second => self.generate_as::<B, WANTED>(Side::Second, sink),
        }
    }

    #[inline(always)]
    fn generate_as<B, const WANTED: u8>(&self, me: Side, sink: &mut impl Sink<B>) -> ControlFlow<B> {
        let king = self.king(me);
        let parry = match (self.checkers.first(), king) {
            (Some(checker), Some(king)) if !self.checkers.several() => attacks::between(king, checker) | self.checkers,
            (Some(_), _) => Bitboard::EMPTY,
            _ => Bitboard::FULL,
        };
        let frame = Frame { me, king, own: self.side(me), enemy: self.side(!me), parry };
        if let Some(king) = king {
            let wanted = match WANTED {
                NOISY => frame.enemy,
                QUIET => !self.occupied(),
                _ => !frame.own,
            };
            let safe = self.safe_for_king(me, king, attacks::king(king) & wanted);
            sink.piece(king, safe, Bitboard::EMPTY)?;
        }
        // Double check: the king alone can move.
        if parry.is_empty() {
            return Continue(());
        }
        self.generate_pawns::<B, WANTED>(&frame, sink)?;
        self.generate_pieces::<B, WANTED>(&frame, sink)?;
        if WANTED & QUIET != 0 && !self.hands[me.index()].is_empty() {
            self.generate_drops(&frame, sink)?;
        }
        Continue(())
    }

    /// Those of `targets` next to the king of `me` on which it would not be attacked.
    #[inline(always)]
    pub(crate) fn safe_for_king(&self, me: Side, king: Square, targets: Bitboard) -> Bitboard {
        // A king does not hide the squares behind it from what checks it along a line.
        let occupied = self.occupied() ^ king.into();
        let mut safe = targets;
        for to in targets {
            if self.is_attacked(to, !me, occupied) {
                safe ^= to.into();
            }
        }
        safe
    }

    #[inline(always)]
    fn generate_pawns<B, const WANTED: u8>(&self, frame: &Frame, sink: &mut impl Sink<B>) -> ControlFlow<B> {
        let me = frame.me;
        let pawns = self.class(Piece::Pawn) & frame.own;
        // A pinned pawn may step ahead on the file of its king only.
        let held = frame.king.map_or(Bitboard::EMPTY, |king| self.pinned.without(Bitboard::file(king.file())));
        let to = pawns.without(held).forward(me) & frame.parry & !frame.own;
        let zone = Bitboard::zone(me);
        let may_stay = !Bitboard::far_ranks(me, 1);
        match WANTED {
            NOISY => sink.pawns(me, (to & frame.enemy).without(zone), to & zone),
            QUIET => sink.pawns(me, (to.without(frame.enemy) | (to & zone)) & may_stay, Bitboard::EMPTY),
            _ => sink.pawns(me, to & may_stay, to & zone),
        }
    }

    #[inline(always)]
    fn generate_pieces<B, const WANTED: u8>(&self, frame: &Frame, sink: &mut impl Sink<B>) -> ControlFlow<B> {
        let (me, own, occupied) = (frame.me, frame.own, self.occupied());
        let plain_kings = self.promoted & (self.diagonal_sliders() | self.straight_sliders());
        for from in self.class(Piece::Lance) & own {
            self.give::<B, WANTED>(frame, Piece::Lance, from, attacks::lance(me, from, occupied), sink)?;
        }
        for from in self.class(Piece::Knight) & own {
            self.give::<B, WANTED>(frame, Piece::Knight, from, attacks::knight(me, from), sink)?;
        }
        for from in self.class(Piece::Silver) & own {
            self.give::<B, WANTED>(frame, Piece::Silver, from, attacks::silver(me, from), sink)?;
        }
        for from in self.gold_like() & own {
            self.give::<B, WANTED>(frame, Piece::Gold, from, attacks::gold(me, from), sink)?;
        }
        for from in self.diagonal_sliders().without(plain_kings) & own {
            self.give::<B, WANTED>(frame, Piece::Bishop, from, attacks::bishop(from, occupied), sink)?;
        }
        for from in self.straight_sliders().without(plain_kings) & own {
            self.give::<B, WANTED>(frame, Piece::Rook, from, attacks::rook(from, occupied), sink)?;
        }
        for from in plain_kings & own {
            let far = if self.diagonal_sliders().contains(from) {
                attacks::bishop(from, occupied)
            } else {
                attacks::rook(from, occupied)
            };
            self.give::<B, WANTED>(frame, Piece::Gold, from, far | attacks::king(from), sink)?;
        }
        Continue(())
    }

    /// Gives the moves of one piece that reaches `reach`; `piece` says how it promotes (a gold stands for all that do not).
    #[inline(always)]
    fn give<B, const WANTED: u8>(
        &self,
        frame: &Frame,
        piece: Piece,
        from: Square,
        reach: Bitboard,
        sink: &mut impl Sink<B>,
    ) -> ControlFlow<B> {
        let mut to = (reach & frame.parry).without(frame.own);
        if self.pinned.contains(from) {
            // Only a side with a king has pins.
            to &= frame.king.map_or(Bitboard::FULL, |king| attacks::ray_through(king, from));
        }
        // Pieces promote on their way into the zone, in it and out of it.
        let promoting = match piece {
            Piece::Gold => Bitboard::EMPTY,
            _ if Bitboard::zone(frame.me).contains(from) => to,
            _ => to & Bitboard::zone(frame.me),
        };
        let plain = to.without(Bitboard::far_ranks(frame.me, piece.dead_ranks()));
        match WANTED {
            NOISY if is_eager(piece) => sink.piece(from, (plain & frame.enemy).without(promoting), promoting),
            QUIET if is_eager(piece) => {
                sink.piece(from, plain.without(frame.enemy) | (plain & promoting), Bitboard::EMPTY)
            }
            NOISY => sink.piece(from, plain & frame.enemy, promoting & frame.enemy),
            QUIET => sink.piece(from, plain.without(frame.enemy), promoting.without(frame.enemy)),
            _ => sink.piece(from, plain, promoting),
        }
    }

    #[inline(always)]
    fn generate_drops<B>(&self, frame: &Frame, sink: &mut impl Sink<B>) -> ControlFlow<B> {
        let (me, hand) = (frame.me, self.hands[frame.me.index()]);
        let empty = frame.parry.without(self.occupied());
        if hand.has(Piece::Pawn) {
            let pawns = self.class(Piece::Pawn) & frame.own;
            let mut to = (empty & pawns.free_files()).without(Bitboard::far_ranks(me, 1));
            // A pawn must not be dropped to give mate.
            if let Some(mate) = self.pawn_drop_mate_square(me, to) {
                to ^= mate.into();
            }
            sink.drops(Piece::Pawn, to)?;
        }
        // Nothing may be dropped where it could never move again.
        if hand.has(Piece::Lance) {
            sink.drops(Piece::Lance, empty.without(Bitboard::far_ranks(me, 1)))?;
        }
        if hand.has(Piece::Knight) {
            sink.drops(Piece::Knight, empty.without(Bitboard::far_ranks(me, 2)))?;
        }
        for piece in [Piece::Silver, Piece::Bishop, Piece::Rook, Piece::Gold] {
            if hand.has(piece) {
                sink.drops(piece, empty)?;
            }
        }
        Continue(())
    }

    /// The square among `targets` on which a dropped pawn of `me` would mate, which the rules forbid.
    #[inline(always)]
    pub(crate) fn pawn_drop_mate_square(&self, me: Side, targets: Bitboard) -> Option<Square> {
        let king = self.king(!me)?;
        let square = (attacks::pawn(!me, king) & targets).first()?;
        self.mates_by_pawn_on(me, king, square).then_some(square)
    }

    /// Whether a pawn of `me` dropped on the empty `square` before `king` mates it.
    fn mates_by_pawn_on(&self, me: Side, king: Square, square: Square) -> bool {
        let them = !me;
        let occupied = self.occupied() | square.into();
        let takers = self.attackers(them, square, occupied).without(king.into());
        if takers.any() {
            let pinned = self.screens(me, king);
            // A pinned taker cannot leave its line, unless the pawn stands on it.
            let along = attacks::ray_through(king, square);
            if takers.without(pinned.without(along)).any() {
                return false;
            }
        }
        // The king takes the pawn or steps aside; on the square of the pawn `is_attacked` asks whether it is protected.
        let behind = occupied ^ king.into();
        let escapes = attacks::king(king).without(self.side(them));
        escapes.into_iter().all(|to| self.is_attacked(to, me, behind))
    }

    /// Whether `mv` is a legal move here, however it came about.
    pub(crate) fn is_legal(&self, mv: Move) -> bool {
        let (me, to) = (self.side, mv.to());
        if self.side(me).contains(to) {
            return false;
        }
        let Some(from) = mv.from() else { return self.is_legal_drop(mv) };
        let Some(piece) = self.piece_at(from).filter(|_| self.side(me).contains(from)) else { return false };
        if !attacks::of(piece, me, from, self.occupied()).contains(to) {
            return false;
        }
        let promotion_fits = if mv.is_promotion() {
            piece.promoted().is_some() && (from.in_zone(me) || to.in_zone(me))
        } else {
            to.relative_rank(me) >= piece.dead_ranks()
        };
        let Some(king) = self.king(me) else { return promotion_fits };
        if piece == Piece::King {
            return promotion_fits && !self.is_attacked(to, !me, self.occupied() ^ from.into());
        }
        promotion_fits && self.parries(king, to) && {
            !self.pinned.contains(from) || attacks::ray_through(king, from).contains(to)
        }
    }

    fn is_legal_drop(&self, mv: Move) -> bool {
        let (me, to) = (self.side, mv.to());
        let Some(piece) = mv.dropped() else { return false };
        if !self.hands[me.index()].has(piece)
            || self.occupied().contains(to)
            || to.relative_rank(me) < piece.dead_ranks()
            || !self.king(me).is_none_or(|king| self.parries(king, to))
        {
            return false;
        }
        piece != Piece::Pawn || {
            (self.class(Piece::Pawn) & self.side(me) & Bitboard::file(to.file())).is_empty()
                && self.pawn_drop_mate_square(me, to.into()).is_none()
        }
    }

    /// Whether a piece other than the king that comes to `to` leaves `king` out of check.
    fn parries(&self, king: Square, to: Square) -> bool {
        match self.checkers.first() {
            None => true,
            Some(_) if self.checkers.several() => false,
            Some(checker) => (attacks::between(king, checker) | self.checkers).contains(to),
        }
    }

    /// Whether `mv` takes something.
    #[inline(always)]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.side(!self.side).contains(mv.to())
    }

    /// The number of legal moves, without listing them.
    pub(crate) fn count(&self) -> usize {
        let mut count = Count(0);
        let _ = self.generate::<(), ALL>(&mut count);
        count.0 as usize
    }

    /// Gives all legal moves to `f`, which is called through a pointer: so this is compiled once, and not for each of the many places
    /// that look at moves. Only the search's ordering of moves has generators of its own.
    pub(crate) fn give_moves(&self, f: &mut dyn FnMut(Move) -> ControlFlow<()>) -> ControlFlow<()> {
        self.generate::<(), ALL>(&mut Each(f))
    }

    /// All legal moves in a vector.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(96);
        let _ = self.for_each_move(|mv| {
            moves.push(mv);
            Continue::<(), ()>(())
        });
        moves
    }
}
