//! The moves of a run as bits: which piece, which of its targets, and numbers of variable length.

use crate::{Bitboard, Board, Move, Piece, Square, attacks};
use tesuji_game::Position;

/// Bits of a block of a number of variable length, without the one that says whether another follows.
const NUMBER_BITS: u32 = 4;
/// The kinds of pieces that pawns become, by code.
pub(super) const PROMOTED: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// A signed number whose sign is in its lowest bit, and back.
pub(super) fn signed(number: u16) -> i16 {
    let turned = number.rotate_right(1);
    (if turned & 0x8000 != 0 { turned ^ 0x7FFF } else { turned }) as i16
}

pub(super) fn unsigned(number: i16) -> u16 {
    let bits = number as u16;
    (if bits & 0x8000 != 0 { bits ^ 0x7FFF } else { bits }).rotate_left(1)
}

/// The moves of a piece among which a run says which is played: those that the rules allow, and some more.
struct Targets {
    to: Bitboard,
    promotes: bool,
    /// The rooks to castle with, that on the side of the queen first.
    rooks: Vec<Square>,
}

impl Targets {
    /// Those of the piece on `from` of the side to move.
    fn of(board: &Board, from: Square) -> Option<Targets> {
        let (side, occupied) = (board.side_to_move(), board.occupied());
        let mut targets = Targets { to: Bitboard(0), promotes: false, rooks: Vec::new() };
        targets.to = match board.piece_at(from)? {
            Piece::Pawn => {
                targets.promotes = from.relative_rank(side) == 6;
                let ahead = Bitboard::of(from).forward(side).without(occupied);
                let further = if from.relative_rank(side) == 1 { ahead.forward(side) } else { Bitboard(0) };
                let passed = passed_square(board).map_or(Bitboard(0), Bitboard::of);
                attacks::pawn(side, from) & (board.side(!side) | passed) | ahead | further.without(occupied)
            }
            piece => {
                if piece == Piece::King {
                    targets.rooks = [false, true].into_iter().filter_map(|h| board.castling_rook(side, h)).collect();
                }
                attacks::of(piece, side, from, occupied).without(board.side(side))
            }
        };
        Some(targets)
    }

    fn count(&self) -> usize {
        let squares = self.to.count() as usize;
        if self.promotes { squares * PROMOTED.len() } else { squares + self.rooks.len() }
    }

    /// The bits that say which.
    fn bits(&self) -> u32 {
        bits_for(self.count())
    }
}

/// The square to which a pawn may take en passant, where one legally may.
pub(super) fn passed_square(board: &Board) -> Option<Square> {
    let square = board.en_passant_usable()?;
    board.legal_moves().iter().any(|mv| mv.is_en_passant()).then_some(square)
}

/// The bits that tell `count` things apart.
fn bits_for(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// The next move of a run, where it is legal.
pub(super) fn read_move(board: &Board, bits: &mut BitReader<'_>) -> Option<Move> {
    let mut own = board.side(board.side_to_move());
    let from = own.nth(usize::from(bits.take(bits_for(own.count() as usize))?))?;
    let mut targets = Targets::of(board, from)?;
    let which = usize::from(bits.take(targets.bits())?);
    let squares = targets.to.count() as usize;
    let mv = if targets.promotes {
        Move::promote(from, targets.to.nth(which / PROMOTED.len())?, PROMOTED[which % PROMOTED.len()])
    } else if let Some(castling) = which.checked_sub(squares) {
        Move::castling(from, *targets.rooks.get(castling)?)
    } else {
        let to = targets.to.nth(which)?;
        let is_taken_in_passing = board.piece_at(from) == Some(Piece::Pawn) && passed_square(board) == Some(to);
        if is_taken_in_passing { Move::en_passant(from, to) } else { Move::normal(from, to) }
    };
    board.unpack(mv.bits())
}

/// The inverse of [`read_move`].
pub(super) fn write_move(board: &Board, mv: Move, bits: &mut BitWriter) -> Option<()> {
    let mut own = board.side(board.side_to_move());
    let count = bits_for(own.count() as usize);
    bits.put(own.position(|square| square == mv.from())?, count);
    let mut targets = Targets::of(board, mv.from())?;
    let (all, squares) = (targets.bits(), targets.to.count() as usize);
    let which = match mv.promotion() {
        _ if mv.is_castling() => squares + targets.rooks.iter().position(|&rook| rook == mv.to())?,
        Some(piece) => {
            let kind = PROMOTED.iter().position(|&known| known == piece)?;
            targets.to.position(|square| square == mv.to())? * PROMOTED.len() + kind
        }
        None => targets.to.position(|square| square == mv.to())?,
    };
    bits.put(which, all);
    Some(())
}

/// Bits, the highest of a byte first.
pub(super) struct BitReader<'a> {
    pub(super) bytes: &'a [u8],
    /// Bits before the next.
    pub(super) at: usize,
}

impl BitReader<'_> {
    /// The next `count` bits, at most 8; `None` behind the end.
    fn take(&mut self, count: u32) -> Option<u8> {
        let mut all = 0;
        for _ in 0..count {
            let byte = *self.bytes.get(self.at / 8)?;
            all = all << 1 | byte >> (7 - self.at % 8) & 1;
            self.at += 1;
        }
        Some(all)
    }

    /// A number in blocks, the lowest first.
    pub(super) fn number(&mut self) -> Option<u16> {
        let mut number = 0;
        for shift in (0..u16::BITS).step_by(NUMBER_BITS as usize) {
            let block = self.take(NUMBER_BITS + 1)?;
            number |= u16::from(block & ((1 << NUMBER_BITS) - 1)) << shift;
            if block >> NUMBER_BITS == 0 {
                return Some(number);
            }
        }
        None
    }
}

/// Bits to be read by [`BitReader`].
#[derive(Default)]
pub(super) struct BitWriter {
    pub(super) bytes: Vec<u8>,
    pub(super) at: usize,
}

impl BitWriter {
    fn put(&mut self, value: usize, count: u32) {
        for bit in (0..count).rev() {
            if self.at.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value >> bit & 1) as u8) << (7 - self.at % 8);
            }
            self.at += 1;
        }
    }

    pub(super) fn number(&mut self, mut number: u16) {
        loop {
            let rest = number >> NUMBER_BITS;
            let block = number & ((1 << NUMBER_BITS) - 1) | u16::from(rest > 0) << NUMBER_BITS;
            self.put(usize::from(block), NUMBER_BITS + 1);
            number = rest;
            if rest == 0 {
                return;
            }
        }
    }
}
