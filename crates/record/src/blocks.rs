//! A stream of records in blocks that can be read apart from each other: how several jobs share the reading of one file.

use std::io::{self, BufRead, Read};

/// The most bytes a block may have: a longer record is refused, so that a file of another kind cannot fill the memory.
const BLOCK_BYTES_MAX: usize = 64 << 20;

/// Cuts a stream into blocks of whole records. They are the same for the same stream, no matter who reads them.
///
/// # Examples
/// ```
/// use tesuji_record::Blocks;
/// // Records of three bytes.
/// let mut blocks = Blocks::new(Box::new(&b"aaabbbcccd"[..]), 7);
/// let mut next = || blocks.read(|block| block.len() / 3 * 3).map(|block| block.map(|b| b.bytes));
/// assert_eq!(next()?, Some(b"aaabbb".to_vec()));
/// assert_eq!(next()?, Some(b"cccd".to_vec()));
/// assert_eq!(next()?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Blocks {
    input: Box<dyn BufRead + Send>,
    /// Bytes that were read behind the last whole record.
    carry: Vec<u8>,
    bytes: usize,
    lines: u64,
}

/// Some records that follow each other, as they stand in the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Lines of the stream before them.
    pub lines_before: u64,
}

impl Blocks {
    /// The blocks of `input`, each of about `bytes` bytes and one record at least.
    pub fn new(input: Box<dyn BufRead + Send>, bytes: usize) -> Blocks {
        Blocks { input, carry: Vec::new(), bytes: bytes.max(1), lines: 0 }
    }

    /// Lines of the blocks given so far.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// The next block; `None` at the end. `whole` says how many bytes at the beginning of a block are whole records, as
    /// [`crate::RecordFormat::whole`] and [`crate::SampleFormat::whole`] do.
    ///
    /// # Errors
    /// Those of the stream, and a record that is too long.
    pub fn read(&mut self, whole: impl Fn(&[u8]) -> usize) -> io::Result<Option<Block>> {
        let bytes = self.cut(whole)?;
        let lines_before = self.lines;
        self.lines += bytes.iter().filter(|&&b| b == b'\n').count() as u64;
        Ok((!bytes.is_empty()).then_some(Block { bytes, lines_before }))
    }

    fn cut(&mut self, whole: impl Fn(&[u8]) -> usize) -> io::Result<Vec<u8>> {
        let mut size = self.bytes;
        loop {
            let missing = size.saturating_sub(self.carry.len()) as u64;
            self.input.by_ref().take(missing).read_to_end(&mut self.carry)?;
            if self.carry.len() < size {
                // The end: what is left is whole, or its reader says what is wrong with it.
                return Ok(std::mem::take(&mut self.carry));
            }
            let n = whole(&self.carry);
            if n > 0 {
                let rest = self.carry.split_off(n);
                return Ok(std::mem::replace(&mut self.carry, rest));
            }
            if size >= BLOCK_BYTES_MAX {
                let words = format!(
                    "line {}: a record of more than {BLOCK_BYTES_MAX} bytes, or no file of this format",
                    self.lines + 1
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, words));
            }
            size *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_whole_records_and_know_their_lines() {
        let text = "a\nb\n\nc\nd\nrest";
        let whole = |block: &[u8]| block.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        for bytes in [0, 1, 2, 3, 5, 100] {
            let mut blocks = Blocks::new(Box::new(text.as_bytes()), bytes);
            let mut read = Vec::new();
            while let Some(block) = blocks.read(whole).unwrap() {
                assert_eq!(block.lines_before, read.iter().filter(|&&b| b == b'\n').count() as u64, "{bytes}");
                read.extend(block.bytes);
            }
            assert_eq!(read, text.as_bytes(), "{bytes}");
            assert_eq!(blocks.lines(), 5);
        }
    }

    #[test]
    fn a_record_without_end_is_an_error() {
        let mut blocks = Blocks::new(Box::new(io::Cursor::new(vec![b'x'; BLOCK_BYTES_MAX + 1])), 1 << 20);
        let error = blocks.read(|_| 0).unwrap_err().to_string();
        assert!(error.starts_with("line 1: a record of more than"), "{error}");
    }
}
