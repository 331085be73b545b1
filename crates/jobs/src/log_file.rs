//! The file that the log of this program goes to, which nothing else may write.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Its path without links.
static LOG: OnceLock<PathBuf> = OnceLock::new();

/// Remembers that the log goes into the file `path`, which is open.
pub(crate) fn set_log(path: &Path) {
    let _ = LOG.set(fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()));
}

/// Whether the log goes into the file `path`.
pub(crate) fn is_log(path: &Path) -> bool {
    LOG.get().is_some_and(|log| fs::canonicalize(path).is_ok_and(|path| path == *log))
}
