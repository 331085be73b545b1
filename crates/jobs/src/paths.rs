//! Paths: special files, and the folder that a file is in.

use std::{fs, path::Path};

/// Whether something is there that is no ordinary file: a device, a pipe, `/dev/stdout`. It is written as it is, and
/// never replaced.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// The folder that `path` is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
