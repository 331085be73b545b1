//! A match whose folder was moved or copied since it was begun: it goes on beside the journal that was named, and writes into no file that
//! belongs to another copy.

use crate::Resumed;
use crate::journal_choice::usual;
use crate::request_error::refuse;
use crate::{MatchRequest, Tail};
use std::path::{Component, Path, PathBuf};
use tesuji_jobs::is_same_file;
use tesuji_kit::RequestError;

impl Resumed {
    /// Finds the folder from which the paths of the match that `asked` describes count now: the one in which it was begun or, where the
    /// journal has been moved or copied together with its files, the one in its place. The journal then remembers that.
    ///
    /// # Errors
    /// When the journal lies where no such folder can be found, a file with games did not come along, or the games of a copied journal
    /// would go into the files of the one that it was copied from.
    ///
    /// # Examples
    ///
    /// ```
    /// use tesuji_arena::{MatchRequest, OwnProgram, Resumed, begin_journal};
    /// use tesuji_four::FOUR;
    /// let (folder, other) = (tempfile::tempdir()?, tempfile::tempdir()?);
    /// let text = r#"{ "game": "four", "engines": [{ "name": "new" }, { "name": "old" }], "nodes": 500, "games": 2 }"#;
    /// let request = MatchRequest::from_json(text)?;
    /// let own = OwnProgram { path: "tesuji".into(), words: vec!["uci".into()], version: "1.0".into() };
    /// let plan = request.plan(&FOUR, &own, request.openings(&FOUR, 7, 1, &mut |_| ())?)?;
    /// let path = folder.path().join("match.journal");
    /// drop(begin_journal(&path, &[], 7, (&request, &plan))?);
    /// let moved = other.path().canonicalize()?.join("match.journal");
    /// std::fs::rename(&path, &moved)?;
    /// let mut resumed = Resumed::open(&moved, &mut |_| ())?;
    /// resumed.find_folder(&request)?;
    /// assert_eq!(Some(resumed.folder.as_path()), moved.parent());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_folder(&mut self, asked: &MatchRequest) -> Result<(), RequestError> {
        let (journal, here) = (self.path.display().to_string(), self.path.parent().unwrap_or(Path::new("/")));
        let beside = usual(asked).parent().map(Path::to_path_buf).unwrap_or_default();
        let was = self.folder.join(&beside);
        if was.canonicalize().is_ok_and(|was| was == here) {
            return Ok(());
        }
        let Some(folder) = without_ending(here, &beside) else {
            refuse!(
                "{journal}: this match was begun with its journal in {}; put the journal and the files of its games back there, and \
                 resume it there",
                was.display()
            )
        };
        let first = self.path.file_name().map(|name| was.join(name)).filter(|first| first.exists());
        let tails = self.journal.tails()?;
        for (index, output) in asked.outputs.iter().enumerate() {
            let [there, now] = [&self.folder, &folder].map(|folder| folder.join(&output.file));
            let is_shared = there == now || is_same_file(&there, &now);
            match &first {
                Some(first) if is_shared => refuse!(
                    "{journal}: this is a copy of {}, and the games of both go to {}: go on with that one",
                    first.display(),
                    now.display()
                ),
                _ if tails.get(index).is_some_and(has_games) && !now.exists() => refuse!(
                    "{}: this file with the games of the match is missing: it was begun in {}, and its journal lies in {} now; put the \
                     file beside it as well, or the journal back",
                    now.display(),
                    self.folder.display(),
                    here.display()
                ),
                _ => {}
            }
        }
        self.journal.set(&[("folder", &folder.to_string_lossy())])?;
        self.folder = folder;
        Ok(())
    }
}

fn has_games(tail: &Tail) -> bool {
    tail.start > 0 || !tail.bytes.is_empty()
}

/// The folder in which `path` is called `ending`; `None`: its last names are others.
fn without_ending(path: &Path, ending: &Path) -> Option<PathBuf> {
    let mut folder = path.to_path_buf();
    for part in ending.components().rev() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) if folder.file_name() == Some(name) => drop(folder.pop()),
            _ => return None,
        }
    }
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_found_above_the_journal() {
        let found = |path: &str, ending: &str| without_ending(Path::new(path), Path::new(ending));
        assert_eq!(found("/new", ""), Some("/new".into()));
        assert_eq!(found("/new/out", "./out"), Some("/new".into()));
        assert_eq!(found("/new/a/b", "a/b"), Some("/new".into()));
        for (path, ending) in [("/new/out2", "out"), ("/new", "../out"), ("/new", "/old"), ("/", "out")] {
            assert_eq!(found(path, ending), None, "{path} {ending}");
        }
    }
}
