//! Files being written: pieces are appended aside, and the file takes its name when all of them are there.

use super::parquet::Assembly;
use super::{DataError, Format, Packing};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use tesuji_jobs::{AtomicFile, is_special, open_append, terminal};

/// A file to write.
#[derive(Clone)]
pub struct Output {
    /// Where it will be; `-` is stdout.
    pub path: PathBuf,
    /// What will be in it.
    pub format: Format,
    /// How it is packed.
    pub packing: Packing,
}

impl Output {
    /// A file whose name says how it is packed.
    ///
    /// # Errors
    /// Names of archives; columns packed once more, or to stdout.
    pub fn new(path: &Path, format: Format) -> Result<Output, DataError> {
        let packing = Packing::of(path)?;
        if matches!(format, Format::Columns) && packing != Packing::Plain {
            return Err(DataError::of_file(path, "Parquet is packed by itself: leave the ending out"));
        }
        if matches!(format, Format::Columns) && is_stream(path) {
            return Err(DataError::of_file(path, "Parquet needs a file"));
        }
        Ok(Output { path: path.to_path_buf(), format, packing })
    }

    /// Where the pieces are while the file is not whole.
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
}

/// Where pieces go.
enum Target {
    /// A stream: stdout, a device, a pipe.
    Stream(Box<dyn Write + Send>),
    /// The file aside.
    Aside(File),
    /// Nowhere: the file is whole and has its name.
    Named,
}

impl Sink {
    /// Opens `output` aside, and keeps the first `keep` bytes of what is there. When these are all (`whole`), the file may
    /// have got its name already.
    pub(super) fn open(output: &Output, keep: u64, whole: bool) -> Result<Sink, DataError> {
        let aside = output.aside();
        let open = || {
            let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(&aside)?;
            let length = file.metadata()?.len();
            if length < keep {
                let words = format!("it has {length} bytes, and {keep} had been written");
                return Err(io::Error::new(io::ErrorKind::InvalidData, words));
            }
            file.set_len(keep)?;
            io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
            Ok(Target::Aside(file))
        };
        let target = if is_stream(&output.path) {
            open_stream(&output.path).map(Target::Stream)
        } else if whole && !aside.exists() && output.path.exists() {
            Ok(Target::Named)
        } else {
            open()
        };
        let target = target.map_err(|e| DataError::of_file(&aside, e))?;
        Ok(Sink { output: output.clone(), target, length: keep })
    }

    /// Where it will be.
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
        write().map_err(|e| DataError::of_file(&self.output.path, e))?;
        self.length += (head.len() + piece.len()) as u64;
        Ok(())
    }

    /// Gives the file its name. `about` goes into the metadata of columns.
    pub(super) fn finish(self, about: &[(String, String)]) -> Result<(), DataError> {
        let Target::Aside(file) = self.target else { return Ok(()) };
        let (aside, path) = (self.output.aside(), &self.output.path);
        let finish = || -> io::Result<()> {
            file.sync_all()?;
            drop(file);
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
        finish().map_err(|e| DataError::of_file(path, e))
    }
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
