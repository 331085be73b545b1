//! The list of what was skipped, with which `./check` ends.

use super::root;
use std::{fs, process::Command};

/// What `scripts/skips` says of such a list, and whether it is content.
fn listed(lines: &str) -> (String, bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("skips");
    fs::write(&list, lines).expect("a file");
    let out = Command::new(root().join("scripts/skips")).arg(&list).arg("strict").output().expect("a shell");
    (String::from_utf8_lossy(&out.stdout).into_owned(), out.status.success())
}

/// One list held both, and only what named a package failed.
#[test]
fn tests_that_can_run_here_hid_among_those_that_need_hardware() {
    assert_eq!(listed(""), ("skipped: nothing\n".into(), true));
    let waiting = "a::slow\tneeds SLOW=1: plays games\nb\tneeds SLOW=1: plays games\na::slow\tneeds SLOW=1: plays games\n\
                   card\tneeds a CUDA card: no libcuda\nlist\tneeds the data file go9 (TESUJI_DATA names its folder)\n";
    let text = "left to SLOW=1:\n    needs SLOW=1: plays games: a::slow b\n\
                left to machines with the hardware:\n    needs a CUDA card: no libcuda: card\n\
                left to those who have the data of other projects:\n    \
                needs the data file go9 (TESUJI_DATA names its folder): list\n";
    assert_eq!(listed(waiting), (format!("{text}skipped: nothing\n"), true));
    let missing = "tables\tneeds Syzygy tables\n";
    let expected = format!("{text}skipped:\n    needs Syzygy tables: tables\n");
    assert_eq!(listed(&format!("{waiting}{missing}")), (expected, false));
}
