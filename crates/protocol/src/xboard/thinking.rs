//! Lines of thinking: `PLY SCORE TIME NODES PV`, time in hundredths of a second, mates as 100000 and the moves to it.

use crate::{
    Info, Score,
    words::{number, push_line},
};
use std::{fmt::Write, time::Duration};
use tesuji_game::{Bound, Value};

/// Scores from here on are mates.
const MATE: i64 = 100_000;

/// Whether a line may be one of thinking: it begins with a number.
pub(super) fn looks_like_thinking(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && matches!(line.get(digits), Some(b' ' | b'\t' | b'&' | b'.' | b'+' | b'-' | b'?' | b'!'))
}

/// Reads a line of thinking.
pub(super) fn read_thinking(line: &str) -> Option<Info> {
    let mut rest = line.trim_start();
    let mut next = || {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        rest = after.trim_start();
        word
    };
    let depth = number(next().trim_end_matches(['&', '.', '+', '-', '?', '!']))?;
    let score = number(next())?;
    let time = number(next())?;
    let nodes = number(next())?;
    // Some engines add depth, speed and table hits, ended by a tab.
    let pv = rest.split_once('\t').map_or(rest, |(_, pv)| pv);
    let (pv, bound) = match pv.trim_end() {
        pv if pv.ends_with('?') => (pv.trim_end_matches('?'), Bound::Upper),
        pv if pv.ends_with('!') => (pv.trim_end_matches('!'), Bound::Lower),
        pv => (pv, Bound::Exact),
    };
    Some(Info {
        depth: Some(depth.clamp(0, i64::from(u32::MAX)) as u32),
        score: Some(Score { value: value(score), bound }),
        time: Some(Duration::from_millis(time.clamp(0, 1 << 40).unsigned_abs() * 10)),
        nodes: u64::try_from(nodes).ok(),
        pv: pv.split_whitespace().map(str::to_string).collect(),
        ..Info::default()
    })
}

/// Writes a line of thinking; nothing where there is no score or no line, or of other lines than the best.
pub(super) fn write_thinking(info: &Info, out: &mut String) {
    let (Some(depth), Some(score)) = (info.depth, info.score) else { return };
    if info.pv.is_empty() || info.rank.is_some_and(|rank| rank > 1) {
        return;
    }
    let (time, nodes) = (info.time.unwrap_or_default().as_millis() / 10, info.nodes.unwrap_or(0));
    let _ = write!(out, "{depth} {} {time} {nodes}", score_number(score.value));
    for mv in &info.pv {
        out.push(' ');
        push_line(out, mv);
    }
    out.push_str(match score.bound {
        Bound::Exact => "\n",
        Bound::Lower => " !\n",
        Bound::Upper => " ?\n",
    });
}

fn score_number(value: Value) -> i64 {
    match value.mate_plies() {
        Some(plies) if plies > 0 => MATE + i64::from(plies + 1) / 2,
        Some(plies) => -MATE + i64::from(plies) / 2,
        None => i64::from(value.raw()),
    }
}

fn value(score: i64) -> Value {
    let moves = |distance: i64| distance.clamp(0, 400) as i32;
    if score >= MATE {
        Value::mate_in((2 * moves(score - MATE) - 1).max(1))
    } else if score <= -MATE {
        Value::mated_in(2 * moves(-MATE - score))
    } else {
        Value::cp(score as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_is_read() {
        let info = read_thinking("  9 156 1084 48000 e2e4 e7e5").unwrap();
        assert_eq!((info.depth, info.nodes, info.time), (Some(9), Some(48000), Some(Duration::from_millis(10_840))));
        assert_eq!(info.score, Some(Score { value: Value::cp(156), bound: Bound::Exact }));
        assert_eq!(info.pv, ["e2e4", "e7e5"]);
        let info = read_thinking("12& -100002 5 7 30 1000 0\td7d5 ?").unwrap();
        assert_eq!(info.score, Some(Score { value: Value::mated_in(4), bound: Bound::Upper }));
        assert_eq!((info.depth, info.pv), (Some(12), vec!["d7d5".to_string()]));
        for line in ["9 156 1084 48000 e2e4 e7e5\n", "12 -100002 5 7 d7d5 ?\n", "3 100003 0 1 e2e4\n"] {
            let mut out = String::new();
            write_thinking(&read_thinking(line).unwrap(), &mut out);
            assert_eq!(out, line);
        }
        assert_eq!(read_thinking("3 moves"), None);
        assert!(looks_like_thinking(b" 12 3 4 5") && looks_like_thinking(b"7\t1"));
        assert!(!looks_like_thinking(b"move e2e4") && !looks_like_thinking(b"1-0x") || looks_like_thinking(b"1-0 {x}"));
    }
}
