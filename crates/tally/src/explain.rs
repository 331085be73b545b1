//! An evaluation term by term: counts, weights and contributions of both sides that sum exactly to the value played.

use crate::{Linear, Tally, Weights, feature_name};
use serde::Serialize;
use std::fmt;

/// One feature that is there: how often for each side, its weights, what it adds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// The feature's name, with its index where the term has several (`psq_knight.27`).
    pub name: String,
    /// The group of its term.
    pub group: &'static str,
    /// The first side's count.
    pub first: i32,
    /// The second side's count.
    pub second: i32,
    /// Weight in the middlegame, in centipawns.
    pub weight_mg: i32,
    /// Weight in the endgame, in centipawns.
    pub weight_eg: i32,
    /// Its contribution to the middlegame sum, for the first side.
    pub adds_mg: i32,
    /// Its contribution to the endgame sum, for the first side.
    pub adds_eg: i32,
}

/// A whole evaluation. Serialises to an object of these fields.
///
/// # Examples
///
/// ```
/// use tesuji_tally::{Blend, Explanation, Linear, Tally, Term, Weights};
/// struct Material;
/// impl Linear<[i32; 2]> for Material {
///     fn terms() -> &'static [Term] {
///         &[Term {
///             name: "material",
///             group: "material",
///             first: 0,
///             len: 1,
///             columns: 0,
///             unit: 1,
///             doc: "Pieces on the board.",
///             source: "Shannon (1950)",
///         }]
///     }
///     fn tally<T: Tally>(pos: &[i32; 2], t: &mut T) -> Blend {
///         t.add_for(1, 0, pos[0]);
///         t.add_for(-1, 0, pos[1]);
///         Blend::of_phase(64)
///     }
/// }
/// let mut weights = Weights::zero(1);
/// weights.values[0] = [100, 140];
/// let explained = Explanation::of::<_, Material>(&[5, 3], &weights, ["White", "Black"], true, None);
/// let line = &explained.lines[0];
/// assert_eq!((line.name.as_str(), line.first, line.second, line.adds_mg, line.adds_eg), ("material", 5, 3, 200, 280));
/// assert_eq!((explained.value, explained.to_move), (260, -260));
/// assert_eq!(explained.blended(200, 280), 260.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The names of the sides, no matter who moves first before the other.
    pub sides: [&'static str; 2],
    /// Every feature that is there.
    pub lines: Vec<Line>,
    /// The game phase: the share of the middlegame, in 256ths.
    pub phase: i32,
    /// The factor on an endgame's value in drawish endings, in 64ths.
    pub scale: i32,
    /// Sum of the middlegame, for the first side.
    pub sum_mg: i32,
    /// Sum of the endgame, for the first side.
    pub sum_eg: i32,
    /// The part that is not linear in any weight and added last: its name, and centipawns for the first side.
    pub rest: Option<(&'static str, i32)>,
    /// The value for the first side, in centipawns: the sums blended by phase, scaled, and the rest.
    pub value: i32,
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

impl Explanation {
    /// Explains the value of `pos` by `weights`. `sides` are the names of the sides, the first one before the other;
    /// `second_moves` says whose turn it is; `rest` is what the evaluation adds without weights.
    pub fn of<P, E: Linear<P>>(
        pos: &P,
        weights: &Weights,
        sides: [&'static str; 2],
        second_moves: bool,
        rest: Option<(&'static str, i32)>,
    ) -> Explanation {
        let mut apart = Apart::default();
        let blend = E::tally(pos, &mut apart);
        let mut lines = Vec::new();
        for (feature, &[first, second]) in apart.counts.iter().enumerate().filter(|(_, c)| **c != [0, 0]) {
            let [weight_mg, weight_eg] = weights.values[feature].map(i32::from);
            lines.push(Line {
                name: feature_name(E::terms(), feature),
                group: E::terms().iter().find(|t| t.range().contains(&feature)).map_or("", |t| t.group),
                first,
                second,
                weight_mg,
                weight_eg,
                adds_mg: (first - second) * weight_mg,
                adds_eg: (first - second) * weight_eg,
            });
        }
        let (sum_mg, sum_eg) = lines.iter().fold((0, 0), |(mg, eg), l| (mg + l.adds_mg, eg + l.adds_eg));
        let value = blend.value_of(sum_mg, sum_eg) + rest.map_or(0, |rest| rest.1);
        let to_move = if second_moves { -value } else { value };
        Explanation { sides, lines, phase: blend.phase, scale: blend.scale, sum_mg, sum_eg, rest, value, to_move }
    }

    /// The contribution of a pair of sums to the value, in centipawns for the first side.
    pub fn blended(&self, mg: i32, eg: i32) -> f64 {
        let (phase, scale) = (f64::from(self.phase) / 256.0, f64::from(self.scale) / 64.0);
        f64::from(mg) * phase + f64::from(eg) * (1.0 - phase) * scale
    }
}

/// A table by groups, those that add most first within each.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.sides;
        writeln!(f, "{:<28} {first:>6} {second:>6}  {:>13}  {:>15}", "term", "weight mg/eg", "adds mg/eg")?;
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
                let Line { name, first, second, weight_mg, weight_eg, adds_mg, adds_eg, .. } = l;
                let counts = format!("{first:>6} {second:>6}");
                writeln!(f, "  {name:<26} {counts}  {weight_mg:>6} {weight_eg:>6}  {adds_mg:>+7} {adds_eg:>+7}")?;
            }
        }
        writeln!(f, "sums for {first}: middlegame {:+}, endgame {:+}", self.sum_mg, self.sum_eg)?;
        write!(f, "phase {}/256, scale {}/64", self.phase, self.scale)?;
        if let Some((name, value)) = self.rest {
            write!(f, ", {name} {value:+}")?;
        }
        write!(f, "\nvalue: {:+} cp for {first}, {:+} cp for the side to move", self.value, self.to_move)
    }
}
