//! Errors of requests from errors of what they need, with words on where that was.

use crate::{JournalError, MatchError};
use std::fmt::Display;
use tesuji_kit::RequestError;

/// Errors as those of a request.
pub(crate) trait Context<T> {
    /// The error after `place` and a colon.
    fn context(self, place: impl Display) -> Result<T, RequestError>;
}

impl<T, E: Display> Context<T> for Result<T, E> {
    fn context(self, place: impl Display) -> Result<T, RequestError> {
        self.map_err(|error| RequestError::failed(format_args!("{place}: {error}")))
    }
}

impl From<JournalError> for RequestError {
    fn from(error: JournalError) -> RequestError {
        RequestError::failed(error)
    }
}

impl From<MatchError> for RequestError {
    fn from(error: MatchError) -> RequestError {
        RequestError::failed(error)
    }
}

/// Returns an error of a request with these words.
macro_rules! refuse {
    ($($text:tt)*) => { return Err(tesuji_kit::RequestError::failed(format_args!($($text)*))) };
}
pub(crate) use refuse;
