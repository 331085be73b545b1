//! Packed positions as changes of accumulators: which rows of the first layer a position adds to those of the one before it.

use super::record::{CELLS_MAX, CellLayout, turned};
use tesuji_game::FirstSide;
use tesuji_nn::NetError;

/// The inputs of a game's cells, from the perspective of both sides.
///
/// The inputs of a side. They may depend on a *frame*, such as the square of its king: the cell of an anchor.
///
/// # Examples
///
/// Two kinds of pieces on four squares, where each side sees its own ones first:
///
/// ```
/// use tesuji_train::nnue::{CellLayout, CellPosition, InputTable, SideInputs};
/// let layout = CellLayout { cells: 4, counts_from: 4, value_bits: 2, used_max: 4 };
/// let first = |_: usize, cell: usize, value: u8| (value < 3).then(|| 4 * (u32::from(value) - 1) + cell as u32);
/// let second = |_: usize, cell: usize, value: u8| (value < 3).then(|| 4 * (2 - u32::from(value)) + cell as u32);
/// let sides = [SideInputs { anchor: None, input: &first }, SideInputs { anchor: None, input: &second }];
/// let table = InputTable::new(layout, (8, 1), sides)?;
/// let mut position = CellPosition::default();
/// (position.cells[0], position.cells[3]) = (1, 2);
/// let mut record = Vec::new();
/// layout.pack(&position, &mut record).unwrap();
/// assert_eq!(table.active(&record), [vec![0, 7], vec![3, 4]]);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputTable {
    layout: CellLayout,
    inputs: usize,
    frames: usize,
    /// For each side the value of its anchor, and the frame by the cell where that stands.
    anchors: [Option<(u8, Vec<u32>)>; 2],
    /// For each side `[frames][cells][values]`; `inputs` where there is no input.
    rows: [Vec<u32>; 2],
    /// The mirrored place of each cell, for games in which a mirrored board is worth the same.
    mirror: Option<Vec<u8>>,
}

/// The inputs of one side in [`InputTable::new`]: its anchor, and the input of a value in a cell in a frame.
pub struct SideInputs<'a> {
    /// The value whose cell decides the frame, and the frame by cell; nothing: there is one frame.
    pub anchor: Option<(u8, Vec<u32>)>,
    /// The input of `(frame, cell, value)`; in cells with counts, that of the step `value`.
    pub input: &'a dyn Fn(usize, usize, u8) -> Option<u32>,
}

impl InputTable {
    /// The table of a feature set with `inputs` inputs and `frames` frames.
    ///
    /// # Errors
    /// When an input or a frame is beyond their number.
    pub fn new(
        layout: CellLayout,
        (inputs, frames): (usize, usize),
        sides: [SideInputs<'_>; 2],
    ) -> Result<InputTable, NetError> {
        let wrong = |text: String| NetError::Architecture(text);
        if !layout.is_sound() || frames == 0 {
            return Err(wrong(format!("{layout:?} with {frames} frames cannot be packed")));
        }
        let mut rows = [Vec::new(), Vec::new()];
        for (rows, side) in rows.iter_mut().zip(&sides) {
            for frame in 0..frames {
                for cell in 0..layout.cells {
                    rows.push(inputs as u32);
                    for value in 1..layout.values() {
                        let row = (side.input)(frame, cell, value as u8).unwrap_or(inputs as u32);
                        if row as usize > inputs {
                            return Err(wrong(format!("input {row} of {inputs}: frame {frame}, cell {cell}")));
                        }
                        rows.push(row);
                    }
                }
            }
            let anchored = side.anchor.iter().flat_map(|(_, frames)| frames);
            if let Some(frame) = anchored.clone().find(|&&frame| frame as usize >= frames) {
                return Err(wrong(format!("frame {frame} of {frames}")));
            }
            if side.anchor.as_ref().is_some_and(|(_, frames)| frames.len() != layout.cells) {
                return Err(wrong("an anchor with another number of cells".into()));
            }
        }
        let anchors = sides.map(|side| side.anchor);
        Ok(InputTable { layout, inputs, frames, anchors, rows, mirror: None })
    }

    /// Lets `decode` show every other run mirrored: `cells` says for each cell where its content goes.
    ///
    /// # Panics
    /// When `cells` is no permutation of the cells.
    pub fn with_mirror(mut self, cells: Vec<u8>) -> InputTable {
        let mut sorted = cells.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().map(|&cell| usize::from(cell)).eq(0..self.layout.cells), "a mirror is a permutation");
        self.mirror = Some(cells);
        self
    }

    /// The layout of its packed positions.
    pub fn layout(&self) -> &CellLayout {
        &self.layout
    }

    /// Rows of the first layer.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The rows of a value in a cell for both sides in their frames, where one of them has an input.
    #[inline(always)]
    fn change(&self, frames: [usize; 2], cell: usize, value: u8) -> Change {
        let at = cell << self.layout.value_bits | usize::from(value);
        let stride = self.layout.cells << self.layout.value_bits;
        let row = |side: usize| self.rows[side][frames[side] * stride + at];
        Change { first: row(0), second: row(1) }
    }

    /// The active inputs of both sides at a position, the first side's before the second's, in ascending order.
    pub fn active(&self, record: &[u8]) -> [Vec<u32>; 2] {
        let mut segment = Segment::default();
        segment.decode(self, record, &[false]);
        let none = self.inputs as u32;
        let mut lists = [Vec::new(), Vec::new()];
        for change in &segment.changes {
            lists[0].extend(Some(change.first).filter(|&row| row != none));
            lists[1].extend(Some(change.second).filter(|&row| row != none));
        }
        lists.iter_mut().for_each(|list| list.sort_unstable());
        lists
    }
}

/// A row that is added to or taken from the accumulator of each side; the row behind the last input is always 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) first: u32,
    pub(super) second: u32,
}

/// The accumulators start from the bias.
pub(super) const FRESH: u8 = 1;
/// The next position starts again.
pub(super) const LAST: u8 = 2;
/// The second side is to move.
pub(super) const SECOND: u8 = 4;

/// The header of a position in a segment: changes from the accumulators of the position before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// Changes that take rows away, which stand before those that add rows.
    pub(super) removed: u16,
    /// Changes that add rows.
    pub(super) added: u16,
    /// For [`LAST`] without [`FRESH`]: rows that are active, in [`Segment::active`].
    pub(super) active: u16,
    pub(super) bucket: u8,
    pub(super) flags: u8,
}

/// What is known of a position, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    /// In centipawns.
    pub(super) score: i16,
    /// By the hand-made evaluation, in centipawns.
    pub(super) base: i16,
    /// The result.
    pub(super) half_points: u8,
}

/// Positions that are worked on together, as changes of accumulators. The first one is [`FRESH`], the last one [`LAST`].
#[derive(Debug, Clone, Default)]
pub(super) struct Segment {
    pub(super) heads: Vec<Head>,
    pub(super) changes: Vec<Change>,
    pub(super) active: Vec<Change>,
    /// What is known of each position.
    pub(super) labels: Vec<Label>,
    /// Rows that [`Change`] may name: those below it, and this one, which is 0.
    pub(super) inputs: usize,
}

/// A position as bytes of cells, and what its sides' views depend on.
pub(super) struct Board {
    cells: [u8; CELLS_MAX],
    frames: [usize; 2],
    used: usize,
}

impl Board {
    pub(super) const EMPTY: Board = Board { cells: [0; CELLS_MAX], frames: [0; 2], used: 0 };

    #[inline(always)]
    pub(super) fn read(&mut self, table: &InputTable, record: &[u8], mirrored: bool) {
        let Board { cells, frames, used } = self;
        // Whole words, as comparisons read them.
        cells[..table.layout.cells.next_multiple_of(8)].fill(0);
        (*frames, *used) = ([0; 2], 0);
        let mirror = table.mirror.as_ref().filter(|_| mirrored);
        table.layout.for_each_cell(record, |cell, value| {
            let Some(cell) = mirror.map_or(Some(cell), |to| to.get(cell).map(|&cell| usize::from(cell))) else {
                return;
            };
            cells[cell % CELLS_MAX] = value;
            *used += 1;
            for (frame, anchor) in frames.iter_mut().zip(&table.anchors) {
                if let Some((own, of_cell)) = anchor
                    && *own == value
                    && cell < table.layout.counts_from
                {
                    *frame = of_cell[cell] as usize;
                }
            }
        });
    }

    /// Appends the rows of all cells in use.
    #[inline(always)]
    pub(super) fn all(&self, table: &InputTable, out: &mut Vec<Change>) {
        let layout = &table.layout;
        for (word, eight) in self.cells[..layout.cells.next_multiple_of(8)].chunks_exact(8).enumerate() {
            let mut bytes = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
            while bytes != 0 {
                let byte = bytes.trailing_zeros() as usize / 8;
                let (cell, value) = (word * 8 + byte, (bytes >> (8 * byte)) as u8);
                bytes &= !(0xFF << (8 * byte));
                // A count has an input for each step up to it.
                let from = if cell < layout.counts_from { value } else { 1 };
                out.extend((from..=value).map(|value| table.change(self.frames, cell, value)));
            }
        }
    }

    /// Appends what leads from `before` to here: rows to take away, then rows to add; returns how many of each.
    #[inline(always)]
    fn differences(&self, before: &Board, table: &InputTable, out: &mut Vec<Change>) -> (usize, usize) {
        let layout = &table.layout;
        let start = out.len();
        // Removals stand first in the list: what is added waits here.
        let mut added = [Change { first: 0, second: 0 }; CELLS_MAX * 2];
        let mut add_count = 0;
        let mut add = |change: Change| {
            if let Some(slot) = added.get_mut(add_count) {
                *slot = change;
            }
            add_count += 1;
        };
        for word in 0..layout.cells.div_ceil(8) {
            let at = word * 8;
            let read = |cells: &[u8; CELLS_MAX]| u64::from_le_bytes(cells[at..at + 8].try_into().expect("eight bytes"));
            let (old, new) = (read(&before.cells), read(&self.cells));
            // Eight cells at once, most of which have not changed.
            let mut changed = old ^ new;
            while changed != 0 {
                let byte = changed.trailing_zeros() as usize / 8;
                changed &= !(0xFF << (8 * byte));
                let (cell, old, new) = (at + byte, (old >> (8 * byte)) as u8, (new >> (8 * byte)) as u8);
                if cell < layout.counts_from {
                    if old != 0 {
                        out.push(table.change(self.frames, cell, old));
                    }
                    if new != 0 {
                        add(table.change(self.frames, cell, new));
                    }
                } else {
                    out.extend((new + 1..=old).map(|step| table.change(self.frames, cell, step)));
                    (old + 1..=new).for_each(|step| add(table.change(self.frames, cell, step)));
                }
            }
        }
        let removed = out.len() - start;
        if add_count <= added.len() {
            out.extend_from_slice(&added[..add_count]);
        }
        (removed, add_count)
    }
}

impl Segment {
    /// Positions in it.
    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Takes the positions of `records`, which follow each other in runs of games; of `mirrored`, as many flags.
    pub(super) fn decode(&mut self, table: &InputTable, records: &[u8], mirrored: &[bool]) {
        self.heads.clear();
        self.changes.clear();
        self.active.clear();
        self.labels.clear();
        self.inputs = table.inputs;
        let size = table.layout.record_bytes();
        let (mut before, mut here) = (Board::EMPTY, Board::EMPTY);
        for (index, record) in records.chunks_exact(size).enumerate() {
            let facts = table.layout.facts(record);
            here.read(table, record, mirrored.get(index).copied().unwrap_or(false));
            let mut head = Head { bucket: facts.bucket, ..Head::default() };
            let (FirstSide(score), FirstSide(base), half_points) = (facts.score, facts.base, facts.half_points);
            self.labels.push(match facts.second_to_move {
                false => Label { score, base, half_points },
                // Saturating: the least number has no negative.
                true => Label {
                    score: score.saturating_neg(),
                    base: base.saturating_neg(),
                    half_points: turned(half_points),
                },
            });
            head.flags = if facts.second_to_move { SECOND } else { 0 };
            let start = self.changes.len();
            // In another frame all inputs of a side are others.
            let mut is_fresh = index == 0 || facts.starts_run || here.frames != before.frames;
            if !is_fresh {
                let (removed, added) = here.differences(&before, table, &mut self.changes);
                // Where nearly all differs, starting again is faster, and rounds less.
                is_fresh = 4 * (removed + added) > 3 * here.used;
                (head.removed, head.added) = (removed as u16, added as u16);
            }
            if is_fresh {
                self.changes.truncate(start);
                self.end_run(&before, table);
                here.all(table, &mut self.changes);
                head.flags |= FRESH;
                (head.removed, head.added) = (0, (self.changes.len() - start) as u16);
            }
            self.heads.push(head);
            std::mem::swap(&mut before, &mut here);
        }
        self.end_run(&before, table);
    }

    /// Ends the run of the last position, which is `board`.
    fn end_run(&mut self, board: &Board, table: &InputTable) {
        let Some(last) = self.heads.last_mut() else { return };
        last.flags |= LAST;
        if last.flags & FRESH == 0 {
            let start = self.active.len();
            board.all(table, &mut self.active);
            last.active = (self.active.len() - start) as u16;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::record::{CellPosition, NO_RESULT};
    use super::*;
    use tesuji_game::Random;

    /// A made-up game: 20 squares with pieces 1 to 6 (3 and 6 are anchors), 4 cells of counts up to 7.
    pub(in super::super) const LAYOUT: CellLayout =
        CellLayout { cells: 24, counts_from: 20, value_bits: 3, used_max: 16 };
    /// Its inputs in one frame.
    pub(in super::super) const INPUTS: usize = 20 * 6 + 4 * 7;

    /// Its table: two frames by the half of the board where the own anchor stands.
    pub(in super::super) fn table(frames: usize) -> InputTable {
        let anchor = |value: u8| (frames > 1).then(|| (value, (0..24).map(|cell| u32::from(cell % 4 > 1)).collect()));
        let input = |turned: bool| {
            move |frame: usize, cell: usize, value: u8| {
                let value = if turned && cell < 20 { (value + 2) % 6 + 1 } else { value };
                let at = match cell {
                    0..20 if (1..=6).contains(&value) => cell * 6 + usize::from(value) - 1,
                    20.. => 120 + (cell - 20) * 7 + usize::from(value) - 1,
                    _ => return None,
                };
                Some((frame * INPUTS + at) as u32)
            }
        };
        let (own, other) = (input(false), input(true));
        let sides = [SideInputs { anchor: anchor(3), input: &own }, SideInputs { anchor: anchor(6), input: &other }];
        InputTable::new(LAYOUT, (INPUTS * frames, frames), sides).unwrap()
    }

    /// `count` records in runs of about `run`.
    pub(in super::super) fn records(count: usize, run: usize, seed: u64) -> Vec<u8> {
        let mut random = Random::new(seed);
        let mut out = Vec::new();
        let mut position = CellPosition::default();
        for index in 0..count {
            position.starts_run = index == 0 || random.below(run) == 0;
            if position.starts_run {
                position.cells = [0; CELLS_MAX];
                (position.cells[random.below(10)], position.cells[10 + random.below(10)]) = (3, 6);
                (0..9).for_each(|_| put(&mut position, &mut random));
            }
            (0..random.below(3)).for_each(|_| put(&mut position, &mut random));
            position.cells[20 + random.below(4)] = random.below(4) as u8;
            // What the pieces are worth, so that there is something to learn.
            let worth = |value: &u8| [0, 90, 160, 0, -90, -160, 0, 0][usize::from(*value)];
            let score = position.cells[..20].iter().map(worth).sum::<i16>() + random.below(60) as i16 - 30;
            position.score = FirstSide(score);
            position.base = FirstSide(score / 2 + random.below(40) as i16 - 20);
            position.half_points = (1 + (score / 150).clamp(-1, 1)) as u8;
            if random.below(8) == 0 {
                position.half_points = NO_RESULT;
            }
            position.second_to_move = random.below(2) == 1;
            position.bucket = random.below(8) as u8;
            LAYOUT.pack(&position, &mut out).unwrap();
        }
        out
    }

    fn put(position: &mut CellPosition, random: &mut Random) {
        let cell = random.below(20);
        let used = position.cells.iter().filter(|&&value| value != 0).count();
        let piece = if used > 10 { 0 } else { [0, 1, 2, 4, 5][random.below(5)] };
        // Anchors move by themselves only.
        if !matches!(position.cells[cell], 3 | 6) {
            position.cells[cell] = piece;
            if random.below(12) == 0 {
                let from = position.cells.iter().position(|&value| value == 3).unwrap();
                position.cells.swap(from, cell);
            }
        }
    }

    #[test]
    fn differences_lead_to_the_active_rows() {
        for frames in [1, 2] {
            let table = table(frames);
            let records = records(500, 8, 5);
            let size = LAYOUT.record_bytes();
            let mut segment = Segment::default();
            segment.decode(&table, &records, &[]);
            assert_eq!(segment.len(), 500);
            let mut active = [vec![0i32; table.inputs + 1], vec![0i32; table.inputs + 1]];
            let (mut changes, mut flushed, mut fresh) = (segment.changes.iter(), segment.active.iter(), 0);
            for (index, head) in segment.heads.iter().enumerate() {
                if head.flags & FRESH != 0 {
                    fresh += 1;
                    active.iter_mut().for_each(|rows| rows.fill(0));
                }
                for (count, sign) in [(head.removed, -1), (head.added, 1)] {
                    for change in changes.by_ref().take(usize::from(count)) {
                        active[0][change.first as usize] += sign;
                        active[1][change.second as usize] += sign;
                    }
                }
                let expected = table.active(&records[index * size..][..size]);
                for (rows, expected) in active.iter().zip(&expected) {
                    let found: Vec<u32> = (0..table.inputs as u32).filter(|&row| rows[row as usize] != 0).collect();
                    assert_eq!(&found, expected, "position {index}");
                    assert!(rows[..table.inputs].iter().all(|&count| count == 0 || count == 1));
                }
                let is_last = segment.heads.get(index + 1).is_none_or(|next| next.flags & FRESH != 0);
                assert_eq!(is_last, head.flags & LAST != 0);
                if is_last && head.flags & FRESH == 0 {
                    let mut rows: Vec<u32> =
                        flushed.by_ref().take(usize::from(head.active)).map(|change| change.first).collect();
                    rows.sort_unstable();
                    rows.retain(|&row| row < table.inputs as u32);
                    assert_eq!(rows, expected[0]);
                }
            }
            assert!(fresh < 250 && changes.next().is_none() && flushed.next().is_none(), "{fresh}");
        }
    }

    #[test]
    fn mirrored_runs_are_the_same_positions_elsewhere() {
        let mirror: Vec<u8> = (0..20u8).map(|cell| cell / 4 * 4 + 3 - cell % 4).chain(20..24).collect();
        let (plain, table) = (table(2), table(2).with_mirror(mirror.clone()));
        let size = LAYOUT.record_bytes();
        for record in records(50, 1, 9).chunks_exact(size) {
            let mut position = LAYOUT.unpack(record);
            let was = position.cells;
            mirror.iter().enumerate().for_each(|(from, &to)| position.cells[usize::from(to)] = was[from]);
            let mut turned = Vec::new();
            LAYOUT.pack(&position, &mut turned).unwrap();
            let (mut one, mut two) = (Segment::default(), Segment::default());
            one.decode(&table, record, &[true]);
            two.decode(&plain, &turned, &[]);
            assert_eq!((one.changes, one.heads), (two.changes, two.heads));
        }
    }

    #[test]
    fn tables_beyond_their_inputs_are_refused() {
        let input = |_: usize, cell: usize, value: u8| Some((cell * 8) as u32 + u32::from(value));
        let side = || SideInputs { anchor: None, input: &input };
        let error = InputTable::new(LAYOUT, (50, 1), [side(), side()]).unwrap_err().to_string();
        assert!(error.contains("input 51 of 50"), "{error}");
    }
}
