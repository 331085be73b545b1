//! Errors of parsing a line.

/// The reason why a line is no command or no reply.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::{EngineEnd, uci::UciEngine};
/// let error = UciEngine.read("position").unwrap_err();
/// assert!(error.is_of_position(), "{error}");
/// assert!(!UciEngine.read("setoption").unwrap_err().is_of_position());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// No word of the line is a command.
    #[error("unknown command {word:?}")]
    Unknown {
        /// The line's first word.
        word: String,
    },
    /// A word that must be followed by something stands alone.
    #[error("{after} needs {expected}")]
    Missing {
        /// The word before the gap.
        after: &'static str,
        /// The expected text.
        expected: &'static str,
    },
    /// A word of the wrong kind.
    #[error("{after} needs {expected}, not {found:?}")]
    Wrong {
        /// The word before it.
        after: &'static str,
        /// The text expected there.
        expected: &'static str,
        /// The text found there.
        found: String,
    },
    /// A line that was not read to its end.
    #[error("a line of more than {bytes_max} bytes")]
    TooLong {
        /// The bytes of the longest line that is read.
        bytes_max: u64,
    },
}

impl ProtocolError {
    /// Whether the line was to set the position (UCI, USI).
    pub fn is_of_position(&self) -> bool {
        match self {
            ProtocolError::Missing { after, .. } | ProtocolError::Wrong { after, .. } => after.starts_with("position"),
            _ => false,
        }
    }
}
