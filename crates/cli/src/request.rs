//! Requests that the command line makes, refused in its own words.

use tesuji_kit::RequestError;

/// The error of a request, with flags for its fields; `renamed` has those that are called otherwise.
pub(crate) fn refused(error: RequestError, renamed: &[(&str, &str)]) -> anyhow::Error {
    anyhow::Error::msg(error.with_flags(renamed))
}
