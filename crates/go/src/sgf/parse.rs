//! Reads game trees from a stream, one after another, with patience for old and careless files; goes on behind a broken one.

use super::{
    charset::Charset,
    source::{ByteOffset, Source},
    tree::SgfTree,
};
use encoding_rs::{UTF_16BE, UTF_16LE};
use std::io;
use tesuji_record::Fault;

/// The most memory that one game may take, so that a file with a bracket missing cannot fill it.
const GAME_BYTES_MAX: usize = 64 << 20;

/// The most properties that a node may have: standards know about seventy.
const PROPERTIES_MAX: usize = 1000;

/// The number of bytes from a game's start that are searched for the charset it declares.
const HEAD: usize = 4096;
/// The most bytes between two games, and before the first.
const BETWEEN_GAMES_MAX: u64 = 16 << 20;

/// Properties with which a game begins and a variation does not: behind a broken game they tell where the next one is.
const ROOT: [&str; 20] = [
    "FF", "GM", "CA", "AP", "SZ", "ST", "GN", "EV", "PB", "PW", "US", "RO", "DT", "PC", "RU", "KM", "HA", "RE", "TM",
    "SO",
];

/// A syntax error, and its place in the file.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) place: ByteOffset,
    pub(super) fault: Fault,
}

impl Broken {
    /// Something else than expected at `place`.
    pub(super) fn new(place: ByteOffset, expected: &'static str, found: &str) -> Broken {
        Broken { place, fault: Fault::expected_at(place.byte, expected, found) }
    }
}

/// The state in which a broken game was left.
#[derive(Debug, Clone, Copy)]
struct Left {
    /// Brackets of games and variations still open.
    depth: usize,
    /// Within a value.
    value: bool,
}

/// Reads games one by one.
pub(super) struct Parser {
    source: Source,
    charset: Charset,
    /// The file began with the mark of UTF-8.
    marked: bool,
    started: bool,
    /// There was a game, broken or not.
    found: bool,
    left: Option<Left>,
    /// The first byte before the first game that belongs to no game, with its offset.
    junk: Option<(ByteOffset, u8)>,
    /// A game in the making: names and values as bytes.
    bytes: Vec<u8>,
    /// The part of the game that was read before the last error.
    broken: Option<SgfTree>,
}

impl Parser {
    pub(super) fn new(input: Box<dyn io::BufRead + Send>) -> Parser {
        Parser {
            source: Source::new(input),
            charset: Charset::UNKNOWN,
            marked: false,
            started: false,
            found: false,
            left: None,
            junk: None,
            bytes: Vec::new(),
            broken: None,
        }
    }

    /// The next game with the place where it begins; `None` at the end. After an error the next call goes on behind the
    /// broken game, unless the stream itself failed.
    pub(super) fn read(&mut self) -> Result<Option<(ByteOffset, SgfTree)>, Broken> {
        let place = self.source.place();
        self.step().map_err(|wrong| match wrong {
            Wrong::Broken(broken) => broken,
            Wrong::Io(e) => Broken { place, fault: Fault::Io(e) },
        })
    }

    /// Takes the part of the game that was read before the last error.
    pub(super) fn take_broken(&mut self) -> Option<SgfTree> {
        self.broken.take()
    }

    fn step(&mut self) -> Result<Option<(ByteOffset, SgfTree)>, Wrong> {
        if !std::mem::replace(&mut self.started, true) {
            self.mark()?;
        }
        let found = match self.left.take() {
            Some(left) => self.skip(left)?,
            None => self.find()?,
        };
        if !found {
            return match self.junk.take() {
                Some((place, byte)) => {
                    Err(Broken::new(place, "a game that begins with `(;`", &(byte as char).to_string()).into())
                }
                None => Ok(None),
            };
        }
        (self.found, self.junk) = (true, None);
        let place = self.source.place();
        self.charset = if self.marked { Charset::UTF8 } else { Charset::of_game(head(self.source.ahead(HEAD)?)) };
        let mut draft = Draft::default();
        self.bytes.clear();
        self.broken = None;
        match self.game(&mut draft) {
            Ok(()) => Ok(Some((place, self.finish(draft)))),
            Err(wrong) => {
                self.left = Some(Left { depth: draft.open.len(), value: draft.in_value });
                self.bytes.truncate(draft.tree.drop_unfinished());
                self.broken = Some(self.finish(draft)).filter(|tree| !tree.is_empty());
                Err(wrong)
            }
        }
    }

    /// Passes over the mark at the start of a file, which tells the charset of all of it.
    fn mark(&mut self) -> Result<(), Wrong> {
        let (wide, length) = match self.source.ahead(3)? {
            [0xFF, 0xFE, ..] => (Some(UTF_16LE), 2),
            [0xFE, 0xFF, ..] => (Some(UTF_16BE), 2),
            [0xEF, 0xBB, 0xBF, ..] => (None, 3),
            _ => return Ok(()),
        };
        (0..length).for_each(|_| self.source.pass());
        self.marked = true;
        if let Some(wide) = wide {
            self.source.transcode(wide);
        }
        Ok(())
    }

    /// Goes to the bracket that opens the next game; `false` at the end. What stands between games is passed over.
    fn find(&mut self) -> Result<bool, Wrong> {
        let mut passed = 0u64;
        while let Some(b) = self.source.peek()? {
            if b == b'(' && next_is_node(self.source.ahead(64)?) {
                return Ok(true);
            }
            if !b.is_ascii_whitespace() && b != 0x1A && self.junk.is_none() && !self.found {
                self.junk = Some((self.source.place(), b));
            }
            self.source.pass();
            passed += 1;
            if passed > BETWEEN_GAMES_MAX {
                // Fatal: another look would read as much again, and a stream such as /dev/zero never ends.
                let words = "no game that begins with `(;` in 16 MiB: this is no SGF";
                return Err(Wrong::Io(std::io::Error::new(std::io::ErrorKind::InvalidData, words)));
            }
        }
        Ok(false)
    }

    /// Passes over the rest of a broken game: to its last bracket, or to what can only be the next game.
    fn skip(&mut self, left: Left) -> Result<bool, Wrong> {
        let Left { mut depth, mut value } = left;
        while let Some(b) = self.source.peek()? {
            if value {
                self.source.pass();
                if b == b'\\' || self.charset.is_lead(b) {
                    self.source.peek()?;
                    self.source.pass();
                }
                value = b != b']';
                continue;
            }
            match b {
                b'[' => value = true,
                b'(' => {
                    let ahead = self.source.ahead(64)?;
                    if next_is_node(ahead) && (depth == 0 || next_is_root(ahead)) {
                        return Ok(true);
                    }
                    depth += 1;
                }
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.source.pass();
        }
        Ok(false)
    }
}

/// The error that stopped the parser.
enum Wrong {
    Broken(Broken),
    Io(io::Error),
}

impl From<Broken> for Wrong {
    fn from(broken: Broken) -> Wrong {
        Wrong::Broken(broken)
    }
}

impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Wrong {
        Wrong::Io(error)
    }
}

/// A game in the making, beside its bytes: ends of names and values are lengths of those.
#[derive(Default)]
struct Draft {
    tree: SgfTree,
    /// The nodes to which variations go back.
    open: Vec<u32>,
    here: u32,
    /// Whether properties belong to the last node.
    fresh: bool,
    /// The number of properties of the last node.
    properties: usize,
    in_value: bool,
}

/// As much of `ahead` as is looked at.
fn head(ahead: &[u8]) -> &[u8] {
    &ahead[..ahead.len().min(HEAD)]
}

/// Whether an opening bracket is followed by a node.
fn next_is_node(ahead: &[u8]) -> bool {
    let node = ahead.get(1..).unwrap_or_default().trim_ascii_start();
    // The Nihon Ki-in leaves the `;` of the root out.
    node.starts_with(b";") || names_property(node)
}

/// Whether there is a property in capitals.
fn names_property(text: &[u8]) -> bool {
    let length = text.iter().take_while(|b| b.is_ascii_uppercase()).count();
    (1..=2).contains(&length) && text.get(length) == Some(&b'[')
}

/// Whether an opening bracket and a node are followed by a property with which games begin.
fn next_is_root(ahead: &[u8]) -> bool {
    let node = ahead.get(1..).unwrap_or_default().trim_ascii_start();
    let name = node.strip_prefix(b";").unwrap_or(node).trim_ascii_start();
    let length = name.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let upper: Vec<u8> = name[..length].iter().copied().filter(u8::is_ascii_uppercase).collect();
    name.get(length) == Some(&b'[') && ROOT.iter().any(|r| r.as_bytes() == upper)
}

/// The bytes at which the copying of a value stops.
const fn stops(pairs: bool) -> [bool; 256] {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = matches!(b as u8, b']' | b'\\' | b'\n' | b'\r') || (pairs && b >= 0x80);
        b += 1;
    }
    table
}

static STOPS: [bool; 256] = stops(false);
static STOPS_OF_PAIRS: [bool; 256] = stops(true);

impl Parser {
    /// Reads a game from its opening bracket to the closing one.
    fn game(&mut self, draft: &mut Draft) -> Result<(), Wrong> {
        loop {
            let Some(b) = self.skip_spaces()? else {
                let (place, expected) = (self.source.place(), "a `)` that ends the game");
                return Err(Broken { place, fault: Fault::Unclosed { byte: place.byte, expected } }.into());
            };
            match b {
                b'(' => {
                    draft.open.push(draft.here);
                    draft.fresh = false;
                    self.source.pass();
                }
                b')' => {
                    self.source.pass();
                    draft.fresh = false;
                    draft.here = draft.open.pop().unwrap_or(0);
                    if draft.open.is_empty() {
                        return Ok(());
                    }
                }
                b';' => {
                    draft.here = draft.tree.push_node(draft.here);
                    (draft.fresh, draft.properties) = (true, 0);
                    self.source.pass();
                }
                b if b.is_ascii_alphanumeric() && draft.fresh => self.property(draft)?,
                b if b.is_ascii_uppercase() && draft.tree.is_empty() => {
                    draft.tree.push_node(0);
                    draft.fresh = true;
                }
                b => {
                    let expected = if draft.fresh {
                        "a property, a node `;`, a variation `(` or `)`"
                    } else {
                        "a node `;`, a variation `(` or `)`"
                    };
                    return Err(self.broken(expected, b));
                }
            }
            if self.bytes.len() + draft.tree.bytes() + 4 * draft.open.len() > GAME_BYTES_MAX {
                return Err(Broken::new(self.source.place(), "a game of at most 64 MiB", "more").into());
            }
        }
    }

    fn broken(&self, expected: &'static str, found: u8) -> Wrong {
        Broken::new(self.source.place(), expected, &(found as char).to_string()).into()
    }

    /// Passes over spaces; the byte behind them.
    #[inline]
    fn skip_spaces(&mut self) -> io::Result<Option<u8>> {
        while let Some(b) = self.source.peek()? {
            if !b.is_ascii_whitespace() && b != b'\x0B' {
                return Ok(Some(b));
            }
            self.source.pass();
        }
        Ok(None)
    }

    /// Reads a property: its name and its values.
    fn property(&mut self, draft: &mut Draft) -> Result<(), Wrong> {
        let (place, from) = (self.source.place(), self.bytes.len());
        while let Some(b) = self.source.peek()?.filter(u8::is_ascii_alphanumeric) {
            if self.bytes.len() - from > 64 {
                return Err(Broken::new(place, "a property with a short name", "a long one").into());
            }
            self.bytes.push(b);
            self.source.pass();
        }
        draft.properties += 1;
        if draft.properties > PROPERTIES_MAX {
            return Err(Broken::new(place, "at most 1000 properties in a node", "more").into());
        }
        fold_name(&mut self.bytes, from);
        draft.tree.push_raw_property(from, self.bytes.len(), place);
        let mut values = 0;
        while self.skip_spaces()? == Some(b'[') {
            draft.in_value = true;
            self.value()?;
            draft.in_value = false;
            draft.tree.push_raw_value(self.bytes.len());
            values += 1;
        }
        match self.source.peek()? {
            _ if values > 0 => Ok(()),
            Some(b) => Err(self.broken("a `[` behind the name of the property", b)),
            None => Err(Broken::new(self.source.place(), "a `[` behind the name of the property", "the end").into()),
        }
    }

    /// Copies a value, brackets left out and escapes kept.
    fn value(&mut self) -> Result<(), Wrong> {
        let open = self.source.place();
        let pairs = self.charset.pairs();
        let stops = if pairs { &STOPS_OF_PAIRS } else { &STOPS };
        self.source.pass();
        while let Some(b) = self.source.peek()? {
            if !stops[b as usize] {
                self.source.copy_until(stops, &mut self.bytes);
                if self.bytes.len() > GAME_BYTES_MAX {
                    return Err(Broken::new(open, "a value of at most 64 MiB", "more").into());
                }
                continue;
            }
            self.source.pass();
            if b == b']' {
                return Ok(());
            }
            self.bytes.push(b);
            if b == b'\\' || (pairs && self.charset.is_lead(b)) {
                // An escaped character of two bytes: its first byte is read as such on the next round.
                if b == b'\\' && pairs && self.source.peek()?.is_some_and(|next| self.charset.is_lead(next)) {
                    continue;
                }
                let Some(next) = self.source.peek()? else { break };
                self.bytes.push(next);
                self.source.pass();
            }
        }
        Err(Broken::new(open, "a `]` that ends the value opened here", "").into())
    }

    /// The tree of what was read, as text.
    fn finish(&mut self, draft: Draft) -> SgfTree {
        self.charset = self.charset.guessed(&self.bytes);
        let plain = self.charset == Charset::UTF8 || self.charset == Charset::UNKNOWN || self.bytes.is_ascii();
        match std::str::from_utf8(&self.bytes) {
            Ok(text) if plain => draft.tree.with_text(text.to_string()),
            _ => draft.tree.recoded(&self.bytes, |bytes| self.charset.text(bytes)),
        }
    }
}

/// Makes a name of the bytes behind `from`: small letters, which the standards before FF\[4\] allowed as decoration, go;
/// a name of nothing else was meant large.
fn fold_name(bytes: &mut Vec<u8>, from: usize) {
    if bytes[from..].iter().any(u8::is_ascii_uppercase) {
        let mut to = from;
        for i in from..bytes.len() {
            if !bytes[i].is_ascii_lowercase() {
                bytes[to] = bytes[i];
                to += 1;
            }
        }
        bytes.truncate(to);
    } else {
        bytes[from..].make_ascii_uppercase();
    }
}

impl SgfTree {
    /// Reads all games of a file in memory.
    ///
    /// # Errors
    /// The first fault, with its line.
    pub fn read_all(bytes: &[u8]) -> Result<Vec<SgfTree>, tesuji_record::RecordError> {
        let mut parser = Parser::new(Box::new(io::Cursor::new(bytes.to_vec())));
        let mut games = Vec::new();
        loop {
            match parser.read() {
                Ok(Some((_, tree))) => games.push(tree),
                Ok(None) => return Ok(games),
                Err(Broken { place, fault }) => {
                    return Err(tesuji_record::RecordError::new(place.line, games.len() as u64 + 1, fault));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every result of a parser on `input`: games as text in one line, errors as they are shown.
    fn all(input: &[u8]) -> Vec<String> {
        let mut parser = Parser::new(Box::new(io::Cursor::new(input.to_vec())));
        let mut results = Vec::new();
        loop {
            match parser.read() {
                Ok(Some((_, tree))) => results.push(shown(&tree)),
                Ok(None) => return results,
                Err(Broken { place, fault }) => results.push(format!("line {}: {fault}", place.line)),
            }
        }
    }

    /// A tree as nodes with the numbers of their parents.
    fn shown(tree: &SgfTree) -> String {
        let mut out = String::new();
        for node in 0..tree.len() as u32 {
            out.push_str(&format!("{}{};", if node > 0 { " " } else { "" }, tree.parent(node)));
            tree.properties(node).for_each(|p| p.write(&mut out));
        }
        out
    }

    #[track_caller]
    fn check(input: &str, expect: &[&str]) {
        assert_eq!(all(input.as_bytes()), expect);
    }

    #[test]
    fn the_shape_of_a_game_is_kept() {
        check("(;SZ[9];B[aa];W[bb])", &["0;SZ[9] 0;B[aa] 1;W[bb]"]);
        check("(;A[](;B[a];C[b])(;D[c](;E[d])(;F[e]))(;G[f]))", &["0;A[] 0;B[a] 1;C[b] 0;D[c] 3;E[d] 3;F[e] 0;G[f]"]);
        check("( ; AB [aa] [bb]\n[cc] C[x]\t;\r\n ; )", &["0;AB[aa][bb][cc]C[x] 0; 1;"]);
        check("(;A[1])(;B[2])\n\n(;C[3])", &["0;A[1]", "0;B[2]", "0;C[3]"]);
        check("(;)", &["0;"]);
        check("", &[]);
        check(" \n\u{1A}", &[]);
    }

    #[test]
    fn careless_files_are_read() {
        check(
            "Subject: a game (of go)\n\n(;A[1]))\n-- \nbye (;-)",
            &["0;A[1]"]
                .map(|g| g)
                .iter()
                .chain(&["line 5: at byte 44: expected a property, a node `;`, a variation `(` or `)`, found `-`"])
                .copied()
                .collect::<Vec<_>>(),
        );
        check("(;GaMe[1]Black[aa]b[cc]FF3[x])", &["0;GM[1]B[aa]B[cc]FF3[x]"]);
        check("hm (x) (\r\nPB[a]\r\n;B[pd];W[dp])", &["0;PB[a] 0;B[pd] 1;W[dp]"]);
        let wide: Vec<u8> = "\u{FEFF}(;CA[GBK]C[棋])".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(all(&wide), ["0;CA[GBK]C[棋]"]);
        check("\u{FEFF}(;CA[GBK]C[\u{e9}])", &["0;CA[GBK]C[\u{e9}]"]);
        check("(;A[a(b;c)\\]d[e];B[\\\\](;C[f]);D[g])", &["0;A[a(b;c)\\]d[e] 0;B[\\\\] 1;C[f] 1;D[g]"]);
    }

    #[test]
    fn brackets_within_characters_are_no_brackets() {
        // 表 ends with the byte of a backslash in Shift-JIS, 孿 in GBK, 哴 there with that of a closing bracket.
        let sjis = b"(;CA[Shift_JIS]C[\x95\x5c]N[\\\x95\x5c\\]x])";
        assert_eq!(all(sjis), ["0;CA[Shift_JIS]C[表]N[\\表\\]x]"]);
        let (gbk, _, _) = encoding_rs::GBK.encode("(;PB[哴a]CA[GBK]C[孿])");
        assert_eq!(all(&gbk), ["0;PB[哴a]CA[GBK]C[孿]"]);
        let (big5, _, _) = encoding_rs::BIG5.encode("(;CA[Big5]PB[許功蓋])");
        assert_eq!(all(&big5), ["0;CA[Big5]PB[許功蓋]"]);
        assert_eq!(all(b"(;PB[Andr\xe9])"), ["0;PB[André]"]);
        check("(;CA[gb2312]PB[柯洁])", &["0;CA[gb2312]PB[柯洁]"]);
    }

    #[test]
    fn what_is_broken_is_one_error_with_its_place() {
        let cases = [
            ("(;A[1]\n;B[2", "line 2: at byte 9: expected a `]` that ends the value opened here"),
            ("(;A[1];B[2]", "line 1: at byte 11: expected a `)` that ends the game, found `the end`"),
            ("(;A", "line 1: at byte 3: expected a `[` behind the name of the property, found `the end`"),
            ("(;\nA B[1])", "line 2: at byte 5: expected a `[` behind the name of the property, found `B`"),
            ("(;[1])", "line 1: at byte 2: expected a property, a node `;`, a variation `(` or `)`, found `[`"),
            ("(;A[1](B[2]))", "line 1: at byte 7: expected a node `;`, a variation `(` or `)`, found `B`"),
            ("\n\nnothing here", "line 3: at byte 2: expected a game that begins with `(;`, found `n`"),
        ];
        for (input, expect) in cases {
            assert_eq!(all(input.as_bytes()), [expect], "{input}");
        }
    }

    #[test]
    fn reading_goes_on_behind_a_broken_game() {
        let results = all(b"(;A[1];B{2](;C[3])(;D[4]))\n(;E[5])");
        assert_eq!(results.len(), 2);
        assert_eq!(results[1], "0;E[5]");
        // The brackets of a game that breaks off are never closed: the next game is known by what it begins with.
        let results = all(b"(;FF[4]GM[1];B[aa](;W[bb] oops\n(;C[x])\n(;FF[4]GM[1];B[cc])");
        assert_eq!(results.len(), 2);
        assert_eq!(results[1], "0;FF[4]GM[1] 0;B[cc]");
    }

    #[test]
    fn a_game_that_fills_the_memory_is_refused() {
        let mut input = b"(;FF[4]C[".to_vec();
        input.resize(GAME_BYTES_MAX + 200_000, b'x');
        input.extend_from_slice(b"](;B[aa]))(;GM[1])");
        let results = all(&input);
        assert!(results[0].contains("at most 64 MiB"), "{}", results[0]);
        assert_eq!(results[1..], ["0;GM[1]"]);
    }

    #[test]
    fn a_node_of_nothing_but_properties_is_refused() {
        let input = format!("(;{})(;GM[1])", "X[]".repeat(1001));
        let results = all(input.as_bytes());
        assert!(results[0].contains("at most 1000 properties"), "{}", results[0]);
        assert_eq!(results[1..], ["0;GM[1]"]);
    }

    #[test]
    fn variations_may_nest_deeply() {
        let input = "(;".repeat(100_000) + &")".repeat(100_000);
        assert_eq!(SgfTree::read_all(input.as_bytes()).unwrap()[0].len(), 100_000);
    }
}
