//! Notes of finished work, kept beside its first output: `resume` then knows by the content of the files that the work is done.

use crate::data::Tally;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tesuji_jobs::{AtomicFile, Identity, is_special, read_text_bounded};

/// The longest note, in bytes.
const NOTE_BYTES_MAX: u64 = 1 << 20;

/// Finished work.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Done {
    /// Identifies the work, as in its journal.
    words: String,
    /// The files that were read.
    inputs: Vec<Identity>,
    /// The files that were written.
    outputs: Vec<Identity>,
    /// The records counted by the work.
    tally: Tally,
}

impl Done {
    /// The work of these words with its files as they are now; `None` where some are streams, or not there.
    fn of(words: &str, inputs: &[&Path], outputs: &[&Path], tally: Tally) -> Option<Done> {
        let identity = |path: &&Path| if is_special(path) { None } else { Identity::of(path).ok()? };
        let all = |paths: &[&Path]| paths.iter().map(identity).collect::<Option<Vec<_>>>();
        Some(Done { words: words.to_string(), inputs: all(inputs)?, outputs: all(outputs)?, tally })
    }
}

/// Notes that the work is done. A note that cannot be written is no loss: the files are whole.
pub(super) fn note(words: &str, inputs: &[&Path], outputs: &[&Path], tally: &Tally) {
    let done = outputs.first().copied().zip(Done::of(words, inputs, outputs, tally.clone()));
    if let Some((path, text)) =
        done.and_then(|(first, done)| Some((beside(first)?, serde_json::to_string(&done).ok()?)))
    {
        let _ = AtomicFile::write(&path, text.as_bytes());
    }
}

/// The tally of the finished work; `None` where there is no note of it or one of its files has changed since.
pub(super) fn find(words: &str, inputs: &[&Path], outputs: &[&Path]) -> Option<Tally> {
    let text = read_text_bounded(&beside(outputs.first()?)?, NOTE_BYTES_MAX).ok()?;
    let was: Done = serde_json::from_str(&text).ok()?;
    let is = Done::of(words, inputs, outputs, was.tally.clone())?;
    (is == was).then_some(was.tally)
}

/// The path of the note of work whose first output is `output`.
fn beside(output: &Path) -> Option<PathBuf> {
    let name = output.file_name()?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(".done");
    Some(output.with_file_name(hidden))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn work_is_done_until_a_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let [input, output] = ["in.pgn", "out.sgs"].map(|name| folder.path().join(name));
        fs::write(&input, "games").unwrap();
        fs::write(&output, "the same games").unwrap();
        let tally = Tally { records: 3, written: 2, ..Tally::default() };
        let asked = |words: &str| find(words, &[&input], &[&output]);
        assert_eq!(asked("convert"), None);
        note("convert", &[&input], &[&output], &tally);
        assert_eq!((asked("convert"), asked("shuffle")), (Some(tally), None));
        fs::write(&output, "other games").unwrap();
        assert_eq!(asked("convert"), None);
        fs::remove_file(&output).unwrap();
        assert_eq!(asked("convert"), None);
        note("convert", &[&input], &[Path::new("-")], &Tally::default());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "streams leave nothing");
    }
}
