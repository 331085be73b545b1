//! Results of games in the words of `RE`, and the property `END` for reasons that those words lack.

use std::fmt::Write;
use tesuji_game::{By, Outcome, Side};

/// Reads a result, with the variations that servers write: `B+3.5`, `w+resign`, `Jigo`. Inside, `None` is an unknown
/// one; `None` outside is what is no result.
#[allow(clippy::option_option)]
pub(crate) fn read_result(text: &str) -> Option<Option<Outcome>> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    match plain.as_str() {
        "" | "?" | "unknown" => return Some(None),
        "0" | "draw" | "jigo" => return Some(Some(Outcome::draw(By::Points(0.0)))),
        "void" => return Some(Some(Outcome::draw(By::Void))),
        _ => {}
    }
    let (winner, how) = plain.split_once('+')?;
    let winner = match winner {
        "b" | "black" => crate::BLACK,
        "w" | "white" => crate::WHITE,
        _ => return None,
    };
    let by = match how {
        "" | "?" => By::Adjudication,
        "r" | "res" | "resign" | "resignation" => By::Resignation,
        "t" | "time" => By::Time,
        "f" | "forfeit" => By::Disconnect,
        margin => By::Points(read_margin(margin)?),
    };
    Some(Some(Outcome::win(winner, by)))
}

/// Digits with at most one point or comma.
fn read_margin(text: &str) -> Option<f32> {
    let text = text.replace(',', ".");
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.') && text.starts_with(|c: char| c.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// The words of `RE` for an outcome, which may say less than it does.
pub(crate) fn result_text(outcome: &Outcome) -> String {
    let Some(winner) = outcome.winner else {
        return if outcome.by == By::Void { "Void" } else { "0" }.into();
    };
    let letter = if winner == Side::First { 'B' } else { 'W' };
    match outcome.by {
        By::Points(margin) if margin.is_finite() && margin >= 0.0 => format!("{letter}+{margin}"),
        By::Resignation => format!("{letter}+R"),
        By::Time => format!("{letter}+T"),
        By::Adjudication | By::Points(_) => format!("{letter}+"),
        _ => format!("{letter}+F"),
    }
}

/// Reasons that `RE` cannot tell, and their words.
const REASONS: [(By, &str); 10] = [
    (By::Mate, "mate"),
    (By::NoMoves, "no-moves"),
    (By::Repetition, "repetition"),
    (By::Superiority, "superiority"),
    (By::MoveRule, "move-rule"),
    (By::Material, "material"),
    (By::Declaration, "declaration"),
    (By::Illegal, "illegal"),
    (By::Agreement, "agreement"),
    (By::Void, "void"),
];

/// More of them, which `RE` can tell for one side but not for a draw.
const REASONS_OF_DRAWS: [(By, &str); 4] = [
    (By::Resignation, "resignation"),
    (By::Time, "time"),
    (By::Adjudication, "adjudication"),
    (By::Disconnect, "disconnect"),
];

/// The text that `END` must add to [`result_text`] so that the outcome reads back; `None` where nothing is missing.
pub(super) fn reason_text(outcome: &Outcome) -> Option<String> {
    if read_result(&result_text(outcome)) == Some(Some(*outcome)) {
        return None;
    }
    let mut text = String::new();
    match outcome.by {
        By::Points(margin) => drop(write!(text, "points {margin}")),
        by => text.push_str(REASONS.iter().chain(&REASONS_OF_DRAWS).find(|r| r.0 == by)?.1),
    }
    Some(text)
}

/// The inverse of [`reason_text`].
pub(super) fn read_reason(text: &str) -> Option<By> {
    if let Some(margin) = text.strip_prefix("points ") {
        return margin.parse().ok().filter(|m: &f32| m.is_finite()).map(By::Points);
    }
    REASONS.iter().chain(&REASONS_OF_DRAWS).find(|r| r.1 == text).map(|r| r.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BLACK, WHITE};

    #[test]
    fn results_are_read_as_servers_write_them() {
        let check = |text: &str, expect| assert_eq!(read_result(text), expect, "{text}");
        check("B+3.5", Some(Some(Outcome::win(BLACK, By::Points(3.5)))));
        check("W+64", Some(Some(Outcome::win(WHITE, By::Points(64.0)))));
        check("w + 0,5", Some(Some(Outcome::win(WHITE, By::Points(0.5)))));
        check("B+R", Some(Some(Outcome::win(BLACK, By::Resignation))));
        check("Black+Resign", Some(Some(Outcome::win(BLACK, By::Resignation))));
        check("W+Time", Some(Some(Outcome::win(WHITE, By::Time))));
        check("B+Forfeit", Some(Some(Outcome::win(BLACK, By::Disconnect))));
        check("B+", Some(Some(Outcome::win(BLACK, By::Adjudication))));
        check("Jigo", Some(Some(Outcome::draw(By::Points(0.0)))));
        check("Void", Some(Some(Outcome::draw(By::Void))));
        check("?", Some(None));
        for bad in ["B", "B3.5", "X+1", "B+inf", "B+1e3", "B+-1", "B+1.2.3", "黑中盘胜"] {
            check(bad, None);
        }
    }

    #[test]
    fn every_outcome_reads_back() {
        let mut reasons: Vec<By> = REASONS.iter().chain(&REASONS_OF_DRAWS).map(|r| r.0).collect();
        reasons.extend([0.0, 0.5, 1.0, 123.25, 1e9, -2.5].map(By::Points));
        for by in reasons {
            for winner in [None, Some(BLACK), Some(WHITE)] {
                let outcome = Outcome { winner, by };
                let mut back = read_result(&result_text(&outcome)).unwrap().unwrap();
                if let Some(text) = reason_text(&outcome) {
                    back.by = read_reason(&text).unwrap();
                }
                assert_eq!(back, outcome);
            }
        }
    }
}
