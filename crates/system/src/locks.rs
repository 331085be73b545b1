//! Locks by which processes know of each other. They keep nobody from reading or writing: not on Windows either, whose locks do.
//!
//! A lock of the standard library covers the whole file there, and who reads it without the lock gets an error. So what is locked is one
//! byte that no file has, as SQLite does it.
#![cfg_attr(windows, allow(unsafe_code))]

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

/// Takes a file for this handle alone, until it is closed.
///
/// # Errors
/// [`TryLockError::WouldBlock`] while another handle has it, alone or shared; those of the file system, of which not every one has locks.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    #[cfg(not(windows))]
    return file.try_lock();
    #[cfg(windows)]
    return windows::try_lock(file, true);
}

/// Shares a file with other handles that do so, until it is closed.
///
/// # Errors
/// Those of [`try_lock`], of another handle that has it alone.
pub fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    #[cfg(not(windows))]
    return file.try_lock_shared();
    #[cfg(windows)]
    return windows::try_lock(file, false);
}

/// Takes the folder `path` for this process alone until the file is closed. `None` while another process has it; a file system
/// without locks gives it to everybody.
///
/// # Errors
/// Those of the file system.
pub fn lock_folder(path: &Path) -> io::Result<Option<File>> {
    #[cfg(unix)]
    let folder = File::open(path)?;
    // A folder has no locks elsewhere: a file in it stands for it.
    #[cfg(not(unix))]
    let folder = File::options().create(true).truncate(false).write(true).open(path.join(".lock"))?;
    match try_lock(&folder) {
        Err(TryLockError::WouldBlock) => Ok(None),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(folder)),
    }
}

#[cfg(windows)]
mod windows {
    use std::{
        fs::{File, TryLockError},
        io,
        os::windows::io::AsRawHandle,
    };
    use windows_sys::Win32::{
        Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION},
        Storage::FileSystem::{LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx},
        System::IO::OVERLAPPED,
    };

    /// The upper half of the place of the byte that is locked: 2^62 bytes behind the beginning.
    const FAR_HIGH: u32 = 1 << 30;

    pub(super) fn try_lock(file: &File, is_alone: bool) -> Result<(), TryLockError> {
        let flags = LOCKFILE_FAIL_IMMEDIATELY | if is_alone { LOCKFILE_EXCLUSIVE_LOCK } else { 0 };
        let mut place = OVERLAPPED::default();
        place.Anonymous.Anonymous.OffsetHigh = FAR_HIGH;
        // SAFETY: the handle is open as long as `file` is borrowed, and `place` lives until the call returns: with a handle that is not
        // overlapped, which files of the standard library are, the call has ended by then.
        let is_done = unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &mut place) } != 0;
        if is_done {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        let is_taken =
            [ERROR_IO_PENDING, ERROR_LOCK_VIOLATION].map(|code| Some(code as i32)).contains(&error.raw_os_error());
        Err(if is_taken { TryLockError::WouldBlock } else { TryLockError::Error(error) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_locked_file_can_be_read_and_written_and_not_locked_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "one").unwrap();
        let open = || File::options().read(true).write(true).open(&path).unwrap();
        let is_taken = |result| matches!(result, Err(TryLockError::WouldBlock));
        let alone = open();
        try_lock(&alone).unwrap();
        assert!(is_taken(try_lock(&open())) && is_taken(try_lock_shared(&open())));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        fs::write(&path, "two").unwrap();
        drop(alone);
        let (one, other) = (open(), open());
        try_lock_shared(&one).unwrap();
        try_lock_shared(&other).unwrap();
        assert!(is_taken(try_lock(&open())));
    }

    #[test]
    fn a_folder_belongs_to_one() {
        let folder = tempfile::tempdir().unwrap();
        let alone = lock_folder(folder.path()).unwrap().unwrap();
        assert!(lock_folder(folder.path()).unwrap().is_none());
        drop(alone);
        assert!(lock_folder(folder.path()).unwrap().is_some());
        assert!(lock_folder(&folder.path().join("none")).is_err());
    }
}
