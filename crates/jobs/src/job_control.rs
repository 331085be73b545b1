//! A process under job control: another process started it in a folder of its own, reads there how far it is, and says when it is
//! to pause, to finish or to stop. When that other process is gone, it stops cleanly.

use crate::{Interrupt, hold};
use std::{
    fs::{self, File, TryLockError},
    io::{self, BufRead},
    path::{Path, PathBuf},
    sync::OnceLock,
    thread,
};
use tesuji_system::try_lock;

/// The file in the folder of a job that holds how far the work is, as JSON.
pub const PROGRESS_FILE: &str = "progress.json";
/// The file in the folder of a job that holds what can be seen of the work now, as JSON of the work's own shape.
pub const LIVE_FILE: &str = "live.json";
/// The file in the folder of a job that is locked as long as its process lives.
pub const LOCK_FILE: &str = "lock";

/// The folder and its lock, once this process is under job control.
static CONTROL: OnceLock<(PathBuf, File)> = OnceLock::new();

/// Puts this process under job control. Words come on stdin, one a line: `hold` (work stands still at its next look at an
/// [`Interrupt`]), `release`, `finish` (what is begun is brought to its end), `stop`. The end of stdin means `stop`.
///
/// # Errors
/// Those of the file system; [`io::ErrorKind::WouldBlock`] when another process works in this folder.
pub fn take(folder: &Path) -> io::Result<()> {
    let lock = crate::open_lock_file(&folder.join(LOCK_FILE))?;
    match try_lock(&lock) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let _ = CONTROL.set((folder.to_path_buf(), lock));
    thread::Builder::new().name("job-control".into()).spawn(|| {
        let interrupt = Interrupt::of_process();
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            obey(line.trim(), &interrupt);
        }
        obey("stop", &interrupt);
    })?;
    Ok(())
}

/// Does what a word of the other end says; unknown words do nothing.
fn obey(word: &str, interrupt: &Interrupt) {
    match word {
        "hold" => hold::hold(true),
        "release" => hold::hold(false),
        "finish" => drop(hold::finish()),
        "stop" => {
            interrupt.raise();
            hold::hold(false);
        }
        _ => {}
    }
}

/// Whether what is begun is to be brought to its end, and nothing new begun: as job control says, or the first Ctrl-C after
/// [`Interrupt::let_finish_first`].
pub fn is_finishing() -> bool {
    hold::is_finishing()
}

/// The folder of the job that this process is.
pub fn folder() -> Option<&'static Path> {
    CONTROL.get().map(|(folder, _)| folder.as_path())
}

/// Writes what can be seen of the work now; nothing without job control. Anyone who reads sees the whole text or the one before.
///
/// # Errors
/// Those of the file system.
pub fn show(text: &str) -> io::Result<()> {
    write(LIVE_FILE, text)
}

/// Writes how far the work is; nothing without job control.
pub(crate) fn write(name: &str, text: &str) -> io::Result<()> {
    let Some(folder) = folder() else { return Ok(()) };
    // Several times a second: no wait for the disk, only the order of the two steps.
    let aside = folder.join(format!("{name}.new"));
    fs::write(&aside, text)?;
    fs::rename(aside, folder.join(name))
}

/// Whether a process works in `folder` under job control now.
pub fn is_taken(folder: &Path) -> bool {
    let Ok(lock) = File::options().write(true).open(folder.join(LOCK_FILE)) else { return false };
    matches!(try_lock(&lock), Err(TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, time::Duration};

    #[test]
    fn held_work_stands_still_and_stops_when_told() {
        let interrupt = Interrupt::new();
        obey("hold", &interrupt);
        let (tell, told) = mpsc::channel();
        let worker = interrupt.clone();
        thread::spawn(move || tell.send(worker.is_raised()));
        assert!(told.recv_timeout(Duration::from_millis(100)).is_err(), "it went on");
        obey("nonsense", &interrupt);
        obey("stop", &interrupt);
        assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(true));
        assert!(!is_finishing() && !is_taken(Path::new("/no/such/folder")));
    }
}
