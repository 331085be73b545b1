//! Signals that ask this process to stop: which one came, and which ones whoever started the process wants ignored.
#![cfg_attr(unix, allow(unsafe_code))]

use std::io;
#[cfg(unix)]
use std::thread;

/// A signal that asks to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// Ctrl-C.
    Interrupt,
    /// `kill`, service managers, batch systems at the end of their time.
    Terminate,
    /// The terminal is gone.
    HangUp,
}

impl StopSignal {
    /// The name that people know it by.
    pub fn name(self) -> &'static str {
        match self {
            StopSignal::Interrupt => "SIGINT",
            StopSignal::Terminate => "SIGTERM",
            StopSignal::HangUp => "SIGHUP",
        }
    }
}

/// Calls `told` in a thread of its own for each signal that asks to stop. A signal that was ignored when the process began stays ignored,
/// as POSIX has it: `nohup` does so with [`StopSignal::HangUp`], and shells without job control with [`StopSignal::Interrupt`] of what
/// they start in the background.
///
/// # Errors
/// When the system refuses a handler or a thread.
#[cfg(unix)]
pub fn on_stop_signals(mut told: impl FnMut(StopSignal) + Send + 'static) -> io::Result<()> {
    use signal_hook::{consts, iterator::Signals};
    let wanted = [consts::SIGINT, consts::SIGTERM, consts::SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    let mut signals = Signals::new(wanted)?;
    let listen = move || {
        for signal in signals.forever() {
            told(match signal {
                consts::SIGTERM => StopSignal::Terminate,
                consts::SIGHUP => StopSignal::HangUp,
                _ => StopSignal::Interrupt,
            });
        }
    };
    thread::Builder::new().name("signals".into()).spawn(listen).map(drop)
}

/// Calls `told` in a thread of its own for each Ctrl-C and each request to end.
///
/// # Errors
/// When the system refuses a handler or a thread.
#[cfg(not(unix))]
pub fn on_stop_signals(mut told: impl FnMut(StopSignal) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || told(StopSignal::Interrupt)).map_err(io::Error::other)
}

/// Whether a signal is ignored now.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action `sigaction` only writes the present one to where it is told, which is large enough for it and lives
    // on; zeros are a valid one where it fails. The standard library has no safe form of it.
    let (done, action) =
        unsafe { (libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()), action.assume_init()) };
    done == 0 && action.sa_sigaction == libc::SIG_IGN
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_is_known() {
        // The standard library ignores it in every program.
        assert!(is_ignored(libc::SIGPIPE));
        assert!(!is_ignored(libc::SIGUSR1));
    }
}
