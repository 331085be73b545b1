//! Command lines as text: split into words, and words quoted so that shells, and we, read them again.

use std::{ffi::OsString, time::Duration};

/// Splits at spaces; quotes, single or double, keep them, and vanish. Backslashes are letters.
///
/// # Errors
/// In words, where a quote is not closed.
///
/// # Examples
/// ```
/// use tesuji_jobs::words::{quoted, split};
/// assert_eq!(split("cmd='a b' x").as_deref(), Ok(&["cmd=a b".to_string(), "x".to_string()][..]));
/// assert_eq!(split(&quoted("it's \"so\"")).as_deref(), Ok(&["it's \"so\"".to_string()][..]));
/// ```
pub fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(quote) = quote {
        return Err(format!("{text}: a {quote} is not closed"));
    }
    words.extend(word);
    Ok(words)
}

/// A command line in a line, for the origin of what it makes: `program` in place of the first of its words.
///
/// # Examples
/// ```
/// let words = ["/usr/bin/x", "train", "--seed", "7"].map(Into::into);
/// assert_eq!(tesuji_jobs::command_line("x", &words), "x train --seed 7");
/// ```
pub fn command_line(program: &str, words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    format!("{program} {}", words.join(" "))
}

/// A word as shells and [`split`] read it again; plain ones as they are.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+=,:%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\"'\"'"))
}

/// A command line of at most `columns` columns a line, which a shell reads as one: what is longer is broken by ` \` before options, or
/// before other words where that does not do. Words, and what quotes hold together, stay whole. Its first line keeps its indentation.
///
/// # Examples
/// ```
/// let line = "  tesuji match --engine 'cmd=a args=\"b c\"' --tc 1+0.01";
/// assert_eq!(tesuji_jobs::words::broken_command(line, 80), line);
/// let broken = "  tesuji match \\\n      --engine 'cmd=a args=\"b c\"' \\\n      --tc 1+0.01";
/// assert_eq!(tesuji_jobs::words::broken_command(line, 40), broken);
/// ```
pub fn broken_command(line: &str, columns: usize) -> String {
    /// What stands before the lines after the first.
    const INDENT: &str = "      ";
    /// Columns of ` \\` at the end of a line.
    const MARK: usize = 2;
    let width = |text: &str| text.chars().count();
    if width(line) <= columns {
        return line.to_string();
    }
    let (indent, words) = (&line[..line.len() - line.trim_start().len()], shell_words(line));
    let Some((first, mut rest)) = words.split_first() else { return line.to_string() };
    let (mut lines, mut current) = (Vec::new(), format!("{indent}{first}"));
    while !rest.is_empty() {
        // An option and its values.
        let is_option = |word: &str| word.starts_with('-');
        let values = if is_option(rest[0]) { rest[1..].iter().take_while(|word| !is_option(word)).count() } else { 0 };
        let (group, later) = rest.split_at(values + 1);
        let mark = if later.is_empty() { 0 } else { MARK };
        let text = group.join(" ");
        if width(&current) + 1 + width(&text) + mark <= columns {
            current = format!("{current} {text}");
        } else if width(INDENT) + width(&text) + mark <= columns {
            lines.push(std::mem::replace(&mut current, format!("{INDENT}{text}")));
        } else {
            for word in group {
                if width(&current) + 1 + width(word) + MARK <= columns {
                    current = format!("{current} {word}");
                } else {
                    lines.push(std::mem::replace(&mut current, format!("{INDENT}{word}")));
                }
            }
        }
        rest = later;
    }
    lines.push(current);
    lines.join(" \\\n")
}

/// The words of a command line as they stand there, with their quotes.
fn shell_words(line: &str) -> Vec<&str> {
    let (mut words, mut start, mut quote) = (Vec::new(), None, None);
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c.is_whitespace() => {
                words.extend(start.take().map(|start| &line[start..at]));
                continue;
            }
            _ => {}
        }
        start.get_or_insert(at);
    }
    words.extend(start.map(|start| &line[start..]));
    words
}

/// A whole number as people write it: `5000`, `5k`, `1.5M`, `2G` (thousands, millions, thousands of millions); `None` for anything else.
///
/// # Examples
/// ```
/// use tesuji_jobs::parse_count;
/// let counts = ["5000", "5k", "1.5M", "2G", "-3k", "5m", "1.2345k", "k", "1e6"].map(parse_count);
/// assert_eq!(counts[..5], [Some(5_000), Some(5_000), Some(1_500_000), Some(2_000_000_000), Some(-3_000)]);
/// assert_eq!(counts[5..], [None; 4]);
/// ```
pub fn parse_count(text: &str) -> Option<i128> {
    let (number, zeros) = match text.as_bytes().last()? {
        b'k' => (&text[..text.len() - 1], 3),
        b'M' => (&text[..text.len() - 1], 6),
        b'G' => (&text[..text.len() - 1], 9),
        _ => (text, 0),
    };
    let Some((whole, part)) = number.split_once('.') else {
        return number.parse::<i128>().ok()?.checked_mul(10_i128.pow(zeros));
    };
    let digits = u32::try_from(part.len()).ok().filter(|&digits| (1..=zeros).contains(&digits))?;
    let part: u64 = part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())??;
    let whole: u64 = whole.parse().ok()?;
    Some(i128::from(whole) * 10_i128.pow(zeros) + i128::from(part) * 10_i128.pow(zeros - digits))
}

/// Reads `20s`, `5m`, `2h`.
///
/// # Errors
/// In words what is expected.
///
/// # Examples
/// ```
/// use std::{ffi::OsString, time::Duration};
/// use tesuji_jobs::words::duration;
/// assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
/// assert!(duration("5").is_err() && duration("-1s").is_err());
/// ```
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?}: expected a number and s, m or h, as in 5m");
    let unit = match text.chars().last().ok_or_else(wrong)? {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    if !(number > 0.0 && number * unit <= 31e6) {
        return Err(format!("{text:?}: expected a time between nothing and a year"));
    }
    Ok(Duration::from_secs_f64(number * unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_one_word_again() {
        for word in ["", "a/b-c=1", "a b", "it's", "\"", "'\"'", "a\\b", "$HOME `x` *", "поле", "\t"] {
            assert_eq!(split(&quoted(word)), Ok(vec![word.to_string()]), "{word}");
        }
        assert_eq!(quoted("a/b-c=1"), "a/b-c=1");
        assert_eq!(quoted("it's"), "'it'\"'\"'s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn words_stand_between_spaces() {
        let words = |text| split(text).map(|all| all.join("|"));
        assert_eq!(words("  a  'b c'd \"\" e=\"f g\" ").as_deref(), Ok("a|b cd||e=f g"));
        assert_eq!(words("").as_deref(), Ok(""));
        assert!(words("a 'b").unwrap_err().contains("a ' is not closed"));
    }
}
