//! A job as others see it.

use super::{
    job::{Job, JobAction},
    memo::{JobKind, Phase},
    numbered::{Counter, Numbered},
    progress::JobProgress,
};
use serde::Serialize;
use serde_json::value::RawValue;
use tesuji_jobs::words::quoted;
use utoipa::ToSchema;

/// A job as others see it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobView {
    /// Its number.
    id: u64,
    /// The number of this state: a larger one is newer, of whatever job. States of two servers may not be compared.
    pub(super) seq: u64,
    /// The kind of work.
    kind: JobKind,
    /// The name that a person gave it.
    title: String,
    /// The game, if it is of one.
    game: Option<String>,
    /// Its state.
    state: Phase,
    /// The actions that it allows now.
    can: &'static [JobAction],
    /// Whether it goes on where it was, after its process ended; else it starts over.
    keeps: bool,
    /// Seconds since 1970.
    created: u64,
    /// When it ended, in seconds since 1970.
    ended: Option<u64>,
    /// Seconds that it has worked.
    seconds: u64,
    /// Its process's exit code.
    exit: Option<i32>,
    /// The error that ended it.
    error: Option<String>,
    /// The command that does the same, from the workspace.
    command: String,
    /// What it was asked to do, in the form that the command takes with `--request`; null for jobs of versions that asked in words alone.
    #[schema(value_type = Option<Object>)]
    request: Option<Box<RawValue>>,
    /// The version that started it.
    version: String,
    /// The file it makes, as called from the workspace.
    makes: Option<String>,
    /// How far it is; null where its process has told nothing.
    progress: Option<JobProgress>,
}

pub(super) fn view(job: &Job, seq: u64) -> JobView {
    let memo = &job.memo;
    let words: Vec<String> = memo.words.iter().map(|word| quoted(word)).collect();
    JobView {
        id: memo.id,
        seq,
        kind: memo.kind,
        title: memo.title.clone(),
        game: memo.game.clone(),
        state: memo.phase,
        can: job.deeds(),
        keeps: memo.again.is_some(),
        created: memo.created,
        ended: memo.ended,
        seconds: job.seconds(),
        exit: memo.exit,
        error: memo.error.clone(),
        command: format!("tesuji {}", words.join(" ")),
        request: job.request.clone(),
        version: memo.version.clone(),
        makes: memo.makes.clone(),
        progress: job.progress(),
    }
}

impl Job {
    /// The current state of the job, as JSON. Every state that anybody is told comes from here or from [`Job::look`].
    pub(super) fn show(&mut self, counter: &Counter) -> Numbered {
        let mut shown = std::mem::take(&mut self.shown);
        let mut view = view(self, 0);
        shown.see(counter, |seq| {
            view.seq = seq;
            serde_json::to_string(&view).unwrap_or_default()
        });
        self.shown = shown.clone();
        shown
    }
}
