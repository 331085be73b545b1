//! Estimates the strength of the pull of weights towards their start from the games themselves (empirical Bayes: H. Robbins,
//! 1956; the variance of the weights by a score test's moments, as in X. Lin, 1997).
//!
//! Suppose the true weights lie around the start with variance `t` (in squared pawns of what a feature can make) and the
//! gradient at the start is `g = H d + noise`, where `d` is how far the truth is off and the noise comes from the games,
//! whose boards share a result. Then the mean of `|g|²` is `tr V + t tr H²`, and ridge regression errs least where its
//! pull is `tr V / (2 t tr H)`. All three traces are means over random signs (M. Hutchinson, 1990): signs of games give
//! `tr V`, signs of weights `tr H` and `tr H²`. That costs some passes over the rows and no learning.

use crate::{model::gradient, objective::Objective, pair::Pair, set::Set};
use tesuji_dataset::Rows;
use tesuji_game::Random;

/// Random sign vectors of each kind.
const PROBES: u64 = 12;
/// Pawns by which weights are moved to see how the gradient turns.
const MOVE: f64 = 0.25;
/// The weakest pull that is proposed, in rows.
const PULL_MIN: f64 = 1.0;

/// The pull towards the start, in rows, under which learning should err least. With `objective`'s start and scale; its
/// own pulls play no part. Where many games do not contradict the start it is so strong that nothing moves.
pub(crate) fn pull_rows(objective: &Objective, rows: &Rows) -> f64 {
    let train = objective.train;
    let at_start = slopes(objective, train, objective.start);
    let seed = objective.settings.seed ^ 0xE71D_E9CE_0000;
    let by_chance: Vec<f64> = (0..PROBES)
        .map(|probe| square(&slopes(objective, &train.with_random_signs(rows, seed ^ probe), objective.start)))
        .collect();
    let noise = by_chance.iter().sum::<f64>() / PROBES as f64;
    let deviation = (by_chance.iter().map(|n| (n - noise).powi(2)).sum::<f64>() / (PROBES - 1) as f64).sqrt();
    let (mut curvature, mut curvature_squared) = (0.0, 0.0);
    let mut random = Random::new(seed ^ 0xC0_0000);
    for _ in 0..PROBES {
        let signs: Vec<f64> = objective.free.iter().map(|_| if random.below(2) == 0 { 1.0 } else { -1.0 }).collect();
        let moved = |by: f64| {
            let z: Vec<f64> = signs.iter().map(|s| s * by).collect();
            slopes(objective, train, &objective.weights(&z))
        };
        let (up, down) = (moved(MOVE), moved(-MOVE));
        // A central difference: the curvature along these signs, without second derivatives.
        let turn: Vec<f64> = up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * MOVE)).collect();
        curvature += turn.iter().zip(&signs).map(|(t, s)| t * s).sum::<f64>() / PROBES as f64;
        curvature_squared += square(&turn) / PROBES as f64;
    }
    // Without rounding errors, at least; a loss without curvature knows nothing of how far to go.
    let most = train.weight().max(PULL_MIN);
    // One standard deviation more than found: few games, which cannot tell, must not forbid to learn.
    let spread = (square(&at_start) - noise + deviation) / curvature_squared;
    let pull = noise / (2.0 * curvature * spread);
    if !(spread > 0.0 && curvature > 0.0 && pull.is_finite()) {
        return most;
    }
    // What another player's games teach wrongly is an error that does not shrink as they become more.
    let trusted = objective.settings.trusted_rows.map_or(f64::INFINITY, |rows| rows.max(1) as f64);
    (pull * (1.0 + train.len() as f64 / trusted)).clamp(PULL_MIN, most)
}

fn square(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum()
}

/// The slopes of the sum of the losses of `set` by the free weights, in pawns of what each can make.
fn slopes(objective: &Objective, set: &Set, weights: &[Pair]) -> Vec<f64> {
    let mut all = vec![[0.0; 2]; weights.len()];
    gradient(set, 0..set.len(), weights, objective.k, objective.settings.loss, &mut all);
    objective.free.iter().zip(&objective.scale).map(|(f, scale)| all[f.feature][f.phase] * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TuneSettings;
    use tesuji_dataset::Head;

    /// Games of `boards` boards, each with some of 40 features; the result follows weights spread by `spread` pawns.
    fn games(games: u32, boards: u32, spread: f64) -> Rows {
        let mut random = Random::new(11);
        let truth: Vec<f64> = (0..40).map(|_| random.normal() * spread * 100.0).collect();
        let mut rows = Rows::default();
        for game in 0..games {
            let counts: Vec<(u16, i16)> =
                (0..40).map(|f| (f, random.below(3) as i16 - 1)).filter(|c| c.1 != 0).collect();
            let value: f64 = counts.iter().map(|&(f, n)| truth[usize::from(f)] * f64::from(n)).sum();
            let won = random.unit() < 1.0 / (1.0 + (-value / 200.0).exp());
            for _ in 0..boards {
                rows.push(Head { game, half_points: 2 * u8::from(won), phase: 256, ..Head::default() }, &counts);
            }
        }
        rows
    }

    fn pull_for(rows: &Rows) -> f64 {
        pull_with(
            rows,
            &TuneSettings { held_out: 0.0, lambda_plies: None, pull_rows: Some(0.0), ..TuneSettings::default() },
        )
    }

    fn pull_with(rows: &Rows, settings: &TuneSettings) -> f64 {
        let (train, held) = Set::split(rows, settings);
        let start = vec![[0.0; 2]; 40];
        let reach = train.reach(40);
        pull_rows(&Objective::new(settings, [&train, &held], &start, 200.0, &reach), rows)
    }

    #[test]
    fn the_further_the_truth_the_weaker_the_pull() {
        let (near, far) = (pull_for(&games(4000, 1, 0.1)), pull_for(&games(4000, 1, 0.4)));
        // The best pull is the variance of a result, about 0.24, over that of the weights.
        assert!((10.0..60.0).contains(&near), "0.24 / 0.01 = 24, not {near}");
        assert!((1.0..4.0).contains(&far), "0.24 / 0.16 = 1.5, not {far}");
    }

    #[test]
    fn boards_of_one_game_are_no_new_evidence() {
        let (single, tenfold) = (pull_for(&games(4000, 1, 0.1)), pull_for(&games(4000, 10, 0.1)));
        assert!((tenfold / single - 10.0).abs() < 3.0, "{single} {tenfold}");
    }

    #[test]
    fn games_of_others_are_trusted_up_to_a_number() {
        let rows = games(4000, 1, 0.1);
        let settings = |trusted_rows| TuneSettings {
            held_out: 0.0,
            lambda_plies: None,
            pull_rows: Some(0.0),
            trusted_rows,
            ..TuneSettings::default()
        };
        let [own, others] = [None, Some(1000)].map(|trusted| pull_with(&rows, &settings(trusted)));
        assert!((others / own - 5.0).abs() < 1e-6, "{own} {others}");
    }

    #[test]
    fn what_games_do_not_contradict_is_held_fast() {
        assert!(pull_for(&games(10_000, 1, 0.0)) > 200.0);
    }
}
