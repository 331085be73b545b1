//! Errors of requests: the field at fault, or the failure of the work.

use std::fmt;

/// The most threads or processes that a request may ask for.
pub const JOBS_MAX: usize = 1024;

/// The error of a request that is refused or failed, in terms of its fields, whether it came from the command line, a file or the page.
///
/// # Examples
/// ```
/// use tesuji_jobs::RequestError;
///
/// let error = RequestError::value("depth", 30, "expected 0 to 20");
/// assert_eq!(error.to_string(), "depth 30: expected 0 to 20");
/// assert_eq!(error.with_flags(&[("depth", "plies")]), "--plies 30: expected 0 to 20");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// A field cannot be meant.
    Field {
        /// Its name in the request.
        field: &'static str,
        /// Its value, where that helps.
        value: Option<String>,
        /// The error in words.
        reason: String,
    },
    /// Something on the way; the words say what.
    Failed(String),
}

impl RequestError {
    /// `field` is wrong whatever it holds. The reason goes on with the field's name, or begins with a colon.
    pub fn field(field: &'static str, reason: impl fmt::Display) -> RequestError {
        RequestError::Field { field, value: None, reason: reason.to_string() }
    }

    /// `field` must not hold `value`.
    pub fn value(field: &'static str, value: impl fmt::Display, reason: impl fmt::Display) -> RequestError {
        RequestError::Field { field, value: Some(value.to_string()), reason: reason.to_string() }
    }

    /// Something on the way.
    pub fn failed(words: impl fmt::Display) -> RequestError {
        RequestError::Failed(words.to_string())
    }

    /// Checks the version of the form of a request.
    ///
    /// # Errors
    /// When it is another than `known`.
    pub fn check_version(version: u32, known: u32) -> Result<(), RequestError> {
        match version == known {
            true => Ok(()),
            false => Err(RequestError::value("version", version, format_args!("this program knows {known}"))),
        }
    }

    /// Checks that a request names its game.
    ///
    /// # Errors
    /// When it names none.
    pub fn check_game(game: &str) -> Result<(), RequestError> {
        match game.is_empty() {
            true => Err(RequestError::field("game", "is missing")),
            false => Ok(()),
        }
    }

    /// Checks how many threads or processes are asked for in `field`: 0 (one for each core) to [`JOBS_MAX`].
    ///
    /// # Errors
    /// When it is more.
    pub fn check_jobs(field: &'static str, asked: usize) -> Result<(), RequestError> {
        match asked <= JOBS_MAX {
            true => Ok(()),
            false => Err(RequestError::value(field, asked, format_args!("expected at most {JOBS_MAX}"))),
        }
    }

    /// The words for a command line, whose flags have the names of the fields with `-` for `_`, or those of `renamed`.
    pub fn with_flags(&self, renamed: &[(&str, &str)]) -> String {
        match self {
            RequestError::Field { field, .. } => {
                let flag = renamed.iter().find(|(name, _)| name == field).map_or(*field, |(_, flag)| flag);
                format!("--{}{}", flag.replace('_', "-"), &self.to_string()[field.len()..])
            }
            RequestError::Failed(words) => words.clone(),
        }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Field { field, value: Some(value), reason } => write!(f, "{field} {value}: {reason}"),
            RequestError::Field { field, value: None, reason } if reason.starts_with(':') => {
                write!(f, "{field}{reason}")
            }
            RequestError::Field { field, value: None, reason } => write!(f, "{field} {reason}"),
            RequestError::Failed(words) => f.write_str(words),
        }
    }
}

impl std::error::Error for RequestError {}

impl From<anyhow::Error> for RequestError {
    fn from(error: anyhow::Error) -> RequestError {
        error.downcast().unwrap_or_else(|error| RequestError::Failed(format!("{error:#}")))
    }
}

impl From<std::io::Error> for RequestError {
    fn from(error: std::io::Error) -> RequestError {
        RequestError::failed(error)
    }
}

impl From<serde_json::Error> for RequestError {
    fn from(error: serde_json::Error) -> RequestError {
        RequestError::failed(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_jobs_than_any_machine_has_are_refused_by_name() {
        for fits in [0, 1, JOBS_MAX] {
            assert_eq!(RequestError::check_jobs("jobs", fits), Ok(()));
        }
        for (asked, says) in [
            (JOBS_MAX + 1, "jobs 1025: expected at most 1024"),
            (1_000_000, "jobs 1000000: expected at most 1024"),
            (i64::MAX as usize, "jobs 9223372036854775807: expected at most 1024"),
        ] {
            assert_eq!(RequestError::check_jobs("jobs", asked).unwrap_err().to_string(), says);
        }
    }
}
