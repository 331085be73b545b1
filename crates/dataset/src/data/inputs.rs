//! The files to read, with their formats: those in folders, and archives by what is in them.

use super::{DataError, Format, Input};
use std::path::{Path, PathBuf};
use tesuji_jobs::{files_within, find_in_archive};
use tesuji_record::{AnyGame, Survey, unpacked_name};

/// The files `paths` with their formats: `from` whatever their names say, else by their names, and those of archives by the names in them.
/// Of a folder all files whose format is known so are read (with `from`, all there are), in the order of their names; texts (`.txt`)
/// beside them may be anything, and are left out.
///
/// # Errors
/// A file whose format is not known, a folder without any, what the file system says.
pub fn inputs_of(
    paths: &[PathBuf],
    from: Option<&str>,
    game: &'static dyn AnyGame,
    survey: Option<&'static dyn Survey>,
) -> Result<Vec<Input>, DataError> {
    let format = |path: &Path| match from {
        Some(name) => Format::find(game, survey, name).map(Some),
        None => {
            let format = known_format(path, game, survey)?;
            format.map_or(Ok(()), |format| check_one_format(path, format, game, survey))?;
            Ok(format)
        }
    };
    let mut inputs = Vec::new();
    for path in paths {
        if !path.is_dir() {
            let format = format(path)?.map_or_else(|| Format::find(game, survey, &file_name(path)), Ok)?;
            inputs.push(Input { path: path.clone(), format });
            continue;
        }
        let before = inputs.len();
        let within = files_within(path).map_err(|e| DataError::of_file(path, e))?;
        for path in within.into_iter().filter(|path| from.is_some() || !is_text(&path.to_string_lossy())) {
            if let Some(format) = format(&path)? {
                inputs.push(Input { path, format });
            }
        }
        if inputs.len() == before {
            let words =
                format!("no file in this folder has a name of {}'s formats; --from FORMAT takes all", game.name());
            return Err(DataError::of_file(path, words));
        }
    }
    Ok(inputs)
}

/// The format of the file `path` by its name, or by that of a file in the archive that it is; `None` where neither says one.
///
/// # Errors
/// An archive that cannot be read.
pub fn known_format(
    path: &Path,
    game: &dyn AnyGame,
    survey: Option<&'static dyn Survey>,
) -> Result<Option<Format>, DataError> {
    let find = |name: &str| Format::find(game, survey, name);
    if let Ok(format) = find(&file_name(path)) {
        return Ok(Some(format));
    }
    // A name such as `b.zip` says nothing: what is in the archive does.
    let within = |known: &dyn Fn(&str) -> bool| find_in_archive(path, known).map_err(DataError::other);
    let named = within(&|name| find(name).is_ok() && !is_text(name))?;
    let named = if named.is_some() { named } else { within(&|name| find(name).is_ok())? };
    named.map(|name| find(&name)).transpose()
}

/// Checks that the archive `path`, whose own name says nothing, has no files of another format than `format`: they would be passed over.
fn check_one_format(
    path: &Path,
    format: Format,
    game: &dyn AnyGame,
    survey: Option<&'static dyn Survey>,
) -> Result<(), DataError> {
    let find = |name: &str| Format::find(game, survey, name);
    let is_other = |name: &str| !is_text(name) && find(name).is_ok_and(|found| found.name() != format.name());
    if find(&file_name(path)).is_ok() {
        return Ok(());
    }
    match find_in_archive(path, &is_other).map_err(DataError::other)? {
        None => Ok(()),
        Some(other) => {
            let name = format.name();
            let words = format!(
                "expected files of one format in an archive, found {name} and {other}; unpack it into a folder"
            );
            Err(DataError::of_file(path, words))
        }
    }
}

/// Whether a name is that of a text, of games or of anything else.
fn is_text(name: &str) -> bool {
    unpacked_name(&name.to_ascii_lowercase()).ends_with(".txt")
}

/// The last part of a path, as text.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}
