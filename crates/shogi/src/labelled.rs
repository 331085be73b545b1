//! Positions as lines of words, so that any record can be written by hand: `sfen … move 7g7f score 35 ply 1 result 1`.

use crate::{
    facts,
    packed::{checked_of, labels_of},
    sfen,
};
use std::fmt::Write;
use tesuji_game::{FirstSide, Position, Side};
use tesuji_record::{Fault, Labels, RecordError, Sample, SampleFormat, score_by};

/// The format of lines. Score and result (1, 0, -1) are those of the side to move, as in YaneuraOu's data; all but the
/// position may be missing.
#[derive(Debug, Clone, Copy)]
pub struct Labelled;

impl SampleFormat for Labelled {
    fn name(&self) -> &'static str {
        "text"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["txt", "sfen", "text"]
    }

    fn carries(&self) -> &'static str {
        "position with its number, move, score, result"
    }

    fn labels(&self) -> Option<Labels> {
        Some(Labels { ending: false, ..Labels::ALL })
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
        let line = compose(sample).map_err(|fault| RecordError::without_line(0, fault))?;
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
        Ok(())
    }
}

/// The words that begin what is told about a position.
const KEYS: [&str; 4] = ["move", "score", "ply", "result"];

/// Reads a line.
///
/// # Errors
/// The position, its move, score, ply or result is wrong.
///
/// # Examples
/// ```
/// use tesuji_game::FirstSide;
/// use tesuji_shogi::labelled::parse;
/// let line = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 move 2g2f score 35 ply 7 result -1";
/// let sample = parse(line).expect("a position");
/// assert_eq!((sample.score, sample.half_points, sample.ply), (Some(FirstSide(35)), Some(0), Some(6)));
/// ```
pub fn parse(line: &str) -> Result<Sample, Fault> {
    let mut words = line.split_ascii_whitespace().peekable();
    let mut position: Vec<&str> = Vec::new();
    while let Some(word) = words.next_if(|word| !KEYS.contains(word)) {
        position.push(word);
    }
    let mut board = match position[..] {
        ["startpos"] | ["sfen", "startpos"] => sfen::parse(sfen::START),
        _ => sfen::parse(&position.join(" ")),
    }
    .map_err(Fault::Position)?;
    let (mut mv, mut score, mut result) = (None, None, None);
    while let Some(key) = words.next() {
        let value = words.next().unwrap_or("");
        match key {
            "move" if value == "none" => mv = None,
            "move" => mv = Some(facts::move_at(&board, 1, value)?),
            "score" => {
                let read = value.parse::<i16>().ok().filter(|n| *n != i16::MIN);
                score = Some(read.ok_or_else(|| Fault::expected("a score from -32767 to 32767", value))?);
            }
            "ply" => board.move_number = value.parse::<u16>().map_err(|_| Fault::expected("a ply", value))?.max(1),
            "result" => {
                let read = value.parse::<i8>().ok().filter(|n| (-1..=1).contains(n));
                result = Some(read.ok_or_else(|| Fault::expected("a result: 1, 0 or -1", value))?);
            }
            _ => return Err(Fault::expected("move, score, ply or result", key)),
        }
    }
    let black = board.side_to_move() == Side::First;
    Ok(Sample {
        score: score.map(|score| score_by(board.side_to_move(), score)),
        half_points: result.map(|result| (if black { 1 + result } else { 1 - result }) as u8),
        ply: facts::ply_of(board.move_number),
        ..facts::sample(&crate::packed::Checked { board, mv })
    })
}

fn compose(sample: &Sample) -> Result<String, Fault> {
    let checked = checked_of(sample)?;
    let mut line = format!("sfen {}", checked.board);
    if let Some(mv) = checked.mv {
        let _ = write!(line, " move {mv}");
    }
    let known = Sample {
        score: sample.score.or(Some(FirstSide(0))),
        half_points: sample.half_points.or(Some(1)),
        ..sample.clone()
    };
    let (score, winner) = labels_of(&known, &checked.board)?;
    if sample.score.is_some() {
        let _ = write!(line, " score {score}");
    }
    let _ = write!(line, " ply {}", checked.board.move_number());
    if sample.half_points.is_some() {
        let result = winner.map_or(0, |side| if side == checked.board.side_to_move() { 1 } else { -1 });
        let _ = write!(line, " result {result}");
    }
    Ok(line)
}
