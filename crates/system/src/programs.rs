//! The search for programs: the folders of `PATH`, then those of distributions for games, which `PATH` often lacks.

use crate::may_run;
use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

/// Folders of games that are looked into after those of `PATH`.
#[cfg(unix)]
const GAME_FOLDERS: [&str; 2] = ["/usr/games", "/usr/local/games"];
#[cfg(not(unix))]
const GAME_FOLDERS: [&str; 0] = [];

/// The path of program `name`; `None` if no folder has it.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(GAME_FOLDERS.map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find_map(|file| named_program(&file))
}

/// The program `file`, or the one of that name with the ending of programs (`.exe`).
fn named_program(file: &Path) -> Option<PathBuf> {
    let ending = env::consts::EXE_SUFFIX;
    let with_ending = || {
        let mut name = file.as_os_str().to_os_string();
        name.push(ending);
        PathBuf::from(name)
    };
    let has_ending = ending.is_empty() || file.extension().is_some();
    let candidates = has_ending.then(|| file.to_path_buf()).into_iter().chain((!ending.is_empty()).then(with_ending));
    candidates.into_iter().find(|file| may_run(file))
}

/// The program to start for `command`: its path if it is a name that only the folders of games have, else itself.
pub fn program_path(command: impl AsRef<Path>) -> PathBuf {
    let command = command.as_ref();
    let found = command.to_str().filter(|name| is_name(name)).and_then(find_program);
    let is_game =
        |file: &PathBuf| file.parent().is_some_and(|folder| GAME_FOLDERS.iter().any(|games| folder == *games));
    found.filter(is_game).unwrap_or_else(|| command.to_path_buf())
}

/// Goes on as another build of this program, which an installation keeps in `../lib/NAME/LEVEL` of the folder of this one, with the same
/// `words` (the first is the name it was called by); returns where there is none or it cannot be started.
///
/// `TESUJI_BUILD=own` in the environment keeps this build.
pub fn become_sibling_build(level: &str, words: &[OsString]) {
    let is_kept = env::var_os("TESUJI_BUILD").is_some_and(|word| word == "own");
    let sibling = env::current_exe().ok().filter(|_| !is_kept).and_then(|own| sibling_build(&own, level));
    if let Some(sibling) = sibling {
        replace_process(&sibling, words);
    }
}

/// The build for `level` that belongs to the program `own`.
fn sibling_build(own: &Path, level: &str) -> Option<PathBuf> {
    let (name, top) = (own.file_name()?, own.parent()?.parent()?);
    let sibling = top.join("lib").join(own.file_stem()?).join(level).join(name);
    may_run(&sibling).then_some(sibling)
}

/// Replaces this process by `program`; returns where that fails.
#[cfg(unix)]
fn replace_process(program: &Path, words: &[OsString]) {
    use std::os::unix::process::CommandExt;
    let Some((called, rest)) = words.split_first() else { return };
    let _ = std::process::Command::new(program).arg0(called).args(rest).exec();
}

/// Elsewhere a process cannot be replaced: this build goes on.
#[cfg(not(unix))]
fn replace_process(_: &Path, _: &[OsString]) {}

/// The error of starting `program`, which says where it was looked for when nothing of its name was found.
pub(crate) fn start_error(program: &Path, error: io::Error) -> io::Error {
    match program.to_str().filter(|name| is_name(name) && error.kind() == io::ErrorKind::NotFound) {
        Some(name) => {
            let here =
                if Path::new(name).is_file() { format!("; the one in this folder is ./{name}") } else { String::new() };
            let games = GAME_FOLDERS.join(" and ");
            let and = if games.is_empty() { "" } else { ", " };
            let words = format!("{error}; looked in the folders of PATH{and}{games}{here}");
            io::Error::new(io::ErrorKind::NotFound, words)
        }
        None => error,
    }
}

/// Whether a program is given by its name alone.
fn is_name(command: &str) -> bool {
    !command.is_empty() && !command.contains(std::path::is_separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_faster_build_of_an_installation_is_found() {
        use std::os::unix::fs::PermissionsExt;
        let top = tempfile::tempdir().unwrap();
        let own = top.path().join("bin/tesuji");
        assert_eq!(sibling_build(&own, "x86-64-v3"), None);
        let faster = top.path().join("lib/tesuji/x86-64-v3/tesuji");
        std::fs::create_dir_all(faster.parent().unwrap()).unwrap();
        std::fs::write(&faster, "").unwrap();
        assert_eq!(sibling_build(&own, "x86-64-v3"), None, "nobody may run it");
        std::fs::set_permissions(&faster, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(sibling_build(&own, "x86-64-v3"), Some(faster));
    }

    /// `doctor` found an engine in /usr/games that `match` could not start, and the error did not say where it had looked.
    #[cfg(unix)]
    #[test]
    fn programs_are_looked_for_where_games_are() {
        assert!(find_program("sh").is_some_and(|path| path.ends_with("sh")));
        assert_eq!(program_path("sh"), Path::new("sh"));
        assert_eq!(program_path("./sh"), Path::new("./sh"));
        assert_eq!(program_path("no-such-program"), Path::new("no-such-program"));
        for folder in GAME_FOLDERS {
            let Some(game) = std::fs::read_dir(folder).ok().and_then(|mut all| all.next()?.ok()) else { continue };
            assert!(find_program(&game.file_name().to_string_lossy()).is_some(), "{game:?}");
        }
        let error = |program: &str| start_error(Path::new(program), io::ErrorKind::NotFound.into()).to_string();
        assert!(error("stockfish").ends_with("looked in the folders of PATH, /usr/games and /usr/local/games"));
        assert!(!error("./stockfish").contains("looked"));
        assert!(error("Cargo.toml").ends_with("; the one in this folder is ./Cargo.toml"));
    }

    #[test]
    fn the_ending_of_programs_need_not_be_said() {
        let folder = tempfile::tempdir().unwrap();
        let ending = env::consts::EXE_SUFFIX;
        let whole = folder.path().join(format!("engine{ending}"));
        std::fs::copy(env::current_exe().unwrap(), &whole).unwrap();
        assert_eq!(named_program(&folder.path().join("engine")), Some(whole.clone()));
        assert_eq!(named_program(&whole), Some(whole));
        assert_eq!(named_program(&folder.path().join("none")), None);
    }
}
