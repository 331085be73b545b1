//! The logistic model: expected result from counts and weights, its loss and the exact gradient, on many threads with
//! the same result as on one.

use crate::{Loss, set::Set};
use rayon::prelude::*;
use std::ops::Range;
use tesuji_dataset::Entry;

/// Rows whose sums one thread makes at a time. Fixed, so that the order of additions does not depend on the threads.
const PIECE: usize = 2048;

/// One pair of weights: midgame and endgame.
pub(crate) type Pair = [f32; 2];

/// The logistic function.
#[inline]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The midgame and the endgame sum of a row.
#[inline]
fn dot(entries: &[Entry], weights: &[Pair]) -> Pair {
    // Four chains of additions instead of one: a row is as fast as its loads, not as slow as its sums.
    let mut sums = [[0f32; 2]; 4];
    let mut quads = entries.chunks_exact(4);
    for quad in &mut quads {
        for (sum, e) in sums.iter_mut().zip(quad) {
            let pair = weights[e.feature as usize];
            let count = f32::from(e.count);
            sum[0] += count * pair[0];
            sum[1] += count * pair[1];
        }
    }
    for (sum, e) in sums.iter_mut().zip(quads.remainder()) {
        let pair = weights[e.feature as usize];
        let count = f32::from(e.count);
        sum[0] += count * pair[0];
        sum[1] += count * pair[1];
    }
    let part = |i: usize| (sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i]);
    [part(0), part(1)]
}

/// The evaluation of row `index` in centipawns.
#[inline]
fn value(set: &Set, index: usize, weights: &[Pair]) -> f32 {
    let lead = set.leads[index];
    let [mg, eg] = dot(set.entries(index), weights);
    mg * lead.mg + eg * lead.eg
}

/// The loss of one row and its derivative by x = value / K.
#[inline]
fn row_loss(x: f32, target: f32, loss: Loss) -> (f32, f32) {
    let p = sigmoid(x);
    let error = p - target;
    match loss {
        Loss::Squared => (error * error, 2.0 * error * p * (1.0 - p)),
        Loss::CrossEntropy => {
            // -(t ln p + (1 - t) ln(1 - p)) without cancellation: ln(1 + e^x) - t x.
            let softplus = if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() };
            (softplus - target * x, error)
        }
    }
}

/// Sums over some rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    /// Weighted losses.
    pub loss: f64,
    /// Weights.
    pub weight: f64,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.loss += other.loss;
        self.weight += other.weight;
    }

    /// The weighted mean of the loss; 0 without rows.
    pub fn mean(&self) -> f64 {
        if self.weight > 0.0 { self.loss / self.weight } else { 0.0 }
    }
}

/// The mean loss of `set`.
pub(crate) fn mean_loss(set: &Set, weights: &[Pair], k: f64, loss: Loss) -> f64 {
    let k_inverse = (1.0 / k) as f32;
    let pieces: Vec<Sums> = pieces(0..set.len())
        .into_par_iter()
        .map(|range| {
            let mut sums = Sums::default();
            for i in range {
                let lead = set.leads[i];
                let (l, _) = row_loss(value(set, i, weights) * k_inverse, lead.target, loss);
                sums.loss += f64::from(l * lead.weight);
                sums.weight += f64::from(lead.weight);
            }
            sums
        })
        .collect();
    let mut all = Sums::default();
    pieces.iter().for_each(|p| all.add(p));
    all.mean()
}

/// The loss of the rows `range` and the gradient of its weighted sum, into `gradient` (overwritten).
pub(crate) fn gradient(
    set: &Set,
    range: Range<usize>,
    weights: &[Pair],
    k: f64,
    loss: Loss,
    gradient: &mut [[f64; 2]],
) -> Sums {
    let k_inverse = (1.0 / k) as f32;
    let parts: Vec<(Sums, Vec<Pair>)> = pieces(range)
        .into_par_iter()
        .map(|range| {
            let mut part = vec![[0f32; 2]; weights.len()];
            let sums = piece_gradient(set, range, weights, k_inverse, loss, &mut part);
            (sums, part)
        })
        .collect();
    gradient.fill([0.0; 2]);
    let mut all = Sums::default();
    for (sums, part) in &parts {
        all.add(sums);
        for (total, term) in gradient.iter_mut().zip(part) {
            total[0] += f64::from(term[0]);
            total[1] += f64::from(term[1]);
        }
    }
    all
}

fn piece_gradient(
    set: &Set,
    range: Range<usize>,
    weights: &[Pair],
    k_inverse: f32,
    loss: Loss,
    part: &mut [Pair],
) -> Sums {
    let mut sums = Sums::default();
    for i in range {
        let lead = set.leads[i];
        let entries = set.entries(i);
        let [mg, eg] = dot(entries, weights);
        let (l, slope) = row_loss((mg * lead.mg + eg * lead.eg) * k_inverse, lead.target, loss);
        sums.loss += f64::from(l * lead.weight);
        sums.weight += f64::from(lead.weight);
        let step = slope * lead.weight * k_inverse;
        let (mg, eg) = (step * lead.mg, step * lead.eg);
        for e in entries {
            let count = f32::from(e.count);
            let pair = &mut part[e.feature as usize];
            pair[0] += count * mg;
            pair[1] += count * eg;
        }
    }
    sums
}

/// `range` cut into pieces of [`PIECE`] rows.
fn pieces(range: Range<usize>) -> Vec<Range<usize>> {
    range.clone().step_by(PIECE).map(|from| from..(from + PIECE).min(range.end)).collect()
}

/// K where the weights do not tell: a pawn makes 62 %.
pub const K_UNKNOWN: f64 = 200.0;

/// The K (centipawns that multiply the odds by e) that explains the results best with the given weights: golden-section
/// search over ln K. Returns K and the mean loss. Weights that explain nothing get [`K_UNKNOWN`].
pub fn fit_k(set: &Set, weights: &[[f32; 2]], loss: Loss) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let at = |ln_k: f64| mean_loss(set, weights, ln_k.exp(), loss);
    let (mut low, mut high) = (20f64.ln(), 2000f64.ln());
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_a, mut at_b) = (at(a), at(b));
    for _ in 0..20 {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - GOLDEN * (high - low);
            at_a = at(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + GOLDEN * (high - low);
            at_b = at(b);
        }
    }
    let ln_k = (low + high) / 2.0;
    let (least, flat) = (at(ln_k), mean_loss(set, weights, f64::INFINITY, loss));
    if least < flat - 1e-6 { (ln_k.exp(), least) } else { (K_UNKNOWN, at(K_UNKNOWN.ln())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use tesuji_dataset::{Head, Rows};
    use tesuji_game::Random;

    fn sample(rows: usize) -> Set {
        let mut random = Random::new(7);
        let mut all = Rows::default();
        for game in 0..rows as u32 {
            let counts: Vec<(u16, i16)> =
                (0..9).map(|f| (f, random.below(7) as i16 - 3)).filter(|c| c.1 != 0).collect();
            let head = Head {
                game,
                boards_left: random.below(60) as u16,
                phase: random.below(257) as u16,
                scale: 16 + random.below(49) as u16,
                half_points: random.below(3) as u8,
                ..Head::default()
            };
            all.push(head, &counts);
        }
        Set::split(&all, &Settings { held_out: 0.0, ..Settings::default() }).0
    }

    /// The analytic gradient against differences of the loss itself.
    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let set = sample(5000);
        let mut weights: Vec<Pair> = (0..9).map(|i| [30.0 - 9.0 * i as f32, 5.0 * i as f32 - 20.0]).collect();
        for loss in [Loss::Squared, Loss::CrossEntropy] {
            let mut slopes = vec![[0.0; 2]; 9];
            let sums = gradient(&set, 0..set.len(), &weights, 170.0, loss, &mut slopes);
            assert!((sums.mean() - mean_loss(&set, &weights, 170.0, loss)).abs() < 1e-9);
            for feature in 0..9 {
                for phase in 0..2 {
                    let mut at = |offset: f32| {
                        let kept = weights[feature][phase];
                        weights[feature][phase] += offset;
                        let loss = mean_loss(&set, &weights, 170.0, loss);
                        weights[feature][phase] = kept;
                        loss
                    };
                    let numeric = (at(2.0) - at(-2.0)) / 4.0;
                    let exact = slopes[feature][phase] / sums.weight;
                    assert!((numeric - exact).abs() < 2e-7 + 1e-3 * exact.abs(), "{loss} {feature} {numeric} {exact}");
                }
            }
        }
    }

    #[test]
    fn the_loss_has_no_holes_far_out() {
        for loss in [Loss::Squared, Loss::CrossEntropy] {
            for x in [-200.0, -90.0, 0.0, 90.0, 200.0] {
                for target in [0.0, 0.5, 1.0] {
                    let (l, slope) = row_loss(x, target, loss);
                    assert!(l.is_finite() && slope.is_finite() && l >= 0.0, "{loss} {x} {target}: {l} {slope}");
                }
            }
        }
    }
}
