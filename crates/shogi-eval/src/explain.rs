//! An evaluation term by term: counts, weights and contributions of both sides that sum exactly to the value played.

use crate::{HandEval, terms::TERMS};
use serde::Serialize;
use std::fmt;
use tesuji_game::{Position, Side};
use tesuji_shogi::Board;
use tesuji_tally::{Tally, Weights, feature_name};

/// One feature that is there: how often for each side, its weights, what it adds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// The feature's name, with its index where the term has several (`psq_silver.60`).
    pub name: String,
    /// The group of its term.
    pub group: &'static str,
    /// Black's count.
    pub black: i32,
    /// White's count.
    pub white: i32,
    /// Weight in the middlegame, in centipawns.
    pub weight_mg: i32,
    /// Weight in the endgame, in centipawns.
    pub weight_eg: i32,
    /// What it adds to the middlegame sum, for Black.
    pub adds_mg: i32,
    /// What it adds to the endgame sum, for Black.
    pub adds_eg: i32,
}

/// A whole evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Every feature that is there.
    pub lines: Vec<Line>,
    /// How much of a middlegame it is, in 256ths.
    pub phase: i32,
    /// Sum of the middlegame, for Black.
    pub sum_mg: i32,
    /// Sum of the endgame, for Black.
    pub sum_eg: i32,
    /// The value for Black, in centipawns: the sums blended by phase.
    pub black: i32,
    /// The value for the side to move, in centipawns.
    pub to_move: i32,
}

/// Counts of both sides apart.
#[derive(Default)]
struct Apart {
    counts: Vec<[i32; 2]>,
}

impl Tally for Apart {
    fn add(&mut self, feature: usize, count: i32) {
        self.add_for(count.signum(), feature, count.abs());
    }

    fn add_for(&mut self, sign: i32, feature: usize, count: i32) {
        if self.counts.len() <= feature {
            self.counts.resize(feature + 1, [0; 2]);
        }
        self.counts[feature][usize::from(sign < 0)] += count;
    }
}

/// Explains the value of `board` by `weights`.
pub fn explain(board: &Board, weights: &Weights) -> Explanation {
    let mut apart = Apart::default();
    let blend = crate::tally(board, &mut apart);
    let mut lines = Vec::new();
    for (feature, &[black, white]) in apart.counts.iter().enumerate().filter(|(_, c)| **c != [0, 0]) {
        let [mg, eg] = weights.values[feature].map(i32::from);
        let group = TERMS.iter().find(|t| t.range().contains(&feature)).map_or("", |t| t.group);
        lines.push(Line {
            name: feature_name(TERMS, feature),
            group,
            black,
            white,
            weight_mg: mg,
            weight_eg: eg,
            adds_mg: (black - white) * mg,
            adds_eg: (black - white) * eg,
        });
    }
    let (sum_mg, sum_eg) = lines.iter().fold((0, 0), |(mg, eg), l| (mg + l.adds_mg, eg + l.adds_eg));
    let black = blend.value_of(sum_mg, sum_eg);
    let to_move = if board.side_to_move() == Side::First { black } else { -black };
    Explanation { lines, phase: blend.phase, sum_mg, sum_eg, black, to_move }
}

impl Explanation {
    /// Whether the lines sum to the value that `eval` plays.
    pub fn agrees_with(&self, eval: &HandEval, board: &Board) -> bool {
        self.black == eval.fresh_value(board)
    }
}

/// A table by groups, those that add most first within each.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<28} {:>6} {:>6}  {:>13}  {:>15}", "term", "Black", "White", "weight mg/eg", "adds mg/eg")?;
        let mut groups: Vec<&str> = Vec::new();
        for line in &self.lines {
            if !groups.contains(&line.group) {
                groups.push(line.group);
            }
        }
        for group in groups {
            let mut lines: Vec<&Line> = self.lines.iter().filter(|l| l.group == group).collect();
            lines.sort_by_key(|l| -(l.adds_mg.abs() + l.adds_eg.abs()));
            let (mg, eg) = lines.iter().fold((0, 0), |(mg, eg), l| (mg + l.adds_mg, eg + l.adds_eg));
            writeln!(f, "{group:<28} {:>6} {:>6}  {:>13}  {mg:>+7} {eg:>+7}", "", "", "")?;
            for l in lines {
                let Line { name, black, white, weight_mg, weight_eg, adds_mg, adds_eg, .. } = l;
                writeln!(
                    f,
                    "  {name:<26} {black:>6} {white:>6}  {weight_mg:>6} {weight_eg:>6}  {adds_mg:>+7} {adds_eg:>+7}"
                )?;
            }
        }
        writeln!(f, "sums for Black: middlegame {:+}, endgame {:+}", self.sum_mg, self.sum_eg)?;
        writeln!(f, "phase {}/256", self.phase)?;
        write!(f, "value: {:+} cp for Black, {:+} cp for the side to move", self.black, self.to_move)
    }
}
