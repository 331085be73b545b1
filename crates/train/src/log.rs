//! The log of a run: one line of JSON for some steps of training, one for each validation. A run that goes on continues it
//! where its checkpoint was made, so that the log of an interrupted run is that of an uninterrupted one.

use crate::error::TrainError;
use crate::loss::Figures;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tesuji_jobs::{AtomicFile, LineJournal};

/// A line of the log.
///
/// # Examples
///
/// ```
/// use tesuji_train::{log::LogEntry, loss::Figures};
/// let figures = Figures { policies: 2.0, policy: 3.0, top1: 1.0, total: 3.0, positions: 2.0, ..Figures::default() };
/// let entry = LogEntry::validation(10, 320, &figures);
/// assert_eq!(entry.text(), "validation after 320 positions: loss 1.500, policy 1.500, top-1 50.0 %, top-5 0.0 %");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// `training`, over the steps since the line before, or `validation`.
    pub what: What,
    /// Steps taken.
    pub step: u64,
    /// Positions seen in training.
    pub positions: u64,
    /// Positions that these figures are about.
    pub of: u64,
    /// The loss as it is minimised.
    pub loss: f64,
    /// Cross-entropy of the policy in nats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<f64>,
    /// Top-1 accuracy of the policy, in 0..=1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top1: Option<f64>,
    /// Top-5 accuracy of the policy, in 0..=1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top5: Option<f64>,
    /// Mean squared error of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Share of positions whose value has the right sign, in 0..=1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign: Option<f64>,
    /// Mean squared error of ownership.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ownership: Option<f64>,
    /// Mean absolute error of the score in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The learning rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f32>,
    /// Length of the last gradient.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gradient: Option<f32>,
}

/// The kind of a line of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Samples that were learned from.
    #[default]
    Training,
    /// Samples that never are.
    Validation,
}

impl LogEntry {
    /// About the steps since the last line.
    pub fn training(step: u64, positions: u64, figures: &Figures, rate: f32, gradient: f32) -> LogEntry {
        LogEntry {
            rate: Some(rate),
            gradient: Some(gradient),
            ..LogEntry::new(What::Training, step, positions, figures)
        }
    }

    /// About a validation.
    pub fn validation(step: u64, positions: u64, figures: &Figures) -> LogEntry {
        LogEntry::new(What::Validation, step, positions, figures)
    }

    fn new(what: What, step: u64, positions: u64, f: &Figures) -> LogEntry {
        LogEntry {
            what,
            step,
            positions,
            of: f.positions as u64,
            loss: Figures::of(f.total, f.positions).unwrap_or(0.0),
            policy: Figures::of(f.policy, f.policies),
            top1: Figures::of(f.top1, f.policies),
            top5: Figures::of(f.top5, f.policies),
            value: Figures::of(f.value, f.values),
            sign: Figures::of(f.signs, f.values),
            ownership: Figures::of(f.ownership, f.ownerships),
            score: Figures::of(f.score, f.scores),
            rate: None,
            gradient: None,
        }
    }

    /// For a person.
    pub fn text(&self) -> String {
        let mut text = match self.what {
            What::Training => format!("loss {}", figure(self.loss)),
            What::Validation => format!("validation after {} positions: loss {}", self.positions, figure(self.loss)),
        };
        let mut add = |name: &str, value: Option<f64>, percent: bool| match value {
            Some(value) if percent => text.push_str(&format!(", {name} {:.1} %", 100.0 * value)),
            Some(value) => text.push_str(&format!(", {name} {value:.3}")),
            None => {}
        };
        add("policy", self.policy, false);
        add("top-1", self.top1, true);
        add("top-5", self.top5, true);
        add("value", self.value, false);
        add("winner", self.sign, true);
        add("ownership", self.ownership, false);
        add("score", self.score, false);
        text
    }
}

/// A loss in the digits that matter: those of expected results are small.
fn figure(loss: f64) -> String {
    if loss < 0.2 { format!("{loss:.5}") } else { format!("{loss:.3}") }
}

/// The entries so far, and the file that they are written to, if there is one.
///
/// # Examples
///
/// ```
/// use tesuji_train::log::{Log, LogEntry};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("run.log");
/// let mut log = Log::open(Some(&path), 0)?;
/// log.append(LogEntry { step: 100, ..LogEntry::default() })?;
/// log.append(LogEntry { step: 200, ..LogEntry::default() })?;
/// drop(log);
/// // The run was killed; its checkpoint is of step 150.
/// assert_eq!(Log::open(Some(&path), 150)?.into_entries().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Log {
    file: Option<(LineJournal, PathBuf)>,
    entries: Vec<LogEntry>,
}

impl Log {
    /// Opens the log of a run that has taken `step` steps: later lines, of a run that was killed, are dropped.
    ///
    /// # Errors
    /// When the file cannot be read or written, or a line is no entry.
    pub fn open(path: Option<&Path>, step: u64) -> Result<Log, TrainError> {
        let Some(path) = path else { return Ok(Log { file: None, entries: Vec::new() }) };
        let fault = |error| TrainError::Io { path: path.to_owned(), error };
        let (mut journal, lines) = LineJournal::open(path, false).map_err(fault)?;
        let entries = read(&lines).map_err(|why| fault(std::io::Error::new(std::io::ErrorKind::InvalidData, why)))?;
        let entries: Vec<LogEntry> = entries.into_iter().take_while(|entry| entry.step <= step).collect();
        if entries.len() < lines.len() {
            drop(journal);
            let text: String = lines[..entries.len()].iter().flat_map(|line| [line, "\n"]).collect();
            AtomicFile::write(path, text.as_bytes()).map_err(fault)?;
            journal = LineJournal::open(path, false).map_err(fault)?.0;
        }
        Ok(Log { file: Some((journal, path.to_owned())), entries })
    }

    /// The entries so far, those of the run that this one goes on with before its own.
    pub fn entries(&self) -> &[LogEntry] {
        &self.entries
    }

    /// Adds a line.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn append(&mut self, entry: LogEntry) -> Result<(), TrainError> {
        if let Some((journal, path)) = &mut self.file {
            let line = serde_json::to_string(&entry).map_err(std::io::Error::from);
            line.and_then(|line| journal.append(&line))
                .map_err(|error| TrainError::Io { path: path.clone(), error })?;
        }
        self.entries.push(entry);
        Ok(())
    }

    /// All entries.
    pub fn into_entries(self) -> Vec<LogEntry> {
        self.entries
    }
}

/// The entries of a log.
///
/// # Errors
/// With the number of the first line that is none.
///
/// # Examples
/// ```
/// use tesuji_train::log;
/// assert_eq!(log::read::<&str>(&[]).unwrap().len(), 0);
/// assert!(log::read(&["no JSON"]).unwrap_err().starts_with("line 1: "));
/// ```
pub fn read<T: AsRef<str>>(lines: &[T]) -> Result<Vec<LogEntry>, String> {
    let entry = |(number, line): (usize, &T)| {
        serde_json::from_str(line.as_ref())
            .map_err(|error| format!("line {}: no entry of a training's log: {error}", number + 1))
    };
    lines.iter().enumerate().map(entry).collect()
}
