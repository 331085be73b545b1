//! Reads SoFGameSet: a command a line, every move checked, foreign commands ignored.

use super::{notes, title_of_players};
use crate::{Board, Chess, Move, Rules, UciNotation, ending, fen, kept::KeptMove, lines::Lines};
use std::{io::BufRead, ops::ControlFlow};
use tesuji_game::{By, Game, Notation, Outcome, Position, Side};
use tesuji_record::{Fault, GameRecord, Note, RecordError, RecordReader, Step};

/// Reads games one by one. Moves are kept as text, or as they are (`M` is [`Move`]) where anyone who reads goes on with
/// the rules of chess.
pub(super) struct Reader<M> {
    lines: Lines,
    record: u64,
    skipping: bool,
    /// The line of the last `game` command.
    pub(super) opened: u64,
    kept: std::marker::PhantomData<fn() -> M>,
}

/// A game in the making.
struct Draft<M> {
    record: GameRecord<M>,
    rules: Rules,
    board: Option<Board>,
    past: Vec<<Board as Position>::Mark>,
    /// The node reached.
    here: u32,
    /// The nodes of the last `moves` line, which lists of notes speak of.
    block: std::ops::Range<u32>,
    /// Outer `None`: the result is unknown. Inner: a draw.
    winner: Option<Option<Side>>,
    reason: Option<By>,
}

impl<M: KeptMove> Reader<M> {
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Reader<M> {
        Reader::resumed(input, 0, 0)
    }

    /// Reads on in the middle of a stream, after `lines` lines and `records` games.
    pub(super) fn resumed(input: Box<dyn BufRead + Send>, lines: u64, records: u64) -> Reader<M> {
        let lines = Lines::after(input, lines);
        Reader { lines, record: records, skipping: false, opened: 0, kept: std::marker::PhantomData }
    }

    fn error(&self, fault: Fault) -> RecordError {
        RecordError::new(self.lines.number(), self.record, fault)
    }

    /// Moves to the next line with a command and gives command and body; `None` at the end.
    fn command(&mut self) -> Result<Option<(&str, &str)>, RecordError> {
        let record = self.record;
        loop {
            match self.lines.advance() {
                Err(e) => return Err(RecordError::new(self.lines.number() + 1, record, Fault::Io(e))),
                Ok(false) => return Ok(None),
                Ok(true) => {}
            }
            let line = self.lines.bytes().trim_ascii();
            if !line.is_empty() && line[0] != b'#' {
                break;
            }
        }
        let number = self.lines.number();
        match std::str::from_utf8(self.lines.bytes()) {
            Err(_) => Err(RecordError::new(number, record, Fault::expected("text in UTF-8", ""))),
            Ok(line) => {
                let line = line.trim();
                let (word, body) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                Ok(Some((word, body.trim())))
            }
        }
    }

    /// Opens the next game: finds its `game` line. After an error everything up to it is skipped.
    fn open(&mut self) -> Result<Option<Draft<M>>, RecordError> {
        loop {
            let skipping = self.skipping;
            let draft = match self.command() {
                Ok(None) => return Ok(None),
                Ok(Some(("game", body))) => Draft::open(body),
                Ok(Some((word, _))) if !skipping && matches!(word, "title" | "start" | "board" | "moves") => {
                    Err(Fault::expected("the command `game`", word))
                }
                Ok(Some(_)) => continue,
                Err(error) if skipping && !error.is_fatal() => continue,
                Err(error) => {
                    self.skipping = true;
                    return Err(error);
                }
            };
            let opened = draft.is_ok();
            if opened || !skipping {
                self.record += 1;
            }
            self.skipping = !opened;
            self.opened = self.lines.number();
            return draft.map(Some).map_err(|fault| self.error(fault));
        }
    }
}

impl RecordReader for Reader<String> {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        self.next()
    }
}

impl<M: KeptMove> Reader<M> {
    /// The next game, as [`RecordReader::read`] gives it.
    pub(super) fn next(&mut self) -> Result<Option<GameRecord<M>>, RecordError> {
        let Some(mut draft) = self.open()? else { return Ok(None) };
        loop {
            let done = match self.command() {
                Ok(None) => break,
                Ok(Some(("game", _))) => {
                    self.lines.keep();
                    break;
                }
                Ok(Some((word, body))) => draft.obey(word, body),
                Err(error) => {
                    self.skipping = true;
                    return Err(error);
                }
            };
            if let Err(fault) = done {
                self.skipping = true;
                return Err(self.error(fault));
            }
        }
        Ok(Some(draft.close()))
    }
}

impl<M: KeptMove> Draft<M> {
    fn open(body: &str) -> Result<Draft<M>, Fault> {
        let mut words = body.split_whitespace();
        let winner = match words.next() {
            Some("W") => Some(Some(crate::WHITE)),
            Some("B") => Some(Some(crate::BLACK)),
            Some("D") => Some(None),
            Some("?") => None,
            other => return Err(Fault::expected("the winner: W, B, D or ?", other.unwrap_or(""))),
        };
        let mut record = GameRecord::new();
        match words.next() {
            Some("-") => {}
            Some(label) if super::is_label(label) => record.tags.push(("Label".into(), label.into())),
            other => {
                return Err(Fault::expected("a label: - or 1 to 64 letters, digits and _", other.unwrap_or("")));
            }
        }
        Ok(Draft {
            record,
            rules: Rules::default(),
            board: None,
            past: Vec::new(),
            here: 0,
            block: 0..0,
            winner,
            reason: None,
        })
    }

    /// Does what one command says; commands of others, and ours in words that are not ours, are ignored.
    fn obey(&mut self, word: &str, body: &str) -> Result<(), Fault> {
        match word {
            "moves" => return self.moves(body),
            "start" => {
                let board = Chess::start(&self.rules);
                self.set_up(board, None);
            }
            "board" => return self.board(body),
            "title" => self.record.tags.push(("Title".into(), body.chars().map(notes::plain).collect())),
            "origin" => self.record.tags.push(("Origin".into(), notes::read_text(body))),
            "tag" => {
                let (name, value) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
                if !name.is_empty() {
                    self.record.tags.push((notes::tag_name(&notes::read_text(name)), notes::read_text(value.trim())));
                }
            }
            "variant" => return self.variant(body),
            "end" => self.reason = notes::read_reason(body).or(self.reason),
            "value" => {
                if let Some(value) = notes::read_value(body) {
                    self.record.note_mut(0).value = Some(value);
                    self.record.clipped += u32::from(notes::is_clipped(body));
                }
            }
            "scores" => {
                let mut clipped = 0;
                self.list(body, |note, word| {
                    note.value = notes::read_value(word);
                    clipped += u32::from(notes::is_clipped(word));
                });
                self.record.clipped += clipped;
            }
            "depths" => self.list(body, |note, word| note.depth = word.parse().ok()),
            "nodes" => self.list(body, |note, word| note.nodes = word.parse().ok()),
            "times" => self.list(body, |note, word| note.spent = notes::read_time(word)),
            "clocks" => self.list(body, |note, word| note.left = notes::read_time(word)),
            "comment" => self.remark(body, |note, text| note.comment = notes::read_text(text)),
            "glyphs" => self.remark(body, |note, text| {
                note.glyphs = text.split_whitespace().map_while(|w| w.parse().ok()).collect();
            }),
            "visits" => self.remark(body, |note, text| {
                let visit = |w: &str| w.split_once(':').and_then(|(m, n)| Some((m.parse().ok()?, n.parse().ok()?)));
                note.visits = text.split_whitespace().map_while(visit).collect();
            }),
            _ => {}
        }
        Ok(())
    }

    fn variant(&mut self, body: &str) -> Result<(), Fault> {
        if self.board.is_some() {
            return Err(Fault::expected("`variant` before the first position", ""));
        }
        let name = if body == "standard" { "" } else { body };
        self.rules = name.parse().map_err(|_| Fault::expected("the variant standard or chess960", body))?;
        // Standard rules have no line: a game of them reads the same with `variant chess` and without.
        self.record.rules = if self.rules.chess960 { self.rules.to_string() } else { String::new() };
        Ok(())
    }

    /// Puts `board` on: as the start of the game, or as a setup within it. `text` is `None` for the usual start.
    fn set_up(&mut self, board: Board, text: Option<&str>) {
        // The six fields of a FEN; what may stand behind them was not read either.
        let text = text.map(|t| t.split_whitespace().take(6).collect::<Vec<_>>().join(" "));
        if self.board.is_none() && self.here == 0 {
            self.record.start = text;
        } else {
            let text = text.unwrap_or_else(|| position_text(&board));
            self.here = self.record.push_setup(self.here, text);
        }
        self.past.clear();
        self.block = 0..0;
        self.board = Some(board);
    }

    /// A `board` line: the start, or the position after a move that has to be found, or a setup.
    fn board(&mut self, body: &str) -> Result<(), Fault> {
        let next = fen::parse(body, &self.rules, fen::Care::Lenient).map_err(Fault::Position)?;
        let Some(board) = &self.board else {
            let usual = Chess::start(&self.rules);
            let text = if position_text(&next) == position_text(&usual) { None } else { Some(body) };
            self.set_up(next, text);
            return Ok(());
        };
        let (key, mut found) = (next.key(), None);
        let _ = board.for_each_move(|mv| {
            let mut after = *board;
            after.play(mv);
            if after.key() == key {
                found = Some(mv);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        match found {
            Some(mv) => {
                self.step(mv);
                self.block = self.here..self.here + 1;
            }
            None => self.set_up(next, Some(body)),
        }
        Ok(())
    }

    /// Plays a legal move.
    fn step(&mut self, mv: Move) {
        if let Some(board) = &mut self.board {
            self.past.push(board.mark(&self.past));
            let kept = M::keep(board, mv);
            board.play(mv);
            self.here = self.record.push(self.here, Step::Move(kept));
        }
    }

    fn moves(&mut self, body: &str) -> Result<(), Fault> {
        if self.board.is_none() {
            return Err(Fault::expected("`start` or `board` before `moves`", ""));
        }
        let from = self.here + 1;
        for (i, word) in body.split_ascii_whitespace().enumerate() {
            let Some(board) = &self.board else { break };
            let bad = |_| Fault::IllegalMove { number: i + 1, text: word.chars().take(20).collect() };
            let mv = UciNotation::parse_move(board, word).map_err(bad)?;
            self.step(mv);
        }
        self.block = from..self.here + 1;
        if self.block.is_empty() { Err(Fault::expected("moves after `moves`", "")) } else { Ok(()) }
    }

    /// A list with an entry for each move of the last `moves` line.
    fn list(&mut self, body: &str, mut set: impl FnMut(&mut Note, &str)) {
        for (node, word) in self.block.clone().zip(body.split_ascii_whitespace()) {
            if word != notes::NOTHING {
                set(self.record.note_mut(node), word);
            }
        }
    }

    /// Something said about one step: its number from 1 (0: the game), then the words.
    fn remark(&mut self, body: &str, set: impl Fn(&mut Note, &str)) {
        let (number, text) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
        if let Ok(node) = number.parse::<u32>()
            && (node as usize) < self.record.nodes.len()
        {
            set(self.record.note_mut(node), text.trim());
        }
    }

    fn close(mut self) -> GameRecord<M> {
        self.record.outcome = match (self.winner, self.reason, &self.board) {
            (None, Some(By::Void), _) => Some(Outcome::draw(By::Void)),
            (None, ..) => None,
            (Some(winner), Some(by), _) => Some(Outcome { winner, by }),
            (Some(winner), None, Some(board)) => Some(ending::explain(board, &self.past, winner, By::Adjudication)),
            (Some(winner), None, None) => Some(Outcome { winner, by: By::Adjudication }),
        };
        let players = self.record.tag("White").zip(self.record.tag("Black"));
        if let Some((white, black)) = players
            && self.record.tag("Title") == Some(title_of_players(white, black).as_str())
        {
            self.record.tags.retain(|t| t.0 != "Title");
        }
        self.record
    }
}

/// `board` as FEN.
fn position_text(board: &Board) -> String {
    let mut text = String::new();
    let _ = UciNotation::write_position(board, &mut text);
    text
}
