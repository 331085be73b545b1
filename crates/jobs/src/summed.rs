//! A file that grows, with the checksums of its parts in another one beside it: what was changed between two runs is found when the second
//! one begins.

use crate::{AtomicFile, LineJournal, OutputFile, is_special};
use sha2::{Digest, Sha256};
use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, BufReader, ErrorKind, Read, Write},
    ops::Range,
    path::{Path, PathBuf},
};

/// Hexadecimal digits of a checksum that are kept: no change by chance or by hand has the same.
const DIGITS: usize = 16;

/// The file with the checksums of the file `path`.
pub fn sums_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".sums");
    name.into()
}

/// The first part of the file `path`, in bytes, that is not as it was written; `None` where all that is known of it holds. A file that
/// was cut holds as far as it goes, and a file without checksums holds.
///
/// # Errors
/// Those of the file system; [`ErrorKind::InvalidData`] where the file of checksums holds something else.
pub fn changed_part(path: &Path) -> io::Result<Option<Range<u64>>> {
    let parts = parts(&sums_file(path))?;
    if parts.is_empty() {
        return Ok(None);
    }
    Ok(Held::of(path, &parts)?.changed)
}

/// Checks that the file of checksums of `path`, if there is one, is one.
///
/// # Errors
/// As [`changed_part`].
pub fn check_sums(path: &Path) -> io::Result<()> {
    parts(&sums_file(path)).map(drop)
}

/// The ends, in bytes, of the parts of the file `path` that are there as they were written; what stands behind the last one was torn by a
/// kill or a full disk.
///
/// # Errors
/// As [`changed_part`]; [`ErrorKind::InvalidData`] where a part was changed.
pub fn whole_parts(path: &Path) -> io::Result<Vec<u64>> {
    let parts = parts(&sums_file(path))?;
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    let held = Held::of(path, &parts)?;
    if let Some(changed) = held.changed {
        let words = format!("bytes {} to {} are not as they were written", changed.start, changed.end);
        return Err(io::Error::new(ErrorKind::InvalidData, words));
    }
    Ok(parts[..held.parts].iter().map(|part| part.end).collect())
}

/// A part of a file: where it ends, and the checksum of the file up to there.
struct Part {
    end: u64,
    sum: String,
}

/// The parts in the file of checksums `path`, none if it is not there. A last line without its end was torn by a kill.
fn parts(path: &Path) -> io::Result<Vec<Part>> {
    if is_special(path) {
        let words = "expected a regular file of checksums, found a device or a pipe; move it away";
        return Err(io::Error::new(ErrorKind::InvalidData, words));
    }
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut parts: Vec<Part> = Vec::new();
    for (index, line) in String::from_utf8_lossy(&bytes[..whole]).lines().enumerate() {
        let part = line.split_once(' ').and_then(|(end, sum)| Some(Part { end: end.parse().ok()?, sum: sum.into() }));
        let grows = |part: &Part| part.sum.len() == DIGITS && parts.last().is_none_or(|last| last.end < part.end);
        let wrong = || {
            let words = format!("line {}: expected a length and a checksum; move this file away", index + 1);
            io::Error::new(ErrorKind::InvalidData, words)
        };
        parts.push(part.filter(grows).ok_or_else(wrong)?);
    }
    Ok(parts)
}

/// What is known of a file and holds.
struct Held {
    /// Parts from the first on.
    parts: usize,
    changed: Option<Range<u64>>,
    /// The sum of the file up to the end of these parts.
    sum: Sha256,
    end: u64,
    file: BufReader<File>,
}

impl Held {
    fn of(path: &Path, parts: &[Part]) -> io::Result<Held> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut held = Held { parts: 0, changed: None, sum: Sha256::new(), end: 0, file: BufReader::new(file) };
        for part in parts.iter().take_while(|part| part.end <= length) {
            let mut sum = held.sum.clone();
            io::copy(&mut held.file.by_ref().take(part.end - held.end), &mut sum)?;
            if digits(&sum) != part.sum {
                held.changed = Some(held.end..part.end);
                break;
            }
            (held.parts, held.sum, held.end) = (held.parts + 1, sum, part.end);
        }
        Ok(held)
    }
}

fn digits(sum: &Sha256) -> String {
    let mut text = String::with_capacity(DIGITS);
    for byte in sum.clone().finalize().iter().take(DIGITS / 2) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A file that is appended to, with a checksum noted at each flush: what is written between two of them is a part. Devices and pipes
/// have no checksums.
///
/// # Examples
/// ```
/// use std::io::Write;
/// use tesuji_jobs::{Existing, SummedOutput, changed_part, open_output};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games");
/// let mut file = SummedOutput::begin(open_output(&path, Existing::Append)?)?;
/// for game in ["one\n", "two\n"] {
///     file.write_all(game.as_bytes())?;
///     file.flush()?;
/// }
/// assert_eq!(changed_part(&path)?, None);
/// std::fs::write(&path, "one\ntwu\n")?;
/// assert_eq!(changed_part(&path)?, Some(4..8));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SummedOutput {
    file: OutputFile,
    sums: Option<LineJournal>,
    sum: Sha256,
    length: u64,
    /// The end of the last part that is noted.
    noted: u64,
}

impl SummedOutput {
    /// Goes on with `file`, which is appended to: parts that it holds as they were written are known, and the rest is one more.
    ///
    /// # Errors
    /// Those of the file system; [`ErrorKind::InvalidData`] where the file of checksums holds something else.
    pub fn begin(file: OutputFile) -> io::Result<SummedOutput> {
        let path = file.path().to_path_buf();
        if is_special(&path) {
            return Ok(SummedOutput { file, sums: None, sum: Sha256::new(), length: 0, noted: 0 });
        }
        let beside = sums_file(&path);
        let known = parts(&beside)?;
        let mut held = Held::of(&path, &known)?;
        if held.parts < known.len() {
            let lines: String = known[..held.parts].iter().map(|part| format!("{} {}\n", part.end, part.sum)).collect();
            AtomicFile::write(&beside, lines.as_bytes())?;
            held = Held::of(&path, &known[..held.parts])?;
        }
        let mut sum = held.sum;
        let length = held.end + io::copy(&mut held.file, &mut sum)?;
        let (sums, _) = LineJournal::open(&beside, false)?;
        let mut summed = SummedOutput { file, sums: Some(sums), sum, length, noted: held.end };
        summed.note()?;
        Ok(summed)
    }

    /// Notes the part that was written last.
    fn note(&mut self) -> io::Result<()> {
        let Some(sums) = self.sums.as_mut().filter(|_| self.length > self.noted) else { return Ok(()) };
        let done = sums.append(&format!("{} {}", self.length, digits(&self.sum)));
        done.map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", sums_file(self.file.path()).display())))?;
        self.noted = self.length;
        Ok(())
    }

    /// Cuts what was written behind the last part that is noted: it could not be written whole. Nothing is written after this.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn cut_back(mut self) -> io::Result<()> {
        self.file.cut(self.noted)
    }
}

impl Write for SummedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.sum.update(&bytes[..count]);
        self.length += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.note()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Existing, open_output};

    fn grow(path: &Path, parts: &[&str]) {
        let mut file = SummedOutput::begin(open_output(path, Existing::Append).unwrap()).unwrap();
        for part in parts {
            // A part may come in several pieces.
            let (head, tail) = part.split_at(part.len() / 2);
            file.write_all(head.as_bytes()).and_then(|()| file.write_all(tail.as_bytes())).unwrap();
            file.flush().unwrap();
            file.flush().unwrap();
        }
    }

    #[test]
    fn every_change_of_a_part_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        grow(&path, &["one\n", "two\n"]);
        grow(&path, &["three\n"]);
        assert_eq!(fs::read_to_string(sums_file(&path)).unwrap().lines().count(), 3);
        let whole = fs::read(&path).unwrap();
        let check = |bytes: &[u8], expect| {
            fs::write(&path, bytes).unwrap();
            assert_eq!(changed_part(&path).unwrap(), expect, "{bytes:?}");
        };
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            let part = [0..4, 4..8, 8..14].into_iter().find(|part| part.contains(&(at as u64)));
            check(&bytes, part);
            // What was cut is as it was.
            check(&whole[..at], None);
        }
        check(b"one\ntwo\ntwo\nthree\n", Some(8..14));
        check(b"two\nthree\n", Some(0..4));
        // More than is known: written before it could be noted.
        check(&[&whole[..], b"four\n"].concat(), None);
        // What was cut off is forgotten, and what follows is known.
        fs::write(&path, &whole[..10]).unwrap();
        grow(&path, &["e\n"]);
        assert_eq!(fs::read_to_string(sums_file(&path)).unwrap().lines().count(), 4);
        check(b"one\ntwo\ntHe\n", Some(8..10));
    }

    #[test]
    fn a_torn_part_is_told_from_whole_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        grow(&path, &["one\n", "two\n"]);
        assert_eq!(whole_parts(&path).unwrap(), [4, 8]);
        fs::write(&path, "one\ntwo\nthr").unwrap();
        assert_eq!(whole_parts(&path).unwrap(), [4, 8]);
        fs::write(&path, "one\ntw").unwrap();
        assert_eq!(whole_parts(&path).unwrap(), [4]);
        fs::write(&path, "one\nTwo\n").unwrap();
        let error = whole_parts(&path).unwrap_err().to_string();
        assert_eq!(error, "bytes 4 to 8 are not as they were written");
        // What cannot be written whole is taken back.
        fs::write(&path, "one\n").unwrap();
        let mut file = SummedOutput::begin(open_output(&path, Existing::Append).unwrap()).unwrap();
        file.write_all(b"tw").unwrap();
        file.cut_back().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one\n");
    }

    #[test]
    fn a_file_that_is_not_of_checksums_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        fs::write(&path, "one\n").unwrap();
        assert_eq!(changed_part(&path).unwrap(), None, "nothing is known");
        fs::write(sums_file(&path), "dear diary\n").unwrap();
        let error = SummedOutput::begin(open_output(&path, Existing::Append).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "line 1: expected a length and a checksum; move this file away");
        assert!(changed_part(&path).is_err());
        assert_eq!(fs::read_to_string(sums_file(&path)).unwrap(), "dear diary\n");
    }
}
