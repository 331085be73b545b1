//! Whether a file of this process could not be written: a full disk and a deleted folder end a command with another exit code than wrong
//! input does.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static FAILED: AtomicBool = AtomicBool::new(false);

/// Remembers that something could not be written once the work had begun, for writers that have a door of their own to the disk.
pub fn note_unwritten() {
    FAILED.store(true, Relaxed);
}

/// Whether something could not be written since this process began.
///
/// # Examples
/// ```
/// use std::io::Write;
/// use tesuji_jobs::{Existing, open_output, was_unwritten};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.sgs");
/// assert!(open_output(&path.join("in-a-file"), Existing::Append).is_err() && !was_unwritten(), "that is wrong input");
/// let mut file = open_output(&path, Existing::Append)?;
/// std::fs::remove_file(&path)?;
/// assert!(file.write_all(b"a game").and_then(|()| file.flush()).is_err());
/// assert!(was_unwritten());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn was_unwritten() -> bool {
    FAILED.load(Relaxed)
}

/// The result of writing, noted when it failed. An interrupted write is tried again.
pub(crate) fn noted<T>(done: io::Result<T>) -> io::Result<T> {
    done.inspect_err(|error| {
        if !matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) {
            note_unwritten();
        }
    })
}

/// [`noted`], with the path in the message.
pub(crate) fn noted_at<T>(path: &Path, done: io::Result<T>) -> io::Result<T> {
    noted(done).map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, format!("{}: {error}", path.display())),
    })
}
