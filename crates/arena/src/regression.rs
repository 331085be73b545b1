//! Regression files of GTP, asked of an engine: which answers were right, and which of the wrong ones were known to be.

use crate::request_error::{Context as _, refuse};
use crate::{GtpAnswer, GtpProcess};
use serde::{Deserialize, Serialize};
use std::{
    io::Read,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    thread,
    time::Duration,
};
use tesuji_jobs::open_limited;
use tesuji_kit::RequestError;
use tesuji_protocol::gtp::regression::{Expect, RegressionLine, read};

/// Regression files that are to be asked of an engine.
///
/// # Examples
/// ```
/// use tesuji_arena::RegressionRequest;
/// let request: RegressionRequest = serde_json::from_str(r#"{ "files": ["ladder.tst"], "jobs": 4 }"#)?;
/// assert_eq!(request.timeout_seconds, 120);
/// assert!(RegressionRequest::default().validate().is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegressionRequest {
    /// The version of this form: [`RegressionRequest::VERSION`].
    pub version: u32,
    /// The files.
    pub files: Vec<PathBuf>,
    /// A program and its arguments; our own engine if not given.
    pub engine: Option<String>,
    /// Options of our own engine, as `NAME=VALUE`.
    pub options: Vec<String>,
    /// The folder in which the engine runs and files are looked for; that of each regression file if not given.
    pub folder: Option<PathBuf>,
    /// Files asked at the same time.
    pub jobs: usize,
    /// The longest that a command may take, in seconds.
    pub timeout_seconds: u64,
}

impl Default for RegressionRequest {
    fn default() -> RegressionRequest {
        RegressionRequest {
            version: Self::VERSION,
            files: Vec::new(),
            engine: None,
            options: Vec::new(),
            folder: None,
            jobs: 1,
            timeout_seconds: 120,
        }
    }
}

impl RegressionRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; files and engine are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_jobs("jobs", self.jobs)?;
        if self.files.is_empty() {
            return Err(RequestError::field("files", "is missing"));
        }
        match self.engine.is_some() && !self.options.is_empty() {
            true => Err(RequestError::field("options", "are for our own engine, not for another")),
            false => Ok(()),
        }
    }

    /// The command line of the engine.
    fn command(&self, own: &Path) -> Result<Vec<String>, RequestError> {
        if let Some(text) = &self.engine {
            return tesuji_jobs::words::split(text)
                .map_err(|error| RequestError::field("engine", format_args!(": {error}")));
        }
        let set = self.options.iter().flat_map(|option| ["--option".to_string(), option.clone()]);
        Ok([own.display().to_string(), "gtp".to_string()].into_iter().chain(set).collect())
    }
}

/// The result of a case.
///
/// # Examples
///
/// ```
/// use tesuji_arena::RegressionVerdict;
/// assert_eq!((RegressionVerdict::Pass.word(), RegressionVerdict::UnexpectedPass.word()), ("pass", "PASS"));
/// assert_eq!(RegressionVerdict::KnownFail.key(), "known_fail");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegressionVerdict {
    /// The answer is right.
    Pass,
    /// It failed, and was not known to.
    Fail,
    /// It passed, and was known to fail.
    UnexpectedPass,
    /// It failed, as it was known to.
    KnownFail,
    /// The engine was gone or said nothing that is an answer.
    Fault,
}

impl RegressionVerdict {
    /// All of them.
    pub const ALL: [RegressionVerdict; 5] = [
        RegressionVerdict::Pass,
        RegressionVerdict::Fail,
        RegressionVerdict::UnexpectedPass,
        RegressionVerdict::KnownFail,
        RegressionVerdict::Fault,
    ];

    /// Its word as GNU Go has it: in capitals what nobody expected.
    pub fn word(self) -> &'static str {
        ["pass", "FAIL", "PASS", "fail", "FAULT"][self as usize]
    }

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        ["pass", "fail", "unexpected_pass", "known_fail", "fault"][self as usize]
    }
}

/// A case that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegressionCase {
    /// Its file.
    pub file: String,
    /// The line that says what is expected, from 1.
    pub line: usize,
    /// The command.
    pub command: String,
    /// The expected answer, as in the file.
    pub expected: String,
    /// The engine's answer, `?` before a refusal, or its fault.
    pub answer: String,
    /// The result.
    pub verdict: RegressionVerdict,
}

/// Progress of a regression run, sent from several threads.
#[derive(Debug, Clone, Copy)]
pub enum RegressionNews<'a> {
    /// A case was tried.
    Case(&'a RegressionCase),
    /// A command that nobody asks about was not carried out: what follows stands on another board.
    Refused {
        /// The file.
        file: &'a Path,
        /// Its line, from 1.
        line: usize,
        /// The command.
        command: &'a str,
        /// The error in words.
        reason: &'a str,
    },
}

/// A file with its lines.
type Script<'a> = (&'a Path, Vec<(usize, RegressionLine)>);

/// Asks what stands in the files, by default of the program `own`; all cases, in the order in which files were finished by each worker.
///
/// # Errors
/// The field that cannot be meant, a file that is no regression file, an engine that cannot be started.
///
/// # Examples
///
/// An engine in a line of shell, which answers A1 to everything:
///
/// ```
/// use std::path::Path;
/// use tesuji_arena::{RegressionRequest, RegressionVerdict, run_regression};
/// let folder = tempfile::tempdir()?;
/// let (file, script) = (folder.path().join("ladder.tst"), folder.path().join("engine.sh"));
/// std::fs::write(&file, "1 owl_attack B2\n#? [A1]\n2 owl_attack C3\n#? [D4]*\n")?;
/// std::fs::write(&script, "while read -r number word; do printf '=%s A1\\n\\n' $number; done\n")?;
/// let engine = Some(format!("sh {}", script.display()));
/// let request = RegressionRequest { files: vec![file], engine, ..RegressionRequest::default() };
/// let cases = run_regression(&request, Path::new("tesuji"), &|_| ())?;
/// assert_eq!([cases[0].verdict, cases[1].verdict], [RegressionVerdict::Pass, RegressionVerdict::KnownFail]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_regression(
    request: &RegressionRequest,
    own: &Path,
    tell: &(dyn Fn(RegressionNews<'_>) + Sync),
) -> Result<Vec<RegressionCase>, RequestError> {
    request.validate()?;
    let command = request.command(own)?;
    let scripts: Vec<Script<'_>> = request.files.iter().map(|path| script(path)).collect::<Result<_, _>>()?;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut cases = Vec::new();
        while let Some((path, lines)) = scripts.get(next.fetch_add(1, Relaxed)) {
            cases.extend(run_file(path, lines, &command, request, tell)?);
        }
        Ok::<_, RequestError>(cases)
    };
    thread::scope(|scope| {
        let count = request.jobs.clamp(1, scripts.len());
        // Where the system gives no more threads, fewer work.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let threads: Vec<_> = (0..count).map_while(start).collect();
        if threads.is_empty() {
            return work();
        }
        let mut all = Vec::new();
        for thread in threads {
            match thread.join() {
                Ok(cases) => all.extend(cases?),
                Err(_) => refuse!("a worker failed"),
            }
        }
        Ok(all)
    })
}

/// The longest file of tests, in bytes.
const SCRIPT_BYTES_MAX: u64 = 64 << 20;

/// Reads a file.
fn script(path: &Path) -> Result<Script<'_>, RequestError> {
    let mut bytes = Vec::new();
    open_limited(path, SCRIPT_BYTES_MAX)?.read_to_end(&mut bytes)?;
    // Old files are written in Latin letters of one byte, in comments; no text has zeros.
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        refuse!("{}: not a file of tests: byte {at} is zero", path.display());
    }
    let lines = read(&String::from_utf8_lossy(&bytes)).context(path.display())?;
    if !lines.iter().any(|(_, line)| matches!(line, RegressionLine::Expect(_))) {
        refuse!(
            "{}: no cases: expected commands with a number, each with a line such as `#? [D4]` after it",
            path.display()
        );
    }
    Ok((path, lines))
}

/// Asks an engine what stands in one file.
fn run_file(
    path: &Path,
    lines: &[(usize, RegressionLine)],
    command: &[String],
    request: &RegressionRequest,
    tell: &(dyn Fn(RegressionNews<'_>) + Sync),
) -> Result<Vec<RegressionCase>, RequestError> {
    let time = Duration::from_secs(request.timeout_seconds);
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = request.folder.as_deref().unwrap_or(parent);
    let start = || GtpProcess::start(command, folder).map_err(RequestError::failed);
    let mut engine = Some(start()?);
    let mut cases = Vec::new();
    // The last command with a number, with its answer.
    let mut asked: Option<(&str, Result<GtpAnswer, String>)> = None;
    for (at, line) in lines {
        match line {
            RegressionLine::Command { text, .. } if text == "quit" => break,
            RegressionLine::Command { number, text } => {
                let mut running = match engine.take() {
                    Some(running) => running,
                    None => start()?,
                };
                let answer = running.ask(*number, text, time);
                // After a fault nobody knows what the engine will say next: a new one goes on.
                engine = answer.is_ok().then_some(running);
                let answer = answer.map_err(|error| error.to_string());
                if number.is_some() {
                    asked = Some((text, answer));
                } else if let Err(reason) = answer.and_then(done) {
                    tell(RegressionNews::Refused { file: path, line: *at, command: text, reason: &reason });
                }
            }
            RegressionLine::Expect(expect) => {
                let Some((text, answer)) = asked.take() else { continue };
                let (verdict, answer) = judge(expect, answer);
                let (file, expected) = (path.display().to_string(), expect.text.clone());
                let case = RegressionCase { file, line: *at, command: text.into(), expected, answer, verdict };
                tell(RegressionNews::Case(&case));
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

/// Refused commands are errors.
fn done(answer: GtpAnswer) -> Result<(), String> {
    if answer.done { Ok(()) } else { Err(format!("refused: {}", answer.text)) }
}

fn judge(expect: &Expect, answer: Result<GtpAnswer, String>) -> (RegressionVerdict, String) {
    match answer {
        Err(fault) => (RegressionVerdict::Fault, fault),
        Ok(answer) => {
            let is_right = answer.done && expect.accepts(&answer.text);
            let verdict = match (is_right, expect.known_to_fail) {
                (true, false) => RegressionVerdict::Pass,
                (false, false) => RegressionVerdict::Fail,
                (true, true) => RegressionVerdict::UnexpectedPass,
                (false, true) => RegressionVerdict::KnownFail,
            };
            let sign = if answer.done { "" } else { "? " };
            (verdict, format!("{sign}{}", answer.text))
        }
    }
}
