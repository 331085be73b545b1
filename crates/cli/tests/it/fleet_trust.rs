//! Whom a fleet trusts, with the real binary: a worker that lies is found and replaced, an engine that reaches out of its sandbox finds nothing.

use crate::fleet::{Up, has_server, until};
use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
};
use tesuji_arena::{Journal, MatchKind, OwnProgram};
use tesuji_fleet::{
    Fleet, SandboxOptions, SandboxWish, WorkerOptions, contain_foreign_programs, run_worker, set_program_version,
};
use tesuji_jobs::{
    Interrupt,
    units::{FileStore, Unit, UnitRunner, WorkKind},
};
use tesuji_kit::Kit;
use tesuji_testkit::{mock, needs};

pub(crate) fn tesuji(folder: &Path, words: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(words).envs(variables.iter().copied()).current_dir(folder).output().unwrap()
}

pub(crate) fn own(_: &dyn Kit) -> io::Result<OwnProgram> {
    let path = PathBuf::from(env!("CARGO_BIN_EXE_tesuji"));
    Ok(OwnProgram { path, words: vec!["uci".into()], version: "1.0".into() })
}

/// Matches as a worker plays them whose memory is broken: engines seem to have searched a node more than they did.
struct Liar(MatchKind);

struct LiarsGames(Box<dyn UnitRunner>);

static LIAR: Liar = Liar(MatchKind { games: tesuji_kits::GAMES, own });

impl WorkKind for Liar {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn prepare(&self, request: &str, files: &dyn FileStore, stop: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
        Ok(Box::new(LiarsGames(self.0.prepare(request, files, stop)?)))
    }
}

impl UnitRunner for LiarsGames {
    fn run(&mut self, unit: &Unit, stop: &Interrupt) -> Result<Option<Vec<u8>>, String> {
        let Some(bytes) = self.0.run(unit, stop)? else { return Ok(None) };
        let mut told: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        for game in told["games"].as_array_mut().into_iter().flatten() {
            let note = game["played"]["notes"].as_array_mut().and_then(|notes| notes.last_mut()).unwrap();
            note[5] = (note[5].as_u64().unwrap() + 1).into();
        }
        serde_json::to_vec(&told).map(Some).map_err(|error| error.to_string())
    }
}

/// What a match came to: the result of each game, by its number.
pub(crate) fn results(journal: &Path) -> BTreeMap<u64, String> {
    let games = Journal::open(journal).unwrap().games().unwrap();
    games.into_iter().map(|game| (game.game, format!("{:?} in {} plies", game.outcome, game.plies))).collect()
}

/// One of three workers tells something else than it played: an audit finds it, its results are replaced, and the match ends as it would have.
#[test]
fn a_worker_that_lies_is_found_in_a_real_match_and_replaced() {
    if !has_server() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let words = "match --engine name=a --engine name=b --nodes 300 --games 60 --seed 1 --quiet --journal";
    let words: Vec<&str> = words.split(' ').collect();
    let alone = tesuji(folder.path(), &[&words[..], &["alone"]].concat(), &[]);
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));

    let up = Up::start(folder.path(), 2);
    until("two workers come", || up.workers() == 2);
    let version = up.status()["workers"][0]["version"].as_str().unwrap().to_string();
    set_program_version(version.leak());
    let stop = Interrupt::new();
    let (url, ends) = (up.url.clone(), stop.clone());
    let lies = thread::spawn(move || {
        let fleet = Fleet::connect(&url, &ends).unwrap();
        let options = WorkerOptions { name: "liar".into(), jobs: 1, noisy: false, folder: None, cards: Vec::new() };
        run_worker(&fleet, &[&LIAR], &options, &ends).unwrap()
    });
    until("the liar comes", || up.workers() == 3);
    let words = [&words[..], &["found", "--fleet", &up.url]].concat();
    let played = tesuji(folder.path(), &words, &[("TESUJI_FLEET_AUDIT", "3")]);
    let said = String::from_utf8_lossy(&played.stderr);
    assert!(played.status.success(), "{said}");
    let journal = Journal::open(&folder.path().join("found")).unwrap();
    let (excluded, aside) = (journal.excluded().unwrap(), journal.games_set_aside().unwrap());
    assert!(excluded.len() == 1 && excluded[0].reason.contains("liar"), "{excluded:?} {said}");
    assert!(aside.iter().all(|game| game.origin.worker == "liar"));
    assert!(journal.origins().unwrap().iter().all(|(_, origin)| origin.worker.starts_with("local-")));
    drop(journal);
    assert_eq!(results(&folder.path().join("found")), results(&folder.path().join("alone")));
    // Everybody can read of it.
    let run = up.status()["runs"][0].clone();
    assert!(run["audits"]["differed"].as_u64() > Some(0) && run["excluded"].as_array().unwrap().len() == 1, "{run}");
    let logs = String::from_utf8(up.ask(&["logs"]).stdout).unwrap();
    assert!(logs.contains("liar"), "{logs}");
    stop.raise();
    lies.join().unwrap();
}

/// A script that tries to get out before it becomes an engine; where it can, it says how, and plays nothing. The command of the match looks at its engines as well,
/// where it is: there, which a variable tells, it tries nothing.
fn spy(folder: &Path, url: &str) -> String {
    let (token, place) = url.strip_prefix("nats://").unwrap().split_once('@').unwrap();
    let (host, port) = place.split_once(':').unwrap();
    let here = folder.display();
    // What is written must be looked for outside: folders for temporary files are its own.
    let script = format!(
        "#!/bin/bash\n\
         try() {{\n\
         got() {{ echo \"it got out: $1\" >&2; exit 7; }}\n\
         (echo x >{here}/escaped) 2>/dev/null\n\
         grep -qs {token} {here}/fleet/token {here}/fleet/address && got token\n\
         [ -n \"$TESUJI_FLEET_TOKEN\" ] && got variable\n\
         [ -z \"$(ls -A \"$HOME\")\" ] && echo x >\"$HOME/x\" || got home\n\
         cat /proc/[0-9]*/environ 2>/dev/null | grep -qa {token} && got processes\n\
         (exec 3<>/dev/tcp/{host}/{port}) 2>/dev/null && got network\n\
         return 0\n\
         }}\n\
         [ -n \"$AT_THE_OPERATORS\" ] || try\n\
         cp \"$1\" engine && chmod +x engine && exec ./engine --seed \"$2\"\n"
    );
    let path = folder.join("spy.sh");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("cmd={} 'args={} 1'", path.display(), mock::path().display())
}

#[test]
fn an_engine_finds_neither_files_nor_secrets_nor_a_network() {
    if !has_server() {
        return;
    }
    let options = SandboxOptions { wish: SandboxWish::Require, ..SandboxOptions::default() };
    let trial = tempfile::tempdir().unwrap();
    if let Err(error) = contain_foreign_programs(&options, trial.path(), "nats://host") {
        return needs::skip(&format!("needs bubblewrap and a kernel that lets it work: {error}"));
    }
    // Not below /tmp: what is there is hidden by that alone.
    let Some(place) = needs::place_seen_in_sandboxes() else { return };
    let folder = tempfile::Builder::new().prefix("tesuji-spy-").tempdir_in(place).unwrap();
    let play = |up: &Up| {
        let engine = spy(folder.path(), &up.url);
        let words = ["match", "--engine", &engine, "--engine", &format!("cmd={} name=b", mock::path().display())];
        let more = ["--nodes", "1", "--games", "4", "--quiet", "--fresh", "--fleet", &up.url];
        tesuji(folder.path(), &[&words[..], &more].concat(), &[("AT_THE_OPERATORS", "1")])
    };
    {
        let up = Up::start_with(folder.path(), 1, &["--sandbox", "require"]);
        until("a worker comes", || up.workers() == 1);
        let told = up.status()["workers"][0]["sandbox"].as_str().map(str::to_string);
        assert!(told.as_ref().is_some_and(|words| words.contains("no network")), "{told:?}");
        let out = play(&up);
        let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(out.status.success() && !folder.path().join("escaped").exists(), "{said}");
    }
    // The attempts are real ones.
    let up = Up::start_with(folder.path(), 1, &["--sandbox", "off"]);
    until("a worker comes", || up.workers() == 1 && up.status()["workers"][0]["sandbox"].is_null());
    let out = play(&up);
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && said.contains("it got out: token"), "{said}");
    assert!(folder.path().join("escaped").exists());
}
