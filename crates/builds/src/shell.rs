//! Commands of a build: their output goes into a log, Ctrl-C ends them and all that they started.

use anyhow::Context;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tesuji_jobs::{Interrupt, open_append, words::quoted};
use tesuji_system::{ProcessTree, contained, contained_online};

/// Between two looks at a running command.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Between two words about a running command.
const TELL_EVERY: Duration = Duration::from_secs(20);
/// The longest time that a command may take to end after it was asked to.
const PATIENCE: Duration = Duration::from_secs(3);
/// Lines that are shown of the log of a failed build.
const TAIL: usize = 20;
/// Characters that are shown of each.
const WIDTH: usize = 300;

/// The reason why a version was not built.
#[derive(Debug)]
pub(crate) enum Broken {
    /// Ctrl-C.
    Stopped,
    /// A command failed, or something else did.
    Failed(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Broken {
    fn from(error: E) -> Broken {
        Broken::Failed(error.into())
    }
}

/// Runs the commands of one build: their output and what ends them.
pub(crate) struct Shell<'a> {
    /// Their output.
    pub log: &'a Path,
    /// Ctrl-C.
    pub stop: &'a Interrupt,
    /// Hears the last line of the output now and then.
    pub tell: &'a dyn Fn(&str),
    /// The folder of all that the build writes, and the repository: what its commands may write and read where programs of others are kept in a sandbox.
    pub places: [&'a Path; 2],
}

impl Shell<'_> {
    /// Runs a command of the version to its end. Its stdout goes to `stdout`, or into the log where that is `None`.
    pub(crate) fn run(&self, command: &mut Command, stdout: Option<&Path>) -> Result<(), Broken> {
        let (shown, [place, repository]) = (show(command), self.places);
        let command = std::mem::replace(command, Command::new(""));
        self.run_shown(&mut contained(command, &[place], &[repository]), &shown, stdout)
    }

    /// Runs a command of ours that needs the network and does nothing which the version says. It may write to `place` alone.
    pub(crate) fn run_online(&self, command: &mut Command, place: &Path) -> Result<(), Broken> {
        let (shown, [_, repository]) = (show(command), self.places);
        let command = std::mem::replace(command, Command::new(""));
        let trees = self.places[0].join(crate::tree::TREE);
        self.run_shown(&mut contained_online(command, &[place, &trees], &[repository]), &shown, None)
    }

    /// What a command says on stdout, no matter how it ends: also one that only asks does what the version says. `work` is a folder of the build.
    pub(crate) fn ask(&self, command: &mut Command, work: &Path) -> Result<String, Broken> {
        let answer = work.join("answer");
        match self.run(command, Some(&answer)) {
            Err(Broken::Stopped) => Err(Broken::Stopped),
            Ok(()) | Err(Broken::Failed(_)) => {
                Ok(fs::read(&answer).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default())
            }
        }
    }

    fn run_shown(&self, command: &mut Command, shown: &str, stdout: Option<&Path>) -> Result<(), Broken> {
        let mut log = open_append(self.log)?;
        writeln!(log, "$ {shown}")?;
        let out = match stdout {
            Some(path) => {
                // Of an earlier step of the same build.
                let _ = fs::remove_file(path);
                open_append(path)?
            }
            None => log.try_clone()?,
        };
        command.stdin(Stdio::null()).stdout(out).stderr(log);
        let mut tree = ProcessTree::spawn(command).with_context(|| format!("cannot start {shown}"))?;
        let mut told = Instant::now();
        while !tree.has_ended() {
            if self.stop.is_raised() {
                end(tree);
                return Err(Broken::Stopped);
            }
            if told.elapsed() >= TELL_EVERY {
                (self.tell)(tail(self.log, 1).trim_start_matches([' ', '|']));
                told = Instant::now();
            }
            sleep(LOOK_EVERY);
        }
        let status = tree.exit_status().with_context(|| format!("{shown} ended, and the system does not say how"))?;
        if status.success() {
            return Ok(());
        }
        if self.stop.is_raised() {
            return Err(Broken::Stopped);
        }
        Err(Broken::Failed(anyhow::anyhow!(
            "{shown}\n  ended with {status}; the last lines:\n{}",
            tail(self.log, TAIL)
        )))
    }
}

/// A command as a shell would take it.
pub(crate) fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

/// The last lines of a log that say something, indented.
fn tail(path: &Path, count: usize) -> String {
    let bytes = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut lines: Vec<String> = text
        .lines()
        .rev()
        .filter(|line| !line.trim().is_empty())
        .take(count)
        .map(|line| {
            format!("  | {}", line.chars().filter(|c| !c.is_control() || *c == '\t').take(WIDTH).collect::<String>())
        })
        .collect();
    lines.reverse();
    lines.join("\n")
}

/// Ends a command with all that it started: politely first, then not.
fn end(mut tree: ProcessTree) {
    tree.ask_to_end();
    let began = Instant::now();
    while began.elapsed() < PATIENCE && !tree.has_ended() {
        sleep(LOOK_EVERY);
    }
    tree.kill();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(line: &str, stop: &Interrupt) -> (Broken, Duration) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let began = Instant::now();
        let shell = Shell { log: &log, stop, tell: &|_| (), places: [folder.path(); 2] };
        let broken = shell.run(Command::new("sh").arg("-c").arg(line), None).unwrap_err();
        (broken, began.elapsed())
    }

    #[test]
    fn the_last_words_of_a_command_are_told() {
        let (broken, _) =
            failing("for i in $(seq 50); do echo line $i; done; echo; echo oh >&2; exit 3", &Interrupt::new());
        let Broken::Failed(error) = broken else { panic!("{broken:?}") };
        let text = error.to_string();
        assert!(text.contains("status: 3") && text.ends_with("  | line 50\n  | oh"), "{text}");
        assert!(text.contains("| line 32\n") && !text.contains("| line 31\n"), "{text}");
    }

    #[test]
    fn a_stop_ends_everything_that_was_started() {
        let stop = Interrupt::new();
        stop.raise();
        let (broken, took) = failing("trap '' TERM; sleep 30 & sleep 30", &stop);
        assert!(
            matches!(broken, Broken::Stopped) && took < PATIENCE + Duration::from_secs(3),
            "{broken:?} after {took:?}"
        );
    }
}
