//! Analyses in GTP: the words of `lz-analyze` and `kata-analyze`, and the lines that answer them.

use super::words::side;
use crate::{
    Go, ProtocolError, Stream,
    words::{Words, number},
};
use std::{fmt::Write, time::Duration};
use tesuji_game::{Candidate, Limits, Report};

/// Time between reports where the command says none.
const EVERY_USUAL: Duration = Duration::from_secs(1);
/// The most lines of a report.
const LINES_MAX: usize = 1000;
/// Deviations below its winrate at which a move's bound lies.
const BOUND_DEVIATIONS: f64 = 1.96;

/// In whose manner an analysis is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// Leela Zero's: winrates in ten thousandths.
    Leela,
    /// KataGo's: more numbers, winrates as fractions.
    Kata,
}

/// The format of an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    manner: Manner,
    lines_min: usize,
    lines_max: usize,
    ownership: bool,
    root: bool,
}

/// Reads what follows an analysing command: `[COLOUR] [INTERVAL] KEY VALUE …`, the interval in hundredths of a second.
pub(super) fn read(
    words: &mut Words,
    manner: Manner,
    commit: bool,
    after: &'static str,
) -> Result<(Go, Style), ProtocolError> {
    let mut style = Style { manner, lines_min: 0, lines_max: LINES_MAX, ownership: false, root: false };
    let limits = Limits { infinite: !commit, ..Limits::default() };
    let mut go = Go { commit, limits, ..Go::default() };
    let mut every = EVERY_USUAL;
    while let Some(word) = words.peek() {
        if let Some(n) = number(word) {
            words.next();
            every = centiseconds(n);
            continue;
        }
        match word.to_ascii_lowercase().as_str() {
            "b" | "w" | "black" | "white" => go.side = Some(side(words, after)?),
            "interval" => every = centiseconds(value(words, after)?),
            "minmoves" => style.lines_min = value(words, after)?.clamp(0, LINES_MAX as i64) as usize,
            "maxmoves" => style.lines_max = value(words, after)?.clamp(1, LINES_MAX as i64) as usize,
            "ownership" => style.ownership = flag(words, after)?,
            "rootinfo" => style.root = flag(words, after)?,
            // Asked of KataGo; nothing of ours answers them.
            "ownershipstdev"
            | "movesownership"
            | "movesownershipstdev"
            | "pvvisits"
            | "pvedgevisits"
            | "noresultvalue" => {
                flag(words, after)?;
            }
            key @ ("avoid" | "allow") => {
                words.next();
                let moves = only_some(words, after)?;
                if key == "avoid" { &mut go.avoid } else { &mut go.only }.extend(moves);
            }
            _ => {
                let expected = "an interval, minmoves, maxmoves, avoid, allow, ownership or rootInfo";
                return Err(ProtocolError::Wrong { after, expected, found: word.to_string() });
            }
        }
    }
    go.stream = Some(Stream { every, lines: style.lines_max });
    Ok((go, style))
}

fn centiseconds(n: i64) -> Duration {
    Duration::from_millis(n.clamp(1, 100_000_000) as u64 * 10)
}

/// The number after the next word.
fn value(words: &mut Words, after: &'static str) -> Result<i64, ProtocolError> {
    const EXPECTED: &str = "a number after each of its words";
    words.next();
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    number(word).ok_or_else(|| ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() })
}

/// `true` or `false` after the next word.
fn flag(words: &mut Words, after: &'static str) -> Result<bool, ProtocolError> {
    const EXPECTED: &str = "true or false";
    words.next();
    match words.next().map(str::to_ascii_lowercase).as_deref() {
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(found) => Err(ProtocolError::Wrong { after, expected: EXPECTED, found: found.to_string() }),
        None => Err(ProtocolError::Missing { after, expected: EXPECTED }),
    }
}

/// `COLOUR POINT,POINT,… DEPTH`: moves to leave out or to look at alone. Only the root's are heeded, whatever the depth.
fn only_some(words: &mut Words, after: &'static str) -> Result<Vec<String>, ProtocolError> {
    side(words, after)?;
    let expected = "points parted by commas";
    let points = words.next().ok_or(ProtocolError::Missing { after, expected })?;
    let depth = words.next().ok_or(ProtocolError::Missing { after, expected: "a depth" })?;
    if number(depth).is_none() {
        return Err(ProtocolError::Wrong { after, expected: "a depth", found: depth.to_string() });
    }
    Ok(points.split(',').filter(|point| !point.is_empty()).map(str::to_string).collect())
}

/// Appends the line that tells `report`; nothing where there is nothing to tell.
pub(super) fn write(report: &Report<String>, style: &Style, out: &mut String) {
    let seen = report.lines.iter().enumerate().filter(|(i, line)| line.visits > 0 || *i < style.lines_min);
    let mut is_first = true;
    for (order, line) in seen.take(style.lines_max) {
        if !is_first {
            out.push(' ');
        }
        is_first = false;
        match style.manner {
            Manner::Leela => write_leela(line, order, out),
            Manner::Kata => write_kata(line, order, report, out),
        }
    }
    if is_first {
        return;
    }
    if style.root {
        let winrate = report.lines.first().map_or(0.5, winrate);
        let visits: u64 = report.lines.iter().map(|line| line.visits).sum();
        let _ = write!(out, " rootInfo visits {visits} winrate {winrate:.6} scoreLead {:.3}", margin(None, report));
    }
    if style.ownership && !report.ownership.is_empty() {
        out.push_str(" ownership");
        report.ownership.iter().for_each(|owned| {
            let _ = write!(out, " {owned:.4}");
        });
    }
    out.push('\n');
}

fn write_leela(line: &Candidate<String>, order: usize, out: &mut String) {
    let parts = |share: f64| (share * 10_000.0).round() as u32;
    let (rate, prior) = (winrate(line), f64::from(line.prior));
    let _ = write!(
        out,
        "info move {} visits {} winrate {} prior {} lcb {} order {order} pv {}",
        line.pv[0],
        line.visits,
        parts(rate),
        parts(prior),
        parts(bound(rate, line.visits)),
        line.pv.join(" ")
    );
}

fn write_kata(line: &Candidate<String>, order: usize, report: &Report<String>, out: &mut String) {
    let rate = winrate(line);
    let (lead, lcb, visits) = (margin(line.margin, report), bound(rate, line.visits), line.visits);
    let _ = write!(
        out,
        "info move {} visits {visits} edgeVisits {visits} utility {:.6} winrate {rate:.6} scoreMean {lead:.3} \
         scoreLead {lead:.3} scoreSelfplay {lead:.3} prior {:.6} lcb {lcb:.6} utilityLcb {:.6} weight {visits} order {order} pv {}",
        line.pv[0],
        2.0 * rate - 1.0,
        line.prior,
        2.0 * lcb - 1.0,
        line.pv.join(" ")
    );
}

/// The margin of a move, or the root's where nothing else is known.
fn margin(own: Option<f32>, report: &Report<String>) -> f32 {
    own.or(report.margin).unwrap_or(0.0)
}

/// The chance to win, in 0..=1, for the side to move.
fn winrate(line: &Candidate<String>) -> f64 {
    f64::from(line.expected.unwrap_or(0.0)).mul_add(0.5, 0.5)
}

/// The lower confidence bound of the winrate, given this many visits.
fn bound(winrate: f64, visits: u64) -> f64 {
    let deviation = (winrate * (1.0 - winrate) / visits.max(1) as f64).sqrt();
    (winrate - BOUND_DEVIATIONS * deviation).max(0.0)
}
