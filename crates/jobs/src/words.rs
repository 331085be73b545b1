//! Command lines as text: split into words, and words quoted so that shells, and we, read them again.

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

/// A word as shells and [`split`] read it again; plain ones as they are.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+=,:%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\"'\"'"))
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
