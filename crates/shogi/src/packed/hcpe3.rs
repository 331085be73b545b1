//! dlshogi's hcpe3: one record a game, with the visits of the moves that the search looked at.

use super::{
    Checked, Coding, Hcpe, POSITION_BYTES, PackedError,
    position::{pack, unpack},
    result,
    words::legal_move,
};
use crate::{Board, UsiNotation, record};
use std::io::{self, BufRead, Read, Write};
use tesuji_game::{By, Notation, Outcome, Position, Side, Value};
use tesuji_record::{Fault, GameRecord, Part, RecordError, RecordFormat, RecordReader, RecordWriter, Step};

/// Bytes before the moves.
const HEAD: usize = POSITION_BYTES + 4;

/// The most legal moves that a position can have.
const MOVES_MAX: u16 = 593;

/// A game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hcpe3 {
    /// The start position, in [`Coding::Apery`].
    pub position: [u8; POSITION_BYTES],
    /// The bits of [`result`].
    pub result: u8,
    /// 0: the engine played itself; 1: another engine had Black, 2: it had White.
    pub opponent: u8,
    /// The moves.
    pub steps: Vec<Hcpe3Step>,
}

/// A move of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hcpe3Step {
    /// The move played, Apery's word.
    pub mv: u16,
    /// Centipawns or so for the side to move.
    pub score: i16,
    /// Moves as Apery's words with visits. Empty: the move is not for learning.
    pub visits: Vec<(u16, u16)>,
}

impl Hcpe3 {
    /// Reads the next game; `None` at the end. Only what reading needs is checked. The second number: its bytes.
    ///
    /// # Errors
    /// When the stream fails or ends within a game, or a game has more candidates for a move than moves can exist.
    pub fn read(input: &mut dyn Read) -> io::Result<Option<(Hcpe3, u64)>> {
        let mut head = [0; HEAD];
        let mut filled = 0;
        while filled < HEAD {
            match input.read(&mut head[filled..]) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err(torn()),
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        let mut game = Hcpe3 {
            position: std::array::from_fn(|i| head[i]),
            result: head[34],
            opponent: head[35],
            steps: Vec::new(),
        };
        let mut bytes = HEAD as u64;
        for _ in 0..u16::from_le_bytes([head[32], head[33]]) {
            let [mv, score, candidates] = words(input)?;
            if candidates > MOVES_MAX {
                let words =
                    format!("a position with {candidates} moves looked at, where {MOVES_MAX} is the most there are");
                return Err(io::Error::new(io::ErrorKind::InvalidData, words));
            }
            let mut visits = Vec::new();
            for _ in 0..candidates {
                let [mv, count] = words(input)?;
                visits.push((mv, count));
            }
            bytes += 6 + 4 * visits.len() as u64;
            game.steps.push(Hcpe3Step { mv, score: score as i16, visits });
        }
        Ok(Some((game, bytes)))
    }

    /// Appends the bytes of the game.
    ///
    /// # Errors
    /// With more than 65,535 moves, or candidates of a move.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), PackedError> {
        let short = |n: usize| u16::try_from(n).map_err(|_| PackedError::Unsupported("more than 65,535 moves"));
        let start = out.len();
        out.extend_from_slice(&self.position);
        out.extend_from_slice(&short(self.steps.len())?.to_le_bytes());
        out.extend_from_slice(&[self.result, self.opponent]);
        for step in &self.steps {
            let Ok(candidates) = short(step.visits.len()) else {
                out.truncate(start);
                return Err(PackedError::Unsupported("more than 65,535 moves"));
            };
            for word in [step.mv, step.score as u16, candidates] {
                out.extend_from_slice(&word.to_le_bytes());
            }
            for &(mv, count) in &step.visits {
                out.extend_from_slice(&mv.to_le_bytes());
                out.extend_from_slice(&count.to_le_bytes());
            }
        }
        Ok(())
    }

    /// Checks everything by playing the game; `each` gets every position with its move, and the step.
    ///
    /// # Errors
    /// The first thing that is wrong, with its byte in the record.
    pub fn check(&self, mut each: impl FnMut(Checked, &Hcpe3Step)) -> Result<Board, PackedError> {
        let mut board = unpack(&self.position, Coding::Apery)?;
        if self.result >= 32 || self.result & result::WINNER == 3 {
            return Err(PackedError::Result { byte: 34, found: self.result.into() });
        }
        if self.opponent > 2 {
            return Err(PackedError::Byte { byte: 35, expected: "an opponent: 0, 1 or 2", found: self.opponent });
        }
        let mut byte = HEAD as u32;
        for step in &self.steps {
            let illegal = PackedError::Move { byte, word: step.mv };
            let mv = legal_move(&board, step.mv, Coding::Apery, byte)?.ok_or(illegal)?;
            for (i, &(word, _)) in step.visits.iter().enumerate() {
                let byte = byte + 6 + 4 * i as u32;
                legal_move(&board, word, Coding::Apery, byte)?.ok_or(PackedError::Move { byte, word })?;
            }
            each(Checked { board, mv: Some(mv) }, step);
            board.play(mv);
            byte += 6 + 4 * step.visits.len() as u32;
        }
        Ok(board)
    }

    /// The positions for learning as records of their own (those with visits; all of them if `all`), in order.
    ///
    /// # Errors
    /// As [`Hcpe3::check`].
    pub fn hcpes(&self, all: bool, out: &mut Vec<Hcpe>) -> Result<(), PackedError> {
        let mut failed = Ok(());
        self.check(|checked, step| {
            if !all && step.visits.is_empty() {
                return;
            }
            match checked.to_hcpe(step.score, None) {
                Ok(hcpe) => {
                    out.push(Hcpe { result: self.result & result::WINNER, extra: self.result, ..hcpe });
                }
                Err(error) => failed = Err(error),
            }
        })?;
        failed
    }
}

fn torn() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends in the middle of a game")
}

fn words<const N: usize>(input: &mut dyn Read) -> io::Result<[u16; N]> {
    let mut words = [0; N];
    for word in &mut words {
        let mut bytes = [0; 2];
        input.read_exact(&mut bytes).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => torn(),
            _ => e,
        })?;
        *word = u16::from_le_bytes(bytes);
    }
    Ok(words)
}

/// The format hcpe3 as games with values and visits.
#[derive(Debug, Clone, Copy)]
pub struct Hcpe3Format;

impl RecordFormat for Hcpe3Format {
    fn name(&self) -> &'static str {
        "hcpe3"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["hcpe3"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(Reader { input, record: 0, at: 0 })
    }

    fn whole(&self, block: &[u8]) -> Option<usize> {
        let word = |at: usize| Some(usize::from(u16::from_le_bytes([*block.get(at)?, *block.get(at + 1)?])));
        let mut whole = 0;
        'games: while let Some(moves) = word(whole + POSITION_BYTES) {
            let mut at = whole + HEAD;
            for _ in 0..moves {
                let Some(candidates) = word(at + 4) else { break 'games };
                at += 6 + 4 * candidates;
            }
            if at > block.len() {
                break;
            }
            whole = at;
        }
        Some(whole)
    }

    fn drops(&self) -> &'static [Part] {
        const LOST: [Part; 7] =
            [Part::Variations, Part::Comments, Part::Glyphs, Part::Times, Part::Clocks, Part::Depths, Part::Tags];
        &LOST
    }

    fn tells_unvalued(&self) -> bool {
        // By a score of 0 and no visits.
        true
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(Writer { output, record: 0, bytes: Vec::new() })
    }
}

/// Reads games one by one; a wrong game is one error, and the next goes on behind it.
struct Reader {
    input: Box<dyn BufRead + Send>,
    record: u64,
    at: u64,
}

impl RecordReader for Reader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        let read =
            Hcpe3::read(&mut self.input).map_err(|e| RecordError::without_line(self.record + 1, Fault::Io(e)))?;
        let Some((game, bytes)) = read else { return Ok(None) };
        let start = self.at;
        self.record += 1;
        self.at += bytes;
        game.to_record().map(Some).map_err(|error| error.at(self.record, start))
    }
}

/// The tag that says which side another engine had.
const OPPONENT: &str = "Opponent";

impl Hcpe3 {
    /// As a record with values and visits as notes.
    ///
    /// # Errors
    /// As [`Hcpe3::check`].
    pub fn to_record(&self) -> Result<GameRecord<String>, PackedError> {
        let mut game = GameRecord::new();
        let start = unpack(&self.position, Coding::Apery)?;
        (game.rules, game.start) = record::start_texts(&start);
        if self.opponent != 0 {
            game.set_tag(OPPONENT, if self.opponent == 1 { "Black" } else { "White" });
        }
        let last = self.check(|checked, step| {
            let node = game.append(Step::Move(checked.mv.map(|mv| mv.to_string()).unwrap_or_default()));
            if step.score != 0 || !step.visits.is_empty() {
                let bound = i32::from(Value::MATE);
                let note = game.note_mut(node);
                note.value = Some(Value::from_raw(i32::from(step.score).clamp(-bound, bound - 1)));
                note.visits = step.visits.iter().map(|&(mv, count)| (mv, u32::from(count))).collect();
            }
        })?;
        let winner = match self.result & result::WINNER {
            result::BLACK => Some(Side::First),
            result::WHITE => Some(Side::Second),
            _ => None,
        };
        let by = match self.result & !result::WINNER {
            bits if bits & result::REPETITION != 0 => By::Repetition,
            bits if bits & result::DECLARATION != 0 => By::Declaration,
            bits if bits & result::MOVES_MAX != 0 => By::MoveRule,
            _ if winner == Some(!last.side_to_move()) && !last.has_moves() => By::Mate,
            _ if winner == Some(!last.side_to_move()) => By::Resignation,
            _ => By::Adjudication,
        };
        game.outcome = Some(Outcome { winner, by });
        Ok(game)
    }

    /// The main line of a record. Words, times and other lines are lost.
    ///
    /// # Errors
    /// When there is no result, for positions set up within the game, moves that cannot be played, and more than 65,535
    /// visits.
    pub fn of_record(game: &GameRecord<String>) -> Result<Hcpe3, Fault> {
        let outcome = game.outcome.filter(|o| o.by != By::Void);
        let outcome = outcome.ok_or(Fault::Unsupported("a game without a result"))?;
        let mut board = record::start_board(game)?;
        let position = pack(&board, Coding::Apery);
        let position = position.map_err(|_| Fault::Unsupported("a position without both kings"))?;
        let ending = match outcome.by {
            By::Repetition => result::REPETITION,
            By::Declaration => result::DECLARATION,
            By::MoveRule => result::MOVES_MAX,
            _ => 0,
        };
        let opponent = match game.tag(OPPONENT) {
            Some("Black") => 1,
            Some("White") => 2,
            _ => 0,
        };
        let winner = outcome.winner.map_or(0, |side| side as u8 + 1);
        let mut packed = Hcpe3 { position, result: winner | ending, opponent, steps: Vec::new() };
        for (i, node) in game.main_nodes().into_iter().enumerate() {
            let Step::Move(text) = &game.nodes[node as usize].step else {
                return Err(Fault::Unsupported("a position set up in the middle of a game"));
            };
            let mv = UsiNotation::parse_move(&board, text)
                .map_err(|_| Fault::IllegalMove { number: i + 1, text: text.chars().take(20).collect() })?;
            let note = game.note(node);
            let visits = note.visits.iter().map(|&(mv, count)| Some((mv, u16::try_from(count).ok()?)));
            packed.steps.push(Hcpe3Step {
                mv: mv.bits(),
                score: note.value.map_or(0, |value| value.raw() as i16),
                visits: visits.collect::<Option<_>>().ok_or(Fault::Unsupported("more than 65,535 visits of a move"))?,
            });
            board.play(mv);
        }
        Ok(packed)
    }
}

/// Writes games one by one.
struct Writer {
    output: Box<dyn Write + Send>,
    record: u64,
    bytes: Vec<u8>,
}

impl RecordWriter for Writer {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        self.record += 1;
        self.bytes.clear();
        let packed = Hcpe3::of_record(record).map_err(|fault| RecordError::without_line(self.record, fault))?;
        packed.write(&mut self.bytes).map_err(|error| error.at(self.record, 0))?;
        Ok(self.output.write_all(&self.bytes)?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.output.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}
