//! Trees of processes on Unix: all of them are in one process group and carry a mark in their environment.
//!
//! The group alone is not enough: a helper may leave it. Control groups of the kernel would do, but take rights that a plain user does not have; adopting orphans
//! (`PR_SET_CHILD_SUBREAPER`) would change how this whole process sees its children. What escapes is a helper that leaves
//! the group and empties its environment as well.

use super::watchdog;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
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

/// A process in its group, with its mark.
#[derive(Debug)]
pub(super) struct Tree {
    child: Child,
    pid: Option<Pid>,
    mark: String,
    /// Whether it was waited for: from then on its number may belong to another process.
    is_reaped: bool,
    status: Option<ExitStatus>,
}

pub(super) fn in_own_group(command: &mut Command) {
    command.process_group(0);
}

impl Tree {
    /// Starts the process, in a process group of its own: Ctrl-C reaches the runner, not the engines. Should the runner be
    /// killed, a watchdog kills what is started here.
    pub(super) fn spawn(command: &mut Command) -> io::Result<Tree> {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}{};", runner_mark(), STARTED.fetch_add(1, Relaxed));
        let mut marks = std::env::var_os(MARKS).unwrap_or_default();
        marks.push(&mark);
        watchdog::start(runner_mark());
        let child = command.env(MARKS, marks).process_group(0).spawn()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            watchdog::watch(pid);
        }
        Ok(Tree { child, pid, mark, is_reaped: false, status: None })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn take_input(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub(super) fn take_output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    pub(super) fn take_errors(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    pub(super) fn has_ended(&self) -> bool {
        // It is left waitable, so that its number stays its own until its group is killed.
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.is_reaped || self.pid.is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), look), Ok(None)))
    }

    pub(super) fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    pub(super) fn ask_to_end(&self) {
        if let Some(pid) = self.pid.filter(|_| !self.is_reaped) {
            let _ = kill_process_group(pid, Signal::TERM);
        }
    }

    pub(super) fn kill(&mut self) {
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

/// The prefix of the marks of all engines of this process; no other process has the same.
fn runner_mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| {
        let nanos = UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        format!("tesuji-{}-{nanos:x}-", std::process::id())
    })
}

/// Kills the processes that carry the mark; how many were found.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
fn kill_marked(mark: &str) -> usize {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter(|&number| carries(number, mark) && kill_one(number, mark)).count()
}

/// Kills a process, if it is still the one that carries the mark.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
fn kill_one(number: i32, mark: &str) -> bool {
    use rustix::process::{PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};
    let Some(pid) = Pid::from_raw(number) else { return false };
    match pidfd_open(pid, PidfdFlags::empty()) {
        // The number may have passed on since it was read: the handle stays with one process.
        Ok(handle) => carries(number, mark) && pidfd_send_signal(handle, Signal::KILL).is_ok(),
        Err(rustix::io::Errno::NOSYS) => kill_process(pid, Signal::KILL).is_ok(),
        Err(_) => false,
    }
}

/// Whether a process has the mark in its environment. Those of other users cannot be read, and are none of ours.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
fn carries(number: i32, mark: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
    environment.windows(mark.len()).any(|bytes| bytes == mark.as_bytes())
}

/// Kills the processes that carry the mark; how many were found that had not ended.
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
fn kill_marked(mark: &str) -> usize {
    use sysinfo::{ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};
    let Ok(mut system) = System::new() else { return 0 };
    let what = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always).without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::All, false, what);
    let carries = |process: &sysinfo::Process| {
        process.status() != ProcessStatus::Zombie
            && process
                .environ()
                .iter()
                .any(|entry| entry.as_encoded_bytes().windows(mark.len()).any(|bytes| bytes == mark.as_bytes()))
    };
    system.processes().values().filter(|process| carries(process) && process.kill()).count()
}
