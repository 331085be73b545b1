//! What several commands take in the same words: `--set NAME=VALUE` and `--rules`.

use anyhow::Context;
use tesuji_kit::Kit;
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

/// The rules of `--rules` in full.
///
/// # Errors
/// When they are no rules of the game.
pub(crate) fn full_rules(kit: &dyn Kit, rules: &str) -> anyhow::Result<String> {
    kit.full_rules(rules).with_context(|| format!("--rules {rules:?}"))
}
