//! What the machine has no end of, and what it lacks: endless files that a person names, and threads that the system does not give.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

/// `tesuji LINE` in `folder` with little memory; with `/dev/zero` as its input.
fn tesuji(folder: &Path, line: &str) -> Output {
    let script = format!("ulimit -v 6000000; exec {} {line} < /dev/zero", env!("CARGO_BIN_EXE_tesuji"));
    Command::new("sh").args(["-c", &script]).current_dir(folder).output().expect("the shell starts")
}

/// Files that were read on until the memory was full.
#[cfg(target_os = "linux")]
#[test]
fn files_without_an_end_are_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    for name in ["zero.toml", "zero.psfen", "zero.checkpoint"] {
        std::os::unix::fs::symlink("/dev/zero", here.join(name)).expect("a link");
    }
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/features-few.sgs");
    fs::copy(games, here.join("g.sgs")).expect("a file");
    let shown = Command::new(env!("CARGO_BIN_EXE_tesuji")).args(["weights", "show", "builtin"]).output();
    fs::write(here.join("w.json"), shown.expect("the binary starts").stdout).expect("a file");
    let (device, mib) = ("expected a regular file, found a device or a pipe", "MiB, unpacked");
    for (line, path, words) in [
        ("book add chess /dev/zero -- e2e4 1", "/dev/zero", device),
        ("book show chess /dev/zero", "/dev/zero", device),
        ("csa-client localhost --user a --password-file /dev/zero --out games", "/dev/zero", "expected at most 1 MiB"),
        (
            "match --openings /dev/zero --engine name=a --engine name=b --nodes 5",
            "/dev/zero",
            "a line of at most 1 MiB",
        ),
        ("tune chess --games g.sgs --out new.json --bounds /dev/zero", "/dev/zero", mib),
        ("tune chess --sweep /dev/zero --out sweep", "/dev/zero", device),
        ("solve shogi --problems /dev/zero", "/dev/zero", mib),
        ("solve go --problems /dev/zero", "/dev/zero", mib),
        ("builds --recipe /dev/zero", "/dev/zero", mib),
        ("selfplay chess --games 1 --weights /dev/zero --out a.sgs", "/dev/zero", "expected a regular file"),
        ("selfplay shogi --games 1 --starts zero.psfen --out a.csa", "zero.psfen", "expected a regular file"),
        ("train nnue --game chess --games g.sgs --net zero.toml --out n.nnue", "zero.toml", mib),
        ("weights apply - --to w.json", "", mib),
        ("explain go --weights /dev/zero", "/dev/zero", device),
        ("improve go --from /dev/zero --games 1 --pairs 1 --out run", "/dev/zero", device),
        ("match --request /dev/zero", "/dev/zero", mib),
        ("analysis go", "", "queries of at most 16 MiB"),
    ] {
        let out = tesuji(here, line);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{line}: {told}");
        assert!(told.starts_with("tesuji: ") && told.lines().count() == 1 && told.len() < 400, "{line}: {told}");
        assert!(told.contains(path) && told.contains(words), "{line}: {told}");
        assert!(path.is_empty() || told.matches(path).count() == 1, "{line}: it names the file twice: {told}");
    }
}

/// `tesuji LINE` where the system gives no thread with a stack of the usual size.
fn without_threads(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(line.split(' ')).current_dir(folder).env("RUST_MIN_STACK", (1u64 << 46).to_string());
    command.stdin(Stdio::null()).output().expect("the binary starts")
}

/// Programs panicked where the system gave no thread.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_are_not_there_are_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    for (line, words) in [
        ("net bench go-2x16 --threads 2 --seconds 0.1", "the system gives no 2 threads to measure on"),
        ("analysis go", "the system gives no thread to search on"),
    ] {
        let out = without_threads(folder.path(), line);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!told.contains("panicked"), "{line}: {told}");
        assert_eq!((out.status.code(), told.lines().count()), (Some(2), 1), "{line}: {told}");
        assert!(told.contains(words), "{line}: {told}");
    }
}
