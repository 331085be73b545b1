//! Records with keys, sorted by them, in bounded memory: what does not fit goes to the disk in buckets that do.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Buckets by the first bits of the key: as finely as what is held is sorted on its way to the disk.
const BUCKETS: usize = 1 << BUCKET_BITS;
const BUCKET_BITS: u32 = 12;
/// Bytes before each record: key and length.
const HEAD: usize = 12;
/// Bytes of a piece: neighbouring buckets that are sorted together. What is written depends on it, for columns.
const PIECE_BYTES: u64 = 4 << 20;

/// Collects records with keys. Records with equal keys keep the order in which they came.
pub struct Spill {
    /// Records as they came.
    held: Vec<u8>,
    records: usize,
    memory: usize,
    buckets: Vec<Bucket>,
    file: Option<Mutex<File>>,
    end: u64,
    folder: std::path::PathBuf,
}

#[derive(Default)]
struct Bucket {
    /// Its bytes in all.
    bytes: u64,
    /// Their offsets and lengths on the disk.
    chunks: Vec<(u64, usize)>,
}

/// The collected records, ready to be read in the order of keys.
pub struct Collected {
    spill: Spill,
    /// The places of what is held, by bucket, and where each bucket begins among them.
    order: (Vec<usize>, Vec<usize>),
    pieces: Vec<Range<usize>>,
}

fn bucket_of(key: u64) -> usize {
    (key >> (u64::BITS - BUCKET_BITS)) as usize
}

impl Spill {
    /// An empty collection that holds about `memory` bytes, and puts the rest into a file without a name in `folder`.
    pub fn new(memory: usize, folder: &Path) -> Spill {
        let buckets = (0..BUCKETS).map(|_| Bucket::default()).collect();
        Spill { held: Vec::new(), records: 0, memory, buckets, file: None, end: 0, folder: folder.to_path_buf() }
    }

    /// Adds a record.
    pub fn push(&mut self, key: u64, record: &[u8]) -> io::Result<()> {
        let length = u32::try_from(record.len()).map_err(|_| io::Error::other("a record of 4 GiB"))?;
        // What is held needs its places too when it is sorted.
        let needed = self.held.len() + HEAD + record.len() + (self.records + 1) * size_of::<usize>();
        if needed > self.memory && self.records > 0 {
            self.flush()?;
        }
        self.held.extend_from_slice(&key.to_le_bytes());
        self.held.extend_from_slice(&length.to_le_bytes());
        self.held.extend_from_slice(record);
        self.records += 1;
        self.buckets[bucket_of(key)].bytes += (HEAD + record.len()) as u64;
        Ok(())
    }

    /// The places of what is held, by bucket and as they came, and where each bucket begins among them.
    fn order(&self) -> (Vec<usize>, Vec<usize>) {
        let mut starts = vec![0; BUCKETS + 1];
        for record in records(&self.held) {
            starts[bucket_of(record.key) + 1] += 1;
        }
        (0..BUCKETS).for_each(|bucket| starts[bucket + 1] += starts[bucket]);
        let (mut next, mut places) = (starts.clone(), vec![0; self.records]);
        for record in records(&self.held) {
            let slot = &mut next[bucket_of(record.key)];
            places[*slot] = record.at;
            *slot += 1;
        }
        (places, starts)
    }

    fn flush(&mut self) -> io::Result<()> {
        let (places, starts) = self.order();
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(Mutex::new(nameless(&self.folder)?)),
        };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.end))?;
        let mut out = io::BufWriter::with_capacity(1 << 20, file);
        for (bucket, range) in self.buckets.iter_mut().zip(starts.windows(2)) {
            let from = self.end;
            for &at in &places[range[0]..range[1]] {
                let record = record(&self.held, at);
                out.write_all(record)?;
                self.end += record.len() as u64;
            }
            if self.end > from {
                bucket.chunks.push((from, (self.end - from) as usize));
            }
        }
        self.held.clear();
        self.records = 0;
        out.flush()
    }

    /// Ends the collection.
    pub fn finish(mut self) -> io::Result<Collected> {
        if self.file.is_some() {
            self.flush()?;
            self.held = Vec::new();
        }
        let (mut pieces, mut from, mut bytes) = (Vec::new(), 0, 0);
        for (bucket, some) in self.buckets.iter().enumerate() {
            bytes += some.bytes;
            if bytes >= PIECE_BYTES || bucket == BUCKETS - 1 {
                pieces.push(from..bucket + 1);
                (from, bytes) = (bucket + 1, 0);
            }
        }
        Ok(Collected { order: self.order(), pieces, spill: self })
    }
}

impl Collected {
    /// The number of pieces, the same whatever the memory. Keys of one are all smaller than those of the next.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The records of piece number `piece`, sorted by key.
    pub fn read(&self, piece: usize) -> io::Result<Sorted> {
        let range = self.pieces[piece].clone();
        let buckets = &self.spill.buckets[range.clone()];
        let mut bytes = Vec::with_capacity(buckets.iter().map(|b| b.bytes as usize).sum());
        if let Some(file) = &self.spill.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            for &(start, length) in buckets.iter().flat_map(|b| &b.chunks) {
                file.seek(SeekFrom::Start(start))?;
                let from = bytes.len();
                bytes.resize(from + length, 0);
                file.read_exact(&mut bytes[from..])?;
            }
        }
        let (places, starts) = &self.order;
        for &at in &places[starts[range.start]..starts[range.end]] {
            bytes.extend_from_slice(record(&self.spill.held, at));
        }
        Sorted::new(bytes)
    }
}

/// The record at `at` with its head. The place is one where a record was put.
fn record(held: &[u8], at: usize) -> &[u8] {
    let length = head(held, at).map_or(0, |h| HEAD + h.1);
    &held[at..at + length]
}

/// A record among others.
struct Found {
    /// Offset of its head, in bytes.
    at: usize,
    /// The sort key.
    key: u64,
}

/// The records of `held`, in the order in which they came.
fn records(held: &[u8]) -> impl Iterator<Item = Found> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (key, length) = head(held, at)?;
        let found = Found { at, key };
        at += HEAD + length;
        Some(found)
    })
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
pub struct Sorted {
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
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
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
    fn pieces_are_neither_small_nor_many() {
        let folder = tempfile::tempdir().unwrap();
        let mut random = Random::new(6);
        let mut spill = Spill::new(1 << 20, folder.path());
        (0..20_000).for_each(|_| spill.push(random.next_u64(), &[1; 1000]).unwrap());
        assert!(spill.held.len() + 8 * spill.records <= 1 << 20, "{}", spill.held.len());
        let spill = spill.finish().unwrap();
        assert_eq!((spill.pieces(), spill.spill.held.capacity()), (5, 0));
        let lengths: Vec<usize> = (0..5).map(|piece| spill.read(piece).unwrap().iter().count()).collect();
        assert_eq!(lengths.iter().sum::<usize>(), 20_000);
        assert!(lengths[..4].iter().all(|n| (4_100..4_300).contains(n)), "{lengths:?}");
    }

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
            let spill = spill.finish().unwrap();
            let mut sorted = Vec::new();
            for piece in 0..spill.pieces() {
                sorted.extend(spill.read(piece).unwrap().iter().map(|(key, record)| (key, record.to_vec())));
            }
            assert!(sorted == expected, "memory {memory}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
