//! The files in folders and archives (zip, tar, tar packed by gzip, bzip2, xz or zstd), one by one and by their names.

use crate::unpack::unpacked;
use crate::zipped::{directory, is_zip};
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufRead, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A file of a bundle: its name for people, and its content, unpacked.
pub type Member<'a, E> = dyn FnMut(&str, Box<dyn BufRead + Send>) -> Result<(), E> + 'a;

/// Gives `each` the files in a folder or an archive whose names are `wanted`, those of folders by their names, those of archives
/// as they lie there; folders may hold folders and archives. What kind of archive it is its first bytes say. `false`, and nothing
/// is done, if `path` is neither.
///
/// # Errors
/// Those of the file system, what is wrong with an archive and at which file of it, and those of `each`.
pub fn each_member<E: From<io::Error>>(
    path: &Path,
    wanted: &dyn Fn(&str) -> bool,
    each: &mut Member<'_, E>,
) -> Result<bool, E> {
    let failed = |e: io::Error| named(&path.display().to_string(), &e);
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(failed)?.map(|entry| Ok(entry?.path()));
        let mut files = entries.collect::<io::Result<Vec<PathBuf>>>().map_err(failed)?;
        files.sort();
        for file in files {
            let name = file.display().to_string();
            if !is_hidden(&name) && !each_member(&file, wanted, each)? && wanted(&name) {
                each(&name, crate::open_input(&file)?)?;
            }
        }
        return Ok(true);
    }
    if path == Path::new("-") {
        return Ok(false);
    }
    // Asked before it is opened: opening a pipe waits for its writer.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Ok(false);
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut magic = Vec::new();
    file.by_ref().take(4).read_to_end(&mut magic).map_err(failed)?;
    file.rewind().map_err(failed)?;
    if is_zip(&magic) {
        from_zip(path, file, wanted, each)?;
        return Ok(true);
    }
    // Whether it is an archive of tar's stands in its first header.
    let content = Head::read(file).map_err(failed)?;
    if !content.is_tar() {
        return Ok(false);
    }
    from_tar(path, content, wanted, each)?;
    Ok(true)
}

/// Bytes of a header of tar, where its mark stands, and the mark.
const HEADER: usize = 512;
const MARK: (usize, &[u8]) = (257, b"ustar");

/// A stream whose first bytes were looked at.
struct Head {
    head: Vec<u8>,
    rest: Box<dyn BufRead + Send>,
}

impl Head {
    /// Reads the first bytes of `file`, decompressed.
    fn read(file: File) -> io::Result<Head> {
        let mut rest = unpacked(Box::new(file))?;
        let mut head = Vec::with_capacity(HEADER);
        rest.by_ref().take(HEADER as u64).read_to_end(&mut head)?;
        Ok(Head { head, rest })
    }

    fn is_tar(&self) -> bool {
        self.head.len() == HEADER && self.head[MARK.0..].starts_with(MARK.1)
    }

    fn whole(self) -> impl Read {
        Cursor::new(self.head).chain(self.rest)
    }
}

/// The largest file in an archive of tar's that is read, in bytes: it is held whole, as the archive cannot be read at two places.
const TAR_MEMBER_BYTES_MAX: u64 = 256 << 20;

/// The most bytes of headers between two files of such an archive: long names are in them, which its reader holds whole, and a small
/// archive may unpack to one without end.
const TAR_HEADERS_BYTES_MAX: u64 = 1 << 20;

/// A reader that fails where it comes to more bytes than are left.
struct Metered<R> {
    inner: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let left = self.left.get().checked_sub(n as u64).ok_or_else(|| {
            let words = format!("a header of more than {} MiB", TAR_HEADERS_BYTES_MAX >> 20);
            io::Error::new(io::ErrorKind::InvalidData, words)
        })?;
        self.left.set(left);
        Ok(n)
    }
}

fn from_tar<E: From<io::Error>>(
    path: &Path,
    input: Head,
    wanted: &dyn Fn(&str) -> bool,
    each: &mut Member<'_, E>,
) -> Result<(), E> {
    let left = Rc::new(Cell::new(TAR_HEADERS_BYTES_MAX));
    let mut archive = tar::Archive::new(Metered { inner: input.whole(), left: left.clone() });
    let mut before = "the beginning".to_string();
    let mut entries = archive.entries()?;
    // Bytes of the file before that its reader still has to pass over.
    let mut passed = 0;
    loop {
        left.set(TAR_HEADERS_BYTES_MAX.saturating_add(passed));
        let Some(entry) = entries.next() else { break };
        left.set(u64::MAX);
        let mut entry = entry.map_err(|e| named(&format!("{}: after {before}", path.display()), &e))?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let full = format!("{}: {name}", path.display());
        // What a sparse file has in the archive is less than its size.
        passed = if entry.header().entry_type().is_gnu_sparse() { entry.header().entry_size()? } else { entry.size() };
        if entry.header().entry_type().is_file() && wanted(&name) && !is_hidden(&name) {
            if entry.size() > TAR_MEMBER_BYTES_MAX {
                let words = format!("it has more than {} MiB: unpack the archive first", TAR_MEMBER_BYTES_MAX >> 20);
                return Err(named(&full, &io::Error::new(io::ErrorKind::InvalidData, words)).into());
            }
            let mut content = Vec::new();
            entry.read_to_end(&mut content).map_err(|e| named(&full, &e))?;
            if content.len() as u64 != entry.size() {
                return Err(named(&full, &io::ErrorKind::UnexpectedEof.into()).into());
            }
            passed = 0;
            each(&full, unpacked(Box::new(Cursor::new(content))).map_err(|e| named(&full, &e))?)?;
        }
        before = name;
    }
    left.set(u64::MAX);
    // What packs the archive has its checksum at the very end.
    let drained = io::copy(&mut archive.into_inner(), &mut io::sink());
    Ok(drained.map(|_| ()).map_err(|e| named(&format!("{}: after {before}", path.display()), &e))?)
}

fn from_zip<E: From<io::Error>>(
    path: &Path,
    file: File,
    wanted: &dyn Fn(&str) -> bool,
    each: &mut Member<'_, E>,
) -> Result<(), E> {
    let of_all = |e: io::Error| named(&path.display().to_string(), &e);
    for entry in directory(file).map_err(of_all)? {
        if !wanted(&entry.name) || is_hidden(&entry.name) {
            continue;
        }
        let full = format!("{}: {}", path.display(), entry.name);
        // A handle of its own: the reader may still be held when the next file is opened.
        let content = entry.content(File::open(path).map_err(of_all)?, full.clone())?;
        each(&full, unpacked(Box::new(content))?)?;
    }
    Ok(())
}

/// Whether a name is hidden: a file that the system keeps for itself.
fn is_hidden(name: &str) -> bool {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    last.starts_with('.') || name.to_ascii_lowercase().starts_with("__macosx/")
}

fn named(name: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unpack::tests::{bzipped, gzipped};
    use std::io::Write;

    const FILES: [(&str, &str); 4] =
        [("a/one.sgf", "(;B[aa])"), ("a/b/two.SGF", "(;W[bb])\n"), ("read.me", "nothing"), ("__MACOSX/._one.sgf", "?")];

    fn tarred() -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, content) in FILES {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, name, content.as_bytes()).unwrap();
        }
        archive.into_inner().unwrap()
    }

    fn zipped() -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for (name, content) in FILES {
            archive.start_file(name, options).unwrap();
            archive.write_all(content.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    fn members(path: &Path) -> io::Result<(bool, Vec<(String, String)>)> {
        let mut all = Vec::new();
        let is_game = |name: &str| name.to_ascii_lowercase().ends_with(".sgf");
        let found = each_member(path, &is_game, &mut |name, mut content| {
            let mut text = String::new();
            content.read_to_string(&mut text)?;
            all.push((name.to_string(), text));
            Ok::<(), io::Error>(())
        })?;
        Ok((found, all))
    }

    #[test]
    fn archives_give_their_files_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let packed = [
            ("games.zip", zipped()),
            ("games.tar", tarred()),
            ("games.tgz", gzipped(&tarred())),
            ("games.tar.bz2", bzipped(&tarred())),
            ("games.tar.zst", zstd::encode_all(tarred().as_slice(), 1).unwrap()),
        ];
        for (name, content) in &packed {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            let (found, all) = members(&path).unwrap();
            let expect = |at: usize| (format!("{}: {}", path.display(), FILES[at].0), FILES[at].1.to_string());
            assert_eq!((found, all), (true, vec![expect(0), expect(1)]), "{name}");
        }
        // A folder of all of them, and a game beside.
        fs::write(folder.path().join("three.sgf"), "(;B[cc])").unwrap();
        fs::write(folder.path().join(".hidden.sgf"), "(;B[cc])").unwrap();
        let (found, all) = members(folder.path()).unwrap();
        assert_eq!((found, all.len()), (true, 2 * packed.len() + 1));
    }

    #[test]
    fn other_files_are_no_bundles() {
        let folder = tempfile::tempdir().unwrap();
        for content in [&b"(;B[aa])"[..], b"", &gzipped(b"(;B[aa])"), &bzipped(b"(;B[aa])")] {
            let path = folder.path().join("game.sgf");
            fs::write(&path, content).unwrap();
            assert_eq!(members(&path).unwrap(), (false, Vec::new()));
        }
        assert!(members(&folder.path().join("none.zip")).unwrap_err().to_string().contains("none.zip"));
    }

    #[track_caller]
    fn check_broken(name: &str, content: &[u8], expect: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        let error = members(&path).unwrap_err().to_string();
        assert!(error.contains(expect) && error.contains(name), "{error}");
    }

    /// A name is read whole: a megabyte could unpack to gigabytes of one.
    #[test]
    fn endless_names_in_an_archive_are_refused() {
        let mut header = tar::Header::new_gnu();
        header.set_path("././@LongLink").unwrap();
        header.set_entry_type(tar::EntryType::GNULongName);
        header.set_size(1 << 33);
        header.set_cksum();
        let name = io::repeat(b'a').take(8 << 20);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::copy(&mut Cursor::new(header.as_bytes()).chain(name), &mut packed).unwrap();
        check_broken("name.tar.gz", &packed.finish().unwrap(), "a header of more than 1 MiB");
    }

    #[test]
    fn what_is_broken_is_named() {
        let (tar, zip) = (tarred(), zipped());
        // In the content of the first file, in the header after it, in the second.
        check_broken("a.tar", &tar[..514], "a/one.sgf");
        check_broken("b.tar", &tar[..1300], "after a/one.sgf");
        let mut wrong = tar.clone();
        wrong[1024 + 148] ^= 1;
        check_broken("c.tar", &wrong, "after a/one.sgf");
        let packed = gzipped(&[tar.clone(), vec![7; 100_000]].concat());
        check_broken("d.tar.gz", &packed[..packed.len() - 60], "after __MACOSX/._one.sgf");
        check_broken("d.tar.gz", &packed[..40], "d.tar.gz");
        let mut wrong = zip.clone();
        let at = zip.windows(8).position(|bytes| bytes == b"(;B[aa])").unwrap();
        wrong[at] ^= 1;
        check_broken("e.zip", &wrong, "a/one.sgf: its checksum is wrong");
        check_broken("f.zip", &zip[..zip.len() / 2], "f.zip");
    }
}
