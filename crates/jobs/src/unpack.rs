//! Streams unpacked by what their first bytes say: zstd, gzip, bzip2 and xz. Names do not matter.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Bytes that are looked at: as long as the longest magic.
const MAGIC_BYTES: usize = 10;
/// Bytes read at once.
pub(crate) const BUFFER: usize = 1 << 17;
/// The largest xz window, in KiB: that of `xz -9` is an eighth of it. A forged header cannot ask for more.
const XZ_WINDOW_KIB_MAX: u32 = 512 << 10;

/// The compression of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    Zstd,
    Gzip,
    Bzip2,
    Xz,
}

impl Compression {
    /// The compression that the first bytes of a stream identify.
    fn of(magic: &[u8]) -> Compression {
        match magic {
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            [0x1F, 0x8B, ..] => Compression::Gzip,
            // The digits of pi begin a block; those of its square root end an empty file.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90] => Compression::Bzip2,
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            _ => Compression::None,
        }
    }
}

/// Reads `raw` through the decompressor that its first bytes ask for. Their checksums are verified, and streams that follow each
/// other in one file are read to the end.
///
/// # Errors
/// Those of `raw`.
pub fn unpacked(mut raw: Box<dyn Read + Send>) -> io::Result<Box<dyn BufRead + Send>> {
    let mut magic = Vec::with_capacity(MAGIC_BYTES);
    raw.by_ref().take(MAGIC_BYTES as u64).read_to_end(&mut magic)?;
    let compression = Compression::of(&magic);
    let whole = Cursor::new(magic).chain(raw);
    let name = match compression {
        Compression::None => return Ok(Box::new(BufReader::with_capacity(BUFFER, whole))),
        Compression::Zstd => "zstd",
        Compression::Gzip => "gzip",
        Compression::Bzip2 => "bzip2",
        Compression::Xz => "xz",
    };
    let at_end = Arc::new(AtomicBool::new(false));
    let whole = SeenToEnd { inner: whole, at_end: at_end.clone() };
    let inner: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(whole),
        Compression::Zstd => Box::new(zstd::Decoder::new(whole)?),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(buffered(whole))),
        Compression::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(buffered(whole))),
        Compression::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(buffered(whole), true, XZ_WINDOW_KIB_MAX)),
    };
    Ok(Box::new(BufReader::with_capacity(BUFFER, Unpacked { inner, name, at_end })))
}

/// Remembers that a stream has come to its end.
struct SeenToEnd<R> {
    inner: R,
    at_end: Arc<AtomicBool>,
}

impl<R: Read> Read for SeenToEnd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        if n == 0 && !buffer.is_empty() {
            self.at_end.store(true, Relaxed);
        }
        Ok(n)
    }
}

/// A decompressor whose errors say what is wrong with the file: libraries speak of buffers and frames.
struct Unpacked {
    inner: Box<dyn Read + Send>,
    name: &'static str,
    at_end: Arc<AtomicBool>,
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            // Anyone who wants more at the end of the file has met a file without its end.
            _ if error.kind() == io::ErrorKind::UnexpectedEof && self.at_end.load(Relaxed) => {
                let words = format!(
                    "the file is cut: it ends in the middle of its {} stream; copy or download it again",
                    self.name
                );
                io::Error::new(io::ErrorKind::UnexpectedEof, words)
            }
            kind => io::Error::new(kind, format!("the {} stream is damaged: {error}", self.name)),
        })
    }
}

fn buffered<R: Read>(inner: R) -> BufReader<R> {
    BufReader::with_capacity(BUFFER, inner)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::Write;

    /// `one\ntwo\n` by xz 5.4, with its usual checksum.
    pub(crate) const XZ: &[u8] = &[
        0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 0x00, 0x04, 0xE6, 0xD6, 0xB4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x16, 0x00,
        0x00, 0x00, 0x74, 0x2F, 0xE5, 0xA3, 0x01, 0x00, 0x07, 0x6F, 0x6E, 0x65, 0x0A, 0x74, 0x77, 0x6F, 0x0A, 0x00,
        0x51, 0xAB, 0x9E, 0xAF, 0x57, 0x75, 0x70, 0x49, 0x00, 0x01, 0x20, 0x08, 0xBB, 0x19, 0xD9, 0xBB, 0x1F, 0xB6,
        0xF3, 0x7D, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5A,
    ];

    pub(crate) fn gzipped(content: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(content).unwrap();
        packed.finish().unwrap()
    }

    pub(crate) fn bzipped(content: &[u8]) -> Vec<u8> {
        let mut packed = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        packed.write_all(content).unwrap();
        packed.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        unpacked(Box::new(Cursor::new(bytes.to_vec())))?.read_to_end(&mut all)?;
        Ok(all)
    }

    #[test]
    fn xz_and_bzip2_are_read_like_zstd_and_gzip() {
        let text = b"one\ntwo\n".repeat(1000);
        for packed in [zstd::encode_all(text.as_slice(), 3).unwrap(), gzipped(&text), bzipped(&text)] {
            assert_eq!(read(&packed).unwrap(), text);
            // Several streams in one file, as `cat` joins them.
            assert_eq!(read(&[&packed[..], &packed[..]].concat()).unwrap(), text.repeat(2));
        }
        assert_eq!(read(XZ).unwrap(), b"one\ntwo\n");
        assert_eq!(read(&XZ.repeat(2)).unwrap(), b"one\ntwo\none\ntwo\n");
        assert_eq!(read(&bzipped(b"")).unwrap(), b"");
        for plain in [&b""[..], b"x", b"BZh9 is a word", b"\xFD7zX", b"[Event \"?\"]\n"] {
            assert_eq!(read(plain).unwrap(), plain);
        }
    }

    /// "failed to fill whole buffer" and "incomplete frame" were all that was said.
    #[test]
    fn a_cut_file_is_said_to_be_cut() {
        let text: Vec<u8> = (0..20_000u32).flat_map(|n| (n.wrapping_mul(0x9E37_79B9) >> 7).to_le_bytes()).collect();
        let zstd = zstd::encode_all(text.as_slice(), 3).unwrap();
        for (name, packed) in [("zstd", zstd), ("gzip", gzipped(&text)), ("bzip2", bzipped(&text)), ("xz", XZ.to_vec())]
        {
            for cut in [packed.len() / 2, packed.len() - 1] {
                let error = read(&packed[..cut]).unwrap_err().to_string();
                let expected = format!("the file is cut: it ends in the middle of its {name} stream");
                assert!(error.starts_with(&expected), "{name}, {cut} of {}: {error}", packed.len());
            }
        }
        let mut broken = gzipped(&text);
        let middle = broken.len() / 2;
        broken[middle..middle + 64].fill(0xFF);
        assert!(read(&broken).unwrap_err().to_string().starts_with("the gzip stream is damaged"));
    }

    /// Compressed streams with each bit flipped: either an error or, where a bit means nothing (as the time in a gzip header does),
    /// the same content. A flipped magic makes it another file, whose reader refuses it.
    #[test]
    fn flipped_bits_are_never_silent() {
        let text = b"one\ntwo\n";
        let zstd = {
            let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        for (name, packed) in [("zstd", zstd), ("gzip", gzipped(text)), ("bzip2", bzipped(text)), ("xz", XZ.to_vec())] {
            for bit in 0..packed.len() * 8 {
                let mut broken = packed.clone();
                broken[bit / 8] ^= 1 << (bit % 8);
                match read(&broken) {
                    Ok(content) if Compression::of(&broken[..MAGIC_BYTES]) != Compression::None => {
                        assert_eq!(content, text, "{name}, bit {bit}");
                    }
                    Ok(content) => assert_eq!(content, broken, "{name}, bit {bit}"),
                    Err(_) => {}
                }
            }
        }
    }
}
