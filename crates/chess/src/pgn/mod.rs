//! Portable Game Notation: games with tags, variations, comments that carry values and clocks, read with patience and written with care.
//!
//! `docs/formats.md` explains our comments (`{+0.31/12 0.052s, n=12345}`).

mod comment;
mod read;
mod tags;
mod tokens;
mod write;

use std::io::{BufRead, Write};
use tesuji_record::{GameRecord, Part, RecordFormat, RecordReader, RecordWriter};

/// The format PGN.
#[derive(Debug, Clone, Copy)]
pub struct Pgn;

impl RecordFormat for Pgn {
    fn name(&self) -> &'static str {
        "pgn"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["pgn"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(read::Reader::<String>::new(input))
    }

    fn whole(&self, block: &[u8]) -> Option<usize> {
        Some(before_last_game(block))
    }

    fn drops(&self) -> &'static [Part] {
        &[Part::Visits]
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(write::Writer::new(output, false))
    }
}

/// PGN with values as lichess writes them (`[%eval 0.31]`, for White), which programs for studying games show as a graph.
#[derive(Debug, Clone, Copy)]
pub struct PgnEval;

impl RecordFormat for PgnEval {
    fn name(&self) -> &'static str {
        "pgn-eval"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &[]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Pgn.reader(input)
    }

    fn whole(&self, block: &[u8]) -> Option<usize> {
        Pgn.whole(block)
    }

    fn drops(&self) -> &'static [Part] {
        Pgn.drops()
    }

    fn tells_unvalued(&self) -> bool {
        true
    }

    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(write::Writer::new(output, true))
    }
}

/// The games of `input` with moves as moves, which is much faster than through text. Ends after the first error of the stream
/// itself; broken games are errors, and reading goes on behind them.
///
/// # Examples
/// ```
/// let text = "[White \"a\"]\n\n1. e4 e5 2. Nf3 *\n";
/// let mut games = tesuji_chess::pgn::games(Box::new(text.as_bytes()));
/// let game = games.next().expect("a game")?;
/// assert_eq!(game.main_line()[2].to_string(), "g1f3");
/// # Ok::<(), tesuji_record::RecordError>(())
/// ```
pub fn games(
    input: Box<dyn BufRead + Send>,
) -> impl Iterator<Item = Result<tesuji_record::GameRecord<crate::Move>, tesuji_record::RecordError>> {
    let mut reader = Some(read::Reader::<crate::Move>::new(input));
    std::iter::from_fn(move || {
        let game = reader.as_mut()?.next().transpose();
        if matches!(&game, None | Some(Err(_))) && !matches!(&game, Some(Err(e)) if !e.is_fatal()) {
            reader = None;
        }
        game
    })
}

/// Where the last game of `block` begins whose beginning is beyond doubt: tags behind a blank line behind movetext. There a
/// reader begins again, whatever it read before. 0 when there is none.
fn before_last_game(block: &[u8]) -> usize {
    let mut end = block.len();
    // The line below the present one, and whether only blank lines lie between it and what comes.
    let mut tag: Option<usize> = None;
    let mut blank = false;
    while end > 0 {
        let start = block[..end].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let line = &block[start..end];
        if line.trim_ascii().is_empty() {
            blank = true;
        } else {
            let is_tag = tags::looks_like_tag(line);
            match tag {
                Some(at) if blank && !is_tag && line[0] != b'%' => return at,
                _ => {}
            }
            (tag, blank) = (is_tag.then_some(start), false);
        }
        end = start.saturating_sub(1);
    }
    0
}
