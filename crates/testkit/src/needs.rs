//! What a test needs that the project has not: time, data, programs, packages of Python. What is missing skips the test, and
//! is written down, so that `./check` lists in its last lines what was skipped and why.

use std::{
    env,
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

/// The file that collects what was skipped, a line each: the test, a tab, what it needs.
const LIST: &str = "TESUJI_SKIPS";

/// Writes down that this test, or a part of it, is skipped: `needs` begins with the word `needs` and names what to install or set.
///
/// # Panics
/// When `needs` begins otherwise, or the list cannot be written: a skip that nobody hears of is a check that cannot fail.
#[track_caller]
pub fn skip(needs: &str) {
    assert!(needs.starts_with("needs "), "a reason to skip begins with `needs`: {needs}");
    eprintln!("skipped: {needs}");
    if let Some(list) = env::var_os(LIST) {
        let at = std::panic::Location::caller();
        let test = thread::current().name().map_or_else(|| at.file().to_string(), str::to_string);
        let written = File::options()
            .create(true)
            .append(true)
            .open(&list)
            .and_then(|mut file| file.write_all(format!("{test}\t{needs}\n").as_bytes()));
        assert!(written.is_ok(), "{LIST}={}: {written:?}", list.display());
    }
}

/// Whether long tests run (`SLOW=1`).
pub fn is_slow() -> bool {
    env::var_os("SLOW").is_some()
}

/// Whether long tests run; where not, writes down that `what` is left to them.
#[track_caller]
pub fn slow(what: &str) -> bool {
    if !is_slow() {
        skip(&format!("needs SLOW=1: {what}"));
    }
    is_slow()
}

/// The file `name` of the folder with foreign data: `$TESUJI_DATA`, else `../shared/data` beside the project.
#[track_caller]
pub fn data(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = env::var_os("TESUJI_DATA").map_or_else(beside, PathBuf::from).join(name);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("needs the data file {name} (TESUJI_DATA names its folder)"));
    None
}

/// The path of the program `name`, which Debian's `package` installs: in `PATH`, or where Debian keeps games.
#[track_caller]
pub fn program(name: &str, package: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/games", "/usr/local/bin", "/usr/bin"].map(PathBuf::from));
    let found = folders.map(|folder| folder.join(name)).find(|file| file.is_file());
    if found.is_none() {
        skip(&format!("needs {name} (Debian's package {package})"));
    }
    found
}

/// A place for folders that programs in a sandbox see: folders for temporary files are private there, so that what is written or hidden in them tells nothing.
#[track_caller]
pub fn place_seen_in_sandboxes() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let places =
        [env::var_os("CARGO_TARGET_DIR").map(PathBuf::from), Some(target), env::var_os("HOME").map(PathBuf::from)];
    let is_private = |path: &Path| ["/tmp", "/var/tmp", "/run"].iter().any(|private| path.starts_with(private));
    let found = places.into_iter().flatten().filter_map(|path| path.canonicalize().ok()).find(|path| !is_private(path));
    if found.is_none() {
        skip("needs a build folder or a home folder that is not below /tmp");
    }
    found
}

/// A Python that has the `module`, which PyPI's `package` installs: `$TESUJI_PYTHON`, else `python3`.
#[track_caller]
pub fn python(module: &str, package: &str) -> Option<PathBuf> {
    let python = env::var_os("TESUJI_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let mut command = Command::new(&python);
    command.args(["-c", &format!("import {module}")]).stdout(Stdio::null()).stderr(Stdio::null());
    if command.status().is_ok_and(|status| status.success()) {
        return Some(python);
    }
    skip(&format!("needs Python with {package} (PyPI; TESUJI_PYTHON names another Python)"));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a reason to skip begins with `needs`")]
    fn a_skip_says_what_it_needs() {
        skip("no time");
    }

    #[test]
    fn programs_are_found_where_debian_keeps_them() {
        assert!(program("sh", "dash").is_some_and(|path| path.is_file()));
    }
}
