//! Lists of games, one a line: columns parted by tabs, moves as two letters each. Collections for learning are kept so.
//!
//! `size komi result rules black_rank white_rank source date moves`; lines with `#` before them are remarks, `?` stands for
//! what is not known, `--` for a pass. Black begins, nobody is given stones.

use crate::{
    Area, GoPosition, Large, Medium, Move, Rules, Small,
    sgf::{komi_text, points, read_komi, read_result, result_text, rules_named, rules_text, said_in},
};
use std::{
    borrow::Cow,
    io::{self, BufRead, Read, Write},
};
use tesuji_game::{By, Position};
use tesuji_record::{Fault, GameRecord, Part, RecordError, RecordFormat, RecordReader, RecordWriter, Step};

/// The most bytes a line may have.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// The first lines of a list of games: format, version and columns.
const HEAD: &str =
    "#go-games 1\n#columns: size komi result rules black_rank white_rank source date moves (TAB separated)\n";

/// The columns that are tags of a record.
const TAGS: [&str; 4] = ["BlackRank", "WhiteRank", "Source", "Date"];

/// The format of lists of games.
#[derive(Debug, Clone, Copy)]
pub struct GameList;

impl RecordFormat for GameList {
    fn name(&self) -> &'static str {
        "list"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["txt"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(Reader { input, line: String::new(), number: 0, record: 0 })
    }

    fn drops(&self) -> &'static [Part] {
        const KEPT: [&str; 6] = ["BlackRank", "WhiteRank", "Source", "Date", "RU", "KM"];
        const LOST: [Part; 9] = [
            Part::Variations,
            Part::Comments,
            Part::Glyphs,
            Part::Times,
            Part::Clocks,
            Part::Values,
            Part::Depths,
            Part::Visits,
            Part::TagsBut(&KEPT),
        ];
        &LOST
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(Writer { output, record: 0 })
    }
}

struct Reader {
    input: Box<dyn BufRead + Send>,
    line: String,
    number: u64,
    record: u64,
}

impl Reader {
    /// Moves on to the next line; `false` at the end.
    fn advance(&mut self) -> Result<bool, Fault> {
        let mut bytes = std::mem::take(&mut self.line).into_bytes();
        bytes.clear();
        let read = Read::take(&mut self.input, LINE_BYTES_MAX).read_until(b'\n', &mut bytes).map_err(Fault::Io)?;
        self.number += 1;
        if read as u64 == LINE_BYTES_MAX && bytes.last() != Some(&b'\n') {
            let all = self.skip_line().map_err(Fault::Io);
            return Err(all.err().unwrap_or_else(|| Fault::expected("a line of at most 1 MiB", "")));
        }
        self.line = String::from_utf8(bytes).map_err(|_| Fault::expected("text in UTF-8", ""))?;
        Ok(read > 0)
    }

    /// Passes over the rest of a line.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.input.fill_buf()?;
            let end = buffer.iter().position(|&b| b == b'\n');
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() || used == 0 {
                return Ok(());
            }
        }
    }
}

impl RecordReader for Reader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        loop {
            let more = self.advance();
            let line = self.line.trim_end_matches(['\n', '\r']);
            let game = match more {
                Ok(false) => return Ok(None),
                Ok(true) if line.starts_with('#') || line.trim().is_empty() => continue,
                Ok(true) => read_line(line).map(Some),
                Err(fault) => Err(fault),
            };
            self.record += 1;
            return game.map_err(|fault| RecordError::new(self.number, self.record, fault));
        }
    }
}

/// The game of a line.
fn read_line(line: &str) -> Result<GameRecord<String>, Fault> {
    let stray = |c: char| c.is_control() && c != '\t';
    let plain = if line.contains(stray) { Cow::from(line.replace(stray, " ")) } else { Cow::from(line) };
    let columns: Vec<&str> = plain.trim_start_matches('\u{FEFF}').split('\t').collect();
    let [size, komi, result, rules, black, white, source, date, moves] = columns[..] else {
        return Err(Fault::expected("nine columns parted by tabs", line));
    };
    let mut record = GameRecord::new();
    let known = |text: &str| !text.is_empty() && text != "?";
    let board = size.parse::<crate::Size>().map_err(|_| Fault::expected("a board of 2 to 25 lines", size))?;
    let name = rules_named(if rules == "cn" { "chinese" } else { rules });
    let halves = read_komi(komi);
    for (tag, value, read) in [("RU", rules, name.is_some()), ("KM", komi, halves.is_some())] {
        if known(value) && !read {
            record.tags.push((tag.into(), value.into()));
        }
    }
    record.rules = rules_text(board, name.as_deref(), halves);
    let rules: Rules = record.rules.parse().map_err(Fault::Position)?;
    match read_result(result) {
        Some(outcome) => record.outcome = outcome,
        None => return Err(Fault::expected("a result such as B+R, W+2.5, 0 or ?", result)),
    }
    for (tag, value) in TAGS.into_iter().zip([black, white, source, date]) {
        if known(value) {
            let value = if tag == "Date" { value.replace('-', ".") } else { value.to_string() };
            record.tags.push((tag.into(), value));
        }
    }
    if Small::holds(rules.size) {
        read_moves::<Small>(&rules, moves, &mut record)?;
    } else if Medium::holds(rules.size) {
        read_moves::<Medium>(&rules, moves, &mut record)?;
    } else {
        read_moves::<Large>(&rules, moves, &mut record)?;
    }
    Ok(record)
}

/// Plays the moves of a line and adds them to the record.
fn read_moves<A: Area>(rules: &Rules, text: &str, record: &mut GameRecord<String>) -> Result<(), Fault> {
    let start = GoPosition::<A>::start(rules);
    let mut pos = start.map_err(|_| Fault::expected("a board that has room for the handicap", &record.rules))?;
    for (i, pair) in text.as_bytes().chunks(2).enumerate() {
        let pair = std::str::from_utf8(pair).unwrap_or("");
        let mv = if pair == "--" { Some(Move::PASS) } else { points::read_point(pair, rules.size).map(Move::at) };
        let mv = mv.ok_or_else(|| Fault::expected("moves of two letters each, or -- for a pass", pair))?;
        if pos.unpack(mv.bits()).is_none() {
            return Err(Fault::IllegalMove { number: i + 1, text: mv.to_string() });
        }
        pos.play(mv);
        record.append(Step::Move(mv.to_string()));
    }
    Ok(())
}

struct Writer {
    output: Box<dyn Write + Send>,
    record: u64,
}

impl RecordWriter for Writer {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        self.record += 1;
        let line = line_of(record).map_err(|fault| RecordError::without_line(self.record, fault))?;
        if self.record == 1 {
            self.output.write_all(HEAD.as_bytes())?;
        }
        Ok(self.output.write_all(line.as_bytes())?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.output.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}

/// The line of a game: its main line of play and what the columns tell.
fn line_of(record: &GameRecord<String>) -> Result<String, Fault> {
    let rules: Rules = record.rules.parse().map_err(Fault::Position)?;
    if record.start.is_some() || rules.handicap > 0 {
        return Err(Fault::Unsupported("a start that is not the empty board"));
    }
    let size = rules.size;
    let said = said_in(&record.rules, &rules);
    let tag = |name: &str| {
        let value = record.tag(name).unwrap_or("").replace(char::is_control, " ");
        if value.is_empty() { "?".to_string() } else { value }
    };
    let name = match said.name.as_deref() {
        Some("japanese") => "jp".to_string(),
        Some("chinese") => "cn".to_string(),
        Some(name) => name.to_string(),
        None => tag("RU"),
    };
    let komi = if said.komi { komi_text(rules.komi_halves) } else { tag("KM") };
    let result = match &record.outcome {
        Some(outcome) if outcome.by == By::Void => "?".to_string(),
        Some(outcome) => result_text(outcome),
        None => "?".to_string(),
    };
    let unknown_margin = if result.ends_with('+') { "?" } else { "" };
    let lines = if size.width() == size.height() { size.width().to_string() } else { size.to_string() };
    let [black, white, source, date] = TAGS.map(tag);
    let date = date.replace('.', "-");
    let mut line = format!("{lines}\t{komi}\t{result}{unknown_margin}\t{name}\t{black}\t{white}\t{source}\t{date}\t");
    for node in record.main_nodes() {
        let Step::Move(text) = &record.nodes[node as usize].step else {
            return Err(Fault::Unsupported("a position set up within the game"));
        };
        match Move::parse(text, size).map_err(Fault::Position)?.vertex() {
            Some(vertex) => points::write_point(vertex, size, &mut line),
            None => line.push_str("--"),
        }
    }
    line.push('\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BLACK, WHITE};
    use tesuji_game::Outcome;

    fn all(text: &str) -> Vec<Result<GameRecord<String>, String>> {
        let mut reader = GameList.reader(Box::new(io::Cursor::new(text.to_string())));
        std::iter::from_fn(|| reader.read().map_err(|e| e.to_string()).transpose()).collect()
    }

    const LINE: &str = "9\t6.5\tB+2.5\tjp\t9d\t1p\tfox\t2017-04-16\teegc----aa\n";

    #[test]
    fn a_line_is_a_game() {
        let game = all(&format!("{HEAD}\n{LINE}")).remove(0).unwrap();
        assert_eq!(game.rules, "9x9 japanese komi 6.5");
        assert_eq!(game.main_line(), ["E5", "G7", "pass", "pass", "A9"]);
        assert_eq!(game.outcome, Some(Outcome::win(BLACK, By::Points(2.5))));
        assert_eq!((game.tag("WhiteRank"), game.tag("Date")), (Some("1p"), Some("2017.04.16")));
        assert_eq!(line_of(&game).unwrap(), LINE);
    }

    #[test]
    fn what_is_unknown_stays_so() {
        let line = "5x4\t?\tW+?\tGOE\t?\t?\t?\t?\taabb\n";
        let game = all(line).remove(0).unwrap();
        assert_eq!((game.rules.as_str(), game.tag("RU"), game.tags.len()), ("5x4", Some("GOE"), 1));
        assert_eq!(game.outcome, Some(Outcome::win(WHITE, By::Adjudication)));
        assert_eq!(line_of(&game).unwrap(), line);
    }

    #[test]
    fn broken_lines_are_one_error_each() {
        let file = format!(
            "one\n{LINE}1\t\t?\t\t\t\t\t\t\n9\t0\tX\tjp\t\t\t\t\t\n9\t0\t?\tjp\t\t\t\t\teeee\n9\t0\t?\tjp\t\t\t\t\te\n"
        );
        let found: Vec<String> = all(&file).into_iter().filter_map(Result::err).collect();
        assert_eq!(
            found,
            [
                "line 1 (game 1): expected nine columns parted by tabs, found `one`",
                "line 3 (game 3): expected a board of 2 to 25 lines, found `1`",
                "line 4 (game 4): expected a result such as B+R, W+2.5, 0 or ?, found `X`",
                "line 5 (game 5): move #2 is illegal: E5",
                "line 6 (game 6): expected moves of two letters each, or -- for a pass, found `e`",
            ]
        );
        let long = format!("{}\n{LINE}", "x".repeat(3 << 20));
        let kinds: Vec<bool> = all(&long).iter().map(Result::is_ok).collect();
        assert_eq!(kinds, [false, true]);
    }

    #[test]
    fn what_no_line_can_hold_is_refused() {
        let mut game = GameRecord::from_moves("9x9", None, ["E5".to_string()]);
        game.push_setup(1, "9/9/9/9/9/9/9/9/9 b".into());
        assert!(matches!(line_of(&game), Err(Fault::Unsupported(_))));
        game = GameRecord::from_moves("9x9 handicap 2", None, []);
        assert!(matches!(line_of(&game), Err(Fault::Unsupported(_))));
    }
}
