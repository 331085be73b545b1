//! viriformat: whole games in 32 bytes and four for each move with its score; what viridithas makes and bullet reads.
//!
//! Layout, little-endian (crate `viriformat`, C. Cunningham, 2025): a marlinformat position (occupied squares u64; pieces in four bits each,
//! kind 6 for a rook that may castle, 8 more for Black's; Black to move in bit 7 and the en-passant square or 64 below; halfmove
//! clock u8; move number u16; score i16; result u8 for White; a byte of no meaning), then for each move u16 (from, to, promotion,
//! kind in 6, 6, 2, 2 bits) and score i16 for White; four zero bytes end the game.

use super::{GameWriter, HEAD, pack_pieces, u16_at, unpack_pieces};
use crate::{Board, Chess, Move, Piece, Rules, Square, UciNotation, ending, fen};
use std::{
    io::{self, BufRead, Read, Write},
    ops::Range,
};
use tesuji_game::{By, FirstSide, Game, Notation, Outcome, Position, Side};
use tesuji_record::{
    Fault, GameRecord, Part, RecordError, RecordFormat, RecordReader, RecordWriter, Step, score_of, value_of,
};

/// The format viriformat.
#[derive(Debug, Clone, Copy)]
pub struct Viri;

/// The most moves a game may have: a file that lost its ends cannot fill the memory.
pub const VIRI_MOVES_MAX: usize = 1 << 16;
/// Kind of a piece that is a rook which may castle.
const UNMOVED_ROOK: u8 = 6;
/// No en-passant square.
const NO_SQUARE: u8 = 64;

impl RecordFormat for Viri {
    fn name(&self) -> &'static str {
        "viri"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["viri", "vf", "viriformat"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(Reader { input, record: 0, bytes: Vec::new() })
    }

    fn whole(&self, block: &[u8]) -> Option<usize> {
        let (mut whole, mut at) = (0, HEAD);
        while at + 4 <= block.len() {
            let entry = &block[at..at + 4];
            at += 4;
            if entry == [0; 4] {
                whole = at;
                at += HEAD;
            }
        }
        Some(whole)
    }

    fn tells_unvalued(&self) -> bool {
        false
    }

    fn drops(&self) -> &'static [Part] {
        &Part::BUT_VALUES
    }

    fn moves_left_out(&self, game: &GameRecord<String>) -> u64 {
        let line = game.main_nodes();
        (line.len() - scored_run(game, &line).len()) as u64
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(GameWriter::new(output, pack_game))
    }
}

/// Reads games one by one. A game that makes no sense is one error; the next begins behind its end.
struct Reader {
    input: Box<dyn BufRead + Send>,
    record: u64,
    bytes: Vec<u8>,
}

impl Reader {
    /// Reads the bytes of the next game without the four that end it; `false` at the end of the file.
    fn fill(&mut self) -> io::Result<bool> {
        self.bytes.clear();
        if self.input.by_ref().take(HEAD as u64).read_to_end(&mut self.bytes)? == 0 {
            return Ok(false);
        }
        let torn = |e: io::Error| match e.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::new(e.kind(), "the file ends in the middle of a game"),
            _ => e,
        };
        if self.bytes.len() < HEAD {
            return Err(torn(io::ErrorKind::UnexpectedEof.into()));
        }
        let mut entry = [0; 4];
        loop {
            self.input.read_exact(&mut entry).map_err(torn)?;
            if entry == [0; 4] {
                return Ok(true);
            }
            self.bytes.extend_from_slice(&entry);
            if self.bytes.len() > HEAD + 4 * VIRI_MOVES_MAX {
                let words = format!("a game has more than {VIRI_MOVES_MAX} moves");
                return Err(io::Error::new(io::ErrorKind::InvalidData, words));
            }
        }
    }
}

impl RecordReader for Reader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        match self.fill() {
            Ok(false) => return Ok(None),
            Ok(true) => self.record += 1,
            Err(e) => return Err(RecordError::without_line(self.record + 1, Fault::Io(e))),
        }
        unpack_game(&self.bytes).map(Some).map_err(|fault| RecordError::without_line(self.record, fault))
    }
}

/// A game of at least [`HEAD`] bytes and whole entries.
fn unpack_game(bytes: &[u8]) -> Result<GameRecord<String>, Fault> {
    let Some((head, entries)) = bytes.split_first_chunk::<HEAD>() else {
        return Err(Fault::expected("a position of 32 bytes", ""));
    };
    let mut board = unpack_board(head)?;
    let winner = match head[30] {
        0 => Some(Side::Second),
        1 => None,
        2 => Some(Side::First),
        other => return Err(Fault::expected("a result of 0, 1 or 2", &other.to_string())),
    };
    let rules = Rules { chess960: board.is_chess960(), ..Rules::default() };
    let mut record = GameRecord::new();
    record.rules = rules.to_string();
    record.start = (board != Chess::start(&rules)).then(|| fen::to_string(&board));
    let (entries, _) = entries.as_chunks::<4>();
    let score = |entry: &[u8; 4]| u16_at(entry, 2) as i16;
    let start_score = u16_at(head, 28) as i16;
    if start_score != 0 {
        record.note_mut(0).value = Some(value_of(FirstSide(start_score), board.side_to_move()));
    }
    // Writers that know no scores leave them all at zero.
    let scored = start_score != 0 || entries.iter().any(|e| score(e) != 0);
    let mut past = Vec::with_capacity(entries.len());
    for (i, entry) in entries.iter().enumerate() {
        let bits = u16_at(entry, 0);
        let mv = unpack_move(bits).and_then(|mv| board.unpack(mv.bits()));
        let mv = mv.ok_or_else(|| Fault::IllegalMove { number: i + 1, text: move_words(bits) })?;
        let mut text = String::with_capacity(5);
        let _ = UciNotation::write_move(&board, mv, &mut text);
        let node = record.append(Step::Move(text));
        if scored {
            record.note_mut(node).value = Some(value_of(FirstSide(score(entry)), board.side_to_move()));
        }
        past.push(board.mark(&past));
        board.play(mv);
    }
    record.outcome = Some(ending::explain(&board, &past, winner, By::Adjudication));
    Ok(record)
}

fn unpack_board(head: &[u8; HEAD]) -> Result<Board, Fault> {
    let mut board = Board::empty();
    let mut rooks = Vec::new();
    unpack_pieces(head, |square, code| {
        let side = if code < 8 { Side::First } else { Side::Second };
        let piece = match code & 7 {
            UNMOVED_ROOK => {
                rooks.push((side, square));
                Some(Piece::Rook)
            }
            kind => Piece::from_index(usize::from(kind)),
        };
        let piece = piece.ok_or_else(|| Fault::expected("a piece of kind 0 to 6", &(code & 7).to_string()))?;
        board.put(side, piece, square);
        Ok(())
    })?;
    board.side = if head[24] & 128 == 0 { Side::First } else { Side::Second };
    board.halfmoves = u16::from(head[25]);
    // A FEN has no larger number.
    board.fullmove = u16_at(head, 26).clamp(1, 9999);
    let square = head[24] & 127;
    if square > NO_SQUARE {
        return Err(Fault::expected("an en-passant square or 64", &square.to_string()));
    }
    // Kings must be there before rights and checks are asked for.
    let mut board = fen::finish(board).map_err(Fault::Position)?;
    board.chess960 = true;
    for &(side, square) in &rooks {
        if !fen::grant(&mut board, side, Some(square)) {
            return Err(Fault::expected("a rook that may castle on its king's first rank", &square.to_string()));
        }
    }
    // Of two on one side of the king the second would have the right, and the rules would still be those of the first.
    let is_held = |&&(side, square): &&(Side, Square)| {
        [true, false].into_iter().any(|towards_h| board.castling_rook(side, towards_h) == Some(square))
    };
    if let Some((_, square)) = rooks.iter().find(|rook| !is_held(rook)) {
        return Err(Fault::expected("one rook that may castle on each side of a king", &square.to_string()));
    }
    let usual = |&(side, rook): &(Side, Square)| board.king(side).file() == 4 && matches!(rook.file(), 0 | 7);
    board.chess960 = !rooks.iter().all(usual);
    if square < NO_SQUARE {
        fen::set_en_passant(&mut board, Square::from_index(square));
    }
    board.refresh();
    Ok(board)
}

fn unpack_move(bits: u16) -> Option<Move> {
    let (from, to) = (Square::from_index(bits as u8 & 63), Square::from_index((bits >> 6) as u8 & 63));
    let promotion = bits >> 12 & 3;
    match bits >> 14 {
        0 if promotion == 0 => Some(Move::normal(from, to)),
        1 => Some(Move::en_passant(from, to)),
        2 => Some(Move::castling(from, to)),
        3 => Some(Move::promote(from, to, Piece::from_index(1 + usize::from(promotion))?)),
        _ => None,
    }
}

/// A move that cannot be played, for a message.
fn move_words(bits: u16) -> String {
    match unpack_move(bits) {
        Some(mv) => mv.to_string(),
        None => format!("{bits:#06x}"),
    }
}

fn pack_move(mv: Move) -> u16 {
    let squares = mv.bits() & 0xFFF;
    match mv.promotion() {
        Some(piece) => squares | (piece as u16 - 1) << 12 | 3 << 14,
        None if mv.is_castling() => squares | 2 << 14,
        None if mv.is_en_passant() => squares | 1 << 14,
        None => squares,
    }
}

fn pack_board(board: &Board, score: i16, result: u8) -> [u8; HEAD] {
    let (occupied, codes) = pack_pieces(board, |square, piece, side| {
        let castles = [true, false].into_iter().any(|h| board.castling_rook(side, h) == Some(square));
        (if castles { UNMOVED_ROOK } else { piece as u8 }) | (side as u8) << 3
    });
    let mut bytes = [0u8; HEAD];
    bytes[..8].copy_from_slice(&occupied.to_le_bytes());
    bytes[8..24].copy_from_slice(&codes);
    let square = board.en_passant().map_or(NO_SQUARE, |square| square.index() as u8);
    bytes[24] = square | (board.side_to_move() as u8) << 7;
    bytes[25] = board.halfmove_clock().min(255) as u8;
    bytes[26..28].copy_from_slice(&(board.fullmove() as u16).to_le_bytes());
    bytes[28..30].copy_from_slice(&score.to_le_bytes());
    bytes[30] = result;
    bytes
}

/// The moves of `line` that are written: a move without a score would get a 0, which says that the position is even. So a game
/// whose search was not asked at some moves (openings from a book, ends by adjudication) is written from behind such moves, and up
/// to the next one: the longest run of moves with scores. Of a game without any score all moves are written, with 0 everywhere,
/// which readers take for no scores.
fn scored_run(record: &GameRecord<String>, line: &[u32]) -> Range<usize> {
    let (mut best, mut from) = (0..0, 0);
    for (i, &node) in line.iter().enumerate() {
        if record.note(node).value.is_none() {
            from = i + 1;
        } else if i + 1 - from > best.len() {
            best = from..i + 1;
        }
    }
    if best.is_empty() { 0..line.len() } else { best }
}

fn pack_game(record: &GameRecord<String>) -> Result<Vec<u8>, Fault> {
    let rules: Rules = record.rules.parse().map_err(|_| Fault::Unsupported("rules other than chess and chess960"))?;
    let mut board = match &record.start {
        Some(text) => UciNotation::parse_position(&rules, text).map_err(Fault::Position)?,
        None => Chess::start(&rules),
    };
    let result = match record.outcome {
        Some(Outcome { by: By::Void, .. }) | None => return Err(Fault::Unsupported("a game without a result")),
        Some(outcome) => tesuji_record::half_points(Some(outcome)).unwrap_or(1),
    };
    let line = record.main_nodes();
    if line.len() > VIRI_MOVES_MAX {
        return Err(Fault::Unsupported("a game of more than 65,536 moves"));
    }
    let run = scored_run(record, &line);
    let mut bytes = Vec::with_capacity(HEAD + 4 * run.len() + 4);
    for (i, node) in line.into_iter().enumerate().take(run.end) {
        if i == run.start {
            begin(record, &board, i, result, &mut bytes);
        }
        let Step::Move(text) = &record.nodes[node as usize].step else {
            return Err(Fault::Unsupported("a position set up in the middle of a game"));
        };
        let mv = UciNotation::parse_move(&board, text)
            .map_err(|_| Fault::IllegalMove { number: i + 1, text: text.clone() })?;
        if i >= run.start {
            let score = score_of(record.note(node), board.side_to_move()).map_or(0, |score| score.0);
            bytes.extend_from_slice(&pack_move(mv).to_le_bytes());
            bytes.extend_from_slice(&score.to_le_bytes());
        }
        board.play(mv);
    }
    if run.is_empty() {
        begin(record, &board, 0, result, &mut bytes);
    }
    bytes.extend_from_slice(&[0; 4]);
    Ok(bytes)
}

/// Appends the head of a game that begins with `board`, `ply` plies behind the start of `record`. Only the position of the start
/// may have a score of its own.
fn begin(record: &GameRecord<String>, board: &Board, ply: usize, result: u8, bytes: &mut Vec<u8>) {
    let note = (ply == 0).then(|| record.note(0));
    let score = note.and_then(|note| score_of(note, board.side_to_move())).map_or(0, |score| score.0);
    bytes.extend_from_slice(&pack_board(board, score, result));
}
