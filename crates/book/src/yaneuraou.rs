//! YaneuraOu's books (`.db`): text, a line `sfen POSITION PLY` and then its moves, a line each (Isozaki's YaneuraOu, <https://github.com/yaneurao/YaneuraOu>).

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    fmt,
};
use thiserror::Error;

/// The first line of a book.
const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// A move of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YaneuraouMove {
    /// The move, as USI writes it.
    pub mv: String,
    /// The answer that is expected.
    pub answer: Option<String>,
    /// Its value for the side to move, in centipawns.
    pub score_cp: i32,
    /// The depth to which it was searched, in plies.
    pub depth: i32,
    /// The number of games with it.
    pub count: u64,
}

/// A book: moves by position, the move number of each position left out of its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Yaneuraou {
    positions: BTreeMap<String, (u32, Vec<YaneuraouMove>)>,
}

/// An error of a text that is no book of YaneuraOu's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum YaneuraouError {
    /// A move without a position.
    #[error("line {line}: a move stands before any line that begins with sfen")]
    Homeless {
        /// The line, from 1.
        line: usize,
    },
    /// Words that are none of a position.
    #[error("line {line}: expected sfen, board, turn, hands and move number, found {found:?}")]
    Position {
        /// The line, from 1.
        line: usize,
        /// The text found there.
        found: String,
    },
    /// Words that are none of a move.
    #[error("line {line}: expected move, answer, value, depth and count, found {found:?}")]
    Move {
        /// The line, from 1.
        line: usize,
        /// The text found there.
        found: String,
    },
}

fn position(line: &str) -> Option<(String, u32)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["sfen", board, turn @ ("b" | "w"), hands] => Some((format!("{board} {turn} {hands}"), 1)),
        ["sfen", board, turn @ ("b" | "w"), hands, ply] => Some((format!("{board} {turn} {hands}"), ply.parse().ok()?)),
        _ => None,
    }
}

/// A line of a move; what is missing at its end is unknown: none, 0, 0 and 1.
fn read_move(line: &str) -> Option<YaneuraouMove> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.len() > 5 {
        return None;
    }
    let number = |i: usize, default: i64| words.get(i).map_or(Some(default), |word| word.parse::<i64>().ok());
    let answer = words.get(1).filter(|word| !word.eq_ignore_ascii_case("none") && **word != "resign");
    Some(YaneuraouMove {
        mv: words.first()?.to_string(),
        answer: answer.map(|word| word.to_string()),
        score_cp: i32::try_from(number(2, 0)?).ok()?,
        depth: i32::try_from(number(3, 0)?).ok()?,
        count: u64::try_from(number(4, 1)?).ok()?,
    })
}

impl Yaneuraou {
    /// Reads a book; lines that begin with `#` or `//` are remarks.
    ///
    /// # Errors
    /// The first line that is wrong.
    ///
    /// # Examples
    /// ```
    /// let text = "#YANEURAOU-DB2016 1.00\nsfen 9/9/9/9/9/9/9/9/9 b - 1\n7g7f 3c3d 50 12 7\n";
    /// let book = tesuji_book::Yaneuraou::parse(text)?;
    /// assert_eq!(book.moves("9/9/9/9/9/9/9/9/9 b -")[0].answer.as_deref(), Some("3c3d"));
    /// assert_eq!(book.to_string(), text);
    /// # Ok::<(), tesuji_book::YaneuraouError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Yaneuraou, YaneuraouError> {
        let mut book = Yaneuraou::default();
        // Where the moves of each position stand, of which there may be as many as the file has lines; and those of the last one.
        let (mut known, mut here) = (HashMap::<String, HashMap<&str, usize>>::new(), None);
        for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with("//") {
                continue;
            }
            let (line, found) = (i + 1, || trimmed.chars().take(100).collect());
            if trimmed.starts_with("sfen") {
                let (name, ply) = position(trimmed).ok_or_else(|| YaneuraouError::Position { line, found: found() })?;
                let moves = &mut book.positions.entry(name.clone()).or_insert((ply, Vec::new())).1;
                here = Some((moves, known.entry(name).or_default()));
                continue;
            }
            let Some((moves, known)) = &mut here else { return Err(YaneuraouError::Homeless { line }) };
            let mv = read_move(trimmed).ok_or_else(|| YaneuraouError::Move { line, found: found() })?;
            match known.entry(trimmed.split_whitespace().next().unwrap_or_default()) {
                Entry::Occupied(at) => moves[*at.get()] = mv,
                Entry::Vacant(at) => {
                    at.insert(moves.len());
                    moves.push(mv);
                }
            }
        }
        Ok(book)
    }

    /// Puts a move into a position (board, turn and hands), which begins with move number `ply` if it is new; a move that is
    /// there is replaced.
    pub fn add(&mut self, position: &str, ply: u32, mv: YaneuraouMove) {
        let (_, moves) = self.positions.entry(position.to_string()).or_insert((ply, Vec::new()));
        match moves.iter_mut().find(|known| known.mv == mv.mv) {
            Some(known) => *known = mv,
            None => moves.push(mv),
        }
    }

    /// The moves of a position (board, turn and hands), in the book's order.
    pub fn moves(&self, position: &str) -> &[YaneuraouMove] {
        self.positions.get(position).map_or(&[], |(_, moves)| moves)
    }

    /// All positions with their move numbers and moves, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32, &[YaneuraouMove])> {
        self.positions.iter().map(|(name, (ply, moves))| (name.as_str(), *ply, moves.as_slice()))
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}

/// The book as YaneuraOu reads it, sorted by position, as its reading while it plays wants it.
impl fmt::Display for Yaneuraou {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        for (name, ply, moves) in self.iter() {
            writeln!(f, "sfen {name} {ply}")?;
            for one in moves {
                let answer = one.answer.as_deref().unwrap_or("none");
                writeln!(f, "{} {answer} {} {} {}", one.mv, one.score_cp, one.depth, one.count)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_leave_out_is_read() {
        let text = "sfen 9 b - 5\r\n7g7f none 20\r\n// remark\r\n2g2f\r\n\r\nsfen 8 w -\n3c3d 7g7f -5 30\n";
        let book = Yaneuraou::parse(text).unwrap();
        let first = &book.moves("9 b -")[0];
        assert_eq!((first.answer.as_deref(), first.score_cp, first.depth, first.count), (None, 20, 0, 1));
        assert_eq!((book.moves("9 b -").len(), book.len(), book.moves("8 w -")[0].score_cp), (2, 2, -5));
        let written = book.to_string();
        assert_eq!(Yaneuraou::parse(&written), Ok(book));
        assert!(
            written.starts_with("#YANEURAOU-DB2016 1.00\nsfen 8 w - 1\n3c3d 7g7f -5 30 1\nsfen 9 b - 5\n"),
            "{written}"
        );
    }

    /// A mark of byte order was cut off in front of each line, but not off a move after a space: what was written was a remark.
    #[test]
    fn a_byte_order_mark_is_one_at_the_beginning_alone() {
        let book = Yaneuraou::parse("\u{feff}sfen 9 b - 5\n \u{feff}#x\n\u{feff}//y\n").unwrap();
        assert_eq!(book.moves("9 b -").len(), 2);
        assert_eq!(Yaneuraou::parse(&book.to_string()), Ok(book));
    }

    /// Each move was compared with all of its position: a megabyte took minutes.
    #[test]
    fn many_moves_of_a_position_are_read_in_linear_time() {
        let text: String = (0..60_000).map(|i| format!("sfen 9 b - 5\nm{i}\nn{i} none 5\n")).collect();
        let book = Yaneuraou::parse(&(text.clone() + &text)).unwrap();
        assert_eq!((book.moves("9 b -").len(), book.moves("9 b -")[119_999].score_cp), (120_000, 5));
    }

    #[test]
    fn errors_name_their_line() {
        let check = |text: &str, line: usize| {
            let told = Yaneuraou::parse(text).unwrap_err().to_string();
            assert!(told.starts_with(&format!("line {line}: ")), "{told}");
        };
        check("#x\n7g7f none 0 0 1\n", 2);
        check("sfen 9 x - 1\n", 1);
        check("sfen 9 b - one\n", 1);
        check("sfen 9 b - 1\n7g7f none much 0 1\n", 2);
        check("sfen 9 b - 1\n7g7f none 0 0 1 2\n", 2);
        check("sfen 9 b - 1\n7g7f none 0 0 -1\n", 2);
    }
}
