//! Games of Connect Four on file: a game a line, its parts between tabs.
//!
//! `TAG=VALUE … RESULT START MOVES`: `x`, `o`, `=` or `*` for no result; a position or `-`; moves between spaces, each with what
//! the search said behind a slash (centipawns for its mover, as [`Value::raw`] has them). Tags stand first, so that even a line
//! that was cut off says whose it is.

use std::io::{BufRead, Write};
use tesuji_game::{By, Outcome, Side, Value};
use tesuji_record::{Fault, GameRecord, Note, Part, RecordError, RecordFormat, RecordReader, RecordWriter, Step};

/// A game a line.
pub struct Lines;

impl RecordFormat for Lines {
    fn name(&self) -> &'static str {
        "four"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["four"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(LineReader { input, line: 0 })
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn drops(&self) -> &'static [Part] {
        const LOST: [Part; 7] =
            [Part::Variations, Part::Comments, Part::Glyphs, Part::Times, Part::Clocks, Part::Depths, Part::Visits];
        &LOST
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(LineWriter(output))
    }
}

struct LineReader {
    input: Box<dyn BufRead + Send>,
    line: u64,
}

impl RecordReader for LineReader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        let mut text = String::new();
        if self.input.read_line(&mut text)? == 0 {
            return Ok(None);
        }
        self.line += 1;
        // What is cut off may look like a shorter game.
        let whole = text.strip_suffix('\n').ok_or_else(|| Fault::expected("a whole line", &text));
        whole.and_then(game_of).map(Some).map_err(|fault| RecordError::new(self.line, 0, fault))
    }
}

/// The game of a line.
fn game_of(line: &str) -> Result<GameRecord<String>, Fault> {
    let parts: Vec<&str> = line.split('\t').collect();
    let [tags @ .., result, start, moves] = &parts[..] else {
        return Err(Fault::expected("a result, a start and moves between tabs", line));
    };
    let (result, start) = (*result, *start);
    let start = if start == "-" { None } else { Some(start) };
    let mut game = GameRecord::from_moves("", start, std::iter::empty::<String>());
    game.outcome = match result {
        "x" => Some(Outcome::win(Side::First, By::Mate)),
        "o" => Some(Outcome::win(Side::Second, By::Mate)),
        "=" => Some(Outcome::draw(By::NoMoves)),
        "*" => None,
        _ => return Err(Fault::expected("x, o, = or *", result)),
    };
    let mut node = 0;
    for word in moves.split_whitespace() {
        let (mv, value) = word.split_once('/').map_or((word, None), |(mv, value)| (mv, Some(value)));
        node = game.push(node, Step::Move(mv.to_string()));
        if let Some(value) = value {
            let raw: i16 = value.parse().map_err(|_| Fault::expected("a value", value))?;
            let note = Note { value: Some(Value::from_raw(i32::from(raw))), ..Note::default() };
            *game.note_mut(node) = note;
        }
    }
    for tag in tags {
        let (name, value) = tag.split_once('=').ok_or_else(|| Fault::expected("TAG=VALUE", tag))?;
        game.set_tag(name, value);
    }
    Ok(game)
}

struct LineWriter(Box<dyn Write + Send>);

impl RecordWriter for LineWriter {
    fn write(&mut self, game: &GameRecord<String>) -> Result<(), RecordError> {
        let result = match game.outcome.map(|outcome| outcome.winner) {
            None => "*",
            Some(None) => "=",
            Some(Some(Side::First)) => "x",
            Some(Some(Side::Second)) => "o",
        };
        let mut moves = Vec::new();
        for node in game.main_nodes() {
            let Step::Move(mv) = &game.nodes[node as usize].step else {
                return Err(RecordError::without_line(
                    0,
                    Fault::Unsupported("a position set up in the middle of a game"),
                ));
            };
            let value = game.note(node).value.map_or(String::new(), |value| format!("/{}", value.raw()));
            moves.push(format!("{mv}{value}"));
        }
        let tags = game.tags.iter().map(|(name, value)| format!("{name}={}\t", value.replace(['\t', '\n', '\r'], " ")));
        let start = game.start.as_deref().unwrap_or("-");
        let line = format!("{}{result}\t{start}\t{}\n", tags.collect::<String>(), moves.join(" "));
        Ok(self.0.write_all(line.as_bytes())?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.0.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}
