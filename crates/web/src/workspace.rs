//! The workspace: the folder that the page may read and write, and nothing outside it.

use crate::Problem;
use std::{
    fs::{File, TryLockError},
    io::{self, Read},
    path::{Component, Path, PathBuf},
};
use tesuji_system::try_lock;

/// The folder in it that is ours: jobs and what they left.
const OWN: &str = ".tesuji";
/// The file in it that a server holds locked as long as it lives.
const LOCK_FILE: &str = "serve.lock";

/// The folder that the page works in.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// Whole, without links in it.
    root: PathBuf,
}

impl Workspace {
    /// The folder at `root`, which is made where it is not.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn open(root: &Path) -> io::Result<Workspace> {
        std::fs::create_dir_all(root)?;
        Ok(Workspace { root: root.canonicalize()? })
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A folder of ours in it, which is made where it is not.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn own(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.root.join(OWN).join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// The file or folder called `name` in the workspace; links that lead out of it are no way.
    ///
    /// # Errors
    /// When it is not there, or elsewhere.
    pub(crate) fn find(&self, name: &str) -> Result<PathBuf, Problem> {
        let outside = || {
            Problem::forbidden(format!("{name:?} is not in the workspace"))
                .hint(format!("Files are read from {} and below.", self.root.display()))
        };
        let named = Path::new(name);
        if name.is_empty() || !named.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(outside());
        }
        let whole = self.root.join(named).canonicalize();
        let whole = whole.map_err(|_| Problem::not_found(format!("there is no {name:?} in the workspace")))?;
        if whole.starts_with(&self.root) { Ok(whole) } else { Err(outside()) }
    }

    /// As [`Workspace::find`]; a file that is not there yet is at its place in a folder that is.
    ///
    /// # Errors
    /// When its folder is not there, or elsewhere.
    pub(crate) fn place(&self, name: &str) -> Result<PathBuf, Problem> {
        let missing = match self.find(name) {
            Err(problem) if problem.status == 404 => problem,
            found => return found,
        };
        let path = Path::new(name);
        let (Some(file), Some(folder)) = (path.file_name(), path.parent()) else { return Err(missing) };
        let folder = folder.to_str().map(|folder| if folder.is_empty() { "." } else { folder }).unwrap_or_default();
        let whole = self.find(folder)?.join(file);
        // A link to a file that is not there would be made where the link leads.
        if whole.symlink_metadata().is_ok() { Err(missing) } else { Ok(whole) }
    }

    /// Takes the workspace for this server until the file is dropped, and notes in it where the server is.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] with where the other one is, when another server has it; else those of the file system.
    pub(crate) fn lock(&self) -> io::Result<File> {
        let path = self.own("")?.join(LOCK_FILE);
        let file = File::options().create(true).truncate(false).read(true).write(true).open(path)?;
        match try_lock(&file) {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                let mut address = String::new();
                let _ = file.take(200).read_to_string(&mut address);
                Err(io::Error::new(io::ErrorKind::WouldBlock, address.trim().to_string()))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// `path` as it is called from the workspace, with `/` between folders.
    pub(crate) fn name_of(&self, path: &Path) -> String {
        let inner = path.strip_prefix(&self.root).unwrap_or(path);
        inner.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_second_server_is_refused_until_the_first_has_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let space = Workspace::open(folder.path()).expect("it is made");
        let mut first = space.lock().expect("nobody else is here");
        std::io::Write::write_all(&mut first, b"http://127.0.0.1:1/").expect("written");
        let refused = space.lock().expect_err("the first is here");
        assert_eq!((refused.kind(), &*refused.to_string()), (io::ErrorKind::WouldBlock, "http://127.0.0.1:1/"));
        drop(first);
        assert!(space.lock().is_ok());
    }

    #[test]
    fn nothing_outside_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("work");
        let space = Workspace::open(&root).expect("it is made");
        fs::write(folder.path().join("secret"), "s").expect("written");
        fs::create_dir(root.join("a")).expect("made");
        fs::write(root.join("a/b.txt"), "b").expect("written");
        let found = space.find("a/b.txt").expect("it is there");
        assert_eq!(space.name_of(&found), "a/b.txt");
        let absolute = root.join("a/b.txt").to_string_lossy().into_owned();
        for bad in ["", "..", "../secret", "a/../../secret", "/etc/passwd", &absolute, "a/no", "a\0"] {
            assert!(space.find(bad).is_err(), "{bad:?}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("secret"), root.join("way")).expect("a link");
            assert_eq!(space.find("way").map_err(|p| p.status), Err(403), "a link that leads out");
        }
    }
}
