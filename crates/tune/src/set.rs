//! Rows prepared for learning: shuffled, targets and weights computed, laid out for one pass after the other.

use crate::{TuneSettings, reach::Reach};
use std::sync::Arc;
use tesuji_dataset::{FeatureCount, Rows};
use tesuji_game::Random;
use tesuji_tally::Blend;

/// The data of a row other than its feature counts, ready for the arithmetic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lead {
    /// Factor of the midgame sum.
    pub mg: f32,
    /// Factor of the endgame sum, scale of drawish endings included.
    pub eg: f32,
    /// The target: the expected result to be learned, in 0..=1.
    pub target: f32,
    /// The weight of the row in the mean loss.
    pub weight: f32,
}

/// Rows prepared for learning.
#[derive(Debug, Clone, Default)]
pub struct Set {
    pub(crate) leads: Vec<Lead>,
    pub(crate) starts: Arc<Vec<usize>>,
    pub(crate) entries: Arc<Vec<FeatureCount>>,
    /// The numbers of these rows among those that the set was split from.
    numbers: Arc<Vec<u32>>,
}

impl Set {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.leads.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.leads.is_empty()
    }

    /// Sum of the weights of all rows: how many boards just before the end of a game they are worth.
    pub fn weight(&self) -> f64 {
        // The sum of nothing would be -0.
        self.leads.iter().fold(0.0, |sum, lead| sum + f64::from(lead.weight))
    }

    /// The game of each row; `rows` are those that the set was split from.
    pub(crate) fn games<'a>(&'a self, rows: &'a Rows) -> impl Iterator<Item = u32> + 'a {
        self.numbers.iter().map(|&i| rows.get(i as usize).head.game)
    }

    /// The counts of row `index`.
    #[cfg(test)]
    pub(crate) fn entries(&self, index: usize) -> &[FeatureCount] {
        &self.entries[self.starts[index]..self.starts[index + 1]]
    }

    /// The number of row `index` among the rows that the set was split from.
    #[cfg(test)]
    pub(crate) fn number(&self, index: usize) -> usize {
        self.numbers[index] as usize
    }

    /// Splits `rows` by game into training and validation and shuffles the former. Targets are the games' results.
    pub fn split(rows: &Rows, settings: &TuneSettings) -> (Set, Set) {
        let mut train: Vec<u32> = Vec::with_capacity(rows.len());
        let mut held = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let out = row.head.is_held_out(settings.seed, settings.held_out);
            if out { held.push(i as u32) } else { train.push(i as u32) }
        }
        // Rows of one game follow each other: unshuffled, a batch would hold few games.
        Random::new(settings.seed ^ 0x5407_F1ED).shuffle(&mut train);
        (Set::gather(rows, train, settings), Set::gather(rows, held, settings))
    }

    /// The rows of the given numbers, in that order.
    fn gather(rows: &Rows, numbers: Vec<u32>, settings: &TuneSettings) -> Set {
        let entries_len = numbers.iter().map(|&i| rows.get(i as usize).entries.len()).sum();
        let mut leads = Vec::with_capacity(numbers.len());
        let mut starts = Vec::with_capacity(numbers.len() + 1);
        let mut entries = Vec::with_capacity(entries_len);
        starts.push(0);
        for &i in &numbers {
            let row = rows.get(i as usize);
            let head = row.head;
            let [mg, eg] = Blend { phase: i32::from(head.phase), scale: i32::from(head.scale) }.shares();
            let taught = rows.target(i as usize);
            let weight =
                settings.lambda_plies.filter(|&l| l > 0.0).map_or(1.0, |l| (-f64::from(head.boards_left) / l).exp());
            leads.push(Lead { mg, eg, target: taught.result, weight: weight as f32 * taught.weight });
            entries.extend_from_slice(row.entries);
            starts.push(entries.len());
        }
        Set { leads, starts: Arc::new(starts), entries: Arc::new(entries), numbers: Arc::new(numbers) }
    }

    /// Makes the targets of rows with a score `result_share` of the result and the rest of what the score, through
    /// `k`, expects. `rows` are those that the set was split from.
    pub(crate) fn blend_scores(&mut self, rows: &Rows, result_share: f64, k: f64) {
        if result_share >= 1.0 {
            return;
        }
        for (lead, &i) in self.leads.iter_mut().zip(self.numbers.iter()) {
            let taught = rows.target(i as usize);
            if let Some(cp) = taught.score {
                let expected = 1.0 / (1.0 + (-f64::from(cp) / k).exp());
                let target = result_share * f64::from(taught.result) + (1.0 - result_share) * expected;
                lead.target = target as f32;
            }
        }
    }

    /// The largest effect of each feature over the rows.
    pub(crate) fn reach(&self, features: usize) -> Vec<Reach> {
        let mut reach = vec![Reach::default(); features];
        for (lead, ends) in self.leads.iter().zip(self.starts.windows(2)) {
            for e in &self.entries[ends[0]..ends[1]] {
                if let Some(reach) = reach.get_mut(usize::from(e.feature)) {
                    let count = f32::from(e.count.unsigned_abs());
                    reach.both = reach.both.max(count * (lead.mg + lead.eg));
                    reach.phases[0] = reach.phases[0].max(count * lead.mg);
                    reach.phases[1] = reach.phases[1].max(count * lead.eg);
                }
            }
        }
        reach
    }

    /// A copy of the set in which the weights of all rows of a game have the same random sign.
    pub(crate) fn with_random_signs(&self, rows: &Rows, seed: u64) -> Set {
        let mut set = self.clone();
        for (lead, &i) in set.leads.iter_mut().zip(self.numbers.iter()) {
            let game = rows.get(i as usize).head.game;
            // One sign for a whole game, since its boards share a result.
            if Random::for_item(seed, u64::from(game)).below(2) == 0 {
                lead.weight = -lead.weight;
            }
        }
        set
    }

    /// A bootstrap sample of the games: each counts as often as a Poisson variable with mean 1 says.
    pub(crate) fn redrawn(&self, rows: &Rows, seed: u64) -> Set {
        let mut set = self.clone();
        for (lead, &i) in set.leads.iter_mut().zip(self.numbers.iter()) {
            let game = rows.get(i as usize).head.game;
            // By the number of the game, so that all of its boards are drawn equally often.
            let mut dice = Random::for_item(seed, u64::from(game)).unit();
            // A Poisson number with mean 1: what drawing with repetition comes to for many games, without a list of draws.
            let (mut times, mut chance) = (0u32, (-1f64).exp());
            while dice >= chance && times < 12 {
                dice -= chance;
                times += 1;
                chance /= f64::from(times);
            }
            lead.weight *= times as f32;
        }
        set
    }
}
