//! A journal of one piece of work: its first line says which, and each line behind it ends with a checksum of all that stands before, so
//! that a line that was changed or removed is found when the work goes on.

use crate::{Existing, LineJournal, check_output, is_replacing_allowed};
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::Path,
};

/// What stands between a line and its checksum.
const MARK: &str = " #";
/// Hexadecimal digits of a checksum that are kept: for changes by hand or by chance.
const DIGITS: usize = 8;

/// A journal whose lines are chained by checksums, taken for this process alone.
///
/// # Examples
/// ```
/// use tesuji_jobs::ChainedJournal;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("tuning.journal");
/// let (mut journal, lines) = ChainedJournal::open(&path, "tuning of two options")?.expect("nobody else has it");
/// assert!(lines.is_empty());
/// journal.append("3")?;
/// journal.append("-1")?;
/// drop(journal);
/// let (_journal, lines) = ChainedJournal::open(&path, "tuning of two options")?.expect("nobody else has it");
/// assert_eq!(lines, ["tuning of two options", "3", "-1"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ChainedJournal {
    journal: LineJournal,
    sum: Sha256,
    /// Whether its lines have checksums: those of earlier versions had none, and go on without where the user said `--force`.
    is_summed: bool,
}

impl ChainedJournal {
    /// Opens the journal `path` of the work that `head` names, or begins it with that line. Returns its lines, the first included, without
    /// their checksums; none where it is new. `None` while another process has it. The first line may be that of other work: the caller
    /// compares, and appends nothing then.
    ///
    /// # Errors
    /// Those of [`check_output`] and of the file system; [`ErrorKind::InvalidData`] where a line is not as it was written, lines have no
    /// checksums and the user did not say `--force`, or the file holds something else than lines, and is then left as it is.
    pub fn open(path: &Path, head: &str) -> io::Result<Option<(ChainedJournal, Vec<String>)>> {
        ChainedJournal::open_as(path, head, is_replacing_allowed())
    }

    fn open_as(path: &Path, head: &str, is_forced: bool) -> io::Result<Option<(ChainedJournal, Vec<String>)>> {
        check_output(path, Existing::Append)?;
        check_beginning(path, head)?;
        let Some((journal, mut lines)) = LineJournal::open_alone(path, false)? else { return Ok(None) };
        let is_summed = lines.get(1).is_none_or(|line| parted(line).is_some());
        let mut chained = ChainedJournal { journal, sum: Sha256::new(), is_summed };
        match lines.first() {
            None => chained.journal.append(head)?,
            Some(_) if !is_summed && !is_forced => {
                let words = "its lines have no checksums: somebody took them out, or an earlier version wrote them; --force takes \
                             the lines as they stand, or name another file";
                return Err(io::Error::new(ErrorKind::InvalidData, words));
            }
            Some(_) if !is_summed => {
                tracing::warn!(
                    target: "jobs",
                    "{}: its lines have no checksums; they are taken as they stand",
                    path.display()
                );
                return Ok(Some((chained, lines)));
            }
            Some(_) => {}
        }
        chained.sum.update(lines.first().map_or(head, String::as_str));
        for (index, line) in lines.iter_mut().enumerate().skip(1) {
            let text = parted(line).and_then(|(text, digits)| (chained.digits_with(text) == digits).then_some(text));
            let Some(text) = text.map(str::to_string) else {
                let words = format!(
                    "line {}: this line is not as it was written, or one before it is gone; put the file back as it was, or cut it \
                     before this line and go on from there",
                    index + 1
                );
                return Err(io::Error::new(ErrorKind::InvalidData, words));
            };
            chained.sum.update(&text);
            *line = text;
        }
        Ok(Some((chained, lines)))
    }

    /// The checksum behind `text` as the next line.
    fn digits_with(&self, text: &str) -> String {
        let sum = self.sum.clone().chain_update(text).finalize();
        sum.iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Appends a line in one write.
    ///
    /// # Errors
    /// Those of [`LineJournal::append`].
    pub fn append(&mut self, line: &str) -> io::Result<()> {
        if !self.is_summed {
            return self.journal.append(line);
        }
        self.journal.append(&format!("{line}{MARK}{}", self.digits_with(line)))?;
        self.sum.update(line);
        Ok(())
    }
}

/// A line and its checksum.
fn parted(line: &str) -> Option<(&str, &str)> {
    line.rsplit_once(MARK).filter(|(_, digits)| digits.len() == DIGITS)
}

/// Refuses a file of one line without an end that is not the beginning of `head`: a torn line is cut off, and this one is somebody
/// else's.
fn check_beginning(path: &Path, head: &str) -> io::Result<()> {
    let mut begin = Vec::new();
    if path.is_file() {
        File::open(path)?.take(head.len() as u64 + 1).read_to_end(&mut begin)?;
    }
    if !begin.contains(&b'\n') && !head.as_bytes().starts_with(&begin) {
        return Err(io::Error::new(ErrorKind::InvalidData, "this file is no journal of this work; name another one"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::PathBuf};

    fn journal(folder: &tempfile::TempDir) -> PathBuf {
        let path = folder.path().join("journal");
        let (mut journal, lines) = ChainedJournal::open(&path, "head, whole").unwrap().unwrap();
        assert!(lines.is_empty() && ChainedJournal::open(&path, "head, whole").unwrap().is_none());
        ["3", "-1", "3"].iter().for_each(|line| journal.append(line).unwrap());
        path
    }

    /// A line taken out of the journal of a tuning was not noticed, and the tuning went on with other numbers.
    #[test]
    fn lines_that_were_removed_changed_or_exchanged_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = journal(&folder);
        let whole = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        let check = |lines: &[&str], expect: Option<&str>| {
            fs::write(&path, lines.join("\n") + "\n").unwrap();
            match (ChainedJournal::open(&path, "head, whole"), expect) {
                (Ok(read), None) => assert_eq!(read.unwrap().1.len(), lines.len()),
                (Err(error), Some(words)) => assert!(error.to_string().starts_with(words), "{error}"),
                (read, expect) => panic!("{lines:?}: {read:?}, expected {expect:?}"),
            }
        };
        let [head, first, second, third] = lines[..] else { panic!("{lines:?}") };
        check(&lines, None);
        check(&[head, first, second], None);
        check(&[head, second, third], Some("line 2"));
        check(&[head, first, third], Some("line 3"));
        check(&[head, second, first, third], Some("line 2"));
        check(&[head, first, second, first], Some("line 4"));
        check(&[head, &first.replacen('3', "2", 1), second, third], Some("line 2"));
        check(&["other", first, second, third], Some("line 2"));
        check(&[head, first, "-1", third], Some("line 3"));
    }

    #[test]
    fn what_a_kill_tore_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = journal(&folder);
        let whole = fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, lines) = ChainedJournal::open(&path, "head, whole").unwrap().unwrap();
            let rest = ["3", "-1", "3"];
            rest[lines.len().saturating_sub(1)..].iter().for_each(|line| journal.append(line).unwrap());
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    /// `spsa --journal weights.json` emptied a file of one line without an end.
    #[test]
    fn a_file_that_is_no_journal_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        for text in ["{\"weights\":[1,2,3]}", "head, whole and more"] {
            fs::write(&path, text).unwrap();
            let error = ChainedJournal::open(&path, "head, whole").unwrap_err().to_string();
            assert!(error.contains("no journal of this work"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    /// A journal from which all checksums were taken was gone on with, whatever its lines said.
    #[test]
    fn a_journal_without_checksums_goes_on_without_where_that_is_forced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        fs::write(&path, "head, whole\n3\n").unwrap();
        let error = ChainedJournal::open(&path, "head, whole").unwrap_err().to_string();
        assert!(error.contains("no checksums") && error.contains("--force"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "head, whole\n3\n");
        let (mut journal, lines) = ChainedJournal::open_as(&path, "head, whole", true).unwrap().unwrap();
        assert_eq!(lines, ["head, whole", "3"]);
        journal.append("4").unwrap();
        drop(journal);
        assert_eq!(fs::read_to_string(&path).unwrap(), "head, whole\n3\n4\n");
    }
}
