//! `--set NAME=VALUE`: settings of a player from the command line, in the order in which they are carried out.

use anyhow::Context;
use tesuji_options::presets_first;

/// The names and values of `words`: presets first, then the others as they were given.
///
/// # Errors
/// When a word is not `NAME=VALUE`.
pub(crate) fn settings(words: &[String]) -> anyhow::Result<Vec<(&str, &str)>> {
    let pair = |word| str::split_once(word, '=').with_context(|| format!("--set {word:?}: expected NAME=VALUE"));
    let mut settings: Vec<_> = words.iter().map(|word| pair(word.as_str())).collect::<Result<_, _>>()?;
    presets_first(&mut settings, |(name, _)| name);
    Ok(settings)
}
