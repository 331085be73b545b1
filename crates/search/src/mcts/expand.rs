//! Opening a leaf: which of its moves become edges, in which order, with which priors; and what the caller wants at the root.

use super::{
    math::{exp, ln},
    node::{Block, EdgeWord, Edges},
    tree::{EDGES, Tree, Wishes},
};
use tesuji_game::{Position, Query, Random};

impl<P: Position> Tree<P> {
    /// Hangs the moves of `query` on `id` with the priors of its answer; leaves the leaf closed where there is no room.
    pub(super) fn open(&self, id: u32, query: &Query<P>) {
        let mut list = ranked::<P>(query);
        let is_root = id == 0;
        let wishes = if is_root { self.wishes() } else { Wishes::default() };
        let all = list.len();
        if wishes.only.is_empty() {
            list.truncate(self.candidate_count(&list, query.line.len()));
        }
        // The edges of a node lie in one chunk.
        list.truncate(EDGES);
        if let Some(seed) = wishes.noise {
            add_noise(&mut list, self.parameters.noise, self.parameters.noise_alpha, seed);
        }
        let first = self.take_edges(list.len());
        let (Some(first), false) = (first, list.is_empty()) else {
            if first.is_none() {
                self.note_full();
            }
            return self.node(id).publish(Edges::None);
        };
        let block = Block { first, len: list.len() as u16, complete: list.len() == all };
        for (edge, &(prior, mv)) in self.edges_of(block).iter().zip(&list) {
            edge.set(EdgeWord::new(mv, prior).barred(!wishes.allows(mv)));
        }
        // Last: who sees the block must see all of its edges.
        self.node(id).publish(Edges::Open(block));
    }

    /// The number of candidates: moves from the front of `list`, which is sorted by descending prior.
    fn candidate_count(&self, list: &[(f32, u16)], plies: usize) -> usize {
        let share = self.parameters.share_at(plies);
        let mut kept = list.len();
        if share < 1.0 {
            let mut sum = 0.0;
            let enough = list.iter().position(|&(prior, _)| {
                sum += prior;
                sum >= share
            });
            kept = enough.map_or(list.len(), |i| i + 1).max(self.parameters.candidates_min);
        }
        kept.min(self.parameters.children_max)
    }

    /// Mixes noise into the priors of the root, as the options say, drawn by `seed`: for games that learn from themselves. The same
    /// seed twice is one. No ticket may be out.
    pub fn stir(&self, seed: u64) {
        self.seed_kicks(seed);
        self.wish(Wishes { noise: Some(seed), ..self.wishes() });
    }

    /// Looks at no other moves of the root than these, as long as nothing else is wished. No ticket may be out.
    pub fn restrict_to(&self, only: &[P::Move]) {
        self.wish(Wishes { only: only.iter().map(|&mv| P::pack(mv)).collect(), ..self.wishes() });
    }

    /// Takes what the caller wants at the root. No ticket may be out.
    pub(super) fn wish(&self, wishes: Wishes) {
        let before = self.wishes();
        self.restrict(!wishes.only.is_empty());
        if let Edges::Open(block) = self.node(0).edges() {
            let edges = self.edges_of(block);
            let mut words: Vec<EdgeWord> = edges.iter().map(|edge| edge.load()).collect();
            if let Some(seed) = wishes.noise
                && before.noise != wishes.noise
            {
                let mut list: Vec<(f32, u16)> = words.iter().map(|w| (w.prior(), w.mv())).collect();
                shake(&mut list, self.parameters.noise, self.parameters.noise_alpha, seed);
                for (word, (prior, _)) in words.iter_mut().zip(list) {
                    *word = word.with_prior(prior);
                }
                // By falling prior again: selection takes the first edge without a child for the best of them.
                words.sort_by(|a, b| b.prior().total_cmp(&a.prior()));
            }
            for (edge, word) in edges.iter().zip(words) {
                edge.set(word.barred(!wishes.allows(word.mv())));
            }
        }
        self.set_wishes(wishes);
    }
}

impl Wishes {
    fn allows(&self, mv: u16) -> bool {
        self.only.is_empty() || self.only.contains(&mv)
    }
}

/// The moves of a query with their priors, which sum to 1, the likeliest first; equal ones in the order of the game.
fn ranked<P: Position>(query: &Query<P>) -> Vec<(f32, u16)> {
    let policy = &query.answer.policy;
    let prior = |i: usize| policy.get(i).copied().filter(|p| p.is_finite()).unwrap_or(0.0).max(0.0);
    let is_given = policy.len() == query.moves.len();
    let sum: f32 = if is_given { (0..policy.len()).map(prior).sum() } else { 0.0 };
    // Where the oracle says nothing all moves are alike.
    let even = 1.0 / query.moves.len().max(1) as f32;
    let share = |i: usize| if sum > 0.0 { prior(i) / sum } else { even };
    let mut list: Vec<_> = query.moves.iter().enumerate().map(|(i, &mv)| (share(i), P::pack(mv))).collect();
    list.sort_by(|a, b| b.0.total_cmp(&a.0));
    list
}

/// Mixes Dirichlet noise into priors (AlphaZero, Silver et al., 2017) and puts them into order again.
fn add_noise(list: &mut [(f32, u16)], share: f32, alpha: f32, seed: u64) {
    shake(list, share, alpha, seed);
    list.sort_by(|a, b| b.0.total_cmp(&a.0));
}

fn shake(list: &mut [(f32, u16)], share: f32, alpha: f32, seed: u64) {
    let mut random = Random::new(seed);
    let draws: Vec<f64> = list.iter().map(|_| gamma(f64::from(alpha), &mut random)).collect();
    let sum: f64 = draws.iter().sum();
    if sum > 0.0 {
        for ((prior, _), draw) in list.iter_mut().zip(draws) {
            *prior = *prior * (1.0 - share) + share * (draw / sum) as f32;
        }
    }
}

/// A gamma-distributed number of shape `alpha` (Marsaglia and Tsang, 2000).
fn gamma(alpha: f64, random: &mut Random) -> f64 {
    if alpha < 1.0 {
        // A shape below 1 follows from one above it.
        let u = 1.0 - random.unit();
        return gamma(alpha + 1.0, random) * exp(ln(u) / alpha);
    }
    let d = alpha - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(random);
        let v = (1.0 + c * x).powi(3);
        let u = 1.0 - random.unit();
        if v > 0.0 && ln(u) < 0.5 * x * x + d - d * v + d * ln(v) {
            return d * v;
        }
    }
}

/// A normally distributed number (Marsaglia's polar method, 1964), alike on every machine.
fn normal(random: &mut Random) -> f64 {
    loop {
        let (x, y) = (2.0 * random.unit() - 1.0, 2.0 * random.unit() - 1.0);
        let s = x * x + y * y;
        if s > 0.0 && s < 1.0 {
            return x * (-2.0 * ln(s) / s).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_has_its_mean_and_variance() {
        for alpha in [0.3, 1.0, 4.5] {
            let mut random = Random::new(3);
            let n = 200_000;
            let draws: Vec<f64> = (0..n).map(|_| gamma(alpha, &mut random)).collect();
            let mean = draws.iter().sum::<f64>() / f64::from(n);
            let variance = draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / f64::from(n);
            assert!(
                (mean / alpha - 1.0).abs() < 0.02 && (variance / alpha - 1.0).abs() < 0.05,
                "{alpha}: {mean} {variance}"
            );
        }
    }

    #[test]
    fn noise_keeps_the_sum_and_the_seed() {
        let list: Vec<(f32, u16)> = (0..20).map(|i| (0.05, i)).collect();
        let noisy = |seed| {
            let mut list = list.clone();
            add_noise(&mut list, 0.25, 0.3, seed);
            list
        };
        assert!((noisy(1).iter().map(|l| l.0).sum::<f32>() - 1.0).abs() < 1e-4);
        assert_eq!(noisy(1), noisy(1));
        assert_ne!(noisy(1), noisy(2));
        assert!(noisy(1).windows(2).all(|w| w[0].0 >= w[1].0));
    }
}
