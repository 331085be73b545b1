//! Ends games that both engines think decided or drawn. Everything is off unless asked for.

use std::fmt;
use std::str::FromStr;
use tesuji_game::{By, Outcome, Side, Value};

/// When a runner ends a game before the rules do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Adjudication {
    /// The side that thinks itself lost resigns.
    pub resign: Option<ResignRule>,
    /// The rule for draws that both players agree on by their values.
    pub draw: Option<DrawRule>,
    /// A game of this many plies, counted from its opening's start, is drawn.
    pub plies_max: Option<u32>,
}

/// Resignation by value. Written `MOVES/CP`, or `MOVES/CP/both`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResignRule {
    /// This many moves of the loser in a row…
    pub moves: u32,
    /// …with a value of at most minus this, in centipawns.
    pub score_cp: u32,
    /// Whether the winner's values must agree.
    pub both_sides: bool,
}

/// A draw by value. Written `FROM/MOVES/CP`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawRule {
    /// Not before each side has made this many moves.
    pub from_move: u32,
    /// This many moves of each side in a row…
    pub moves: u32,
    /// …with a value of at most this on either side of zero, in centipawns.
    pub score_cp: u32,
}

impl fmt::Display for ResignRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}{}", self.moves, self.score_cp, if self.both_sides { "/both" } else { "" })
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.from_move, self.moves, self.score_cp)
    }
}

impl FromStr for ResignRule {
    type Err = String;

    fn from_str(text: &str) -> Result<ResignRule, String> {
        let error = || format!("{text:?} is no resign rule: expected MOVES/CP or MOVES/CP/both, as in 4/600");
        let (rest, both_sides) = match text.strip_suffix("/both") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let [moves, score_cp] = numbers(rest).ok_or_else(error)?;
        if moves == 0 { Err(error()) } else { Ok(ResignRule { moves, score_cp, both_sides }) }
    }
}

impl FromStr for DrawRule {
    type Err = String;

    fn from_str(text: &str) -> Result<DrawRule, String> {
        let error = || format!("{text:?} is no draw rule: expected FROM/MOVES/CP, as in 34/8/20");
        let [from_move, moves, score_cp] = numbers(text).ok_or_else(error)?;
        if moves == 0 { Err(error()) } else { Ok(DrawRule { from_move, moves, score_cp }) }
    }
}

/// Exactly `N` numbers between slashes.
fn numbers<const N: usize>(text: &str) -> Option<[u32; N]> {
    let parts: Option<Vec<u32>> = text.split('/').map(|part| part.trim().parse().ok()).collect();
    parts?.try_into().ok()
}

/// Watches the values of a game.
#[derive(Debug, Clone, Default)]
pub(crate) struct Adjudicator {
    rules: Adjudication,
    plies: u32,
    /// Of each side, the last moves in a row with a value that loses, wins, draws.
    losing: [u32; 2],
    winning: [u32; 2],
    drawing: [u32; 2],
}

impl Adjudicator {
    /// Watches a game that has `plies` behind it.
    pub(crate) fn new(rules: Adjudication, plies: u32) -> Adjudicator {
        Adjudicator { rules, plies, ..Adjudicator::default() }
    }

    /// `side` chose a move, with this value for itself. A move without a value ends every row. A side that resigns by the rule does so
    /// instead of this move where it has lost, and after it where its opponent has.
    pub(crate) fn after(&mut self, side: Side, value: Option<Value>) -> Option<Outcome> {
        self.plies += 1;
        let (me, other) = (side.index(), (!side).index());
        let cp = value.map(Value::raw);
        let count = |row: &mut u32, holds: bool| *row = if holds { *row + 1 } else { 0 };
        if let Some(rule) = self.rules.resign {
            let score = i64::from(rule.score_cp);
            count(&mut self.losing[me], cp.is_some_and(|v| i64::from(v) <= -score));
            count(&mut self.winning[me], cp.is_some_and(|v| i64::from(v) >= score));
            let agrees = !rule.both_sides || self.winning[other] >= rule.moves;
            if self.losing[me] >= rule.moves && agrees {
                return Some(Outcome::win(!side, By::Resignation));
            }
            if rule.both_sides && self.winning[me] >= rule.moves && self.losing[other] >= rule.moves {
                return Some(Outcome::win(side, By::Resignation));
            }
        }
        if let Some(rule) = self.rules.draw {
            count(&mut self.drawing[me], cp.is_some_and(|v| v.unsigned_abs() <= rule.score_cp));
            let old_enough = self.plies >= rule.from_move.saturating_mul(2);
            if old_enough && self.drawing.iter().all(|&row| row >= rule.moves) {
                return Some(Outcome::draw(By::Adjudication));
            }
        }
        self.rules.plies_max.filter(|&max| self.plies >= max).map(|_| Outcome::draw(By::Adjudication))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds values of alternating sides; the index of the move that ended the game, and the winner.
    fn check(rules: Adjudication, values: &[i32], expect: Option<(usize, Option<Side>)>) {
        let mut watch = Adjudicator::new(rules, 0);
        let mut side = Side::First;
        let ended = values.iter().enumerate().find_map(|(i, &v)| {
            let outcome = watch.after(side, Some(Value::cp(v)));
            side = !side;
            outcome.map(|o| (i, o.winner))
        });
        assert_eq!(ended, expect, "{values:?}");
    }

    #[test]
    fn losers_resign() {
        let one = Adjudication { resign: "2/500".parse().ok(), ..Adjudication::default() };
        check(one, &[0, -600, 0, -600], Some((3, Some(Side::First))));
        check(one, &[0, -600, 0, -400, 0, -600], None);
        check(one, &[-500, 0, -500], Some((2, Some(Side::Second))));
        let both = Adjudication { resign: "2/500/both".parse().ok(), ..Adjudication::default() };
        check(both, &[0, -600, 0, -600, 500, -600, 500], Some((6, Some(Side::First))));
    }

    /// Help said that the side resigns, records and summaries said adjudication.
    #[test]
    fn who_resigns_by_rule_has_resigned() {
        let rules = Adjudication { resign: "1/500".parse().ok(), ..Adjudication::default() };
        let outcome = Adjudicator::new(rules, 0).after(Side::First, Some(Value::cp(-600)));
        assert_eq!(outcome, Some(Outcome::win(Side::Second, By::Resignation)));
    }

    #[test]
    fn draws_need_both_and_age() {
        let rules = Adjudication { draw: "3/2/10".parse().ok(), ..Adjudication::default() };
        check(rules, &[0, 0, 0, 0, 0, 0], Some((5, None)));
        check(rules, &[0, 50, 0, 0, 0, 0], Some((5, None)));
        check(rules, &[0, 50, 0, 50, 0, 0], None);
    }

    #[test]
    fn long_games_end() {
        let rules = Adjudication { plies_max: Some(3), ..Adjudication::default() };
        check(rules, &[900, -900, 900, -900], Some((2, None)));
        check(Adjudication::default(), &[0; 100], None);
    }

    #[test]
    fn rules_are_read() {
        for bad in ["", "4", "4/x", "0/5", "1/2/3/4", "-1/5"] {
            assert!(bad.parse::<ResignRule>().is_err() && bad.parse::<DrawRule>().is_err(), "{bad}");
        }
    }
}
