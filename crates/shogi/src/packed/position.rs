//! A position in 32 bytes: side to move, kings, squares, hands and box as a stream of prefix codes of exactly 256 bits.

use super::{Coding, PackedError, codes::ORDER};
use crate::{Board, Hand, Piece, Setup, Square};
use tesuji_game::Side;

/// Bytes of a packed position.
pub const POSITION_BYTES: usize = 32;

/// Bits before the squares: side and two kings.
const HEAD_BITS: usize = 15;

/// Packs a position.
///
/// # Errors
/// [`PackedError::OneKing`], and pieces that no set has.
///
/// # Examples
/// ```
/// use tesuji_shogi::{packed::{Coding, pack, unpack}, sfen};
/// let board = sfen::parse(sfen::START)?;
/// let bytes = pack(&board, Coding::Apery).expect("two kings");
/// assert_eq!(bytes[..4], [0x58, 0xA4, 0x49, 0x21]);
/// assert_eq!(unpack(&bytes, Coding::Apery), Ok(board));
/// # Ok::<(), tesuji_game::NotationError>(())
/// ```
pub fn pack(board: &Board, coding: Coding) -> Result<[u8; POSITION_BYTES], PackedError> {
    pack_setup(&Setup::of(board), coding)
}

/// Packs a position that need not be one which can be played, if only the pieces are those of a set with both kings.
///
/// # Errors
/// As [`pack`]; several kings of a side are [`PackedError::Position`].
pub fn pack_setup(setup: &Setup, coding: Coding) -> Result<[u8; POSITION_BYTES], PackedError> {
    let codes = coding.codes();
    let missing = setup.missing().map_err(PackedError::Position)?;
    let mut kings = [None; 2];
    for (square, cell) in setup.cells.iter().enumerate() {
        if let &Some((side, Piece::King)) = cell
            && kings[side.index()].replace(square as u8).is_some()
        {
            return Err(PackedError::Position(crate::SetupError::SeveralKings(side)));
        }
    }
    let [Some(black), Some(white)] = kings else { return Err(PackedError::OneKing) };
    let mut out = Writer { bytes: [0; 40], at: 0, word: 0, filled: 0 };
    out.push(setup.side as u64 | u64::from(black) << 1 | u64::from(white) << 8, HEAD_BITS as u32);
    for cell in &setup.cells {
        match *cell {
            None => out.push(0, 1),
            Some((_, Piece::King)) => {}
            Some((side, piece)) => {
                let code = codes.board[side.index()][piece.index()];
                out.push(u64::from(code.bits), u32::from(code.length));
            }
        }
    }
    for (place, counts) in [setup.hands[0].counts(), setup.hands[1].counts(), missing].into_iter().enumerate() {
        for piece in ORDER {
            let code = codes.spare[place][piece.index()];
            for _ in 0..counts[piece.index()] {
                out.push(u64::from(code.bits), u32::from(code.length));
            }
        }
    }
    Ok(out.finish())
}

/// The position of 32 bytes; every condition of a position that can be played is checked. Its move number is 1.
///
/// # Errors
/// The first thing that is wrong.
pub fn unpack(bytes: &[u8; POSITION_BYTES], coding: Coding) -> Result<Board, PackedError> {
    decode(bytes, coding)?.board()
}

/// The position of 32 bytes: codes, bits and pieces are checked, but not whether they stand where they can.
///
/// # Errors
/// The first thing that is wrong with the codes.
pub fn unpack_setup(bytes: &[u8; POSITION_BYTES], coding: Coding) -> Result<Setup, PackedError> {
    Ok(decode(bytes, coding)?.setup)
}

/// Converts a packed position to the other coding, code by code: as each piece takes the same number of bits in both, they are
/// changed where they stand. Of what a position must be, only codes, bits and pieces are checked.
///
/// # Errors
/// The first thing that is wrong with the codes.
pub fn transcode(bytes: &[u8; POSITION_BYTES], from: Coding, to: Coding) -> Result<[u8; POSITION_BYTES], PackedError> {
    let decoded = decode(bytes, from)?;
    Ok(if from == to { *bytes } else { decoded.other })
}

/// The position decoded from 32 bytes.
pub(super) struct Decoded {
    setup: Setup,
    /// The squares with pieces, the first `pieces` of them.
    squares: [u8; 88],
    pieces: usize,
    /// The position in the other coding.
    pub(super) other: [u8; POSITION_BYTES],
}

impl Decoded {
    /// The board, if this is a position that can be played.
    pub(super) fn board(&self) -> Result<Board, PackedError> {
        let squares = self.squares.iter().take(self.pieces);
        self.setup.board_of_set(squares.map(|&square| Square::at(u32::from(square)))).map_err(PackedError::Position)
    }
}

pub(super) fn decode(bytes: &[u8; POSITION_BYTES], coding: Coding) -> Result<Decoded, PackedError> {
    let codes = coding.codes();
    let (input, mut output) = (Reader::new(bytes), Other([0; 48]));
    let head = input.window(0) & ((1 << HEAD_BITS) - 1);
    output.put(0, head);
    let mut setup = Setup { side: if head & 1 == 0 { Side::First } else { Side::Second }, ..Setup::EMPTY };
    let kings = [(head >> 1 & 127) as u8, (head >> 8 & 127) as u8];
    for side in Side::ALL {
        let found = kings[side.index()];
        let square = Square::from_index(found).ok_or(PackedError::King { side, found })?;
        if setup.cells[square.index()].replace((side, Piece::King)).is_some() {
            return Err(PackedError::King { side, found });
        }
    }
    let (mut squares, mut pieces) = ([0; 88], 2);
    squares[..2].copy_from_slice(&kings);
    let (low, high) = (kings[0].min(kings[1]) as usize, kings[0].max(kings[1]) as usize);
    // The last row counts what comes of empty squares, so that nothing need be asked.
    let mut counts = [[0u8; 8]; 4];
    let mut at = HEAD_BITS;
    let mut square = 0;
    for end in [low, high, 81] {
        while square < end {
            if at > 256 {
                return Err(PackedError::Length);
            }
            // 57 bits hold seven codes of at most eight.
            let (mut window, mut bits, mut used) = (input.window(at), 0u64, 0);
            for _ in 0..(end - square).min(7) {
                let cell = codes.cells[usize::from(window as u8)];
                window >>= cell.length;
                bits |= u64::from(cell.other) << used;
                used += usize::from(cell.length);
                setup.cells[square] = cell.what;
                squares[pieces] = square as u8;
                let (row, piece) = cell.what.map_or((3, Piece::Pawn), |(_, piece)| (2, piece.base()));
                counts[row][piece.index() & 7] += 1;
                pieces += usize::from(cell.what.is_some());
                square += 1;
            }
            output.put(at, bits);
            at += used;
        }
        // The king's own square.
        square += 1;
    }
    while at < 256 {
        let spare = codes.spares[(input.window(at) & 127) as usize];
        if spare.length == 0 {
            return Err(PackedError::Code { bit: at as u16 });
        }
        output.put(at, u64::from(spare.other));
        at += usize::from(spare.length);
        counts[usize::from(spare.place & 3)][spare.piece.index() & 7] += 1;
    }
    if at != 256 {
        return Err(PackedError::Length);
    }
    for piece in Piece::HAND {
        let found = counts[..3].iter().fold(0u8, |sum, counts| sum.saturating_add(counts[piece.index()]));
        if found != Piece::SET[piece.index()] {
            return Err(PackedError::Count { piece, found });
        }
    }
    for side in Side::ALL {
        let counts = counts[side.index()];
        // The counts are within a set, as was just seen.
        setup.hands[side.index()] = Hand::from_counts(std::array::from_fn(|i| counts[i])).unwrap_or_default();
    }
    Ok(Decoded { setup, squares, pieces, other: std::array::from_fn(|i| output.0[i]) })
}

/// Bits written where they were read. The bytes behind are for what overruns.
struct Other([u8; 48]);

impl Other {
    /// Adds at most 57 bits at bit `at`, which is at most 256.
    #[inline(always)]
    fn put(&mut self, at: usize, bits: u64) {
        let place = &mut self.0[at / 8..at / 8 + 8];
        let mut word = [0; 8];
        word.copy_from_slice(place);
        place.copy_from_slice(&(u64::from_le_bytes(word) | bits << (at % 8)).to_le_bytes());
    }
}

/// Bits, the first the lowest of the first byte.
struct Writer {
    bytes: [u8; 40],
    at: usize,
    word: u64,
    filled: u32,
}

impl Writer {
    /// Appends at most 15 bits.
    #[inline(always)]
    fn push(&mut self, bits: u64, length: u32) {
        self.word |= bits << self.filled;
        self.filled += length;
        if self.filled >= 32 {
            if let Some(place) = self.bytes.get_mut(self.at..self.at + 4) {
                place.copy_from_slice(&(self.word as u32).to_le_bytes());
            }
            (self.at, self.word, self.filled) = (self.at + 4, self.word >> 32, self.filled - 32);
        }
    }

    fn finish(self) -> [u8; POSITION_BYTES] {
        debug_assert!((self.at, self.filled) == (POSITION_BYTES, 0), "a full set of pieces takes 256 bits");
        std::array::from_fn(|i| self.bytes[i])
    }
}

/// The bytes with zeros behind them.
struct Reader([u8; 48]);

impl Reader {
    fn new(bytes: &[u8; POSITION_BYTES]) -> Reader {
        let mut all = [0; 48];
        all[..POSITION_BYTES].copy_from_slice(bytes);
        Reader(all)
    }

    /// At least 57 bits from bit `at`, which is below 320, on.
    #[inline(always)]
    fn window(&self, at: usize) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.0[at / 8..at / 8 + 8]);
        u64::from_le_bytes(word) >> (at % 8)
    }
}
