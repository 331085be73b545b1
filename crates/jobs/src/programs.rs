//! The search for programs: the folders of `PATH`, then those of distributions for games, which `PATH` often lacks.

use std::{
    env, fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Folders of games that are looked into after those of `PATH`.
const GAME_FOLDERS: [&str; 2] = ["/usr/games", "/usr/local/games"];

/// The path of program `name`; `None` if no folder has it.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(GAME_FOLDERS.map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|file| is_program(file))
}

/// The program to start for `command`: its path if it is a name that only the folders of games have, else itself.
pub fn program_path(command: impl AsRef<Path>) -> PathBuf {
    let command = command.as_ref();
    let found = command.to_str().filter(|name| is_name(name)).and_then(find_program);
    let is_game =
        |file: &PathBuf| file.parent().is_some_and(|folder| GAME_FOLDERS.iter().any(|games| folder == *games));
    found.filter(is_game).unwrap_or_else(|| command.to_path_buf())
}

/// The error of starting `program`, which says where it was looked for when nothing of its name was found.
pub(crate) fn start_error(program: &Path, error: io::Error) -> io::Error {
    match program.to_str().filter(|name| is_name(name) && error.kind() == io::ErrorKind::NotFound) {
        Some(_) => {
            let words = format!("{error}; looked in the folders of PATH, {}", GAME_FOLDERS.join(" and "));
            io::Error::new(io::ErrorKind::NotFound, words)
        }
        None => error,
    }
}

/// Whether a program is given by its name alone.
fn is_name(command: &str) -> bool {
    !command.is_empty() && !command.contains('/')
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `doctor` found an engine in /usr/games that `match` could not start, and the error did not say where it had looked.
    #[test]
    fn programs_are_looked_for_where_games_are() {
        assert!(find_program("sh").is_some_and(|path| path.ends_with("sh")));
        assert_eq!(program_path("sh"), Path::new("sh"));
        assert_eq!(program_path("./sh"), Path::new("./sh"));
        assert_eq!(program_path("no-such-program"), Path::new("no-such-program"));
        for folder in GAME_FOLDERS {
            let Some(game) = fs::read_dir(folder).ok().and_then(|mut all| all.next()?.ok()) else { continue };
            assert!(find_program(&game.file_name().to_string_lossy()).is_some(), "{game:?}");
        }
        let error = |program: &str| start_error(Path::new(program), io::ErrorKind::NotFound.into()).to_string();
        assert!(error("stockfish").ends_with("looked in the folders of PATH, /usr/games and /usr/local/games"));
        assert!(!error("./stockfish").contains("looked"));
    }
}
