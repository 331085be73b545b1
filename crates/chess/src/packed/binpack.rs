//! Stockfish's binpack: blocks of up to some megabytes with runs of positions, each of which follows the one before by its move.
//!
//! Layout (nodchip and T. Sobczyk, 2020; crate `sfbinpack`, M. Disservin, which tests here ask for a second opinion): a block is `BINP`, its
//! length (u32, little-endian) and runs. A run begins with 34 bytes, big-endian: occupied squares u64; pieces in four bits each (kind and
//! side, 12 a pawn that may be taken en passant, 13 and 14 rooks that may castle, 15 Black's king with Black to move); move (kind, from, to,
//! promotion in 2, 6, 6, 2 bits); score i16 for the side to move; ply in 14 bits and result in 2; counter of the fifty moves u16; number of
//! moves that follow. Of those there are bits, the highest first: which of the own pieces moves, which of its targets it takes, and the
//! difference between the score and the last one's opposite. Signed numbers have their sign in the lowest bit.

mod moves;

use super::{GameWriter, HEAD, pack_pieces, unpack_pieces};
use crate::{Bitboard, Board, Chess, Move, Piece, Rules, Square, UciNotation, board::NONE, ending, fen};
use moves::{BitReader, BitWriter, PROMOTED, passed_square, read_move, signed, unsigned, write_move};
use std::io::{BufRead, Read, Write};
use tesuji_game::{By, Game, Notation, Outcome, Position, Side};
use tesuji_record::{
    Fault, GameRecord, Part, RecordError, RecordFormat, RecordReader, RecordWriter, Step, score_by, score_of, value_of,
};

/// The format binpack. Runs of positions are games: their scores are those of the moves.
#[derive(Debug, Clone, Copy)]
pub struct Binpack;

/// The longest block that is read, as in Stockfish's tools: a length that lies cannot fill the memory.
pub const BLOCK_BYTES_MAX: u32 = 100 << 20;
/// The first bytes of a block, and all before its content.
const MAGIC: &[u8; 4] = b"BINP";
const BLOCK_HEAD: usize = 8;
/// Bytes of a run before its moves.
const STEM: usize = 34;
/// The score of positions that have none (Stockfish's `VALUE_NONE`).
const NO_SCORE: i16 = 32_002;
/// Codes of pieces that are more than a kind and a side.
const PASSED_PAWN: u8 = 12;
const UNMOVED_ROOKS: [u8; 2] = [13, 14];
const BLACK_KING_TO_MOVE: u8 = 15;
/// The largest ply.
const PLY_MAX: u32 = (1 << 14) - 1;
/// Kinds of moves.
const PROMOTION: u16 = 1;
const CASTLING: u16 = 2;
const EN_PASSANT: u16 = 3;

impl RecordFormat for Binpack {
    fn name(&self) -> &'static str {
        "binpack"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["binpack"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(Reader { input, block: Vec::new(), at: 0, end: 0, record: 0, has_ended: false })
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn drops(&self) -> &'static [Part] {
        &Part::BUT_VALUES
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        // Each game is a block of its own: a file cut between two games is a good file.
        Box::new(GameWriter::new(output, pack_game))
    }
}

/// Reads runs one by one, of one block at a time. Behind a run that makes no sense the next block follows: nothing tells where the next run
/// of its own begins.
struct Reader {
    input: Box<dyn BufRead + Send>,
    /// The content of the block, and the offset of the next run in it.
    block: Vec<u8>,
    at: usize,
    /// Bytes of the input before the end of the block.
    end: u64,
    record: u64,
    /// Whether nothing can follow: the input ended, or is no binpack.
    has_ended: bool,
}

impl Reader {
    /// Reads the next block; `false` at the end of the input.
    fn fill(&mut self) -> Result<bool, Fault> {
        let begin = self.end;
        let mut head = Vec::with_capacity(BLOCK_HEAD);
        self.input.by_ref().take(BLOCK_HEAD as u64).read_to_end(&mut head).map_err(Fault::Io)?;
        if head.is_empty() {
            return Ok(false);
        }
        let expected = |byte, expected, found| Fault::ExpectedAt { byte, expected, found };
        if !head.starts_with(MAGIC) {
            let found = String::from_utf8_lossy(&head[..head.len().min(4)]).into_owned();
            return Err(expected(begin, "BINP at the beginning of a block", found));
        }
        let Some(&length) = head[MAGIC.len()..].as_array() else {
            return Err(expected(begin, "the length of a block", "the end of the file".into()));
        };
        let length = u32::from_le_bytes(length);
        if length > BLOCK_BYTES_MAX {
            return Err(expected(begin + 4, "a block of at most 100 MiB", format!("{length} bytes")));
        }
        self.block.clear();
        self.at = 0;
        let read = self.input.by_ref().take(u64::from(length)).read_to_end(&mut self.block).map_err(Fault::Io)?;
        self.end += (BLOCK_HEAD + read) as u64;
        if read < length as usize {
            self.block.clear();
            let found = format!("the end of the file after {read} of {length} bytes");
            return Err(expected(self.end, "the rest of a block", found));
        }
        Ok(true)
    }
}

impl RecordReader for Reader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        while !self.has_ended {
            let rest = &self.block[self.at..];
            if let Some((stem, moves)) = rest.split_first_chunk::<STEM>() {
                self.record += 1;
                let begin = self.end - rest.len() as u64;
                let read = unpack_run(stem, moves);
                self.at = read.as_ref().map_or(self.block.len(), |(_, bytes)| self.at + STEM + bytes);
                return read.map(|(game, _)| Some(game)).map_err(|wrong| {
                    let fault = Fault::ExpectedAt { byte: begin, expected: wrong.expected, found: wrong.found };
                    RecordError::without_line(self.record, fault)
                });
            }
            match self.fill() {
                Ok(goes_on) => self.has_ended = !goes_on,
                Err(fault) => {
                    self.has_ended = true;
                    return Err(RecordError::without_line(self.record + 1, fault));
                }
            }
        }
        Ok(None)
    }
}

/// What is wrong with a run.
struct Wrong {
    expected: &'static str,
    found: String,
}

fn wrong(expected: &'static str, found: impl ToString) -> Wrong {
    Wrong { expected, found: found.to_string() }
}

/// The two bytes at `at`, the higher one first.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// A run as a game, and the number of bytes that its moves take.
fn unpack_run(stem: &[u8; STEM], moves: &[u8]) -> Result<(GameRecord<String>, usize), Wrong> {
    let mut board = unpack_board(stem)?;
    let rules = Rules::default();
    let mut record = GameRecord::new();
    record.start = (board != Chess::start(&rules)).then(|| fen::to_string(&board));
    let winner = match signed(u16_at(stem, 28) >> 14) {
        0 => None,
        1 => Some(board.side_to_move()),
        -1 => Some(!board.side_to_move()),
        other => return Err(wrong("a result of -1, 0 or 1", other)),
    };
    let count = usize::from(u16_at(stem, 32));
    let mut bits = BitReader { bytes: moves, at: 0 };
    let mut past = Vec::with_capacity(count + 1);
    let mut last_score = 0i16;
    for ply in 0..=count {
        let (mv, score) = match ply {
            0 => (unpack_move(&board, u16_at(stem, 24)), signed(u16_at(stem, 26))),
            _ => {
                let mv = read_move(&board, &mut bits);
                let change = bits.number().ok_or_else(|| wrong("moves of a run", "the end of its block"))?;
                (mv, last_score.wrapping_neg().wrapping_add(signed(change)))
            }
        };
        let mv = mv.ok_or_else(|| wrong("a legal move", format!("another at ply {ply} of a run of {}", count + 1)))?;
        let mut text = String::with_capacity(5);
        let _ = UciNotation::write_move(&board, mv, &mut text);
        let node = record.append(Step::Move(text));
        if score != NO_SCORE {
            let side = board.side_to_move();
            record.note_mut(node).value = Some(value_of(score_by(side, score), side));
        }
        last_score = score;
        past.push(board.mark(&past));
        board.play(mv);
    }
    record.outcome = Some(ending::explain(&board, &past, winner, By::Adjudication));
    Ok((record, bits.at.div_ceil(8)))
}

fn unpack_board(stem: &[u8; STEM]) -> Result<Board, Wrong> {
    let mut head = [0; HEAD];
    head[..24].copy_from_slice(&stem[..24]);
    head[..8].reverse();
    let mut board = Board::empty();
    let (mut rooks, mut passed) = (Vec::new(), None);
    let pieces = unpack_pieces(&head, |square, code| {
        let (side, piece) = match code {
            PASSED_PAWN => {
                let side = if square.rank() < 4 { Side::First } else { Side::Second };
                passed = Bitboard::of(square).forward(!side).first();
                (side, Piece::Pawn)
            }
            BLACK_KING_TO_MOVE => {
                board.side = Side::Second;
                (Side::Second, Piece::King)
            }
            _ if UNMOVED_ROOKS.contains(&code) => {
                let side = Side::ALL[usize::from(code - UNMOVED_ROOKS[0])];
                rooks.push((side, square));
                (side, Piece::Rook)
            }
            // Kinds 0 to 5, the side in the lowest bit.
            _ => (Side::ALL[usize::from(code & 1)], Piece::from_index(usize::from(code >> 1)).unwrap_or(Piece::Pawn)),
        };
        board.put(side, piece, square);
        Ok(())
    });
    pieces.map_err(|fault| wrong("a position of chess", fault))?;
    let ply = u16_at(stem, 28) & PLY_MAX as u16;
    board.fullmove = 1 + ply / 2;
    board.halfmoves = u16_at(stem, 30).min(9999);
    let mut board = fen::finish(board).map_err(|error| wrong("a position of chess", error))?;
    for (side, rook) in rooks {
        if !fen::grant(&mut board, side, Some(rook)) {
            return Err(wrong("a rook that may castle on a1 or h1 (a8 or h8), its king on e1 (e8)", rook));
        }
    }
    if let Some(square) = passed {
        fen::set_en_passant(&mut board, square);
        board.refresh();
        // Its writers note the square only where a pawn may take there.
        if passed_square(&board).is_none() {
            board.en_passant = NONE;
        }
    }
    board.refresh();
    Ok(board)
}

/// The first move of a run, where it is legal.
fn unpack_move(board: &Board, packed: u16) -> Option<Move> {
    let (from, to) = (Square::from_index((packed >> 8) as u8 & 63), Square::from_index((packed >> 2) as u8 & 63));
    let mv = match packed >> 14 {
        PROMOTION => Move::promote(from, to, PROMOTED[usize::from(packed & 3)]),
        CASTLING => Move::castling(from, to),
        EN_PASSANT => Move::en_passant(from, to),
        _ => Move::normal(from, to),
    };
    board.unpack(mv.bits())
}

fn pack_move(mv: Move) -> u16 {
    let squares = (mv.from().index() as u16) << 8 | (mv.to().index() as u16) << 2;
    let code = |piece| PROMOTED.iter().position(|&known| known == piece).unwrap_or(0) as u16;
    match mv.promotion() {
        Some(piece) => PROMOTION << 14 | squares | code(piece),
        None if mv.is_castling() => CASTLING << 14 | squares,
        None if mv.is_en_passant() => EN_PASSANT << 14 | squares,
        None => squares,
    }
}

fn pack_game(record: &GameRecord<String>) -> Result<Vec<u8>, Fault> {
    let rules: Rules = record.rules.parse().map_err(|_| Fault::Unsupported("rules other than chess"))?;
    let mut board = match &record.start {
        Some(text) => UciNotation::parse_position(&rules, text).map_err(Fault::Position)?,
        None => Chess::start(&rules),
    };
    if board.is_chess960() {
        return Err(Fault::Unsupported("the rules of Chess960"));
    }
    let winner = match record.outcome {
        Some(Outcome { by: By::Void, .. }) | None => return Err(Fault::Unsupported("a game without a result")),
        Some(outcome) => outcome.winner,
    };
    let line = record.main_nodes();
    let count = line.len().checked_sub(1).ok_or(Fault::Unsupported("a game without moves"))?;
    let count = u16::try_from(count).map_err(|_| Fault::Unsupported("a game of more than 65,536 moves"))?;
    let (mut stem, mut bits, mut last_score) = (Vec::new(), BitWriter::default(), 0i16);
    for (ply, &node) in line.iter().enumerate() {
        let Step::Move(text) = &record.nodes[node as usize].step else {
            return Err(Fault::Unsupported("a position set up in the middle of a game"));
        };
        let illegal = || Fault::IllegalMove { number: ply + 1, text: text.clone() };
        let mv = UciNotation::parse_move(&board, text).map_err(|_| illegal())?;
        let side = board.side_to_move();
        let score = score_of(record.note(node), side).map_or(NO_SCORE, |score| score_by(side, score.0).0);
        if ply == 0 {
            stem = pack_stem(&board, mv, score, winner)?;
            stem.extend(count.to_be_bytes());
        } else {
            write_move(&board, mv, &mut bits).ok_or_else(illegal)?;
            bits.number(unsigned(score.wrapping_sub(last_score.wrapping_neg())));
        }
        last_score = score;
        board.play(mv);
    }
    let length = (stem.len() + bits.bytes.len()) as u32;
    Ok([MAGIC, &length.to_le_bytes()[..], &stem, &bits.bytes].concat())
}

/// The beginning of a run up to the number of its moves.
fn pack_stem(board: &Board, mv: Move, score: i16, winner: Option<Side>) -> Result<Vec<u8>, Fault> {
    let side = board.side_to_move();
    // The pawn that has just passed the square.
    let passed = passed_square(board).and_then(|square| Bitboard::of(square).forward(!side).first());
    let (occupied, codes) = pack_pieces(board, |square, piece, owner| match piece {
        Piece::Pawn if passed == Some(square) => PASSED_PAWN,
        Piece::Rook if [true, false].into_iter().any(|h| board.castling_rook(owner, h) == Some(square)) => {
            UNMOVED_ROOKS[owner.index()]
        }
        Piece::King if owner == Side::Second && side == Side::Second => BLACK_KING_TO_MOVE,
        _ => (piece.index() as u8) << 1 | owner.index() as u8,
    });
    let ply = 2 * (board.fullmove().max(1) - 1) + side.index() as u32;
    if ply > PLY_MAX {
        return Err(Fault::Unsupported("a move number above 8,192"));
    }
    let result = winner.map_or(0, |winner| if winner == side { 1 } else { -1 });
    let mut stem = Vec::with_capacity(STEM);
    stem.extend(occupied.to_be_bytes());
    stem.extend(codes);
    for number in [pack_move(mv), unsigned(score), ply as u16 | unsigned(result) << 14, board.halfmove_clock() as u16] {
        stem.extend(number.to_be_bytes());
    }
    Ok(stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sfbinpack::{
        CompressedTrainingDataEntryReader, CompressedTrainingDataEntryWriter, TrainingDataEntry,
        chess::{coords, r#move, piece, piecetype, position},
    };
    use std::io::Cursor;
    use tesuji_game::{Random, Value};
    use tesuji_record::SharedBuffer;

    /// A random game with scores, won by White, drawn or lost in turn.
    fn random_game(number: u64) -> GameRecord<String> {
        let mut random = Random::for_item(7, number);
        let mut board = Board::start();
        let (mut record, mut past) = (GameRecord::new(), Vec::new());
        for ply in 0..250 {
            let moves = board.legal_moves();
            if moves.is_empty() || board.occupied().count() < 3 {
                break;
            }
            // Rare kinds of moves come where they can.
            let rare = moves.iter().find(|mv| mv.is_en_passant() || mv.is_castling() || mv.promotion().is_some());
            let mv = *rare.filter(|_| random.below(2) == 0).unwrap_or(&moves[random.below(moves.len())]);
            let mut text = String::new();
            UciNotation::write_move(&board, mv, &mut text).unwrap();
            let node = record.append(Step::Move(text));
            let known = ply % 7 != 3;
            record.note_mut(node).value = known.then(|| Value::cp(random.below(4001) as i32 - 2000));
            past.push(board.mark(&past));
            board.play(mv);
        }
        let winner = [Some(Side::First), None, Some(Side::Second)][number as usize % 3];
        record.outcome = Some(ending::explain(&board, &past, winner, By::Adjudication));
        record
    }

    fn written(games: &[GameRecord<String>]) -> Vec<u8> {
        let buffer = SharedBuffer::default();
        let mut writer = Binpack.writer(Box::new(buffer.clone()));
        games.iter().for_each(|game| writer.write(game).unwrap());
        writer.finish().unwrap();
        buffer.take()
    }

    fn read(bytes: &[u8]) -> (Vec<GameRecord<String>>, Vec<RecordError>) {
        let mut reader = Binpack.reader(Box::new(Cursor::new(bytes.to_vec())));
        let (mut games, mut errors) = (Vec::new(), Vec::new());
        loop {
            match reader.read() {
                Ok(Some(game)) => games.push(game),
                Ok(None) => return (games, errors),
                Err(error) => errors.push(error),
            }
        }
    }

    /// What every entry of `game` says: move, score for the side to move (none: 32,002), ply, result for the side to move.
    fn entries(game: &GameRecord<String>) -> Vec<(String, i16, u16, i16)> {
        let nodes = game.main_nodes();
        let entry = |(ply, (mv, node)): (usize, (String, u32))| {
            let score = game.note(node).value.map_or(NO_SCORE, |value| value.raw() as i16);
            let mover = Side::ALL[ply % 2];
            let result = game.outcome.unwrap().winner.map_or(0, |winner| if winner == mover { 1 } else { -1 });
            (mv, score, ply as u16, result)
        };
        game.main_line().iter().cloned().zip(nodes).enumerate().map(entry).collect()
    }

    fn theirs(mv: Move) -> r#move::Move {
        let square = |square: Square| coords::Square::new(square.index() as u32);
        let side = if mv.to().rank() == 7 {
            sfbinpack::chess::color::Color::White
        } else {
            sfbinpack::chess::color::Color::Black
        };
        let promoted = |kind: Piece| piece::Piece::new(piecetype::PieceType::from_ordinal(kind.index() as u8), side);
        let kind = match mv.promotion() {
            Some(_) => r#move::MoveType::Promotion,
            None if mv.is_castling() => r#move::MoveType::Castle,
            None if mv.is_en_passant() => r#move::MoveType::EnPassant,
            None => r#move::MoveType::Normal,
        };
        r#move::Move::new(
            square(mv.from()),
            square(mv.to()),
            kind,
            mv.promotion().map_or(piece::Piece::none(), promoted),
        )
    }

    /// The crate's writer and our rules: every move that it writes is legal here, and nothing is another.
    #[test]
    fn the_crate_sfbinpack_writes_what_is_read_here() {
        let games: Vec<_> = (0..60).map(random_game).collect();
        let buffer = SharedBuffer::default();
        let mut writer = CompressedTrainingDataEntryWriter::new(buffer.clone()).unwrap();
        for game in &games {
            let (mut board, mut pos) =
                (Board::start(), position::Position::from_fen(&fen::to_string(&Board::start())).unwrap());
            for (text, score, ply, result) in entries(game) {
                let mv = UciNotation::parse_move(&board, &text).unwrap();
                writer.write_entry(&TrainingDataEntry { pos, mv: theirs(mv), score, ply, result }).unwrap();
                pos.do_move(theirs(mv));
                board.play(mv);
            }
        }
        drop(writer);
        let bytes = buffer.take();
        let (back, errors) = read(&bytes);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(back.len(), games.len());
        for (game, back) in games.iter().zip(&back) {
            assert_eq!(entries(game), entries(back));
            assert_eq!((&back.start, &back.rules), (&None, &String::new()));
        }
        let kinds = games.iter().flat_map(|game| game.main_line()).filter(|mv| mv.len() == 5).count();
        assert!(kinds > 20, "{kinds} promotions");
    }

    /// Our writer and the crate's reader.
    #[test]
    fn the_crate_sfbinpack_reads_what_is_written_here() {
        let games: Vec<_> = (60..100).map(random_game).collect();
        let bytes = written(&games);
        let mut reader = CompressedTrainingDataEntryReader::new(Cursor::new(bytes.clone())).unwrap();
        for game in &games {
            let mut board = Board::start();
            for (text, score, ply, result) in entries(game) {
                let entry = reader.next();
                let mv = UciNotation::parse_move(&board, &text).unwrap();
                assert_eq!((entry.mv, entry.score, entry.ply, entry.result), (theirs(mv), score, ply, result));
                let [there, here] = [entry.pos.fen().unwrap(), fen::to_string(&board)];
                let pieces = |fen: &str| fen.split(' ').take(3).map(str::to_string).collect::<Vec<_>>();
                assert_eq!(pieces(&there), pieces(&here));
                board.play(mv);
            }
        }
        assert!(!reader.has_next());
        let (back, errors) = read(&bytes);
        assert!(errors.is_empty() && back == games, "{errors:?}");
    }

    /// The example of the crate's documentation, made by Stockfish's tools.
    #[test]
    fn a_position_of_another_program() {
        let stem = [
            98, 121, 192, 21, 24, 76, 241, 100, 100, 106, 0, 4, 8, 48, 2, 17, 17, 145, 19, 117, 247, 0, 0, 0, 61, 232,
            0, 253, 0, 39, 0, 2, 0, 0,
        ];
        let bytes = [&b"BINP\x22\0\0\0"[..], &stem].concat();
        let (games, errors) = read(&bytes);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(games[0].start.as_deref(), Some("1r3rk1/p2qnpb1/6pp/P1p1p3/3nN3/2QP2P1/R3PPBP/2B2RK1 b - - 2 20"));
        assert_eq!(games[0].main_line(), ["f8c8"]);
        assert_eq!(games[0].note(1).value, Some(Value::cp(-127)));
        assert_eq!(games[0].outcome, Some(Outcome::draw(By::Adjudication)));
    }

    #[test]
    fn cut_and_changed_files_are_one_error_with_their_place() {
        let games: Vec<_> = (0..3).map(random_game).collect();
        let bytes = written(&games);
        for cut in 0..bytes.len() {
            let (read, errors) = read(&bytes[..cut]);
            assert!(games.starts_with(&read), "{cut}");
            assert!(errors.len() <= 1 && (!errors.is_empty() || written(&read).len() == cut), "{cut}: {errors:?}");
        }
        let error = |bytes: &[u8]| read(bytes).1[0].to_string();
        let first = written(&games[..1]).len();
        let cut = error(&bytes[..first + 20]);
        assert!(cut.contains(&format!("byte {}", first + 20)) && cut.contains("12 of "), "{cut}");
        let mut changed = bytes.clone();
        changed[first] = b'X';
        let magic = error(&changed);
        assert!(magic.contains(&format!("byte {first}")) && magic.contains("BINP"), "{magic}");
        changed = bytes.clone();
        changed[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(error(&changed).contains("100 MiB"), "{}", error(&changed));
        // A wrong move ends its block; the next one is read.
        changed = bytes.clone();
        changed[8 + 24..8 + 26].copy_from_slice(&[0, 0]);
        let (rest, errors) = read(&changed);
        assert_eq!((rest.as_slice(), errors.len()), (&games[1..], 1));
        assert!(errors[0].to_string().contains("game 1") && errors[0].to_string().contains("byte 8"), "{}", errors[0]);
        let mut random = Random::new(3);
        for _ in 0..3000 {
            let mut changed = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(changed.len());
                changed[at] = random.next_u64() as u8;
            }
            read(&changed);
        }
    }

    #[test]
    fn what_it_cannot_hold_is_refused() {
        let check = |game: &GameRecord<String>, expected: &str| {
            let said = pack_game(game).unwrap_err().to_string();
            assert!(said.contains(expected), "{said}");
        };
        let mut game = GameRecord::from_moves("", None, ["e2e4".to_string()]);
        check(&game, "a game without a result");
        game.outcome = Some(Outcome::draw(By::Adjudication));
        assert!(pack_game(&game).is_ok());
        game.rules = "chess960".into();
        check(&game, "Chess960");
        let mut none = GameRecord::from_moves("", None, []);
        none.outcome = game.outcome;
        check(&none, "a game without moves");
    }
}
