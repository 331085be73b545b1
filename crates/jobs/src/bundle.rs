//! The files in folders and archives (zip, tar, tar packed by gzip, bzip2, xz or zstd), one by one and by their names.

use crate::tar_members::{TarMember, TarMembers, is_tar, named};
use crate::unpack::unpacked;
use crate::zipped::{directory, is_zip};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

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
        for file in files_within(path)? {
            let name = file.display().to_string();
            if !each_member(&file, wanted, each)? && wanted(&name) {
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
    if !is_tar(file.try_clone()?).map_err(failed)? {
        return Ok(false);
    }
    file.rewind().map_err(failed)?;
    let mut members = TarMembers::new(file, path.display().to_string())?;
    while let Some(TarMember { name, content }) = members.next(&|name| wanted(name) && !is_hidden(name))? {
        let full = format!("{}: {name}", path.display());
        each(&full, unpacked(Box::new(Cursor::new(content))).map_err(|e| named(&full, &e))?)?;
    }
    Ok(true)
}

/// The files in the folder `path` and the folders in it, by their names; hidden ones are left out. A folder that links lead to again
/// is read once.
///
/// # Errors
/// Those of the file system, with the path in the message.
pub fn files_within(path: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut seen) = (Vec::new(), BTreeSet::new());
    let mut folders = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let failed = |e: io::Error| named(&folder.display().to_string(), &e);
        if !seen.insert(folder.canonicalize().map_err(failed)?) {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?.path();
            if is_hidden(&entry.to_string_lossy()) {
                continue;
            }
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.exists() {
                files.push(entry);
            } else {
                tracing::warn!(target: "jobs", "{}: a link that leads nowhere; passed over", entry.display());
            }
        }
    }
    files.sort();
    Ok(files)
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
pub(crate) fn is_hidden(name: &str) -> bool {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    last.starts_with('.') || name.to_ascii_lowercase().starts_with("__macosx/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joined::Wanted;
    use crate::unpack::tests::{bzipped, gzipped};
    use std::io::Write;
    use std::sync::Arc;

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

    /// A link to the folder around it ended the whole folder: `too many levels of symbolic links`.
    #[test]
    fn folders_in_a_circle_are_read_once() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        fs::write(folder.path().join("b/one.sgf"), "(;B[aa])").unwrap();
        for (target, name) in [("", "b/up"), ("b", "again"), ("gone.sgf", "b/two.sgf")] {
            let is_linked = tesuji_system::link(&folder.path().join(target), &folder.path().join(name)).is_ok();
            assert!(is_linked || cfg!(windows), "only Windows may forbid links");
        }
        assert_eq!(files_within(folder.path()).unwrap().len(), 1);
        assert_eq!(members(folder.path()).unwrap().1.len(), 1);
    }

    #[test]
    fn archives_are_one_stream_of_the_wanted_files() {
        let folder = tempfile::tempdir().unwrap();
        let is_game: Wanted = Arc::new(|name: &str| name.to_ascii_lowercase().ends_with(".sgf"));
        for (name, content) in [("a.zip", zipped()), ("a.tar", tarred()), ("a.tgz", gzipped(&tarred()))] {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            let mut text = String::new();
            crate::open_members(&path, &Arc::default(), &is_game).unwrap().read_to_string(&mut text).unwrap();
            // A file of macOS, hidden, is wanted by its name all the same.
            assert!(text.starts_with("(;B[aa])\n(;W[bb])\n"), "{name}: {text}");
            assert_eq!(crate::find_in_archive(&path, &*is_game).unwrap().as_deref(), Some(FILES[0].0), "{name}");
            assert_eq!(crate::find_in_archive(&path, &|name| name.ends_with(".pgn")).unwrap(), None, "{name}");
        }
        let plain = folder.path().join("one.sgf");
        fs::write(&plain, "(;B[aa])").unwrap();
        assert_eq!(crate::find_in_archive(&plain, &*is_game).unwrap(), None);
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
