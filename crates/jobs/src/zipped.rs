//! The files in a zip archive as one stream, one after another.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// Where the bytes of a file in the archive lie.
struct Entry {
    start: u64,
    packed: u64,
    deflated: bool,
    text: bool,
}

/// Reads the files of an archive in the order of its directory.
pub(crate) struct Entries {
    file: File,
    entries: std::vec::IntoIter<Entry>,
    open: Option<(Box<dyn Read + Send>, bool)>,
    /// The last byte given: a text that lacks its last line end gets one before the next begins.
    last: u8,
}

/// Files whose bytes may be joined line by line.
const TEXTS: [&str; 9] = [".pgn", ".sgs", ".epd", ".fen", ".txt", ".sgf", ".kif", ".ki2", ".csa"];

impl Entries {
    /// The files of the archive `file`.
    ///
    /// # Errors
    /// Those of the file system; what is wrong with the archive, or what it needs that we do not have.
    pub(crate) fn open(file: File) -> io::Result<Entries> {
        let invalid = |words: String| io::Error::new(io::ErrorKind::InvalidData, words);
        let mut archive = zip::ZipArchive::new(BufReader::new(file.try_clone()?))?;
        let mut entries = Vec::with_capacity(archive.len());
        for index in 0..archive.len() {
            let entry = archive.by_index_raw(index)?;
            let name = entry.name()?.to_ascii_lowercase();
            if entry.is_dir() || name.starts_with("__macosx/") {
                continue;
            }
            if entry.encrypted() {
                return Err(invalid(format!("{name} is encrypted")));
            }
            let deflated = match entry.compression() {
                zip::CompressionMethod::Stored => false,
                zip::CompressionMethod::DEFLATE => true,
                other => return Err(invalid(format!("{name} is packed by {other}, not by deflate"))),
            };
            let start = entry.data_start().ok_or_else(|| invalid(format!("{name} has no data")))?;
            let text = TEXTS.iter().any(|ending| name.ends_with(ending));
            entries.push(Entry { start, packed: entry.compressed_size(), deflated, text });
        }
        Ok(Entries { file, entries: entries.into_iter(), open: None, last: b'\n' })
    }
}

impl Read for Entries {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some((reader, text)) = &mut self.open {
                let n = reader.read(buffer)?;
                if n > 0 || buffer.is_empty() {
                    self.last = buffer[..n].last().copied().unwrap_or(self.last);
                    return Ok(n);
                }
                let torn = *text && self.last != b'\n';
                self.open = None;
                if torn {
                    buffer[0] = b'\n';
                    self.last = b'\n';
                    return Ok(1);
                }
            }
            let Some(entry) = self.entries.next() else { return Ok(0) };
            self.file.seek(SeekFrom::Start(entry.start))?;
            let packed = self.file.try_clone()?.take(entry.packed);
            let reader: Box<dyn Read + Send> =
                if entry.deflated { Box::new(flate2::read::DeflateDecoder::new(packed)) } else { Box::new(packed) };
            self.open = Some((reader, entry.text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, Crc, write::DeflateEncoder};
    use std::io::Write;

    /// An archive of (name, content, deflated), written by the format's description.
    fn archive(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
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
        Entries::open(file).unwrap().read_to_end(&mut all).unwrap();
        let expected = [b"one\n".as_slice(), &long, b"\x01\x02"].concat();
        assert_eq!(all, expected);
    }

    #[test]
    fn broken_archives_are_errors() {
        let whole = archive(&[("a.pgn", b"one", true)]);
        for cut in [4, 20, whole.len() - 3] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&whole[..cut]).unwrap();
            assert!(Entries::open(file).is_err(), "{cut}");
        }
    }
}
