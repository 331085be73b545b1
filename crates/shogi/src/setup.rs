//! A position as it is written down, and the conditions under which it is a board.

use crate::{Board, Hand, Piece, Square};
use std::fmt;
use tesuji_game::Side;

/// Pieces, hands and side to move as given, not checked in any way: what readers of formats fill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The pieces by index of the square.
    pub cells: [Option<(Side, Piece)>; 81],
    /// The hands by index of the side.
    pub hands: [Hand; 2],
    /// The side to move.
    pub side: Side,
    /// The number of the next move, from 1.
    pub move_number: u16,
}

impl Setup {
    /// Nothing anywhere, the first side to move.
    pub const EMPTY: Setup = Setup { cells: [None; 81], hands: [Hand::EMPTY; 2], side: Side::First, move_number: 1 };

    /// The position of a board.
    pub fn of(board: &Board) -> Setup {
        Setup {
            cells: Square::ALL.map(|square| board.at(square)),
            hands: board.hands,
            side: board.side,
            move_number: board.move_number,
        }
    }

    /// The pieces of a full set that this position lacks, in the order of [`Piece::HAND`]: handicaps and problems.
    ///
    /// # Errors
    /// [`SetupError::TooMany`] where a full set has fewer.
    pub fn missing(&self) -> Result<[u8; 7], SetupError> {
        let mut missing = Piece::SET.map(i16::from);
        for (_, piece) in self.cells.iter().flatten() {
            if *piece != Piece::King {
                missing[piece.base().index()] -= 1;
            }
        }
        for hand in self.hands {
            for (piece, n) in hand.iter() {
                missing[piece.index()] -= i16::from(n);
            }
        }
        match missing.iter().position(|&n| n < 0) {
            Some(kind) => Err(SetupError::TooMany(Piece::HAND[kind])),
            None => Ok(missing.map(|n| n as u8)),
        }
    }

    /// The board, if this is a position that can be played.
    ///
    /// Kings may be missing (problems), and so may other pieces (handicaps).
    ///
    /// # Errors
    /// The first condition that is broken.
    pub fn board(&self) -> Result<Board, SetupError> {
        self.missing()?;
        self.board_of_set(Square::all().filter(|square| self.cells[square.index()].is_some()))
    }

    /// [`Setup::board`] where it is known that no kind has more pieces than a set, and which squares are not empty.
    pub(crate) fn board_of_set(&self, squares: impl Iterator<Item = Square>) -> Result<Board, SetupError> {
        let mut board = Board::empty();
        let mut pawns = [0u16; 2];
        for square in squares {
            let Some((side, piece)) = self.cells[square.index()] else { continue };
            if piece.dead_ranks() > 0 && square.relative_rank(side) < piece.dead_ranks() {
                return Err(SetupError::DeadEnd(square));
            }
            if piece == Piece::Pawn {
                let file = 1 << square.file();
                if pawns[side.index()] & file != 0 {
                    return Err(SetupError::TwoPawns(square));
                }
                pawns[side.index()] |= file;
            }
            if piece == Piece::King && board.king(side).is_some() {
                return Err(SetupError::SeveralKings(side));
            }
            board.put_new(side, piece, square);
        }
        board.hands = self.hands;
        board.side = self.side;
        board.move_number = self.move_number.max(1);
        board.finish();
        let taken = |king: Square| board.is_attacked(king, board.side, board.occupied());
        if board.king(!board.side).is_some_and(taken) { Err(SetupError::KingCapture) } else { Ok(board) }
    }
}

/// The reason why a position is impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupError {
    /// More pieces of a kind than a set has, promoted ones and those in hand included.
    TooMany(Piece),
    /// A side has two kings or more.
    SeveralKings(Side),
    /// A second pawn of one side on the file of this square.
    TwoPawns(Square),
    /// A pawn, lance or knight on this square could never move again.
    DeadEnd(Square),
    /// The side to move could take the king.
    KingCapture,
}

impl SetupError {
    /// The error in words, without the place.
    pub const fn reason(self) -> &'static str {
        match self {
            SetupError::TooMany(Piece::Pawn) => "more than 18 pawns",
            SetupError::TooMany(Piece::Lance) => "more than 4 lances",
            SetupError::TooMany(Piece::Knight) => "more than 4 knights",
            SetupError::TooMany(Piece::Silver) => "more than 4 silvers",
            SetupError::TooMany(Piece::Bishop) => "more than 2 bishops",
            SetupError::TooMany(Piece::Rook) => "more than 2 rooks",
            SetupError::TooMany(Piece::Gold) => "more than 4 golds",
            SetupError::TooMany(_) => "more pieces than a set has",
            SetupError::SeveralKings(Side::First) => "Black has several kings",
            SetupError::SeveralKings(Side::Second) => "White has several kings",
            SetupError::TwoPawns(_) => "two pawns of one side on a file",
            SetupError::DeadEnd(_) => "a pawn, lance or knight that could never move again",
            SetupError::KingCapture => "the side to move could take the king",
        }
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::TwoPawns(square) | SetupError::DeadEnd(square) => write!(f, "{} ({square})", self.reason()),
            _ => f.write_str(self.reason()),
        }
    }
}

impl std::error::Error for SetupError {}
