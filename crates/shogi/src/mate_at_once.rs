//! Mates in one beside the king, found from what is attacked around it rather than by trying all moves.

use crate::{Bitboard, Board, Move, Piece, Square, attacks};
use tesuji_game::{Position, Side};

/// Kinds whose drop can mate, those that mate most often first; a pawn's is forbidden.
const DROPPED: [Piece; 6] = [Piece::Gold, Piece::Silver, Piece::Rook, Piece::Bishop, Piece::Lance, Piece::Knight];

/// The squares around the defending king that a mate in one must cover, as the board stands.
struct Siege<'a> {
    board: &'a Board,
    me: Side,
    king: Square,
    /// All pieces but the king: it gives no shelter to itself.
    standing: Bitboard,
    /// Squares around the king to which it could go.
    open: Bitboard,
    /// Squares around the king that we attack.
    held: Bitboard,
    /// The defender's pieces that shelter the king from one of ours.
    bound: Bitboard,
}

impl<'a> Siege<'a> {
    fn new(board: &'a Board) -> Option<Siege<'a>> {
        let me = board.side_to_move();
        let king = board.king(!me)?;
        // Without the king, which hides no square behind it from what attacks it.
        let standing = board.occupied() ^ king.into();
        let (mut open, mut held) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for square in attacks::king(king) {
            if board.is_attacked(square, me, standing) {
                held |= square.into();
            } else if !board.side(!me).contains(square) {
                open |= square.into();
            }
        }
        // Defenders that would uncover an attack on their king if they took.
        let bound = board.screens(me, king) & board.side(!me);
        Some(Siege { board, me, king, standing, open, held, bound })
    }

    /// Whether a `piece` of ours on `to` leaves the king nowhere to go, as far as it matters there.
    #[inline]
    fn encloses(&self, piece: Piece, to: Square) -> bool {
        self.open.without(attacks::of(piece, self.me, to, self.standing)).without(to.into()).is_empty()
    }

    /// Whether a piece other than the king can take what comes to `to`.
    fn can_be_taken(&self, to: Square) -> bool {
        let takers = self.board.attackers(!self.me, to, self.board.occupied());
        takers.without(self.king.into()).without(self.bound).any()
    }

    /// The rules' word: what was looked at may have stood in the way of something else.
    fn confirm(&self, mv: Move) -> bool {
        self.board.is_legal(mv) && {
            let mut next = *self.board;
            next.play(mv);
            next.checkers().any() && !next.has_moves()
        }
    }

    fn by_drop(&self) -> Option<Move> {
        let hand = self.board.hand(self.me);
        for piece in DROPPED.into_iter().filter(|&piece| hand.has(piece)) {
            let beside = if piece == Piece::Knight { Bitboard::FULL } else { self.held };
            let spots = attacks::of(piece, !self.me, self.king, self.board.occupied()) & beside;
            for to in spots.without(self.board.occupied()) {
                let mv = Move::drop(piece, to);
                if self.encloses(piece, to) && !self.can_be_taken(to) && self.confirm(mv) {
                    return Some(mv);
                }
            }
        }
        None
    }

    fn by_move(&self) -> Option<Move> {
        let (board, me) = (self.board, self.me);
        let still = board.pinned() | board.king(me).map_or(Bitboard::EMPTY, Bitboard::from);
        let leaps = attacks::knight(!me, self.king);
        for to in (self.held | leaps).without(board.side(me)) {
            let comers = board.attackers(me, to, board.occupied()).without(still);
            for from in comers {
                let Some(piece) = board.piece_at(from) else { continue };
                let promoted = piece.promoted().filter(|_| from.in_zone(me) || to.in_zone(me));
                let forms = [promoted.map(|p| (p, Move::promote(from, to))), Some((piece, Move::normal(from, to)))];
                let mate = forms.into_iter().flatten().find(|&(form, mv)| self.mates(form, from, mv));
                if let Some((_, mv)) = mate {
                    return Some(mv);
                }
            }
        }
        None
    }

    /// Whether a piece that comes from `from` and is a `form` then mates.
    fn mates(&self, form: Piece, from: Square, mv: Move) -> bool {
        let (board, to) = (self.board, mv.to());
        let left = board.occupied() ^ from.into();
        attacks::of(form, !self.me, self.king, left).contains(to)
            && self.encloses(form, to)
            && (form == Piece::Knight || board.attackers(self.me, to, left).without(from.into()).any())
            && !self.can_be_taken(to)
            && self.confirm(mv)
    }
}

impl Board {
    /// A move of the side to move that mates beside the king or by a knight, in much less time than it takes to make all
    /// moves. `None` says nothing: mates from afar, by discovery and out of check are not looked for.
    ///
    /// # Examples
    /// ```
    /// use tesuji_shogi::sfen;
    /// let board = sfen::parse("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
    /// assert_eq!(board.mate_beside_king().unwrap().to_string(), "G*5b");
    /// ```
    pub fn mate_beside_king(&self) -> Option<Move> {
        if self.checkers().any() {
            return None;
        }
        let siege = Siege::new(self)?;
        siege.by_drop().or_else(|| siege.by_move())
    }
}
