//! Standard errors of weights: learning repeated with the games drawn again (B. Efron's bootstrap, 1979). Whole games are
//! drawn, since the boards of a game share its result.

use crate::{lbfgs, objective::Objective, pair::Pair, set::Set};
use std::ops::ControlFlow;
use tesuji_dataset::Rows;

/// Iterations of a repetition: it starts from what was learned.
const ITERATIONS: u32 = 40;

/// The standard error of each weight; 0 where it is not free. `readable` makes weights comparable, as the finished ones
/// are; `stop` ends it early, with what there is then.
pub(crate) fn errors(
    objective: &Objective,
    rows: &Rows,
    best: &[Pair],
    readable: &dyn Fn(&mut [Pair]),
    stop: &mut dyn FnMut() -> bool,
) -> Vec<[f32; 2]> {
    let settings = objective.settings;
    let mut sums = vec![[[0.0f64; 2]; 2]; best.len()];
    let mut done = 0;
    for round in 0..settings.bootstrap {
        if stop() {
            break;
        }
        let drawn = objective.train.redrawn(rows, settings.seed ^ (u64::from(round) + 1) << 32);
        let sets: [&Set; 2] = [&drawn, objective.held];
        let again = Objective::new(settings, sets, objective.start, objective.k, objective.reach);
        // From the best weights, which are near the answer of every redrawn set.
        let z = again.places(best);
        // Looser than learning itself: the errors need one digit.
        let z = lbfgs::minimise(&again, z, ITERATIONS, 1e-6, &mut |_, _| ControlFlow::Continue(()));
        let mut weights = again.weights(&z);
        readable(&mut weights);
        for (sums, weights) in sums.iter_mut().zip(&weights) {
            for phase in 0..2 {
                let w = f64::from(weights[phase]);
                sums[phase][0] += w;
                sums[phase][1] += w * w;
            }
        }
        done += 1;
    }
    // One repetition has no spread: the errors stay 0.
    let n = f64::from(done.max(2));
    let error = |[sum, squares]: [f64; 2]| ((squares - sum * sum / n).max(0.0) / (n - 1.0)).sqrt() as f32;
    let mut errors: Vec<[f32; 2]> = vec![[0.0; 2]; best.len()];
    if done >= 2 {
        for free in &objective.free {
            errors[free.feature][free.phase] = error(sums[free.feature][free.phase]);
        }
    }
    errors
}
