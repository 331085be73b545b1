//! Hundreds of deaths (`kill -9`) of the real binary at random moments, for each kind of run: workers, coordinator and server die, and the files are those of a
//! run that nobody disturbed.

use crate::fleet::has_server;
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tesuji_fleet::{NatsServer, ServerOptions};
use tesuji_game::Random;
use tesuji_testkit::needs;

/// Deaths of each kind of run.
const DEATHS: u32 = 250;
/// A run that nobody disturbs any more is over by then: the leases of the last that died are a minute.
const PATIENCE: Duration = Duration::from_secs(1_200);

/// A kind of run.
struct Kind {
    name: &'static str,
    /// The command that begins it.
    begin: &'static str,
    /// The one that goes on with a file, where that is another one.
    go_on: Option<(&'static str, &'static str)>,
    /// What it writes.
    file: &'static str,
    /// One death of how many is that of its coordinator: rescoring, of which nothing is kept, begins from its start.
    coordinator: usize,
}

const KINDS: [Kind; 4] = [
    Kind {
        name: "match",
        begin: "match --engine name=a --engine name=b --nodes 400 --games 300 --seed 1 --quiet --pgn-out games.pgn",
        go_on: Some(("games.pgn.journal", "match --resume games.pgn.journal")),
        file: "games.pgn",
        coordinator: 3,
    },
    Kind {
        name: "selfplay",
        begin: "selfplay chess --games 600 --nodes 300 --seed 2 --quiet --out games.sgs",
        go_on: Some(("games.sgs", "selfplay chess --games 600 --nodes 300 --seed 2 --quiet --out games.sgs --resume")),
        file: "games.sgs",
        coordinator: 3,
    },
    Kind {
        name: "spsa",
        begin: "spsa chess --option AspirationWindow --iterations 60 --pairs 2 --nodes 200 --seed 3 --quiet --journal spsa.journal",
        go_on: None,
        file: "spsa.journal",
        coordinator: 3,
    },
    Kind {
        name: "rescore",
        begin: "data rescore ../given.sgs scores.epd --nodes 200 --quiet",
        go_on: None,
        file: "scores.epd",
        coordinator: 40,
    },
];

fn tesuji(folder: &Path, words: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(words.split(' ')).args(more).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
    let errors = fs::File::options().create(true).append(true).open(folder.join("stderr")).unwrap();
    command.stderr(errors);
    command
}

/// A process that is killed when it is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn server(folder: &Path) -> NatsServer {
    NatsServer::start(&ServerOptions::new(folder.join("server"), "127.0.0.1".into(), None)).unwrap()
}

fn worker(folder: &Path, url: &str, name: &str) -> Process {
    let words = format!("fleet worker {url} --folder workers --sandbox off --name {name}");
    Process(tesuji(folder, &words, &[]).spawn().unwrap())
}

fn coordinator(folder: &Path, kind: &Kind, url: &str) -> Process {
    let words = kind.go_on.filter(|(file, _)| folder.join(file).exists()).map_or(kind.begin, |(_, words)| words);
    Process(tesuji(folder, words, &["--fleet", url]).spawn().unwrap())
}

/// What a run wrote, without what clocks say: games in their order, and all else as it is.
fn written(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_none_or(|ending| ending != "pgn") {
        return vec![bytes.iter().map(|byte| format!("{byte:02x}")).collect()];
    }
    let text = String::from_utf8(bytes).unwrap();
    let plain = |game: &str| -> String {
        let kept = ["Round", "White", "Black", "Result", "FEN"].map(|tag| format!("[{tag} "));
        let is_kept = |line: &&str| !line.starts_with('[') || kept.iter().any(|tag| line.starts_with(tag));
        let lines: String = game.lines().filter(is_kept).map(|line| format!("{line} ")).collect();
        // Comments have times.
        let mut words = String::new();
        for (place, part) in lines.split(['{', '}']).enumerate() {
            if place % 2 == 0 {
                words += part;
            }
        }
        words
    };
    let mut games: Vec<String> = text.split("[Event ").skip(1).map(plain).collect();
    games.sort();
    games
}

fn survive(kind: &Kind, top: &Path) {
    let [alone, fleet] = ["alone", "fleet"].map(|name| top.join(format!("{}-{name}", kind.name)));
    fs::create_dir(&alone).unwrap();
    assert!(tesuji(&alone, kind.begin, &[]).status().unwrap().success(), "{}", kind.name);
    let wanted = written(&alone.join(kind.file));
    let (mut random, mut deaths, mut runs) = (Random::new(7), 0, 0);
    let began = Instant::now();
    // One that ended before all had died is begun again.
    while deaths < DEATHS {
        let _ = fs::remove_dir_all(&fleet);
        fs::create_dir(&fleet).unwrap();
        // The one server, or none while it is dead.
        let mut there = vec![server(&fleet)];
        let url = there[0].url();
        let mut workers = ["a", "b"].map(|name| Some(worker(&fleet, &url, name)));
        let mut run = Some(coordinator(&fleet, kind, &url));
        let (mut calm, mut end, mut begun_again) = (Instant::now(), None, 0);
        while end.is_none() {
            thread::sleep(Duration::from_millis(if deaths < DEATHS { 100 + random.below(900) as u64 } else { 50 }));
            end = run.as_mut().unwrap().0.try_wait().unwrap();
            // One that began while the server was dead said so and ended: its user begins it again.
            if end.is_some_and(|end| !end.success()) && begun_again < DEATHS {
                begun_again += 1;
                (run, end) = (Some(coordinator(&fleet, kind, &url)), None);
            }
            for (worker_process, name) in workers.iter_mut().zip(["a", "b"]) {
                if worker_process.as_mut().is_some_and(|process| process.0.try_wait().unwrap().is_some()) {
                    *worker_process = Some(worker(&fleet, &url, name));
                }
            }
            if deaths == DEATHS || end.is_some() {
                assert!(calm.elapsed() < PATIENCE, "{}: the run does not come to its end", kind.name);
                continue;
            }
            (deaths, calm) = (deaths + 1, Instant::now());
            if random.below(kind.coordinator) == 0 {
                drop(run.take());
                run = Some(coordinator(&fleet, kind, &url));
            } else if random.below(5) == 0 {
                there.clear();
                there.push(server(&fleet));
            } else {
                let number = random.below(2);
                drop(workers[number].take());
                workers[number] = Some(worker(&fleet, &url, ["a", "b"][number]));
            }
        }
        let said = fs::read_to_string(fleet.join("stderr")).unwrap_or_default();
        let last: Vec<&str> = said.lines().rev().take(20).collect();
        assert!(end.unwrap().success(), "{}: {last:#?}", kind.name);
        assert!(written(&fleet.join(kind.file)) == wanted, "{}: another file; {last:#?}", kind.name);
        runs += 1;
    }
    println!("{}: {deaths} deaths, {runs} runs with the same file, {:.0} s", kind.name, began.elapsed().as_secs_f64());
}

/// Kills what does a kind of run, [`DEATHS`] times; the four kinds come to a thousand.
fn survive_run(name: &str) {
    if !has_server() || !needs::slow("a thousand deaths of the workers, coordinators and servers of real runs") {
        return;
    }
    let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let words = "selfplay chess --games 60 --nodes 100 --seed 4 --quiet --out given.sgs";
    assert!(tesuji(folder.path(), words, &[]).status().unwrap().success());
    survive(kind, folder.path());
}

#[test]
fn deaths_of_a_real_match_change_no_file() {
    survive_run("match");
}

#[test]
fn deaths_of_real_selfplay_change_no_file() {
    survive_run("selfplay");
}

#[test]
fn deaths_of_real_spsa_change_no_file() {
    survive_run("spsa");
}

#[test]
fn deaths_of_real_rescoring_change_no_file() {
    survive_run("rescore");
}
