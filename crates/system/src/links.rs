//! Symbolic links.

use std::{io, path::Path};

/// Makes `link` a symbolic link to the file or folder `target`, which must be there.
///
/// # Errors
/// Those of the file system; Windows lets only those make links who have the right to.
pub fn link(target: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, link);
    #[cfg(windows)]
    if target.is_dir() {
        return std::os::windows::fs::symlink_dir(target, link);
    } else {
        return std::os::windows::fs::symlink_file(target, link);
    }
}
