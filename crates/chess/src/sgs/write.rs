//! Writes SoFGameSet: one game at a time, built in memory and written in one piece.

use super::{Layout, TITLE_MAX, is_label, notes, title_of_players};
use crate::{Chess, Rules, UciNotation, fen};
use std::{fmt::Write as _, io::Write};
use tesuji_game::{By, Game, Notation, Position, Side};
use tesuji_record::{Fault, GameRecord, Note, RecordError, RecordWriter, Step};

/// Writes games one by one.
pub(super) struct Writer {
    output: Box<dyn Write + Send>,
    layout: Layout,
    record: u64,
    text: String,
}

impl Writer {
    pub(super) fn new(output: Box<dyn Write + Send>, layout: Layout) -> Writer {
        Writer { output, layout, record: 0, text: String::new() }
    }

    fn compose(&mut self, record: &GameRecord<String>) -> Result<(), Fault> {
        self.head(record)?;
        if self.layout == Layout::Boards {
            return self.boards(record);
        }
        self.position("start", record.start.as_deref())?;
        if let (Layout::Extended, Some(value)) = (self.layout, record.note(0).value) {
            self.text.push_str("value ");
            notes::write_value(value, &mut self.text);
            self.text.push('\n');
        }
        let nodes = record.main_nodes();
        let mut rest = nodes.as_slice();
        while let [first, ..] = rest {
            if let Step::Setup(setup) = record.nodes[*first as usize].step {
                let text = record.setup(setup).ok_or(Fault::Unsupported("a setup without a position"))?;
                self.position("", Some(text))?;
                rest = &rest[1..];
                continue;
            }
            let moves = |n: &&u32| matches!(record.nodes[**n as usize].step, Step::Move(_));
            let (block, later) = rest.split_at(rest.iter().take_while(moves).count());
            if block.is_empty() {
                return Err(Fault::Unsupported("a start within the game"));
            }
            self.block(record, block)?;
            rest = later;
        }
        if self.layout == Layout::Extended {
            self.remarks(record, &nodes);
        }
        self.text.push('\n');
        Ok(())
    }

    /// The lines before the first position.
    fn head(&mut self, record: &GameRecord<String>) -> Result<(), Fault> {
        let winner = match record.outcome {
            Some(outcome) if outcome.by != By::Void => match outcome.winner {
                Some(Side::First) => 'W',
                Some(Side::Second) => 'B',
                None => 'D',
            },
            _ => '?',
        };
        let labelled = record.tags.first().is_some_and(|t| t.0 == "Label" && is_label(&t.1));
        let label = if labelled { record.tags[0].1.as_str() } else { "-" };
        let _ = writeln!(self.text, "game {winner} {label}");
        let players = record.tag("White").zip(record.tag("Black"));
        if record.tag("Title").is_none()
            && let Some((white, black)) = players
        {
            self.title(&title_of_players(white, black));
        }
        for (name, value) in record.tags.iter().skip(labelled as usize) {
            match name.as_str() {
                "Title" if is_plain(value) && value.chars().count() <= TITLE_MAX => self.title(value),
                _ if self.layout != Layout::Extended => {}
                "Origin" => self.line("origin ", value),
                _ => {
                    self.text.push_str("tag ");
                    notes::write_text(&notes::tag_name(name), &mut self.text);
                    self.line(" ", value);
                }
            }
        }
        match record.rules.as_str() {
            "" | "standard" => {}
            "chess960" => self.text.push_str("variant chess960\n"),
            _ => return Err(Fault::Unsupported("rules other than chess and chess960")),
        }
        if self.layout == Layout::Extended
            && let Some(outcome) = record.outcome
        {
            self.text.push_str("end ");
            notes::write_reason(outcome.by, &mut self.text);
            self.text.push('\n');
        }
        Ok(())
    }

    fn line(&mut self, word: &str, value: &str) {
        self.text.push_str(word);
        notes::write_text(value, &mut self.text);
        self.text.push('\n');
    }

    fn title(&mut self, title: &str) {
        self.text.push_str("title ");
        self.text.push_str(title);
        self.text.push('\n');
    }

    fn position(&mut self, usual: &str, text: Option<&str>) -> Result<(), Fault> {
        match text {
            None => self.text.push_str(usual),
            Some(text) if is_plain(text) && !text.is_empty() => {
                let _ = write!(self.text, "board {text}");
            }
            Some(_) => return Err(Fault::Unsupported("a position that is not one line")),
        }
        self.text.push('\n');
        Ok(())
    }

    /// Every position of the main line as a board.
    fn boards(&mut self, record: &GameRecord<String>) -> Result<(), Fault> {
        let rules: Rules =
            record.rules.parse().map_err(|_| Fault::Unsupported("rules other than chess and chess960"))?;
        let mut board = match &record.start {
            None => Chess::start(&rules),
            Some(text) => UciNotation::parse_position(&rules, text).map_err(Fault::Position)?,
        };
        self.position("start", record.start.as_deref())?;
        for (i, node) in record.main_nodes().into_iter().enumerate() {
            match &record.nodes[node as usize].step {
                Step::Move(text) => {
                    let mv = UciNotation::parse_move(&board, text)
                        .map_err(|_| Fault::IllegalMove { number: i + 1, text: text.clone() })?;
                    board.play(mv);
                }
                Step::Setup(setup) => {
                    let text = record.setup(*setup).ok_or(Fault::Unsupported("a setup without a position"))?;
                    board = UciNotation::parse_position(&rules, text).map_err(Fault::Position)?;
                }
                Step::Start => return Err(Fault::Unsupported("a start within the game")),
            }
            self.position("", Some(&fen::to_string(&board)))?;
        }
        self.text.push('\n');
        Ok(())
    }

    /// A `moves` line and the lists that go with it.
    fn block(&mut self, record: &GameRecord<String>, nodes: &[u32]) -> Result<(), Fault> {
        self.text.push_str("moves");
        for &node in nodes {
            if let Step::Move(mv) = &record.nodes[node as usize].step {
                if mv.is_empty() || !mv.bytes().all(|b| b.is_ascii_alphanumeric()) {
                    return Err(Fault::Unsupported("a move that is not one word"));
                }
                self.text.push(' ');
                self.text.push_str(mv);
            }
        }
        self.text.push('\n');
        if self.layout == Layout::Extended && nodes.iter().any(|&n| record.nodes[n as usize].note != 0) {
            let said: Vec<&Note> = nodes.iter().map(|&n| record.note(n)).collect();
            self.list("scores", &said, |n, o| n.value.map(|v| notes::write_value(v, o)));
            self.list("depths", &said, |n, o| n.depth.map(|depth| append(depth, o)));
            self.list("nodes", &said, |n, o| n.nodes.map(|nodes| append(nodes, o)));
            self.list("times", &said, |n, o| n.spent.map(|t| notes::write_time(t, o)));
            self.list("clocks", &said, |n, o| n.left.map(|t| notes::write_time(t, o)));
        }
        Ok(())
    }

    /// One list, if any move has an entry; `entry` appends it and returns `None` where there is none.
    fn list(&mut self, name: &str, said: &[&Note], entry: impl Fn(&Note, &mut String) -> Option<()>) {
        let start = self.text.len();
        let mut any = false;
        self.text.push_str(name);
        for note in said {
            self.text.push(' ');
            match entry(note, &mut self.text) {
                Some(()) => any = true,
                None => self.text.push_str(notes::NOTHING),
            }
        }
        self.text.push('\n');
        if !any {
            self.text.truncate(start);
        }
    }

    /// Comments, glyphs and visits of single steps.
    fn remarks(&mut self, record: &GameRecord<String>, nodes: &[u32]) {
        for (number, node) in std::iter::once(0).chain(nodes.iter().copied()).enumerate() {
            let note = record.note(node);
            if !note.comment.is_empty() {
                self.line(&format!("comment {number} "), &note.comment);
            }
            if !note.glyphs.is_empty() {
                let _ = write!(self.text, "glyphs {number}");
                note.glyphs.iter().for_each(|g| append(format_args!(" {g}"), &mut self.text));
                self.text.push('\n');
            }
            if !note.visits.is_empty() {
                let _ = write!(self.text, "visits {number}");
                note.visits.iter().for_each(|(mv, n)| append(format_args!(" {mv}:{n}"), &mut self.text));
                self.text.push('\n');
            }
        }
    }
}

/// Appends what `what` prints; writing into a string cannot fail.
fn append(what: impl std::fmt::Display, out: &mut String) {
    let _ = write!(out, "{what}");
}

/// Whether a line keeps `text` as it is.
fn is_plain(text: &str) -> bool {
    text.trim() == text && text.chars().all(|c| c as u32 >= 32)
}

impl RecordWriter for Writer {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        self.record += 1;
        self.text.clear();
        self.compose(record).map_err(|fault| RecordError::without_line(self.record, fault))?;
        Ok(self.output.write_all(self.text.as_bytes())?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.output.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}
