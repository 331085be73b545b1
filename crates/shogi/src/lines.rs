//! Lines of texts that are UTF-8 or Shift-JIS, with their numbers, one at a time.

use encoding_rs::SHIFT_JIS;
use std::io::{self, BufRead, Read};

/// The longest line that is read: a file without line ends cannot fill the memory.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// Reads lines. From the first line on that is no UTF-8, lines are taken as Shift-JIS.
pub(crate) struct Lines {
    input: Box<dyn BufRead + Send>,
    bytes: Vec<u8>,
    number: u64,
    shift_jis: bool,
    /// A line that was put back.
    kept: Option<String>,
}

impl Lines {
    pub(crate) fn new(input: Box<dyn BufRead + Send>) -> Lines {
        Lines { input, bytes: Vec::new(), number: 0, shift_jis: false, kept: None }
    }

    /// The number of the line returned last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Lets the next call return `line` again.
    pub(crate) fn keep(&mut self, line: String) {
        self.kept = Some(line);
    }

    /// The next line without its end; `None` at the end of the input.
    pub(crate) fn next(&mut self) -> io::Result<Option<String>> {
        if let Some(line) = self.kept.take() {
            return Ok(Some(line));
        }
        self.bytes.clear();
        let read = (&mut self.input).take(LINE_BYTES_MAX).read_until(b'\n', &mut self.bytes)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if read as u64 == LINE_BYTES_MAX && self.bytes.last() != Some(&b'\n') {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("line {} is too long", self.number)));
        }
        let line = self.bytes.strip_prefix(b"\xEF\xBB\xBF").filter(|_| self.number == 1).unwrap_or(&self.bytes);
        if !self.shift_jis
            && let Ok(text) = std::str::from_utf8(line)
        {
            return Ok(Some(text.trim_end_matches(['\r', '\n']).to_string()));
        }
        self.shift_jis = true;
        let (text, _) = SHIFT_JIS.decode_without_bom_handling(line);
        Ok(Some(text.trim_end_matches(['\r', '\n']).to_string()))
    }
}

/// `text` in Shift-JIS; `None` where a character is not in it.
pub(crate) fn shift_jis(text: &str) -> Option<Vec<u8>> {
    let (bytes, _, lossy) = SHIFT_JIS.encode(text);
    (!lossy).then(|| bytes.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_either_charset() {
        let text = "手合割：平手\r\n先手：表\n";
        for bytes in [text.as_bytes().to_vec(), shift_jis(text).expect("all in it")] {
            let mut lines = Lines::new(Box::new(io::Cursor::new(bytes)));
            let mut next = || lines.next().expect("a good stream");
            assert_eq!([next(), next(), next()], [Some("手合割：平手".into()), Some("先手：表".into()), None]);
        }
        assert_eq!(shift_jis("🙂"), None);
    }
}
