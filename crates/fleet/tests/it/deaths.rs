//! Deaths at the worst moments, of real processes with a real server: nothing is lost, nothing comes twice, nothing waits for ever.
#![cfg(unix)]

use crate::{
    kinds::{KINDS, expected},
    nats::There,
    stage::{Place, next, quick, spec, unit, until},
};
use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tesuji_fleet::{Fleet, WorkerOptions, run_worker};
use tesuji_jobs::{Interrupt, LineJournal};
use tesuji_testkit::needs;

/// How long a run with deaths may stand still: never waited for where all is well.
const PATIENCE: Duration = Duration::from_secs(240);

/// A process of this program that does one of the two tests below, killed when it is dropped.
struct Process(Child);

impl Process {
    fn start(what: &str, url: &str, folder: &Path, words: &[&str]) -> Process {
        let test = format!("deaths::{what}");
        let mut command = Command::new(env::current_exe().unwrap());
        command.args([&test, "--exact", "--nocapture", "--test-threads=1"]);
        command.env("FLEET_TEST_URL", url).env("FLEET_TEST_FOLDER", folder).env("FLEET_TEST_WORDS", words.join(" "));
        let errors = fs::File::options().create(true).append(true).open(folder.join(format!("{what}.err"))).unwrap();
        Process(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).spawn().unwrap())
    }

    fn worker(there: &There, name: &str) -> Process {
        Process::start("worker_process", &there.url(), there.folder.path(), &[name])
    }

    fn coordinator(there: &There, units: u64, body: &str) -> Process {
        Process::start("coordinator_process", &there.url(), there.folder.path(), &[&units.to_string(), body])
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([format!("-{name}"), self.0.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// kill -9.
    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Whether it ended well, once it has.
    fn end(&mut self) -> Option<bool> {
        self.0.try_wait().unwrap().map(|status| status.success())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the processes are told; `None` in an ordinary run of the tests, which has nothing to do here.
fn told() -> Option<(Fleet, std::path::PathBuf, Vec<String>)> {
    let url = env::var("FLEET_TEST_URL").ok()?;
    let folder = std::path::PathBuf::from(env::var_os("FLEET_TEST_FOLDER")?);
    let words = env::var("FLEET_TEST_WORDS").ok()?.split(' ').map(str::to_string).collect();
    let began = Instant::now();
    loop {
        match Fleet::connect_with(&url, &Interrupt::new(), folder.join("files"), quick()) {
            Ok(fleet) => return Some((fleet, folder, words)),
            // The server may be dead just now.
            Err(error) => assert!(began.elapsed() < PATIENCE, "{error}"),
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// A worker, as a process of its own.
#[test]
fn worker_process() {
    let Some((fleet, folder, words)) = told() else { return };
    let folder = Some(folder.join("workers").join(&words[0]));
    let options = WorkerOptions { name: words[0].clone(), jobs: 1, noisy: false, folder, cards: Vec::new() };
    run_worker(&fleet, KINDS, &options, &Interrupt::new()).unwrap();
}

/// A coordinator, as a process of its own: its journal has a line for each unit.
#[test]
fn coordinator_process() {
    let Some((fleet, folder, words)) = told() else { return };
    let (units, body) = (words[0].parse::<u64>().unwrap(), words[1..].join(" "));
    let (mut journal, lines) = LineJournal::open(&folder.join("journal"), true).unwrap();
    let mut known: BTreeMap<u64, String> = lines.iter().map(|line| entry(line)).collect();
    let mut run = fleet.begin(&spec("deaths", "1")).unwrap();
    known.keys().for_each(|index| run.commit(*index).unwrap());
    let mut todo = (0..units).filter(|index| !known.contains_key(index)).collect::<Vec<_>>();
    todo.reverse();
    while known.len() < units as usize {
        while run.room() > 0
            && let Some(index) = todo.pop()
        {
            run.submit(unit(index, &body)).unwrap();
        }
        let Some(result) = run.receive(Duration::from_millis(200)).unwrap() else { continue };
        let square = String::from_utf8(result.outcome.unwrap()).unwrap();
        if known.insert(result.index, square.clone()).is_none() {
            journal.append(&format!("{} {square}", result.index)).unwrap();
        }
        run.commit(result.index).unwrap();
    }
}

/// The unit of a killed worker stood still, and nothing said why.
#[test]
fn a_unit_that_waits_for_the_lease_of_a_dead_worker_is_told() {
    let Some(there) = There::start() else { return };
    let fleet = there.connect();
    let worker = Process::worker(&there, "dies");
    let mut run = fleet.begin(&spec("waits", "1")).unwrap();
    run.submit(unit(5, "slow 600000")).unwrap();
    until("the unit is under way", || fleet.workers().unwrap().iter().any(|worker| !worker.busy.is_empty()));
    assert!(fleet.runs().unwrap()[0].waiting.is_empty());
    worker.kill();
    // Also for those who look for the first time now.
    let mut waiting = Vec::new();
    until("it is told", || {
        waiting = there.connect().runs().unwrap().remove(0).waiting;
        !waiting.is_empty()
    });
    assert_eq!((waiting[0].unit, waiting[0].worker.as_str()), (5, "dies"));
}

fn entry(line: &str) -> (u64, String) {
    let (index, square) = line.split_once(' ').unwrap();
    (index.parse().unwrap(), square.into())
}

/// The journal has every unit once, with what it comes to.
fn check_journal(folder: &Path, units: u64) {
    let text = fs::read_to_string(folder.join("journal")).unwrap();
    let mut lines: Vec<_> = text.lines().map(entry).collect();
    lines.sort();
    let wanted = (0..units).map(|index| (index, String::from_utf8(expected(index, 1)).unwrap()));
    assert_eq!(lines, wanted.collect::<Vec<_>>());
}

fn finish(mut coordinator: Process, there: &There, units: u64) {
    let is_well = while_it_goes_on(there, || coordinator.end());
    let said = fs::read_to_string(there.folder.path().join("coordinator_process.err")).unwrap_or_default();
    assert!(is_well, "{said}");
    check_journal(there.folder.path(), units);
}

/// `kills` deaths of workers, coordinator and server in an order by lot.
fn survive(kills: u32, units: u64) {
    let Some(mut there) = There::start() else { return };
    let mut workers = ["a", "b"].map(|name| (name, Some(Process::worker(&there, name))));
    let mut coordinator = Some(Process::coordinator(&there, units, "slow 20"));
    let mut random = 7_u64;
    for _ in 0..kills {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(Duration::from_millis(50 + (random >> 33) % 500));
        match (random >> 20) % 5 {
            number @ (0 | 1) => {
                let (name, worker) = &mut workers[number as usize];
                worker.take().unwrap().kill();
                // It comes back with its name and its outbox.
                *worker = Some(Process::worker(&there, name));
            }
            2 | 3 => {
                coordinator.take().unwrap().kill();
                coordinator = Some(Process::coordinator(&there, units, "slow 20"));
            }
            _ => {
                there.server = None;
                there.up();
            }
        }
    }
    finish(coordinator.unwrap(), &there, units);
}

#[test]
fn twenty_deaths_lose_and_double_nothing() {
    survive(20, 120);
}

#[test]
fn a_thousand_deaths_lose_and_double_nothing() {
    if needs::slow("a thousand deaths of workers, coordinators and servers") {
        survive(1_000, 6_000);
    }
}

/// The server's disk was lost: all is made again from what the journal lacks.
#[test]
fn a_server_that_lost_its_disk_is_filled_again() {
    let Some(mut there) = There::start() else { return };
    let _workers = ["a", "b"].map(|name| Process::worker(&there, name));
    let coordinator = Process::coordinator(&there, 60, "slow 50");
    for done in [5, 25] {
        wait_for_lines(&there, done);
        there.server = None;
        fs::remove_dir_all(there.folder.path().join("server/store")).unwrap();
        there.up();
    }
    finish(coordinator, &there, 60);
}

/// The server's disk was lost, and with it the files that a run needs: workers that came later could not do its units.
#[test]
fn a_server_that_lost_its_disk_has_the_files_of_a_run_again() {
    let Some(mut there) = There::start() else { return };
    let net = there.folder.path().join("net");
    fs::write(&net, vec![7_u8; 300_000]).unwrap();
    let fleet = there.connect();
    let sum = fleet.files().keep(&net).unwrap();
    let mut run = fleet.begin(&spec("files", &format!("file {sum}"))).unwrap();
    run.submit(unit(0, "")).unwrap();
    there.server = None;
    fs::remove_dir_all(there.folder.path().join("server/store")).unwrap();
    there.up();
    let _worker = Process::worker(&there, "late");
    assert_eq!(next(&mut *run).outcome, Ok(expected(0, 300_000)));
    run.commit(0).unwrap();
}

/// The server's disk was lost, and with it who was excluded.
#[test]
fn a_server_that_lost_its_disk_is_told_again_who_is_excluded() {
    let Some(mut there) = There::start() else { return };
    let fleet = there.connect();
    let _bad = Process::worker(&there, "bad");
    let mut run = fleet.begin(&spec("lost", "1")).unwrap();
    run.submit(unit(0, "")).unwrap();
    assert_eq!(next(&mut *run).worker, "bad");
    run.commit(0).unwrap();
    fleet.exclude("lost", "bad", true).unwrap();
    until("the coordinator hears of it", || !run.excluded().is_empty());
    there.server = None;
    fs::remove_dir_all(there.folder.path().join("server/store")).unwrap();
    there.up();
    run.submit(unit(0, "")).unwrap();
    for _ in 0..30 {
        assert_eq!(run.receive(Duration::from_millis(200)).unwrap(), None, "an excluded worker did a unit");
        assert_eq!(run.excluded().len(), 1);
    }
    // Those who look for the first time are told.
    assert_eq!(there.connect().runs().unwrap()[0].excluded[0].worker, "bad");
    let _good = Process::worker(&there, "good");
    assert_eq!(next(&mut *run).worker, "good");
    run.commit(0).unwrap();
}

/// The server lost what it had acknowledged last: an older state of its disk came back.
#[test]
fn a_server_whose_last_seconds_are_cut_off_goes_on() {
    let Some(mut there) = There::start() else { return };
    let _workers = ["a", "b"].map(|name| Process::worker(&there, name));
    let coordinator = Process::coordinator(&there, 60, "slow 50");
    wait_for_lines(&there, 10);
    let (store, copy) = (there.folder.path().join("server/store"), there.folder.path().join("copy"));
    there.server = None;
    assert!(Command::new("cp").arg("-r").args([&store, &copy]).status().unwrap().success());
    there.up();
    wait_for_lines(&there, 30);
    there.server = None;
    fs::remove_dir_all(&store).unwrap();
    fs::rename(&copy, &store).unwrap();
    there.up();
    finish(coordinator, &there, 60);
}

/// Lines of the journal.
fn lines(there: &There) -> usize {
    fs::read_to_string(there.folder.path().join("journal")).map_or(0, |text| text.lines().count())
}

fn wait_for_lines(there: &There, count: usize) {
    while_it_goes_on(there, || (lines(there) >= count).then_some(()));
}

/// Waits for something as long as the run comes on, however slowly.
fn while_it_goes_on<T>(there: &There, mut look: impl FnMut() -> Option<T>) -> T {
    let (mut before, mut since) = (lines(there), Instant::now());
    loop {
        if let Some(found) = look() {
            return found;
        }
        let now = lines(there);
        if now != before {
            (before, since) = (now, Instant::now());
        }
        assert!(since.elapsed() < PATIENCE, "the run stands still after {now} units");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A worker dies with a result that nobody has: its outbox does.
#[test]
fn a_result_waits_in_the_outbox_of_a_dead_worker() {
    let Some(mut there) = There::start() else { return };
    let worker = Process::worker(&there, "a");
    let fleet = there.connect();
    let mut run = fleet.begin(&spec("outbox", "1")).unwrap();
    let once = there.folder.path().join("once");
    run.submit(unit(5, &format!("once {}", once.display()))).unwrap();
    until("the unit is under way", || once.exists());
    there.server = None;
    let outbox = there.folder.path().join("workers/a/outbox");
    let has_result = || {
        fs::read_dir(&outbox)
            .is_ok_and(|files| files.flatten().any(|f| f.path().extension().is_some_and(|e| e == "result")))
    };
    until("the result is in the outbox", has_result);
    worker.kill();
    there.up();
    let _worker = Process::worker(&there, "a");
    // A second try of the unit would be a fault.
    assert_eq!(next(&mut *run).outcome, Ok(expected(5, 1)));
    run.commit(5).unwrap();
    until("the outbox is emptied", || !has_result());
}

/// A worker that slept finds its unit done by another one.
#[test]
fn a_worker_that_slept_changes_nothing() {
    let Some(there) = There::start() else { return };
    let sleeper = Process::worker(&there, "sleeper");
    let fleet = there.connect();
    let mut run = fleet.begin(&spec("sleep", "1")).unwrap();
    run.submit(unit(0, "slow 1000")).unwrap();
    until("the unit is under way", || fleet.workers().unwrap().iter().any(|worker| !worker.busy.is_empty()));
    sleeper.signal("STOP");
    let _other = Process::worker(&there, "other");
    assert_eq!(next(&mut *run).worker, "other");
    run.commit(0).unwrap();
    sleeper.signal("CONT");
    assert_eq!(run.receive(Duration::from_secs(4)).unwrap(), None, "a late result came through");
    let outbox = there.folder.path().join("workers/sleeper/outbox");
    until("the sleeper forgets its result", || {
        outbox.is_dir() && fs::read_dir(&outbox).is_ok_and(|files| files.count() == 0)
    });
}

/// Two coordinators: the one that slept is told that it has lost its run.
#[test]
fn a_coordinator_that_slept_is_fenced() {
    let Some(there) = There::start() else { return };
    let mut sleeper = Process::coordinator(&there, 1_000_000, "slow 50");
    let _worker = Process::worker(&there, "a");
    wait_for_lines(&there, 3);
    sleeper.signal("STOP");
    let before = fs::read_to_string(there.folder.path().join("journal")).unwrap();
    let fleet = there.connect();
    let mut run = fleet.begin(&spec("deaths", "1")).unwrap();
    before.lines().for_each(|line| run.commit(entry(line).0).unwrap());
    run.submit(unit(2_000_000, "")).unwrap();
    assert_eq!(next(&mut *run).index, 2_000_000);
    run.commit(2_000_000).unwrap();
    sleeper.signal("CONT");
    let mut end = None;
    until("the sleeper ends", || {
        end = sleeper.end();
        end.is_some()
    });
    let said = fs::read_to_string(there.folder.path().join("coordinator_process.err")).unwrap();
    assert!(end == Some(false) && said.contains("another process coordinates this run now"), "{said}");
}

/// A unit that kills its worker each time is set aside in the end.
#[test]
fn a_deadly_unit_is_set_aside() {
    if !needs::slow("twenty leases that run out") {
        return;
    }
    let Some(there) = There::start() else { return };
    let fleet = there.connect();
    let mut run = fleet.begin(&spec("deadly", "1")).unwrap();
    run.submit(unit(0, "die")).unwrap();
    run.submit(unit(1, "")).unwrap();
    let mut worker = Process::worker(&there, "a");
    let mut results = BTreeMap::new();
    let began = Instant::now();
    while results.len() < 2 {
        assert!(began.elapsed() < PATIENCE, "{results:?}");
        if worker.end().is_some() {
            worker = Process::worker(&there, "a");
        }
        if let Some(result) = run.receive(Duration::from_millis(200)).unwrap() {
            results.insert(result.index, result.outcome);
        }
    }
    assert_eq!(results[&1], Ok(expected(1, 1)));
    assert!(results[&0].as_ref().is_err_and(|words| words.contains("20 times")), "{results:?}");
}
