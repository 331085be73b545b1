//! What may be done with a file, and its name on disk.

use std::{fs, fs::File, io, path::Path};

/// Whether a file may be started as a program.
pub fn may_run(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && is_executable(path, &found))
}

#[cfg(unix)]
fn is_executable(_: &Path, found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o111 != 0
}

/// Where no permission says so, the ending does.
#[cfg(not(unix))]
fn is_executable(path: &Path, _: &fs::Metadata) -> bool {
    let is_program = |ending: &str| ["exe", "com", "bat", "cmd"].contains(&ending.to_ascii_lowercase().as_str());
    path.extension().and_then(std::ffi::OsStr::to_str).is_some_and(is_program)
}

/// Lets a file be started as a program by everybody who may read it.
///
/// # Errors
/// Those of the file system.
#[cfg(unix)]
pub fn allow_running(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = fs::metadata(path)?.permissions();
    let mode = permissions.mode();
    permissions.set_mode(mode | (mode & 0o444) >> 2);
    fs::set_permissions(path, permissions)
}

/// Where no permission says so, the ending does: there is nothing to allow.
#[cfg(not(unix))]
pub fn allow_running(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Checks that this process may write the file or folder `place`, as far as the system tells without a try.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] and [`io::ErrorKind::ReadOnlyFilesystem`].
#[cfg(unix)]
pub fn may_write(place: &Path) -> io::Result<()> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    match accessat(CWD, place, Access::WRITE_OK, AtFlags::EACCESS).map_err(io::Error::from) {
        Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            Err(error)
        }
        _ => Ok(()),
    }
}

/// Checks that this process may write the file `place`, as far as its attributes tell. Those of a folder say nothing on Windows.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`].
#[cfg(not(unix))]
pub fn may_write(place: &Path) -> io::Result<()> {
    let is_read_only = fs::metadata(place).is_ok_and(|found| found.is_file() && found.permissions().readonly());
    if is_read_only { Err(io::ErrorKind::PermissionDenied.into()) } else { Ok(()) }
}

/// Hands the names in a folder to the disk, so that a file that was made or renamed there survives a crash of the machine. Not every file
/// system lets a folder be synced, and Windows keeps a journal of names by itself: that is no error.
pub fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Lets nobody but this user into a folder, or at a file, where the system knows users by permissions.
///
/// # Errors
/// Those of the file system.
pub fn make_private(path: &Path) -> io::Result<()> {
    let known = fs::metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = if known.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }
    // On Windows both have the permissions of the folder that they are in: those of the user's own folders.
    #[cfg(not(unix))]
    {
        let _ = known;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_started_and_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        fs::write(&path, "a").unwrap();
        assert!(may_run(&std::env::current_exe().unwrap()) && !may_run(&path) && !may_run(folder.path()));
        if cfg!(unix) {
            allow_running(&path).unwrap();
            assert!(may_run(&path));
        }
        may_write(&path).unwrap();
        may_write(folder.path()).unwrap();
        sync_folder(folder.path());
    }
}
