//! The identity of an input file (size, time, checksum), so that resumed work continues with the file it began with.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

/// Bytes of each sample that is hashed.
const SAMPLE_BYTES: u64 = 64 << 10;
/// Samples between head and tail of a large file. Files up to all samples together are hashed whole.
const SAMPLES: u64 = 16;

/// A file as it was: its size, when it was changed, and a hash of its head, its tail and samples between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Bytes.
    size: u64,
    /// When it was last changed, in nanoseconds since 1970; `None` where the file system does not know.
    modified_ns: Option<u64>,
    /// SHA-256 of size, head, samples and tail, in hexadecimal digits.
    hash: String,
}

impl Identity {
    /// The identity of the file at `path`; `None` for what is no file on disk, such as a pipe. Reads at most about a megabyte.
    ///
    /// # Errors
    /// Those of the file system, with the path in the message.
    pub fn of(path: &Path) -> io::Result<Option<Identity>> {
        let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
        if path == Path::new("-") || !std::fs::metadata(path).map_err(named)?.is_file() {
            return Ok(None);
        }
        let mut file = File::open(path).map_err(named)?;
        Identity::of_open(&mut file).map(Some).map_err(named)
    }

    fn of_open(file: &mut File) -> io::Result<Identity> {
        let metadata = file.metadata()?;
        let since = metadata.modified().ok().and_then(|t| t.duration_since(SystemTime::UNIX_EPOCH).ok());
        let size = metadata.len();
        let mut sum = Sha256::new();
        sum.update(size.to_le_bytes());
        let mut add = |from: u64, length: u64| -> io::Result<()> {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(from))?;
            file.by_ref().take(length).read_to_end(&mut bytes)?;
            sum.update(&bytes);
            Ok(())
        };
        if size <= (SAMPLES + 2) * SAMPLE_BYTES {
            add(0, size)?;
        } else {
            // From the head at 0 to the tail that ends at the last byte, evenly.
            let last = size - SAMPLE_BYTES;
            for sample in 0..SAMPLES + 2 {
                let from = (u128::from(last) * u128::from(sample) / u128::from(SAMPLES + 1)) as u64;
                add(from, SAMPLE_BYTES)?;
            }
        }
        let hash = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Identity { size, modified_ns: since.and_then(|t| u64::try_from(t.as_nanos()).ok()), hash })
    }

    /// The first 16 hexadecimal digits of the hash of its content: the same for a copy, whatever its time.
    pub fn content(&self) -> &str {
        self.hash.get(..16).unwrap_or(&self.hash)
    }

    /// The difference between the file now (`self`) and as it was, in words; `None` when it is the same.
    pub fn differs_from(&self, was: &Identity) -> Option<String> {
        if self.size != was.size {
            return Some(format!("it had {} bytes and has {}", was.size, self.size));
        }
        if self.hash != was.hash {
            return Some("its content is another".into());
        }
        (self.modified_ns != was.modified_ns).then(|| "it was written again: its modification time is another".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_that_was_exchanged_is_not_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.viri");
        let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        let write = |bytes: &[u8], time| {
            let mut file = File::create(&path).unwrap();
            file.write_all(bytes).unwrap();
            file.set_modified(time).unwrap();
            Identity::of(&path).unwrap().unwrap()
        };
        for size in [0, 1000, 3 << 20] {
            let was = write(&vec![7; size], then);
            assert_eq!(Identity::of(&path).unwrap().unwrap().differs_from(&was), None);
            let text = serde_json::to_string(&was).unwrap();
            assert_eq!(serde_json::from_str::<Identity>(&text).unwrap(), was);
            let longer = write(&vec![7; size + 1], then);
            assert!(longer.differs_from(&was).unwrap().contains("bytes"));
            let later = write(&vec![7; size], then + std::time::Duration::from_nanos(1000));
            assert!(later.differs_from(&was).unwrap().contains("modification time"));
            // Head, tail and what lies between.
            for at in [0, size / 2, size.saturating_sub(1)] {
                let mut other = vec![7; size];
                // Samples are not everywhere: a stretch as long as the gaps between them.
                let stretch = at..(at + (200 << 10)).min(size);
                other[stretch.clone()].fill(8);
                let differs = write(&other, then).differs_from(&was);
                assert_eq!(differs.is_some(), !stretch.is_empty(), "{size} {at}");
            }
        }
        assert_eq!(Identity::of(Path::new("-")).unwrap(), None);
        assert!(Identity::of(&folder.path().join("none")).unwrap_err().to_string().contains("none"));
    }
}
