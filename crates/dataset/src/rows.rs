//! Rows of feature counts in compressed columns.

use crate::is_held_out;
use std::num::NonZeroU64;
use tesuji_game::{FirstSide, fnv};

/// One count of one feature: First minus Second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FeatureCount {
    /// The feature's number in the evaluation's terms.
    pub feature: u16,
    /// Occurrences for [`tesuji_game::Side::First`] minus those for [`tesuji_game::Side::Second`]. Never 0 in a row.
    pub count: i16,
}

/// The data of a row other than its feature counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Head {
    /// The game's number, unique in its [`Rows`].
    pub game: u32,
    /// The key by which the game is held out, see [`is_held_out`]: a hash of its start and moves, the same in every
    /// file. `None` when unknown.
    pub key: Option<NonZeroU64>,
    /// Boards of the game.
    pub boards: u16,
    /// Boards of the game after this one.
    pub boards_left: u16,
    /// Game phase: the share of the first of each pair of weights, in 0..=256 (256: all pieces on the board).
    pub phase: u16,
    /// Scale factor of the endgame sum, in 0..=64 (64: no drawish ending).
    pub scale: u16,
    /// The result in half points of First: 0, 1, 2.
    pub half_points: u8,
    /// The search score of the board, in centipawns; mates are clamped.
    pub score: Option<FirstSide<i16>>,
}

impl Head {
    /// The result for First in 0..=1.
    pub fn result(&self) -> f32 {
        f32::from(self.half_points) * 0.5
    }

    /// Whether the game of this row is held out of training, which `share` of the games are: whole games, see [`is_held_out`].
    /// If nothing tells the game apart from others, its number does.
    pub fn is_held_out(&self, seed: u64, share: f64) -> bool {
        is_held_out(self.key.map_or(u64::from(self.game), NonZeroU64::get), seed, share)
    }
}

/// What a row teaches, where it is no result and score of a game as [`Head`] has them: tables of other programs hold real numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// The result, from 0 to 1.
    pub result: f32,
    /// The search's score, in the unit of the weights.
    pub score: Option<f32>,
    /// The weight of the row in the loss, beside that of the plies left.
    pub weight: f32,
}

impl Target {
    /// That of a row which knows no more than its head.
    pub fn of_head(head: &Head) -> Target {
        Target { result: head.result(), score: head.score.map(|FirstSide(score)| f32::from(score)), weight: 1.0 }
    }
}

/// One row as [`Rows::get`] shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// The data other than the counts.
    pub head: Head,
    /// The counts, each feature once.
    pub entries: &'a [FeatureCount],
}

/// Rows in compressed columns (CSR): all counts one after the other, and where each row ends.
///
/// # Examples
/// ```
/// use tesuji_dataset::{Head, Rows};
/// let mut rows = Rows::default();
/// rows.push(Head { half_points: 2, ..Head::default() }, &[(3, -1)]);
/// assert_eq!(rows.len(), 1);
/// assert_eq!(rows.get(0).head.result(), 1.0);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    heads: Vec<Head>,
    /// Of all rows, or of none: then heads tell.
    targets: Vec<Target>,
    ends: Vec<usize>,
    entries: Vec<FeatureCount>,
}

impl Rows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The number of counts of all rows.
    pub fn entries_len(&self) -> usize {
        self.entries.len()
    }

    /// The memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<Head>()
            + self.targets.capacity() * size_of::<Target>()
            + self.ends.capacity() * size_of::<usize>()
            + self.entries.capacity() * size_of::<FeatureCount>()
    }

    /// Adds a row of (feature, count), as [`tesuji_tally::Row`] gives them: each feature once, no count 0.
    pub fn push(&mut self, head: Head, counts: &[(u16, i16)]) {
        if !self.targets.is_empty() {
            self.targets.push(Target::of_head(&head));
        }
        self.entries.extend(counts.iter().map(|&(feature, count)| FeatureCount { feature, count }));
        self.ends.push(self.entries.len());
        self.heads.push(head);
    }

    /// Adds a row in the way of [`Rows::push`] that teaches `target`.
    pub fn push_target(&mut self, head: Head, target: Target, counts: &[(u16, i16)]) {
        self.fill_targets();
        self.push(head, counts);
        self.targets.truncate(self.heads.len() - 1);
        self.targets.push(target);
    }

    /// Gives all rows the targets that their heads tell.
    fn fill_targets(&mut self) {
        if self.targets.is_empty() {
            self.targets = self.heads.iter().map(Target::of_head).collect();
        }
    }

    /// Multiplies the scores that rows teach beside their heads by `factor`: weights are learned in another unit.
    pub fn scale_scores(&mut self, factor: f32) {
        self.targets.iter_mut().filter_map(|target| target.score.as_mut()).for_each(|score| *score *= factor);
    }

    /// What row `index` teaches.
    ///
    /// # Panics
    /// When `index` is not below [`Rows::len`].
    pub fn target(&self, index: usize) -> Target {
        self.targets.get(index).copied().unwrap_or_else(|| Target::of_head(&self.heads[index]))
    }

    /// Row `index`.
    ///
    /// # Panics
    /// When `index` is not below [`Rows::len`].
    pub fn get(&self, index: usize) -> Row<'_> {
        let from = if index == 0 { 0 } else { self.ends[index - 1] };
        Row { head: self.heads[index], entries: &self.entries[from..self.ends[index]] }
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Appends the rows of `other` as they are; the caller keeps game numbers apart.
    pub fn append(&mut self, other: &Rows) {
        if !(self.targets.is_empty() && other.targets.is_empty()) {
            self.fill_targets();
            self.targets.extend((0..other.len()).map(|index| other.target(index)));
        }
        let base = self.entries.len();
        self.entries.extend_from_slice(&other.entries);
        self.ends.extend(other.ends.iter().map(|&end| base + end));
        self.heads.extend_from_slice(&other.heads);
    }

    /// Appends the rows of `other`, whose games get numbers from `first` on instead of from 0.
    pub fn append_games(&mut self, other: &Rows, first: u32) {
        let from = self.heads.len();
        self.append(other);
        self.heads[from..].iter_mut().for_each(|head| head.game = head.game.wrapping_add(first));
    }

    /// Drops the rows from number `rows` on.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.targets.truncate(rows);
        self.heads.truncate(rows);
        self.ends.truncate(rows);
        self.entries.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Gives the rows from number `from` on the keys of their games.
    pub(crate) fn set_keys(&mut self, from: usize, key: impl Fn(&Head) -> u64) {
        self.heads[from..].iter_mut().for_each(|head| head.key = NonZeroU64::new(key(head)));
    }

    /// Keeps the rows that `keep` likes, in order.
    pub fn retain(&mut self, mut keep: impl FnMut(&Head) -> bool) {
        let (mut rows, mut to, mut from) = (0, 0, 0);
        for i in 0..self.heads.len() {
            let end = self.ends[i];
            if keep(&self.heads[i]) {
                self.entries.copy_within(from..end, to);
                to += end - from;
                self.heads[rows] = self.heads[i];
                if !self.targets.is_empty() {
                    self.targets[rows] = self.targets[i];
                }
                self.ends[rows] = to;
                rows += 1;
            }
            from = end;
        }
        self.heads.truncate(rows);
        self.targets.truncate(rows);
        self.ends.truncate(rows);
        self.entries.truncate(to);
    }

    /// One more than the largest feature that occurs.
    pub fn features_bound(&self) -> usize {
        self.entries.iter().map(|e| e.feature as usize + 1).max().unwrap_or(0)
    }

    /// A hash of everything in the rows but the keys of games (FNV-1a, 64 bits): equal rows have equal hashes, on every machine. The baseline
    /// test of an evaluation's refactoring.
    pub fn hash(&self) -> u64 {
        let mut h = Fnv(fnv::START);
        for row in self.iter() {
            let head = row.head;
            h.add(u64::from(head.game) | u64::from(head.boards) << 32 | u64::from(head.boards_left) << 48);
            h.add(u64::from(head.phase) | u64::from(head.scale) << 16 | u64::from(head.half_points) << 32);
            h.add(head.score.map_or(1 << 32, |FirstSide(score)| u64::from(score as u16)));
            h.add(row.entries.len() as u64);
            for e in row.entries {
                h.add(u64::from(e.feature) | u64::from(e.count as u16) << 16);
            }
        }
        h.0
    }
}

struct Fnv(u64);

impl Fnv {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = fnv::step(self.0, u64::from(byte));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(row: &Row) -> Vec<(u16, i16)> {
        row.entries.iter().map(|e| (e.feature, e.count)).collect()
    }

    fn sample(n: u32) -> Rows {
        let mut rows = Rows::default();
        for game in 0..n {
            for left in 0..game % 4 {
                let head = Head { game, boards_left: left as u16, ..Head::default() };
                let counts: Vec<(u16, i16)> = (0..left + game % 3).map(|i| (i as u16, game as i16 + 1)).collect();
                rows.push(head, &counts);
            }
        }
        rows
    }

    #[test]
    fn retain_equals_a_new_build() {
        let mut some = sample(40);
        let all = some.clone();
        some.retain(|h| h.game % 3 == 1);
        let mut expected = Rows::default();
        for row in all.iter().filter(|r| r.head.game % 3 == 1) {
            expected.push(row.head, &counts(&row));
        }
        assert_eq!(some, expected);
        assert_eq!(some.hash(), expected.hash());
        assert_ne!(some.hash(), all.hash());
    }

    #[test]
    fn targets_stay_with_their_rows() {
        let target = |number: u32| Target { result: 0.1 * number as f32, score: None, weight: 2.0 };
        let head = |number: u32| Head { game: number, half_points: 2, ..Head::default() };
        let mut rows = Rows::default();
        rows.push(head(0), &[]);
        rows.push_target(head(1), target(1), &[(0, 1)]);
        rows.push(head(2), &[]);
        let mut alone = Rows::default();
        alone.push_target(head(3), target(3), &[]);
        rows.append(&alone);
        let seen = |rows: &Rows| (0..rows.len()).map(|row| rows.target(row)).collect::<Vec<_>>();
        let plain = Target::of_head(&head(0));
        assert_eq!(seen(&rows), [plain, target(1), plain, target(3)]);
        rows.retain(|head| head.game != 0);
        assert_eq!(seen(&rows), [target(1), plain, target(3)]);
    }

    #[test]
    fn append_equals_pushing() {
        let (a, b) = (sample(9), sample(17));
        let mut joined = a.clone();
        joined.append(&b);
        assert_eq!(joined.target(3), Target::of_head(&joined.get(3).head));
        let mut expected = Rows::default();
        for row in a.iter().chain(b.iter()) {
            expected.push(row.head, &counts(&row));
        }
        assert_eq!(joined, expected);
    }
}
