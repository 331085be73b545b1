//! Weights files on disk: read with their errors, written whole or not at all, the old ones kept.

use std::{fs::File, io, path::Path, path::PathBuf};
use tesuji_jobs::{AtomicFile, read_text_limited};
use tesuji_tally::{Term, Weights, WeightsError};
use thiserror::Error;

/// The longest file of weights, in bytes, unpacked.
const WEIGHTS_BYTES_MAX: u64 = 64 << 20;

/// An error in reading or writing a weights file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file system said no.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// The I/O error.
        error: io::Error,
    },
    /// The file holds no weights for this game; the error names it.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

/// Reads the weights of `game`. Terms that the file lacks, as older files do, are 0, with a warning in the log.
///
/// # Errors
/// When the file cannot be read or holds something else.
pub fn load_weights(path: &Path, game: &str, terms: &[Term]) -> Result<Weights, FileError> {
    let name = path.display().to_string();
    let io_error = |error| FileError::Io { path: name.clone(), error };
    let text = read_text_limited(path, WEIGHTS_BYTES_MAX).map_err(io_error)?;
    Ok(read_weights(&text, game, terms, &name)?)
}

/// Reads the text of a file of weights of `game`, which errors call `name`; terms that it lacks are logged and have 0.
///
/// # Errors
/// When it is none of this game.
pub fn read_weights(text: &str, game: &str, terms: &[Term], name: &str) -> Result<Weights, WeightsError> {
    let (weights, missing) = Weights::from_json_partial(text, game, terms, name)?;
    for term in missing {
        tracing::warn!(target: "tune", "{name}: no weights for term {}, taken as 0", term.name);
    }
    Ok(weights)
}

/// Writes weights of `game`, whole or not at all. What was there before is kept beside it, see [`old_name`].
///
/// # Errors
/// Those of the file system; the old file is then still in place.
pub fn save_weights(path: &Path, weights: &Weights, game: &str, terms: &[Term]) -> Result<(), FileError> {
    let fault = |path: &Path| {
        let path = path.display().to_string();
        move |error| FileError::Io { path, error }
    };
    match File::open(path) {
        // Before the new file is written: a kill between both leaves the old weights under two names.
        Ok(old) => keep(old, &old_name(path)).map_err(fault(&old_name(path)))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(fault(path)(error)),
    }
    AtomicFile::write(path, weights.to_json(game, terms).as_bytes()).map_err(fault(path))
}

/// Writes what is in `old` as the file `path`.
fn keep(mut old: File, path: &Path) -> io::Result<()> {
    let mut kept = AtomicFile::create(path)?;
    io::copy(&mut old, &mut kept)?;
    kept.commit()
}

/// The path at which [`save_weights`] keeps what was there: `weights.json` becomes `weights.json.old`.
pub fn old_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".old");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: [Term; 1] =
        [Term { name: "one", group: "g", first: 0, len: 2, columns: 0, unit: 1, doc: "d", source: "s" }];

    #[test]
    fn the_old_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.json");
        let weights = |v| Weights { values: vec![[v, 2], [3, 4]], ..Weights::default() };
        for v in [1, 5, 9] {
            save_weights(&path, &weights(v), "toy", &TERMS).unwrap();
        }
        assert_eq!(load_weights(&path, "toy", &TERMS).unwrap(), weights(9));
        assert_eq!(load_weights(&old_name(&path), "toy", &TERMS).unwrap(), weights(5));
        let error = load_weights(&path, "chess", &TERMS).unwrap_err().to_string();
        assert!(error.contains("weights.json") && error.contains("chess"), "{error}");
        let error = load_weights(&folder.path().join("none"), "toy", &TERMS).unwrap_err().to_string();
        assert!(error.contains("none"), "{error}");
    }
}
