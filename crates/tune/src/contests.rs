//! Strengths of features from contests: a generalised Bradley-Terry model, fitted by minorisation and maximisation.
//!
//! In a contest several teams of features compete, and one wins; the chance of each is its share of the sum of all strengths, and
//! a team is as strong as the product of its features (R. Coulom, "Computing Elo Ratings of Move Patterns in the Game of Go",
//! 2007; D. Hunter, 2004, for the method). For move prediction a position is a contest, and its legal moves are the teams.

use rayon::prelude::*;

/// Contests that are worked through together; sums are added in their order, so that the threads do not matter.
const CHUNK: usize = 2048;

/// A feature: its family, and its number there. A team has at most one feature of a family.
pub type Feature = (usize, usize);

/// Contests, teams packed into one word for each of `C` columns. What a word means is in the column's dictionary.
///
/// # Examples
/// ```
/// use tesuji_tune::contests::Contests;
/// // One family of two features, one column: word 0 is none of them.
/// let mut contests = Contests::<1>::new(&[2]);
/// for word in [None, Some((0, 0)), Some((0, 1))] {
///     contests.define(0, word.as_slice());
/// }
/// for winner in [0, 0, 0, 1] {
///     contests.push(winner, [[1], [2]]);
/// }
/// let strengths = contests.fit(200, 0.0, &mut |_, _| std::ops::ControlFlow::Continue(()));
/// // Three wins of four.
/// assert!((strengths[0][0] / strengths[0][1] - 3.0).abs() < 1e-3);
/// ```
pub struct Contests<const C: usize> {
    /// Features of each family.
    sizes: Vec<usize>,
    /// The column of each family.
    homes: Vec<Option<usize>>,
    /// For each column and word, its features.
    words: [Vec<Vec<Feature>>; C],
    /// All teams, one contest behind the other.
    teams: Vec<[u16; C]>,
    /// The end of each contest among the teams, and which of its teams won.
    ends: Vec<(u64, u16)>,
}

/// Accuracy with which strengths predict the winners of contests.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Foresight {
    /// Contests.
    pub contests: usize,
    /// The mean of -ln(chance given to the winner), in nats.
    pub loss: f64,
    /// The share of contests whose strongest team won; ties count as shared.
    pub top1: f64,
    /// The share of contests whose winner was among the five strongest.
    pub top5: f64,
}

/// Strengths of all features, by family; 1 is that of no feature.
pub type Strengths = Vec<Vec<f64>>;

impl<const C: usize> Contests<C> {
    /// No contests yet, over families of these sizes.
    pub fn new(sizes: &[usize]) -> Self {
        let words = [const { Vec::new() }; C];
        Contests { sizes: sizes.to_vec(), homes: vec![None; sizes.len()], words, teams: Vec::new(), ends: Vec::new() }
    }

    /// Gives the next word of `column` its features; returns the word.
    ///
    /// # Panics
    /// If a feature is in no family, a family in two columns, or the words have run out: the caller's mistakes.
    pub fn define(&mut self, column: usize, features: &[Feature]) -> u16 {
        for &(family, number) in features {
            assert!(number < self.sizes[family], "feature {number} of family {family}");
            assert!(self.homes[family].is_none_or(|home| home == column), "family {family} is in two columns");
            self.homes[family] = Some(column);
        }
        let word = self.words[column].len();
        assert!(word <= usize::from(u16::MAX), "65,536 words of a column");
        self.words[column].push(features.to_vec());
        word as u16
    }

    /// Adds a contest that the team of number `winner` won.
    ///
    /// # Panics
    /// If there is no such team, or more than 65,535.
    pub fn push(&mut self, winner: usize, teams: impl IntoIterator<Item = [u16; C]>) {
        let before = self.teams.len();
        self.teams.extend(teams);
        let count = self.teams.len() - before;
        assert!(winner < count && count <= usize::from(u16::MAX), "winner {winner} of {count} teams");
        self.ends.push((self.teams.len() as u64, winner as u16));
    }

    /// The number of contests.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of teams in all contests.
    pub fn teams(&self) -> usize {
        self.teams.len()
    }

    /// The teams of contest `i`, and the one that won.
    fn contest(&self, i: usize) -> (&[[u16; C]], usize) {
        let from = i.checked_sub(1).map_or(0, |before| self.ends[before].0 as usize);
        let (to, winner) = self.ends[i];
        (&self.teams[from..to as usize], usize::from(winner))
    }

    /// Strengths that say nothing: every feature is worth as much as none.
    pub fn flat(&self) -> Strengths {
        self.sizes.iter().map(|&size| vec![1.0; size]).collect()
    }

    /// Fits strengths in at most `sweeps` rounds over all families. `prior`: contests that each feature has won, and as many lost,
    /// against a team of strength 1, so that what is rare stays near it. `tell` hears of each round, and may end it there.
    pub fn fit(
        &self,
        sweeps: u32,
        prior: f64,
        tell: &mut dyn FnMut(u32, &Strengths) -> std::ops::ControlFlow<()>,
    ) -> Strengths {
        let mut strengths = self.flat();
        let wins = self.wins();
        for sweep in 1..=sweeps {
            // One family after the other: minorisation holds the strengths of the others fixed.
            for (family, wins) in wins.iter().enumerate() {
                self.improve(family, wins, prior, &mut strengths);
            }
            if tell(sweep, &strengths).is_break() {
                break;
            }
        }
        strengths
    }

    /// Contests that teams with each feature have won.
    fn wins(&self) -> Strengths {
        let mut wins: Strengths = self.sizes.iter().map(|&size| vec![0.0; size]).collect();
        for i in 0..self.len() {
            let (teams, winner) = self.contest(i);
            for (column, &word) in teams[winner].iter().enumerate() {
                for &(family, number) in &self.words[column][usize::from(word)] {
                    wins[family][number] += 1.0;
                }
            }
        }
        wins
    }

    /// The strength of each word of each column.
    fn of_words(&self, strengths: &Strengths) -> [Vec<f32>; C] {
        // Once for each word, of which there are at most 65,536, instead of once for each team.
        let of_word = |features: &Vec<Feature>| features.iter().map(|&(f, n)| strengths[f][n]).product::<f64>() as f32;
        std::array::from_fn(|column| self.words[column].iter().map(of_word).collect())
    }

    /// One step of minorisation and maximisation for the features of one family, the others held.
    fn improve(&self, family: usize, wins: &[f64], prior: f64, strengths: &mut Strengths) {
        let Some(column) = self.homes[family] else { return };
        let shares = self.shares(column, &self.of_words(strengths));
        let mut weight = vec![0.0; wins.len()];
        for (features, share) in self.words[column].iter().zip(shares) {
            for &(_, number) in features.iter().filter(|&&(f, _)| f == family) {
                weight[number] += share / strengths[family][number];
            }
        }
        for ((strength, &wins), weight) in strengths[family].iter_mut().zip(wins).zip(weight) {
            // The prior: so many games won and as many lost against a feature of strength 1.
            let against = weight + 2.0 * prior / (*strength + 1.0);
            if against > 0.0 && wins + prior > 0.0 {
                *strength = (wins + prior) / against;
            }
        }
    }

    /// For each word of `column`, the chances of the teams with it, summed over all contests.
    fn shares(&self, column: usize, table: &[Vec<f32>; C]) -> Vec<f64> {
        let chunks = self.len().div_ceil(CHUNK);
        let of_chunk = |chunk: usize| {
            let mut sums = vec![0.0f64; table[column].len()];
            let mut buffer = Vec::new();
            for i in chunk * CHUNK..((chunk + 1) * CHUNK).min(self.len()) {
                let (teams, _) = self.contest(i);
                let total = strengths_of(teams, table, &mut buffer);
                for (team, strength) in teams.iter().zip(&buffer) {
                    sums[usize::from(team[column])] += f64::from(strength / total);
                }
            }
            sums
        };
        // A few at a time: the sums of all chunks at once would be large.
        let mut all = vec![0.0; table[column].len()];
        for group in (0..chunks).collect::<Vec<_>>().chunks(64) {
            let sums: Vec<Vec<f64>> = group.par_iter().map(|&chunk| of_chunk(chunk)).collect();
            for sums in sums {
                all.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
            }
        }
        all
    }

    /// Measures how well `strengths` predict the winners of these contests.
    pub fn foresight(&self, strengths: &Strengths) -> Foresight {
        let table = self.of_words(strengths);
        let chunks = self.len().div_ceil(CHUNK);
        let of_chunk = |chunk: usize| {
            let (mut sums, mut buffer) = ([0.0f64; 3], Vec::new());
            for i in chunk * CHUNK..((chunk + 1) * CHUNK).min(self.len()) {
                let (teams, winner) = self.contest(i);
                let total = strengths_of(teams, &table, &mut buffer);
                let own = buffer[winner];
                let above = buffer.iter().filter(|&&s| s > own).count();
                let equal = buffer.iter().filter(|&&s| s == own).count();
                sums[0] -= f64::from(own / total).max(f64::MIN_POSITIVE).ln();
                // Of equals each is as likely to be named first.
                let named = |places: usize| (places.saturating_sub(above) as f64 / equal as f64).min(1.0);
                sums[1] += named(1);
                sums[2] += named(5);
            }
            sums
        };
        let sums: Vec<[f64; 3]> = (0..chunks).into_par_iter().map(of_chunk).collect();
        let mean = |k: usize| sums.iter().map(|sum| sum[k]).sum::<f64>() / self.len().max(1) as f64;
        Foresight { contests: self.len(), loss: mean(0), top1: mean(1), top5: mean(2) }
    }
}

/// Fills `out` with the strength of each team; returns their sum.
#[inline]
fn strengths_of<const C: usize>(teams: &[[u16; C]], table: &[Vec<f32>; C], out: &mut Vec<f32>) -> f32 {
    out.clear();
    out.extend(teams.iter().map(|team| (0..C).map(|c| table[c][usize::from(team[c])]).product::<f32>()));
    out.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;
    use tesuji_game::Random;

    /// Teams of two families in two columns (the second holds two families), won as given strengths say.
    fn drawn(truth: &Strengths, count: usize, seed: u64) -> Contests<2> {
        let sizes: Vec<usize> = truth.iter().map(Vec::len).collect();
        let mut contests = Contests::<2>::new(&sizes);
        contests.define(0, &[]);
        (0..sizes[0]).for_each(|n| _ = contests.define(0, &[(0, n)]));
        let mut pairs = vec![vec![]];
        for a in 0..sizes[1] {
            pairs.push(vec![(1, a)]);
            (0..sizes[2]).for_each(|b| pairs.push(vec![(1, a), (2, b)]));
        }
        pairs.iter().for_each(|pair| _ = contests.define(1, pair));
        let table = contests.of_words(truth);
        let mut random = Random::new(seed);
        for _ in 0..count {
            let teams: Vec<[u16; 2]> =
                (0..6).map(|_| [random.below(sizes[0] + 1) as u16, random.below(pairs.len()) as u16]).collect();
            let mut strengths = Vec::new();
            let mut left = f64::from(strengths_of(&teams, &table, &mut strengths)) * random.unit();
            let wins = |s: &f32| {
                left -= f64::from(*s);
                left < 0.0
            };
            let winner = strengths.iter().position(wins).unwrap_or(5);
            contests.push(winner, teams);
        }
        contests
    }

    fn truth() -> Strengths {
        vec![vec![4.0, 0.25, 1.5], vec![3.0, 0.5], vec![6.0, 0.1]]
    }

    #[test]
    fn the_strengths_behind_contests_are_found() {
        let contests = drawn(&truth(), 40_000, 7);
        let found = contests.fit(60, 0.5, &mut |_, _| ControlFlow::Continue(()));
        for (found, truth) in found.iter().flatten().zip(truth().iter().flatten()) {
            assert!((found / truth).ln().abs() < 0.08, "{found} for {truth}");
        }
    }

    #[test]
    fn each_round_is_better_and_threads_change_nothing() {
        let contests = drawn(&truth(), 5_000, 3);
        let run = |threads: usize| {
            let mut losses = Vec::new();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let strengths = pool.install(|| {
                contests.fit(8, 0.0, &mut |_, strengths| {
                    losses.push(contests.foresight(strengths).loss);
                    ControlFlow::Continue(())
                })
            });
            (strengths, losses)
        };
        let (strengths, losses) = run(1);
        assert!(losses.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9), "{losses:?}");
        assert_eq!((strengths, losses), run(3));
    }

    #[test]
    fn foresight_counts_places_and_shares_ties() {
        let mut contests = Contests::<1>::new(&[2]);
        for word in [&[][..], &[(0, 0)], &[(0, 1)]] {
            contests.define(0, word);
        }
        contests.push(0, [[1], [2], [0]]);
        contests.push(2, [[1], [0], [0], [0], [0], [0], [0]]);
        let seen = contests.foresight(&vec![vec![2.0, 0.5]]);
        let loss = -((2.0f64 / 3.5).ln() + (1.0f64 / 8.0).ln()) / 2.0;
        assert!((seen.loss - loss).abs() < 1e-6);
        // The second winner shares places two to seven with five others.
        assert!((seen.top1 - 0.5).abs() < 1e-9 && (seen.top5 - (1.0 + 4.0 / 6.0) / 2.0).abs() < 1e-9, "{seen:?}");
    }
}
