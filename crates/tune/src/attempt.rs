//! One attempt at learning, from the start weights or from others near them, by the chosen method.

use crate::{Method, adam, coordinate, evolution, journal::Journal, lbfgs, objective::Objective, pair::Pair};
use tesuji_game::Random;

/// Attempt `run` by the chosen method, told to `journal`.
pub(crate) fn attempt(objective: &Objective, run: u32, journal: &mut Journal) {
    let weights = shaken(objective, run);
    if journal.start(objective, run, &weights).is_break() {
        return;
    }
    match objective.settings.method {
        Method::Adam => adam::minimise(objective, weights, journal),
        Method::Lbfgs => lbfgs::learn(objective, objective.places(&weights), journal),
        Method::Coordinate => coordinate::learn(objective, weights, journal),
        Method::CmaEs => {
            // Apart from the seeds of all other draws.
            let seed = objective.settings.seed ^ 0x00E5_0000_0000_u64.wrapping_add(u64::from(run));
            evolution::learn(objective, objective.places(&weights), journal, seed);
        }
    }
}

/// The start of attempt `run`: the first one as asked, the others at random around it.
fn shaken(objective: &Objective, run: u32) -> Vec<Pair> {
    let mut z = vec![0.0; objective.free.len()];
    // The first attempt begins with the start weights themselves.
    if run > 0 {
        // The constant sets this stream of numbers apart from those of the split, the shuffles and CMA-ES.
        let mut random = Random::for_item(objective.settings.seed ^ 0x5AAC_E000_0000, u64::from(run));
        z.iter_mut().for_each(|z| *z = random.normal() * objective.settings.shake_cp / 100.0);
    }
    objective.weights(&z)
}
