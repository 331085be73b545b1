//! The files in an archive of tar's, one by one, as its stream is read.

use crate::joined::{Joined, Wanted};
use crate::unpack::unpacked;
use std::cell::Cell;
use std::io::{self, BufRead, Cursor, Read};
use std::rc::Rc;

/// Bytes of a header of tar, and of the pieces that contents are filled up to; where its mark stands, and the mark.
const HEADER: usize = 512;
const MARK: (usize, &[u8]) = (257, b"ustar");

/// The largest file in an archive of tar's that is read, in bytes: it is held whole, as the archive cannot be read at two places.
const MEMBER_BYTES_MAX: u64 = 256 << 20;

/// The most bytes of headers before a file of such an archive: long names are in them, which its reader holds whole, and a small
/// archive may unpack to one without end.
const HEADERS_BYTES_MAX: u64 = 1 << 20;

/// A file in an archive: its name there, and its content.
pub(crate) struct TarMember {
    pub(crate) name: String,
    pub(crate) content: Vec<u8>,
}

/// The files in an archive of tar's.
pub(crate) struct TarMembers {
    input: Box<dyn BufRead + Send>,
    /// The name of the archive, for errors.
    label: String,
    /// The name of the entry before.
    before: String,
    /// Bytes of that entry that are still to be passed over.
    to_pass: u64,
}

/// Whether `input` is an archive of tar's, packed or not, by what stands in its first header.
///
/// # Errors
/// Those of `input`.
pub(crate) fn is_tar(input: impl Read + Send + 'static) -> io::Result<bool> {
    let mut head = Vec::with_capacity(HEADER);
    unpacked(Box::new(input))?.take(HEADER as u64).read_to_end(&mut head)?;
    Ok(head.len() == HEADER && head[MARK.0..].starts_with(MARK.1))
}

impl TarMembers {
    /// The files in the archive `input`, which errors name as `label`.
    ///
    /// # Errors
    /// Those of `input`.
    pub(crate) fn new(input: impl Read + Send + 'static, label: String) -> io::Result<TarMembers> {
        let input = unpacked(Box::new(input)).map_err(|e| named(&label, &e))?;
        Ok(TarMembers { input, label, before: "the beginning".into(), to_pass: 0 })
    }

    /// Its files whose names are `wanted`, one after another.
    pub(crate) fn joined(mut self, wanted: Wanted) -> Joined {
        Joined::new(Box::new(move || {
            let Some(TarMember { name, content }) = self.next(&*wanted)? else { return Ok(None) };
            let content = unpacked(Box::new(Cursor::new(content))).map_err(|e| named(&name, &e))?;
            Ok(Some((name, Box::new(content) as Box<dyn Read + Send>)))
        }))
    }

    /// The next file whose name is `wanted`, with its content. At the end, `None`, the whole stream has been read: what packs an
    /// archive has its checksum at the very end.
    ///
    /// # Errors
    /// What is wrong with the archive, and at which file of it.
    pub(crate) fn next(&mut self, wanted: &dyn Fn(&str) -> bool) -> io::Result<Option<TarMember>> {
        loop {
            self.pass().map_err(|e| self.after(&e))?;
            let after = format!("{}: after {}", self.label, self.before);
            let left = Rc::new(Cell::new(HEADERS_BYTES_MAX));
            // Each header is read by itself: entries of one archive cannot outlive the call.
            let mut archive = tar::Archive::new(Metered { inner: &mut self.input, left: left.clone() });
            let entry = archive.entries().and_then(|mut entries| entries.next().transpose());
            let Some(mut entry) = entry.map_err(|e| named(&after, &e))? else { break };
            left.set(u64::MAX);
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            // What a sparse file has in the archive is less than its size.
            let is_sparse = entry.header().entry_type().is_gnu_sparse();
            let packed = if is_sparse { entry.header().entry_size()? } else { entry.size() };
            let is_wanted = entry.header().entry_type().is_file() && wanted(&name);
            let content = if is_wanted { Some(content(&mut entry, &format!("{}: {name}", self.label))?) } else { None };
            let filled = packed.next_multiple_of(HEADER as u64);
            self.to_pass = filled - if is_wanted { packed } else { 0 };
            self.before.clone_from(&name);
            if let Some(content) = content {
                return Ok(Some(TarMember { name, content }));
            }
        }
        io::copy(&mut self.input, &mut io::sink()).map_err(|e| self.after(&e))?;
        Ok(None)
    }

    /// Passes over what is left of the entry before.
    fn pass(&mut self) -> io::Result<()> {
        let passed = io::copy(&mut self.input.by_ref().take(self.to_pass), &mut io::sink())?;
        // The last piece may lack what only fills it up.
        if passed < self.to_pass.saturating_sub(HEADER as u64 - 1) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.to_pass = 0;
        Ok(())
    }

    fn after(&self, error: &io::Error) -> io::Error {
        named(&format!("{}: after {}", self.label, self.before), error)
    }
}

/// The whole content of a file in an archive; errors name it as `label`.
fn content(entry: &mut tar::Entry<'_, impl Read>, label: &str) -> io::Result<Vec<u8>> {
    if entry.size() > MEMBER_BYTES_MAX {
        let words = format!("it has more than {} MiB: unpack the archive first", MEMBER_BYTES_MAX >> 20);
        return Err(named(label, &io::Error::new(io::ErrorKind::InvalidData, words)));
    }
    let mut content = Vec::new();
    entry.read_to_end(&mut content).map_err(|e| named(label, &e))?;
    match content.len() as u64 == entry.size() {
        true => Ok(content),
        false => Err(named(label, &io::ErrorKind::UnexpectedEof.into())),
    }
}

/// A reader that fails where it comes to more bytes than are left.
struct Metered<R> {
    inner: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let left = self.left.get().checked_sub(n as u64).ok_or_else(|| {
            let words = format!("a header of more than {} MiB", HEADERS_BYTES_MAX >> 20);
            io::Error::new(io::ErrorKind::InvalidData, words)
        })?;
        self.left.set(left);
        Ok(n)
    }
}

/// This error with a name before it.
pub(crate) fn named(name: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}
