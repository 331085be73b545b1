//! bulletformat (`ChessBoard`, 32 bytes a position): what the trainer bullet reads. The side to move is always White there.
//!
//! Layout, little-endian (crate `bulletformat`, J. Merino, 2023): occupied squares u64; pieces in four bits each (0 to 5 pawn to king of
//! the side to move, 8 more for the other's); score i16 and result u8 (0, 1, 2 half points) for the side to move; its king's
//! square; the other king's square, mirrored; three bytes of no meaning. Boards with Black to move are mirrored upside down.

use super::{HEAD, pack_pieces, u16_at, unpack_pieces};
use crate::{Board, Piece, Rules, Square, UciNotation, facts, fen};
use tesuji_game::{FirstSide, Notation, Position, Side};
use tesuji_record::{Fault, Labels, RecordError, Sample, SampleFormat, score_for};

/// The format bulletformat. It has no rights, counters, moves and games; positions come back with White to move.
#[derive(Debug, Clone, Copy)]
pub struct Bullet;

impl SampleFormat for Bullet {
    fn name(&self) -> &'static str {
        "bullet"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["bullet", "bulletformat"]
    }

    fn carries(&self) -> &'static str {
        "pieces, score and result seen from the side to move; no castling, en passant, counters, moves, games"
    }

    fn holds(&self) -> Labels {
        Labels { score: true, result: true, ..Labels::NONE }
    }

    fn whole(&self, block: &[u8]) -> usize {
        block.len() / HEAD * HEAD
    }

    fn record_bytes(&self) -> Option<usize> {
        Some(HEAD)
    }

    fn read(&self, block: &[u8], each: &mut dyn FnMut(Result<Sample, RecordError>)) {
        let (records, rest) = block.as_chunks::<HEAD>();
        for (i, record) in records.iter().enumerate() {
            each(unpack(record).map_err(|fault| RecordError::without_line(i as u64 + 1, fault)));
        }
        if !rest.is_empty() {
            let found = format!("{} bytes", rest.len());
            let fault = Fault::expected("a whole record of 32 bytes at the end of the file", &found);
            each(Err(RecordError::without_line(records.len() as u64 + 1, fault)));
        }
    }

    fn write(&self, sample: &Sample, out: &mut Vec<u8>) -> Result<(), RecordError> {
        let record = pack(sample).map_err(|fault| RecordError::without_line(0, fault))?;
        out.extend_from_slice(&record);
        Ok(())
    }
}

fn unpack(bytes: &[u8; HEAD]) -> Result<Sample, Fault> {
    let mut board = Board::empty();
    unpack_pieces(bytes, |square, code| {
        let piece = Piece::from_index(usize::from(code & 7));
        let piece = piece.ok_or_else(|| Fault::expected("a piece of kind 0 to 5", &(code & 7).to_string()))?;
        board.put(if code < 8 { Side::First } else { Side::Second }, piece, square);
        Ok(())
    })?;
    let board = fen::finish(board).map_err(Fault::Position)?;
    let result = bytes[26];
    if result > 2 {
        return Err(Fault::expected("a result of 0, 1 or 2", &result.to_string()));
    }
    let kings = [board.king(Side::First).index() as u8, board.king(Side::Second).index() as u8 ^ 56];
    if bytes[27..29] != kings {
        let found = format!("{} and {}, where they stand on {} and {}", bytes[27], bytes[28], kings[0], kings[1]);
        return Err(Fault::expected("the squares of the kings", &found));
    }
    Ok(Sample {
        position: fen::to_string(&board),
        score: Some(FirstSide(u16_at(bytes, 24) as i16)),
        half_points: Some(result),
        facts: Some(facts::facts(&board, None)),
        ..Sample::default()
    })
}

fn pack(sample: &Sample) -> Result<[u8; HEAD], Fault> {
    let rules: Rules = sample.rules.parse().map_err(|_| Fault::Unsupported("rules other than chess and chess960"))?;
    let board = UciNotation::parse_position(&rules, &sample.position).map_err(Fault::Position)?;
    let result = sample.half_points.ok_or(Fault::Unsupported("a position without a result"))?;
    let score = sample.score.ok_or(Fault::Unsupported("a position without a score"))?;
    let me = board.side_to_move();
    let turned = me == Side::Second;
    let seen = if turned { mirror(&board) } else { board };
    let (occupied, codes) = pack_pieces(&seen, |_, piece, side| piece as u8 | (side as u8) << 3);
    let mut bytes = [0u8; HEAD];
    bytes[..8].copy_from_slice(&occupied.to_le_bytes());
    bytes[8..24].copy_from_slice(&codes);
    bytes[24..26].copy_from_slice(&score_for(me, score).to_le_bytes());
    bytes[26] = if turned { 2 - result.min(2) } else { result.min(2) };
    bytes[27] = seen.king(Side::First).index() as u8;
    bytes[28] = seen.king(Side::Second).index() as u8 ^ 56;
    Ok(bytes)
}

/// The pieces upside down with colours changed.
fn mirror(board: &Board) -> Board {
    let mut turned = Board::empty();
    for square in board.occupied() {
        if let (Some(piece), Some(side)) = (board.piece_at(square), board.side_at(square)) {
            turned.put(!side, piece, Square::from_index(square.index() as u8 ^ 56));
        }
    }
    turned
}
