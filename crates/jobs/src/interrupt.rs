//! Ctrl-C: once stops cleanly, twice aborts; before that, where the work wants it, once finishes what is begun.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
use tesuji_system::{StopSignal, on_stop_signals};

/// A flag that Ctrl-C (SIGINT), SIGTERM and SIGHUP raise, each unless it was ignored when the process began (`nohup`). Work looks at it
/// between its steps and stops cleanly.
///
/// The second Ctrl-C ends the process at once, with exit code 130 as shells have it.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

/// The flag of this process, once the handler is installed.
static PROCESS: OnceLock<Interrupt> = OnceLock::new();
/// The first signal that asked to stop.
static SIGNAL: OnceLock<StopSignal> = OnceLock::new();

/// The words of the last line of a process that a signal stopped. Ctrl-C needs none: who pressed it knows.
pub(crate) fn stopped_by() -> Option<String> {
    let signal = SIGNAL.get().filter(|signal| **signal != StopSignal::Interrupt)?;
    let advice = match signal {
        StopSignal::HangUp => " (the terminal is gone; begun with nohup, it stays)",
        _ => "",
    };
    Some(format!("stopped by {}{advice}", signal.name()))
}

/// Whether this process was asked to stop, as far as anybody looks for it.
pub(crate) fn is_process_interrupted() -> bool {
    PROCESS.get().is_some_and(|flag| flag.0.load(SeqCst))
}

impl Interrupt {
    /// A flag that only [`Interrupt::raise`] raises: for tests and for work inside other work.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// The flag of this process. The first call installs the signal handler; all calls share one flag.
    pub fn of_process() -> Interrupt {
        PROCESS
            .get_or_init(|| {
                let flag = Interrupt::new();
                let raised = flag.clone();
                let handler = move |signal: StopSignal| {
                    let _ = SIGNAL.set(signal);
                    if crate::hold::takes_interrupt() {
                        return;
                    }
                    if raised.0.swap(true, SeqCst) {
                        std::process::exit(130);
                    }
                };
                // Without a handler Ctrl-C still ends the process, only less cleanly.
                let _ = on_stop_signals(handler);
                flag
            })
            .clone()
    }

    /// From now on the first Ctrl-C of this process asks to bring to its end what is begun, and to begin nothing new
    /// ([`job_control::is_finishing`](crate::job_control::is_finishing)); the second one raises the flag, the third ends the process.
    pub fn let_finish_first() {
        crate::hold::let_finish_first();
    }

    /// Whether a stop was asked for. While a [job control](crate::job_control) holds this process, the answer waits.
    #[inline]
    pub fn is_raised(&self) -> bool {
        crate::hold::wait();
        self.0.load(SeqCst)
    }

    /// Asks for a stop.
    pub fn raise(&self) {
        self.0.store(true, SeqCst);
    }

    /// The flag itself, for code that only needs to look.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_flag_and_others_do_not() {
        let flag = Interrupt::new();
        let twin = flag.clone();
        assert!(!twin.is_raised());
        flag.raise();
        assert!(twin.is_raised() && twin.flag().load(SeqCst));
        assert!(!Interrupt::new().is_raised());
    }
}
