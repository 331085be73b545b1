//! Errors in packed records, with the byte of the record at fault.

use crate::{Piece, SetupError};
use std::fmt;
use tesuji_game::Side;
use tesuji_record::{Fault, RecordError};

/// The reason why bytes are no packed record, or why something cannot be packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackedError {
    /// The bits from this one on, counted from 0, are no code.
    Code {
        /// The first bit of what is no code.
        bit: u16,
    },
    /// A king on a square above 80, or on that of the other king.
    King {
        /// The side.
        side: Side,
        /// The number found.
        found: u8,
    },
    /// A king is missing: such a position would take 257 bits.
    OneKing,
    /// The codes end behind bit 256.
    Length,
    /// More or fewer pieces of a kind than a set has.
    Count {
        /// The kind.
        piece: Piece,
        /// The number of pieces: on the board, in the hands and in the box.
        found: u8,
    },
    /// The pieces stand where they cannot.
    Position(SetupError),
    /// A move that cannot be played, as the word that the record has at this byte.
    Move {
        /// The byte of the record where it stands.
        byte: u32,
        /// The word.
        word: u16,
    },
    /// A result that the format does not know.
    Result {
        /// The byte of the record where it stands.
        byte: u32,
        /// The number found.
        found: i16,
    },
    /// A byte that must have another value.
    Byte {
        /// The byte of the record.
        byte: u32,
        /// The expected content.
        expected: &'static str,
        /// The number found.
        found: u8,
    },
    /// The file ends within a record.
    Cut {
        /// The number of bytes of the record that are there.
        found: u32,
        /// The number of bytes that a record has.
        expected: u32,
    },
    /// Something that the format cannot hold.
    Unsupported(&'static str),
}

impl PackedError {
    /// The byte of the record, from 0, at which it was found.
    pub fn byte(&self) -> u32 {
        match *self {
            PackedError::Code { bit } => u32::from(bit) / 8,
            PackedError::King { side: Side::Second, .. } => 1,
            PackedError::Length | PackedError::Count { .. } => 31,
            PackedError::Move { byte, .. } | PackedError::Result { byte, .. } | PackedError::Byte { byte, .. } => byte,
            PackedError::Cut { found, .. } => found,
            _ => 0,
        }
    }

    /// As an error of record number `record`, from 1, that begins at byte `start` of the file.
    pub fn at(self, record: u64, start: u64) -> RecordError {
        let fault = match self {
            PackedError::Unsupported(what) => Fault::Unsupported(what),
            PackedError::OneKing => Fault::Unsupported("a position without both kings"),
            _ => Fault::ExpectedAt {
                byte: start + u64::from(self.byte()),
                expected: self.expected(),
                found: self.to_string(),
            },
        };
        RecordError::without_line(record, fault)
    }

    fn expected(&self) -> &'static str {
        match self {
            PackedError::Code { .. } => "a code of a piece",
            PackedError::King { .. } => "the square of a king",
            PackedError::Length => "256 bits",
            PackedError::Count { .. } => "a full set of pieces",
            PackedError::Move { .. } => "a legal move",
            PackedError::Result { .. } => "a result",
            PackedError::Byte { expected, .. } => expected,
            PackedError::Cut { .. } => "a whole record",
            _ => "a position that can be",
        }
    }
}

impl fmt::Display for PackedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PackedError::Code { bit } => write!(f, "no code at bit {bit}"),
            PackedError::King { side, found } => {
                write!(f, "{} king on {found}", if side == Side::First { "Black's" } else { "White's" })
            }
            PackedError::OneKing => f.write_str("a king is missing, which takes 257 bits"),
            PackedError::Length => f.write_str("codes behind bit 256"),
            PackedError::Count { piece, found } => write!(f, "{found} of `{}`", piece.letter()),
            PackedError::Position(error) => error.fmt(f),
            PackedError::Move { word, .. } => write!(f, "{word:#06x}"),
            PackedError::Result { found, .. } => write!(f, "{found}"),
            PackedError::Byte { found, .. } => write!(f, "{found}"),
            PackedError::Cut { found, expected } => write!(f, "{found} of {expected} bytes"),
            PackedError::Unsupported(what) => write!(f, "this format cannot hold {what}"),
        }
    }
}

impl std::error::Error for PackedError {}
