//! Lines of texts that are UTF-8 or Shift-JIS, with their numbers, one at a time; texts in Shift-JIS.

use encoding_rs::SHIFT_JIS;
use std::{
    borrow::Cow,
    io::{self, BufRead, Read},
};

/// The longest line that is read: a file without line ends cannot fill the memory.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// Reads lines. From the first line on that is no UTF-8, or where the file says so, lines are taken as Shift-JIS.
pub(crate) struct Lines {
    input: Box<dyn BufRead + Send>,
    bytes: Vec<u8>,
    number: u64,
    shift_jis: bool,
    /// Whether characters that Shift-JIS lacks are numeric references, as we write them.
    referenced: bool,
    /// A line that was put back.
    kept: Option<String>,
}

impl Lines {
    pub(crate) fn new(input: Box<dyn BufRead + Send>) -> Lines {
        Lines { input, bytes: Vec::new(), number: 0, shift_jis: false, referenced: false, kept: None }
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
        if let Some(is_shift_jis) = told_charset(line) {
            // A text that was copied from an editor is UTF-8, whatever its first line says.
            self.shift_jis &= is_shift_jis;
            self.referenced = is_shift_jis;
        }
        let text = match std::str::from_utf8(line) {
            Ok(text) if !self.shift_jis => text.into(),
            _ => {
                self.shift_jis = true;
                SHIFT_JIS.decode_without_bom_handling(line).0
            }
        };
        let text = plain(text.trim_end_matches(['\r', '\n']));
        let text = text.as_ref();
        Ok(Some(if self.referenced { without_references(text) } else { text.to_string() }))
    }
}

/// Whether the first line of KIF or KI2 says that Shift-JIS follows; `None` for other lines, and where it says nothing.
fn told_charset(line: &[u8]) -> Option<bool> {
    let text = std::str::from_utf8(line).ok().filter(|text| text.starts_with("#KI"))?;
    match text.split_once("encoding=")?.1.trim() {
        "Shift_JIS" => Some(true),
        "UTF-8" => Some(false),
        _ => None,
    }
}

/// `text` without control characters but line ends and tabs: what steers terminals has no place in a record.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(steers) { text.replace(steers, "").into() } else { text.into() }
}

/// `text` in Shift-JIS. Characters that it lacks become numeric references (`&#233;`), as do those that would come back as others (`¥` as a
/// backslash), and the `&` of what looks like such a reference.
pub(crate) fn shift_jis(text: &str) -> Vec<u8> {
    let (whole, _, lossy) = SHIFT_JIS.encode(text);
    if !lossy && !text.contains("&#") && !text.contains(is_changed) {
        return whole.into_owned();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut character = [0; 4];
    for (at, c) in text.char_indices() {
        let (bytes, _, lossy) = SHIFT_JIS.encode(c.encode_utf8(&mut character));
        match lossy || is_changed(c) || (c == '&' && reference(&text[at..]).is_some()) {
            true => out.extend_from_slice(format!("&#{};", u32::from(c)).as_bytes()),
            false => out.extend_from_slice(&bytes),
        }
    }
    out
}

/// Whether the encoder has bytes for `c` that are read as another character.
fn is_changed(c: char) -> bool {
    matches!(c, '\u{A5}' | '\u{203E}' | '\u{2212}')
}

/// The number of the numeric reference that `text` begins with, and the length of the reference.
fn reference(text: &str) -> Option<(u32, usize)> {
    let (digits, _) = text.strip_prefix("&#")?.split_once(';')?;
    let is_number = (1..=7).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    Some((digits.parse().ok().filter(|_| is_number)?, digits.len() + 3))
}

/// `text` with the characters that [`shift_jis`] wrote as references.
fn without_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("&#") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_lacking = |c: char| !c.is_control() && SHIFT_JIS.encode(c.encode_utf8(&mut [0; 4])).2;
        let is_ours = |c: &char| *c == '&' || is_changed(*c) || is_lacking(*c);
        let read = reference(rest).and_then(|(number, length)| Some((char::from_u32(number).filter(is_ours)?, length)));
        let (c, length) = read.unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[length..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: Vec<u8>) -> Vec<String> {
        let mut lines = Lines::new(Box::new(io::Cursor::new(bytes)));
        std::iter::from_fn(|| lines.next().expect("a good stream")).collect()
    }

    #[test]
    fn lines_are_read_in_either_charset() {
        let text = "手合割：平手\r\n先手：表\n";
        for bytes in [text.as_bytes().to_vec(), shift_jis(text)] {
            assert_eq!(read(bytes), ["手合割：平手", "先手：表"]);
        }
    }

    /// A game whose players had a letter that Shift-JIS lacks could not be written; `¥` came back as a backslash.
    #[test]
    fn characters_that_shift_jis_lacks_come_back() {
        let head = "#KIF version=2.0 encoding=Shift_JIS";
        for text in ["Änne 🙂", "¥ ‾ −", "&#233; & &#; &#38;#38; &#99999999;", "&#1114112;", "表ソ能"] {
            let bytes = shift_jis(&format!("{head}\n{text}\n"));
            assert_eq!(read(bytes), [head, text]);
        }
        assert_eq!(shift_jis("é表"), b"&#233;\x95\x5C");
        // Other files have no such references.
        assert_eq!(read(b"&#233;\n".to_vec()), ["&#233;"]);
    }

    /// A game in UTF-8 appended to one in Shift-JIS; a text in Shift-JIS that came through an editor.
    #[test]
    fn games_of_both_charsets_stand_in_one_file() {
        let (head, text) = ("#KIF version=2.0 encoding=Shift_JIS", "先手：表");
        let appended = [shift_jis(text), format!("\n#KIF version=2.0 encoding=UTF-8\n{text}\n").into_bytes()].concat();
        assert_eq!(read(appended), [text, "#KIF version=2.0 encoding=UTF-8", text]);
        assert_eq!(read(format!("{head}\n{text} &#233;\n").into_bytes()), [head, "先手：表 é"]);
    }
}
