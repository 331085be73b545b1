//! One job: its process is started, told what to do, and its end understood.

use super::memo::{JobKind, LOG_FILE, Memo, OUT_FILE, Phase, REQUEST_FILE, now};
use super::numbered::{Counter, Numbered};
use super::progress::JobProgress;
use serde::Serialize;
use serde_json::value::RawValue;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    time::Instant,
};
use tesuji_jobs::{job_control, open_append};
use utoipa::ToSchema;

/// The actions that a job allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JobAction {
    /// Its process stands still.
    Pause,
    /// It goes on, or starts over.
    Resume,
    /// What is begun is brought to its end.
    Finish,
    /// It ends.
    Cancel,
    /// It leaves the list.
    Remove,
}

impl JobAction {
    /// Its word in addresses.
    pub(super) fn word(self) -> &'static str {
        match self {
            JobAction::Pause => "pause",
            JobAction::Resume => "resume",
            JobAction::Finish => "finish",
            JobAction::Cancel => "cancel",
            JobAction::Remove => "remove",
        }
    }
}

/// Exit codes that say that the work was done: with a verdict for, against, or none, or with engine faults; for `solve` also
/// that there is no mate, or none within the limits.
fn is_done(kind: JobKind, code: i32) -> bool {
    matches!((kind, code), (_, 0 | 4) | (JobKind::Match, 3 | 5) | (JobKind::Solve, 1))
}

/// Bytes of the log that tell why a job failed.
const LAST_WORDS: usize = 600;

/// A job and its process.
pub(super) struct Job {
    pub(super) memo: Memo,
    pub(super) folder: PathBuf,
    /// The request it was started with, where that lies in its folder.
    pub(super) request: Option<Box<RawValue>>,
    process: Option<(Child, Option<ChildStdin>)>,
    /// The intended phase when its process has ended; none: as that ended.
    intent: Option<Phase>,
    /// Since when its process works.
    since: Option<Instant>,
    /// Whether the process stands still, held by job control.
    is_held: bool,
    /// Its state when it was looked at last, as JSON.
    pub(super) shown: Numbered,
    /// The live view of its work when that was looked at last.
    live: Numbered,
}

impl Job {
    pub(super) fn new(memo: Memo, folder: PathBuf) -> Job {
        let (shown, live) = (Numbered::default(), Numbered::default());
        let request = fs::read(folder.join(REQUEST_FILE)).ok();
        // On one line: the file is for people, and a line of an event stream ends an event's text.
        let request = request.and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
        let request = request.and_then(|request| serde_json::value::to_raw_value(&request).ok());
        Job { memo, folder, request, process: None, intent: None, since: None, is_held: false, shown, live }
    }

    /// The live view of its work now; the one before where there is nothing new.
    pub(super) fn look(&mut self, counter: &Counter) -> Numbered {
        let text = fs::read_to_string(self.folder.join(job_control::LIVE_FILE)).ok();
        if let Some(text) = text.filter(|text| serde_json::from_str::<&RawValue>(text).is_ok()) {
            self.live.see(counter, |_| text.clone());
        }
        self.live.clone()
    }

    /// The live view of its work that was seen last.
    pub(super) fn live(&self) -> &Numbered {
        &self.live
    }

    /// Whether it has a process.
    pub(super) fn is_at_work(&self) -> bool {
        self.process.is_some()
    }

    /// Seconds that its processes have worked.
    pub(super) fn seconds(&self) -> u64 {
        self.memo.before + self.since.map_or(0, |at| at.elapsed().as_secs())
    }

    /// The phase of the job, in a word.
    pub(super) fn phase_word(&self) -> String {
        format!("{:?}", self.memo.phase).to_lowercase()
    }

    /// The actions that the job allows now.
    pub(super) fn deeds(&self) -> &'static [JobAction] {
        use JobAction::{Cancel, Finish, Pause, Remove, Resume};
        match self.memo.phase {
            Phase::Queued => &[Cancel],
            Phase::Running if self.memo.kind == JobKind::Match => &[Pause, Finish, Cancel],
            Phase::Running => &[Pause, Cancel],
            Phase::Pausing | Phase::Finishing => &[Cancel],
            Phase::Paused if self.is_held => &[Resume, Cancel],
            Phase::Done | Phase::Cancelled if self.memo.again.is_none() => &[Resume, Remove],
            Phase::Done => &[Remove],
            Phase::Paused | Phase::Failed | Phase::Interrupted | Phase::Cancelled => &[Resume, Remove],
        }
    }

    /// Runs `program` for it.
    pub(super) fn start(&mut self, program: &Path, root: &Path) {
        let is_first = self.memo.began.is_none();
        let words = self.memo.again.as_ref().filter(|_| !is_first && self.has_journal()).unwrap_or(&self.memo.words);
        let began = Instant::now();
        match self.spawn(program, root, words) {
            Ok(mut child) => {
                let stdin = child.stdin.take();
                self.process = Some((child, stdin));
                self.since = Some(began);
                self.memo.phase = Phase::Running;
                self.memo.began = Some(now());
                (self.memo.ended, self.memo.exit, self.memo.error, self.intent) = (None, None, None, None);
            }
            Err(error) => {
                self.memo.phase = Phase::Failed;
                self.memo.error = Some(format!("{}: {error}", program.display()));
            }
        }
        self.keep();
    }

    /// Whether an earlier process left something to go on with: matches have a journal, others a folder of their own.
    fn has_journal(&self) -> bool {
        self.memo.kind != JobKind::Match || self.folder.join("journal").exists()
    }

    fn spawn(&self, program: &Path, root: &Path, words: &[String]) -> io::Result<Child> {
        let append = |name| open_append(&self.folder.join(name));
        Command::new(program)
            .arg("--job-control")
            .arg(&self.folder)
            .args(words)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(append(OUT_FILE)?)
            .stderr(append(LOG_FILE)?)
            .spawn()
    }

    /// Says a word to its process, if that still hears.
    fn say(&mut self, word: &str) {
        if let Some((_, Some(stdin))) = &mut self.process {
            let _ = writeln!(stdin, "{word}").and_then(|()| stdin.flush());
        }
    }

    /// Those with a journal end their process; others are held where they are.
    pub(super) fn pause(&mut self) {
        if self.memo.again.is_some() {
            self.say("stop");
            (self.memo.phase, self.intent) = (Phase::Pausing, Some(Phase::Paused));
        } else {
            self.say("hold");
            self.is_held = true;
            self.rest();
            self.memo.phase = Phase::Paused;
        }
    }

    pub(super) fn finish(&mut self) {
        self.say("finish");
        (self.memo.phase, self.intent) = (Phase::Finishing, Some(Phase::Paused));
    }

    pub(super) fn cancel(&mut self) {
        if self.process.is_none() {
            self.memo.phase = Phase::Cancelled;
            return;
        }
        self.say("stop");
        self.intent = Some(Phase::Cancelled);
        self.memo.phase = Phase::Pausing;
    }

    pub(super) fn resume(&mut self) {
        if self.is_held {
            self.say("release");
            self.is_held = false;
            self.since = Some(Instant::now());
            self.memo.phase = Phase::Running;
        } else {
            self.memo.phase = Phase::Queued;
        }
    }

    /// Goes on by other words: at once if it rests, else when its process has stopped.
    pub(super) fn extend(&mut self, again: Vec<String>) {
        self.memo.again = Some(again);
        if self.is_at_work() {
            self.say("stop");
            (self.memo.phase, self.intent) = (Phase::Pausing, Some(Phase::Queued));
        } else {
            self.memo.phase = Phase::Queued;
        }
    }

    /// Closes its input, by which it is controlled: the process stops.
    pub(super) fn let_go(&mut self) {
        if let Some((_, stdin)) = &mut self.process {
            drop(stdin.take());
            self.intent = self.intent.or(Some(Phase::Interrupted));
        }
    }

    /// Its clock stands still.
    fn rest(&mut self) {
        self.memo.before = self.seconds();
        self.since = None;
    }

    /// Notes the end of its process, if that has ended.
    pub(super) fn reap(&mut self) {
        let Some((child, _)) = &mut self.process else { return };
        let status = match child.try_wait() {
            Ok(None) => return,
            Ok(Some(status)) => status.code(),
            Err(_) => None,
        };
        self.process = None;
        self.is_held = false;
        self.rest();
        self.memo.ended = Some(now());
        self.memo.exit = status;
        let is_over = status.is_some_and(|code| is_done(self.memo.kind, code));
        // One that came to its end before it was told is done.
        let has_stopped = status == Some(4) || !is_over || self.memo.kind != JobKind::Match;
        self.memo.phase = match self.intent.take() {
            // More was asked of it, even if it came to its end first.
            Some(Phase::Queued) if is_over => Phase::Queued,
            Some(intent) if has_stopped => intent,
            _ if is_over => Phase::Done,
            _ => Phase::Failed,
        };
        if self.memo.phase == Phase::Failed {
            self.memo.error = Some(self.last_words().unwrap_or_else(|| match status {
                Some(code) => format!("it ended with exit code {code}"),
                None => "it was killed".to_string(),
            }));
        }
        self.keep();
    }

    /// The end of its log.
    fn last_words(&self) -> Option<String> {
        let log = fs::read(self.folder.join(LOG_FILE)).ok()?;
        let log = String::from_utf8_lossy(&log[log.len().saturating_sub(LAST_WORDS)..]).into_owned();
        log.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_string)
    }

    /// The progress that its process reports.
    pub(super) fn progress(&self) -> Option<JobProgress> {
        let text = fs::read_to_string(self.folder.join(job_control::PROGRESS_FILE)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Writes down how it stands. What cannot be written is told by the next start finding the job interrupted.
    pub(super) fn keep(&self) {
        let _ = self.memo.write(&self.folder);
    }
}
