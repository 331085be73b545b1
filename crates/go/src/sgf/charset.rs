//! Charsets of old files: which one a game is in, how its bytes are passed over, and how they become text.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS, UTF_8, WINDOWS_1252};
use std::borrow::Cow;

/// The character encoding of a game: turns its bytes into text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Charset {
    /// `None`: nothing was said. UTF-8 where it is, else Latin-1, which is the standard's default.
    encoding: Option<&'static Encoding>,
}

/// Names that people write and the list of the web does not know.
const ALIASES: [(&str, &Encoding); 9] = [
    ("cp936", GBK),
    ("936", GBK),
    ("gb", GBK),
    ("cp932", SHIFT_JIS),
    ("932", SHIFT_JIS),
    ("cp950", BIG5),
    ("big-5", BIG5),
    ("cp949", EUC_KR),
    ("eucjp", EUC_JP),
];

impl Charset {
    /// Nothing said.
    pub(super) const UNKNOWN: Charset = Charset { encoding: None };
    /// UTF-8.
    pub(super) const UTF8: Charset = Charset { encoding: Some(UTF_8) };

    /// The charset that `CA` names; [`Charset::UNKNOWN`] for a name that nobody knows.
    pub(super) fn named(name: &str) -> Charset {
        let name = name.trim().to_ascii_lowercase();
        let alias = ALIASES.iter().find(|a| a.0 == name).map(|a| a.1);
        match alias.or_else(|| Encoding::for_label(name.as_bytes())) {
            // Brackets and names are plain ASCII: the file cannot be in these.
            Some(wide) if wide == encoding_rs::UTF_16LE || wide == encoding_rs::UTF_16BE => Charset::UTF8,
            encoding => Charset { encoding },
        }
    }

    /// Looks for the `CA` of a game in its first bytes; [`Charset::UNKNOWN`] where there is none. What declares an Asian
    /// charset but is UTF-8 is taken as that: many files were converted without a word.
    pub(super) fn of_game(head: &[u8]) -> Charset {
        let label = head.windows(3).enumerate().filter(|(_, w)| w == b"CA[").find_map(|(i, _)| {
            let alone = i == 0 || !head[i - 1].is_ascii_alphabetic();
            let rest = &head[i + 3..];
            let length = rest.iter().take(40).position(|&b| !b.is_ascii_alphanumeric() && !b"-_.: ".contains(&b))?;
            (alone && rest[length] == b']').then(|| std::str::from_utf8(&rest[..length]).ok())?
        });
        let named = label.map_or(Charset::UNKNOWN, Charset::named);
        let wide = |text: &str| text.bytes().any(|b| b >= 0xE0);
        if named.pairs() && utf8_of(head).is_some_and(wide) { Charset::UTF8 } else { named.guessed(head) }
    }

    /// The charset of text that says nothing about it: one of Japan, China or Korea where it looks like that. Those of the
    /// West are hard to tell apart, so that for them Latin-1 stays, as the standard says.
    pub(super) fn guessed(self, bytes: &[u8]) -> Charset {
        if self != Charset::UNKNOWN || bytes.is_ascii() || utf8_of(bytes).is_some() {
            return self;
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(bytes, false);
        let guess = detector.guess(None, Utf8Detection::Deny);
        let eastern = [SHIFT_JIS, EUC_JP, GBK, GB18030, BIG5, EUC_KR].contains(&guess);
        if eastern { Charset { encoding: Some(guess) } } else { self }
    }

    /// Whether the second byte of a character may look like a bracket or a backslash.
    pub(super) fn pairs(self) -> bool {
        self.encoding.is_some_and(|e| [SHIFT_JIS, GBK, GB18030, BIG5].contains(&e))
    }

    /// Whether `byte` opens a character of two bytes.
    pub(super) fn is_lead(self, byte: u8) -> bool {
        match self.encoding {
            Some(e) if e == SHIFT_JIS => matches!(byte, 0x81..=0x9F | 0xE0..=0xFC),
            Some(_) if self.pairs() => matches!(byte, 0x81..=0xFE),
            _ => false,
        }
    }

    /// The text of `bytes`. What the charset cannot be is tried as UTF-8; what is left becomes `�`.
    pub(super) fn text(self, bytes: &[u8]) -> Cow<'_, str> {
        let utf8 = std::str::from_utf8(bytes);
        let Some(encoding) = self.encoding else {
            return utf8.map_or_else(|_| WINDOWS_1252.decode_without_bom_handling(bytes).0, Cow::from);
        };
        match (encoding.decode_without_bom_handling_and_without_replacement(bytes), utf8) {
            (Some(text), _) => text,
            (None, Ok(text)) => text.into(),
            (None, Err(_)) if encoding == UTF_8 => WINDOWS_1252.decode_without_bom_handling(bytes).0,
            (None, Err(_)) => encoding.decode_without_bom_handling(bytes).0,
        }
    }
}

/// The text of `bytes`, which may end within a character; `None` if they are no UTF-8.
fn utf8_of(bytes: &[u8]) -> Option<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(e) if e.error_len().is_none() => std::str::from_utf8(&bytes[..e.valid_up_to()]).ok(),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &[u8], bytes: &[u8], expect: &str) {
        assert_eq!(Charset::of_game(head).text(bytes), expect);
    }

    #[test]
    fn names_of_charsets_are_known() {
        check(b"(;GM[1]CA[Shift_JIS]", b"\x95\x5c\x8e\xa6", "表示");
        check(b"(;CA[SJIS]", b"\x83\x5c", "ソ");
        check(b"(;CA[GB2312]", b"\xce\xa7\xc6\xe5", "围棋");
        check(b"(;CA[gb18030]", b"\xce\xa7\x81\x30\x81\x30", "围\u{80}");
        check(b"(;CA[Big5]", b"\xb3\x5c", "許");
        check(b"(;CA[big-5]", b"\xb3\x5c", "許");
        check(b"(;CA[EUC-KR]", b"\xb9\xd9\xb5\xcf", "바둑");
        check(b"(;CA[EUC-JP]", b"\xb0\xcf\xb8\xeb", "囲碁");
        check(b"(;CA[ISO-8859-1]", b"caf\xe9", "café");
        check(b"(;CA[utf-8]", "棋".as_bytes(), "棋");
    }

    #[test]
    fn without_a_name_it_is_utf8_or_latin_1() {
        check(b"(;GM[1]", b"caf\xe9", "café");
        check(b"(;GM[1]", "棋".as_bytes(), "棋");
        check(b"(;CA[no such thing]", b"caf\xe9", "café");
        check(b"(;CA[UTF-8]", b"caf\xe9", "café");
    }

    #[test]
    fn converted_files_that_kept_the_old_name_are_utf8() {
        let head = "(;CA[gb2312]PB[古力]".as_bytes();
        assert_eq!(Charset::of_game(head), Charset::UTF8);
        assert_eq!(Charset::of_game(&head[..head.len() - 2]), Charset::UTF8);
        // A cut in the middle of a character of another charset is no proof.
        assert_ne!(Charset::of_game(b"(;CA[gb2312]PB[\xb9\xc5\xc1\xa6]"), Charset::UTF8);
    }

    #[test]
    fn without_a_name_the_east_is_guessed() {
        for (encoding, words) in [
            (SHIFT_JIS, "第71期本因坊戦 井山裕太"),
            (GBK, "中国围棋甲级联赛 聂卫平九段 北京 黑中盘胜"),
            (EUC_KR, "이세돌 바둑"),
            (BIG5, "周俊勳 圍棋"),
        ] {
            let (head, _, _) = encoding.encode(words);
            assert_eq!(Charset::of_game(&head), Charset { encoding: Some(encoding) }, "{words}");
        }
        for words in ["André", "Müller", "Señor Núñez", "Bjørn Ångström"] {
            let (head, _, _) = WINDOWS_1252.encode(words);
            check(&head, &head, words);
        }
    }

    #[test]
    fn a_longer_name_is_not_ca() {
        assert_eq!(Charset::of_game(b"(;XCA[GBK]"), Charset::UNKNOWN);
    }
}
