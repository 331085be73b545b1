//! Playing moves: changes announced, keys kept, what follows found again; and the `Position` and `Tactical` faces of a board.

use crate::{
    Bitboard, Board, Move, Piece, Square, attacks,
    board::NONE,
    movegen::{ALL, Any, Each, NOISY, QUIET},
    see::{self, EXCHANGE_CP},
    zobrist,
};
use std::ops::ControlFlow;
use tesuji_game::{By, Key, Outcome, Position, Side, Tactical, through_pointer};

/// One piece vanishes or appears.
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
    /// A piece is there now.
    Appear {
        /// The side.
        side: Side,
        /// Its kind.
        piece: Piece,
        /// The square that it stands on.
        square: Square,
    },
}

impl Board {
    /// Plays `mv`. `KEYS` is false only where nobody asks for keys (perft): it saves their upkeep.
    #[inline(always)]
    pub(crate) fn make<const KEYS: bool>(&mut self, mv: Move, mut seen: impl FnMut(Change)) {
        let (me, them) = (self.side, !self.side);
        let (from, to) = (mv.from(), mv.to());
        let piece = self.moving_piece(from);
        let mut key = self.key;
        if self.en_passant_counts {
            key ^= zobrist::en_passant(self.en_passant & 7);
        }
        self.en_passant = NONE;
        self.en_passant_counts = false;
        self.halfmoves = self.halfmoves.saturating_add(1);
        self.reversible = self.reversible.saturating_add(1);
        self.key = key;
        if mv.is_castling() {
            self.castle::<KEYS>(mv, &mut seen);
        } else {
            let victim_square = if mv.is_en_passant() { Square::new(to.file(), from.rank()) } else { to };
            if let Some(victim) = self.piece_at(victim_square) {
                self.vanish::<KEYS>(them, victim, victim_square, &mut seen);
                // A rook that is taken at home cannot castle any more.
                self.lose_right::<KEYS>(them, victim_square);
                (self.halfmoves, self.reversible) = (0, 0);
            }
            self.vanish::<KEYS>(me, piece, from, &mut seen);
            self.appear::<KEYS>(me, mv.promotion().unwrap_or(piece), to, &mut seen);
            match piece {
                Piece::Pawn => {
                    (self.halfmoves, self.reversible) = (0, 0);
                    // Two ranks: a double step.
                    if from.index().abs_diff(to.index()) == 16 {
                        self.en_passant = ((from.index() + to.index()) / 2) as u8;
                    }
                }
                Piece::King => self.lose_rights::<KEYS>(me),
                Piece::Rook => self.lose_right::<KEYS>(me, from),
                _ => {}
            }
        }
        self.side = them;
        // 1 for Black, after whose moves the number rises.
        self.fullmove = self.fullmove.saturating_add(me as u16);
        if KEYS {
            self.key ^= zobrist::side();
        }
        // Only where a pawn stands ready: otherwise the key would tell apart positions with the same moves.
        if self.en_passant != NONE && self.en_passant_takers().any() {
            self.en_passant_counts = true;
            if KEYS {
                self.key ^= zobrist::en_passant(self.en_passant & 7);
            }
        }
        self.find_checkers();
    }

    /// The kind of piece that a legal move moves.
    #[inline(always)]
    fn moving_piece(&self, from: Square) -> Piece {
        debug_assert!(self.piece_at(from).is_some(), "a move starts from a piece");
        self.piece_at(from).unwrap_or(Piece::Pawn)
    }

    fn castle<const KEYS: bool>(&mut self, mv: Move, seen: &mut impl FnMut(Change)) {
        let me = self.side;
        // Both vanish before either appears: in Chess960 one may come to stand where the other was.
        self.vanish::<KEYS>(me, Piece::King, mv.from(), seen);
        self.vanish::<KEYS>(me, Piece::Rook, mv.to(), seen);
        self.appear::<KEYS>(me, Piece::King, mv.castling_king_to(), seen);
        self.appear::<KEYS>(me, Piece::Rook, mv.castling_rook_to(), seen);
        self.lose_rights::<KEYS>(me);
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
    fn toggle<const KEYS: bool>(&mut self, side: Side, piece: Piece, square: Square) {
        if KEYS {
            let number = zobrist::piece(side, piece, square);
            self.key ^= number;
            if piece == Piece::Pawn {
                self.pawn_key ^= number;
            }
        }
    }

    /// The rook on `square`, if it may castle, may no longer.
    #[inline(always)]
    fn lose_right<const KEYS: bool>(&mut self, side: Side, square: Square) {
        for towards in 0..2 {
            if self.castling[side.index()][towards] == square.index() as u8 {
                self.castling[side.index()][towards] = NONE;
                self.reversible = 0;
                if KEYS {
                    self.key ^= zobrist::castling(side, square.file());
                }
            }
        }
    }

    #[inline(always)]
    fn lose_rights<const KEYS: bool>(&mut self, side: Side) {
        for towards in 0..2 {
            let rook = self.castling[side.index()][towards];
            if rook != NONE {
                self.castling[side.index()][towards] = NONE;
                // Positions before a lost right cannot come back.
                self.reversible = 0;
                if KEYS {
                    self.key ^= zobrist::castling(side, rook & 7);
                }
            }
        }
    }

    /// Whether no sequence of legal moves can mate: bare kings, one minor piece, bishops all on squares of one colour.
    pub fn is_dead(&self) -> bool {
        let [pawns, knights, bishops, rooks, queens, _] = self.pieces;
        if (pawns | rooks | queens).any() {
            return false;
        }
        if knights.any() {
            return bishops.is_empty() && !knights.several();
        }
        (bishops & Bitboard::LIGHT).is_empty() || (bishops & Bitboard::DARK).is_empty()
    }

    /// The number of earlier times that this position stood on the board, looking back as far as moves can be taken back.
    pub fn repetitions(&self, past: &[Key]) -> usize {
        let n = past.len();
        let back = usize::from(self.reversible).min(n);
        // Two moves of each side lead back at the soonest, and every other position has the other side to move.
        (4..=back).step_by(2).filter(|&i| past[n - i].0 == self.key).count()
    }
}

impl Position for Board {
    type Move = Move;
    type Undo = Board;
    type Change = Change;
    type Mark = Key;

    #[inline(always)]
    fn side_to_move(&self) -> Side {
        self.side
    }

    #[inline(always)]
    fn key(&self) -> Key {
        Key(self.key)
    }

    #[inline(always)]
    fn mark(&self, _: &[Key]) -> Key {
        Key(self.key)
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
        let mv = Move::from_bits(bits);
        // Kinds 3 and 8 to 15 do not exist: without this test such words would be second names of moves.
        (bits >> 12 != 3 && bits >> 12 < 8 && self.is_legal(mv)).then_some(mv)
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

    /// Dead material, repetition (once after `root`, twice before it), then 50 moves unless it is mate.
    #[inline]
    fn ended(&self, past: &[Key], root: usize) -> Option<Outcome> {
        if self.occupied().count() <= 6 && self.is_dead() {
            return Some(Outcome::draw(By::Material));
        }
        // No position comes back sooner.
        if self.reversible >= 4 {
            let n = past.len();
            let back = usize::from(self.reversible).min(n);
            let mut times = 0;
            for i in (4..=back).step_by(2) {
                if past[n - i].0 == self.key {
                    times += 1;
                    if n - i >= root || times == 2 {
                        return Some(Outcome::draw(By::Repetition));
                    }
                }
            }
        }
        if self.halfmoves >= 100 && (self.checkers.is_empty() || self.has_moves()) {
            return Some(Outcome::draw(By::MoveRule));
        }
        None
    }

    fn no_legal_moves(&self) -> Outcome {
        if self.checkers.any() { Outcome::win(!self.side, By::Mate) } else { Outcome::draw(By::NoMoves) }
    }
}

impl Tactical for Board {
    const PIECE_TO_MAX: usize = 2 * 6 * 64;
    const FROM_TO_MAX: usize = 2 * 64 * 64;
    /// Nothing, pawn to queen.
    const VICTIM_MAX: usize = 6;

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

    #[inline(always)]
    fn is_noisy(&self, mv: Move) -> bool {
        self.is_capture(mv) || mv.promotion() == Some(Piece::Queen)
    }

    fn gives_check(&self, mv: Move) -> bool {
        let king = self.king(!self.side);
        let (from, to) = (mv.from(), mv.to());
        if !mv.is_normal() {
            // Castling, en passant and promotions are rare: look at the board after them.
            let mut next = *self;
            next.make::<false>(mv, |_| ());
            return next.checkers.any();
        }
        let occupied = (self.occupied() ^ from.into()) | to.into();
        let direct = match self.moving_piece(from) {
            // Kings never check; what a king uncovers is looked at below.
            Piece::King => false,
            piece => attacks::of(piece, self.side, to, occupied).contains(king),
        };
        direct || {
            let line = attacks::line(king, from);
            line.any()
                // Along the line it still stands in between.
                && !line.contains(to)
                && ((attacks::bishop(king, occupied) & self.diagonal_sliders(self.side) & line)
                    | (attacks::rook(king, occupied) & self.straight_sliders(self.side) & line))
                    // The mover itself, which its set still has where it came from.
                    .without(Bitboard::of(from))
                    .any()
        }
    }

    #[inline]
    fn see_ge(&self, mv: Move, threshold_cp: i32) -> bool {
        see::at_least(self, mv, threshold_cp)
    }

    /// Attacked by pawns; by pawns, knights and bishops; by these and rooks.
    type Threats = [Bitboard; 3];

    fn threats(&self) -> [Bitboard; 3] {
        let them = !self.side;
        let pawns = self.of(them, Piece::Pawn).forward(them);
        let by_pawns = pawns.left() | pawns.right();
        let of = |piece: Piece| {
            self.of(them, piece)
                .fold(Bitboard::EMPTY, |all, from| all | attacks::of(piece, them, from, self.occupied()))
        };
        let by_minors = by_pawns | of(Piece::Knight) | of(Piece::Bishop);
        [by_pawns, by_minors, by_minors | of(Piece::Rook)]
    }

    #[inline]
    fn threat_change_cp(&self, threats: &[Bitboard; 3], mv: Move) -> i32 {
        let piece = self.moving_piece(mv.from());
        let cheaper = match piece {
            Piece::Pawn | Piece::King => return 0,
            Piece::Knight | Piece::Bishop => threats[0],
            Piece::Rook => threats[1],
            Piece::Queen => threats[2],
        };
        EXCHANGE_CP[piece.index()] * (i32::from(cheaper.contains(mv.from())) - i32::from(cheaper.contains(mv.to())))
    }

    fn escapes(&self, mv: Move) -> bool {
        see::hangs(self, mv)
    }

    #[inline(always)]
    fn piece_to(&self, mv: Move) -> usize {
        (self.side.index() * 6 + self.moving_piece(mv.from()).index()) * 64 + mv.to().index()
    }

    #[inline(always)]
    fn from_to(&self, mv: Move) -> usize {
        self.side.index() * 4096 + usize::from(mv.bits() & 0xFFF)
    }

    #[inline(always)]
    fn victim(&self, mv: Move) -> usize {
        if mv.is_en_passant() {
            return 1;
        }
        if mv.is_castling() {
            return 0;
        }
        self.piece_at(mv.to()).map_or(0, |piece| piece.index() + 1)
    }

    #[inline]
    fn gain_cp(&self, mv: Move) -> i32 {
        let promotion = mv.promotion().map_or(0, |piece| EXCHANGE_CP[piece.index()] - EXCHANGE_CP[0]);
        promotion + self.victim(mv).checked_sub(1).map_or(0, |kind| EXCHANGE_CP[kind])
    }

    /// Wrong for castling, lost rights and where the move lets a pawn be taken in passing.
    #[inline]
    fn likely_key_after(&self, mv: Move) -> Key {
        let (me, from, to) = (self.side, mv.from(), mv.to());
        let piece = self.moving_piece(from);
        let mut key = self.key ^ zobrist::side() ^ zobrist::piece(me, piece, from);
        key ^= zobrist::piece(me, mv.promotion().unwrap_or(piece), to);
        if let Some(victim) = self.piece_at(to) {
            key ^= zobrist::piece(!me, victim, to);
        }
        if self.en_passant_counts {
            key ^= zobrist::en_passant(self.en_passant & 7);
        }
        Key(key)
    }

    #[inline(always)]
    fn has_pieces(&self) -> bool {
        (self.side(self.side) & !self.pieces(Piece::Pawn) & !self.pieces(Piece::King)).any()
    }

    #[inline(always)]
    fn structure_key(&self) -> Key {
        Key(self.pawn_key)
    }

    /// Hashed from the bitboards when it is asked for: a key that every move keeps up to date would cost more.
    #[inline]
    fn piece_keys(&self) -> [Key; 2] {
        const KINDS: [Piece; 5] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];
        Side::ALL.map(|side| {
            let own = self.side(side);
            KINDS.into_iter().fold(Key::default(), |key, kind| key.with((own & self.pieces(kind)).0))
        })
    }

    fn play_null(&mut self) -> Option<Board> {
        if self.checkers.any() {
            return None;
        }
        let undo = *self;
        if self.en_passant_counts {
            self.key ^= zobrist::en_passant(self.en_passant & 7);
        }
        self.en_passant = NONE;
        self.en_passant_counts = false;
        self.halfmoves = self.halfmoves.saturating_add(1);
        self.reversible = 0;
        self.fullmove = self.fullmove.saturating_add(self.side as u16);
        self.side = !self.side;
        self.key ^= zobrist::side();
        self.find_checkers();
        Some(undo)
    }

    fn undo_null(&mut self, undo: Board) {
        *self = undo;
    }
}
