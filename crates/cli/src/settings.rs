//! Option settings that several commands take in the same form: `--option NAME=VALUE`.

use crate::request::refused;

/// The names and values of `words`: presets first, then the others as they were given.
///
/// # Errors
/// When a word is not `NAME=VALUE`.
pub(crate) fn settings(words: &[String]) -> anyhow::Result<Vec<(&str, &str)>> {
    tesuji_kit::settings(words).map_err(|error| refused(error, &[("options", "option")]))
}
