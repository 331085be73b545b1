//! `info` lines: written with the score before the line of moves, which stands last; read in any order.

use crate::{
    Glance, Info, ProtocolError, Score,
    words::{Words, number, push_line, small, time},
};
use std::fmt::Write;
use tesuji_game::{Bound, Value, Wdl};

/// The words that begin something in an `info` line; a list of moves ends at the next one.
const INFO_WORDS: [&str; 20] = [
    "depth",
    "seldepth",
    "multipv",
    "score",
    "cp",
    "mate",
    "lowerbound",
    "upperbound",
    "wdl",
    "nodes",
    "nps",
    "hashfull",
    "tbhits",
    "time",
    "currmove",
    "currmovenumber",
    "pv",
    "string",
    "refutation",
    "currline",
];

/// The beginning of a line that reports a fault ([`Reply::Fault`](crate::Reply::Fault)).
const FAULT_LINE: &[u8] = b"info string error: ";

/// The largest depth, or number of a line, that an engine can mean.
const PLIES_PLAUSIBLE: u64 = 65_535;
/// The largest number of nodes, or nodes a second: larger ones do not fit, and are read as the next.
const NODES_PLAUSIBLE: u64 = i64::MAX as u64 - 1;
/// The largest centipawns, either way, that an engine can mean: those of mates are some ten thousands in most.
const CP_PLAUSIBLE: u64 = 10_000_000;
/// Mates longer than this many moves are cut to it.
const MATE_MOVES_MAX: i64 = 500;

/// The unit of mate distances: the only difference between the `info` lines of UCI and USI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MateUnit {
    /// Moves of the engine (UCI).
    InMoves,
    /// Plies (USI).
    InPlies,
}

/// Classifies an `info` line by its bytes, without parsing.
pub(crate) fn glance_at(line: &[u8]) -> Glance {
    if !line.starts_with(b"info ") || line.starts_with(FAULT_LINE) {
        return Glance::Reply;
    }
    let has = |word: &[u8]| line.windows(word.len()).any(|w| w == word);
    let is_best = || !has(b" multipv ") || has(b" multipv 1 ");
    if has(b" score ") && is_best() { Glance::Score } else { Glance::News }
}

/// Writes `info`.
pub(crate) fn write_info(info: &Info, mates: MateUnit, out: &mut String) {
    out.push_str("info");
    let mut say = |word: &str, n: Option<u64>| {
        if let Some(n) = n {
            let _ = write!(out, " {word} {n}");
        }
    };
    say("depth", info.depth.map(u64::from));
    say("seldepth", info.depth_max.map(u64::from));
    say("multipv", info.rank.map(u64::from));
    if let Some(score) = info.score {
        write_score(score, mates, out);
    }
    if let Some(wdl) = info.wdl {
        let _ = write!(out, " wdl {} {} {}", wdl.win, wdl.draw, wdl.loss);
    }
    let mut say = |word: &str, n: Option<u64>| {
        if let Some(n) = n {
            let _ = write!(out, " {word} {n}");
        }
    };
    say("nodes", info.nodes);
    say("nps", info.speed);
    say("hashfull", info.hash_full.map(u64::from));
    say("tbhits", info.table_hits);
    say("time", info.time.map(|t| u64::try_from(t.as_millis()).unwrap_or(u64::MAX)));
    if let Some(mv) = &info.current {
        out.push_str(" currmove ");
        push_line(out, mv);
    }
    if let Some(n) = info.current_number {
        let _ = write!(out, " currmovenumber {n}");
    }
    if !info.pv.is_empty() {
        out.push_str(" pv");
        for mv in &info.pv {
            out.push(' ');
            push_line(out, mv);
        }
    }
    if let Some(text) = &info.text {
        out.push_str(" string ");
        push_line(out, text);
    }
    out.push('\n');
}

fn write_score(score: Score, mates: MateUnit, out: &mut String) {
    let _ = match score.value.mate_plies() {
        None => write!(out, " score cp {}", score.value.raw()),
        Some(plies) if mates == MateUnit::InPlies && plies > 0 => write!(out, " score mate {plies}"),
        Some(plies) if mates == MateUnit::InPlies => write!(out, " score mate -{}", -plies),
        Some(plies) if plies > 0 => write!(out, " score mate {}", (plies + 1) / 2),
        Some(plies) => write!(out, " score mate {}", plies / 2),
    };
    match score.bound {
        Bound::Exact => {}
        Bound::Lower => out.push_str(" lowerbound"),
        Bound::Upper => out.push_str(" upperbound"),
    }
}

/// Reads what follows the word `info`. Counts below zero, and numbers that no search can mean, are skipped.
pub(crate) fn read_info(mut words: Words, mates: MateUnit) -> Result<Info, ProtocolError> {
    let is_word = |w: &str| INFO_WORDS.contains(&w);
    let mut info = Info::default();
    let (mut value, mut bound) = (None, Bound::Exact);
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = unsigned(&mut words, "info depth")?.filter(|n| *n <= PLIES_PLAUSIBLE).map(small),
            "seldepth" => {
                info.depth_max = unsigned(&mut words, "info seldepth")?.filter(|n| *n <= PLIES_PLAUSIBLE).map(small)
            }
            "multipv" => info.rank = unsigned(&mut words, "info multipv")?.filter(|n| *n <= PLIES_PLAUSIBLE).map(small),
            "nodes" => info.nodes = unsigned(&mut words, "info nodes")?.filter(|n| *n <= NODES_PLAUSIBLE),
            "nps" => info.speed = unsigned(&mut words, "info nps")?.filter(|n| *n <= NODES_PLAUSIBLE),
            "hashfull" => info.hash_full = unsigned(&mut words, "info hashfull")?.map(small),
            "tbhits" => info.table_hits = unsigned(&mut words, "info tbhits")?.filter(|n| *n <= NODES_PLAUSIBLE),
            "time" => info.time = Some(time(signed(&mut words, "info time")?)),
            "currmovenumber" => info.current_number = unsigned(&mut words, "info currmovenumber")?.map(small),
            "currmove" => info.current = words.next().map(str::to_string),
            "cp" => {
                let n = signed(&mut words, "info score cp")?;
                value = (n.unsigned_abs() <= CP_PLAUSIBLE).then(|| Value::cp(n.clamp(-100_000, 100_000) as i32));
            }
            "mate" => value = Some(read_mate(&mut words, mates)?),
            "lowerbound" => bound = Bound::Lower,
            "upperbound" => bound = Bound::Upper,
            "wdl" => info.wdl = read_wdl(&mut words)?,
            "pv" => info.pv = words.until(is_word).into_iter().map(str::to_string).collect(),
            "refutation" | "currline" => drop(words.until(is_word)),
            "string" => {
                info.text = Some(words.rest().to_string());
                break;
            }
            _ => {}
        }
    }
    info.score = value.map(|value| Score { value, bound });
    Ok(info)
}

/// The distance of a mate. USI also knows `+` and `-`: a mate of unknown length.
fn read_mate(words: &mut Words, mates: MateUnit) -> Result<Value, ProtocolError> {
    if mates == MateUnit::InMoves {
        return Ok(mate_in_moves(signed(words, "info score mate")?));
    }
    const PLIES_MAX: i64 = 2 * MATE_MOVES_MAX;
    let plies = match words.peek() {
        Some("+") => PLIES_MAX,
        Some("-") => -PLIES_MAX,
        _ => signed(&mut words.clone(), "info score mate")?.clamp(-PLIES_MAX, PLIES_MAX),
    } as i32;
    words.next();
    Ok(if plies > 0 { Value::mate_in(plies) } else { Value::mated_in(-plies) })
}

/// UCI counts in moves of the engine, values in plies.
fn mate_in_moves(moves: i64) -> Value {
    let moves = moves.clamp(-MATE_MOVES_MAX, MATE_MOVES_MAX) as i32;
    if moves > 0 { Value::mate_in(2 * moves - 1) } else { Value::mated_in(-2 * moves) }
}

fn read_wdl(words: &mut Words) -> Result<Option<Wdl>, ProtocolError> {
    let mut part = || -> Result<u16, ProtocolError> { Ok(signed(words, "info wdl")?.clamp(0, 1000) as u16) };
    Ok(Some(Wdl { win: part()?, draw: part()?, loss: part()? }))
}

fn signed(words: &mut Words, after: &'static str) -> Result<i64, ProtocolError> {
    const EXPECTED: &str = "a whole number";
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    number(word).ok_or_else(|| ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() })
}

fn unsigned(words: &mut Words, after: &'static str) -> Result<Option<u64>, ProtocolError> {
    Ok(u64::try_from(signed(words, after)?).ok())
}
