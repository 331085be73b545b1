//! Records of one position each: hcp (32 bytes), hcpe and hcpe2 (38), PackedSfen (32), PackedSfenValue (40); read, written, checked, converted.

use super::{
    Coding, POSITION_BYTES, PackedError,
    position::{Decoded, decode},
    words::{legal_move, turn_word},
};
use crate::{Board, Move};
use tesuji_game::{Position, Side};

/// Bytes of an [`Hcpe`].
pub const HCPE_BYTES: usize = 38;
/// Bytes of a [`Psv`].
pub const PSV_BYTES: usize = 40;

/// The outcome of a game, in the bits of hcpe2 and hcpe3.
pub mod result {
    /// The bits that say who won: 0 nobody, 1 Black, 2 White.
    pub const WINNER: u8 = 3;
    /// Black won.
    pub const BLACK: u8 = 1;
    /// White won.
    pub const WHITE: u8 = 2;
    /// By repetition; in hcpe2 and hcpe3 only.
    pub const REPETITION: u8 = 4;
    /// By declaration; in hcpe2 and hcpe3 only.
    pub const DECLARATION: u8 = 8;
    /// Too many moves; in hcpe2 and hcpe3 only.
    pub const MOVES_MAX: u8 = 16;
}

/// The contents of a record that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// The position; its move number is 1 where the record has none.
    pub board: Board,
    /// The move played or found best; `None` where the record has none.
    pub mv: Option<Move>,
}

/// Apery's and dlshogi's hcpe, and hcpe2, which uses the last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hcpe {
    /// The position in [`Coding::Apery`].
    pub position: [u8; POSITION_BYTES],
    /// Centipawns or so for the side to move.
    pub score: i16,
    /// The best move, Apery's word; 0 for none.
    pub mv: u16,
    /// 0 draw, 1 Black won, 2 White won.
    pub result: u8,
    /// 0 in hcpe; the bits of [`result`] in hcpe2.
    pub extra: u8,
}

/// YaneuraOu's PackedSfenValue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Psv {
    /// The position in [`Coding::Yaneuraou`].
    pub position: [u8; POSITION_BYTES],
    /// Centipawns or so for the side to move.
    pub score: i16,
    /// The move played, YaneuraOu's word; 0 for none.
    pub mv: u16,
    /// The number of the move, from 1.
    pub ply: u16,
    /// 1 the side to move won, 0 draw, -1 it lost.
    pub result: i8,
    /// 0.
    pub padding: u8,
}

impl Hcpe {
    /// The record of these bytes; nothing is checked.
    pub fn from_bytes(bytes: &[u8; HCPE_BYTES]) -> Hcpe {
        Hcpe {
            position: std::array::from_fn(|i| bytes[i]),
            score: i16::from_le_bytes([bytes[32], bytes[33]]),
            mv: u16::from_le_bytes([bytes[34], bytes[35]]),
            result: bytes[36],
            extra: bytes[37],
        }
    }

    /// The bytes of the record.
    pub fn to_bytes(&self) -> [u8; HCPE_BYTES] {
        let mut bytes = [0; HCPE_BYTES];
        bytes[..32].copy_from_slice(&self.position);
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.mv.to_le_bytes());
        bytes[36..].copy_from_slice(&[self.result, self.extra]);
        bytes
    }

    /// Checks everything: position, move and result.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<Checked, PackedError> {
        self.check_decoded(&decode(&self.position, Coding::Apery)?)
    }

    /// [`Hcpe::check`] where the position was read already.
    pub(super) fn check_decoded(&self, decoded: &Decoded) -> Result<Checked, PackedError> {
        let board = decoded.board()?;
        let mv = legal_move(&board, self.mv, Coding::Apery, 34)?;
        if self.result > 2 {
            return Err(PackedError::Result { byte: 36, found: self.result.into() });
        }
        let told = self.extra & result::WINNER;
        if self.extra >= 32 || self.extra != 0 && told != 0 && told != self.result {
            return Err(PackedError::Result { byte: 37, found: self.extra.into() });
        }
        Ok(Checked { board, mv })
    }

    /// The record in YaneuraOu's format (psv). hcpe has no ply: that of the record is `ply`; its last byte is lost.
    ///
    /// Codes are checked, as without them nothing can be said; legality is not.
    ///
    /// # Errors
    /// Codes, words and results that are none.
    pub fn to_psv(&self, ply: u16) -> Result<Psv, PackedError> {
        self.psv_at(decode(&self.position, Coding::Apery)?.other, ply)
    }

    /// [`Hcpe::to_psv`] where the position was turned already.
    pub(super) fn psv_at(&self, position: [u8; POSITION_BYTES], ply: u16) -> Result<Psv, PackedError> {
        let mv = turn_word(self.mv, Coding::Apery, Coding::Yaneuraou);
        let result = match (self.result, self.position[0] & 1) {
            (0, _) => 0,
            (1, 0) | (2, 1) => 1,
            (1, 1) | (2, 0) => -1,
            _ => return Err(PackedError::Result { byte: 36, found: self.result.into() }),
        };
        Ok(Psv {
            position,
            score: self.score,
            mv: mv.ok_or(PackedError::Move { byte: 34, word: self.mv })?,
            ply,
            result,
            padding: 0,
        })
    }

    /// The winner; `None` for a draw.
    pub fn winner(&self) -> Option<Side> {
        match self.result {
            result::BLACK => Some(Side::First),
            result::WHITE => Some(Side::Second),
            _ => None,
        }
    }
}

impl Psv {
    /// The record of these bytes; nothing is checked.
    pub fn from_bytes(bytes: &[u8; PSV_BYTES]) -> Psv {
        Psv {
            position: std::array::from_fn(|i| bytes[i]),
            score: i16::from_le_bytes([bytes[32], bytes[33]]),
            mv: u16::from_le_bytes([bytes[34], bytes[35]]),
            ply: u16::from_le_bytes([bytes[36], bytes[37]]),
            result: bytes[38] as i8,
            padding: bytes[39],
        }
    }

    /// The bytes of the record.
    pub fn to_bytes(&self) -> [u8; PSV_BYTES] {
        let mut bytes = [0; PSV_BYTES];
        bytes[..32].copy_from_slice(&self.position);
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.mv.to_le_bytes());
        bytes[36..38].copy_from_slice(&self.ply.to_le_bytes());
        bytes[38..].copy_from_slice(&[self.result as u8, self.padding]);
        bytes
    }

    /// Checks everything: position, move and result. The board's move number is the record's ply.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<Checked, PackedError> {
        self.check_decoded(&decode(&self.position, Coding::Yaneuraou)?)
    }

    /// [`Psv::check`] where the position was read already.
    pub(super) fn check_decoded(&self, decoded: &Decoded) -> Result<Checked, PackedError> {
        let mut board = decoded.board()?;
        board.move_number = self.ply.max(1);
        let mv = legal_move(&board, self.mv, Coding::Yaneuraou, 34)?;
        if !(-1..=1).contains(&self.result) {
            return Err(PackedError::Result { byte: 38, found: self.result.into() });
        }
        Ok(Checked { board, mv })
    }

    /// The record in Apery's format (hcpe). The ply is lost.
    ///
    /// # Errors
    /// Codes, words and results that are none; legality is not asked.
    pub fn to_hcpe(&self) -> Result<Hcpe, PackedError> {
        self.hcpe_at(decode(&self.position, Coding::Yaneuraou)?.other)
    }

    /// [`Psv::to_hcpe`] where the position was turned already.
    pub(super) fn hcpe_at(&self, position: [u8; POSITION_BYTES]) -> Result<Hcpe, PackedError> {
        let mv = turn_word(self.mv, Coding::Yaneuraou, Coding::Apery);
        let side = self.position[0] & 1;
        let result = match self.result {
            0 => 0,
            1 => side + 1,
            -1 => 2 - side,
            other => return Err(PackedError::Result { byte: 38, found: other.into() }),
        };
        Ok(Hcpe {
            position,
            score: self.score,
            mv: mv.ok_or(PackedError::Move { byte: 34, word: self.mv })?,
            result,
            extra: 0,
        })
    }

    /// Whether `psv_to_hcp` keeps it: the score nearer to 0 than `score_below`, or a ply of at most `ply_max`.
    pub fn is_kept(&self, score_below: u16, ply_max: Option<u16>) -> bool {
        self.score.unsigned_abs() < score_below || ply_max.is_some_and(|max| self.ply <= max)
    }
}

/// The side to move of a packed position.
pub fn side_of(position: &[u8; POSITION_BYTES]) -> Side {
    if position[0] & 1 == 0 { Side::First } else { Side::Second }
}

/// The word with which `board` and a move go into a record.
pub(super) fn word_of(mv: Option<Move>, coding: Coding) -> u16 {
    mv.map_or(0, |mv| super::move_word(mv, coding))
}

impl Checked {
    /// As an hcpe.
    ///
    /// # Errors
    /// [`PackedError::OneKing`].
    pub fn to_hcpe(&self, score: i16, winner: Option<Side>) -> Result<Hcpe, PackedError> {
        let position = super::pack(&self.board, Coding::Apery)?;
        let result = winner.map_or(0, |side| side as u8 + 1);
        Ok(Hcpe { position, score, mv: word_of(self.mv, Coding::Apery), result, extra: 0 })
    }

    /// As a PackedSfenValue; the ply is the board's move number.
    ///
    /// # Errors
    /// [`PackedError::OneKing`].
    pub fn to_psv(&self, score: i16, winner: Option<Side>) -> Result<Psv, PackedError> {
        let position = super::pack(&self.board, Coding::Yaneuraou)?;
        let result = winner.map_or(0, |side| if side == self.board.side_to_move() { 1 } else { -1 });
        let mv = word_of(self.mv, Coding::Yaneuraou);
        Ok(Psv { position, score, mv, ply: self.board.move_number(), result, padding: 0 })
    }
}
