//! An engine that is asked over GTP, one command after the other, with a limit on how long it may take.

use std::{
    fmt, io,
    path::Path,
    time::{Duration, Instant},
};
use tesuji_jobs::{LineProcess, NoLine};

/// The longest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 4 << 20;
/// Characters shown of a longer line.
const SHOWN_CHARS_MAX: usize = 60;

/// A running engine that speaks GTP. It is killed with all that it started when this is dropped.
///
/// # Examples
///
/// An engine in a line of shell:
///
/// ```
/// use std::{path::Path, time::Duration};
/// use tesuji_arena::GtpProcess;
/// let script = "while read -r number word; do printf '=%s demo\\n\\n' $number; done";
/// let command = ["sh", "-c", script].map(str::to_string);
/// let mut engine = GtpProcess::start(&command, Path::new("."))?;
/// let answer = engine.ask(Some(7), "name", Duration::from_secs(10))?;
/// assert_eq!(answer.text, "demo");
/// # Ok::<(), tesuji_arena::GtpFault>(())
/// ```
pub struct GtpProcess(LineProcess);

/// An answer: whether the command was carried out, and the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GtpAnswer {
    /// Whether the command was carried out.
    pub done: bool,
    /// The answer, or why it was not.
    pub text: String,
}

/// The reason why a GTP engine gave no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum GtpFault {
    /// The command line is empty.
    Nameless,
    /// The program does not start.
    Start {
        /// The program.
        program: String,
        /// Why.
        error: io::Error,
    },
    /// It reads no more.
    Gone(io::Error),
    /// It took longer than this.
    Late(Duration),
    /// It has ended.
    Ended,
    /// The answer does not end; its beginning.
    Flood(String),
    /// The line is no answer.
    Babble(String),
    /// The line is the answer to another command than the one with this number.
    Other(String, Option<u64>),
}

impl fmt::Display for GtpFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GtpFault::Nameless => write!(f, "no engine is named"),
            GtpFault::Start { program, .. } => write!(f, "cannot start {program}"),
            GtpFault::Gone(_) => write!(f, "the engine is gone"),
            GtpFault::Late(time) => write!(f, "no answer in {} s", time.as_secs()),
            GtpFault::Ended => write!(f, "the engine has ended"),
            GtpFault::Flood(text) => {
                write!(f, "the answer that begins with {text:?} is longer than {} MiB", ANSWER_BYTES_MAX >> 20)
            }
            GtpFault::Babble(line) => write!(f, "{line:?} is no answer: expected = or ?"),
            GtpFault::Other(line, None) => write!(f, "{line:?} answers another command than the last"),
            GtpFault::Other(line, Some(number)) => write!(f, "{line:?} answers another command than {number}"),
        }
    }
}

impl std::error::Error for GtpFault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            GtpFault::Start { error, .. } | GtpFault::Gone(error) => Some(error),
            _ => None,
        }
    }
}

impl GtpProcess {
    /// Starts `command` (a program and its arguments) in `folder`.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(command: &[String], folder: &Path) -> Result<GtpProcess, GtpFault> {
        let [program, arguments @ ..] = command else { return Err(GtpFault::Nameless) };
        let started = LineProcess::start(program, arguments, Some(folder), false);
        started.map(GtpProcess).map_err(|error| GtpFault::Start { program: program.clone(), error })
    }

    /// Asks `command`, with its `number` where it has one, and waits for the answer.
    ///
    /// # Errors
    /// When the engine is gone, says something else, or takes longer than `time`.
    pub fn ask(&mut self, number: Option<u64>, command: &str, time: Duration) -> Result<GtpAnswer, GtpFault> {
        let line = number.map_or_else(|| command.to_string(), |number| format!("{number} {command}"));
        self.0.say(&line).map_err(GtpFault::Gone)?;
        let until = Instant::now() + time;
        let mut answer: Option<GtpAnswer> = None;
        loop {
            let line = self.0.hear(until).map_err(|none| match none {
                NoLine::Late => GtpFault::Late(time),
                NoLine::Ended => GtpFault::Ended,
            })?;
            answer = match (answer, line.is_empty()) {
                (None, true) => None,
                (None, false) => Some(first_line(&line, number)?),
                (Some(answer), false) if answer.text.len() > ANSWER_BYTES_MAX => {
                    return Err(GtpFault::Flood(answer.text.chars().take(SHOWN_CHARS_MAX).collect()));
                }
                (Some(answer), false) => Some(GtpAnswer { text: answer.text + "\n" + &line, ..answer }),
                (Some(answer), true) => return Ok(answer),
            };
        }
    }
}

/// The beginning of an answer.
fn first_line(line: &str, number: Option<u64>) -> Result<GtpAnswer, GtpFault> {
    let (done, rest) = match (line.strip_prefix('='), line.strip_prefix('?')) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return Err(GtpFault::Babble(line.to_string())),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (id, text) = rest.split_at(digits);
    if id.parse().ok() != number {
        return Err(GtpFault::Other(line.to_string(), number));
    }
    Ok(GtpAnswer { done, text: text.trim().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_begin_with_what_was_asked() {
        let answer = |text: &str, done| Some(GtpAnswer { done, text: text.into() });
        assert_eq!(first_line("= D4", None).ok(), answer("D4", true));
        assert_eq!(first_line("?12 illegal move", Some(12)).ok(), answer("illegal move", false));
        assert_eq!(first_line("=3 D4", Some(4)).unwrap_err().to_string(), "\"=3 D4\" answers another command than 4");
        assert_eq!(first_line("D4", None).unwrap_err().to_string(), "\"D4\" is no answer: expected = or ?");
    }
}
