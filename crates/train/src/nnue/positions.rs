//! Files of packed positions to train on: in random order, a part of the games held out, written once and read by every run.
//!
//! `TESUJI-POSITIONS` and a version, the length of a JSON header (u32) and the header, the records to learn from, the records that are held
//! out, and a checksum of all before it (u64); little-endian. The records of a run of a game stand together.

use super::record::CellLayout;
use crate::sample::SourceError;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tesuji_game::fnv;
use tesuji_jobs::AtomicFile;

const MAGIC: &[u8; 17] = b"TESUJI-POSITIONS\x02";
/// The longest header that is read.
const HEADER_MAX: u32 = 1 << 20;
/// Bytes read at once.
const PIECE: usize = 1 << 18;

/// The header of a file of positions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionsHeader {
    /// The game.
    pub game: String,
    /// The layout of packed positions.
    pub layout: CellLayout,
    /// In words: which games, which filters, which order.
    pub words: String,
    /// Positions to learn from.
    pub training: u64,
    /// Positions that are held out.
    pub held_out: u64,
    /// The checksum of the hand-made evaluation's weights, by which positions have their base; empty where there is none.
    #[serde(default)]
    pub base: String,
}

/// A checksum by the steps of FNV-1a (Fowler, Noll and Vo), four bytes at a time.
#[derive(Debug, Clone, Copy)]
struct Checksum(u64);

impl Checksum {
    const NEW: Checksum = Checksum(fnv::START);

    /// Adds bytes, a multiple of four.
    fn add(&mut self, bytes: &[u8]) {
        let words = bytes.as_chunks::<4>().0.iter().map(|chunk| u64::from(u32::from_le_bytes(*chunk)));
        self.0 = words.fold(self.0, |sum, word| fnv::step(sum, word).rotate_left(29));
    }
}

/// Writes a file of positions; it appears when it is whole.
///
/// # Examples
///
/// ```
/// use tesuji_train::nnue::{CellLayout, CellPosition, PositionsFile, PositionsHeader, PositionsWriter};
/// let layout = CellLayout { cells: 4, counts_from: 4, value_bits: 2, used_max: 4 };
/// let header =
///     PositionsHeader { game: "cells".into(), layout, words: "an example".into(), training: 2, held_out: 1, base: String::new() };
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("cells.positions");
/// let mut writer = PositionsWriter::begin(&path, &header)?;
/// for ply in 0..3u16 {
///     let mut record = Vec::new();
///     let ply = std::num::NonZeroU16::new(ply);
///     layout.pack(&CellPosition { ply, ..CellPosition::default() }, &mut record)?;
///     writer.push(&record)?;
/// }
/// writer.finish()?;
/// let mut file = PositionsFile::open(&path)?;
/// assert_eq!(layout.facts(&file.held_out(9)?).ply.map(|ply| ply.get()), Some(2));
/// assert_eq!(file.header(), &header);
/// // A file that was changed is refused.
/// let mut bytes = std::fs::read(&path)?;
/// *bytes.last_mut().unwrap() ^= 1;
/// std::fs::write(&path, bytes)?;
/// assert!(PositionsFile::open(&path).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PositionsWriter {
    file: AtomicFile,
    sum: Checksum,
    left: u64,
}

impl PositionsWriter {
    /// Begins the file `path`.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn begin(path: &Path, header: &PositionsHeader) -> io::Result<PositionsWriter> {
        let mut text = serde_json::to_vec(header)?;
        // So that the records begin at a multiple of four.
        while !(MAGIC.len() + 4 + text.len()).is_multiple_of(4) {
            text.push(b' ');
        }
        let left = (header.training + header.held_out) * header.layout.record_bytes() as u64;
        let mut writer = PositionsWriter { file: AtomicFile::create(path)?, sum: Checksum::NEW, left };
        let mut start = MAGIC.to_vec();
        start.extend((text.len() as u32).to_le_bytes());
        start.extend(text);
        writer.sum.add(&start);
        writer.file.write_all(&start)?;
        Ok(writer)
    }

    /// Appends whole records: first those to learn from, then the ones held out.
    ///
    /// # Errors
    /// Those of the file system; more records than the header says.
    pub fn push(&mut self, records: &[u8]) -> io::Result<()> {
        self.left = self.left.checked_sub(records.len() as u64).ok_or_else(|| io::Error::other("too many records"))?;
        self.sum.add(records);
        self.file.write_all(records)
    }

    /// Ends the file and puts it in its place.
    ///
    /// # Errors
    /// Those of the file system; fewer records than the header says.
    pub fn finish(mut self) -> io::Result<()> {
        if self.left > 0 {
            return Err(io::Error::other(format!("{} bytes of records are missing", self.left)));
        }
        let sum = self.sum.0.to_le_bytes();
        self.file.write_all(&sum)?;
        self.file.commit()
    }
}

/// A file of positions that was looked through.
#[derive(Debug)]
pub struct PositionsFile {
    file: File,
    path: PathBuf,
    header: PositionsHeader,
    start: u64,
}

impl PositionsFile {
    /// Reads the header alone: what a file is about.
    ///
    /// # Errors
    /// When it is no such file.
    pub fn header_of(path: &Path) -> Result<PositionsHeader, SourceError> {
        Ok(Self::read_header(path)?.header)
    }

    fn read_header(path: &Path) -> Result<PositionsFile, SourceError> {
        let wrong = |words: &str| SourceError::Record(format!("{}: {words}", path.display()));
        let io = |error: io::Error| wrong(&error.to_string());
        let file = File::open(path).map_err(io)?;
        let mut start = Vec::new();
        (&file).take(MAGIC.len() as u64 + 4).read_to_end(&mut start).map_err(io)?;
        let length = start.strip_prefix(&MAGIC[..]).and_then(|rest| <[u8; 4]>::try_from(rest).ok());
        let length = length.map(u32::from_le_bytes).filter(|length| *length <= HEADER_MAX);
        let length = length.ok_or_else(|| wrong("no file of positions for training, or one of another version"))?;
        let mut text = Vec::new();
        (&file).take(length.into()).read_to_end(&mut text).map_err(io)?;
        let header: PositionsHeader =
            serde_json::from_slice(&text).map_err(|error| wrong(&format!("its header: {error}")))?;
        if !header.layout.is_sound() {
            return Err(wrong(&format!("its header: no positions are packed as {:?}", header.layout)));
        }
        let start = (MAGIC.len() + 4) as u64 + u64::from(length);
        let bytes = header.layout.record_bytes() as u64;
        let records = header.training.checked_add(header.held_out);
        let expected = records.and_then(|records| records.checked_mul(bytes)?.checked_add(start + 8));
        let found = file.metadata().map_err(io)?.len();
        if expected != Some(found) {
            let expected = expected.map_or("more than any file has".to_owned(), |n| n.to_string());
            return Err(wrong(&format!("a truncated or lengthened file: {found} bytes, expected {expected}")));
        }
        Ok(PositionsFile { file, path: path.into(), header, start })
    }

    /// Opens `path` and compares its checksum.
    ///
    /// # Errors
    /// When it is no such file, was cut, or was changed.
    pub fn open(path: &Path) -> Result<PositionsFile, SourceError> {
        let mut all = Self::read_header(path)?;
        let wrong = |words: String| SourceError::Record(format!("{}: {words}", path.display()));
        let length = all.start + all.records() * all.record_bytes() as u64;
        all.file.rewind().map_err(|error| wrong(error.to_string()))?;
        let mut reader = BufReader::with_capacity(1 << 16, &all.file).take(length);
        let (mut sum, mut piece) = (Checksum::NEW, Vec::with_capacity(PIECE));
        loop {
            piece.clear();
            reader.by_ref().take(PIECE as u64).read_to_end(&mut piece).map_err(|error| wrong(error.to_string()))?;
            if piece.is_empty() {
                break;
            }
            sum.add(&piece);
        }
        let mut written = [0; 8];
        reader.into_inner().read_exact(&mut written).map_err(|error| wrong(error.to_string()))?;
        let expected = u64::from_le_bytes(written);
        if sum.0 != expected {
            let found = sum.0;
            return Err(wrong(format!("the file is damaged: its checksum is {found:016x}, expected {expected:016x}")));
        }
        Ok(all)
    }

    /// Its header.
    pub fn header(&self) -> &PositionsHeader {
        &self.header
    }

    /// Bytes of a record.
    pub fn record_bytes(&self) -> usize {
        self.header.layout.record_bytes()
    }

    fn records(&self) -> u64 {
        self.header.training + self.header.held_out
    }

    /// Reads `count` records from number `from` on into `out`: those to learn from come first, then those held out.
    ///
    /// # Errors
    /// Those of the file system, and records beyond the last.
    pub fn read(&mut self, from: u64, count: usize, out: &mut Vec<u8>) -> Result<(), SourceError> {
        let bytes = self.record_bytes();
        out.clear();
        let wrong = |error: io::Error| SourceError::Record(format!("{}: {error}", self.path.display()));
        if from + count as u64 > self.records() {
            return Err(wrong(io::ErrorKind::UnexpectedEof.into()));
        }
        self.file.seek(SeekFrom::Start(self.start + from * bytes as u64)).map_err(wrong)?;
        let wanted = count * bytes;
        (&self.file).take(wanted as u64).read_to_end(out).map_err(wrong)?;
        if out.len() < wanted {
            return Err(wrong(io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(())
    }

    /// The first `count` of the positions that are held out, or all.
    ///
    /// # Errors
    /// As [`PositionsFile::read`].
    pub fn held_out(&mut self, count: usize) -> Result<Vec<u8>, SourceError> {
        let (from, all) = (self.header.training, self.header.held_out);
        let count = count.min(usize::try_from(all).unwrap_or(usize::MAX));
        let mut out = Vec::new();
        // They are in random order: the first are as good as any.
        self.read(from, count, &mut out)?;
        Ok(out)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::inputs::tests::{LAYOUT, records};
    use super::*;

    /// A file of `training` and `held_out` made-up positions.
    pub(in super::super) fn write(path: &Path, training: usize, held_out: usize) {
        let header = PositionsHeader {
            game: "cells".into(),
            layout: LAYOUT,
            words: "made up".into(),
            training: training as u64,
            held_out: held_out as u64,
            base: String::new(),
        };
        let mut writer = PositionsWriter::begin(path, &header).unwrap();
        writer.push(&records(training, 6, 1)).unwrap();
        writer.push(&records(held_out, 6, 2)).unwrap();
        writer.finish().unwrap();
    }

    #[test]
    fn files_read_back_and_damage_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cells.positions");
        write(&path, 1000, 50);
        let mut file = PositionsFile::open(&path).unwrap();
        let (mut out, size) = (Vec::new(), LAYOUT.record_bytes());
        file.read(10, 5, &mut out).unwrap();
        assert_eq!(out, records(1000, 6, 1)[10 * size..15 * size]);
        assert_eq!(file.held_out(10).unwrap(), records(50, 6, 2)[..10 * size]);
        assert_eq!(file.held_out(1000).unwrap().len(), 50 * size);
        assert!(file.read(1049, 2, &mut out).is_err());
        let whole = std::fs::read(&path).unwrap();
        let refused = |bytes: &[u8], words: &str| {
            std::fs::write(&path, bytes).unwrap();
            let error = PositionsFile::open(&path).unwrap_err().to_string();
            assert!(error.contains("cells.positions: ") && error.contains(words), "{error}");
        };
        refused(&whole[..whole.len() - 40], "a truncated or lengthened file");
        refused(b"TESUJI", "no file of positions for training");
        let mut changed = whole.clone();
        changed[5000] ^= 1;
        refused(&changed, "the file is damaged: its checksum is");
    }
}
