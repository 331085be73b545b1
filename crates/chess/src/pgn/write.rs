//! Writes PGN: full headers, moves in SAN with numbers, notes as comments, variations in brackets, lines of at most 80 characters.

use super::{
    comment::{Values, write_comment},
    tags::{ROSTER, result_text, termination_text, write_tag},
};
use crate::{Board, Chess, Rules, UciNotation, fen, san};
use std::{fmt::Write as _, io::Write};
use tesuji_game::{Game, Notation, Position};
use tesuji_record::{Fault, GameRecord, RecordError, RecordWriter, Step, Tree};

/// The longest line of movetext, in characters.
const LINE_MAX: usize = 80;

/// Writes games one by one.
pub(super) struct Writer {
    output: Box<dyn Write + Send>,
    record: u64,
    /// Whether values are written as `[%eval]`.
    evals: bool,
}

impl Writer {
    pub(super) fn new(output: Box<dyn Write + Send>, evals: bool) -> Writer {
        Writer { output, record: 0, evals }
    }
}

impl RecordWriter for Writer {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        self.record += 1;
        let text = compose(record, self.evals).map_err(|fault| RecordError::without_line(self.record, fault))?;
        Ok(self.output.write_all(text.as_bytes())?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.output.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}

/// The whole text of a game, with the blank line behind it.
fn compose(record: &GameRecord<String>, evals: bool) -> Result<String, Fault> {
    let rules: Rules = record.rules.parse().map_err(|_| Fault::Unsupported("rules other than chess and chess960"))?;
    let board = match &record.start {
        Some(text) => fen::parse(text, &rules, fen::Care::Lenient).map_err(Fault::Position)?,
        None => Chess::start(&rules),
    };
    let mut text = String::new();
    write_tags(record, &board, &mut text);
    text.push('\n');
    let mut movetext = Movetext { record, tree: record.tree(), text, column: 0, evals };
    movetext.write(board)?;
    movetext.word(result_text(record.outcome));
    movetext.text.push_str("\n\n");
    Ok(movetext.text)
}

fn write_tags(record: &GameRecord<String>, board: &Board, out: &mut String) {
    for (name, unknown) in ROSTER {
        write_tag(name, record.tag(name).unwrap_or(unknown), out);
    }
    write_tag("Result", result_text(record.outcome), out);
    if board.is_chess960() {
        write_tag("Variant", "Chess960", out);
    }
    if record.start.is_some() || board.is_chess960() {
        let mut fen = String::new();
        let _ = UciNotation::write_position(board, &mut fen);
        write_tag("SetUp", "1", out);
        write_tag("FEN", record.start.as_deref().unwrap_or(&fen), out);
    }
    const OURS: [&str; 5] = ["Result", "Variant", "SetUp", "FEN", ""];
    for (name, value) in &record.tags {
        if !OURS.contains(&name.as_str()) && ROSTER.iter().all(|r| r.0 != name) {
            write_tag(name, value, out);
        }
    }
    if let Some(outcome) = record.outcome
        && record.tag("Termination").is_none()
    {
        write_tag("Termination", termination_text(outcome.by), out);
    }
}

/// Moves and comments, wrapped.
struct Movetext<'a> {
    record: &'a GameRecord<String>,
    tree: Tree,
    text: String,
    column: usize,
    evals: bool,
}

/// A pending item of the writer.
enum Item {
    /// A node, the board before it, whether its move needs its number in any case, and whether it is a first child,
    /// whose siblings follow as variations.
    Node {
        node: u32,
        board: Board,
        numbered: bool,
        first: bool,
    },
    Open,
    Close,
}

impl Movetext<'_> {
    /// Appends one word, on a new line where it does not fit.
    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        let opens = self.text.ends_with(['(', '{']) && self.column > 0;
        let closes = word.starts_with([')', '}']);
        let blank = self.column > 0 && !opens && !closes;
        if self.column > 0 && self.column + length + blank as usize > LINE_MAX {
            self.text.push('\n');
            self.column = 0;
        } else if blank {
            self.text.push(' ');
            self.column += 1;
        }
        if self.column == 0 && word.starts_with('%') {
            // In the first column it would make the line an escape.
            self.text.push(' ');
        }
        self.text.push_str(word);
        self.column += length;
    }

    /// Writes the whole tree; a stack of items instead of recursion, since variations may nest deeply.
    fn write(&mut self, board: Board) -> Result<(), Fault> {
        self.comment(0, false);
        let mut items = Vec::new();
        if let Some(node) = self.tree.first_child(0) {
            items.push(Item::Node { node, board, numbered: true, first: true });
        }
        while let Some(item) = items.pop() {
            match item {
                Item::Open => self.word("("),
                Item::Close => self.word(")"),
                Item::Node { node, board, numbered, first } => {
                    let after = self.step(node, &board, numbered)?;
                    let said = self.comment(node, board.side_to_move() == crate::WHITE);
                    let siblings: Vec<u32> = if first {
                        std::iter::successors(self.tree.next_sibling(node), |&n| self.tree.next_sibling(n)).collect()
                    } else {
                        Vec::new()
                    };
                    if let Some(child) = self.tree.first_child(node) {
                        let numbered = said || !siblings.is_empty();
                        items.push(Item::Node { node: child, board: after, numbered, first: true });
                    }
                    for &sibling in siblings.iter().rev() {
                        items.push(Item::Close);
                        items.push(Item::Node { node: sibling, board, numbered: true, first: false });
                        items.push(Item::Open);
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the move at `node` and returns the board after it.
    fn step(&mut self, node: u32, board: &Board, numbered: bool) -> Result<Board, Fault> {
        let Step::Move(text) = &self.record.nodes[node as usize].step else {
            return Err(Fault::Unsupported("a position set up within the game"));
        };
        let mv = UciNotation::parse_move(board, text)
            .map_err(|_| Fault::IllegalMove { number: self.record.path(node).len(), text: text.clone() })?;
        let mut word = String::with_capacity(12);
        let white = board.side_to_move() == crate::WHITE;
        if white || numbered {
            let _ = write!(word, "{}{}", board.fullmove(), if white { "." } else { "..." });
            self.word(&word);
            word.clear();
        }
        san::write(board, mv, &mut word);
        self.word(&word);
        for glyph in &self.record.note(node).glyphs {
            self.word(&format!("${glyph}"));
        }
        let mut after = *board;
        after.play(mv);
        Ok(after)
    }

    /// Appends a comment to the end of its line, in which braces mean nothing; what follows is on a new line.
    fn rest_of_line(&mut self, comment: &str) {
        self.word(&format!(";{comment}"));
        self.text.push('\n');
        self.column = 0;
    }

    /// Writes what is said at `node`, after a move of White (`white`) or Black, in braces where it has none itself; whether there
    /// was anything.
    fn comment(&mut self, node: u32, white: bool) -> bool {
        let mut comment = String::new();
        let values = if self.evals { Values::Evals { white } } else { Values::Scores };
        write_comment(self.record.note(node), values, &mut comment);
        if comment.is_empty() {
            return false;
        }
        if comment.contains(['{', '}']) {
            self.rest_of_line(&comment);
            return true;
        }
        let mut words = comment.split(' ').peekable();
        let mut first = true;
        while let Some(word) = words.next() {
            let open = if std::mem::take(&mut first) { "{" } else { "" };
            let close = if words.peek().is_none() { "}" } else { "" };
            self.word(&format!("{open}{word}{close}"));
        }
        true
    }
}
