//! Positions as one line of text, and moves as GTP writes them.
//!
//! A position is words parted by spaces, in any order:
//!
//! - **Stones**: rows from the highest to the lowest, parted by `/`; `X` black, `O` white, `.` or a count of empty points:
//!   `5/2X2/1XO2/5/5`. The rows give the size. Without them a size (`9x9`, `9`) gives an empty board.
//! - **Who moves**: `b` or `w`. Without it Black, or White where `handicap` places stones.
//! - **What came before**: `ko D4` the point that simple ko forbids, `passes 1`, `prisoners 3 5` what Black and White have
//!   taken, `button b` who took it.
//! - **Rules**, where they differ from those given beside the text: `komi 6.5`, `japanese`, `suicide yes`, … as
//!   [`Rules`] reads them. `handicap 4` places stones on a board given by its size, and only counts them (for White's
//!   bonus) on one given by rows.
//!
//! `startpos`, or nothing, is the usual start. Written are the rows, who moves, what is not usual, and the komi.

use crate::{
    Area, BLACK, GoPosition, Move, Rules, SetupError, Size, Vertex, WHITE,
    rules_text::{Halves, KEYS, shifted, words},
};
use std::fmt;
use tesuji_game::{Notation, NotationError, Position, Side};

/// The notation of go: positions as [this module](self) says, moves as GTP writes them (`D4`, `pass`).
pub struct GtpNotation;

impl<A: Area> Notation<GoPosition<A>, Rules> for GtpNotation {
    fn parse_position(rules: &Rules, text: &str) -> Result<GoPosition<A>, NotationError> {
        Said::read(rules, text)?.position(text)
    }

    fn write_position(pos: &GoPosition<A>, out: &mut dyn fmt::Write) -> fmt::Result {
        write_position(pos, out)
    }

    fn parse_move(pos: &GoPosition<A>, text: &str) -> Result<Move, NotationError> {
        let mv = Move::parse(text, pos.size())?;
        pos.unpack(mv.bits()).ok_or_else(|| NotationError::IllegalMove { text: text.into() })
    }

    fn write_move(_pos: &GoPosition<A>, mv: Move, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{mv}")
    }
}

/// The size of the board that `text` under `rules` means: what decides the capacity.
///
/// # Errors
/// Those of reading the position.
pub fn size_of(rules: &Rules, text: &str) -> Result<Size, NotationError> {
    Ok(Said::read(rules, text)?.rules.size)
}

fn write_position<A: Area>(pos: &GoPosition<A>, out: &mut dyn fmt::Write) -> fmt::Result {
    let (size, board) = (pos.size(), pos.board());
    for y in (0..size.height()).rev() {
        let mut empty = 0;
        for x in 0..size.width() {
            let Some(side) = board.stone(Vertex { x: x as u8, y: y as u8 }) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                write!(out, "{empty}")?;
                empty = 0;
            }
            out.write_char(if side == BLACK { 'X' } else { 'O' })?;
        }
        if empty > 0 {
            write!(out, "{empty}")?;
        }
        out.write_char(if y > 0 { '/' } else { ' ' })?;
    }
    out.write_char(letter(pos.side_to_move()))?;
    if let Some(ko) = board.ko() {
        write!(out, " ko {}", A::vertex(ko))?;
    }
    if pos.passes() > 0 {
        write!(out, " passes {}", pos.passes())?;
    }
    let taken = (board.captured(WHITE), board.captured(BLACK));
    if taken != (0, 0) {
        write!(out, " prisoners {} {}", taken.0, taken.1)?;
    }
    if let Some(side) = pos.button() {
        write!(out, " button {}", letter(side))?;
    }
    if pos.handicap() > 0 {
        write!(out, " handicap {}", pos.handicap())?;
    }
    write!(out, " komi {}", Halves(pos.rules().komi_halves as i32))
}

fn letter(side: Side) -> char {
    if side == BLACK { 'b' } else { 'w' }
}

/// The parsed fields of a position's text.
struct Said {
    rules: Rules,
    /// The stones, if rows were given, and where in the text.
    stones: Option<(usize, Vec<(Vertex, Side)>)>,
    side: Option<Side>,
    ko: Option<(usize, String)>,
    passes: u8,
    /// The prisoners that Black and White have taken.
    prisoners: [u16; 2],
    button: Option<Side>,
    handicap: Option<u16>,
}

impl Said {
    fn read(rules: &Rules, text: &str) -> Result<Said, NotationError> {
        let preset = words(text).find_map(|(_, word)| Rules::preset(word));
        let mut rules = *rules;
        if let Some(preset) = preset {
            rules = Rules { komi_halves: preset.rules.komi_halves, ..rules.with_flags_of(&preset.rules) };
        }
        let mut said = Said {
            rules,
            stones: None,
            side: None,
            ko: None,
            passes: 0,
            prisoners: [0; 2],
            button: None,
            handicap: None,
        };
        let mut rest = words(text);
        let mut size = None;
        while let Some((at, word)) = rest.next() {
            if word == "startpos" || Rules::preset(word).is_some() {
                continue;
            }
            if word.contains('/') {
                let (found, stones) = rows(at, word)?;
                said.stones = Some((at, stones));
                said.rules.size = found;
            } else if let Some(side) = side_of(word) {
                said.side = Some(side);
            } else if word.starts_with(|c: char| c.is_ascii_digit()) {
                size = Some((at, word.parse::<Size>().map_err(|e| shifted(e, at))?));
            } else {
                said.pair((at, word), &mut rest, text.len())?;
            }
        }
        match (size, &said.stones) {
            (Some((at, size)), Some(_)) if size != said.rules.size => {
                return Err(NotationError::IllegalPosition { at, reason: "the rows have another size" });
            }
            (Some((_, size)), _) => said.rules.size = size,
            _ => {}
        }
        Ok(said)
    }

    /// Reads a word with its value or values.
    fn pair<'t>(
        &mut self,
        (at, word): (usize, &str),
        rest: &mut impl Iterator<Item = (usize, &'t str)>,
        end: usize,
    ) -> Result<(), NotationError> {
        const EXPECTED: &str = "rows, a size, b, w, komi, ko, passes, prisoners, button, handicap or rules";
        let key = word.to_ascii_lowercase();
        if !KEYS.contains(&key.as_str()) && !matches!(key.as_str(), "passes" | "prisoners") {
            return Err(NotationError::Syntax { at, expected: EXPECTED });
        }
        let mut next = || rest.next().ok_or(NotationError::Syntax { at: end, expected: "a value" });
        let value = next()?;
        match key.as_str() {
            "passes" => self.passes = number(value, u8::MAX.into())? as u8,
            "prisoners" => self.prisoners = [number(value, 9999)?, number(next()?, 9999)?],
            "handicap" => self.handicap = Some(number(value, 625)?),
            "button" if side_of(value.1).is_some() => self.button = side_of(value.1),
            "ko" if value.1.ends_with(|c: char| c.is_ascii_digit()) => self.ko = Some((value.0, value.1.to_string())),
            _ => self.rules.set_word(&key, value)?,
        }
        Ok(())
    }

    fn position<A: Area>(self, text: &str) -> Result<GoPosition<A>, NotationError> {
        let illegal = |at, reason| NotationError::IllegalPosition { at, reason };
        let failed = |error| match error {
            SetupError::Size => illegal(0, "the board is larger than its memory"),
            SetupError::Stones => illegal(0, "the board has no room for the handicap"),
        };
        let mut pos = match &self.stones {
            Some((at, stones)) => {
                let side = self.side.unwrap_or(BLACK);
                let pos = GoPosition::with_stones(&self.rules, stones.iter().copied(), side);
                let mut pos = pos.map_err(|error| match error {
                    SetupError::Stones => illegal(*at, "a chain without liberties"),
                    other => failed(other),
                })?;
                pos.set_handicap(self.handicap.unwrap_or(0) as usize);
                pos
            }
            None => {
                let handicap = self.handicap.unwrap_or(self.rules.handicap as u16);
                let handicap = u8::try_from(handicap).map_err(|_| failed(SetupError::Stones))?;
                let mut pos = GoPosition::start(&Rules { handicap, ..self.rules }).map_err(failed)?;
                pos.set_rules(&self.rules);
                if let Some(side) = self.side {
                    pos.set_side_to_move(side);
                }
                pos
            }
        };
        let ko = match self.ko {
            None => None,
            Some((at, word)) => {
                let vertex = Vertex::parse(&word, self.rules.size).map_err(|e| shifted(e, at))?;
                if pos.board().stone(vertex).is_some() {
                    return Err(illegal(at, "a stone stands on the ko"));
                }
                Some(A::cell(vertex))
            }
        };
        if self.button.is_some() && !self.rules.button {
            return Err(illegal(text.find("button").unwrap_or(0), "the rules have no button"));
        }
        // The stones of Black that were captured are White's prisoners.
        pos.set_state(ko, self.passes, [self.prisoners[1], self.prisoners[0]], self.button);
        Ok(pos)
    }
}

fn side_of(word: &str) -> Option<Side> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(BLACK),
        "w" | "white" => Some(WHITE),
        _ => None,
    }
}

fn number((at, word): (usize, &str), most: u16) -> Result<u16, NotationError> {
    let plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let value = word.parse::<u16>().ok().filter(|&n| plain && n <= most);
    value.ok_or(NotationError::Syntax { at, expected: "a number that is not too large" })
}

/// The size and the stones of rows, which begin at byte `at` of the text.
fn rows(at: usize, word: &str) -> Result<(Size, Vec<(Vertex, Side)>), NotationError> {
    let height = word.split('/').count();
    let mut stones = Vec::new();
    let mut width = None;
    let mut offset = at;
    for (i, row) in word.split('/').enumerate() {
        let mut x = 0;
        let mut bytes = row.bytes().enumerate().peekable();
        while let Some((j, byte)) = bytes.next() {
            let side = match byte {
                b'X' | b'x' => BLACK,
                b'O' | b'o' => WHITE,
                b'.' => {
                    x += 1;
                    continue;
                }
                b'0'..=b'9' => {
                    let mut count = (byte - b'0') as usize;
                    while let Some((_, digit)) = bytes.next_if(|(_, b)| b.is_ascii_digit()) {
                        count = (count * 10 + (digit - b'0') as usize).min(1000);
                    }
                    x += count;
                    continue;
                }
                _ => return Err(NotationError::Syntax { at: offset + j, expected: "X, O, a dot or a count" }),
            };
            let vertex = Vertex::new(x, height - 1 - i);
            let vertex =
                vertex.ok_or(NotationError::Syntax { at: offset + j, expected: "at most 25 rows and columns" })?;
            stones.push((vertex, side));
            x += 1;
        }
        if *width.get_or_insert(x) != x {
            return Err(NotationError::IllegalPosition { at: offset, reason: "the row is not as long as the first" });
        }
        offset += row.len() + 1;
    }
    let size = Size::new(width.unwrap_or(0), height);
    let size = size.ok_or(NotationError::Syntax { at, expected: "2 to 25 rows and columns" })?;
    Ok((size, stones))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Medium;

    #[track_caller]
    fn check(rules: &str, text: &str, expect: Result<&str, usize>) {
        let rules: Rules = rules.parse().unwrap();
        let found: Result<GoPosition<Medium>, _> = GtpNotation::parse_position(&rules, text);
        let found = found.map(|pos| {
            let mut out = String::new();
            write_position(&pos, &mut out).unwrap();
            out
        });
        let found = found.map_err(|error| match error {
            NotationError::Syntax { at, .. } | NotationError::IllegalPosition { at, .. } => at,
            other => panic!("{other}"),
        });
        assert_eq!(found, expect.map(str::to_string), "{text}");
    }

    #[test]
    fn positions_read_and_write() {
        check("3", "", Ok("3/3/3 b komi 7.5"));
        check("3 japanese", "startpos", Ok("3/3/3 b komi 6.5"));
        check("", "4x2 komi 0", Ok("4/4 b komi 0"));
        check("", "7 handicap 2", Ok("7/7/4X2/7/2X4/7/7 w handicap 2 komi 7.5"));
        check("9 handicap 2", "", Ok("9/9/6X2/9/9/9/2X6/9/9 w handicap 2 komi 7.5"));
        check("", ".X./XO./x.o w", Ok("1X1/XO1/X1O w komi 7.5"));
        check("", "1X1/XO1/1XO w ko B1", Err(17));
        check("", "1X1/XO1/1XO w ko A1", Ok("1X1/XO1/1XO w ko A1 komi 7.5"));
        check("", "X1/1O b passes 1 prisoners 3 5 komi -0.5", Ok("X1/1O b passes 1 prisoners 3 5 komi -0.5"));
        check("aga-button", "2/2 w button b", Ok("2/2 w button b komi 7"));
        check("", "1XO1/XO1O/1XO1 b ko C2 prisoners 1 0 komi 0", Ok("1XO1/XO1O/1XO1 b ko C2 prisoners 1 0 komi 0"));
        check("chinese", "2/2 japanese", Ok("2/2 b komi 6.5"));
        check("chinese", "2/2 japanese komi 1", Ok("2/2 b komi 1"));
    }

    #[test]
    fn bad_positions_are_told() {
        check("", "3/4", Err(2));
        check("", "3/Z2", Err(2));
        check("", "9x26", Err(0));
        check("", "9x9 2/2", Err(0));
        check("", "25", Err(0));
        check("", "XX/XO", Err(0));
        check("", "b what", Err(2));
        check("", "2/2 komi", Err(8));
        check("", "2/2 ko A3", Err(7));
        check("", "2/2 button b", Err(4));
        check("", "1/1", Err(0));
        check("", "2/2 passes 256", Err(11));
    }
}
