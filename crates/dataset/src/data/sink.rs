//! Files being written: pieces are appended aside, and the file takes its name when all of them are there.

use super::parquet::Assembly;
use super::work::busy;
use super::{DataError, Format};
use flate2::Crc;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use tesuji_jobs::{AtomicFile, Packing, is_special, note_unwritten, open_alone, open_append, terminal};

/// A file to write.
#[derive(Clone)]
pub struct Output {
    /// The path of the whole file; `-` is stdout.
    pub path: PathBuf,
    /// The record format.
    pub format: Format,
    /// The compression.
    pub packing: Packing,
}

impl Output {
    /// A file whose name says how it is packed.
    ///
    /// # Errors
    /// Names of archives; columns packed once more, or to stdout.
    pub fn new(path: &Path, format: Format) -> Result<Output, DataError> {
        let packing = Packing::of(path).map_err(|words| DataError::of_file(path, words))?;
        if matches!(format, Format::Columns) && packing != Packing::Plain {
            return Err(DataError::of_file(path, "Parquet is packed by itself: leave the ending out"));
        }
        if matches!(format, Format::Columns) && is_stream(path) {
            return Err(DataError::of_file(path, "Parquet needs a file"));
        }
        Ok(Output { path: path.to_path_buf(), format, packing })
    }

    /// The path of the pieces while the file is not whole.
    pub fn aside(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".part");
        name.into()
    }
}

/// Whether `path` stands for stdout, or for a device or pipe: what is written there goes on at once.
pub(super) fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || is_special(path)
}

/// An output that is open.
pub(super) struct Sink {
    output: Output,
    target: Target,
    length: u64,
    /// The checksum of what was written so far.
    sum: Crc,
}

/// The destination of pieces.
enum Target {
    /// A stream: stdout, a device, a pipe.
    Stream(Box<dyn Write + Send>),
    /// The file aside.
    Aside(File),
    /// Nowhere: the file is whole and has its name.
    Named,
}

impl Sink {
    /// Opens `output` aside for this process alone, and keeps the first `keep` bytes of what is there, whose checksum is `sum`. When
    /// these are all (`whole`), the file may have got its name already.
    pub(super) fn open(output: &Output, keep: u64, sum: Option<u32>, whole: bool) -> Result<Sink, DataError> {
        let aside = output.aside();
        let fail = |e: io::Error| DataError::of_io(&aside, &e);
        let mut kept = Crc::new();
        let target = if is_stream(&output.path) {
            Target::Stream(open_stream(&output.path).map_err(fail)?)
        } else if whole && !aside.exists() && output.path.exists() {
            check_named(output, keep, sum).map_err(|e| DataError::of_io(&output.path, &e))?;
            Target::Named
        } else {
            let mut file = open_alone(&aside).map_err(fail)?.ok_or_else(|| busy(&output.path))?;
            kept = verify(&mut file, keep, sum).map_err(fail)?;
            file.set_len(keep).and_then(|()| file.seek(io::SeekFrom::End(0))).map_err(fail)?;
            Target::Aside(file)
        };
        Ok(Sink { output: output.clone(), target, length: keep, sum: kept })
    }

    /// The path of the whole file.
    pub(super) fn path(&self) -> &Path {
        &self.output.path
    }

    /// Whether it would replace a file by what is written.
    pub(super) fn replaces(&self) -> bool {
        matches!(self.target, Target::Aside(_)) && self.output.path.exists()
    }

    /// Leaves what was there before.
    pub(super) fn discard(self) {
        if let Target::Aside(_) = self.target {
            let _ = fs::remove_file(self.output.aside());
        }
    }

    /// Bytes written so far.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The CRC-32 of the bytes written so far.
    pub(super) fn checksum(&self) -> u32 {
        self.sum.sum()
    }

    /// Drops what was written behind the first `length` bytes; what cannot be dropped now is when the work goes on.
    pub(super) fn cut(&mut self, length: u64) {
        if let Target::Aside(file) = &mut self.target {
            let _ = file.set_len(length);
        }
    }

    /// From now on the disk is full.
    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn fill_disk(&mut self) {
        self.target = Target::Aside(File::options().write(true).open("/dev/full").unwrap());
    }

    /// Appends a piece; nothing when it is empty. Columns get their length before them.
    pub(super) fn append(&mut self, piece: &[u8]) -> Result<(), DataError> {
        if piece.is_empty() {
            return Ok(());
        }
        let head = (piece.len() as u64).to_le_bytes();
        let head: &[u8] = if matches!(self.output.format, Format::Columns) { &head } else { &[] };
        let mut write = || match &mut self.target {
            Target::Aside(file) => {
                file.write_all(head)?;
                file.write_all(piece)
            }
            Target::Stream(out) => {
                out.write_all(piece)?;
                out.flush()
            }
            Target::Named => Err(io::Error::other("its journal said that it is whole, and there is more to write")),
        };
        write().map_err(|e| unwritten(&self.output.path, &e))?;
        self.sum.update(head);
        self.sum.update(piece);
        self.length += (head.len() + piece.len()) as u64;
        Ok(())
    }

    /// Gives the file its name. `about` goes into the metadata of columns.
    pub(super) fn finish(&mut self, about: &[(String, String)]) -> Result<(), DataError> {
        let Target::Aside(file) = &self.target else { return Ok(()) };
        let (aside, path) = (self.output.aside(), &self.output.path);
        let finish = || -> io::Result<()> {
            file.sync_all()?;
            if matches!(self.output.format, Format::Columns) {
                assemble(&aside, path, about)?;
                return fs::remove_file(&aside);
            }
            fs::rename(&aside, path)?;
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            // Not every file system lets a folder be synced.
            if let Ok(folder) = File::open(folder) {
                let _ = folder.sync_all();
            }
            Ok(())
        };
        finish().map_err(|e| unwritten(path, &e))
    }
}

/// Checks that the file with the output's name is the one that was written, `length` bytes with the checksum `sum`. Columns carry
/// checksums of their own.
fn check_named(output: &Output, length: u64, sum: Option<u32>) -> io::Result<()> {
    if matches!(output.format, Format::Columns) {
        return Ok(());
    }
    let mut file = File::open(&output.path)?;
    if file.metadata()?.len() > length {
        return Err(changed());
    }
    verify(&mut file, length, sum).map(drop)
}

/// The error for an output that could not be written.
fn unwritten(path: &Path, error: &io::Error) -> DataError {
    note_unwritten();
    DataError::of_io(path, error)
}

/// The error for an output file that was changed after it was written.
fn changed() -> io::Error {
    let words = "it was changed since it was written: --force instead of --resume begins again";
    io::Error::new(io::ErrorKind::InvalidData, words)
}

/// Reads the first `keep` bytes of `file` and checks that they are those that were written. Their checksum.
fn verify(file: &mut File, keep: u64, sum: Option<u32>) -> io::Result<Crc> {
    let invalid = |words: String| Err(io::Error::new(io::ErrorKind::InvalidData, words));
    let length = file.metadata()?.len();
    if length < keep {
        return invalid(format!(
            "it has {length} bytes, and {keep} had been written: --force instead of --resume begins again"
        ));
    }
    let (mut kept, mut left, mut buffer) = (Crc::new(), keep, vec![0; 1 << 16]);
    while left > 0 {
        let part = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        file.read_exact(&mut buffer[..part])?;
        kept.update(&buffer[..part]);
        left -= part as u64;
    }
    if keep > 0 && sum.is_some_and(|sum| sum != kept.sum()) {
        return Err(changed());
    }
    Ok(kept)
}

fn open_stream(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    Ok(if path == Path::new("-") { Box::new(terminal::Stdout) } else { Box::new(open_append(path)?) })
}

/// Joins the pieces in `aside` to the Parquet file `path`.
fn assemble(aside: &Path, path: &Path, about: &[(String, String)]) -> io::Result<()> {
    let mut pieces = BufReader::with_capacity(1 << 20, File::open(aside)?);
    let mut assembly = Assembly::begin(AtomicFile::create(path)?, about)?;
    let mut head = [0; 8];
    loop {
        match pieces.read_exact(&mut head) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => break,
            other => other?,
        }
        let mut piece = Vec::new();
        let length = u64::from_le_bytes(head);
        if pieces.by_ref().take(length).read_to_end(&mut piece)? as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        assembly.add(piece)?;
    }
    assembly.finish()?.commit()
}
