//! Parquet files that carry their checksums: the library that we use verifies those of pages but writes none, and Zstandard pages have
//! none either, so that a flipped bit would be read as another position.
//!
//! A CRC-32 of each block of the file stands in a table before the footer, where other readers of Parquet look at nothing. A key in the
//! footer tells that the table is there:
//!
//! | bytes | what |
//! |---|---|
//! | 4 each | CRC-32 of each [`BLOCK_BYTES`] from the beginning of the file to this table, the last one shorter |
//! | 4 | CRC-32 of all behind this table: the footer with its length and mark |
//! | 4 | how many blocks |
//! | 4 | CRC-32 of the table up to here |
//! | 8 | [`MARK`] |
//!
//! Numbers are little-endian.

use bytes::Bytes;
use flate2::Crc;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a block.
const BLOCK_BYTES: usize = 1 << 20;
/// The last bytes of the table.
const MARK: &[u8; 8] = b"TESUJICK";
/// Bytes of the table behind the checksums of blocks.
const TAIL_BYTES: usize = 20;
/// Bytes behind a Parquet footer: its length and [`PARQUET`].
const END_BYTES: usize = 8;
const PARQUET: &[u8; 4] = b"PAR1";

/// The key and value in the footer of files that have a table.
pub(crate) const KEY: (&str, &str) = ("tesuji.checksums", "CRC-32 of each MiB, before the footer");

fn crc(bytes: &[u8]) -> u32 {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// Passes a Parquet file on to `W` and puts the table before its footer.
pub(crate) struct CheckedWriter<W: Write> {
    inner: W,
    sums: Vec<u32>,
    /// The checksum of the present block and its bytes so far.
    sum: Crc,
    filled: usize,
    /// The bytes held back since [`CheckedWriter::seal`].
    end: Option<Vec<u8>>,
}

impl<W: Write> CheckedWriter<W> {
    pub(crate) fn new(inner: W) -> CheckedWriter<W> {
        CheckedWriter { inner, sums: Vec::new(), sum: Crc::new(), filled: 0, end: None }
    }

    /// To be called when nothing but the end of the file is still to be written: that is held back until
    /// [`CheckedWriter::finish`] knows where the footer begins.
    pub(crate) fn seal(&mut self) {
        self.end = Some(Vec::new());
    }

    /// Writes table and footer, and gives the stream back.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let end = self.end.take().unwrap_or_default();
        let footer = footer_bytes(&end).and_then(|bytes| end.len().checked_sub(bytes));
        let footer = footer.ok_or_else(|| io::Error::other("a Parquet file without its footer was to be finished"))?;
        // Indices stand before the footer.
        let (indices, footer) = end.split_at(footer);
        self.data(indices)?;
        if self.filled > 0 {
            self.close_block();
        }
        let mut table: Vec<u8> = self.sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
        table.extend(crc(footer).to_le_bytes());
        table.extend((self.sums.len() as u32).to_le_bytes());
        table.extend(crc(&table).to_le_bytes());
        table.extend(MARK);
        self.inner.write_all(&table)?;
        self.inner.write_all(footer)?;
        Ok(self.inner)
    }

    fn data(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.inner.write_all(bytes)?;
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.filled));
            self.sum.update(now);
            self.filled += now.len();
            if self.filled == BLOCK_BYTES {
                self.close_block();
            }
            bytes = rest;
        }
        Ok(())
    }

    fn close_block(&mut self) {
        self.sums.push(std::mem::take(&mut self.sum).sum());
        self.filled = 0;
    }
}

impl<W: Write> Write for CheckedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.end {
            Some(end) => end.extend_from_slice(bytes),
            None => self.data(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Bytes of the footer with its length and mark, by the end of a file; `None` where this is no end of a Parquet file.
fn footer_bytes(end: &[u8]) -> Option<usize> {
    let end = end.last_chunk::<END_BYTES>()?;
    let (length, mark) = end.split_first_chunk::<4>()?;
    (mark == PARQUET).then_some(u32::from_le_bytes(*length) as usize + END_BYTES)
}

/// The message for a file that the Parquet library could not open: a checksum error, or that it is no Parquet file.
pub(crate) fn not_opened(error: &ParquetError) -> String {
    match error {
        ParquetError::External(ours) => ours.to_string(),
        other => format!("no Parquet file: {other}"),
    }
}

/// Converts an error of the Parquet library into an I/O error. An I/O error inside it is unwrapped: "External: no space left".
pub(crate) fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// A Parquet file whose checksums are verified as it is read. Files without a table, of others or from before there was one, are
/// read as they are.
#[derive(Clone)]
pub(crate) struct CheckedFile {
    state: Arc<Mutex<State>>,
    length: u64,
}

struct State {
    file: File,
    /// The checksums of blocks, and whether they were verified; none in a file without a table.
    blocks: Vec<(u32, bool)>,
    /// Offset of the end of the blocks.
    data_end: u64,
}

fn damaged(words: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{words}: the file is damaged"))
}

impl CheckedFile {
    /// Opens the file `path` and verifies its footer.
    ///
    /// # Errors
    /// Those of the file system; a wrong checksum.
    pub(crate) fn open(path: &Path) -> io::Result<CheckedFile> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut state = State { blocks: Vec::new(), data_end: 0, file: file.try_clone()? };
        let mut end = vec![0; length.min(END_BYTES as u64) as usize];
        file.seek(SeekFrom::Start(length - end.len() as u64))?;
        file.read_exact(&mut end)?;
        // What is no Parquet file the library refuses.
        if let Some(footer) = footer_bytes(&end).filter(|bytes| *bytes as u64 <= length) {
            (state.blocks, state.data_end) = read_table(&mut file, length - footer as u64, length)?;
            let mut head = [0; PARQUET.len()];
            file.rewind()?;
            file.read_exact(&mut head)?;
            // Nobody reads these, so that they are verified with no row group.
            if !state.blocks.is_empty() && head != *PARQUET {
                return Err(damaged("it does not begin as Parquet files do"));
            }
        }
        Ok(CheckedFile { state: Arc::new(Mutex::new(state)), length })
    }

    /// Fills `buffer` as far as the file goes from byte `at`.
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.verify(at, buffer.len() as u64)?;
        state.file.seek(SeekFrom::Start(at))?;
        state.file.read(buffer)
    }
}

/// The checksums of blocks before the footer, which begins at byte `footer`, and where the blocks end; none where there is no table.
fn read_table(file: &mut File, footer: u64, length: u64) -> io::Result<(Vec<(u32, bool)>, u64)> {
    let mut part = |from: u64, to: u64| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        Read::by_ref(&mut *file).take(to - from).read_to_end(&mut bytes)?;
        Ok::<_, io::Error>(bytes)
    };
    let end = part(footer, length)?;
    let tail = part(footer.saturating_sub(TAIL_BYTES as u64), footer)?;
    let Some(tail) = tail.first_chunk::<TAIL_BYTES>().filter(|tail| tail.ends_with(MARK)) else {
        let promised = end.windows(KEY.0.len()).any(|key| key == KEY.0.as_bytes());
        return if promised { Err(damaged("its checksums are missing")) } else { Ok((Vec::new(), 0)) };
    };
    let number = |at: usize| tail[at..at + 4].iter().rev().fold(0, |n, &byte| n << 8 | u32::from(byte));
    let (sum_of_footer, count, sum_of_table) = (number(0), u64::from(number(4)), number(8));
    let data_end = footer.checked_sub(TAIL_BYTES as u64 + 4 * count);
    let data_end = data_end.filter(|end| end.div_ceil(BLOCK_BYTES as u64) == count);
    let data_end = data_end.ok_or_else(|| damaged("the table of its checksums is broken"))?;
    let table = part(data_end, footer - 12)?;
    if crc(&table) != sum_of_table {
        return Err(damaged("the table of its checksums is broken"));
    }
    if crc(&end) != sum_of_footer {
        return Err(damaged("the checksum of its footer is wrong"));
    }
    let sums = table.chunks_exact(4).take(count as usize);
    let sums = sums.map(|b| b.iter().rev().fold(0, |n, &byte| n << 8 | u32::from(byte)));
    Ok((sums.map(|sum| (sum, false)).collect(), data_end))
}

impl State {
    /// Verifies the blocks that hold `length` bytes from `start` on, each once.
    fn verify(&mut self, start: u64, length: u64) -> io::Result<()> {
        let block = BLOCK_BYTES as u64;
        let first = (start / block) as usize;
        let last = (start.saturating_add(length).div_ceil(block) as usize).min(self.blocks.len());
        for index in first..last {
            let (sum, verified) = self.blocks[index];
            if verified {
                continue;
            }
            let from = index as u64 * block;
            let to = (from + block).min(self.data_end);
            let mut bytes = Vec::with_capacity(BLOCK_BYTES);
            self.file.seek(SeekFrom::Start(from))?;
            Read::by_ref(&mut self.file).take(to - from).read_to_end(&mut bytes)?;
            if crc(&bytes) != sum {
                return Err(damaged(format!("the checksum of bytes {from} to {to} is wrong")));
            }
            self.blocks[index].1 = true;
        }
        Ok(())
    }
}

impl Length for CheckedFile {
    fn len(&self) -> u64 {
        self.length
    }
}

/// The file from a byte on.
pub(crate) struct Rest {
    file: CheckedFile,
    at: u64,
}

impl Read for Rest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read_at(self.at, buffer)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl ChunkReader for CheckedFile {
    type T = BufReader<Rest>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(Rest { file: self.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let mut bytes = Vec::new();
        Rest { file: self.clone(), at: start }.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() != length {
            return Err(ParquetError::EOF(format!("expected {length} bytes from byte {start}, found {}", bytes.len())));
        }
        Ok(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with a table over more than two blocks of data.
    fn file(data: &[u8]) -> Vec<u8> {
        let mut writer = CheckedWriter::new(Vec::new());
        writer.write_all(data).unwrap();
        writer.seal();
        writer.write_all(b"footer").unwrap();
        writer.write_all(&[&6u32.to_le_bytes()[..], PARQUET].concat()).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn a_wrong_block_is_found_where_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let mut data: Vec<u8> = (0..5 * BLOCK_BYTES / 2).map(|i| (i % 251) as u8).collect();
        data[..PARQUET.len()].copy_from_slice(PARQUET);
        let whole = file(&data);
        std::fs::write(&path, &whole).unwrap();
        let all = CheckedFile::open(&path).unwrap().get_bytes(0, data.len()).unwrap();
        assert!(all == data);
        for wrong in [BLOCK_BYTES, 2 * BLOCK_BYTES - 1] {
            let mut broken = whole.clone();
            broken[wrong] ^= 4;
            std::fs::write(&path, &broken).unwrap();
            let file = CheckedFile::open(&path).unwrap();
            assert!(file.get_bytes(5, BLOCK_BYTES - 5).unwrap() == data[5..BLOCK_BYTES]);
            assert!(file.get_bytes(2 * BLOCK_BYTES as u64, 100).is_ok());
            let error = file.get_bytes(BLOCK_BYTES as u64 - 1, 2).unwrap_err().to_string();
            assert!(error.contains("bytes 1048576 to 2097152 is wrong: the file is damaged"), "{error}");
        }
        assert!(CheckedFile::open(&path).unwrap().get_bytes(0, whole.len() + 1).is_err());
    }

    #[test]
    fn files_of_others_are_read_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        for bytes in [&b""[..], b"PAR1", b"dataPAR1\x04\0\0\0PAR1", b"\xFF\xFF\xFF\xFFPAR1", b"something else"] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(CheckedFile::open(&path).unwrap().get_bytes(0, bytes.len()).unwrap(), bytes);
        }
    }
}
