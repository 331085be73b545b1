//! The words and numbers of a KataGo model file, with the place of what is wrong.

use crate::NetError;

/// The mark before numbers in binary form.
const BINARY: &[u8] = b"@BIN@";
/// Characters of a word that are shown in an error.
const SHOWN_MAX: usize = 40;

/// The bytes of a file that is read from its beginning to its end: words between white space, and numbers, which are words as
/// well or, behind a mark, little-endian floats.
pub(super) struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The name of the layer that is being read.
    layer: String,
}

impl<'a> Source<'a> {
    /// At the beginning of `bytes`.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Source { bytes, at: 0, layer: "header".to_owned() }
    }

    /// The error that something else was `expected` at byte `at`.
    fn wrong(&self, at: usize, text: &str) -> NetError {
        NetError::ForeignModel(format!("byte {at}, layer {}: {text}", self.layer))
    }

    /// An error about what has just been read.
    pub(super) fn refuse(&self, text: &str) -> NetError {
        self.wrong(self.at, text)
    }

    fn skip_space(&mut self) {
        let space = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += space;
    }

    /// Whether nothing but white space follows.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.bytes.len()
    }

    /// The next word, which should be `what`.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, NetError> {
        self.skip_space();
        let start = self.at;
        let rest = &self.bytes[start..];
        let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        if length == 0 {
            return Err(self.wrong(start, &format!("expected {what}, found the end of the file")));
        }
        match std::str::from_utf8(&rest[..length]) {
            Ok(word) if word.bytes().all(|byte| byte.is_ascii_graphic()) => {
                self.at += length;
                Ok(word)
            }
            _ => Err(self.wrong(start, &format!("expected {what}, found bytes that are no text"))),
        }
    }

    /// Begins a layer: its name.
    pub(super) fn begin(&mut self, what: &str) -> Result<(), NetError> {
        self.word(&format!("the name of a {what}"))?.clone_into(&mut self.layer);
        Ok(())
    }

    /// A number as a word.
    fn parse<T: std::str::FromStr>(&mut self, what: &str) -> Result<(T, usize), NetError> {
        let word = self.word(what)?;
        let start = self.at - word.len();
        let shown: String = word.chars().take(SHOWN_MAX).collect();
        word.parse()
            .map(|number| (number, start))
            .map_err(|_| self.wrong(start, &format!("expected {what}, found `{shown}`")))
    }

    /// A whole number from `low` to `high`.
    pub(super) fn count(&mut self, what: &str, low: usize, high: usize) -> Result<usize, NetError> {
        let (number, start) = self.parse::<i64>(what)?;
        match usize::try_from(number).ok().filter(|count| (low..=high).contains(count)) {
            Some(count) => Ok(count),
            None => Err(self.wrong(start, &format!("{what} is {number}, expected {low} to {high}"))),
        }
    }

    /// A number above 0.
    pub(super) fn positive(&mut self, what: &str) -> Result<f32, NetError> {
        let (number, start) = self.parse::<f32>(what)?;
        if number.is_finite() && number > 0.0 {
            return Ok(number);
        }
        Err(self.wrong(start, &format!("{what} is {number}, expected a number above 0")))
    }

    /// An option that later versions of the format may use: it must be 0.
    pub(super) fn unused(&mut self, what: &str) -> Result<(), NetError> {
        self.count(&format!("{what}, which has no meaning yet,"), 0, 0).map(|_| ())
    }

    /// `count` numbers, which are `what`.
    pub(super) fn floats(&mut self, what: &str, count: usize) -> Result<Vec<f32>, NetError> {
        self.skip_space();
        let start = self.at;
        let rest = &self.bytes[start..];
        let short =
            |left: usize| format!("expected {count} numbers ({what}), found {left} bytes to the end of the file");
        let Some(rest) = rest.strip_prefix(BINARY) else {
            // A digit and a space each: what cannot be there is not made room for.
            if count > rest.len().div_ceil(2) {
                return Err(self.wrong(start, &short(rest.len())));
            }
            return (0..count).map(|_| self.finite(what)).collect();
        };
        let Some(numbers) = count.checked_mul(4).and_then(|length| rest.get(..length)) else {
            return Err(self.wrong(start, &short(rest.len())));
        };
        let floats: Vec<f32> = numbers.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let first = start + BINARY.len();
        if let Some(wrong) = floats.iter().position(|number| !number.is_finite()) {
            return Err(self.wrong(first + 4 * wrong, &format!("number {wrong} of {what} is not finite")));
        }
        self.at = first + numbers.len();
        Ok(floats)
    }

    fn finite(&mut self, what: &str) -> Result<f32, NetError> {
        let (number, start) = self.parse::<f32>(&format!("a number ({what})"))?;
        if number.is_finite() {
            Ok(number)
        } else {
            Err(self.wrong(start, &format!("a number of {what} is not finite")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_words_or_binary() {
        let mut bytes = b"layer 3 @BIN@".to_vec();
        [0.5f32, -2.0].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(b"\n1e-3 7\n");
        let mut source = Source::new(&bytes);
        source.begin("layer").unwrap();
        assert_eq!(source.count("a count", 1, 5).unwrap(), 3);
        assert_eq!(source.floats("weights", 2).unwrap(), [0.5, -2.0]);
        assert_eq!(source.floats("weights", 2).unwrap(), [1e-3, 7.0]);
        assert!(source.is_at_end());
    }

    #[test]
    fn errors_name_byte_layer_and_expectation() {
        let check = |text: &str, read: fn(&mut Source<'_>) -> Result<(), NetError>, expected: &str| {
            let mut source = Source::new(text.as_bytes());
            source.begin("layer").unwrap();
            let error = read(&mut source).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("conv1 x", |s| s.count("a count", 1, 5).map(|_| ()), "byte 6, layer conv1: expected a count, found `x`");
        check(
            "conv1 9",
            |s| s.count("a count", 1, 5).map(|_| ()),
            "byte 6, layer conv1: a count is 9, expected 1 to 5",
        );
        check("conv1 -1", |s| s.positive("a size").map(|_| ()), "a size is -1, expected a number above 0");
        check("conv1", |s| s.word("a word").map(|_| ()), "expected a word, found the end of the file");
        check(
            "conv1 1 nan 3",
            |s| s.floats("weights", 3).map(|_| ()),
            "byte 8, layer conv1: a number of weights is not finite",
        );
        check("conv1 @BIN@abcd", |s| s.floats("weights", 2).map(|_| ()), "expected 2 numbers (weights), found 4 bytes");
        check("conv1 1 2", |s| s.floats("weights", usize::MAX).map(|_| ()), "numbers (weights), found 3 bytes");
        check("conv1 @BIN@", |s| s.floats("weights", usize::MAX).map(|_| ()), "found 0 bytes");
    }
}
