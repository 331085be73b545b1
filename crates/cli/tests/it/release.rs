//! `./release`: what the archive holds, that its sums are right, that it is the same twice; with `SLOW=1` the real thing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `./release` into `folder`; the archive, and all that was said.
#[track_caller]
fn release(folder: &Path, arguments: &[&str]) -> (PathBuf, String) {
    let out =
        Command::new(root().join("release")).args(arguments).arg("--into").arg(folder).output().expect("./release");
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{text}");
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut archives =
        files.filter(|path| path.to_string_lossy().contains(".tar.") && path.extension() != Some("sha256".as_ref()));
    (archives.next().expect("an archive"), text)
}

#[track_caller]
fn shell(folder: &Path, line: &str) -> String {
    let out = Command::new("bash").args(["-euo", "pipefail", "-c", line]).current_dir(folder).output().expect("bash");
    assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Unpacks an archive and looks at everything in it.
fn examine(archive: &Path) {
    let folder = tempfile::tempdir().expect("a folder");
    let place = archive.parent().expect("its folder");
    let name = archive.file_name().expect("its name").to_string_lossy().into_owned();
    shell(place, &format!("sha256sum --check --status {name}.sha256"));
    shell(folder.path(), &format!("tar xf '{}'", archive.display()));
    let top = fs::read_dir(folder.path()).expect("a folder").next().expect("one folder").expect("an entry").path();
    shell(&top, "sha256sum --check --status SHA256SUMS");
    let summed = fs::read_to_string(top.join("SHA256SUMS")).expect("sums").lines().count();
    let files: usize = shell(&top, "find . -type f | wc -l").trim().parse().expect("a number");
    assert_eq!(summed, files - 1, "every file but the sums themselves has a sum");
    assert!(fs::read_to_string(top.join("LICENSE")).expect("a licence").contains("GNU GENERAL PUBLIC LICENSE"));
    let crates = fs::read_to_string(top.join("CRATES.txt")).expect("crates");
    assert!(crates.lines().any(|line| line.starts_with("clap v4")) && crates.contains("MIT"), "{crates}");
    assert!(!crates.contains("tesuji-") && !crates.contains(&*root().to_string_lossy()), "{crates}");
    for wanted in ["docs/match.md", "man/man1/tesuji-match.1", "completions/_tesuji", "CHANGELOG.md", "README.md"] {
        assert!(top.join(wanted).is_file(), "no {wanted}");
    }
    let said = shell(&top, "bin/tesuji --version; bin/tesuji-uci <<< quit");
    assert!(said.starts_with("tesuji "), "{said}");
}

#[test]
fn the_archive_is_whole_and_the_same_twice() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let pack = ["--pack", env!("CARGO_BIN_EXE_tesuji"), "--level", "1"];
    let archives = [0, 1].map(|i| release(folders[i].path(), &pack).0);
    let bytes = archives.clone().map(|path| fs::read(path).expect("an archive"));
    assert!(bytes[0] == bytes[1], "two archives of the same differ");
    examine(&archives[0]);
    let wrong = Command::new(root().join("release")).arg("--fly").output().expect("./release");
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn the_release_is_static_and_runs_in_an_empty_chroot() {
    if !tesuji_testkit::needs::slow("builds the release for minutes") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, text) = release(folder.path(), &["--level", "1"]);
    assert!(text.contains("ldd: statically linked") || text.contains("ldd: not a dynamic executable"), "{text}");
    assert!(text.contains("empty chroot: "), "{text}");
    examine(&archive);
}
