//! A program's process with all that it starts: helpers end with it, also after its own death, and with this process, whatever ended that.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod watchdog;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as backend;
#[cfg(windows)]
use windows as backend;

use crate::{
    programs::start_error,
    sandbox::{inner_process, inner_status, is_contained},
};
use std::{
    io,
    path::Path,
    process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus},
};

/// A process with all that it starts. Dropping it kills them.
///
/// # Examples
/// ```
/// # use std::process::{Command, Stdio};
/// # if cfg!(windows) { return Ok(()) }
/// // The second `sleep` is a helper that its parent does not wait for.
/// let mut command = Command::new("sh");
/// command.args(["-c", "sleep 100 & sleep 100"]);
/// let mut tree = tesuji_system::ProcessTree::spawn(&mut command)?;
/// assert!(!tree.has_ended());
/// tree.kill();
/// assert!(tree.has_ended() && tree.exit_status().is_some_and(|status| !status.success()));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ProcessTree {
    tree: backend::Tree,
    /// Whether its first process is a sandbox, and the program one in it.
    is_contained: bool,
}

impl ProcessTree {
    /// Starts the process, away from Ctrl-C: that reaches this process alone. Should this process be killed, the tree is killed, too.
    ///
    /// # Errors
    /// Those of starting a process.
    pub fn spawn(command: &mut Command) -> io::Result<ProcessTree> {
        let is_contained = is_contained(command);
        backend::Tree::spawn(command).map(|tree| ProcessTree { tree, is_contained }).map_err(|error| {
            // The folder that it is to run in may be what is not there.
            let has_folder = command.get_current_dir().is_none_or(Path::is_dir);
            if has_folder { start_error(command.get_program().as_ref(), error) } else { error }
        })
    }

    /// The number of the process; of the one in its sandbox, once it is there.
    pub fn id(&self) -> u32 {
        let outer = self.tree.id();
        if self.is_contained { inner_process(outer).unwrap_or(outer) } else { outer }
    }

    /// Its input, if it is a pipe and was not taken before.
    pub fn take_input(&mut self) -> Option<ChildStdin> {
        self.tree.take_input()
    }

    /// Its output, if it is a pipe and was not taken before.
    pub fn take_output(&mut self) -> Option<ChildStdout> {
        self.tree.take_output()
    }

    /// Its error output, if it is a pipe and was not taken before.
    pub fn take_errors(&mut self) -> Option<ChildStderr> {
        self.tree.take_errors()
    }

    /// Whether the process itself has ended. What it started may still run.
    pub fn has_ended(&mut self) -> bool {
        self.tree.has_ended()
    }

    /// The exit status of the process; `None` while it runs. Processes that it left behind are killed.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        if self.has_ended() {
            self.tree.kill();
        }
        self.tree.status().map(|status| if self.is_contained { inner_status(status) } else { status })
    }

    /// Asks the process and its group to end, where the system has a way that programs can answer (SIGTERM); elsewhere it is killed.
    pub fn ask_to_end(&mut self) {
        self.tree.ask_to_end();
    }

    /// Kills the process with all that it started, and waits for it.
    pub fn kill(&mut self) {
        self.tree.kill();
    }
}

/// Starts a program away from the process group of this one, so that it does not hear of Ctrl-C.
pub fn in_own_group(command: &mut Command) {
    backend::in_own_group(command);
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::try_lock;
    use std::{
        env,
        fs::File,
        path::PathBuf,
        process::Stdio,
        thread::sleep,
        time::{Duration, Instant},
    };

    /// What this test program does when a test starts it as a program, and the file that the helper holds locked as long as it lives.
    const ROLE: &str = "TESUJI_SYSTEM_TEST_ROLE";
    const HELD: &str = "TESUJI_SYSTEM_TEST_FILE";

    fn role(role: &str) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "tree::tests::plays_a_role"]).env(ROLE, role);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Not a test of its own: the program that the others start. It never waits for what it starts.
    #[allow(clippy::zombie_processes)]
    #[test]
    fn plays_a_role() {
        let Ok(asked) = env::var(ROLE) else { return };
        let stay = || sleep(Duration::from_secs(60));
        match asked.as_str() {
            "helper" => {
                let file = File::options().write(true).open(env::var(HELD).unwrap()).unwrap();
                try_lock(&file).unwrap();
                stay();
            }
            "parent" => {
                let _helper = role("helper").spawn().unwrap();
                stay();
            }
            "leaves" => {
                let _helper = role("helper").spawn().unwrap();
                wait_for_lock(&PathBuf::from(env::var(HELD).unwrap()), true);
            }
            "runner" => {
                let _tree = ProcessTree::spawn(&mut role("parent")).unwrap();
                stay();
            }
            other => panic!("{other}"),
        }
    }

    /// Waits until the helper lives, or does not any more.
    fn wait_for_lock(path: &Path, is_held: bool) -> bool {
        let end = Instant::now() + Duration::from_secs(30);
        while Instant::now() < end {
            if try_lock(&File::options().write(true).open(path).unwrap()).is_err() == is_held {
                return true;
            }
            sleep(Duration::from_millis(5));
        }
        false
    }

    fn held() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("held");
        File::create(&path).unwrap();
        (folder, path)
    }

    #[test]
    fn a_tree_is_killed_with_its_helpers() {
        let (_folder, path) = held();
        let mut tree = ProcessTree::spawn(role("parent").env(HELD, &path)).unwrap();
        assert!(wait_for_lock(&path, true));
        assert!(!tree.has_ended() && tree.exit_status().is_none());
        tree.kill();
        assert!(tree.has_ended() && tree.exit_status().is_some_and(|status| !status.success()));
        assert!(wait_for_lock(&path, false));
    }

    #[test]
    fn helpers_that_are_left_behind_end_with_the_exit_status() {
        let (_folder, path) = held();
        let mut tree = ProcessTree::spawn(role("leaves").env(HELD, &path)).unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        while !tree.has_ended() && Instant::now() < end {
            sleep(Duration::from_millis(5));
        }
        assert!(wait_for_lock(&path, true), "the helper goes on");
        assert!(tree.exit_status().is_some_and(|status| status.success()));
        assert!(wait_for_lock(&path, false));
    }

    #[test]
    fn a_killed_runner_takes_its_trees_along() {
        let (_folder, path) = held();
        let mut runner = role("runner").env(HELD, &path).spawn().unwrap();
        assert!(wait_for_lock(&path, true));
        runner.kill().unwrap();
        runner.wait().unwrap();
        assert!(wait_for_lock(&path, false));
    }

    #[test]
    fn a_tree_that_is_asked_to_end_does() {
        let (_folder, path) = held();
        let mut tree = ProcessTree::spawn(role("parent").env(HELD, &path)).unwrap();
        assert!(wait_for_lock(&path, true));
        tree.ask_to_end();
        assert!(wait_for_lock(&path, false), "its helper, too");
    }

    #[test]
    fn what_does_not_start_says_where_it_was_looked_for() {
        let start = |command: &mut Command| ProcessTree::spawn(command).unwrap_err().to_string();
        let error = start(&mut Command::new("no-such-program-of-ours"));
        assert!(error.contains("looked in the folders of PATH"), "{error}");
        let error = start(Command::new("no-such-program-of-ours").current_dir("no/such/folder"));
        assert!(!error.contains("looked in"), "{error}");
    }
}
