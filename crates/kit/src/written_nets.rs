//! The nets that a training run wrote, by their checksums beside its checkpoint: it replaces those, and no file of somebody else.

use std::{
    fs, io,
    path::{Path, PathBuf},
};
use tesuji_jobs::{AtomicFile, Existing, is_special, sha256, sha256_of};

/// Checksums of the last net and of the one before, which a kill may have left in place.
const SUMS_MAX: usize = 2;

/// The checksums of the nets that the run of a checkpoint wrote.
///
/// # Examples
/// ```
/// use tesuji_kit::WrittenNets;
/// let folder = tempfile::tempdir()?;
/// let [net, checkpoint] = ["net.nnue", "net.checkpoint"].map(|name| folder.path().join(name));
/// WrittenNets::beside(&checkpoint).write(&net, b"learned")?;
/// assert!(WrittenNets::beside(&checkpoint).have(&net));
/// std::fs::write(&net, "of another program")?;
/// assert!(!WrittenNets::beside(&checkpoint).have(&net));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct WrittenNets {
    path: PathBuf,
    sums: Vec<String>,
}

impl WrittenNets {
    /// Those noted beside `checkpoint`; none where nothing is noted.
    pub fn beside(checkpoint: &Path) -> WrittenNets {
        let mut name = checkpoint.as_os_str().to_owned();
        name.push(".nets");
        let path = PathBuf::from(name);
        let text = if path.is_file() { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
        WrittenNets { path, sums: text.lines().map(str::to_string).collect() }
    }

    /// The treatment of what stands at `net`: a net of this run is replaced, another file is not, unless the user says `--force`.
    pub fn treatment(&self, net: &Path) -> Existing {
        if self.have(net) { Existing::Replace } else { Existing::Refuse }
    }

    /// Whether the file `net` is one of them.
    pub fn have(&self, net: &Path) -> bool {
        !self.sums.is_empty() && sha256(net).is_ok_and(|sum| self.sums.contains(&sum))
    }

    /// Writes `net` as the file `path` and notes before that it is one of them.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(self, path: &Path, net: &[u8]) -> io::Result<()> {
        if !is_special(path) {
            let newest = [sha256_of(net)];
            let sums = newest.iter().chain(self.sums.iter().filter(|sum| **sum != newest[0])).take(SUMS_MAX);
            let text: String = sums.map(|sum| format!("{sum}\n")).collect();
            AtomicFile::write(&self.path, text.as_bytes())?;
        }
        AtomicFile::write(path, net)
    }

    /// Forgets them, with a checkpoint that is removed.
    pub fn forget(self) {
        let _ = fs::remove_file(self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A net of another program was replaced without a word, since a checkpoint stood beside it.
    #[test]
    fn nets_of_the_run_are_known_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let nets = || WrittenNets::beside(&at("net.checkpoint"));
        fs::write(at("net.nnue"), "of another program").unwrap();
        assert!(!nets().have(&at("net.nnue")));
        for net in ["first", "second"] {
            nets().write(&at("net.nnue"), net.as_bytes()).unwrap();
            assert!(nets().have(&at("net.nnue")));
        }
        // A kill between note and net left the one before.
        fs::write(at("net.nnue"), "first").unwrap();
        assert!(nets().have(&at("net.nnue")));
        fs::write(at("net.nnue"), "of another program").unwrap();
        assert!(!nets().have(&at("net.nnue")) && !nets().have(&at("none.nnue")));
    }
}
