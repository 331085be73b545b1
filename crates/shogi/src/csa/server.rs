//! Messages between a game server and its players: the CSA server protocol 1.2 and floodgate's extensions, without I/O.

use super::{parse_csa_move, parse_csa_position};
use crate::{Board, Move};
use std::{fmt, time::Duration};
use tesuji_game::{By, Outcome, Position, Side};

/// The clock of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// At the beginning.
    pub total: Duration,
    /// For each move once that is gone.
    pub byoyomi: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// The least time that each move counts.
    pub least: Duration,
}

/// A game that a server offers.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The server's name for the game.
    pub id: String,
    /// The players.
    pub names: [String; 2],
    /// The side that is ours.
    pub you: Side,
    /// Moves of a game at most, where there is a limit.
    pub moves_max: Option<u32>,
    /// The clocks.
    pub times: [Times; 2],
    /// The start of the game.
    pub start: Board,
    /// Moves that were played already, with the time that each took.
    pub moves: Vec<(Move, Duration)>,
}

/// The reason why lines are no summary of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryError {
    /// The line, from 1: that after `BEGIN Game_Summary`.
    pub line: usize,
    /// The error in words.
    pub words: String,
}

impl fmt::Display for SummaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the game's summary: {}", self.line, self.words)
    }
}

impl std::error::Error for SummaryError {}

/// A line of the server's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said<'a> {
    /// Nothing: it is there.
    Alive,
    /// We are logged in.
    LoggedIn,
    /// Name or password are wrong.
    Refused,
    /// We are logged out.
    LoggedOut,
    /// A summary of a game begins.
    Summary,
    /// A game begins.
    Start(&'a str),
    /// Somebody does not want it.
    Reject(&'a str),
    /// A move, as CSA writes it, and the time that it took.
    Move(&'a str, Duration),
    /// A word in place of a move, such as `%TORYO`, and the time that it took.
    Word(&'a str, Duration),
    /// The reason for the end of the game.
    Reason(&'a str),
    /// The result of the game for us.
    Result(CsaResult),
    /// Anything else.
    Other(&'a str),
}

/// The result of a game for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsaResult {
    /// Won.
    Win,
    /// Lost.
    Lose,
    /// Drawn.
    Draw,
    /// Ended without a result.
    Void,
}

/// Reads a line of the server's.
///
/// # Examples
/// ```
/// use tesuji_shogi::csa::{CsaResult, Said, said};
/// use std::time::Duration;
/// assert_eq!(said("+7776FU,T12"), Said::Move("+7776FU", Duration::from_secs(12)));
/// assert_eq!(said("%TORYO,T3"), Said::Word("%TORYO", Duration::from_secs(3)));
/// assert_eq!((said("#RESIGN"), said("#WIN")), (Said::Reason("#RESIGN"), Said::Result(CsaResult::Win)));
/// assert_eq!(said("LOGIN:me OK"), Said::LoggedIn);
/// ```
pub fn said(line: &str) -> Said<'_> {
    let line = line.trim();
    let (head, spent) = match line.split_once(",T") {
        Some((head, time)) => (head, time.split(',').next().and_then(|t| t.parse().ok()).map(Duration::from_secs)),
        None => (line, None),
    };
    let spent = spent.unwrap_or_default();
    match line {
        "" => return Said::Alive,
        "LOGIN:incorrect" => return Said::Refused,
        "LOGOUT:completed" => return Said::LoggedOut,
        "BEGIN Game_Summary" => return Said::Summary,
        "#WIN" => return Said::Result(CsaResult::Win),
        "#LOSE" => return Said::Result(CsaResult::Lose),
        "#DRAW" => return Said::Result(CsaResult::Draw),
        "#CENSORED" | "#CHUDAN" => return Said::Result(CsaResult::Void),
        _ => {}
    }
    if let Some(id) = line.strip_prefix("START:") {
        Said::Start(id)
    } else if let Some(rest) = line.strip_prefix("REJECT:") {
        Said::Reject(rest)
    } else if line.starts_with("LOGIN:") && line.ends_with(" OK") {
        Said::LoggedIn
    } else if head.starts_with(['+', '-']) && head.len() == 7 {
        Said::Move(head, spent)
    } else if head.starts_with('%') {
        Said::Word(head, spent)
    } else if line.starts_with('#') {
        Said::Reason(line)
    } else {
        Said::Other(line)
    }
}

/// The outcome of a game that ended with `ending` for `me`, by the server's reason.
pub fn outcome(me: Side, reason: &str, ending: CsaResult) -> Outcome {
    let by = match (reason, ending) {
        ("#RESIGN", _) => By::Resignation,
        ("#TIME_UP", _) => By::Time,
        ("#ILLEGAL_MOVE" | "#ILLEGAL_ACTION", _) => By::Illegal,
        ("#SENNICHITE" | "#OUTE_SENNICHITE", _) => By::Repetition,
        ("#JISHOGI", _) => By::Declaration,
        ("#MAX_MOVES", _) => By::MoveRule,
        ("#TSUMI", _) => By::Mate,
        (_, CsaResult::Void) => By::Void,
        (_, CsaResult::Draw) => By::Agreement,
        _ => By::Adjudication,
    };
    let winner = match ending {
        CsaResult::Win => Some(me),
        CsaResult::Lose => Some(!me),
        CsaResult::Draw | CsaResult::Void => None,
    };
    Outcome { winner, by }
}

impl Summary {
    /// Reads the lines between `BEGIN Game_Summary` and `END Game_Summary`.
    ///
    /// # Errors
    /// The line that is wrong, or what is missing.
    pub fn parse(lines: &[String]) -> Result<Summary, SummaryError> {
        let mut parts = Parts::default();
        for (i, line) in lines.iter().enumerate() {
            let wrong = |words: String| SummaryError { line: i + 1, words };
            parts.take(i, line.trim_end()).map_err(wrong)?;
        }
        let missing = |what: &str| SummaryError { line: lines.len(), words: format!("{what} is missing") };
        let Some(you) = parts.you else { return Err(missing("Your_Turn")) };
        let Some((first, position)) = &parts.position else { return Err(missing("BEGIN Position")) };
        let at_line = |(number, words): (usize, String)| SummaryError { line: first + number + 1, words };
        let start = parse_csa_position(&position.join("\n")).map_err(at_line)?;
        let (mut board, mut moves) = (start, Vec::new());
        for (line, text) in &parts.moves {
            let Said::Move(head, spent) = said(text) else {
                return Err(SummaryError { line: line + 1, words: format!("expected a move, found {text:?}") });
            };
            let mv = parse_csa_move(&board, head).filter(|&mv| board.is_legal(mv));
            let words = || SummaryError { line: line + 1, words: format!("{head} cannot be played there") };
            let mv = mv.ok_or_else(words)?;
            board.play(mv);
            moves.push((mv, spent));
        }
        let Parts { id, names, moves_max, times, .. } = parts;
        Ok(Summary { id, names, you, moves_max, times, start, moves })
    }
}

/// The parts of a summary read so far.
#[derive(Default)]
struct Parts {
    id: String,
    names: [String; 2],
    you: Option<Side>,
    moves_max: Option<u32>,
    times: [Times; 2],
    /// The sides of the times that are being told.
    timed: Option<Vec<usize>>,
    unit_ms: Option<u64>,
    position: Option<(usize, Vec<String>)>,
    is_position: bool,
    moves: Vec<(usize, String)>,
}

impl Parts {
    fn take(&mut self, number: usize, line: &str) -> Result<(), String> {
        match line {
            "BEGIN Time" => self.timed = Some(vec![0, 1]),
            "BEGIN Time+" => self.timed = Some(vec![0]),
            "BEGIN Time-" => self.timed = Some(vec![1]),
            "END Time" | "END Time+" | "END Time-" => self.timed = None,
            "BEGIN Position" => (self.is_position, self.position) = (true, Some((number + 1, Vec::new()))),
            "END Position" => self.is_position = false,
            _ if self.is_position => self.place(number, line),
            _ => {
                if let Some((name, value)) = line.split_once(':') {
                    self.field(name.trim(), value.trim())?;
                }
            }
        }
        Ok(())
    }

    fn place(&mut self, number: usize, line: &str) {
        match &mut self.position {
            _ if line.len() > 1 && line.starts_with(['+', '-']) => self.moves.push((number, line.to_string())),
            Some((_, lines)) => lines.push(line.to_string()),
            None => {}
        }
    }

    fn field(&mut self, name: &str, value: &str) -> Result<(), String> {
        let side = |value: &str| match value {
            "+" => Ok(Side::First),
            "-" => Ok(Side::Second),
            _ => Err(format!("{name}: expected + or -, found {value:?}")),
        };
        match name {
            "Game_ID" => self.id = value.to_string(),
            "Name+" => self.names[0] = value.to_string(),
            "Name-" => self.names[1] = value.to_string(),
            "Your_Turn" => self.you = Some(side(value)?),
            "Max_Moves" => self.moves_max = Some(number(name, value)?).filter(|&max| max > 0),
            "Time_Unit" => self.unit_ms = Some(unit_ms(value).ok_or(format!("{name}: {value:?} is no unit of time"))?),
            "Total_Time" | "Byoyomi" | "Increment" | "Least_Time_Per_Move" => self.time(name, value)?,
            // What the rest says, we do not need: versions, whose turn it is (the position tells), what comes after a draw.
            _ => {}
        }
        Ok(())
    }

    fn time(&mut self, name: &str, value: &str) -> Result<(), String> {
        let units: u32 = number(name, value)?;
        let time = Duration::from_millis(self.unit_ms.unwrap_or(1000).saturating_mul(u64::from(units)));
        for side in self.timed.clone().unwrap_or(vec![0, 1]) {
            let times = &mut self.times[side];
            match name {
                "Total_Time" => times.total = time,
                "Byoyomi" => times.byoyomi = time,
                "Increment" => times.increment = time,
                _ => times.least = time,
            }
        }
        Ok(())
    }
}

fn number(name: &str, value: &str) -> Result<u32, String> {
    value.parse().map_err(|_| format!("{name}: expected a number, found {value:?}"))
}

/// A unit such as `1sec`, `500msec` or `1min`.
fn unit_ms(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let count: u64 = if digits == 0 { 1 } else { text[..digits].parse().ok()? };
    let unit = match &text[digits..] {
        "msec" => 1,
        "sec" => 1000,
        "min" => 60_000,
        _ => return None,
    };
    count.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "Protocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\n\
        Game_ID:wdoor+floodgate-300-10F+a+b+20260801\nName+:a\nName-:b\nYour_Turn:-\nRematch_On_Draw:NO\nTo_Move:+\n\
        Max_Moves:256\nBEGIN Time\nTime_Unit:1sec\nTotal_Time:300\nByoyomi:0\nIncrement:10\nLeast_Time_Per_Move:0\n\
        END Time\nBEGIN Position\nPI\n+\n+7776FU,T12\n-3334FU,T6\nEND Position";

    fn parse(text: &str) -> Result<Summary, SummaryError> {
        Summary::parse(&text.lines().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn floodgates_summary_is_read() {
        let game = parse(GAME).unwrap();
        assert_eq!(
            (game.id.as_str(), game.you, game.moves_max),
            ("wdoor+floodgate-300-10F+a+b+20260801", Side::Second, Some(256))
        );
        assert_eq!(game.names, ["a", "b"]);
        let seconds = Duration::from_secs;
        let times = Times { total: seconds(300), increment: seconds(10), ..Times::default() };
        assert_eq!(game.times, [times; 2]);
        let moves: Vec<_> = game.moves.iter().map(|(mv, spent)| (mv.to_string(), spent.as_secs())).collect();
        assert_eq!(moves, [("7g7f".to_string(), 12), ("3c3d".to_string(), 6)]);
    }

    #[test]
    fn clocks_of_two_sides_are_told_apart() {
        let text = GAME.replace("BEGIN Time\n", "BEGIN Time+\nTime_Unit:1min\nByoyomi:1\nEND Time+\nBEGIN Time-\n");
        let game = parse(&text).unwrap();
        assert_eq!(game.times[0], Times { byoyomi: Duration::from_secs(60), ..Times::default() });
        assert_eq!(game.times[1].total, Duration::from_secs(300));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |from: &str, to: &str, expect: &str| {
            assert_eq!(parse(&GAME.replace(from, to)).unwrap_err().to_string(), format!("line {expect}"));
        };
        check("Your_Turn:-", "Your_Turn:x", "8 of the game's summary: Your_Turn: expected + or -, found \"x\"");
        check("Your_Turn:-\n", "", "23 of the game's summary: Your_Turn is missing");
        check(
            "Total_Time:300",
            "Total_Time:lots",
            "14 of the game's summary: Total_Time: expected a number, found \"lots\"",
        );
        check("1sec", "1moon", "13 of the game's summary: Time_Unit: \"1moon\" is no unit of time");
        check("-3334FU", "-3335FU", "23 of the game's summary: -3335FU cannot be played there");
        check("PI\n", "PX\n", &parse(&GAME.replace("PI\n", "PX\n")).unwrap_err().to_string()[5..]);
        assert!(parse(&GAME.replace("PI\n", "P1\n")).is_err());
    }

    #[test]
    fn endings_are_told_from_our_side() {
        let of = |reason, ending| outcome(Side::Second, reason, ending);
        assert_eq!(of("#TIME_UP", CsaResult::Win), Outcome { winner: Some(Side::Second), by: By::Time });
        assert_eq!(of("#OUTE_SENNICHITE", CsaResult::Lose), Outcome { winner: Some(Side::First), by: By::Repetition });
        assert_eq!(of("", CsaResult::Void), Outcome { winner: None, by: By::Void });
    }
}
