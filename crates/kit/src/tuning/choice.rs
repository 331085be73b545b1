//! The choice of tunable weights: `--freeze` and `--only` by group, term, feature or range.

use anyhow::bail;
use std::ops::Range;
use tesuji_tally::{Term, feature_name};

/// The features that stay as they are: all but those of `only` (all where it is empty), and those of `freeze`.
///
/// # Errors
/// When a word names no group, term, feature or range.
pub fn frozen(terms: &[Term], only: &[String], freeze: &[String]) -> anyhow::Result<Vec<usize>> {
    let features = terms.last().map_or(0, |t| t.range().end);
    let mut free = vec![only.is_empty(); features];
    for word in only {
        named(terms, word)?.for_each(|f| free[f] = true);
    }
    for word in freeze {
        named(terms, word)?.for_each(|f| free[f] = false);
    }
    Ok((0..features).filter(|&f| !free[f]).collect())
}

/// The features that `word` means: a group, a term, a feature (`psq_knight.27`), a number or a range from 1 (`6..27`).
fn named(terms: &[Term], word: &str) -> anyhow::Result<std::vec::IntoIter<usize>> {
    let features = terms.last().map_or(0, |t| t.range().end);
    if let Some(range) = range(word) {
        if range.start == 0 || range.end > features + 1 || range.is_empty() {
            bail!("{word:?}: weights are numbered from 1 to {features}");
        }
        return Ok((range.start - 1..range.end - 1).collect::<Vec<_>>().into_iter());
    }
    let same = |name: &str| name.eq_ignore_ascii_case(word);
    let of_terms = terms.iter().filter(|t| same(t.group) || same(t.name)).flat_map(Term::range);
    let mut found: Vec<usize> = of_terms.collect();
    if found.is_empty() && word.contains('.') {
        found.extend((0..features).find(|&f| same(&feature_name(terms, f))));
    }
    if found.is_empty() {
        let mut groups: Vec<&str> = terms.iter().map(|t| t.group).collect();
        groups.dedup();
        bail!("{word:?} is no group, term or range of weights; groups: {}", groups.join(", "));
    }
    Ok(found.into_iter())
}

/// `6..27` or `6` as written, both ends included, as a half-open range.
fn range(word: &str) -> Option<Range<usize>> {
    let (from, to) = word.split_once("..").unwrap_or((word, word));
    Some(from.parse().ok()?..to.parse::<usize>().ok()?.checked_add(1)?)
}

#[cfg(test)]
mod tests {
    use tesuji_chess_eval::{FEATURES, GREKO_SET, TERMS, terms};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn groups_terms_features_and_ranges_are_found() {
        let frozen = |only: &str, freeze: &str| super::frozen(GREKO_SET, &words(only), &words(freeze));
        assert!(frozen("", "").unwrap().is_empty());
        assert_eq!(frozen("", "material").unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(frozen("6..27", "").unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(frozen("6..27", "Rook7th 8").unwrap(), [0, 1, 2, 3, 4, 7, 20]);
        assert_eq!(frozen("material rookopen", "").unwrap().len(), 21);
        let chess = super::frozen(TERMS, &words("psq_knight.27"), &[]).unwrap();
        assert_eq!(chess.len(), FEATURES - 1);
        assert!(!chess.contains(&(terms::PSQ_PAWN + 64 + 27)));
        for (word, says) in
            [("0..3", "from 1 to 27"), ("6..28", "from 1 to 27"), ("9..7", "from 1"), ("pons", "groups")]
        {
            let error = frozen(word, "").unwrap_err().to_string();
            assert!(error.contains(says) && error.contains(word), "{error}");
        }
    }
}
