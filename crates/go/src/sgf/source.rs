//! Bytes of a stream with the line and the offset where reading stands, and as much lookahead as is asked for.

use encoding_rs::{Decoder, Encoding};
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// The number of bytes read at a time.
const CHUNK: usize = 64 << 10;

/// A place in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ByteOffset {
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

    /// The offset of the next byte.
    pub(super) fn place(&self) -> ByteOffset {
        ByteOffset { line: self.line, byte: self.base + self.at as u64 }
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

    /// Reads on as if the stream had been written in UTF-8 instead of `wide`, a charset of two-byte units. Offsets count
    /// bytes of UTF-8 from here.
    pub(super) fn transcode(&mut self, wide: &'static Encoding) {
        let read = self.buffer.split_off(self.at);
        let before = std::mem::replace(&mut self.input, Box::new(io::empty()));
        let input = Cursor::new(read).chain(before);
        let narrow =
            Narrow { input, decoder: wide.new_decoder_without_bom_handling(), text: Vec::new(), at: 0, ended: false };
        self.input = Box::new(BufReader::with_capacity(CHUNK, narrow));
        self.ended = false;
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

/// A stream in a charset of two-byte units, read as UTF-8.
struct Narrow<R> {
    input: R,
    decoder: Decoder,
    text: Vec<u8>,
    at: usize,
    /// The decoder has given its last text and must not be asked again.
    ended: bool,
}

impl<R: BufRead> Read for Narrow<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.ended {
            let bytes = self.input.fill_buf()?;
            let (used, last) = (bytes.len(), bytes.is_empty());
            let room = self.decoder.max_utf8_buffer_length(used).unwrap_or(3 * CHUNK);
            self.text.resize(room, 0);
            let (_, read, written, _) = self.decoder.decode_to_utf8(bytes, &mut self.text, last);
            self.input.consume(read);
            self.text.truncate(written);
            (self.at, self.ended) = (0, last);
        }
        let count = out.len().min(self.text.len() - self.at);
        out[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
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
    fn wide_text_is_read_as_utf8() {
        let wide: Vec<u8> = "(;C[棋\u{1F600}]\n)".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut source = Source::new(Box::new(BufReader::with_capacity(3, Cursor::new(wide))));
        source.ahead(5).unwrap();
        source.transcode(encoding_rs::UTF_16LE);
        assert_eq!(source.ahead(100).unwrap(), "(;C[棋\u{1F600}]\n)".as_bytes());
        // Half a character at the end.
        let mut source = Source::new(Box::new(&b"a\0b"[..]));
        source.transcode(encoding_rs::UTF_16LE);
        assert_eq!(source.ahead(100).unwrap(), "a\u{FFFD}".as_bytes());
    }

    #[test]
    fn lookahead_joins_what_comes_in_pieces() {
        let pieces = BufReader::with_capacity(2, (&b"abc"[..]).chain(&b"defg"[..]));
        let mut source = Source::new(Box::new(pieces));
        assert_eq!(source.peek().unwrap(), Some(b'a'));
        source.pass();
        assert_eq!(&source.ahead(5).unwrap()[..5], b"bcdef");
        assert_eq!(source.ahead(100).unwrap(), b"bcdefg");
    }
}
