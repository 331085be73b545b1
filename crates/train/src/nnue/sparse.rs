//! Batches of positions as lists of active inputs, for devices that take a batch at once: what each position reads forwards, and
//! for each row of the first layer who reads it, so that gradients are summed in a fixed order.

use super::inputs::{Board, Change, InputTable};
use super::record::{BUCKETS, turned};
use tesuji_game::FirstSide;

/// Readers of a row whose gradients are summed at once; more are summed in parts. About the root of the readers of a frequent row: sums of
/// readers and of parts take as long.
const CHUNK: usize = 128;
/// Marks the target of a chunk that is a part: the rest of its bits is the number of the part.
pub const PART: u32 = 1 << 31;
/// Items whose numbers fit 16 bits.
const NARROW: usize = 1 << 16;

/// A list in [`SparseBatch::words`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Section {
    /// Its first word.
    pub start: usize,
    /// Its items.
    pub len: usize,
    /// Whether two items of 16 bits stand in a word, the first in the lower half.
    pub is_narrow: bool,
}

/// A batch of positions as lists of active inputs, in one row of words. Positions are sorted by their output bucket; each has two
/// lists, that of the side to move first.
///
/// # Examples
///
/// ```
/// use tesuji_train::nnue::{CellLayout, CellPosition, InputTable, SideInputs, SparseBatch};
/// let layout = CellLayout { cells: 4, counts_from: 4, value_bits: 2, used_max: 4 };
/// let first = |_: usize, cell: usize, value: u8| (value < 3).then(|| 4 * (u32::from(value) - 1) + cell as u32);
/// let second = |_: usize, cell: usize, value: u8| (value < 3).then(|| 4 * (2 - u32::from(value)) + cell as u32);
/// let sides = [SideInputs { anchor: None, input: &first }, SideInputs { anchor: None, input: &second }];
/// let table = InputTable::new(layout, (8, 1), sides)?;
/// let mut position = CellPosition { second_to_move: true, ..CellPosition::default() };
/// (position.cells[0], position.cells[3]) = (1, 2);
/// let mut record = Vec::new();
/// layout.pack(&position, &mut record).unwrap();
/// let mut batch = SparseBatch::default();
/// batch.fill(&table, &record, &[], 1, true);
/// assert_eq!((batch.positions(), batch.items(batch.starts)), (1, vec![0, 2, 4]));
/// assert_eq!(batch.items(batch.rows), [4, 3, 0, 7], "the side to move's inputs, then the other's");
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SparseBatch {
    /// All lists, one after another.
    pub words: Vec<u32>,
    /// The first position of each output bucket, and the end of the last.
    pub buckets: Vec<usize>,
    /// Of each position: its score in centipawns for the side to move (16 bits, signed), half points (2 bits), bucket.
    pub labels: Section,
    /// The first item of each list in `rows`, and the end of the last: the lists of position `n` are `2 * n` and `2 * n + 1`.
    pub starts: Section,
    /// Active rows of the first layer, list after list.
    pub rows: Section,
    /// The first reader of each chunk and its target, and the end of the last chunk. A target is a row, or a part ([`PART`]).
    pub chunks: Section,
    /// Lists that read a row, row after row; those that read the bias, all, stand last, as row number `inputs`.
    pub readers: Section,
    /// Rows with more than one chunk: the row and its first part, and the end of the last one's parts.
    pub summed: Section,
    /// Parts of rows with more than one chunk.
    pub parts: usize,
    /// Rows that have readers, in ascending order, without the bias.
    pub touched: Section,
    scratch: Scratch,
}

/// What is kept between batches so that no memory is asked for again.
#[derive(Debug, Clone, Default)]
struct Scratch {
    order: Vec<u32>,
    changes: Vec<Change>,
    labels: Vec<u32>,
    starts: Vec<u32>,
    rows: Vec<u32>,
    /// Of each row: its readers, then where the next one goes.
    places: Vec<u32>,
    readers: Vec<u32>,
    chunks: Vec<u32>,
    summed: Vec<u32>,
    touched: Vec<u32>,
}

impl SparseBatch {
    /// Positions in it.
    pub fn positions(&self) -> usize {
        self.labels.len
    }

    /// The items of a list.
    pub fn items(&self, section: Section) -> Vec<u32> {
        let words = self.words[section.start..].iter();
        if !section.is_narrow {
            return words.take(section.len).copied().collect();
        }
        words.flat_map(|word| [word & 0xFFFF, word >> 16]).take(section.len).collect()
    }

    /// Takes the positions of `records`, of which `mirrored` are shown mirrored, for a network of `buckets` output buckets. The lists
    /// after `rows` are filled only where the network `learns`.
    pub fn fill(&mut self, table: &InputTable, records: &[u8], mirrored: &[bool], buckets: usize, learns: bool) {
        self.sort(table, records, buckets);
        self.read(table, records, mirrored, buckets);
        self.words.clear();
        let scratch = std::mem::take(&mut self.scratch);
        let narrow_rows = table.inputs() < NARROW;
        self.labels = self.push(&scratch.labels, false);
        self.starts = self.push(&scratch.starts, false);
        self.rows = self.push(&scratch.rows, narrow_rows);
        self.scratch = scratch;
        if learns {
            self.turn(table.inputs());
            let scratch = std::mem::take(&mut self.scratch);
            self.chunks = self.push(&scratch.chunks, false);
            self.readers = self.push(&scratch.readers, 2 * self.positions() <= NARROW);
            self.summed = self.push(&scratch.summed, false);
            self.touched = self.push(&scratch.touched, false);
            self.scratch = scratch;
        } else {
            let none = Section { start: self.words.len(), ..Section::default() };
            (self.chunks, self.readers, self.summed, self.touched, self.parts) = (none, none, none, none, 0);
        }
    }

    /// Appends a list.
    fn push(&mut self, items: &[u32], is_narrow: bool) -> Section {
        let start = self.words.len();
        if is_narrow {
            let pairs = items.chunks(2);
            self.words.extend(pairs.map(|pair| pair[0] | pair.get(1).map_or(0, |second| second << 16)));
        } else {
            self.words.extend_from_slice(items);
        }
        Section { start, len: items.len(), is_narrow }
    }

    /// Puts the positions into the order of their buckets.
    fn sort(&mut self, table: &InputTable, records: &[u8], buckets: usize) {
        let size = table.layout().record_bytes();
        let bucket = |record: &[u8]| usize::from(table.layout().facts(record).bucket) % buckets;
        let mut counts = [0usize; BUCKETS];
        records.chunks_exact(size).for_each(|record| counts[bucket(record)] += 1);
        self.buckets.clear();
        let mut end = 0;
        for count in &mut counts[..buckets] {
            self.buckets.push(end);
            end += std::mem::replace(count, end);
        }
        self.buckets.push(end);
        self.scratch.order.clear();
        self.scratch.order.resize(end, 0);
        for (index, record) in records.chunks_exact(size).enumerate() {
            let place = &mut counts[bucket(record)];
            self.scratch.order[*place] = index as u32;
            *place += 1;
        }
    }

    /// Reads labels and lists of active inputs.
    fn read(&mut self, table: &InputTable, records: &[u8], mirrored: &[bool], buckets: usize) {
        let (size, none) = (table.layout().record_bytes(), table.inputs() as u32);
        let Scratch { order, changes, labels, starts, rows, .. } = &mut self.scratch;
        labels.clear();
        starts.clear();
        rows.clear();
        starts.push(0);
        let mut board = Board::EMPTY;
        for &index in order.iter() {
            let index = index as usize;
            let record = &records[index * size..][..size];
            let facts = table.layout().facts(record);
            let FirstSide(score) = facts.score;
            let (own, points) = match facts.second_to_move {
                // Saturating: the least number has no negative.
                true => (score.saturating_neg(), turned(facts.half_points)),
                false => (score, facts.half_points),
            };
            let bucket = u32::from(facts.bucket) % buckets as u32;
            labels.push(u32::from(own as u16) | u32::from(points) << 16 | bucket << 18);
            board.read(table, record, mirrored.get(index).copied().unwrap_or(false));
            changes.clear();
            board.all(table, changes);
            for own in [true, false] {
                let is_first = own != facts.second_to_move;
                let side = changes.iter().map(|change| if is_first { change.first } else { change.second });
                rows.extend(side.filter(|&row| row != none));
                starts.push(rows.len() as u32);
            }
        }
    }

    /// From rows of lists to lists of rows, cut into chunks.
    fn turn(&mut self, inputs: usize) {
        let lists = 2 * self.positions();
        let Scratch { starts, rows, places, readers, chunks, summed, touched, .. } = &mut self.scratch;
        places.clear();
        places.resize(inputs, 0);
        rows.iter().for_each(|&row| places[row as usize] += 1);
        chunks.clear();
        summed.clear();
        touched.clear();
        let (mut end, mut parts) = (0u32, 0u32);
        let bias = [lists as u32];
        for (row, count) in places.iter().chain(&bias).copied().enumerate().filter(|&(_, count)| count > 0) {
            let pieces = (count as usize).div_ceil(CHUNK) as u32;
            if row < inputs {
                touched.push(row as u32);
            }
            if pieces == 1 {
                chunks.extend([end, row as u32]);
            } else {
                summed.extend([row as u32, parts]);
                chunks.extend((0..pieces).flat_map(|piece| [end + piece * CHUNK as u32, PART | (parts + piece)]));
                parts += pieces;
            }
            end += count;
        }
        chunks.extend([end, 0]);
        summed.extend([0, parts]);
        self.parts = parts as usize;
        let mut next = 0;
        places.iter_mut().for_each(|place| next += std::mem::replace(place, next));
        readers.clear();
        readers.resize(end as usize, 0);
        for (list, pair) in starts.windows(2).enumerate() {
            for &row in &rows[pair[0] as usize..pair[1] as usize] {
                let place = &mut places[row as usize];
                readers[*place as usize] = list as u32;
                *place += 1;
            }
        }
        readers[next as usize..].iter_mut().zip(0..).for_each(|(reader, list)| *reader = list);
    }
}

#[cfg(test)]
mod tests {
    use super::super::inputs::tests::{INPUTS, LAYOUT, records, table};
    use super::*;

    /// Labels and lists are those of single records; readers are the reverse of lists, in order, in chunks.
    fn check(frames: usize, buckets: usize, count: usize) {
        let (table, records) = (table(frames), records(count, 8, 5));
        let mut batch = SparseBatch::default();
        batch.fill(&table, &records[..LAYOUT.record_bytes()], &[], buckets, true);
        batch.fill(&table, &records, &[], buckets, true);
        assert_eq!((batch.positions(), batch.buckets.len()), (count, buckets + 1));
        let (starts, rows) = (batch.items(batch.starts), batch.items(batch.rows));
        let mut wanted = Vec::new();
        for bucket in 0..buckets {
            let of_bucket = records.chunks_exact(LAYOUT.record_bytes());
            let mut of_bucket =
                of_bucket.filter(|record| usize::from(LAYOUT.facts(record).bucket) % buckets == bucket).peekable();
            assert_eq!(batch.buckets[bucket] * 2, wanted.len());
            assert!(buckets == 1 || of_bucket.peek().is_some());
            for record in of_bucket {
                let [first, second] = table.active(record);
                wanted.extend(if LAYOUT.facts(record).second_to_move { [second, first] } else { [first, second] });
            }
        }
        let list = |list: usize| {
            let mut list = rows[starts[list] as usize..starts[list + 1] as usize].to_vec();
            list.sort_unstable();
            list
        };
        assert!((0..2 * count).map(list).eq(wanted.iter().cloned()));
        let mut readers = vec![Vec::new(); INPUTS * frames + 1];
        for (list, rows) in wanted.iter().enumerate() {
            rows.iter().for_each(|&row| readers[row as usize].push(list as u32));
            readers[INPUTS * frames].push(list as u32);
        }
        let (chunks, all, summed) = (batch.items(batch.chunks), batch.items(batch.readers), batch.items(batch.summed));
        let mut found: Vec<Vec<u32>> = vec![Vec::new(); readers.len()];
        for pair in chunks.chunks_exact(2).collect::<Vec<_>>().windows(2) {
            let row = match pair[0][1] {
                part if part & PART != 0 => {
                    let part = part & !PART;
                    summed.chunks_exact(2).rev().skip(1).find(|row| row[1] <= part).unwrap()[0]
                }
                row => row,
            };
            let here = &all[pair[0][0] as usize..pair[1][0] as usize];
            assert!((1..=CHUNK).contains(&here.len()));
            found[row as usize].extend(here);
        }
        assert_eq!(found, readers);
        assert!(batch.parts > 0 && summed.last() == Some(&(batch.parts as u32)));
        let touched = (0..INPUTS * frames).filter(|&row| !readers[row].is_empty()).map(|row| row as u32);
        assert!(batch.items(batch.touched).into_iter().eq(touched));
    }

    #[test]
    fn batches_hold_each_position_once_and_readers_in_order() {
        check(1, 1, 700);
        check(2, 8, 700);
        check(2, 8, 40_000); // Readers need more than 16 bits.
    }

    #[test]
    fn labels_are_those_of_the_side_to_move() {
        let (table, records) = (table(1), records(50, 8, 5));
        let mut batch = SparseBatch::default();
        batch.fill(&table, &records, &[], 1, false);
        let labels = batch.items(batch.labels);
        assert_eq!((labels.len(), batch.chunks.len, batch.readers.len), (50, 0, 0));
        for (label, record) in labels.iter().zip(records.chunks_exact(LAYOUT.record_bytes())) {
            let position = LAYOUT.unpack(record);
            let sign = if position.second_to_move { -1 } else { 1 };
            assert_eq!(i32::from(*label as u16 as i16), sign * i32::from(position.score.0));
            let points = i32::from(position.half_points);
            assert_eq!(*label as i32 >> 16, if points == 3 { 3 } else { 1 + sign * (points - 1) });
        }
    }
}
