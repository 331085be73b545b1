//! Positions with results as lines of text: `FEN | score | result`, EPD with a result, GreKo's `result plies FEN`. One reader knows all.

use crate::{Board, Rules, UciNotation, epd, facts, fen, san};
use std::fmt::Write;
use tesuji_game::{FirstSide, Notation, NotationError, Position};
use tesuji_record::{Fault, Labels, RecordError, Sample, SampleFormat, score_by, score_for};

/// A format of lines; all of them read each other's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labelled {
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Text,
    Epd,
    Greko,
}

impl Labelled {
    /// `FEN | score | result`: centipawns and 1.0, 0.5 or 0.0, both for White.
    pub const TEXT: Labelled = Labelled { shape: Shape::Text };
    /// A FEN with EPD's operations `sm` (the move played), `ce` (centipawns for the side to move) and `c9` (the result).
    pub const EPD: Labelled = Labelled { shape: Shape::Epd };
    /// `result plies_left FEN`, as GreKo's learning wants it.
    pub const GREKO: Labelled = Labelled { shape: Shape::Greko };
}

impl SampleFormat for Labelled {
    fn name(&self) -> &'static str {
        match self.shape {
            Shape::Text => "text",
            Shape::Epd => "epd",
            Shape::Greko => "greko",
        }
    }

    fn extensions(&self) -> &'static [&'static str] {
        match self.shape {
            Shape::Text => &["txt", "text"],
            Shape::Epd => &["epd"],
            Shape::Greko => &["fen"],
        }
    }

    fn carries(&self) -> &'static str {
        match self.shape {
            Shape::Text => "position, score, result",
            Shape::Epd => "position, move, score, result",
            Shape::Greko => "position, result, plies left",
        }
    }

    fn holds(&self) -> Labels {
        // The position tells the number of the move.
        let result = Labels { result: true, ply: true, ..Labels::NONE };
        match self.shape {
            Shape::Text => Labels { score: true, ..result },
            Shape::Epd => Labels { mv: true, score: true, ..result },
            Shape::Greko => result,
        }
    }

    fn whole(&self, block: &[u8]) -> usize {
        block.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1)
    }

    fn read(&self, block: &[u8], each: &mut dyn FnMut(Result<Sample, RecordError>)) {
        let mut records = 0;
        for (number, line) in (1u64..).zip(block.split(|&b| b == b'\n')) {
            let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            records += 1;
            let read = std::str::from_utf8(line).map_err(|_| Fault::expected("text in UTF-8", ""));
            each(read.and_then(parse).map_err(|fault| RecordError::new(number, records, fault)));
        }
    }

    fn write(&self, sample: &Sample, out: &mut Vec<u8>) -> Result<(), RecordError> {
        let line = match self.shape {
            Shape::Text => compose_text(sample),
            Shape::Epd => compose_epd(sample),
            Shape::Greko => compose_greko(sample),
        };
        out.extend_from_slice(line.map_err(|fault| RecordError::without_line(0, fault))?.as_bytes());
        out.push(b'\n');
        Ok(())
    }
}

/// Reads a line of any of the shapes.
///
/// # Errors
/// The position, its score or its result is wrong.
///
/// # Examples
/// ```
/// use tesuji_chess::labelled;
/// use tesuji_game::FirstSide;
/// let sample = labelled::parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1 | 480 | 1.0").expect("a position");
/// assert_eq!((sample.score, sample.half_points), (Some(FirstSide(480)), Some(2)));
/// ```
pub fn parse(line: &str) -> Result<Sample, Fault> {
    if let Some((position, labels)) = line.split_once('|') {
        let (score, result) = labels.split_once('|').unwrap_or((labels, ""));
        let mut sample = position_of(position)?;
        sample.score = read_score(score.trim())?.map(FirstSide);
        // What others write behind the result is passed over.
        let result = result.split('|').next().unwrap_or("").trim();
        sample.half_points = if result.is_empty() { None } else { Some(read_result(result)?) };
        return Ok(sample);
    }
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if let Some(points) = result_word(first) {
        let (plies, position) = rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest, ""));
        let plies = plies.parse().map_err(|_| Fault::expected("the plies to the end of the game", plies))?;
        return Ok(Sample { half_points: Some(points), plies_left: Some(plies), ..position_of(position)? });
    }
    position_of(line)
}

/// A position with operations of EPD, or with a result in brackets.
fn position_of(text: &str) -> Result<Sample, Fault> {
    let (text, bracketed) = match text.split_once('[') {
        Some((before, behind)) if !before.contains('"') => (before, behind.split(']').next()),
        _ => (text, None),
    };
    let read = epd::parse(text.trim(), &Rules::default()).map_err(Fault::Position)?;
    let board = read.board;
    let mv = match read.operation("sm").or(read.operation("pm")) {
        Some(word) => {
            let first = word.split_whitespace().next().unwrap_or("");
            Some(san::parse(&board, first).map_err(|_| Fault::IllegalMove { number: 1, text: first.into() })?)
        }
        None => None,
    };
    let mut sample = Sample {
        rules: Rules { chess960: board.is_chess960(), ..Rules::default() }.to_string(),
        position: fen::to_string(&board),
        facts: Some(facts::facts(&board, mv)),
        ..Sample::default()
    };
    if let Some(mv) = mv {
        let _ = UciNotation::write_move(&board, mv, &mut sample.mv);
    }
    if let Some(score) = read.operation("ce") {
        sample.score = read_score(score)?.map(|score| score_by(board.side_to_move(), score));
    }
    let result = bracketed.or(read.operation("c9")).or(read.operation("c0").filter(|c| result_word(c).is_some()));
    if let Some(result) = result {
        // `c9` means anything in files of others: there only what is a result counts.
        sample.half_points = if bracketed.is_some() { Some(read_result(result.trim())?) } else { result_word(result) };
    }
    Ok(sample)
}

fn read_score(text: &str) -> Result<Option<i16>, Fault> {
    match text {
        "" | "-" | "none" => Ok(None),
        _ => match text.parse::<i64>() {
            // 32,767 is the mate of others.
            Ok(n @ -32_767..=32_767) => Ok(Some(n.clamp(-32_000, 32_000) as i16)),
            _ => Err(Fault::expected("a score in centipawns from -32767 to 32767", text)),
        },
    }
}

fn read_result(text: &str) -> Result<u8, Fault> {
    result_word(text).ok_or_else(|| Fault::expected("a result: 1.0, 0.5, 0.0, 1-0, 1/2-1/2 or 0-1", text))
}

/// Half points of White.
fn result_word(text: &str) -> Option<u8> {
    match text {
        "1-0" | "1.0" | "1" | "w" => Some(2),
        "1/2-1/2" | "0.5" | "1/2" | ".5" | "d" => Some(1),
        "0-1" | "0.0" | "0" | "b" => Some(0),
        _ => None,
    }
}

/// The position as one FEN, whatever its notation was.
fn board_of(sample: &Sample) -> Result<Board, Fault> {
    let rules: Rules = sample.rules.parse().map_err(|_| Fault::Unsupported("rules other than chess and chess960"))?;
    UciNotation::parse_position(&rules, &sample.position).map_err(Fault::Position)
}

fn points(sample: &Sample) -> Result<usize, Fault> {
    let points = sample.half_points.ok_or(Fault::Unsupported("a position without a result"))?;
    Ok(usize::from(points.min(2)))
}

fn compose_text(sample: &Sample) -> Result<String, Fault> {
    let FirstSide(score) = sample.score.ok_or(Fault::Unsupported("a position without a score"))?;
    let result = ["0.0", "0.5", "1.0"][points(sample)?];
    Ok(format!("{} | {score} | {result}", fen::to_string(&board_of(sample)?)))
}

fn compose_greko(sample: &Sample) -> Result<String, Fault> {
    let left = sample.plies_left.ok_or(Fault::Unsupported("a position without the plies to the end"))?;
    let result = ["0-1", "1/2-1/2", "1-0"][points(sample)?];
    Ok(format!("{result} {left} {}", fen::to_string(&board_of(sample)?)))
}

fn compose_epd(sample: &Sample) -> Result<String, Fault> {
    let board = board_of(sample)?;
    let mut line = fen::to_string(&board);
    if !sample.mv.is_empty() {
        let mv = UciNotation::parse_move(&board, &sample.mv).map_err(|e: NotationError| match e {
            NotationError::IllegalMove { text } => Fault::IllegalMove { number: 1, text },
            _ => Fault::IllegalMove { number: 1, text: sample.mv.clone() },
        })?;
        let _ = write!(line, " sm {};", san::text(&board, mv));
    }
    if let Some(score) = sample.score {
        let _ = write!(line, " ce {};", score_for(board.side_to_move(), score));
    }
    if sample.half_points.is_some() {
        let _ = write!(line, " c9 \"{}\";", ["0-1", "1/2-1/2", "1-0"][points(sample)?]);
    }
    Ok(line)
}
