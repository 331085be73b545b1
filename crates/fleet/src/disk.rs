//! A look at the disk of a server that this process started. NATS writes nothing more to a stream whose disk was full once, also when there is room again: it must be
//! started again then.

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};
use tesuji_jobs::AtomicFile;

/// What the server's log says of a full disk, in small letters.
const FAULTS: [&str; 3] = ["no space left on device", "disk quota exceeded", "not enough space on the disk"];
/// Bytes that must find room before the server is started again.
const ROOM: usize = 1 << 20;
/// Bytes of the log that are read at once.
const CHUNK: u64 = 1 << 20;

/// What is new of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskNews {
    /// The server could not write, and there is no room.
    Full,
    /// The server could not write, and there is room now.
    HasRoom,
}

/// What is known of the disk.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    folder: PathBuf,
    log: PathBuf,
    /// How far the log was read.
    read: u64,
    is_full: bool,
}

impl DiskWatch {
    /// Looks at the disk of `folder` from now on; a server that starts now writes `log`.
    pub(crate) fn new(folder: &Path, log: &Path) -> DiskWatch {
        let read = fs::metadata(log).map_or(0, |data| data.len());
        DiskWatch { folder: folder.to_path_buf(), log: log.to_path_buf(), read, is_full: false }
    }

    /// What is new since the last look.
    pub(crate) fn look(&mut self) -> Option<DiskNews> {
        let has_fault = self.has_new_fault().unwrap_or(false);
        if !has_fault && !self.is_full {
            return None;
        }
        if has_room(&self.folder) {
            self.is_full = false;
            return Some(DiskNews::HasRoom);
        }
        (!std::mem::replace(&mut self.is_full, true)).then_some(DiskNews::Full)
    }

    /// Whether the log tells of a full disk behind what was read of it.
    fn has_new_fault(&mut self) -> io::Result<bool> {
        let mut file = fs::File::open(&self.log)?;
        // One that is shorter was begun again.
        if file.metadata()?.len() < self.read {
            self.read = 0;
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut bytes = Vec::new();
        self.read += file.take(CHUNK).read_to_end(&mut bytes)? as u64;
        let words = String::from_utf8_lossy(&bytes).to_lowercase();
        Ok(FAULTS.iter().any(|fault| words.contains(fault)))
    }
}

/// Whether a file of some size finds room in a folder.
fn has_room(folder: &Path) -> bool {
    let trial = folder.join(".room");
    let written = AtomicFile::write(&trial, &vec![0; ROOM]);
    let _ = fs::remove_file(&trial);
    written.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_full_disk_is_told_once_and_so_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let (place, log) = (folder.path().join("place"), folder.path().join("log"));
        fs::create_dir(&place).unwrap();
        let say = |line: &str| writeln!(fs::File::options().append(true).create(true).open(&log).unwrap(), "{line}");
        say("write /store/1.blk: no space left on device, long ago").unwrap();
        let mut watch = DiskWatch::new(&place, &log);
        say("[INF] Server is ready").unwrap();
        assert_eq!(watch.look(), None);
        // No file finds room in a folder that is not there.
        fs::remove_dir(&place).unwrap();
        say("[ERR] Filestore critical write error: write /store/1.blk: No space left on device").unwrap();
        assert_eq!([watch.look(), watch.look()], [Some(DiskNews::Full), None]);
        fs::create_dir(&place).unwrap();
        assert_eq!([watch.look(), watch.look()], [Some(DiskNews::HasRoom), None]);
        // It was full for so short a time that nobody saw it; the log was begun again meanwhile.
        fs::write(&log, "no space left on device\n").unwrap();
        assert_eq!(watch.look(), Some(DiskNews::HasRoom));
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
    }
}
