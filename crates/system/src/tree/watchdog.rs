//! The watchdog: a small shell that sees the end of this process, whatever ended it, and kills the engines that are left.
//!
//! A process that is killed with signal 9 can do nothing any more, and the end of their input tells only those engines that
//! read it. The kernel's parent-death signal would reach an engine but not its helpers, and must be set between fork and
//! exec, which safe code cannot do. The shell holds the reading end of a pipe whose writing end is here alone.

use rustix::process::Pid;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Reads `+ GROUP` and `- GROUP` until the pipe ends; then kills these groups, and what has `$1` in its environment.
/// `grep` fails where it may not read a file, whatever it found: only its words count. macOS has no `/proc`, and a `ps` that shows
/// environments.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for round in 1 2 3 4 5 6 7 8 9; do
  if [ -r "/proc/$$/environ" ]; then
    found=$(grep -lsF -e "$1" /proc/[0-9]*/environ)
  else
    found=$(ps -axEww -o pid=,command= | awk -v mark="$1" -v own=$$ 'index($0, mark) && $1 != own && $2 != "awk" { print $1 }')
  fi
  [ -n "$found" ] || break
  for file in $found; do
    file=${file%/environ}
    kill -s KILL "${file#/proc/}"
  done
done
"#;

/// The writing end; `None` where no shell could be started.
static INPUT: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

/// Starts the watchdog, unless it runs already. `mark`: what the environment of every engine has.
pub(super) fn start(mark: &str) {
    INPUT.get_or_init(|| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "tesuji-watchdog", mark]).current_dir("/").process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        match shell.spawn() {
            Ok(mut child) => child.stdin.take().map(Mutex::new),
            Err(error) => {
                tracing::warn!("/bin/sh: {error}; should this process be killed, its engines may go on");
                None
            }
        }
    });
}

/// The group is killed when this process ends.
pub(super) fn watch(group: Pid) {
    tell('+', group);
}

/// The group is no longer this process's: its number may pass on.
pub(super) fn forget(group: Pid) {
    tell('-', group);
}

fn tell(sign: char, group: Pid) {
    if let Some(Some(input)) = INPUT.get() {
        let line = format!("{sign} {}\n", group.as_raw_nonzero());
        // A watchdog that was killed itself watches no more; matches go on without it.
        let _ = input.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
