//! Bytes of a stream with the line and the offset where reading stands, and as much lookahead as is asked for.

use std::io::{self, BufRead};

/// How many bytes are read at a time.
const CHUNK: usize = 64 << 10;

/// A place in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    /// Line, from 1. Line feeds, carriage returns and pairs of them end lines.
    pub(super) line: u64,
    /// Offset in bytes from the start of the stream.
    pub(super) byte: u64,
}

/// Reads bytes one by one.
pub(super) struct Source {
    input: Box<dyn BufRead + Send>,
    buffer: Vec<u8>,
    at: usize,
    /// Offset of the first byte of the buffer.
    base: u64,
    line: u64,
    /// The line end last passed, which may be the first half of a pair.
    half: u8,
    ended: bool,
}

impl Source {
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Source {
        Source { input, buffer: Vec::new(), at: 0, base: 0, line: 1, half: 0, ended: false }
    }

    /// Where the next byte stands.
    pub(super) fn place(&self) -> Place {
        Place { line: self.line, byte: self.base + self.at as u64 }
    }

    /// The next byte, which stays where it is; `None` at the end.
    #[inline]
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        if let Some(&b) = self.buffer.get(self.at) {
            return Ok(Some(b));
        }
        self.fill(1)?;
        Ok(self.buffer.get(self.at).copied())
    }

    /// Passes over the byte that [`Source::peek`] gave.
    #[inline]
    pub(super) fn pass(&mut self) {
        let Some(&b) = self.buffer.get(self.at) else { return };
        self.at += 1;
        if b == b'\n' || b == b'\r' {
            self.line_end(b);
        } else {
            self.half = 0;
        }
    }

    fn line_end(&mut self, b: u8) {
        if self.half != 0 && self.half != b {
            self.half = 0;
        } else {
            self.line += 1;
            self.half = b;
        }
    }

    /// The bytes to come, at least `count` where the stream has that many.
    pub(super) fn ahead(&mut self, count: usize) -> io::Result<&[u8]> {
        self.fill(count)?;
        Ok(&self.buffer[self.at..])
    }

    /// Appends bytes to `out` up to the next one that is in `stops`; line ends are among what is copied. At least one
    /// byte must be there.
    #[inline]
    pub(super) fn copy_until(&mut self, stops: &[bool; 256], out: &mut Vec<u8>) {
        let rest = &self.buffer[self.at..];
        let plain = rest.iter().position(|&b| stops[b as usize]).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        if plain > 0 {
            self.at += plain;
            self.half = 0;
        }
    }

    /// Reads until `count` bytes lie ahead or the stream ends.
    fn fill(&mut self, count: usize) -> io::Result<()> {
        if self.buffer.len() - self.at >= count {
            return Ok(());
        }
        self.buffer.drain(..self.at);
        self.base += self.at as u64;
        self.at = 0;
        while self.buffer.len() < count && !self.ended {
            let had = self.buffer.len();
            self.buffer.resize(had + CHUNK.max(count - had), 0);
            let read = self.input.read(&mut self.buffer[had..]);
            self.buffer.truncate(had + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => self.ended = true,
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds_are_counted() {
        let mut source = Source::new(Box::new(&b"a\nb\r\nc\rd\n\re\r\rf"[..]));
        let mut seen = Vec::new();
        while let Some(b) = source.peek().unwrap() {
            if b.is_ascii_alphabetic() {
                seen.push((b as char, source.place().line));
            }
            source.pass();
        }
        assert_eq!(seen, [('a', 1), ('b', 2), ('c', 3), ('d', 4), ('e', 5), ('f', 7)]);
        assert_eq!(source.place().byte, 14);
    }

    #[test]
    fn lookahead_joins_what_comes_in_pieces() {
        use std::io::{BufReader, Read};
        let pieces = BufReader::with_capacity(2, (&b"abc"[..]).chain(&b"defg"[..]));
        let mut source = Source::new(Box::new(pieces));
        assert_eq!(source.peek().unwrap(), Some(b'a'));
        source.pass();
        assert_eq!(&source.ahead(5).unwrap()[..5], b"bcdef");
        assert_eq!(source.ahead(100).unwrap(), b"bcdefg");
    }
}
