//! Files of games, opened by their names.

use crate::{
    RequestError,
    members::{is_bundle, members},
};
use std::path::Path;
use tesuji_jobs::open_input;
use tesuji_record::{AnyGame, RecordReader, unpacked_name};

/// Reads the games of a file in the format that its name says, or those of all files in a folder or an archive (zip, tar; packed or not)
/// that have a format of the game, in the order of their names or of the archive. A last game of which nothing but the end is missing is taken as it
/// is, with a word on stderr.
///
/// # Errors
/// When no format of the game has this ending, or the file cannot be opened.
pub fn open_records(game: &(impl AnyGame + ?Sized), path: &Path) -> Result<Box<dyn RecordReader>, RequestError> {
    let name = path.display().to_string();
    let Some(format) = game.format(unpacked_name(&name)).filter(|_| !path.is_dir()) else {
        if path != Path::new("-") && !path.exists() {
            let hint = if name.contains(' ') { "; a position is given with --fen, --sfen or --position" } else { "" };
            return Err(RequestError::Failed(format!("{name}: there is no such file or folder{hint}")));
        }
        if is_bundle(path) {
            return members(path, game.formats())
                .map_err(|error| RequestError::failed(format_args!("{name}: {error}")));
        }
        let known: Vec<&str> = game.formats().iter().flat_map(|f| f.extensions()).copied().collect();
        let words = format!("{name}: no format is known by this name; known endings: {}", known.join(", "));
        return Err(RequestError::Failed(words));
    };
    let reader = format.reader(open_input(path).map_err(RequestError::failed)?);
    Ok(crate::skip::closing(name, reader))
}

/// The endings of file names that a game has formats for: `.pgn, .sgs`.
pub fn endings(game: &(impl AnyGame + ?Sized)) -> String {
    let endings = game.formats().iter().flat_map(|format| format.extensions());
    endings.map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
}
