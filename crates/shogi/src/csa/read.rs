//! Reads CSA: games between lines of a single slash, each into a record whose moves were played on a board.

use super::{RULES, TAGS, parse_csa_move, position::place};
use crate::{Board, Rules, Setup, endings, figures, lines::Lines, record, record::END_SPENT};
use std::io::BufRead;
use tesuji_game::{By, FirstSide, Outcome, Position, Side, Value};
use tesuji_record::{Fault, GameRecord, RecordError, RecordReader, Step};

/// The most bytes of one game.
const GAME_BYTES_MAX: usize = 16 << 20;

/// Reads games one by one.
pub(super) struct Reader {
    lines: Lines,
    record: u64,
}

impl Reader {
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Reader {
        Reader { lines: Lines::new(input), record: 0 }
    }

    /// The lines of the next game with their numbers; none at the end.
    fn game(&mut self) -> Result<Vec<(u64, String)>, RecordError> {
        let (mut game, mut bytes, mut moves) = (Vec::new(), 0, false);
        while let Some(line) = self.lines.next()? {
            let head = line.starts_with('V') || line.starts_with("N+") || line.starts_with("'CSA encoding");
            if line.trim() == "/" || (head && moves) {
                if head {
                    self.lines.keep(line);
                }
                if game.is_empty() {
                    continue;
                }
                break;
            }
            if line.trim().is_empty() {
                continue;
            }
            moves |= line.starts_with(['+', '-', '%']);
            bytes += line.len() + size_of::<(u64, String)>();
            if bytes > GAME_BYTES_MAX {
                let words = "a game takes more than 16 MiB, or this is no file of games";
                let fault = Fault::Io(std::io::Error::new(std::io::ErrorKind::InvalidData, words));
                return Err(RecordError::new(self.lines.number(), self.record + 1, fault));
            }
            game.push((self.lines.number(), line));
        }
        Ok(game)
    }
}

impl RecordReader for Reader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        let lines = self.game()?;
        if lines.is_empty() {
            return Ok(None);
        }
        self.record += 1;
        let mut draft =
            Draft { game: GameRecord::new(), setup: Setup::EMPTY, board: None, here: 0, told: None, ended: false };
        for (number, line) in &lines {
            draft.line(line).map_err(|fault| RecordError::new(*number, self.record, fault))?;
        }
        if draft.board.is_none() && draft.setup == Setup::EMPTY {
            // Nothing but comments, or a head: no game is left out silently.
            let number = lines.last().map_or(0, |l| l.0);
            let fault = Fault::expected("a position and the side to move (`PI` and `+`)", "");
            return Err(RecordError::new(number, self.record, fault));
        }
        draft.begin().map_err(|fault| RecordError::new(lines[0].0, self.record, fault))?;
        draft.game.outcome = draft.told.or(draft.game.outcome);
        if let Some(board) = &draft.board {
            record::settle_outcome(&mut draft.game, board);
        }
        Ok(Some(draft.game))
    }
}

/// A record in the making.
struct Draft {
    game: GameRecord<String>,
    setup: Setup,
    /// The present board; `None` before the side to move is told.
    board: Option<Board>,
    /// The last node.
    here: u32,
    /// The outcome in our own words.
    told: Option<Outcome>,
    /// A `%` line was read, or none is needed any more.
    ended: bool,
}

impl Draft {
    fn line(&mut self, line: &str) -> Result<(), Fault> {
        if let Some(comment) = line.strip_prefix('\'') {
            self.comment(comment);
            return Ok(());
        }
        if let Some((start, tag)) = TAGS.iter().find(|t| line.starts_with(t.0)) {
            self.game.set_tag(tag, line[start.len()..].trim());
            return Ok(());
        }
        if line.starts_with(['V', '$']) {
            if let Some((name, value)) = line[1..].split_once(':').filter(|_| line.starts_with('$')) {
                self.game.set_tag(name, value.trim());
            }
            return Ok(());
        }
        for statement in line.split_inclusive(',') {
            if statement.starts_with('\'') {
                // A comment goes to the end of the line, commas included.
                let at = statement.as_ptr() as usize - line.as_ptr() as usize;
                self.comment(&line[at + 1..]);
                break;
            }
            self.statement(statement.trim_end_matches(',').trim_end())?;
        }
        Ok(())
    }

    fn statement(&mut self, text: &str) -> Result<(), Fault> {
        match text.as_bytes().first() {
            None => Ok(()),
            Some(b'P') if self.board.is_none() => {
                place(&mut self.setup, text).map_err(|expected| Fault::expected(expected, text))
            }
            Some(b'+' | b'-') if text.len() == 1 && self.board.is_none() => {
                self.setup.side = if text == "+" { Side::First } else { Side::Second };
                self.begin()
            }
            Some(b'+' | b'-') => self.play(text),
            Some(b'T') => {
                let spent = figures::read_seconds(text[1..].trim());
                let spent = spent.ok_or_else(|| Fault::expected("seconds such as T12", text))?;
                match self.ended {
                    true if spent.is_zero() => {}
                    true => self.game.set_tag(END_SPENT, figures::seconds(spent)),
                    false => self.game.note_mut(self.here).spent = Some(spent),
                }
                Ok(())
            }
            Some(b'%') => {
                self.begin()?;
                self.end(text)
            }
            _ => Err(Fault::expected("a statement of CSA", text)),
        }
    }

    /// Makes the board of what was set up, once.
    fn begin(&mut self) -> Result<(), Fault> {
        if self.board.is_some() {
            return Ok(());
        }
        let rules: Rules = self.game.tag(RULES).unwrap_or("").parse().map_err(Fault::Position)?;
        self.game.tags.retain(|tag| tag.0 != RULES);
        if self.setup.cells == Setup::EMPTY.cells {
            let side = self.setup.side;
            place(&mut self.setup, "PI").map_err(|expected| Fault::expected(expected, ""))?;
            self.setup.side = side;
        }
        let board = self.setup.board().map_err(|error| Fault::expected("a position that can be", error.reason()))?;
        let board = board.with_declaration(rules.declaration);
        (self.game.rules, self.game.start) = record::start_texts(&board);
        self.board = Some(board);
        Ok(())
    }

    fn play(&mut self, text: &str) -> Result<(), Fault> {
        self.begin()?;
        let Some(board) = &mut self.board else { return Ok(()) };
        let mv = parse_csa_move(board, text);
        let number = self.game.nodes.len();
        let mv = mv.ok_or_else(|| Fault::IllegalMove { number, text: text.chars().take(20).collect() })?;
        self.here = self.game.push(self.here, Step::Move(mv.to_string()));
        board.play(mv);
        Ok(())
    }

    /// Reads the special move that ended the game; `%` words are about the side to move at the end.
    fn end(&mut self, text: &str) -> Result<(), Fault> {
        self.ended = true;
        let Some(board) = &self.board else { return Ok(()) };
        let (me, them) = (board.side_to_move(), !board.side_to_move());
        self.game.outcome = match text {
            "%TORYO" => Some(Outcome::win(them, By::Resignation)),
            "%TSUMI" => Some(Outcome::win(them, By::Mate)),
            "%TIME_UP" => Some(Outcome::win(them, By::Time)),
            "%ILLEGAL_MOVE" => Some(Outcome::win(them, By::Illegal)),
            "%+ILLEGAL_ACTION" => Some(Outcome::win(Side::Second, By::Illegal)),
            "%-ILLEGAL_ACTION" => Some(Outcome::win(Side::First, By::Illegal)),
            "%KACHI" => Some(Outcome::win(me, By::Declaration)),
            "%SENNICHITE" => Some(Outcome::draw(By::Repetition)),
            "%OUTE_SENNICHITE" => Some(Outcome::win(me, By::Repetition)),
            "%JISHOGI" => Some(Outcome::draw(By::Declaration)),
            "%HIKIWAKE" => Some(Outcome::draw(By::Agreement)),
            "%MAX_MOVES" => Some(Outcome::draw(By::MoveRule)),
            "%CHUDAN" => Some(Outcome::draw(By::Void)),
            // A move taken back, no mate found, an error: no result, and no word of ours for them.
            "%MATTA" | "%FUZUMI" | "%ERROR" => {
                add_words(text, &mut self.game.note_mut(self.here).comment);
                None
            }
            _ => return Err(Fault::expected("an end of CSA such as %TORYO or %CHUDAN", text)),
        };
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        if let Some(outcome) = text.strip_prefix("outcome:").and_then(endings::read_words) {
            self.told = Some(outcome);
            return;
        }
        // Without a `%` line, the summary of a server tells the end; at the head it is only told again.
        let summed = self.here != 0 && text.starts_with("summary:");
        self.ended |= summed;
        if self.here == 0 || self.ended {
            let named = text.strip_prefix('$').unwrap_or(text).split_once(':').filter(|(name, _)| is_name(name));
            if let Some((name, value)) = named {
                let told =
                    TAGS.iter().find(|t| t.0.strip_suffix(':').is_some_and(|t| t.strip_prefix('$') == Some(name)));
                self.game.set_tag(told.map_or(name, |t| t.1), value.trim());
                if summed && self.game.outcome.is_none() {
                    self.game.outcome = summary(value);
                }
                return;
            }
        }
        // Servers draw the last position behind the end.
        if text.starts_with("CSA encoding=") || (self.ended && text.starts_with(['P', '+', '-'])) {
            return;
        }
        if figures::read_words(text, self.game.note_mut(self.here)) {
            return;
        }
        // The value that floodgate's engines tell is for Black, no matter who moved.
        if let Some(told) = text.strip_prefix("**") {
            let (number, line) = told.trim().split_once(' ').unwrap_or((told.trim(), ""));
            let mover = self.board.as_ref().map_or(Side::First, |board| !board.side_to_move());
            if let Ok(number) = number.parse::<i32>()
                && self.here != 0
            {
                let bound = i32::from(Value::MATE);
                let value = Value::from_raw(number.clamp(1 - bound, bound - 1));
                self.game.clipped += u32::from(value.raw() != number);
                let note = self.game.note_mut(self.here);
                note.value = Some(FirstSide(value).seen_by(mover));
                if !line.trim().is_empty() {
                    add_words(&format!("{LINE}{}", line.trim()), &mut note.comment);
                }
                return;
            }
        }
        add_words(text.strip_prefix('*').unwrap_or(text), &mut self.game.note_mut(self.here).comment);
    }
}

/// The outcome that floodgate tells in `summary:toryo:A lose:B win`, Black first.
fn summary(text: &str) -> Option<Outcome> {
    let mut parts = text.split(':');
    let (reason, black) = (parts.next()?, parts.next()?);
    let by = match reason {
        "toryo" => By::Resignation,
        "time up" => By::Time,
        "kachi" => By::Declaration,
        "sennichite" | "oute_sennichite" => By::Repetition,
        "max_moves" => By::MoveRule,
        "abnormal" => By::Disconnect,
        _ if reason.contains("illegal") || reason == "uchifuzume" => By::Illegal,
        _ => By::Adjudication,
    };
    match black.rsplit_once(' ')?.1 {
        "win" => Some(Outcome::win(Side::First, by)),
        "lose" => Some(Outcome::win(Side::Second, by)),
        "draw" => Some(Outcome::draw(by)),
        _ => None,
    }
}

/// The prefix, in a comment, of the principal variation that an engine expects.
pub(super) const LINE: &str = "PV ";

/// Whether a word in a comment can be the name of a tag.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && name.len() <= 64 && name.bytes().all(fits)
}

fn add_words(text: &str, comment: &mut String) {
    if !comment.is_empty() {
        comment.push('\n');
    }
    comment.push_str(text.trim_end());
}
