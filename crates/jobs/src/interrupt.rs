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
                    if crate::hold::takes_interrupt() {
                        return;
                    }
                    let _ = SIGNAL.set(signal);
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

    /// The process of the test below, which waits for a signal and says which one stopped it.
    #[test]
    fn waits_for_a_signal() {
        if std::env::var_os("INTERRUPT_TEST_WAITS").is_none() {
            return;
        }
        let (flag, began) = (Interrupt::of_process(), std::time::Instant::now());
        println!("ready");
        while !flag.is_raised() && began.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        println!("{}", stopped_by().unwrap_or_default());
    }

    /// What was begun with `nohup` was stopped when its terminal was closed, and did not say by what.
    #[test]
    #[cfg(unix)]
    fn a_hangup_that_is_ignored_stops_nothing_and_a_signal_that_stops_is_told() {
        use std::{
            io::{BufRead, BufReader, Read},
            process::{Command, Stdio},
            time::Duration,
        };
        let check = |before: &[&str], signals: &[&str], told: &str| {
            let program = std::env::current_exe().unwrap();
            let mut command = Command::new(before.first().map_or(program.as_os_str(), |word| word.as_ref()));
            if !before.is_empty() {
                command.arg(&program);
            }
            command
                .args(["--exact", "interrupt::tests::waits_for_a_signal", "--nocapture"])
                .env("INTERRUPT_TEST_WAITS", "1");
            let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap());
            let mut line = String::new();
            while !line.contains("ready") {
                line.clear();
                assert!(lines.read_line(&mut line).unwrap() > 0, "it ended");
            }
            for (number, signal) in signals.iter().enumerate() {
                assert!(Command::new("kill").args([*signal, &child.id().to_string()]).status().unwrap().success());
                if number + 1 < signals.len() {
                    std::thread::sleep(Duration::from_millis(500));
                    assert_eq!(child.try_wait().unwrap(), None, "{signal} ended it");
                }
            }
            let mut rest = String::new();
            lines.read_to_string(&mut rest).unwrap();
            assert!(child.wait().unwrap().success() && rest.contains(told), "{rest}");
        };
        check(&["nohup"], &["-HUP", "-HUP", "-TERM"], "stopped by SIGTERM\n");
        check(&[], &["-HUP"], "stopped by SIGHUP (the terminal is gone; begun with nohup, it stays)\n");
    }
}
