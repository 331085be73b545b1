//! Scheduling delay of an engine (or the runner): time in which it was runnable and had no processor, from Linux's `schedstat`.
//!
//! A late move counts against the engine all the same; but a machine that took the processor away is named, so that
//! nobody looks for a bug in a clock where there was none. Elsewhere nothing is known, and nothing is said.

#[cfg(target_os = "linux")]
pub use linux::Starved;
#[cfg(not(target_os = "linux"))]
pub use nothing::Starved;

#[cfg(not(target_os = "linux"))]
mod nothing {
    use std::time::Duration;

    /// The waiting times of the threads of a process, which this system does not tell.
    #[derive(Debug)]
    pub struct Starved;

    impl Starved {
        /// Watches nothing.
        pub fn new(_: u32) -> Starved {
            Starved
        }

        /// Nothing to do.
        pub fn run_from_here(&mut self) {}

        /// Nothing to do.
        pub fn begin(&mut self) {}

        /// Nothing to do.
        pub fn look(&mut self) {}

        /// Always `None`: the system does not tell.
        pub fn since_begin(&mut self) -> Option<Duration> {
            None
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use crate::sandbox::inner_process;
    use std::fs::{self, File};
    use std::os::unix::fs::{FileExt, MetadataExt};
    use std::path::PathBuf;
    use std::time::Duration;

    /// The waiting times of the threads of a process and of the thread that runs the game.
    #[derive(Debug)]
    pub struct Starved {
        process: u32,
        /// The threads of the process; `None` while its sandbox has not started it.
        folder: Option<PathBuf>,
        threads: Vec<Thread>,
        runner: Option<Thread>,
    }

    /// One thread: its statistics, kept open, and what they said when the question was asked.
    #[derive(Debug)]
    struct Thread {
        id: std::ffi::OsString,
        file: File,
        waited_before: u64,
        waited_last: u64,
    }

    impl Starved {
        /// Watches the process `pid`.
        pub fn new(pid: u32) -> Starved {
            Starved { process: pid, folder: None, threads: Vec::new(), runner: None }
        }

        /// Watches the calling thread as the runner's.
        pub fn run_from_here(&mut self) {
            self.runner =
                File::open("/proc/thread-self/schedstat").ok().map(|file| Thread::new(Default::default(), file));
        }

        /// A question is about to be asked.
        pub fn begin(&mut self) {
            self.threads.retain_mut(Thread::note);
            // A folder has a link more for each folder in it: a thread that we do not know shows without listing them.
            let known = self.threads.len() as u64 + 2;
            if self.folder().is_some_and(|folder| fs::metadata(folder).is_ok_and(|m| m.nlink() != known)) {
                let from = self.threads.len();
                self.look_for_threads();
                self.threads[from..].iter_mut().for_each(|t| {
                    t.note();
                });
            }
            if let Some(runner) = &mut self.runner {
                runner.note();
            }
        }

        /// Looks while the engine thinks. Engines that start a thread for each search take its figures away with it, often
        /// before its last line is read: this keeps what can be kept.
        pub fn look(&mut self) {
            self.look_for_threads();
            self.threads.iter_mut().for_each(Thread::look);
        }

        /// Time waited since then: the longest of the engine's threads, and the runner's own. `None` when the system does
        /// not tell.
        pub fn since_begin(&mut self) -> Option<Duration> {
            self.look();
            let engine = self.threads.iter().map(Thread::since_note).max()?;
            let runner = self.runner.as_mut().map_or(0, |runner| {
                runner.look();
                runner.since_note()
            });
            Some(Duration::from_nanos(engine + runner))
        }

        /// The folder of the threads of the process, or of the one in its sandbox.
        fn folder(&mut self) -> Option<&PathBuf> {
            if self.folder.is_none() {
                self.folder = inner_process(self.process).map(|process| PathBuf::from(format!("/proc/{process}/task")));
            }
            self.folder.as_ref()
        }

        /// Adds the threads that are not known yet, as if they had begun now.
        fn look_for_threads(&mut self) {
            let Some(Ok(entries)) = self.folder().map(fs::read_dir) else { return };
            for entry in entries.flatten() {
                let id = entry.file_name();
                if self.threads.iter().all(|t| t.id != id)
                    && let Ok(file) = File::open(entry.path().join("schedstat"))
                {
                    self.threads.push(Thread::new(id, file));
                }
            }
        }
    }

    impl Thread {
        fn new(id: std::ffi::OsString, file: File) -> Thread {
            Thread { id, file, waited_before: 0, waited_last: 0 }
        }

        /// Remembers the present count; `false` when the thread is gone.
        fn note(&mut self) -> bool {
            match self.waited() {
                Some(waited) => {
                    (self.waited_before, self.waited_last) = (waited, waited);
                    true
                }
                None => false,
            }
        }

        fn look(&mut self) {
            self.waited_last = self.waited().unwrap_or(self.waited_last);
        }

        fn since_note(&self) -> u64 {
            self.waited_last.saturating_sub(self.waited_before)
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
            starved.run_from_here();
            starved.begin();
            assert!(starved.threads.is_empty() || starved.threads.iter().all(|t| t.waited_before == t.waited_last));
            std::thread::spawn(|| std::thread::sleep(Duration::from_millis(5)));
            starved.look();
            let waited = starved.since_begin();
            if fs::exists("/proc/self/schedstat").unwrap_or(false) {
                assert!(waited.is_some_and(|w| w < Duration::from_secs(5)), "{waited:?}");
            }
        }
    }
}
