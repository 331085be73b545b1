//! Properties that a record has no place for (markup, names, foreign ones): they end its comment as `[%sgf LB[dd:A]TR[ee]]`.

use super::tree::Property;

/// The opening of such a list in a comment: PGN's syntax for data that programs read within text that people read.
const OPEN: &str = "[%sgf ";

/// Properties that never stand in a list, because moves, positions and comments are said otherwise.
const NEVER: [&str; 16] =
    ["B", "W", "AB", "AW", "AE", "PL", "POS", "C", "FF", "GM", "CA", "SZ", "TAG", "END", "RE", "AP"];

/// Properties with their values as they stand in a file, each name once.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Extras {
    list: Vec<(String, Vec<String>)>,
}

impl Extras {
    /// Adds a property; its values join those of an earlier one with the same name.
    pub(super) fn add<'a>(&mut self, name: &str, values: impl Iterator<Item = &'a str>) {
        let values = values.map(str::to_string);
        match self.list.iter_mut().find(|p| p.0 == name) {
            Some((_, present)) => present.extend(values),
            None => self.list.push((name.to_string(), values.collect())),
        }
    }

    pub(super) fn add_property(&mut self, property: &Property<'_>) {
        self.add(property.name(), property.values());
    }

    /// The properties with their values, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.list.iter().map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// Appends the list to the words of a comment.
    pub(super) fn join(&self, comment: &mut String) {
        if self.list.is_empty() {
            return;
        }
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(OPEN);
        for (name, values) in &self.list {
            comment.push_str(name);
            for value in values {
                comment.push('[');
                // An escaped letter is the same letter: the list is found by its only beginning.
                comment.push_str(&value.replace(OPEN, "[\\%sgf "));
                comment.push(']');
            }
        }
        comment.push(']');
    }

    /// Splits the lists off a comment: the words, and what the lists held. Lists stand at the end, or on lines of their own
    /// where somebody has written behind them.
    pub(super) fn split(comment: &str) -> (String, Extras) {
        let (words, within) = cut_lists(comment);
        let (words, mut extras) = Extras::split_end(&words);
        within.iter().for_each(|(name, values)| extras.add(name, values.iter().map(String::as_str)));
        (words.to_string(), extras)
    }

    /// Splits the lists off the end of a comment.
    fn split_end(comment: &str) -> (&str, Extras) {
        let (mut words, mut lists) = (comment, Vec::new());
        while let Some(at) = words.rfind(OPEN) {
            let Some(list) = read_list(&words[at + OPEN.len()..]) else { break };
            lists.push(list);
            words = &words[..at];
            words = words.strip_suffix('\n').unwrap_or(words);
        }
        let mut extras = Extras::default();
        for (name, values) in lists.into_iter().rev().flatten() {
            extras.add(name, values.into_iter());
        }
        (words, extras)
    }
}

/// Properties with their values.
type List<'t> = Vec<(&'t str, Vec<&'t str>)>;

/// Takes lists out of the words that begin a line and have words behind them: these follow on a line of their own.
fn cut_lists(comment: &str) -> (String, Vec<(String, Vec<String>)>) {
    let (mut words, mut found) = (comment.to_string(), Vec::new());
    loop {
        let begins_line = |at: usize| at == 0 || words.as_bytes()[at - 1] == b'\n';
        let inner = words.match_indices(OPEN).filter(|&(at, _)| begins_line(at)).find_map(|(at, _)| {
            let (list, rest) = read_properties(&words[at + OPEN.len()..])?;
            let behind = rest.strip_prefix(']')?;
            let is_inner = behind.starts_with(char::is_whitespace) && !behind.trim().is_empty();
            is_inner.then(|| (words[..at].trim_end_matches('\n'), list, behind.trim_start()))
        });
        let Some((before, list, behind)) = inner else { return (words, found) };
        let owned = |(name, values): (&str, Vec<&str>)| (name.into(), values.into_iter().map(str::to_string).collect());
        found.extend(list.into_iter().map(owned));
        let newline = if before.is_empty() { "" } else { "\n" };
        words = format!("{before}{newline}{behind}");
    }
}

/// Reads properties up to the bracket that must end the text. `None` where they are not a list of ours.
fn read_list(text: &str) -> Option<List<'_>> {
    let (list, rest) = read_properties(text)?;
    (rest == "]").then_some(list)
}

/// Reads properties up to a bracket that ends their list; with it begins what is returned beside them.
fn read_properties(text: &str) -> Option<(List<'_>, &str)> {
    let mut rest = text;
    let mut list = Vec::new();
    while !rest.starts_with(']') {
        let length = rest.bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).count();
        let (name, mut tail) = rest.split_at(length);
        let mut values = Vec::new();
        while let Some(value) = tail.strip_prefix('[') {
            let end = value_end(value)?;
            values.push(&value[..end]);
            tail = &value[end + 1..];
        }
        if name.is_empty() || values.is_empty() || NEVER.contains(&name) {
            return None;
        }
        list.push((name, values));
        rest = tail;
    }
    (!list.is_empty()).then_some((list, rest))
}

/// Offset of the bracket that ends a value.
fn value_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b']' if !escaped => return Some(i),
            b => escaped = b == b'\\' && !escaped,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extras(list: &[(&str, &[&str])]) -> Extras {
        let mut extras = Extras::default();
        list.iter().for_each(|(name, values)| extras.add(name, values.iter().copied()));
        extras
    }

    #[track_caller]
    fn check(words: &str, list: &[(&str, &[&str])], comment: &str) {
        let mut joined = words.to_string();
        extras(list).join(&mut joined);
        assert_eq!(joined, comment);
        assert_eq!(Extras::split(comment), (words.to_string(), extras(list)));
    }

    #[test]
    fn lists_stand_behind_the_words() {
        check("", &[], "");
        check("a good move", &[], "a good move");
        check("", &[("TR", &["dd"])], "[%sgf TR[dd]]");
        let list: &[(&str, &[&str])] = &[("LB", &["dd:A", "ee:B"]), ("N", &[""])];
        check("words\nand words", list, "words\nand words\n[%sgf LB[dd:A][ee:B]N[]]");
        check("x", &[("N", &[r"a\]b\\"])], "x\n[%sgf N[a\\]b\\\\]]");
    }

    #[test]
    fn what_is_no_list_stays_words() {
        for words in
            ["[%sgf B[dd]]", "[%sgf ]", "[%sgf TR[dd]", "[%sgf TR[dd]]!", "[%sgf tr[dd]]", "[%sgf [dd]]", "[%sgf TR]"]
        {
            check(words, &[], words);
        }
    }

    /// A comment that the page or a review had added to took the markup of the position with it.
    #[test]
    fn words_behind_a_list_do_not_hide_it() {
        let (words, all) = Extras::split("x\n[%sgf TR[aa]] Added.\nMore.");
        assert_eq!((words.as_str(), all), ("x\nAdded.\nMore.", extras(&[("TR", &["aa"])])));
        let (words, all) = Extras::split("[%sgf TR[aa]]\n[%sgf SQ[bb]]\nAdded.");
        assert_eq!((words.as_str(), all), ("Added.", extras(&[("TR", &["aa"]), ("SQ", &["bb"])])));
    }

    #[test]
    fn lists_one_behind_another_become_one() {
        let (words, all) = Extras::split("x[%sgf TR[aa]]\n[%sgf SQ[bb]TR[cc]]");
        assert_eq!((words.as_str(), all), ("x", extras(&[("TR", &["aa", "cc"]), ("SQ", &["bb"])])));
    }

    #[test]
    fn a_list_within_a_value_is_text() {
        let inner = extras(&[("N", &[r"[%sgf A[b\]\]"])]);
        let mut comment = String::new();
        inner.join(&mut comment);
        let (words, back) = Extras::split(&comment);
        assert_eq!((words.as_str(), back), ("", extras(&[("N", &[r"[\%sgf A[b\]\]"])])));
    }
}
