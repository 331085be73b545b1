//! Batches of positions from a file in another order at each epoch: windows of the file in random order, and in each window its runs
//! in random order. The file itself is shuffled already; what is held in memory is one window.

use super::positions::PositionsFile;
use crate::sample::SourceError;
use std::ops::Range;
use tesuji_game::Random;

/// Positions of a window.
const WINDOW: u64 = 1 << 19;

/// An endless stream of positions; the same file and seed give the same stream.
pub(super) struct PositionStream {
    file: PositionsFile,
    seed: u64,
    window: u64,
    is_mirrored: bool,
    epoch: u64,
    /// Windows of this epoch in their order, and the next of them.
    order: Vec<u64>,
    next: usize,
    bytes: Vec<u8>,
    /// Runs of the window that is read, in the order in which they come, as records; with whether they are mirrored.
    runs: Vec<(Range<u32>, bool)>,
    /// The next run, and the next record in it.
    at: (usize, u32),
}

/// Positions of one step.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) records: Vec<u8>,
    pub(super) mirrored: Vec<bool>,
}

impl PositionStream {
    /// The positions of `file` to learn from; where `is_mirrored` every other run is marked to be mirrored.
    ///
    /// # Errors
    /// When there are none.
    pub(super) fn new(file: PositionsFile, seed: u64, is_mirrored: bool) -> Result<PositionStream, SourceError> {
        PositionStream::with_window(file, seed, is_mirrored, WINDOW)
    }

    fn with_window(
        file: PositionsFile,
        seed: u64,
        is_mirrored: bool,
        window: u64,
    ) -> Result<PositionStream, SourceError> {
        if file.header().training == 0 {
            return Err(SourceError::Empty("none of the positions passed the filters".into()));
        }
        let (order, bytes, runs) = (Vec::new(), Vec::new(), Vec::new());
        let mut stream =
            PositionStream { file, seed, window, is_mirrored, epoch: 0, order, next: 0, bytes, runs, at: (0, 0) };
        stream.begin_epoch(0);
        Ok(stream)
    }

    fn begin_epoch(&mut self, epoch: u64) {
        let windows = self.file.header().training.div_ceil(self.window);
        self.order = (0..windows).collect();
        Random::for_item(self.seed ^ 0x5EED_E90C, epoch).shuffle(&mut self.order);
        (self.epoch, self.next) = (epoch, 0);
        self.runs.clear();
        self.at = (0, 0);
    }

    /// Positions of a window.
    fn window_len(&self, window: u64) -> u64 {
        self.window.min(self.file.header().training - window * self.window)
    }

    /// Reads the next window and puts its runs into their order.
    fn read_window(&mut self) -> Result<(), SourceError> {
        if self.next == self.order.len() {
            self.begin_epoch(self.epoch + 1);
        }
        let window = self.order[self.next];
        let number = self.epoch * self.order.len() as u64 + self.next as u64;
        self.next += 1;
        let count = self.window_len(window) as usize;
        self.file.read(window * self.window, count, &mut self.bytes)?;
        let (layout, size) = (self.file.header().layout, self.file.record_bytes());
        self.runs.clear();
        for (index, record) in self.bytes.chunks_exact_mut(size).enumerate() {
            if index == 0 {
                // The run that the window cuts begins again.
                layout.set_starts_run(record, true);
            }
            match self.runs.last_mut() {
                Some((run, _)) if !layout.facts(record).starts_run => run.end = index as u32 + 1,
                _ => self.runs.push((index as u32..index as u32 + 1, false)),
            }
        }
        let mut random = Random::for_item(self.seed, number);
        random.shuffle(&mut self.runs);
        if self.is_mirrored {
            self.runs.iter_mut().for_each(|(_, mirrored)| *mirrored = random.below(2) == 1);
        }
        self.at = (0, self.runs.first().map_or(0, |(run, _)| run.start));
        Ok(())
    }

    /// Goes to where `positions` positions of the stream were given.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn seek(&mut self, positions: u64) -> Result<(), SourceError> {
        let all = self.file.header().training;
        self.begin_epoch(positions / all);
        let mut left = positions % all;
        while left > 0 {
            let length = self.window_len(self.order[self.next]);
            if left >= length {
                self.next += 1;
                left -= length;
            } else {
                self.read_window()?;
                self.take(left as usize, &mut Batch::default())?;
                left = 0;
            }
        }
        Ok(())
    }

    /// Appends the next `count` positions to `batch`.
    fn take(&mut self, mut count: usize, batch: &mut Batch) -> Result<(), SourceError> {
        let size = self.file.record_bytes();
        while count > 0 {
            let Some((run, mirrored)) = self.runs.get(self.at.0) else {
                self.read_window()?;
                continue;
            };
            let here = self.at.1;
            let length = ((run.end - here) as usize).min(count);
            let end = here + length as u32;
            batch.records.extend_from_slice(&self.bytes[here as usize * size..end as usize * size]);
            batch.mirrored.extend(std::iter::repeat_n(*mirrored, length));
            count -= length;
            self.at.1 = end;
            if end == run.end {
                self.at = (self.at.0 + 1, self.runs.get(self.at.0 + 1).map_or(0, |(run, _)| run.start));
            }
        }
        Ok(())
    }

    /// The next `count` positions.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn next(&mut self, count: usize) -> Result<Batch, SourceError> {
        let mut batch = Batch::default();
        batch.records.reserve(count * self.file.record_bytes());
        self.take(count, &mut batch)?;
        Ok(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::super::inputs::tests::LAYOUT;
    use super::super::positions::tests::write;
    use super::*;
    use std::path::Path;

    fn stream(path: &Path, seed: u64, window: u64) -> PositionStream {
        PositionStream::with_window(PositionsFile::open(path).unwrap(), seed, true, window).unwrap()
    }

    #[test]
    fn each_epoch_gives_every_position_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.positions");
        write(&path, 1000, 10);
        let size = LAYOUT.record_bytes();
        let sorted = |records: &[u8]| {
            let mut all: Vec<Vec<u8>> = records.chunks_exact(size).map(<[u8]>::to_vec).collect();
            all.iter_mut().for_each(|record| LAYOUT.set_starts_run(record, false));
            all.sort_unstable();
            all
        };
        for window in [64, 300, 5000] {
            let mut stream = stream(&path, 1, window);
            let (first, second) = (stream.next(1000).unwrap(), stream.next(1000).unwrap());
            assert_ne!(first, second);
            assert_eq!(sorted(&first.records), sorted(&second.records));
            let mirrored = first.mirrored.iter().filter(|&&mirrored| mirrored).count();
            assert!((250..750).contains(&mirrored), "{mirrored}");
        }
    }

    #[test]
    fn streams_go_on_where_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.positions");
        write(&path, 1000, 10);
        for window in [64, 5000] {
            let mut whole = stream(&path, 3, window);
            for step in 0..20 {
                let expected = whole.next(137).unwrap();
                let mut other = stream(&path, 3, window);
                other.seek(step * 137).unwrap();
                assert_eq!(other.next(137).unwrap(), expected, "step {step}");
            }
            assert_ne!(stream(&path, 4, window).next(137).unwrap(), stream(&path, 3, window).next(137).unwrap());
        }
    }

    #[test]
    fn nothing_to_learn_from_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.positions");
        write(&path, 0, 10);
        let error = PositionStream::new(PositionsFile::open(&path).unwrap(), 1, false).err().unwrap();
        assert!(error.to_string().contains("none of the positions passed the filters"));
    }
}
