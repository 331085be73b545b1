//! The files in a zip archive: what its directory says of them, and their content with the checksum verified.

use crate::joined::Joined;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// A file in an archive, as the directory has it.
pub(crate) struct ZipEntry {
    /// Its name, with folders before it.
    pub(crate) name: String,
    /// The offset of its bytes in the archive.
    start: u64,
    packed: u64,
    /// Bytes of the unpacked file, and their checksum.
    size: u64,
    crc: u32,
    method: Method,
}

/// The compression method of a file in an archive.
enum Method {
    Stored,
    Deflate,
    /// We cannot read it, and why.
    Unreadable(String),
}

/// Whether a file that begins with `magic` is an archive.
pub(crate) fn is_zip(magic: &[u8]) -> bool {
    magic.starts_with(b"PK\x03\x04") || magic.starts_with(b"PK\x05\x06")
}

/// The files of the archive `file`, in the order of its directory; folders and what macOS keeps for itself are left out.
///
/// # Errors
/// Those of the file system, and what is wrong with the archive.
pub(crate) fn directory(file: File) -> io::Result<Vec<ZipEntry>> {
    let invalid = |words: String| io::Error::new(io::ErrorKind::InvalidData, words);
    let mut archive = zip::ZipArchive::new(BufReader::new(file))?;
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index)?;
        let name = entry.name()?.into_owned();
        if entry.is_dir() || name.to_ascii_lowercase().starts_with("__macosx/") {
            continue;
        }
        let method = match entry.compression() {
            _ if entry.encrypted() => Method::Unreadable("it is encrypted".into()),
            zip::CompressionMethod::Stored => Method::Stored,
            zip::CompressionMethod::DEFLATE => Method::Deflate,
            other => Method::Unreadable(format!("it is packed by {other}, not by deflate")),
        };
        let start = entry.data_start().ok_or_else(|| invalid(format!("{name}: it has no data")))?;
        let (packed, size, crc) = (entry.compressed_size(), entry.size(), entry.crc32());
        entries.push(ZipEntry { name, start, packed, size, crc, method });
    }
    Ok(entries)
}

impl ZipEntry {
    /// Its content from `archive`, whose position no one else may move meanwhile, unpacked as it is read. At its end the checksum is
    /// verified; errors name the file as `label`.
    ///
    /// # Errors
    /// If it needs a method that we do not have.
    pub(crate) fn content(&self, mut archive: File, label: String) -> io::Result<Verified> {
        archive.seek(SeekFrom::Start(self.start))?;
        let packed = BufReader::new(archive).take(self.packed);
        let inner: Box<dyn Read + Send> = match &self.method {
            Method::Stored => Box::new(packed),
            Method::Deflate => Box::new(flate2::bufread::DeflateDecoder::new(packed)),
            Method::Unreadable(why) => return Err(broken(&label, why)),
        };
        Ok(Verified { inner, left: self.size, crc: self.crc, sum: flate2::Crc::new(), label, over: false })
    }
}

fn broken(label: &str, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{label}: {why}"))
}

/// The content of a file, which ends with an error where it is not what the archive says it is.
pub(crate) struct Verified {
    inner: Box<dyn Read + Send>,
    /// Bytes that are still to come.
    left: u64,
    crc: u32,
    sum: flate2::Crc,
    label: String,
    over: bool,
}

impl Read for Verified {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.over {
            return Ok(0);
        }
        let n = self.inner.read(buffer).map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", self.label)))?;
        self.sum.update(&buffer[..n]);
        let wrong = match n {
            0 => self.left > 0 || self.sum.sum() != self.crc,
            n => n as u64 > self.left,
        };
        if n == 0 || wrong {
            self.over = true;
        }
        if wrong {
            return Err(broken(&self.label, "its checksum is wrong: the archive is damaged"));
        }
        self.left -= n as u64;
        Ok(n)
    }
}

/// The files of the archive `file` whose names are `wanted`, one after another, in the order of its directory.
///
/// # Errors
/// Those of the file system; what is wrong with the archive, or what it needs that we do not have.
pub(crate) fn joined_zip(file: File, wanted: &dyn Fn(&str) -> bool) -> io::Result<Joined> {
    let mut entries = directory(file.try_clone()?)?;
    entries.retain(|entry| wanted(&entry.name));
    if let Some((name, why)) = entries.iter().find_map(ZipEntry::unreadable) {
        return Err(broken(name, why));
    }
    let mut entries = entries.into_iter();
    Ok(Joined::new(Box::new(move || {
        let Some(entry) = entries.next() else { return Ok(None) };
        let content = entry.content(file.try_clone()?, entry.name.clone())?;
        Ok(Some((entry.name, Box::new(content) as Box<dyn Read + Send>)))
    })))
}

impl ZipEntry {
    /// Its name and why it cannot be read, if it cannot.
    fn unreadable(&self) -> Option<(&str, &str)> {
        match &self.method {
            Method::Unreadable(why) => Some((&self.name, why)),
            Method::Stored | Method::Deflate => None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use flate2::{Compression, Crc, write::DeflateEncoder};
    use std::io::Write;

    /// An archive of (name, content, deflated), written by the format's description.
    pub(crate) fn archive(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for (name, content, deflated) in files {
            let mut packed = content.to_vec();
            if *deflated {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(content).unwrap();
                packed = encoder.finish().unwrap();
            }
            let mut crc = Crc::new();
            crc.update(content);
            let mut common = vec![20, 0, 0, 0, if *deflated { 8 } else { 0 }, 0, 0, 0, 0x21, 0];
            common.extend(crc.sum().to_le_bytes());
            common.extend((packed.len() as u32).to_le_bytes());
            common.extend((content.len() as u32).to_le_bytes());
            common.extend((name.len() as u16).to_le_bytes());
            common.extend([0, 0]);
            directory.extend(b"PK\x01\x02\x14\x00");
            directory.extend(&common);
            directory.extend([0; 10]);
            directory.extend((out.len() as u32).to_le_bytes());
            directory.extend(name.as_bytes());
            out.extend(b"PK\x03\x04");
            out.extend(&common);
            out.extend(name.as_bytes());
            out.extend(&packed);
        }
        let start = out.len() as u32;
        out.extend(&directory);
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend((files.len() as u16).to_le_bytes());
        out.extend((files.len() as u16).to_le_bytes());
        out.extend((directory.len() as u32).to_le_bytes());
        out.extend(start.to_le_bytes());
        out.extend([0, 0]);
        out
    }

    #[test]
    fn files_follow_each_other_and_texts_keep_their_lines_apart() {
        let long = b"game W -\n".repeat(1000);
        let files: [(&str, &[u8], bool); 4] =
            [("a.pgn", b"one", false), ("sub/", b"", false), ("b.sgs", &long, true), ("c.bin", b"\x01\x02", true)];
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&archive(&files)).unwrap();
        let mut all = Vec::new();
        joined_zip(file, &|_| true).unwrap().read_to_end(&mut all).unwrap();
        let expected = [b"one\n".as_slice(), &long, b"\x01\x02"].concat();
        assert_eq!(all, expected);
    }

    /// Wherever a bit of the content or of its checksum is flipped, the stream ends with an error.
    #[test]
    fn a_flipped_bit_in_a_joined_archive_is_an_error() {
        let files: [(&str, &[u8], bool); 2] = [("a.pgn", b"one\n", false), ("b.sgs", b"game W -\ngame B -\n", true)];
        let whole = archive(&files);
        let expected = b"one\ngame W -\ngame B -\n";
        for bit in 0..whole.len() * 8 {
            let mut broken = whole.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&broken).unwrap();
            let mut all = Vec::new();
            let read = joined_zip(file, &|_| true).and_then(|mut entries| entries.read_to_end(&mut all));
            assert!(
                read.is_err() || all == expected,
                "bit {bit} of byte {}: {:?}",
                bit / 8,
                String::from_utf8_lossy(&all)
            );
        }
        let mut broken = whole.clone();
        let at = whole.windows(4).position(|bytes| bytes == b"one\n").unwrap();
        broken[at] ^= 1;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&broken).unwrap();
        let error = joined_zip(file, &|_| true).unwrap().read_to_end(&mut Vec::new()).unwrap_err().to_string();
        assert_eq!(error, "a.pgn: its checksum is wrong: the archive is damaged");
    }

    #[test]
    fn broken_archives_are_errors() {
        let whole = archive(&[("a.pgn", b"one", true)]);
        for cut in [4, 20, whole.len() - 3] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&whole[..cut]).unwrap();
            assert!(joined_zip(file, &|_| true).is_err(), "{cut}");
        }
    }
}
