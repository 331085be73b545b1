//! The identity of a file, whatever its name.

use std::{fs::File, io, path::Path};

/// The identity of a file whatever its name: volume and number on it (device and inode).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId(u64, u64);

impl FileId {
    /// The file that `path` names now. On Unix it is not opened.
    ///
    /// # Errors
    /// Those of the file system.
    #[cfg(unix)]
    pub fn of(path: &Path) -> io::Result<FileId> {
        std::fs::metadata(path).map(|found| FileId::from_metadata(&found))
    }

    /// The open file.
    ///
    /// # Errors
    /// Those of the file system.
    #[cfg(unix)]
    pub fn of_open(file: &File) -> io::Result<FileId> {
        file.metadata().map(|found| FileId::from_metadata(&found))
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &std::fs::Metadata) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId(metadata.dev(), metadata.ino())
    }

    /// The file that `path` names now.
    ///
    /// # Errors
    /// Those of the file system.
    #[cfg(windows)]
    pub fn of(path: &Path) -> io::Result<FileId> {
        FileId::from_information(winapi_util::Handle::from_path_any(path)?)
    }

    /// The open file.
    ///
    /// # Errors
    /// Those of the file system.
    #[cfg(windows)]
    pub fn of_open(file: &File) -> io::Result<FileId> {
        FileId::from_information(file)
    }

    #[cfg(windows)]
    fn from_information(handle: impl winapi_util::AsHandleRef) -> io::Result<FileId> {
        let found = winapi_util::file::information(handle)?;
        Ok(FileId(found.volume_serial_number(), found.file_index()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_itself_under_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
        fs::write(&a, "x").unwrap();
        fs::write(&b, "x").unwrap();
        fs::hard_link(&a, &c).unwrap();
        let id = |path| FileId::of(path).unwrap();
        assert_eq!(id(&a), id(&c));
        assert_ne!(id(&a), id(&b));
        assert_eq!(FileId::of_open(&File::open(&c).unwrap()).unwrap(), id(&a));
        assert_ne!(id(folder.path()), id(&a));
        assert!(FileId::of(&folder.path().join("d")).is_err());
    }
}
