//! An engine's process with all that it starts: helpers are found and killed with it, also after its own death.
//!
//! All of them are in one process group and carry a mark in their environment. The group alone is not enough: a helper may
//! leave it. Control groups of the kernel would do, but take rights that a plain user does not have; adopting orphans
//! (`PR_SET_CHILD_SUBREAPER`) would change how this whole process sees its children. What escapes is a helper that leaves
//! the group and empties its environment as well.

use super::watchdog;
use crate::programs::start_error;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
    waitid,
};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, UNIX_EPOCH};

/// The variable with the marks, the outermost runner's first: an engine may be a runner itself, and ends with its own.
const MARKS: &str = "TESUJI_ENGINE";
/// The most searches for processes with the mark: one that starts others faster than they are killed is left to the watchdog.
const LOOKS_MAX: u32 = 50;
/// Between two of these looks: killed processes take a moment to go.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// An engine's process with all that it starts. Dropping it kills them.
#[derive(Debug)]
pub struct EngineProcess {
    child: Child,
    pid: Option<Pid>,
    mark: String,
    /// Whether it was waited for: from then on its number may belong to another process.
    is_reaped: bool,
    status: Option<ExitStatus>,
}

impl EngineProcess {
    /// Starts the process, in a process group of its own: Ctrl-C reaches the runner, not the engines. Should the runner be
    /// killed, a watchdog kills what is started here.
    ///
    /// # Errors
    /// Those of starting a process.
    pub fn spawn(command: &mut Command) -> io::Result<EngineProcess> {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}{};", runner_mark(), STARTED.fetch_add(1, Relaxed));
        let mut marks = std::env::var_os(MARKS).unwrap_or_default();
        marks.push(&mark);
        watchdog::start(runner_mark());
        let child = command.env(MARKS, marks).process_group(0).spawn().map_err(|error| {
            // The folder that it is to run in may be what is not there.
            let has_folder = command.get_current_dir().is_none_or(std::path::Path::is_dir);
            if has_folder { start_error(command.get_program().as_ref(), error) } else { error }
        })?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            watchdog::watch(pid);
        }
        Ok(EngineProcess { child, pid, mark, is_reaped: false, status: None })
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its input, if it is a pipe and was not taken before.
    pub fn take_input(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Its output, if it is a pipe and was not taken before.
    pub fn take_output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Its error output, if it is a pipe and was not taken before.
    pub fn take_errors(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Whether the engine itself has ended. What it started may still run.
    pub fn has_ended(&self) -> bool {
        // It is left waitable, so that its number stays its own until its group is killed.
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.is_reaped || self.pid.is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), look), Ok(None)))
    }

    /// The engine's exit status; `None` while it runs. Processes that it left behind are killed.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        if self.has_ended() {
            self.kill();
        }
        self.status
    }

    /// Kills the engine with all that it started, and waits for it.
    pub fn kill(&mut self) {
        if self.is_reaped {
            return;
        }
        if let Some(pid) = self.pid {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        // It may have left its own group.
        let _ = self.child.kill();
        for _ in 0..LOOKS_MAX {
            if kill_marked(&self.mark) == 0 {
                break;
            }
            std::thread::sleep(LOOK_AGAIN);
        }
        if let Some(pid) = self.pid {
            watchdog::forget(pid);
        }
        self.status = self.child.wait().ok();
        self.is_reaped = true;
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The prefix of the marks of all engines of this process; no other process has the same.
fn runner_mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| {
        let nanos = UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        format!("tesuji-{}-{nanos:x}-", std::process::id())
    })
}

/// Kills the processes that carry the mark; how many were found.
fn kill_marked(mark: &str) -> usize {
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter(|&number| carries(number, mark) && kill_one(number, mark)).count()
}

/// Kills a process, if it is still the one that carries the mark.
fn kill_one(number: i32, mark: &str) -> bool {
    let Some(pid) = Pid::from_raw(number) else { return false };
    match pidfd_open(pid, PidfdFlags::empty()) {
        // The number may have passed on since it was read: the handle stays with one process.
        Ok(handle) => carries(number, mark) && pidfd_send_signal(handle, Signal::KILL).is_ok(),
        Err(rustix::io::Errno::NOSYS) => kill_process(pid, Signal::KILL).is_ok(),
        Err(_) => false,
    }
}

/// Whether a process has the mark in its environment. Those of other users cannot be read, and are none of ours.
fn carries(number: i32, mark: &str) -> bool {
    let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
    environment.windows(mark.len()).any(|bytes| bytes == mark.as_bytes())
}
