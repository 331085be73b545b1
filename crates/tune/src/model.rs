//! The logistic model: expected result from counts and weights, its loss and the exact gradient, on many threads with
//! the same result as on one.

use crate::pair::Pair;
use crate::{Loss, loss::LossBlock, set::Lead, set::Set};
use rayon::prelude::*;
use std::ops::Range;
use tesuji_dataset::FeatureCount;

/// Rows whose sums one thread makes at a time. Fixed, so that the order of additions does not depend on the threads.
const PIECE: usize = 2048;
/// Rows between the pass that sums values and the pass that spreads slopes: their counts stay in the first cache.
const BLOCK: usize = 64;
/// As many pairs as a feature's number can tell: such a table needs no check of its bounds.
const TABLE: usize = 1 << 16;

/// Pairs of all features. Only the pages that are touched cost memory.
struct WeightTable(Box<[Pair; TABLE]>);

impl WeightTable {
    fn new(weights: &[Pair]) -> WeightTable {
        let mut all = vec![[0f32; 2]; TABLE].into_boxed_slice();
        all[..weights.len()].copy_from_slice(weights);
        match all.try_into() {
            Ok(table) => WeightTable(table),
            Err(_) => unreachable!("the box was made with the table's length"),
        }
    }

    /// Returns the first `len` pairs and sets them to 0.
    fn take(&mut self, len: usize) -> Vec<Pair> {
        let first = &mut self.0[..len];
        let taken = first.to_vec();
        // Only what was used is cleared: the table has 65,536 places.
        first.fill([0.0; 2]);
        taken
    }
}

/// The midgame and the endgame sum of a row.
#[inline(always)]
fn dot(entries: &[FeatureCount], weights: &[Pair; TABLE]) -> Pair {
    // Four chains of additions instead of one: a row is as fast as its loads, not as slow as its sums.
    let mut sums = [[0f32; 2]; 4];
    let mut quads = entries.chunks_exact(4);
    for quad in &mut quads {
        for (sum, e) in sums.iter_mut().zip(quad) {
            add(sum, e, weights);
        }
    }
    for (sum, e) in sums.iter_mut().zip(quads.remainder()) {
        add(sum, e, weights);
    }
    let part = |i: usize| (sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i]);
    [part(0), part(1)]
}

#[inline(always)]
fn add(sum: &mut Pair, e: &FeatureCount, weights: &[Pair; TABLE]) {
    let pair = weights[usize::from(e.feature)];
    let count = f32::from(e.count);
    *sum = [count.mul_add(pair[0], sum[0]), count.mul_add(pair[1], sum[1])];
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

    fn add_block(&mut self, leads: &[Lead], losses: &[f32]) {
        for (lead, &loss) in leads.iter().zip(losses) {
            self.loss += f64::from(loss * lead.weight);
            self.weight += f64::from(lead.weight);
        }
    }

    /// The weighted mean of the loss; 0 without rows.
    pub fn mean(&self) -> f64 {
        if self.weight > 0.0 { self.loss / self.weight } else { 0.0 }
    }
}

/// The data that a pass needs beside its rows.
struct Pass<'a> {
    set: &'a Set,
    weights: WeightTable,
    k_inverse: f32,
    loss: Loss,
}

impl Pass<'_> {
    /// The rows of `range` block by block: values, losses and slopes, which `spread` then sees with their leads and
    /// the places of their counts.
    #[inline(always)]
    fn blocks(&self, range: Range<usize>, mut spread: impl FnMut(&[f32], &[Lead], &[usize])) -> Sums {
        let mut sums = Sums::default();
        let mut block = LossBlock::<BLOCK>::EMPTY;
        let mut from = range.start;
        while from < range.end {
            let to = (from + BLOCK).min(range.end);
            let (leads, starts) = (&self.set.leads[from..to], &self.set.starts[from..=to]);
            for (((x, target), lead), ends) in
                block.x.iter_mut().zip(&mut block.targets).zip(leads).zip(starts.windows(2))
            {
                let [mg, eg] = dot(&self.set.entries[ends[0]..ends[1]], &self.weights.0);
                *x = (mg * lead.mg + eg * lead.eg) * self.k_inverse;
                *target = lead.target;
            }
            block.apply(self.loss);
            sums.add_block(leads, &block.losses);
            spread(&block.x, leads, starts);
            from = to;
        }
        sums
    }

    /// The gradient over `range`, added to `part`.
    fn gradient(&self, range: Range<usize>, part: &mut [Pair; TABLE]) -> Sums {
        self.blocks(range, |slopes, leads, starts| {
            for ((slope, lead), ends) in slopes.iter().zip(leads).zip(starts.windows(2)) {
                let step = slope * lead.weight * self.k_inverse;
                let (mg, eg) = (step * lead.mg, step * lead.eg);
                for e in &self.set.entries[ends[0]..ends[1]] {
                    let count = f32::from(e.count);
                    let pair = &mut part[usize::from(e.feature)];
                    *pair = [count.mul_add(mg, pair[0]), count.mul_add(eg, pair[1])];
                }
            }
        })
    }
}

/// value / K of each row.
pub(crate) fn values(set: &Set, weights: &[Pair], k: f64) -> Vec<f32> {
    let (table, k_inverse) = (WeightTable::new(weights), (1.0 / k) as f32);
    let value = |row: usize| {
        let [mg, eg] = dot(&set.entries[set.starts[row]..set.starts[row + 1]], &table.0);
        (mg * set.leads[row].mg + eg * set.leads[row].eg) * k_inverse
    };
    (0..set.len()).into_par_iter().with_min_len(PIECE).map(value).collect()
}

/// The mean loss of `set`.
pub(crate) fn mean_loss(set: &Set, weights: &[Pair], k: f64, loss: Loss) -> f64 {
    let pass = Pass { set, weights: WeightTable::new(weights), k_inverse: (1.0 / k) as f32, loss };
    let parts: Vec<Sums> = pieces(0..set.len()).into_par_iter().map(|range| pass.blocks(range, |_, _, _| ())).collect();
    let mut all = Sums::default();
    parts.iter().for_each(|p| all.add(p));
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
    let pass = Pass { set, weights: WeightTable::new(weights), k_inverse: (1.0 / k) as f32, loss };
    let parts: Vec<(Sums, Vec<Pair>)> = pieces(range)
        .into_par_iter()
        .map_init(
            || WeightTable::new(&[]),
            |table, range| {
                let sums = pass.gradient(range, &mut table.0);
                (sums, table.take(weights.len()))
            },
        )
        .collect();
    gradient.fill([0.0; 2]);
    let mut all = Sums::default();
    // In doubles and in the order of the pieces: the same bits for any number of threads.
    for (sums, part) in &parts {
        all.add(sums);
        for (total, term) in gradient.iter_mut().zip(part) {
            total[0] += f64::from(term[0]);
            total[1] += f64::from(term[1]);
        }
    }
    all
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
    // By the logarithm, since K is a scale.
    let (mut low, mut high) = (20f64.ln(), 2000f64.ln());
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_a, mut at_b) = (at(a), at(b));
    // Twenty steps leave a 15,000th of the range: more digits than results tell.
    for _ in 0..20 {
        // Golden section: one of the two inner places stays, so that each step costs one pass over the rows.
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
    // A value that tells nothing is fitted best by an infinite K.
    if least < flat - 1e-6 { (ln_k.exp(), least) } else { (K_UNKNOWN, at(K_UNKNOWN.ln())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TuneSettings;
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
        Set::split(&all, &TuneSettings { held_out: 0.0, ..TuneSettings::default() }).0
    }

    /// The analytic gradient against differences of the loss itself.
    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let set = sample(5000);
        let mut weights: Vec<Pair> = (0..9).map(|i| [30.0 - 9.0 * i as f32, 5.0 * i as f32 - 20.0]).collect();
        for loss in Loss::ALL {
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
                    // A row whose error changes sign on the way has a kink in its absolute error.
                    let kinks = if loss == Loss::Absolute { 1e-5 } else { 2e-7 };
                    assert!((numeric - exact).abs() < kinks + 1e-3 * exact.abs(), "{loss} {feature} {numeric} {exact}");
                }
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let set = sample(20_000);
        let weights: Vec<Pair> = (0..9).map(|i| [30.0 - 9.0 * i as f32, 5.0 * i as f32 - 20.0]).collect();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut slopes = vec![[0.0; 2]; 9];
                let sums = gradient(&set, 0..set.len(), &weights, 170.0, Loss::Fourth, &mut slopes);
                (sums.loss.to_bits(), slopes, mean_loss(&set, &weights, 170.0, Loss::Fourth).to_bits())
            })
        };
        let one = on(1);
        assert!([2, 3, 7].into_iter().all(|threads| on(threads) == one));
    }

    /// Rows like those of an evaluation with 120 pairs of weights: 33 counts a row, most of them 1 or -1.
    fn many(rows: usize) -> Set {
        let mut random = Random::new(11);
        let mut all = Rows::default();
        let mut counts = Vec::new();
        for game in 0..rows as u32 {
            counts.clear();
            let mut feature = random.below(4) as u16;
            for _ in 0..33 {
                let count = if random.below(4) == 0 { random.below(6) as i16 + 1 } else { 1 };
                counts.push((feature, if random.below(2) == 0 { -count } else { count }));
                feature += 1 + random.below(7) as u16;
            }
            let phase = random.below(257) as u16;
            let half_points = random.below(3) as u8;
            all.push(Head { game, phase, scale: 64, half_points, ..Head::default() }, &counts);
        }
        Set::split(&all, &TuneSettings { held_out: 0.0, lambda_plies: None, ..TuneSettings::default() }).0
    }

    /// The gradient row by row in double precision, as it stands in the textbook.
    fn slow_gradient(set: &Set, weights: &[Pair], k: f64) -> (f64, Vec<[f64; 2]>) {
        let (mut loss, mut slopes) = (0.0, vec![[0.0; 2]; weights.len()]);
        for (i, lead) in set.leads.iter().enumerate() {
            let shares = [f64::from(lead.mg), f64::from(lead.eg)];
            let x: f64 = (set.entries(i).iter())
                .flat_map(|e| {
                    (0..2).map(|p| f64::from(weights[e.feature as usize][p]) * f64::from(e.count) * shares[p])
                })
                .sum();
            let p = 1.0 / (1.0 + (-x / k).exp());
            let error = p - f64::from(lead.target);
            loss += error * error;
            for e in set.entries(i) {
                for phase in 0..2 {
                    slopes[e.feature as usize][phase] +=
                        2.0 * error * p * (1.0 - p) * f64::from(e.count) * shares[phase] / k;
                }
            }
        }
        (loss, slopes)
    }

    /// The figure of `docs/performance.md`; it asserts what it measured, and SLOW=1 also how fast it was.
    #[test]
    fn fifteen_million_rows_a_second_on_a_core() {
        let slow = tesuji_testkit::needs::is_slow();
        let set = many(if slow { 500_000 } else { 20_000 });
        let weights: Vec<Pair> = (0..240).map(|i| [(i % 50) as f32 - 25.0, (i % 31) as f32 - 15.0]).collect();
        let mut slopes = vec![[0.0; 2]; 240];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let (mut best, mut loss) = (0f64, 0.0);
        for _ in 0..if slow { 15 } else { 1 } {
            let began = std::time::Instant::now();
            let pass = || gradient(&set, 0..set.len(), &weights, 200.0, Loss::Squared, &mut slopes);
            loss = pool.install(pass).loss;
            best = best.max(set.len() as f64 / began.elapsed().as_secs_f64());
        }
        let (slow_loss, slow_slopes) = slow_gradient(&set, &weights, 200.0);
        assert!((loss / slow_loss - 1.0).abs() < 1e-6, "{loss} {slow_loss}");
        for (quick, slow) in slopes.iter().flatten().zip(slow_slopes.iter().flatten()) {
            assert!((quick - slow).abs() < 0.01 + 1e-4 * slow.abs(), "{quick} {slow}");
        }
        println!("{:.1} million rows of 33 counts a second on one core, one pass with its gradient", best / 1e6);
        if tesuji_testkit::needs::slow("the speed of a pass over rows") {
            assert!(best > 15e6, "{best} rows a second");
        }
    }
}
