//! Options of engines in requests, as `NAME=VALUE`.

use crate::RequestError;
use tesuji_options::presets_first;

/// The names and values of `words`: presets first, then the others as they were given.
///
/// # Errors
/// When a word is not `NAME=VALUE`; the field is called `options`.
pub fn settings(words: &[String]) -> Result<Vec<(&str, &str)>, RequestError> {
    let mut settings = Vec::new();
    for word in words {
        let Some(pair) = word.split_once('=') else {
            return Err(RequestError::value("options", format_args!("{word:?}"), "expected NAME=VALUE"));
        };
        settings.push(pair);
    }
    presets_first(&mut settings, |(name, _)| name);
    Ok(settings)
}
