//! Whether weights are better than others: a paired comparison over the held-out games.

use crate::{Loss, loss::LossBlock, model::values, pair::Pair, set::Set};
use std::collections::BTreeMap;
use tesuji_dataset::Rows;

/// Rows of a block of vector code.
const BLOCK: usize = 64;

/// Learned weights against those of the start, both judged by the same held-out games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Games held out.
    pub games: usize,
    /// Mean loss of the learned weights minus that of the start weights over the rows of these games; below 0 is better.
    pub difference: f64,
    /// Standard error of the difference; infinite where there are fewer than two games.
    pub error: f64,
}

impl Comparison {
    /// Fewer games than this say little about any weights.
    pub const FEW: usize = 30;

    /// A warning where so few games are held out, whatever is learned from the others.
    pub fn doubt(held_out: usize) -> Option<String> {
        let games = if held_out == 1 { "1 game is".to_string() } else { format!("{held_out} games are") };
        let few = Self::FEW;
        let words =
            format!("{games} held out: fewer than {few} say little; learn from far more games, and let a match judge");
        (held_out < few).then_some(words)
    }

    /// Whether the learned weights are worse by more than two standard errors.
    pub fn is_worse(&self) -> bool {
        self.difference > 2.0 * self.error
    }

    /// Whether the learned weights are better by more than two standard errors.
    pub fn is_better(&self) -> bool {
        self.difference < -2.0 * self.error
    }
}

/// Compares `learned` with `start`, each with its K, over the games of `held`, which was split from `rows`. `None` where no
/// game is held out.
///
/// Rows of one game are anything but independent, so games are what is counted: the error is that of a ratio of sums over
/// games (W. G. Cochran, Sampling Techniques, 1977).
pub(crate) fn compare(
    held: &Set,
    rows: &Rows,
    learned: (&[Pair], f64),
    start: (&[Pair], f64),
    loss: Loss,
) -> Option<Comparison> {
    let [learned, start] = [learned, start].map(|(weights, k)| row_losses(held, weights, k, loss));
    // Per game: the sum of weighted differences, and that of the weights.
    let mut games = BTreeMap::<u32, [f64; 2]>::new();
    for (i, game) in held.games(rows).enumerate() {
        let weight = f64::from(held.leads[i].weight);
        let sums = games.entry(game).or_default();
        sums[0] += weight * (f64::from(learned[i]) - f64::from(start[i]));
        sums[1] += weight;
    }
    let total = games.values().fold([0.0; 2], |all, sums| [all[0] + sums[0], all[1] + sums[1]]);
    if games.is_empty() || total[1] <= 0.0 {
        return None;
    }
    let (count, difference) = (games.len() as f64, total[0] / total[1]);
    let squares: f64 = games.values().map(|[sum, weight]| (sum - difference * weight).powi(2)).sum();
    // By games and not by rows, since the boards of a game share its result (a ratio estimate with Bessel's correction).
    let error = if count < 2.0 { f64::INFINITY } else { (squares * count / (count - 1.0)).sqrt() / total[1] };
    Some(Comparison { games: games.len(), difference, error })
}

/// The loss of each row.
fn row_losses(set: &Set, weights: &[Pair], k: f64, loss: Loss) -> Vec<f32> {
    let x = values(set, weights, k);
    let mut losses = Vec::with_capacity(x.len());
    let mut block = LossBlock::<BLOCK>::EMPTY;
    for (x, leads) in x.chunks(BLOCK).zip(set.leads.chunks(BLOCK)) {
        block.x[..x.len()].copy_from_slice(x);
        for (target, lead) in block.targets.iter_mut().zip(leads) {
            *target = lead.target;
        }
        block.apply(loss);
        losses.extend_from_slice(&block.losses[..x.len()]);
    }
    losses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TuneSettings;
    use tesuji_dataset::Head;

    /// Games of one board each: feature 0 counts 1, and `won` says who won.
    fn held(won: &[bool]) -> (Set, Rows) {
        let mut rows = Rows::default();
        for (game, won) in won.iter().enumerate() {
            let half_points = 2 * u8::from(*won);
            rows.push(Head { game: game as u32, half_points, phase: 256, scale: 64, ..Head::default() }, &[(0, 1)]);
        }
        let (set, _) = Set::split(&rows, &TuneSettings { held_out: 0.0, ..TuneSettings::default() });
        (set, rows)
    }

    #[test]
    fn the_error_is_that_of_the_games() {
        let (set, rows) = held(&[true, true, true, false]);
        let found = compare(&set, &rows, (&[[100.0, 0.0]], 100.0), (&[[0.0, 0.0]], 100.0), Loss::Squared).unwrap();
        // The loss of a won game goes from 1/4 to (1 - p)², that of a lost one to p², with p = 1 / (1 + 1/e).
        let p = 1.0 / (1.0 + (-1f64).exp());
        let differences = [0.25, 0.25, 0.25, 0.25].into_iter().zip([1.0, 1.0, 1.0, 0.0]);
        let differences: Vec<f64> =
            differences.map(|(before, result): (f64, f64)| (p - result).powi(2) - before).collect();
        let mean = differences.iter().sum::<f64>() / 4.0;
        let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 3.0;
        assert_eq!(found.games, 4);
        assert!((found.difference - mean).abs() < 1e-6, "{found:?}, {mean}");
        assert!((found.error - (variance / 4.0).sqrt()).abs() < 1e-6, "{found:?}, {variance}");
        assert!(!found.is_better() && !found.is_worse(), "four games say nothing: {found:?}");
    }

    #[test]
    fn one_game_has_no_error_and_none_no_comparison() {
        let of = |won: &[bool]| {
            let (set, rows) = held(won);
            compare(&set, &rows, (&[[100.0, 0.0]], 100.0), (&[[0.0, 0.0]], 100.0), Loss::Squared)
        };
        let one = of(&[false]).unwrap();
        assert!(one.difference > 0.0 && !one.is_worse() && !one.is_better(), "{one:?}");
        assert_eq!(of(&[]), None);
        assert!(of(&[true; 40]).unwrap().is_better() && of(&[false; 40]).unwrap().is_worse());
    }
}
