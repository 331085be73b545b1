//! A run that is killed again and again ends with the same bytes as one that was left alone.

use crate::{Toy, run, settings};
use std::process::{Command, Stdio};
use std::time::Duration;
use tesuji_jobs::Interrupt;

/// Where the child of this test works; set for the child alone.
const FOLDER: &str = "TESUJI_TEST_TRAIN_FOLDER";
const STEPS: u64 = 250;

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        run(&settings(STEPS), Some(folder.as_ref()), Toy::new(3), &Interrupt::new()).unwrap();
        return;
    }
    let whole = tempfile::tempdir().unwrap();
    run(&settings(STEPS), Some(whole.path()), Toy::new(3), &Interrupt::new()).unwrap();
    let killed = tempfile::tempdir().unwrap();
    let start = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "killed::a_killed_run_goes_on_to_the_same_bytes"]).env(FOLDER, killed.path());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut kills = 0;
    for _ in 0..6 {
        let mut child = start();
        std::thread::sleep(Duration::from_millis(120));
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        kills += u32::from(ended.is_none());
    }
    assert!(start().wait().unwrap().success());
    assert!(kills > 0, "the run was over before it could be killed");
    for name in ["run.checkpoint", "run.log"] {
        let bytes = |folder: &std::path::Path| std::fs::read(folder.join(name)).unwrap();
        assert!(bytes(whole.path()) == bytes(killed.path()), "{name} differs after {kills} kills");
    }
}
