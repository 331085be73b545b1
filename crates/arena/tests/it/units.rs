//! Matches whose games workers play, a pair at a time: the same journal and files as with threads, whoever dies and whatever comes twice.

use crate::matches::MoveLines;
use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;
use tesuji_arena::{
    Book, Finished, GameOrigin, Journal, Match, MatchEnd, MatchError, MatchKind, MatchNews, MatchPlan, MatchRequest,
    Opening, Output, OwnProgram, begin_match,
};
use tesuji_four::FOUR;
use tesuji_game::Random;
use tesuji_jobs::units::{
    Carrier, Dispatcher, ExcludedWorker, FileStore, RunOrder, Unit, UnitResult, UnitRunner, WorkKind,
};
use tesuji_jobs::{Interrupt, sha256};
use tesuji_kit::{Games, Kit};
use tesuji_stats::Decision;
use tesuji_testkit::mock;

static ALL: [&dyn Kit; 1] = [&FOUR];
static KIND: MatchKind = MatchKind { games: Games(&ALL), own };

fn own(_: &dyn Kit) -> io::Result<OwnProgram> {
    Ok(OwnProgram { path: "tesuji".into(), words: Vec::new(), version: "1.0".into() })
}

/// Files in a folder, under their checksums.
struct Folder(PathBuf);

impl FileStore for Folder {
    fn find(&self, sum: &str) -> io::Result<PathBuf> {
        let path = self.0.join(sum);
        if sha256(&path)? == sum { Ok(path) } else { Err(io::Error::other("it was changed")) }
    }
    fn keep(&self, file: &Path) -> io::Result<String> {
        let sum = sha256(file)?;
        std::fs::copy(file, self.0.join(&sum))?;
        Ok(sum)
    }
}

/// Workers that do a unit when a result is asked for. Results come in any order and some of them again, until they are committed.
struct Inline {
    runners: Vec<Result<Box<dyn UnitRunner>, String>>,
    room: usize,
    waiting: VecDeque<Unit>,
    made: Vec<UnitResult>,
    committed: BTreeSet<u64>,
    random: Random,
    /// Whether results come once and in order.
    is_orderly: bool,
    /// Calls until the coordinator dies.
    calls: u32,
    /// Commits after which the results of `worker-0` are wanted no more.
    drops_after: usize,
    has_dropped: Cell<bool>,
}

impl Inline {
    fn live(&mut self) -> io::Result<()> {
        self.calls = self.calls.saturating_sub(1);
        if self.calls > 0 { Ok(()) } else { Err(io::Error::other("killed")) }
    }
}

impl Dispatcher for Inline {
    fn room(&self) -> usize {
        self.room.saturating_sub(self.waiting.len())
    }
    fn submit(&mut self, unit: Unit) -> io::Result<()> {
        self.live()?;
        self.committed.remove(&unit.index);
        self.waiting.push_back(unit);
        Ok(())
    }
    fn receive(&mut self, _: Duration) -> io::Result<Option<UnitResult>> {
        self.live()?;
        if !self.is_orderly && !self.made.is_empty() && self.random.below(3) == 0 {
            return Ok(Some(self.made[self.random.below(self.made.len())].clone()));
        }
        let index = if self.is_orderly || self.waiting.is_empty() { 0 } else { self.random.below(self.waiting.len()) };
        let Some(unit) = self.waiting.remove(index) else { return Ok(None) };
        let first = usize::from(!self.excluded().is_empty());
        let worker = first + self.random.below(self.runners.len() - first);
        let outcome = match &mut self.runners[worker] {
            Ok(runner) => runner.run(&unit, &Interrupt::new()).map(Option::unwrap),
            Err(words) => Err(words.clone()),
        };
        let (worker, worker_id) = (format!("worker-{worker}"), format!("id-{worker}"));
        let result = UnitResult { index: unit.index, worker, worker_id, outcome };
        if result.outcome.is_ok() {
            self.made.push(result.clone());
        }
        Ok(Some(result))
    }
    fn commit(&mut self, index: u64) -> io::Result<()> {
        // What the journal had before this coordinator is no step of its work.
        if self.made.iter().any(|made| made.index == index) {
            self.live()?;
        }
        assert!(self.committed.insert(index) || !self.is_orderly, "unit {index} is committed twice");
        Ok(())
    }
    fn cancel(&mut self) -> io::Result<()> {
        self.waiting.clear();
        Ok(())
    }
    fn excluded(&self) -> Vec<ExcludedWorker> {
        let excluded = ExcludedWorker { worker: "worker-0".into(), reason: "it lies".into() };
        self.has_dropped.set(self.has_dropped.get() || self.committed.len() >= self.drops_after);
        if self.has_dropped.get() { vec![excluded] } else { Vec::new() }
    }
    fn recall_excluded(&mut self, known: Vec<ExcludedWorker>) {
        self.has_dropped.set(!known.is_empty());
    }
}

/// Reaches [`Inline`] workers, of whom the last cannot play where that is said.
struct Reach {
    store: Folder,
    workers: usize,
    is_orderly: bool,
    last_fails: bool,
    /// Whether the files are changed before a worker gets them.
    tampers: bool,
    calls: u32,
    drops_after: usize,
    seed: u64,
}

impl Carrier for Reach {
    fn files(&self) -> &dyn FileStore {
        &self.store
    }
    fn begin(&self, run: &RunOrder<'_>) -> io::Result<Box<dyn Dispatcher>> {
        assert_eq!((run.kind, run.nodes_limited), ("match", true));
        let files = std::fs::read_dir(&self.store.0)?.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
        if self.tampers {
            files.for_each(|path| std::fs::write(path, "another").unwrap());
        }
        let make = |worker| match self.last_fails && worker + 1 == self.workers {
            true => Err("it does not build here".to_string()),
            false => KIND.prepare(run.request, &self.store, &Interrupt::new()),
        };
        Ok(Box::new(Inline {
            runners: (0..self.workers).map(make).collect(),
            room: 2 * self.workers,
            waiting: VecDeque::new(),
            made: Vec::new(),
            committed: BTreeSet::new(),
            random: Random::new(self.seed),
            is_orderly: self.is_orderly,
            calls: self.calls,
            drops_after: self.drops_after,
            has_dropped: Cell::new(false),
        }))
    }
    fn workers(&self) -> [usize; 2] {
        [self.workers; 2]
    }
}

fn request(games: u64, extra: &str) -> MatchRequest {
    let engine = |habits: &str| format!("'cmd={}' args='--game four {habits}'", mock::path().display());
    let engines = [engine("--seed 1") + " name=a", engine(&format!("--seed 2 {extra}")) + " name=b"];
    MatchRequest {
        game: "four".into(),
        engines: engines.map(|words| words.parse().unwrap()).to_vec(),
        nodes: Some(1),
        games: Some(games),
        seed: Some(5),
        jobs: Some(1),
        ..MatchRequest::default()
    }
}

fn plan(request: &MatchRequest) -> MatchPlan<'static> {
    let firsts = (1..=7).map(|column: u8| Opening { start: None, moves: vec![column.to_string()] });
    let mut plan =
        request.plan(&FOUR, &own(&FOUR).unwrap(), firsts.collect::<Vec<_>>().iter().collect::<Book>()).unwrap();
    plan.identify("0123456789abcdef".into());
    plan
}

/// Plays, or goes on, on threads or on workers.
fn go_on(folder: &Path, request: &MatchRequest, reach: Option<&Reach>) -> Result<MatchEnd, MatchError> {
    let plan = plan(request);
    let mut journal = Journal::open(&folder.join("journal")).unwrap();
    let tails = journal.tails().unwrap();
    let mut outputs = [Output::open(&folder.join("games.lines"), &MoveLines, tails.first()).unwrap()];
    let mut running = Match::new(&plan, &journal).unwrap();
    let mut ignore = |_: &mut Match<'_>, _: MatchNews<'_>| ();
    let Some(reach) = reach else {
        return running.run(&mut journal, &mut outputs, &Interrupt::new(), &mut ignore);
    };
    let mut dispatcher = begin_match(reach, request, (&plan, "alpha-beta")).unwrap();
    running.run_on(&mut *dispatcher, (&mut journal, &mut outputs), &Interrupt::new(), &mut ignore)
}

/// The games of a journal without what a clock says, and the file of games.
fn result(folder: &Path) -> (Vec<Finished>, Vec<String>) {
    let mut games = Journal::open(&folder.join("journal")).unwrap().games().unwrap();
    for game in &mut games {
        game.duration = Duration::ZERO;
        for used in &mut game.used {
            (used.time, used.longest, used.overrun, used.given, used.starved) = Default::default();
            used.idle_moves = 0;
        }
        if let Some((_, fault)) = &mut game.fault {
            // What it last wrote is cut at some line.
            fault.last_lines.clear();
        }
    }
    let text = std::fs::read_to_string(folder.join("games.lines")).unwrap_or_default();
    (games, text.lines().map(str::to_string).collect())
}

fn reach(store: &Path, workers: usize) -> Reach {
    let store = Folder(store.to_path_buf());
    let (calls, drops_after) = (u32::MAX, usize::MAX);
    Reach { store, workers, is_orderly: false, last_fails: false, tampers: false, calls, drops_after, seed: 1 }
}

#[test]
fn one_worker_writes_what_one_thread_writes() {
    let [threads, workers, store] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    // An odd number of games leaves half a pair.
    let request = request(13, "--do illegal --odds 40");
    assert_eq!(go_on(threads.path(), &request, None).unwrap(), MatchEnd::Complete);
    let reach = Reach { is_orderly: true, ..reach(store.path(), 1) };
    assert_eq!(go_on(workers.path(), &request, Some(&reach)).unwrap(), MatchEnd::Complete);
    let (games, lines) = result(threads.path());
    assert!(games.iter().any(|game| game.fault.is_some()) && games.len() == 13);
    assert_eq!(result(workers.path()), (games, lines));
}

#[test]
fn no_game_is_lost_or_doubled_whoever_dies() {
    let [threads, store] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let request = request(40, "");
    assert_eq!(go_on(threads.path(), &request, None).unwrap(), MatchEnd::Complete);
    let (games, mut lines) = result(threads.path());
    lines.sort();
    let runs = if std::env::var_os("SLOW").is_some() { 60 } else { 2 };
    for run in 0..runs {
        let folder = tempfile::tempdir().unwrap();
        let (mut random, mut deaths) = (Random::new(run), 0_u64);
        loop {
            let calls = 3 + random.below(12) as u32;
            let reach = Reach { last_fails: true, calls, seed: run * 1000 + deaths, ..reach(store.path(), 3) };
            match go_on(folder.path(), &request, Some(&reach)) {
                Ok(end) => break assert_eq!(end, MatchEnd::Complete),
                // Where the last worker happens to have all units, nobody can play.
                Err(MatchError::Fleet(_) | MatchError::Workers(..)) => deaths += 1,
                Err(error) => panic!("{error}"),
            }
            assert!(deaths < 500, "nothing goes on");
        }
        assert!(deaths > 5, "{deaths}");
        let (found, mut found_lines) = result(folder.path());
        found_lines.sort();
        assert_eq!((found, found_lines), (games.clone(), lines.clone()));
    }
}

#[test]
fn a_verdict_ends_the_match_with_the_games_before_it() {
    let [threads, workers, store] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    // The second engine always loses.
    let request = MatchRequest { sprt: Some([0.0, 50.0]), ..request(400, "--do illegal --at 1") };
    let end = MatchEnd::Decided(Decision::AcceptH1);
    assert_eq!(go_on(threads.path(), &request, None).unwrap(), end);
    let reach = Reach { is_orderly: true, ..reach(store.path(), 1) };
    assert_eq!(go_on(workers.path(), &request, Some(&reach)).unwrap(), end);
    assert_eq!(result(workers.path()), result(threads.path()));
}

#[test]
fn what_no_worker_can_play_is_told_and_what_was_played_is_kept() {
    let [folder, store] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let request = request(10, "");
    let none = Reach { last_fails: true, ..reach(store.path(), 1) };
    let error = go_on(folder.path(), &request, Some(&none)).unwrap_err().to_string();
    assert!(error.starts_with("no worker could play") && error.contains("it does not build here"), "{error}");
    // A program that was changed after the match began is not the one that was asked for.
    let error = go_on(folder.path(), &request, Some(&Reach { tampers: true, ..reach(store.path(), 1) }));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("it was changed"), "{error}");
    assert_eq!(go_on(folder.path(), &request, Some(&reach(store.path(), 1))).unwrap(), MatchEnd::Complete);
}

/// Two workers must agree on what they make of a unit, whatever their clocks show.
#[test]
fn two_workers_make_the_same_of_a_unit_and_a_changed_move_is_seen() {
    let store = tempfile::tempdir().unwrap();
    let request = request(4, "");
    let plan = plan(&request);
    struct Order(Folder, std::sync::Mutex<Vec<Vec<u8>>>);
    impl Carrier for Order {
        fn files(&self) -> &dyn FileStore {
            &self.0
        }
        fn begin(&self, run: &RunOrder<'_>) -> io::Result<Box<dyn Dispatcher>> {
            let (essence, stop) = (run.essence.expect("limits are nodes"), Interrupt::new());
            let body = r#"{"moves":"4","games":[[0,[0,1]],[1,[1,0]]]}"#;
            for _ in 0..2 {
                let mut runner = KIND.prepare(run.request, &self.0, &stop).unwrap();
                let made = runner.run(&Unit { index: 0, body: body.into() }, &stop).unwrap().unwrap();
                self.1.lock().unwrap().push(essence(&made).unwrap());
                let text = String::from_utf8(made).unwrap();
                let moves = text.split("\"moves\":\"").nth(1).unwrap().split('"').next().unwrap();
                let (first, last) = moves.rsplit_once(' ').unwrap();
                let changed = text.replacen(moves, &format!("{first} {}", if last == "1" { "2" } else { "1" }), 1);
                assert_ne!(essence(changed.as_bytes()).unwrap(), self.1.lock().unwrap()[0]);
            }
            assert!(essence(b"{").is_err());
            Err(io::Error::other("enough"))
        }
        fn workers(&self) -> [usize; 2] {
            [1; 2]
        }
    }
    let order = Order(Folder(store.path().to_path_buf()), std::sync::Mutex::default());
    assert!(begin_match(&order, &request, (&plan, "alpha-beta")).err().unwrap().to_string().contains("enough"));
    let made = order.1.lock().unwrap();
    assert!(made.len() == 2 && made[0] == made[1] && made[0].len() > 50);
}

/// What a worker had done wrong could not be taken back.
#[test]
fn games_of_a_dropped_worker_are_set_aside_and_played_again() {
    let [threads, folder, store] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let request = request(40, "");
    assert_eq!(go_on(threads.path(), &request, None).unwrap(), MatchEnd::Complete);
    let (games, lines) = result(threads.path());
    // Begun with three workers, of whom one is dropped in the middle.
    let reach = Reach { drops_after: 12, ..reach(store.path(), 3) };
    assert_eq!(go_on(folder.path(), &request, Some(&reach)).unwrap(), MatchEnd::Complete);
    let (found, found_lines) = result(folder.path());
    assert_eq!(found, games);
    let journal = Journal::open(&folder.path().join("journal")).unwrap();
    let aside = journal.games_set_aside().unwrap();
    assert!(!aside.is_empty() && aside.len() < 30, "{}", aside.len());
    assert!(aside.iter().all(|game| game.origin.worker == "worker-0" && game.reason == "it lies"));
    let origins = journal.origins().unwrap();
    assert_eq!(origins.len(), 40);
    assert!(origins.iter().all(|(_, origin)| origin.worker != "worker-0" && origin.id.starts_with("id-")));
    // Nothing in a file of games is ever cut.
    assert_eq!(found_lines.len(), lines.len() + aside.len());
    drop(journal);
    // The journal knows who was excluded: a server may have lost it.
    assert_eq!(journal_excluded(folder.path()), ["worker-0"]);
    // Dropped when the match was over already.
    let reach = Reach { drops_after: 0, is_orderly: true, ..reach };
    assert_eq!(go_on(folder.path(), &request, Some(&reach)).unwrap(), MatchEnd::Complete);
    assert_eq!(result(folder.path()).0, games);
}

fn journal_excluded(folder: &Path) -> Vec<String> {
    let journal = Journal::open(&folder.join("journal")).unwrap();
    journal.excluded().unwrap().into_iter().map(|excluded| excluded.worker).collect()
}

/// A worker had one half of a pair again while the other half was under way, the halves took each other's place, and the match "stopped".
#[test]
fn halves_of_pairs_that_are_set_aside_are_played_again() {
    let [threads, folder, store] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let request = request(20, "");
    assert_eq!(go_on(threads.path(), &request, None).unwrap(), MatchEnd::Complete);
    let (games, _) = result(threads.path());
    // Five whole pairs, whose halves two workers played, and first halves of the others.
    let mut journal = Journal::open(&folder.path().join("journal")).unwrap();
    for game in games.iter().filter(|game| game.game < 10 || game.game % 2 == 0) {
        let number = game.game % 2;
        let origin = GameOrigin { worker: format!("worker-{number}"), id: format!("id-{number}") };
        journal.add_of(game, &[], Some(&origin)).unwrap();
    }
    let plan = plan(&request);
    let reach = Reach { drops_after: 5, ..reach(store.path(), 3) };
    let mut dispatcher = begin_match(&reach, &request, (&plan, "alpha-beta")).unwrap();
    let mut running = Match::new(&plan, &journal).unwrap();
    let mut ignore = |_: &mut Match<'_>, _: MatchNews<'_>| ();
    let end = running.run_on(&mut *dispatcher, (&mut journal, &mut []), &Interrupt::new(), &mut ignore).unwrap();
    assert_eq!(end, MatchEnd::Complete);
    let aside = journal.games_set_aside().unwrap();
    assert!(aside.len() >= 10 && aside.iter().all(|game| game.origin.worker == "worker-0"), "{}", aside.len());
    drop(journal);
    assert_eq!(result(folder.path()).0, games);
    assert_eq!(journal_excluded(folder.path()), ["worker-0"]);
}

/// Two workers with clocks that take their turns, of whom `slow` tells that its engines waited for a processor half of their time.
struct Clocked {
    runner: Box<dyn UnitRunner>,
    waiting: VecDeque<Unit>,
    excluded: Vec<ExcludedWorker>,
    /// Results that were received, and how many had been when a worker was excluded.
    received: u64,
    excluded_after: Arc<AtomicU64>,
}

impl Dispatcher for Clocked {
    fn room(&self) -> usize {
        1_usize.saturating_sub(self.waiting.len())
    }
    fn submit(&mut self, unit: Unit) -> io::Result<()> {
        self.waiting.push_back(unit);
        Ok(())
    }
    fn receive(&mut self, _: Duration) -> io::Result<Option<UnitResult>> {
        let Some(unit) = self.waiting.pop_front() else { return Ok(None) };
        self.received += 1;
        let made = self.runner.run(&unit, &Interrupt::new()).unwrap().unwrap();
        let is_slow = self.excluded.is_empty() && unit.index % 2 == 0;
        let worker = if is_slow { "slow" } else { "fine" };
        let mut told: serde_json::Value = serde_json::from_slice(&made).unwrap();
        for game in told["games"].as_array_mut().unwrap() {
            for used in game["played"]["used"].as_array_mut().unwrap() {
                // Time and, last of all, what of it was stolen, in microseconds.
                let mut numbers: Vec<&str> = used.as_str().unwrap().split(' ').collect();
                (numbers[1], numbers[11]) = ("100000", if is_slow { "50000" } else { "1000" });
                *used = numbers.join(" ").into();
            }
        }
        let outcome = Ok(serde_json::to_vec(&told).unwrap());
        let (worker, worker_id) = (worker.to_string(), format!("id-{worker}"));
        Ok(Some(UnitResult { index: unit.index, worker, worker_id, outcome }))
    }
    fn commit(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
    fn cancel(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn exclude(&mut self, worker: ExcludedWorker) {
        self.excluded_after.store(self.received, SeqCst);
        self.excluded.push(worker);
    }
    fn excluded(&self) -> Vec<ExcludedWorker> {
        self.excluded.clone()
    }
}

struct Clocks(Folder, Arc<AtomicU64>);

impl Carrier for Clocks {
    fn files(&self) -> &dyn FileStore {
        &self.0
    }
    fn begin(&self, run: &RunOrder<'_>) -> io::Result<Box<dyn Dispatcher>> {
        assert!(!run.nodes_limited);
        let runner = KIND.prepare(run.request, &self.0, &Interrupt::new()).map_err(io::Error::other)?;
        let (waiting, excluded, excluded_after) = (VecDeque::new(), Vec::new(), self.1.clone());
        Ok(Box::new(Clocked { runner, waiting, excluded, received: 0, excluded_after }))
    }
    fn workers(&self) -> [usize; 2] {
        [2; 2]
    }
}

/// A worker stood out only with the last games, when no look was due any more: the match ended with them.
#[test]
fn workers_are_compared_once_more_before_a_timed_match_ends() {
    let [folder, store] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    // Looks are at 20, 26, 34 and 44 games. The two have 20 games each, with which they can be judged, from 40 on.
    let request = MatchRequest { nodes: None, seconds_a_move: Some(1.0), games: Some(42), ..request(42, "") };
    let plan = plan(&request);
    let clocks = Clocks(Folder(store.path().to_path_buf()), Arc::default());
    let mut dispatcher = begin_match(&clocks, &request, (&plan, "alpha-beta")).unwrap();
    let mut journal = Journal::open(&folder.path().join("journal")).unwrap();
    let mut running = Match::new(&plan, &journal).unwrap();
    let mut ignore = |_: &mut Match<'_>, _: MatchNews<'_>| ();
    let end = running.run_on(&mut *dispatcher, (&mut journal, &mut []), &Interrupt::new(), &mut ignore).unwrap();
    assert_eq!(end, MatchEnd::Complete);
    assert_eq!(clocks.1.load(SeqCst), 21, "it was told at the last look, and not before");
    let aside = journal.games_set_aside().unwrap();
    assert!(aside.len() == 22 && aside.iter().all(|game| game.origin.worker == "slow"), "{}", aside.len());
    assert!(
        aside[0].reason.contains("slow: ") && aside[0].reason.contains("for 50 % of their time"),
        "{}",
        aside[0].reason
    );
    // Without them the match went on to its end.
    let origins = journal.origins().unwrap();
    assert!(origins.len() == 42 && origins.iter().all(|(_, origin)| origin.worker == "fine"));
    drop(journal);
    assert_eq!(journal_excluded(folder.path()), ["id-slow"]);
}
