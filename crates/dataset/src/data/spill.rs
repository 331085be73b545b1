//! Records with keys, sorted by them, in bounded memory: what does not fit goes to the disk in buckets that do.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Buckets by the first bits of the key: each is sorted in memory by itself.
const BUCKETS: usize = 1024;
/// Bytes before each record: key and length.
const HEAD: usize = 12;

/// Collects records with keys. Records with equal keys keep the order in which they came.
pub(super) struct Spill {
    buckets: Vec<Bucket>,
    held: usize,
    memory: usize,
    file: Option<Mutex<File>>,
    end: u64,
    folder: std::path::PathBuf,
}

#[derive(Default)]
struct Bucket {
    bytes: Vec<u8>,
    /// Where on the disk its earlier bytes are.
    chunks: Vec<(u64, usize)>,
}

impl Spill {
    /// An empty collection that holds about `memory` bytes, and puts the rest into a file without a name in `folder`.
    pub(super) fn new(memory: usize, folder: &Path) -> Spill {
        let buckets = (0..BUCKETS).map(|_| Bucket::default()).collect();
        Spill { buckets, held: 0, memory, file: None, end: 0, folder: folder.to_path_buf() }
    }

    /// Adds a record.
    pub(super) fn push(&mut self, key: u64, record: &[u8]) -> io::Result<()> {
        let length = u32::try_from(record.len()).map_err(|_| io::Error::other("a record of 4 GiB"))?;
        let bucket = &mut self.buckets[(key >> 54) as usize];
        let before = bucket.bytes.capacity();
        bucket.bytes.extend_from_slice(&key.to_le_bytes());
        bucket.bytes.extend_from_slice(&length.to_le_bytes());
        bucket.bytes.extend_from_slice(record);
        self.held += bucket.bytes.capacity() - before;
        if self.held > self.memory { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(Mutex::new(nameless(&self.folder)?)),
        };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.end))?;
        let mut out = io::BufWriter::with_capacity(1 << 20, file);
        for bucket in self.buckets.iter_mut().filter(|b| !b.bytes.is_empty()) {
            out.write_all(&bucket.bytes)?;
            bucket.chunks.push((self.end, bucket.bytes.len()));
            self.end += bucket.bytes.len() as u64;
            bucket.bytes = Vec::new();
        }
        self.held = 0;
        out.flush()
    }

    /// The number of buckets. Keys of one are all smaller than those of the next.
    pub(super) fn buckets(&self) -> usize {
        BUCKETS
    }

    /// The records of bucket number `bucket`, sorted by key.
    pub(super) fn read(&self, bucket: usize) -> io::Result<Sorted> {
        let bucket = &self.buckets[bucket];
        let mut bytes = Vec::with_capacity(bucket.chunks.iter().map(|c| c.1).sum::<usize>() + bucket.bytes.len());
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            for &(start, length) in &bucket.chunks {
                file.seek(SeekFrom::Start(start))?;
                let from = bytes.len();
                bytes.resize(from + length, 0);
                file.read_exact(&mut bytes[from..])?;
            }
        }
        bytes.extend_from_slice(&bucket.bytes);
        Sorted::new(bytes)
    }
}

/// A file that vanishes when it is closed.
fn nameless(folder: &Path) -> io::Result<File> {
    let path = folder.join(format!(".tesuji-{}-{:p}.spill", std::process::id(), &BUCKETS));
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    // Where an open file cannot be removed it stays until the end, under a name that says whose it is.
    let _ = std::fs::remove_file(&path);
    Ok(file)
}

/// Records sorted by key.
pub(super) struct Sorted {
    bytes: Vec<u8>,
    /// Keys with the places of their records.
    order: Vec<(u64, usize)>,
}

impl Sorted {
    fn new(bytes: Vec<u8>) -> io::Result<Sorted> {
        let (mut order, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            let (key, length) = head(&bytes, at).ok_or(io::ErrorKind::InvalidData)?;
            order.push((key, at));
            at += HEAD + length;
        }
        if at != bytes.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // Places grow as records came, so that this keeps the order of equal keys.
        order.sort_unstable();
        Ok(Sorted { bytes, order })
    }

    /// The records with their keys, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.order.iter().map(|&(key, at)| {
            let length = head(&self.bytes, at).map_or(0, |h| h.1);
            (key, &self.bytes[at + HEAD..at + HEAD + length])
        })
    }
}

fn head(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let head: &[u8; HEAD] = bytes.get(at..at + HEAD)?.try_into().ok()?;
    let (key, length) = head.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*key), u32::from_le_bytes(length.try_into().ok()?) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Random;

    #[test]
    fn any_memory_sorts_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let mut random = Random::new(5);
        let records: Vec<(u64, Vec<u8>)> = (0..5000u32)
            .map(|i| {
                (
                    random.next_u64() >> (i % 3 * 20) << (i % 3 * 20),
                    [&i.to_le_bytes()[..], &vec![7; i as usize % 50]].concat(),
                )
            })
            .collect();
        let mut expected = records.clone();
        expected.sort_by_key(|r| r.0);
        for memory in [0, 10_000, 1 << 30] {
            let mut spill = Spill::new(memory, folder.path());
            records.iter().for_each(|(key, record)| spill.push(*key, record).unwrap());
            let mut sorted = Vec::new();
            for bucket in 0..spill.buckets() {
                sorted.extend(spill.read(bucket).unwrap().iter().map(|(key, record)| (key, record.to_vec())));
            }
            assert!(sorted == expected, "memory {memory}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
