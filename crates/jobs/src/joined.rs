//! The files of an archive one after another, as one stream.

use std::io::{self, Read};
use std::sync::Arc;

/// Says by its name whether a file of an archive is wanted.
pub type Wanted = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Gives the next file: its name, and its content.
pub(crate) type NextFile = dyn FnMut() -> io::Result<Option<(String, Box<dyn Read + Send>)>> + Send;

/// Files whose bytes may be joined line by line.
const TEXTS: [&str; 11] = [".pgn", ".sgs", ".epd", ".fen", ".txt", ".sgf", ".kif", ".kifu", ".ki2", ".ki2u", ".csa"];

/// Reads files one after another.
pub(crate) struct Joined {
    next: Box<NextFile>,
    /// The file that is read, and whether it is a text.
    open: Option<(Box<dyn Read + Send>, bool)>,
    /// The last byte given: a text that lacks its last line end gets one before the next begins.
    last: u8,
}

impl Joined {
    /// The files that `next` gives.
    pub(crate) fn new(next: Box<NextFile>) -> Joined {
        Joined { next, open: None, last: b'\n' }
    }
}

impl Read for Joined {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some((reader, is_text)) = &mut self.open {
                let n = reader.read(buffer)?;
                if n > 0 || buffer.is_empty() {
                    self.last = buffer[..n].last().copied().unwrap_or(self.last);
                    return Ok(n);
                }
                let is_torn = *is_text && self.last != b'\n';
                self.open = None;
                if is_torn {
                    buffer[0] = b'\n';
                    self.last = b'\n';
                    return Ok(1);
                }
            }
            let Some((name, reader)) = (self.next)()? else { return Ok(0) };
            let name = name.to_ascii_lowercase();
            self.open = Some((reader, TEXTS.iter().any(|ending| name.ends_with(ending))));
        }
    }
}
