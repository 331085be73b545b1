//! The tests that every queue passes.

use crate::kinds::{essence, expected};
use crate::stage::{PATIENCE, Place, Worker, next, play, quick, spec, unit, until};
use std::{
    collections::BTreeMap,
    thread::{self},
    time::{Duration, Instant},
};
use tesuji_fleet::{Audit, AuditCounts, Fleet, RunSpec, RunState};
use tesuji_jobs::units::{ExcludedWorker, RunStanding, UnitResult};

pub fn units_come_back(place: &impl Place) {
    let workers: Vec<_> = ["a", "b"].map(|name| Worker::start(place, name)).into();
    let fleet = place.connect();
    until("workers are seen", || fleet.workers().unwrap().len() == 2);
    play(&fleet, "units", 30);
    assert!(fleet.workers().unwrap().iter().all(|worker| worker.speed > 0.0 && worker.cores > 0));
    let done: u64 = workers.into_iter().map(|worker| worker.stop().done).sum();
    assert!(done >= 30, "{done}");
    until("workers are forgotten", || fleet.workers().unwrap().is_empty());
    let runs = fleet.runs().unwrap();
    assert_eq!((runs.len(), runs[0].committed, runs[0].state), (1, 30, RunState::Ended));
    assert_eq!(runs[0].coordinator, None);
}

/// A coordinator dies between its journal and the mark, or before; another one goes on with the same run.
pub fn a_coordinator_goes_on(place: &impl Place) {
    let fleet = place.connect();
    let worker = Worker::start(place, "a");
    let mut run = fleet.begin(&spec("goes-on", "1")).unwrap();
    for index in 0..3 {
        run.submit(unit(index, "")).unwrap();
    }
    let results: Vec<_> = (0..3).map(|_| next(&mut *run)).collect();
    run.commit(results[0].index).unwrap();
    run.submit(unit(3, "slow 300")).unwrap();
    drop(run);
    // Only the first is committed; the journal of the next one has the first two.
    let other = place.connect();
    let mut run = other.begin(&spec("goes-on", "1")).unwrap();
    run.commit(results[0].index).unwrap();
    run.commit(results[1].index).unwrap();
    run.submit(unit(results[2].index, "")).unwrap();
    run.submit(unit(3, "slow 300")).unwrap();
    let mut came: Vec<_> = (0..2).map(|_| next(&mut *run).index).collect();
    came.sort_unstable();
    let mut wanted = vec![results[2].index, 3];
    wanted.sort_unstable();
    assert_eq!(came, wanted);
    came.iter().for_each(|index| run.commit(*index).unwrap());
    assert_eq!(run.receive(Duration::from_secs(3)).unwrap(), None, "results of committed units came again");
    drop(run);
    worker.stop();
    assert_eq!(other.runs().unwrap()[0].committed, 4);
}

/// The journal was deleted, and the marks were not: the journal is the truth.
pub fn a_run_begins_again_without_its_journal(place: &impl Place) {
    let worker = Worker::start(place, "a");
    let fleet = place.connect();
    play(&fleet, "again", 5);
    play(&fleet, "again", 5);
    assert!(worker.stop().done >= 10);
}

pub fn a_verdict_breaks_off_within_a_second(place: &impl Place) {
    let worker = Worker::start(place, "a");
    let fleet = place.connect();
    let mut run = fleet.begin(&spec("verdict", "1")).unwrap();
    run.submit(unit(0, "slow 600000")).unwrap();
    run.submit(unit(1, "")).unwrap();
    until("the unit is under way", || fleet.workers().unwrap().iter().any(|worker| !worker.busy.is_empty()));
    let began = Instant::now();
    run.cancel().unwrap();
    until("it is broken off", || fleet.workers().unwrap().iter().all(|worker| worker.busy.is_empty()));
    // Workers tell what they do with each beat; the bound is for a machine that does other things as well.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    drop(run);
    assert_eq!(fleet.runs().unwrap()[0].state, RunState::Cancelled);
    assert_eq!(worker.stop().done, 0);
}

/// Two coordinators of one run: the second waits, and takes over from one that falls silent or leaves.
pub fn a_standby_takes_over_when_the_first_leaves(place: &impl Place) {
    let first = place.connect();
    let run = first.begin(&spec("standby", "1")).unwrap();
    let second = place.connect();
    let waiting = thread::spawn(move || second.begin(&spec("standby", "1")).is_ok());
    // Longer than a claim holds: the first one renews it.
    thread::sleep(quick().claim + Duration::from_secs(1));
    assert!(!waiting.is_finished(), "two coordinators at a time");
    drop(run);
    assert!(waiting.join().unwrap());
}

pub fn what_cannot_be_done_is_told_and_others_go_on(place: &impl Place) {
    let worker = Worker::start(place, "a");
    let fleet = place.connect();
    let mut broken = fleet.begin(&spec("broken", "broken")).unwrap();
    broken.submit(unit(0, "")).unwrap();
    assert_eq!(next(&mut *broken).outcome, Err("it does not build".into()));
    let mut run = fleet.begin(&spec("faults", "1")).unwrap();
    for (index, body) in ["fault", "panic", ""].into_iter().enumerate() {
        run.submit(unit(index as u64, body)).unwrap();
    }
    let results: BTreeMap<_, _> = (0..3).map(|_| next(&mut *run)).map(|r| (r.index, r.outcome)).collect();
    assert_eq!(results[&0], Err("the engine does not start".into()));
    assert!(results[&1].as_ref().is_err_and(|words| words.ends_with("a bug")), "{results:?}");
    assert_eq!(results[&2], Ok(expected(2, 1)));
    // The same unit once more: another result, not the one that was received.
    run.submit(unit(0, "")).unwrap();
    assert_eq!(next(&mut *run).outcome, Ok(expected(0, 1)));
    assert_eq!(worker.stop().faults, 3);
    let said = fleet.logs(Some("a"), 10).unwrap();
    assert!(said.iter().any(|(_, line)| line.contains("does not build")), "{said:?}");
    assert_eq!(fleet.logs(Some("b"), 10).unwrap(), []);
}

pub fn a_stopped_worker_gives_its_unit_to_others(place: &impl Place) {
    let fleet = place.connect();
    let worker = Worker::start(place, "a");
    let mut run = fleet.begin(&spec("given-back", "1")).unwrap();
    run.submit(unit(0, "slow 3000")).unwrap();
    until("the unit is under way", || fleet.workers().unwrap().iter().any(|worker| !worker.busy.is_empty()));
    assert_eq!(worker.stop().done, 0);
    let other = Worker::start(place, "b");
    assert_eq!(next(&mut *run).worker, "b");
    run.commit(0).unwrap();
    other.stop();
}

pub fn paused_noisy_and_other_versions_are_left_out(place: &impl Place) {
    let fleet = place.connect();
    let worker = Worker::start_with(place, "noisy", true, None);
    let timed = RunSpec { nodes_limited: false, ..spec("timed", "2") };
    let mut clocks = fleet.begin(&timed).unwrap();
    clocks.submit(unit(0, "")).unwrap();
    let mut nodes = fleet.begin(&spec("nodes", "1")).unwrap();
    fleet.pause(Some("nodes"), true).unwrap();
    nodes.submit(unit(0, "")).unwrap();
    assert_eq!(nodes.receive(Duration::from_secs(2)).unwrap(), None, "it was paused");
    fleet.pause(Some("nodes"), false).unwrap();
    assert_eq!(next(&mut *nodes).worker, "noisy");
    nodes.commit(0).unwrap();
    assert_eq!(clocks.receive(Duration::from_secs(1)).unwrap(), None, "a noisy worker played on clocks");
    let said = fleet.logs(None, 10).unwrap();
    assert!(said.iter().any(|(_, line)| line.contains("--noisy")), "{said:?}");
    let quiet = Worker::start(place, "quiet");
    assert_eq!(next(&mut *clocks).worker, "quiet");
    drop((worker, quiet));
    assert!(fleet.pause(Some("none"), true).unwrap_err().to_string().contains("no run none"));
}

pub fn a_stopped_run_ends_for_all(place: &impl Place) {
    let fleet = place.connect();
    let worker = Worker::start(place, "a");
    let mut run = fleet.begin(&spec("stopped", "1")).unwrap();
    run.submit(unit(0, "slow 600000")).unwrap();
    until("the unit is under way", || fleet.workers().unwrap().iter().any(|worker| !worker.busy.is_empty()));
    place.connect().stop(Some("stopped"), true).unwrap();
    let mut error = String::new();
    until("the coordinator is told", || match run.receive(Duration::from_millis(50)) {
        Ok(result) => {
            assert_eq!(result, None);
            false
        }
        Err(words) => {
            error = words.to_string();
            true
        }
    });
    assert!(error.contains("tesuji fleet stop"), "{error}");
    until("the worker is told", || fleet.workers().unwrap().iter().all(|worker| worker.busy.is_empty()));
    drop(run);
    // The same command goes on.
    let mut run = fleet.begin(&spec("stopped", "1")).unwrap();
    run.submit(unit(1, "")).unwrap();
    assert_eq!(next(&mut *run).index, 1);
    run.commit(1).unwrap();
    drop(run);
    fleet.stop(None, true).unwrap();
    assert!(worker.wait().was_told);
}

pub fn files_are_found_by_their_checksum(place: &impl Place) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    let content = vec![7_u8; 300_000];
    std::fs::write(&path, &content).unwrap();
    let fleet = place.connect();
    let sum = fleet.files().keep(&path).unwrap();
    assert_eq!(sum, tesuji_jobs::sha256(&path).unwrap());
    let worker = Worker::start(place, "a");
    let mut run = fleet.begin(&spec("files", &format!("file {sum}"))).unwrap();
    run.submit(unit(0, "")).unwrap();
    assert_eq!(next(&mut *run).outcome, Ok(expected(0, 300_000)));
    run.commit(0).unwrap();
    let mut missing = fleet.begin(&spec("missing", &format!("file {}", "0".repeat(64)))).unwrap();
    missing.submit(unit(0, "")).unwrap();
    let words = next(&mut *missing).outcome.unwrap_err();
    assert!(words.contains("SHA-256") && words.contains("0000"), "{words}");
    worker.stop();
}

/// Two workers of one name could not be told apart.
pub fn a_second_worker_of_a_name_gets_another_one(place: &impl Place) {
    let fleet = place.connect();
    let first = Worker::start(place, "twin");
    until("the first is seen", || fleet.workers().unwrap().len() == 1);
    let second = Worker::start(place, "twin");
    until("both are seen", || fleet.workers().unwrap().len() == 2);
    let workers = fleet.workers().unwrap();
    assert_eq!([&workers[0].name, &workers[1].name], ["twin", "twin-2"]);
    assert_ne!(workers[0].id, workers[1].id);
    // It says so after it has joined.
    let is_told = |(_, line): &(String, String)| line.contains("another worker is called twin");
    until("the second says so", || fleet.logs(Some("twin-2"), 10).unwrap().iter().any(is_told));
    let mut run = fleet.begin(&spec("twins", "1")).unwrap();
    (0..2).for_each(|index| run.submit(unit(index, "slow 700")).unwrap());
    for _ in 0..2 {
        let result = next(&mut *run);
        let worker = workers.iter().find(|worker| worker.name == result.worker).unwrap();
        assert_eq!(result.worker_id, worker.id);
        run.commit(result.index).unwrap();
    }
    drop((first, second));
}

pub fn results_of_an_excluded_worker_are_done_by_others(place: &impl Place) {
    let fleet = place.connect();
    let bad = Worker::start(place, "bad");
    let mut run = fleet.begin(&spec("excluded", "1")).unwrap();
    for index in 0..3 {
        run.submit(unit(index, "")).unwrap();
        assert_eq!(next(&mut *run).worker, "bad");
        run.commit(index).unwrap();
    }
    let words = fleet.exclude("excluded", "nobody", true).unwrap_err().to_string();
    assert!(words.contains("no worker nobody has a unit of this run"), "{words}");
    let told = fleet.exclude("excluded", "bad", true).unwrap();
    assert!(
        told.contains("bad takes no units") && told.contains("the command of the run sets its results aside now"),
        "{told}"
    );
    until("the coordinator hears of it", || run.excluded().iter().any(|excluded| excluded.covers("bad", "")));
    run.submit(unit(0, "")).unwrap();
    run.submit(unit(3, "")).unwrap();
    assert_eq!(run.receive(Duration::from_secs(2)).unwrap(), None, "an excluded worker took a unit");
    let said = fleet.logs(Some("bad"), 10).unwrap();
    assert!(said.iter().any(|(_, line)| line.contains("were set aside")), "{said:?}");
    let good = Worker::start(place, "good");
    for _ in 0..2 {
        let result = next(&mut *run);
        assert_eq!((result.worker.as_str(), result.outcome), ("good", Ok(expected(result.index, 1))));
        run.commit(result.index).unwrap();
    }
    let shares =
        || fleet.runs().unwrap()[0].progress.workers.iter().map(|s| (s.name.clone(), s.units)).collect::<Vec<_>>();
    until("who did what is told", || shares() == [("good".to_string(), 2)]);
    // A unit that waited for long may have been submitted once more while its result was on its way.
    assert!(good.stop().done >= 2);
    fleet.exclude("excluded", "bad", false).unwrap();
    run.submit(unit(4, "")).unwrap();
    assert_eq!(next(&mut *run).worker, "bad");
    drop(bad);
}

/// Results of an excluded worker that an earlier coordinator had asked for, or that waited to be compared, were handed on all the same.
pub fn what_waits_of_an_excluded_worker_is_never_handed_on(place: &impl Place) {
    let fleet = place.connect();
    let bad = Worker::start(place, "bad");
    let mut first = fleet.begin(&spec("early", "1")).unwrap();
    (0..2).for_each(|index| first.submit(unit(index, "")).unwrap());
    (0..2).for_each(|_| assert_eq!(next(&mut *first).worker, "bad"));
    drop(first);
    // Both results are in the queue, and the next coordinator has them before it asks for them.
    let mut run = fleet.begin(&spec("early", "1")).unwrap();
    assert_eq!(run.receive(Duration::from_secs(1)).unwrap(), None);
    fleet.exclude("early", "bad", true).unwrap();
    until("the coordinator hears of it", || !run.excluded().is_empty());
    (0..2).for_each(|index| run.submit(unit(index, "")).unwrap());
    assert_eq!(run.receive(Duration::from_secs(2)).unwrap(), None);
    let good = Worker::start(place, "good");
    for _ in 0..2 {
        let result = next(&mut *run);
        assert_eq!((result.worker.as_str(), result.outcome), ("good", Ok(expected(result.index, 1))));
        run.commit(result.index).unwrap();
    }
    drop(run);
    // One of them is busy for some seconds: what the other makes waits for it, to be compared.
    let mut busy = fleet.begin(&spec("busy", "2")).unwrap();
    busy.submit(unit(0, "slow 5000")).unwrap();
    let doing =
        || fleet.workers().unwrap().into_iter().find(|worker| !worker.busy.is_empty()).map(|worker| worker.name);
    until("one is busy", || doing().is_some());
    let late = doing().unwrap();
    let early = if late == "good" { "bad" } else { "good" };
    let audited = RunSpec { audit: Some(Audit { essence, one_in: 1 }), ..spec("audited", "3") };
    let mut run = fleet.begin(&audited).unwrap();
    run.submit(unit(0, "")).unwrap();
    assert_eq!(run.receive(Duration::from_secs(2)).unwrap(), None, "it was not compared");
    fleet.exclude("audited", early, true).unwrap();
    let result = next(&mut *run);
    assert_eq!((result.worker.as_str(), result.outcome), (late.as_str(), Ok(expected(0, 3))));
    run.commit(0).unwrap();
    drop((bad, good));
}

/// A server that lost its disk forgot who was excluded, and so did a coordinator that began again.
pub fn a_coordinator_tells_again_who_is_excluded(place: &impl Place) {
    let fleet = place.connect();
    let bad = Worker::start(place, "bad");
    let mut run = fleet.begin(&spec("recalled", "1")).unwrap();
    run.recall_excluded(vec![ExcludedWorker { worker: "bad".into(), reason: "it lies".into() }]);
    run.submit(unit(0, "")).unwrap();
    assert_eq!(run.receive(Duration::from_secs(2)).unwrap(), None, "an excluded worker took a unit");
    let told = || fleet.runs().unwrap().remove(0).excluded;
    assert_eq!(told()[0].reason, "it lies");
    // What was taken back while nobody coordinated is known.
    drop(run);
    fleet.exclude("recalled", "bad", false).unwrap();
    let mut run = fleet.begin(&spec("recalled", "1")).unwrap();
    run.recall_excluded(vec![ExcludedWorker { worker: "bad".into(), reason: "it lies".into() }]);
    assert!(run.excluded().is_empty() && told().is_empty());
    run.submit(unit(0, "")).unwrap();
    assert_eq!(next(&mut *run).worker, "bad");
    run.commit(0).unwrap();
    drop(bad);
}

/// Runs that had failed were active for ever.
pub fn a_run_that_failed_says_so_until_it_begins_again(place: &impl Place) {
    let fleet = place.connect();
    let worker = Worker::start(place, "a");
    let mut run = fleet.begin(&spec("failing", "1")).unwrap();
    run.submit(unit(0, "slow 600000")).unwrap();
    run.report(RunStanding { units_total: Some(7), summary: "0 games".into(), ..RunStanding::default() });
    until("it is told how it stands", || fleet.runs().unwrap()[0].progress.standing.units_total == Some(7));
    until("the unit is under way", || fleet.workers().unwrap().iter().any(|worker| !worker.busy.is_empty()));
    run.fail("no worker can\nsecond line");
    drop(run);
    let failed = fleet.runs().unwrap().remove(0);
    assert_eq!((failed.state, failed.progress.failure.as_deref()), (RunState::Failed, Some("no worker can")));
    until("the worker is told", || fleet.workers().unwrap().iter().all(|worker| worker.busy.is_empty()));
    let mut run = fleet.begin(&spec("failing", "1")).unwrap();
    run.submit(unit(1, "")).unwrap();
    assert_eq!(next(&mut *run).index, 1);
    run.commit(1).unwrap();
    assert_eq!(fleet.runs().unwrap()[0].state, RunState::Active);
    drop(run);
    until("it is told that it ended", || fleet.runs().unwrap()[0].progress.failure.is_none());
    worker.stop();
}

/// Does a whole run, setting aside what it has of workers who are excluded, and returns who did what.
fn play_audited(fleet: &Fleet, name: &str, units: u64, one_in: u64) -> BTreeMap<u64, UnitResult> {
    // A run of its own for each name.
    let spec = RunSpec { audit: Some(Audit { essence, one_in }), ..spec(name, &format!("1 {name}")) };
    let mut run = fleet.begin(&spec).unwrap();
    let mut journal: BTreeMap<u64, UnitResult> = BTreeMap::new();
    let mut todo: Vec<u64> = (0..units).rev().collect();
    let began = Instant::now();
    while journal.len() < units as usize || !todo.is_empty() {
        assert!(began.elapsed() < PATIENCE, "it does not end: {}", journal.len());
        while run.room() > 0
            && let Some(index) = todo.pop()
        {
            run.submit(unit(index, "")).unwrap();
        }
        if let Some(result) = run.receive(Duration::from_millis(100)).unwrap() {
            run.commit(result.index).unwrap();
            journal.insert(result.index, result);
        }
        let excluded = run.excluded();
        let is_gone = |result: &UnitResult| excluded.iter().any(|e| e.covers(&result.worker, &result.worker_id));
        let gone: Vec<u64> = journal.values().filter(|result| is_gone(result)).map(|result| result.index).collect();
        for index in gone {
            journal.remove(&index);
            todo.push(index);
        }
    }
    journal
}

/// A worker that makes something else than others is found, and what it made is replaced.
pub fn a_worker_that_lies_is_found_and_its_results_replaced(place: &impl Place) {
    let fleet = place.connect();
    let workers = ["liar", "honest-1", "honest-2"].map(|name| Worker::start(place, name));
    until("workers are seen", || fleet.workers().unwrap().len() == 3);
    let journal = play_audited(&fleet, "lies", 40, 4);
    for (index, result) in &journal {
        assert_eq!(result.outcome.as_deref(), Ok(&*expected(*index, 1)), "{}", result.worker);
        assert_ne!(result.worker, "liar");
    }
    let run = fleet.runs().unwrap().remove(0);
    assert_eq!(run.excluded.len(), 1, "{:?}", run.excluded);
    assert!(run.excluded[0].reason.starts_with("liar: of unit "), "{:?}", run.excluded);
    assert_eq!(run.committed, 40);
    let told = fleet.logs(Some("coordinator"), 100).unwrap();
    assert!(told.iter().any(|(_, line)| line.contains("a third worker decides")), "{told:?}");
    drop(workers);
}

/// Workers that agree are left alone; so is one that nobody can be compared with.
pub fn audits_of_equal_workers_agree(place: &impl Place) {
    let fleet = place.connect();
    let first = Worker::start(place, "a");
    until("a worker is seen", || fleet.workers().unwrap().len() == 1);
    assert_eq!(play_audited(&fleet, "alone", 12, 2).len(), 12);
    assert_eq!(fleet.runs().unwrap()[0].progress.audits, AuditCounts::default());
    let second = Worker::start(place, "b");
    until("both are seen", || fleet.workers().unwrap().len() == 2);
    let journal = play_audited(&fleet, "equal", 24, 2);
    assert!(journal.iter().all(|(index, result)| result.outcome.as_deref() == Ok(&*expected(*index, 1))));
    let run = fleet.runs().unwrap().into_iter().find(|run| run.name == "equal").unwrap();
    assert!(run.progress.audits.agreed > 3 && run.progress.audits.differed == 0, "{:?}", run.progress);
    assert!(run.excluded.is_empty() && run.committed == 24);
    drop((first, second));
}

/// Two idle workers that had done a unit took it in turns when a third one was to decide: of all that wait at a server the one that asked
/// first is served, and those that gave it back asked again before the third did.
pub fn a_unit_that_a_third_one_decides_reaches_it(place: &impl Place) {
    let fleet = place.connect();
    let workers = ["liar", "honest-1", "honest-2"].map(|name| Worker::start(place, name));
    until("workers are seen", || fleet.workers().unwrap().len() == 3);
    let mut differed = 0;
    for number in 0..12 {
        let (name, began) = (format!("decided-{number}"), Instant::now());
        let journal = play_audited(&fleet, &name, 1, 1);
        assert_eq!(journal[&0].outcome.as_deref(), Ok(&*expected(0, 1)), "{}", journal[&0].worker);
        // A unit that goes from one to the next costs a second or two each time.
        assert!(began.elapsed() < Duration::from_secs(20), "{name}: {:?}", began.elapsed());
        let run = fleet.runs().unwrap().into_iter().find(|run| run.name == name).unwrap();
        differed += run.progress.audits.differed;
    }
    assert!(differed > 0, "the liar was never one of the first two");
    drop(workers);
}

/// Of two runs at once the one with the higher priority comes first, and equal ones share.
pub fn runs_of_a_higher_priority_come_first(place: &impl Place) {
    const UNITS: u64 = 20;
    let fleet = place.connect();
    let begin = |name: &str, priority| {
        let spec = RunSpec { priority, ..spec(name, name.strip_prefix("run-").unwrap()) };
        let mut run = fleet.begin(&spec).unwrap();
        (0..UNITS).for_each(|index| run.submit(unit(index, "slow 20")).unwrap());
        run
    };
    let (mut low, mut high) = (begin("run-1", 1), begin("run-2", 5));
    let worker = Worker::start(place, "a");
    for _ in 0..UNITS {
        let result = next(&mut *high);
        high.commit(result.index).unwrap();
    }
    // The worker has taken one or two ahead when the last of the others was out, and may have done them meanwhile.
    let early = std::iter::from_fn(|| low.receive(Duration::from_millis(1)).unwrap()).count();
    assert!(early <= 4, "{early} units of the run with the lower priority were done first");
    for _ in early..UNITS as usize {
        next(&mut *low);
    }
    (0..UNITS).for_each(|index| low.commit(index).unwrap());
    assert!(worker.stop().done >= 2 * UNITS);
    let priorities: Vec<_> = fleet.runs().unwrap().iter().map(|run| run.priority).collect();
    assert_eq!(priorities, [1, 5]);
}

/// The tests of one kind of queue.
macro_rules! every_queue {
    ($place:expr) => {
        crate::suite::every_queue!(@ $place, units_come_back, a_coordinator_goes_on, a_run_begins_again_without_its_journal,
            a_verdict_breaks_off_within_a_second, a_standby_takes_over_when_the_first_leaves,
            what_cannot_be_done_is_told_and_others_go_on, a_stopped_worker_gives_its_unit_to_others,
            paused_noisy_and_other_versions_are_left_out, a_stopped_run_ends_for_all, files_are_found_by_their_checksum,
            a_second_worker_of_a_name_gets_another_one, results_of_an_excluded_worker_are_done_by_others,
            what_waits_of_an_excluded_worker_is_never_handed_on, a_coordinator_tells_again_who_is_excluded,
            a_run_that_failed_says_so_until_it_begins_again, runs_of_a_higher_priority_come_first,
            a_worker_that_lies_is_found_and_its_results_replaced, audits_of_equal_workers_agree,
            a_unit_that_a_third_one_decides_reaches_it);
    };
    (@ $place:expr, $($test:ident),*) => {
        $(#[test]
        fn $test() {
            crate::suite::$test(&$place);
        })*
    };
}
pub(crate) use every_queue;
