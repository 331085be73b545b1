//! Lines of positions: FEN or EPD with operations (`bm Nf3; id "a name";`), as sources of openings and tests.

use crate::{Board, Chess, Move, Rules, UciNotation, fen, lines::Lines, san};
use std::io::{BufRead, Write};
use tesuji_game::{Game, Notation, NotationError, Position, Side};
use tesuji_record::{Fault, GameRecord, Part, RecordError, RecordFormat, RecordReader, RecordWriter, Step};

/// A position with what is said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Epd {
    /// The position.
    pub board: Board,
    /// Its FEN with six fields, as given as far as it goes.
    pub fen: String,
    /// Names and operands of the operations, in order, strings without their quotes.
    pub operations: Vec<(String, String)>,
}

impl Epd {
    /// The operand of the operation `name`.
    pub fn operation(&self, name: &str) -> Option<&str> {
        self.operations.iter().find(|o| o.0 == name).map(|o| o.1.as_str())
    }

    /// The name of the position.
    pub fn id(&self) -> Option<&str> {
        self.operation("id")
    }

    /// The best moves, as far as they can be played.
    pub fn best_moves(&self) -> Vec<Move> {
        self.moves("bm")
    }

    /// The moves to avoid, as far as they can be played.
    pub fn moves_to_avoid(&self) -> Vec<Move> {
        self.moves("am")
    }

    fn moves(&self, name: &str) -> Vec<Move> {
        let words = self.operation(name).unwrap_or("").split([' ', ',']);
        words.filter_map(|word| san::parse(&self.board, word).ok()).collect()
    }
}

/// Reads a line: four fields of FEN, two counters that may be missing, operations that end with semicolons.
///
/// # Examples
/// ```
/// use tesuji_chess::{Rules, epd};
/// let line = r#"1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id "BK.01";"#;
/// let epd = epd::parse(line, &Rules::default()).expect("a position");
/// assert_eq!(epd.id(), Some("BK.01"));
/// assert_eq!(epd.best_moves()[0].to_string(), "d6d1");
/// ```
///
/// # Errors
/// The position is wrong. Operations that are no operations are passed over.
pub fn parse(line: &str, rules: &Rules) -> Result<Epd, NotationError> {
    let mut rest = line.trim();
    let mut fields: Vec<&str> = Vec::with_capacity(6);
    while fields.len() < 6 && !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = &rest[..end];
        if fields.len() >= 4 && !word.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        fields.push(word);
        rest = rest[end..].trim_start();
    }
    let operations = read_operations(rest);
    let counter = |name: &str, usual: &str| {
        let given = operations.iter().find(|o| o.0 == name).map(|o| o.1.as_str());
        given.filter(|n| n.parse::<u16>().is_ok()).unwrap_or(usual).to_string()
    };
    let (halfmoves, fullmove) = (counter("hmvc", "0"), counter("fmvn", "1"));
    for (i, counter) in [(4, &halfmoves), (5, &fullmove)] {
        if fields.len() == i {
            fields.push(counter);
        }
    }
    let fen = fields.join(" ");
    // Offsets of errors count from the start of the line as long as its spaces are single, as they are.
    let board = fen::parse(&fen, rules, fen::Care::Lenient)?;
    Ok(Epd { board, fen, operations })
}

/// Splits `bm Nf3; id "a; b";` at semicolons outside quotes.
fn read_operations(text: &str) -> Vec<(String, String)> {
    let mut quoted = false;
    let parts = text.split(|c: char| {
        quoted ^= c == '"';
        c == ';' && !quoted
    });
    let operation = |part: &str| {
        let part = part.trim();
        let (name, operand) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
        let operand = operand.trim();
        let plain = operand.strip_prefix('"').and_then(|o| o.strip_suffix('"')).unwrap_or(operand);
        (name.starts_with(|c: char| c.is_ascii_alphabetic())).then(|| (name.to_string(), plain.to_string()))
    };
    parts.filter_map(operation).collect()
}

/// The format of files with a position a line: each is a game without moves. Written is the last position of each game.
#[derive(Debug, Clone, Copy)]
pub struct EpdFile;

impl RecordFormat for EpdFile {
    fn name(&self) -> &'static str {
        "epd"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["epd", "fen"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(Reader { lines: Lines::new(input), record: 0 })
    }

    fn whole(&self, block: &[u8]) -> Option<usize> {
        Some(block.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1))
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn drops(&self) -> &'static [Part] {
        &Part::ALL
    }

    fn moves_left_out(&self, game: &GameRecord<String>) -> u64 {
        game.plies() as u64
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(Writer { output, record: 0 })
    }
}

/// Reads a position a line; blank lines and `#` comments are left out.
struct Reader {
    lines: Lines,
    record: u64,
}

impl RecordReader for Reader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        loop {
            match self.lines.advance() {
                Err(e) => return Err(RecordError::new(self.lines.number() + 1, self.record, Fault::Io(e))),
                Ok(false) => return Ok(None),
                Ok(true) => {}
            }
            let text = self.lines.text();
            let line = text.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            self.record += 1;
            return match parse(line, &Rules::default()) {
                Ok(epd) => {
                    let rules = Rules { chess960: epd.board.is_chess960(), ..Rules::default() };
                    let start = (epd.board != Chess::start(&rules)).then_some(epd.fen);
                    Ok(Some(GameRecord { rules: rules.to_string(), start, tags: epd.operations, ..GameRecord::new() }))
                }
                Err(e) => Err(RecordError::new(self.lines.number(), self.record, Fault::Position(e))),
            };
        }
    }
}

/// Writes a position a line.
struct Writer {
    output: Box<dyn Write + Send>,
    record: u64,
}

impl RecordWriter for Writer {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        self.record += 1;
        let line = compose(record).map_err(|fault| RecordError::without_line(self.record, fault))?;
        Ok(self.output.write_all(line.as_bytes())?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.output.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}

/// The last position of the main line, with the tags that are operations in EPD (small letters).
fn compose(record: &GameRecord<String>) -> Result<String, Fault> {
    let rules: Rules = record.rules.parse().map_err(|_| Fault::Unsupported("rules other than chess and chess960"))?;
    let mut board = match &record.start {
        Some(text) => UciNotation::parse_position(&rules, text).map_err(Fault::Position)?,
        None => Chess::start(&rules),
    };
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
            Step::Start => {}
        }
    }
    let mut line = fen::to_string(&board);
    for (name, value) in &record.tags {
        if !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
            let value: String = value.chars().filter(|c| *c != '"' && (*c as u32) >= 32).collect();
            let bare = name == "bm" || name == "am" || value.parse::<f64>().is_ok();
            line.push_str(&if bare { format!(" {name} {value};") } else { format!(" {name} \"{value}\";") });
        }
    }
    // The result's place, as lists of labelled positions have it.
    if let (Some(outcome), None) = (record.outcome, record.tag("c9")) {
        let result = match outcome.winner {
            Some(Side::First) => "1-0",
            Some(Side::Second) => "0-1",
            None => "1/2-1/2",
        };
        line.push_str(&format!(" c9 \"{result}\";"));
    }
    line.push('\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, fen: &str, operations: &[(&str, &str)]) {
        let epd = parse(line, &Rules::default()).unwrap();
        let found: Vec<_> = epd.operations.iter().map(|(n, o)| (n.as_str(), o.as_str())).collect();
        assert_eq!((epd.fen.as_str(), found.as_slice()), (fen, operations), "{line}");
    }

    #[test]
    fn lines_are_read_with_and_without_counters() {
        let kings = "4k3/8/8/8/8/8/8/4K2R w K -";
        check(kings, &format!("{kings} 0 1"), &[]);
        check(&format!("{kings} 3 7"), &format!("{kings} 3 7"), &[]);
        check(&format!("{kings} 3 7 bm O-O;"), &format!("{kings} 3 7"), &[("bm", "O-O")]);
        let operations = [("hmvc", "5"), ("fmvn", "9"), ("id", "a; b"), ("c0", "")];
        check(&format!("{kings} hmvc 5; fmvn 9; id \"a; b\"; c0 \"\"; 4"), &format!("{kings} 5 9"), &operations);
        check(&format!("{kings} bm Rh8+ O-O"), &format!("{kings} 0 1"), &[("bm", "Rh8+ O-O")]);
    }

    #[test]
    fn moves_are_found_as_far_as_they_can_be_played() {
        let epd = parse("4k3/8/8/8/8/8/8/4K2R w K - bm Rh8+ Qa1 0-0; am Kd1;", &Rules::default()).unwrap();
        assert_eq!(epd.best_moves().len(), 2);
        assert_eq!(epd.moves_to_avoid().len(), 1);
    }

    #[test]
    fn files_tell_lines_and_rules() {
        let file =
            "# two\n\n4k3/8/8/8/8/8/8/4K2R w K - id \"one\";\nnonsense\n1r1k1r2/8/8/8/8/8/8/1R1K1R2 w FBfb - 0 1\n";
        let mut reader = EpdFile.reader(Box::new(file.as_bytes()));
        let first = reader.read().unwrap().unwrap();
        assert_eq!((first.rules.as_str(), first.tag("id")), ("", Some("one")));
        assert_eq!(reader.read().unwrap_err().line.map(std::num::NonZeroU64::get), Some(4));
        assert_eq!(reader.read().unwrap().unwrap().rules, "chess960");
        assert!(reader.read().unwrap().is_none());
    }
}
