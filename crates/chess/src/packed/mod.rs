//! Packed training data of the field: games in viriformat and binpack, positions in bulletformat. Here is what they share: pieces in four
//! bits each, and games packed one by one.

mod binpack;
mod bullet;
mod viri;

pub use binpack::{BLOCK_BYTES_MAX, Binpack};
pub use bullet::Bullet;
pub use viri::{VIRI_MOVES_MAX, Viri};

use crate::{Bitboard, Board, Piece, Square};
use std::io::Write;
use tesuji_game::Side;
use tesuji_record::{Fault, GameRecord, RecordError, RecordWriter};

/// Writes games one by one.
struct GameWriter {
    output: Box<dyn Write + Send>,
    /// Games so far.
    record: u64,
    pack: fn(&GameRecord<String>) -> Result<Vec<u8>, Fault>,
}

impl GameWriter {
    fn new(output: Box<dyn Write + Send>, pack: fn(&GameRecord<String>) -> Result<Vec<u8>, Fault>) -> GameWriter {
        GameWriter { output, record: 0, pack }
    }
}

impl RecordWriter for GameWriter {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        self.record += 1;
        let bytes = (self.pack)(record).map_err(|fault| RecordError::without_line(self.record, fault))?;
        Ok(self.output.write_all(&bytes)?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.output.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}

/// Bytes of a packed position in both formats.
const HEAD: usize = 32;

/// The pieces of `board` with the code that `code` gives each, in the order of squares: a set of squares and half bytes, the
/// lower half first.
fn pack_pieces(board: &Board, code: impl Fn(Square, Piece, Side) -> u8) -> (u64, [u8; 16]) {
    let (mut occupied, mut codes) = (0u64, [0u8; 16]);
    let pieces = board.occupied().into_iter().filter_map(|at| Some((at, board.piece_at(at)?, board.side_at(at)?)));
    for (i, (square, piece, side)) in pieces.take(32).enumerate() {
        occupied |= 1 << square.index();
        codes[i / 2] |= code(square, piece, side) << (4 * (i % 2));
    }
    (occupied, codes)
}

/// The inverse of [`pack_pieces`]: calls `each` with square and code.
fn unpack_pieces(bytes: &[u8; HEAD], mut each: impl FnMut(Square, u8) -> Result<(), Fault>) -> Result<(), Fault> {
    let occupied = Bitboard(u64_at(bytes, 0));
    if occupied.count() > 32 {
        return Err(Fault::expected("at most 32 pieces", &occupied.count().to_string()));
    }
    for (i, square) in occupied.into_iter().enumerate() {
        each(square, bytes[8 + i / 2] >> (4 * (i % 2)) & 15)?;
    }
    Ok(())
}

fn u64_at(bytes: &[u8; HEAD], at: usize) -> u64 {
    (0..8).fold(0, |all, i| all | u64::from(bytes[at + i]) << (8 * i))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
