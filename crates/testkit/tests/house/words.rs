//! Words that texts for users do not have (STYLE, *Words*): pages of the handbook, help, and what the program says.

use super::{files, root};
use std::fs;

/// Words, and what stands in their place. Compared without regard to capitals, as whole words.
const AVOIDED: [(&str, &str); 18] = [
    ("charter", "purpose"),
    ("knob", "option"),
    ("knobs", "options"),
    ("crowd", "parallel solver"),
    ("herd", "batched games"),
    ("foretell", "predict"),
    ("foretold", "predicted"),
    ("whoever", "who"),
    ("anew", "again"),
    ("blanks", "spaces"),
    ("adds up", "sums to"),
    ("add up", "sum to"),
    ("so many", "N"),
    ("must not bend", "invariants"),
    ("look the game over", "analyse the game"),
    ("looks the game over", "analyses the game"),
    ("the circle", "the training loop"),
    ("leash", "job control"),
];

/// Lines that name a test or keep a name that older versions had.
const KEPT: [&str; 2] = ["--test it herd", "alias = \"leash\""];

/// The first avoided word of a line, with what should stand there.
fn avoided(line: &str) -> Option<(&'static str, &'static str)> {
    let line = KEPT.iter().fold(line.to_lowercase(), |line, kept| line.replace(kept, ""));
    let is_whole = |at: usize, word: &str| {
        let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !is_letter(line[..at].chars().next_back()) && !is_letter(line[at + word.len()..].chars().next())
    };
    AVOIDED.into_iter().find(|(word, _)| line.match_indices(word).any(|(at, _)| is_whole(at, word)))
}

/// Whether a line of source holds words that users may read: a text, or help in `cli`.
fn is_for_users(line: &str, in_cli: bool) -> bool {
    let line = line.trim_start();
    if line.starts_with("//") { in_cli && line.starts_with("///") } else { line.contains('"') }
}

#[test]
fn texts_for_users_have_the_words_of_the_field() {
    let mut found = Vec::new();
    for path in files(&[".md", ".rs"]) {
        let name = path.strip_prefix(root()).expect("a file of the workspace").display().to_string();
        let is_source = name.ends_with(".rs");
        // What is history stays as it was said; tests are not read by users.
        if name == "CHANGELOG.md" || name.contains("/tests/") || (!is_source && name.starts_with("crates/")) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        let lines = text.lines().enumerate().take_while(|(_, line)| !is_source || !line.starts_with("#[cfg(test)]"));
        let read = lines.filter(|(_, line)| !is_source || is_for_users(line, name.starts_with("crates/cli/src")));
        found.extend(read.filter_map(|(i, line)| {
            let (word, better) = avoided(line)?;
            Some(format!("{name}:{}: {word:?}, better {better:?}", i + 1))
        }));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn avoided_words_are_found_as_whole_words() {
    assert_eq!(avoided("Turn the Knobs."), Some(("knobs", "options")));
    assert_eq!(avoided("so many games"), Some(("so many", "N")));
    assert_eq!(avoided("a shepherd, crowds of them, `--test it herd`"), None);
    assert!(is_for_users("    bail!(\"no\")", false) && is_for_users("    /// The game", true));
    assert!(!is_for_users("    /// The game", false) && !is_for_users("    // why", true));
}
