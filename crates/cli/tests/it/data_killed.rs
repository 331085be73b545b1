//! `tesuji data` and the machine: work killed at any moment goes on to the same bytes, and memory stays within what was said.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A file of `copies` times the games of `features.sgs`, each 2,500 positions, the players' tags numbered.
fn games(folder: &Path, copies: usize) {
    let once = include_str!("../data/features.sgs");
    let mut text = String::new();
    for copy in 0..copies {
        for game in once.split_inclusive('\n') {
            text += game;
            if game.starts_with("game ") {
                text += &format!("tag Round {copy}\n");
            }
        }
    }
    fs::write(folder.join("games.sgs"), text).unwrap();
}

fn start(folder: &Path, line: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.arg("data").args(line.split_whitespace()).args(["--quiet", "--force"]).current_dir(folder);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary starts")
}

#[track_caller]
fn finish(child: Child, line: &str) {
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
}

/// The names in `folder` beside those of whole files: what work leaves while it is not done.
fn asides(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(".part") || name.contains(".spill")).collect()
}

/// Does `line` (its output is `again.ENDING`) with a kill whenever a further `step` bytes lie aside, until it is done, and
/// compares with what the same words left alone write. Returns the number of kills.
#[track_caller]
pub(crate) fn kill_again_and_again(folder: &Path, line: &str, ending: &str, step: u64) -> usize {
    let (whole, again) = (format!("whole.{ending}"), format!("again.{ending}"));
    let undisturbed = line.replace(&again, &whole);
    finish(start(folder, &undisturbed), &undisturbed);
    let line = format!("{line} --resume");
    let aside = folder.join(format!("{again}.part"));
    let written = || fs::metadata(&aside).map_or(0, |m| m.len());
    let (mut kills, mut bound) = (0, 1);
    loop {
        let mut child = start(folder, &line);
        while child.try_wait().unwrap().is_none() {
            if written() >= bound {
                // SIGKILL: nothing can be tidied up.
                child.kill().unwrap();
                break;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        let out = child.wait_with_output().unwrap();
        if out.status.success() {
            break;
        }
        assert_eq!(out.status.code(), None, "{line}: {}", String::from_utf8_lossy(&out.stderr));
        // The kill may have come between the name and the end.
        if let Ok(named) = fs::read(folder.join(&again)) {
            assert!(named == fs::read(folder.join(&whole)).unwrap(), "half a file took the name");
        }
        kills += 1;
        bound = written() + step;
    }
    assert!(fs::read(folder.join(&whole)).unwrap() == fs::read(folder.join(&again)).unwrap(), "{line}");
    assert_eq!(asides(folder), [""; 0]);
    kills
}

#[test]
fn killed_work_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    games(here, 40);
    for (line, ending, step) in [
        ("convert games.sgs again.parquet -j 2", "parquet", 1),
        ("shuffle games.sgs again.parquet --seed 5 -j 2 --memory 2", "parquet", 1),
        ("shuffle games.sgs again.txt --seed 5 -j 1 --fill-score 0", "txt", 1),
        ("filter games.sgs again.epd --no-checks --sample 0.5 -j 1", "epd", 1),
        ("dedup games.sgs again.epd -j 1 --memory 1", "epd", 1),
        ("dedup games.sgs again.sgs -j 2", "sgs", 1),
    ] {
        let kills = kill_again_and_again(here, line, ending, step);
        eprintln!("{line}: killed {kills} times");
        assert!(kills >= 1, "{line}: it was never killed");
        fs::remove_file(here.join(format!("whole.{ending}"))).unwrap();
        fs::remove_file(here.join(format!("again.{ending}"))).unwrap();
    }
}

#[test]
fn work_killed_before_it_wrote_begins_again() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    games(here, 30);
    finish(start(here, "shuffle games.sgs whole.sgs --seed 5"), "shuffle");
    for delay_ms in [1, 5, 20] {
        let mut child = start(here, "shuffle games.sgs again.sgs --seed 5 --memory 1 --resume");
        std::thread::sleep(Duration::from_millis(delay_ms));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    finish(start(here, "shuffle games.sgs again.sgs --seed 5 --memory 1 --resume"), "shuffle");
    assert!(fs::read(here.join("whole.sgs")).unwrap() == fs::read(here.join("again.sgs")).unwrap());
    assert_eq!(asides(here), [""; 0]);
}

/// The most memory that `child` had, in MiB, asked until it ends; `None` where the system does not tell.
fn peak_mib(mut child: Child, line: &str) -> Option<u64> {
    let status = format!("/proc/{}/status", child.id());
    let (mut peak, until) = (None, Instant::now() + Duration::from_secs(300));
    while child.try_wait().unwrap().is_none() && Instant::now() < until {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let kib = text.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = kib.map(|kib| kib >> 10).max(peak);
        std::thread::sleep(Duration::from_millis(1));
    }
    finish(child, line);
    peak
}

#[test]
fn memory_stays_within_what_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    games(here, 150);
    finish(start(here, "convert games.sgs positions.parquet"), "convert");
    for (line, mib) in [
        ("shuffle games.sgs out.parquet -j 2 --memory 208", 208),
        ("shuffle positions.parquet out.txt --fill-score 0 -j 2 --memory 208", 208),
        ("shuffle positions.parquet out.parquet -j 1 --memory 140", 140),
        ("dedup positions.parquet out.parquet -j 2 --memory 208", 208),
        ("stats positions.parquet -j 2 --memory 208", 208),
    ] {
        let Some(peak) = peak_mib(start(here, line), line) else {
            return tesuji_testkit::needs::skip("needs /proc, which tells how much memory a process has");
        };
        eprintln!("{line}: {peak} MiB");
        assert!(peak <= mib, "{line}: {peak} MiB");
    }
}
