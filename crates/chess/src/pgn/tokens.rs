//! The words of PGN movetext, one at a time from a line.

use super::tags::read_result;
use tesuji_game::Side;

/// One word of movetext.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `{`: a comment begins behind it.
    Brace,
    /// `;` and the rest of the line: a comment.
    Rest(&'a str),
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// A numeric annotation glyph, also written as `!?`.
    Glyph(u8),
    /// The result: the winner inside; outer `None` when unknown.
    Result(Option<Option<Side>>),
    /// A move, without annotation.
    Move(&'a str),
}

/// Annotations written behind moves and their glyph numbers, longest first.
const SUFFIXES: [(&str, u8); 6] = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];

/// The next word of `line` from byte `at`, and where it ends; `None` at the end of the line.
pub(super) fn next(line: &str, mut at: usize) -> Option<(Token<'_>, usize)> {
    loop {
        if let Some((token, end)) = usual(line.as_bytes(), &mut at) {
            return Some((Token::Move(line.get(token)?), end));
        }
        let rest = line.get(at..)?;
        let start = rest.len() - rest.trim_start().len();
        let (rest, from) = (&rest[start..], at + start);
        let first = rest.chars().next()?;
        let one = from + first.len_utf8();
        match first {
            '{' => return Some((Token::Brace, one)),
            ';' => return Some((Token::Rest(&rest[1..]), line.len())),
            '(' => return Some((Token::Open, one)),
            ')' => return Some((Token::Close, one)),
            '!' | '?' => {
                let (suffix, glyph) = SUFFIXES.iter().find(|s| rest.starts_with(s.0))?;
                return Some((Token::Glyph(*glyph), from + suffix.len()));
            }
            '$' => {
                let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
                at = one + digits;
                if let Ok(glyph) = rest[1..=digits].parse() {
                    return Some((Token::Glyph(glyph), at));
                }
            }
            '.' | '}' | ']' | '[' | '<' | '>' | ',' => at = one,
            _ => {
                let (token, length) = word(rest);
                at = from + length;
                if let Some(token) = token {
                    return Some((token, at));
                }
            }
        }
    }
}

/// Passes over spaces and move numbers from byte `at` of `line`, and takes a move in plain letters behind them if there is one: by
/// far the most of all words. Everything else is left to [`word`].
fn usual(line: &[u8], at: &mut usize) -> Option<(std::ops::Range<usize>, usize)> {
    loop {
        while line.get(*at) == Some(&b' ') {
            *at += 1;
        }
        let from = *at;
        let digits = line[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            let dots = line[from + digits..].iter().take_while(|&&b| b == b'.').count();
            if dots == 0 {
                return None;
            }
            *at = from + digits + dots;
            continue;
        }
        let [b'a'..=b'h' | b'N' | b'B' | b'R' | b'Q' | b'K' | b'O', b'a'..=b'h' | b'x' | b'1'..=b'8' | b'-', ..] =
            line[from..]
        else {
            return None;
        };
        let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'#' | b'=' | b'-');
        let length = line[from..].iter().take_while(|b| plain(b)).count();
        let to = from + length;
        return matches!(line.get(to), None | Some(b' ' | b'{' | b'!' | b'?' | b')')).then_some((from..to, to));
    }
}

/// The word that `rest` starts with, and its length; `None` for a move number.
fn word(rest: &str) -> (Option<Token<'_>>, usize) {
    let ends =
        |c: char| c.is_whitespace() || matches!(c, '{' | '}' | '(' | ')' | ';' | '$' | '!' | '?' | '<' | '>' | ',');
    // Promotions may be written with brackets: e8(Q).
    let mut end = rest.find(ends).unwrap_or(rest.len());
    if rest[end..].starts_with('(')
        && rest[..end].ends_with(['1', '8'])
        && rest.as_bytes().get(end + 2) == Some(&b')')
        && rest.as_bytes().get(end + 1).is_some_and(u8::is_ascii_alphabetic)
    {
        end += 3;
    }
    let text = &rest[..end];
    if let Some(result) = read_result(text) {
        return (Some(Token::Result(result)), end);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && !text.starts_with("0-0") && !text.starts_with("0–0") {
        let dots = text[digits..].bytes().take_while(|&b| b == b'.').count();
        if dots > 0 || digits == end {
            return (None, digits + dots);
        }
    }
    match text {
        "e.p." | "ep" | "+-" | "-+" | "+" | "++" | "#" | "=" | "N" | "D" | "…" | "..." => (None, end),
        _ => (Some(Token::Move(text)), end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(line: &str) -> Vec<Token<'_>> {
        let (mut at, mut tokens) = (0, Vec::new());
        while let Some((token, end)) = next(line, at) {
            tokens.push(token);
            at = end;
        }
        tokens
    }

    #[test]
    fn movetext_falls_into_words() {
        use Token::*;
        assert_eq!(
            all("1.e4 e5!? 2. Nf3!! ( 2... d5 $14 ) 12...O-O 0-0-0 e8(Q) exd6 e.p. 1-0 ; rest"),
            [
                Move("e4"),
                Move("e5"),
                Glyph(5),
                Move("Nf3"),
                Glyph(3),
                Open,
                Move("d5"),
                Glyph(14),
                Close,
                Move("O-O"),
                Move("0-0-0"),
                Move("e8(Q)"),
                Move("exd6"),
                Result(Some(Some(Side::First))),
                Rest(" rest")
            ]
        );
        assert_eq!(all("1/2-1/2 * 0-1"), [Result(Some(None)), Result(None), Result(Some(Some(Side::Second)))]);
        assert_eq!(all("$ $999 .. ♘f3 (1. e4)"), [Move("♘f3"), Open, Move("e4"), Close]);
        assert_eq!(
            all("12. e4... e5 3.Kd2 4 Ke7 1-0"),
            [Move("e4..."), Move("e5"), Move("Kd2"), Move("Ke7"), Result(Some(Some(Side::First)))]
        );
        assert_eq!(all("{"), [Brace]);
        assert_eq!(all("  "), []);
    }
}
