//! How long an engine (or the runner) wanted a processor and had none, as Linux tells it in `schedstat`.
//!
//! A late move counts against the engine all the same; but a machine that took the processor away is named, so that
//! nobody looks for a bug in a clock where there was none. Elsewhere nothing is known, and nothing is said.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::Duration;

/// The waiting times of the threads of a process and of the thread that runs the game.
pub struct Starved {
    folder: PathBuf,
    threads: Vec<Thread>,
    runner: Option<Thread>,
    questions: u32,
}

/// One thread: its statistics, kept open, and what they said when the question was asked.
struct Thread {
    id: std::ffi::OsString,
    file: File,
    waited_before: u64,
}

/// New threads are looked for at every so many questions; most engines start theirs with the first.
const LOOK_EVERY: u32 = 16;

impl Starved {
    /// Watches the process `pid`.
    pub fn new(pid: u32) -> Starved {
        Starved { folder: PathBuf::from(format!("/proc/{pid}/task")), threads: Vec::new(), runner: None, questions: 0 }
    }

    /// Looks which threads there are.
    pub fn look_for_threads(&mut self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let id = entry.file_name();
            if self.threads.iter().all(|t| t.id != id)
                && let Ok(file) = File::open(entry.path().join("schedstat"))
            {
                self.threads.push(Thread { id, file, waited_before: 0 });
            }
        }
    }

    /// A question is about to be asked, by this thread.
    pub fn begin(&mut self) {
        if self.questions % LOOK_EVERY < 2 {
            self.look_for_threads();
            let runner = File::open("/proc/thread-self/schedstat").ok();
            self.runner = runner.map(|file| Thread { id: Default::default(), file, waited_before: 0 });
        }
        self.questions += 1;
        self.threads.retain_mut(Thread::note);
        if let Some(runner) = &mut self.runner {
            runner.note();
        }
    }

    /// Time waited since then: the longest of the engine's threads, and the runner's own. `None` when the system does
    /// not tell.
    pub fn since_begin(&mut self) -> Option<Duration> {
        self.look_for_threads();
        let engine = self.threads.iter().filter_map(Thread::since_note).max()?;
        let runner = self.runner.as_ref().and_then(Thread::since_note).unwrap_or(0);
        Some(Duration::from_nanos(engine + runner))
    }
}

impl Thread {
    /// Remembers the present count; `false` when the thread is gone.
    fn note(&mut self) -> bool {
        match self.waited() {
            Some(waited) => {
                self.waited_before = waited;
                true
            }
            None => false,
        }
    }

    fn since_note(&self) -> Option<u64> {
        self.waited().map(|w| w.saturating_sub(self.waited_before))
    }

    /// Nanoseconds spent waiting for a processor: the second number.
    fn waited(&self) -> Option<u64> {
        let mut text = [0; 80];
        let n = self.file.read_at(&mut text, 0).ok()?;
        std::str::from_utf8(&text[..n]).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_waits_for_nothing_is_hardly_starved() {
        let mut starved = Starved::new(std::process::id());
        starved.begin();
        let waited = starved.since_begin();
        if fs::exists("/proc/self/schedstat").unwrap_or(false) {
            assert!(waited.is_some_and(|w| w < Duration::from_secs(5)), "{waited:?}");
        }
    }
}
