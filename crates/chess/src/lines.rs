//! Lines of a stream with their numbers, and one line of lookahead: what the readers of text formats stand on.

use std::io::{self, BufRead};

/// The most bytes a line may have; longer ones are errors, so that a file without line ends cannot fill the memory.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// Reads lines of any bytes, trimmed of their end, counted from 1.
pub(crate) struct Lines {
    input: Box<dyn BufRead + Send>,
    buffer: Vec<u8>,
    number: u64,
    kept: bool,
}

impl Lines {
    /// Lines of `input`.
    pub(crate) fn new(input: Box<dyn BufRead + Send>) -> Lines {
        Lines::after(input, 0)
    }

    /// Lines of `input`, which is the rest of a stream after `number` lines.
    pub(crate) fn after(input: Box<dyn BufRead + Send>, number: u64) -> Lines {
        Lines { input, buffer: Vec::new(), number, kept: false }
    }

    /// The number of the line last given, from 1; 0 before the first.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Gives the last line once more on the next call.
    pub(crate) fn keep(&mut self) {
        self.kept = true;
    }

    /// Moves on to the next line; `false` at the end. [`Lines::bytes`] is the line then.
    ///
    /// # Errors
    /// Those of the stream, and lines that are too long.
    pub(crate) fn advance(&mut self) -> io::Result<bool> {
        if std::mem::take(&mut self.kept) {
            return Ok(true);
        }
        self.buffer.clear();
        let n = io::Read::take(&mut self.input, LINE_BYTES_MAX).read_until(b'\n', &mut self.buffer)?;
        if n as u64 == LINE_BYTES_MAX && self.buffer.last() != Some(&b'\n') {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("line {} is too long", self.number + 1)));
        }
        if n == 0 {
            return Ok(false);
        }
        self.number += 1;
        if self.number == 1 && self.buffer.starts_with(b"\xEF\xBB\xBF") {
            self.buffer.drain(..3);
        }
        while let Some(b'\n' | b'\r') = self.buffer.last() {
            self.buffer.pop();
        }
        Ok(true)
    }

    /// The line last read, without its end.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// The line as text; bytes that are no UTF-8 are taken as Latin-1, in which old files are written.
    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        match std::str::from_utf8(&self.buffer) {
            Ok(text) => text.into(),
            Err(_) => self.buffer.iter().map(|&b| b as char).collect::<String>().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_trimmed_and_kept() {
        let mut lines = Lines::new(Box::new(&b"\xEF\xBB\xBFone\r\n\ncaf\xE9"[..]));
        assert!(lines.advance().unwrap());
        assert_eq!((lines.text().as_ref(), lines.number()), ("one", 1));
        lines.keep();
        assert!(lines.advance().unwrap());
        assert_eq!((lines.text().as_ref(), lines.number()), ("one", 1));
        assert!(lines.advance().unwrap());
        assert_eq!(lines.text(), "");
        assert!(lines.advance().unwrap());
        assert_eq!((lines.text().as_ref(), lines.number()), ("café", 3));
        assert!(!lines.advance().unwrap());
    }
}
