//! Writes main lines as CSA, version 3 in UTF-8.

use super::{
    RULES, TAGS, csa_move,
    read::{LINE, is_name},
    write_csa_position,
};
use crate::{
    Rules, UsiNotation, endings, figures, lines,
    record::{self, END_SPENT},
    sfen,
};
use std::{fmt::Write as _, io::Write, time::Duration};
use tesuji_game::{By, FirstSide, Notation, Outcome, Position, Side};
use tesuji_record::{Fault, GameRecord, Note, RecordError, RecordWriter, Step};

/// Writes games one by one, a line of a slash between them.
pub(super) struct Writer {
    pub(super) output: Box<dyn Write + Send>,
    pub(super) record: u64,
}

impl RecordWriter for Writer {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        self.record += 1;
        let text = text_of(record).map_err(|fault| RecordError::without_line(self.record, fault))?;
        let between = if self.record > 1 { "/\n" } else { "" };
        Ok(self.output.write_all(format!("{between}{}", lines::plain(&text)).as_bytes())?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.output.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}

/// A game as CSA writes it.
fn text_of(game: &GameRecord<String>) -> Result<String, Fault> {
    let mut board = record::start_board(game)?;
    let mut out = String::from("'CSA encoding=UTF-8\nV3.0\n");
    write_tags(game, &mut out);
    let rules = Rules { declaration: board.declaration(), ..Rules::default() }.to_string();
    if !rules.is_empty() {
        let _ = writeln!(out, "'{RULES}:{rules}");
    }
    for line in game.note(0).comment.lines() {
        write_words(line, &mut out);
    }
    if board.to_string() == sfen::START {
        out.push_str("PI\n+\n");
    } else {
        out.push_str(&write_csa_position(&board));
    }
    for (i, node) in game.main_nodes().into_iter().enumerate() {
        let Step::Move(text) = &game.nodes[node as usize].step else {
            return Err(Fault::Unsupported("a position set up in the middle of a game"));
        };
        let mv = UsiNotation::parse_move(&board, text)
            .map_err(|_| Fault::IllegalMove { number: i + 1, text: text.chars().take(20).collect() })?;
        let _ = writeln!(out, "{}", csa_move(&board, mv));
        write_note(game.note(node), board.side_to_move(), &mut out);
        board.play(mv);
    }
    if let Some(outcome) = game.outcome {
        write_end(outcome, board.side_to_move(), end_spent(game), &mut out);
    }
    Ok(out)
}

/// The time before the end, which stands behind its word.
fn end_spent(game: &GameRecord<String>) -> Option<Duration> {
    game.outcome?;
    figures::read_seconds(game.tag(END_SPENT)?)
}

fn write_tags(game: &GameRecord<String>, out: &mut String) {
    let has_end = end_spent(game).is_some();
    for (name, value) in game.tags.iter().filter(|tag| !has_end || tag.0 != END_SPENT) {
        let value: Vec<&str> = value.split_whitespace().collect();
        let value = value.join(" ");
        match TAGS.iter().find(|t| t.1 == name) {
            Some((start, _)) => {
                let _ = writeln!(out, "{start}{value}");
            }
            None if is_name(name) && name != "outcome" => {
                let _ = writeln!(out, "'{name}:{value}");
            }
            None => {}
        }
    }
}

/// A line of a comment, behind a star that readers take away. A second star would make it a value.
fn write_words(line: &str, out: &mut String) {
    let _ = writeln!(out, "'*{}{line}", if line.starts_with('*') { " " } else { "" });
}

fn write_note(note: &Note, mover: Side, out: &mut String) {
    if let Some(spent) = note.spent {
        let _ = writeln!(out, "T{}", figures::seconds(spent));
    }
    let mut lines: Vec<&str> = note.comment.lines().collect();
    if let Some(value) = note.value {
        let FirstSide(black) = FirstSide::of(mover, value);
        let pv = lines.iter().position(|line| line.starts_with(LINE)).map(|at| lines.remove(at));
        let pv = pv.map_or(String::new(), |line| format!(" {}", &line[LINE.len()..]));
        let _ = writeln!(out, "'** {}{pv}", black.raw());
    }
    let told = figures::words(&Note { spent: None, ..note.clone() });
    if !told.is_empty() {
        let _ = writeln!(out, "'{told}");
    }
    for line in lines {
        write_words(line, out);
    }
}

/// The word for the end, and our own where that tells less.
fn write_end(outcome: Outcome, me: Side, spent: Option<Duration>, out: &mut String) {
    let lost = outcome.winner == Some(!me);
    let (word, meant) = match (outcome.winner, outcome.by) {
        (Some(_), By::Mate | By::NoMoves) if lost => ("%TSUMI", Outcome { by: By::Mate, ..outcome }),
        (Some(_), By::Time) if lost => ("%TIME_UP", outcome),
        (Some(_), By::Illegal) if lost => ("%ILLEGAL_MOVE", outcome),
        // Perpetual check is a foul of who gave it.
        (Some(Side::Second), By::Illegal | By::Repetition) => {
            ("%+ILLEGAL_ACTION", Outcome { by: By::Illegal, ..outcome })
        }
        (Some(Side::First), By::Illegal | By::Repetition) => {
            ("%-ILLEGAL_ACTION", Outcome { by: By::Illegal, ..outcome })
        }
        (Some(_), _) if lost => ("%TORYO", Outcome { by: By::Resignation, ..outcome }),
        (Some(_), By::Declaration) => ("%KACHI", outcome),
        // No word lets the side that does not move lose: to others the game was broken off.
        (Some(_), _) => ("%CHUDAN", Outcome::draw(By::Void)),
        (None, By::Repetition) => ("%SENNICHITE", outcome),
        (None, By::Declaration) => ("%JISHOGI", outcome),
        (None, By::MoveRule) => ("%MAX_MOVES", outcome),
        (None, By::Void) => ("%CHUDAN", outcome),
        (None, _) => ("%HIKIWAKE", Outcome { by: By::Agreement, ..outcome }),
    };
    let _ = writeln!(out, "{word}");
    if let Some(spent) = spent {
        let _ = writeln!(out, "T{}", figures::seconds(spent));
    }
    if meant != outcome {
        let _ = writeln!(out, "'outcome:{}", endings::words(&outcome));
    }
}
