//! The ends of processes, and other processes by their numbers.

use std::process::ExitStatus;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It ended itself, with this exit code.
    Code(i32),
    /// The system ended it, by this signal.
    Signal(i32),
    /// The system ended it for an error of this number (Windows: `0xc0000005` for a wrong address).
    Error(u32),
    /// It is not known.
    Unknown,
}

/// How the process of this exit status ended.
#[cfg(unix)]
pub fn ending(status: ExitStatus) -> Ending {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Code(code),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => Ending::Unknown,
    }
}

/// How the process of this exit status ended.
#[cfg(not(unix))]
pub fn ending(status: ExitStatus) -> Ending {
    match status.code() {
        // The numbers of errors that nobody caught begin with these bits.
        Some(code) if code as u32 >> 28 == 0xc => Ending::Error(code as u32),
        Some(code) => Ending::Code(code),
        None => Ending::Unknown,
    }
}

/// Whether a process of this number is there, of any user.
#[cfg(unix)]
pub fn is_process_alive(process: u32) -> bool {
    use rustix::{
        io::Errno,
        process::{Pid, test_kill_process},
    };
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// Whether a process of this number is there, of any user.
#[cfg(not(unix))]
pub fn is_process_alive(process: u32) -> bool {
    use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
    // Where nothing can be seen, it may be there.
    let Ok(mut system) = System::new() else { return true };
    let pid = Pid::from_u32(process);
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, ProcessRefreshKind::nothing());
    system.process(pid).is_some()
}

/// The number of the process that this one belongs to: another one once its parent has ended. `None` where that cannot be seen.
pub fn parent_process() -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id());
    #[cfg(not(unix))]
    return None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn this_process_is_alive_and_no_process_has_the_last_number() {
        assert!(is_process_alive(std::process::id()) && !is_process_alive(u32::MAX - 1));
        let mut child =
            Command::new(std::env::current_exe().unwrap()).arg("--list").stdout(Stdio::null()).spawn().unwrap();
        let (status, number) = (child.wait().unwrap(), child.id());
        assert_eq!(ending(status), Ending::Code(0));
        drop(child);
        assert!(!is_process_alive(number), "its number is free");
    }

    #[cfg(unix)]
    #[test]
    fn signals_are_told_from_codes() {
        let end = |script: &str| ending(Command::new("sh").args(["-c", script]).status().unwrap());
        assert_eq!(end("exit 7"), Ending::Code(7));
        assert_eq!(end("kill -s KILL $$"), Ending::Signal(9));
    }
}
