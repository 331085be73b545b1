//! Positions of a file, read one by one where they lie: what self-play starts from.

use super::{DataError, Format};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tesuji_game::Random;
use tesuji_jobs::Packing;
use tesuji_record::{Fault, Sample, SampleFormat};

/// A file of positions that may be larger than memory: of packed records nothing is held, of lines where they begin.
pub struct Stock {
    path: PathBuf,
    format: &'static dyn SampleFormat,
    file: Mutex<File>,
    records: Records,
}

/// The offsets of records.
enum Records {
    /// All have this size, in bytes.
    Packed { bytes: u64, count: u64 },
    /// Lines begin at these offsets; the last one is the end of the file.
    Lines { offsets: Vec<u64>, numbers: Vec<u32> },
}

impl Stock {
    /// The positions of the file `path`.
    ///
    /// # Errors
    /// Files of games, packed files, empty ones, those that cannot be read or end within a record.
    pub fn open(path: &Path, format: Format) -> Result<Stock, DataError> {
        let fail = |e: io::Error| DataError::of_file(path, e);
        let Format::Samples(format) = format else {
            return Err(DataError::of_file(path, "expected a file of positions, found one of games or columns"));
        };
        if !matches!(Packing::of(path), Ok(Packing::Plain)) {
            return Err(DataError::of_file(path, "positions are read where they lie: unpack the file first"));
        }
        if !std::fs::metadata(path).map_err(fail)?.is_file() {
            return Err(DataError::of_file(path, "expected a regular file: positions are read where they lie"));
        }
        let file = File::open(path).map_err(fail)?;
        let records = match format.record_bytes() {
            Some(bytes) => {
                let (length, bytes) = (file.metadata().map_err(fail)?.len(), bytes as u64);
                if length % bytes != 0 {
                    let words = format!("{length} bytes are no whole records of {bytes}");
                    return Err(DataError::of_file(path, words));
                }
                Records::Packed { bytes, count: length / bytes }
            }
            None => lines(BufReader::new(&file)).map_err(fail)?,
        };
        let stock = Stock { path: path.into(), format, file: Mutex::new(file), records };
        if stock.is_empty() {
            return Err(DataError::of_file(path, "there is no position in it"));
        }
        Ok(stock)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of positions.
    pub fn len(&self) -> u64 {
        match &self.records {
            Records::Packed { count, .. } => *count,
            Records::Lines { numbers, .. } => numbers.len() as u64,
        }
    }

    /// Whether there are none; a stock that was opened has some.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Position `index`, from 0.
    ///
    /// # Errors
    /// When the record cannot be read or makes no sense; with its number, from 1, or its line.
    pub fn get(&self, index: u64) -> Result<Sample, DataError> {
        let (from, size, line) = match &self.records {
            Records::Packed { bytes, .. } => (index * bytes, *bytes, 0),
            Records::Lines { offsets, numbers } => {
                let i = index as usize;
                (offsets[i], offsets[i + 1] - offsets[i], u64::from(numbers[i]))
            }
        };
        let mut record = vec![0; size as usize];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = file.seek(SeekFrom::Start(from)).and_then(|_| file.read_exact(&mut record));
        drop(file);
        read.map_err(|e| DataError::of_file(&self.path, e))?;
        let mut found = None;
        self.format.read(&record, &mut |sample| found = found.take().or(Some(sample)));
        let number = if line > 0 { 0 } else { index + 1 };
        let fault = match found {
            Some(Ok(sample)) => return Ok(sample),
            Some(Err(error)) => error.fault,
            None => Fault::Expected { expected: "a position", found: "nothing".into() },
        };
        Err(DataError { line: NonZeroU64::new(line), ..DataError::of_fault(&self.path, false, number, &fault) })
    }

    /// The index of the position that turn `turn` gets: all of them once, in an order that `seed` decides, before any comes
    /// again.
    pub fn index(&self, seed: u64, turn: u64) -> u64 {
        let count = self.len();
        let mut random = Random::for_item(seed, 0x57A7);
        // Steps that share no factor with the count come to every place; near the golden ratio they spread evenly.
        let near =
            (count as f64 * 0.618_033_988_75) as u64 + random.below(1 + (count as usize / 16).min(1 << 20)) as u64;
        let step = (near.max(1)..).find(|&step| gcd(step, count) == 1).unwrap_or(1) % count;
        let from = (random.unit() * count as f64) as u64;
        ((u128::from(from) + u128::from(turn % count) * u128::from(step)) % u128::from(count)) as u64
    }
}

impl fmt::Debug for Stock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stock({}, {} positions)", self.path.display(), self.len())
    }
}

/// The greatest number that divides both.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Offsets and numbers of the lines that are neither empty nor remarks.
fn lines(mut input: impl BufRead) -> io::Result<Records> {
    let (mut offsets, mut numbers, mut at, mut number) = (Vec::new(), Vec::new(), 0u64, 0u32);
    let mut line = Vec::new();
    loop {
        line.clear();
        let size = input.read_until(b'\n', &mut line)?;
        if size == 0 {
            break;
        }
        number += 1;
        let text = line.trim_ascii();
        if !text.is_empty() && !text.starts_with(b"#") {
            // What lies between is read with the line before: its reader skips it.
            offsets.push(at);
            numbers.push(number);
        }
        at += size as u64;
    }
    offsets.push(at);
    Ok(Records::Lines { offsets, numbers })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn stock(count: u64) -> Stock {
        let file = Mutex::new(tempfile::tempfile().unwrap());
        let records = Records::Packed { bytes: 1, count };
        Stock { path: PathBuf::new(), format: &Bare, file, records }
    }

    /// Lines as positions.
    struct Bare;

    impl SampleFormat for Bare {
        fn name(&self) -> &'static str {
            "bare"
        }

        fn extensions(&self) -> &'static [&'static str] {
            &["bare"]
        }

        fn carries(&self) -> &'static str {
            "positions"
        }

        fn whole(&self, block: &[u8]) -> usize {
            block.len()
        }

        fn read(&self, block: &[u8], each: &mut dyn FnMut(Result<Sample, tesuji_record::RecordError>)) {
            for line in block.split(|&b| b == b'\n').filter(|line| !line.is_empty() && line[0] != b'#') {
                each(Ok(Sample { position: String::from_utf8_lossy(line).into_owned(), ..Sample::default() }));
            }
        }

        fn write(&self, _: &Sample, _: &mut Vec<u8>) -> Result<(), tesuji_record::RecordError> {
            Ok(())
        }
    }

    #[test]
    fn every_position_has_its_turn() {
        for count in [1, 2, 3, 7, 100, 720, 1024] {
            for seed in 0..5 {
                let stock = stock(count);
                let of = |turns: std::ops::Range<u64>| turns.map(|t| stock.index(seed, t)).collect::<Vec<_>>();
                assert_eq!(of(0..count).iter().collect::<HashSet<_>>().len() as u64, count, "{count} {seed}");
                assert_eq!(of(0..count), of(count..2 * count));
            }
        }
        let stock = stock(1000);
        assert_ne!(
            (0..9).map(|t| stock.index(1, t)).collect::<Vec<_>>(),
            (0..9).map(|t| stock.index(2, t)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn lines_are_found_between_remarks() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        io::Write::write_all(&mut file, b"# a remark\none\n\n  two\n# more\nthree").unwrap();
        let stock = Stock::open(file.path(), Format::Samples(&Bare)).unwrap();
        let read: Vec<String> = (0..stock.len()).map(|i| stock.get(i).unwrap().position).collect();
        assert_eq!(read, ["one", "  two", "three"]);
    }
}
