//! Compression of files that are written: by zstd or gzip, in pieces that may follow each other in one file, so that such a file can grow.

use std::{
    io::{self, Write},
    path::Path,
};

/// The compression of a file that is written.
///
/// # Examples
/// ```
/// use std::path::Path;
/// use tesuji_jobs::Packing;
/// assert_eq!(Packing::of(Path::new("games.sgs.zst")), Ok(Packing::Zstd));
/// assert_eq!(Packing::of(Path::new("games.sgs")), Ok(Packing::Plain));
/// assert!(Packing::of(Path::new("games.sgs.xz")).unwrap_err().contains("are read, not written"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// By zstd.
    Zstd,
    /// By gzip.
    Gzip,
}

impl Packing {
    /// As the name of a file to be written says.
    ///
    /// # Errors
    /// Archives and other compressions are not written: in words, without the name.
    pub fn of(path: &Path) -> Result<Packing, String> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        match ending.as_str() {
            "zst" => Ok(Packing::Zstd),
            "gz" => Ok(Packing::Gzip),
            "zip" | "xz" | "bz2" => Err(format!(".{ending} files are read, not written; .zst and .gz are")),
            _ => Ok(Packing::Plain),
        }
    }

    /// The first bytes of all files that are compressed so.
    pub fn magic(self) -> &'static [u8] {
        match self {
            Packing::Plain => &[],
            Packing::Zstd => &[0x28, 0xB5, 0x2F, 0xFD],
            Packing::Gzip => &[0x1F, 0x8B],
        }
    }

    /// `bytes` compressed as a piece that may stand beside others in one file; nothing for nothing.
    ///
    /// # Errors
    /// Those of the compressor.
    pub fn pack(self, bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        if bytes.is_empty() {
            return Ok(bytes);
        }
        match self {
            Packing::Plain => Ok(bytes),
            Packing::Zstd => {
                let mut encoder = zstd::Encoder::new(Vec::new(), 3)?;
                // zstd leaves it out by itself, and a flipped bit would go unseen.
                encoder.include_checksum(true)?;
                encoder.write_all(&bytes)?;
                encoder.finish()
            }
            Packing::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(&bytes)?;
                encoder.finish()
            }
        }
    }
}

/// A writer that compresses: what is written between two flushes is one piece. What was not flushed is lost.
///
/// # Examples
/// ```
/// use std::io::{Read, Write};
/// use tesuji_jobs::{PackedWriter, Packing, open_input};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.gz");
/// let mut file = PackedWriter::new(Packing::Gzip, std::fs::File::create(&path)?);
/// for game in ["one\n", "two\n"] {
///     file.write_all(game.as_bytes())?;
///     file.flush()?;
/// }
/// let mut text = String::new();
/// open_input(&path)?.read_to_string(&mut text)?;
/// assert_eq!(text, "one\ntwo\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct PackedWriter<W> {
    packing: Packing,
    inner: W,
    /// What the next piece will hold.
    bytes: Vec<u8>,
}

impl<W: Write> PackedWriter<W> {
    /// Compresses what goes to `inner`.
    pub fn new(packing: Packing, inner: W) -> PackedWriter<W> {
        PackedWriter { packing, inner, bytes: Vec::new() }
    }
}

impl<W: Write> Write for PackedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.packing == Packing::Plain {
            return self.inner.write(bytes);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = self.packing.pack(std::mem::take(&mut self.bytes))?;
        self.inner.write_all(&piece)?;
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Read};

    #[test]
    fn pieces_are_read_as_one_stream() {
        for packing in [Packing::Plain, Packing::Zstd, Packing::Gzip] {
            let mut out = Vec::new();
            let mut writer = PackedWriter::new(packing, &mut out);
            writer.flush().unwrap();
            for game in ["one\n", "two\n", ""] {
                writer.write_all(game.as_bytes()).unwrap();
                writer.flush().unwrap();
            }
            assert!(out.starts_with(packing.magic()), "{packing:?}");
            let pieces = ["one\n", "two\n"].map(|game| packing.pack(game.as_bytes().to_vec()).unwrap());
            assert_eq!(out, pieces.concat(), "{packing:?}");
            let mut text = String::new();
            crate::unpacked(Box::new(Cursor::new(out))).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "one\ntwo\n", "{packing:?}");
        }
    }
}
