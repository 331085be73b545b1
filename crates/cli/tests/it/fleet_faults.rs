//! What befalls a fleet's machines, with the real binary: disks that are full, clocks that jump, workers of other versions. Runs wait or go on, and come to the
//! same games.

use crate::{
    fleet::{Up, has_server, until},
    fleet_trust::{own, results, tesuji},
};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};
use tesuji_arena::{Journal, MatchKind};
use tesuji_fleet::{Fleet, WorkerOptions, run_worker, set_program_version};
use tesuji_jobs::Interrupt;
use tesuji_testkit::needs;

/// A match whose games depend on nodes alone.
const NODES: &str = "match --engine name=a --engine name=b --nodes 1000 --games 40 --seed 5 --quiet --journal";
/// A longer one.
const LONG: &str = "match --engine name=a --engine name=b --nodes 1000 --games 200 --seed 5 --quiet --journal";

/// A process that is killed when it is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A command of this program in `folder`, whose words go into the file `NAME.log` there.
fn begun(folder: &Path, name: &str, words: &str, more: &[&str], variables: &[(&str, &str)]) -> Process {
    let log = || fs::File::options().create(true).append(true).open(folder.join(format!("{name}.log"))).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(words.split(' ')).args(more).envs(variables.iter().copied()).current_dir(folder);
    Process(command.stdin(Stdio::null()).stdout(log()).stderr(log()).spawn().unwrap())
}

fn said(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(format!("{name}.log"))).unwrap_or_default()
}

/// Plays the match without a fleet, for comparison.
fn play_alone(folder: &Path, words: &str) {
    let words: Vec<&str> = words.split(' ').chain(["alone"]).collect();
    let out = tesuji(folder, &words, &[]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// Waits until a process ends well.
fn finish(process: &mut Process, folder: &Path, name: &str) {
    let mut end = None;
    until("the match ends", || {
        end = process.0.try_wait().unwrap();
        end.is_some()
    });
    assert!(end.unwrap().success(), "{}", said(folder, name));
}

/// Units that all workers have done.
fn done(status: &Value) -> u64 {
    let workers = status["workers"].as_array().into_iter().flatten();
    workers.map(|worker| worker["done"].as_u64().unwrap_or(0)).sum()
}

/// NATS writes no more to a stream whose disk was full, until it starts again.
#[test]
fn a_full_disk_of_the_server_holds_everybody_up_until_it_has_room_and_nothing_is_lost() {
    let may_mount = || Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|status| status.success());
    if !has_server() {
        return;
    }
    if !may_mount() {
        return needs::skip("needs unshare of util-linux, and a kernel that lets it mount");
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    play_alone(folder, LONG);
    fs::create_dir(folder.join("fleet")).unwrap();
    // A disk of its own that only these processes see: it is filled and emptied when files are there.
    let script = format!(
        "mount -t tmpfs -o size=24m none fleet || exit 7\n\
         wait_for() {{ for i in $(seq 1200); do [ -e $1 ] && return; sleep 0.1; done; }}\n\
         (wait_for fill; dd if=/dev/zero of=fleet/filled bs=64k 2>/dev/null; touch is-full; wait_for empty; rm fleet/filled) &\n\
         exec {} fleet up --folder fleet --workers 2 --sandbox off\n",
        env!("CARGO_BIN_EXE_tesuji")
    );
    let log = || fs::File::options().create(true).append(true).open(folder.join("up.log")).unwrap();
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &script]).current_dir(folder);
    let _up = Process(command.stdin(Stdio::null()).stdout(log()).stderr(log()).spawn().unwrap());
    let address = || Some(said(folder, "up").lines().find_map(|line| line.strip_prefix("fleet:"))?.trim().to_string());
    until("the server starts", || address().is_some());
    let url = address().unwrap();
    let status = || -> Value {
        serde_json::from_slice(&tesuji(folder, &["fleet", "status", &url, "--json"], &[]).stdout).unwrap_or_default()
    };
    let mut run = begun(folder, "match", LONG, &["fleet.journal", "--fleet", &url], &[]);
    until("units are done", || done(&status()) >= 3);
    fs::write(folder.join("fill"), "").unwrap();
    until("it is full", || folder.join("is-full").exists());
    until("who started the server is told", || said(folder, "up").contains("the disk is full"));
    assert!(run.0.try_wait().unwrap().is_none());
    fs::write(folder.join("empty"), "").unwrap();
    until("the server is started again", || said(folder, "up").contains("was full and has room again"));
    finish(&mut run, folder, "match");
    assert_eq!(results(&folder.join("fleet.journal")), results(&folder.join("alone")));
}

/// Years apart, and jumping all the time: each process has a clock of its own. (That of the server is the machine's: it asks the kernel itself.)
#[test]
fn clocks_that_are_wrong_and_jump_change_no_game() {
    if !has_server() {
        return;
    }
    let Some(program) = needs::program("faketime", "faketime") else { return };
    let out = Command::new(program).args(["-f", "+0", "sh", "-c", "echo $LD_PRELOAD"]).output().unwrap();
    let library = String::from_utf8(out.stdout).unwrap().trim().to_string();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    play_alone(folder, NODES);
    let set = |name: &str, offset: &str| fs::write(folder.join(name), format!("{offset}\n")).unwrap();
    let clock = |name: &str| folder.join(name).display().to_string();
    let [here, there, run] = ["here", "there", "run"].map(clock);
    let variables = |file| {
        // Seconds between two looks at the file.
        let jumps = [("FAKETIME_CACHE_DURATION", "1"), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")];
        [("LD_PRELOAD", library.as_str()), ("FAKETIME_TIMESTAMP_FILE", file), jumps[0], jumps[1]]
    };
    set("here", "-1y");
    set("there", "+15y");
    set("run", "-20y");
    let _up = begun(folder, "up", "fleet up --folder fleet --workers 1", &[], &variables(&here));
    until("the server starts", || folder.join("fleet/address").is_file());
    let url = fs::read_to_string(folder.join("fleet/address")).unwrap();
    let words = format!("fleet worker {} --folder elsewhere --name future", url.trim());
    let _future = begun(folder, "future", &words, &[], &variables(&there));
    let status = || -> Value {
        let out = tesuji(folder, &["fleet", "status", "fleet", "--json"], &[]);
        serde_json::from_slice(&out.stdout).unwrap_or_default()
    };
    until("two workers come", || status()["workers"].as_array().is_some_and(|workers| workers.len() == 2));
    let audited = [&variables(&run)[..], &[("TESUJI_FLEET_AUDIT", "8")]].concat();
    let mut play = begun(folder, "match", NODES, &["fleet.journal", "--fleet", "fleet"], &audited);
    let mut looks = 0;
    while play.0.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(500));
        let jump = |forth: &str, back: &str| if looks % 2 == 0 { forth.to_string() } else { back.to_string() };
        set("here", &jump("+400d", "-1y"));
        set("there", &jump("-3y", "+15y"));
        set("run", &jump("+2h", "-20y"));
        looks += 1;
        assert!(looks < 600, "{}", said(folder, "match"));
    }
    finish(&mut play, folder, "match");
    assert_eq!(results(&folder.join("fleet.journal")), results(&folder.join("alone")));
    let workers = status()["workers"].clone();
    let took_part = workers.as_array().unwrap().iter().filter(|worker| worker["done"].as_u64() > Some(0)).count();
    assert_eq!(took_part, 2, "{workers}");
}

#[test]
fn a_worker_of_another_version_takes_nothing_and_says_so() {
    if !has_server() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    play_alone(folder.path(), NODES);
    let up = Up::start(folder.path(), 1);
    until("a worker comes", || up.workers() == 1);
    set_program_version("0.0.9");
    let stop = Interrupt::new();
    let (url, ends) = (up.url.clone(), stop.clone());
    let works = thread::spawn(move || {
        let fleet = Fleet::connect(&url, &ends).unwrap();
        let options = WorkerOptions { name: "old".into(), jobs: 1, noisy: false, folder: None, cards: Vec::new() };
        static KIND: MatchKind = MatchKind { games: tesuji_kits::GAMES, own };
        run_worker(&fleet, &[&KIND], &options, &ends).unwrap()
    });
    until("the old one comes", || up.workers() == 2);
    let words: Vec<&str> = NODES.split(' ').chain(["fleet.journal", "--fleet", &up.url]).collect();
    let out = tesuji(folder.path(), &words, &[]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(results(&folder.path().join("fleet.journal")), results(&folder.path().join("alone")));
    let journal = Journal::open(&folder.path().join("fleet.journal")).unwrap();
    assert!(journal.origins().unwrap().iter().all(|(_, origin)| origin.worker == "local-1"));
    let logs = String::from_utf8(up.ask(&["logs"]).stdout).unwrap();
    assert!(logs.contains("old: ") && logs.contains("this worker is 0.0.9") && logs.contains("takes none"), "{logs}");
    stop.raise();
    works.join().unwrap();
}
