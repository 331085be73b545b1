//! The threads that take units and do them.

use super::{Active, Shared, held};
use crate::{
    audit::{opened, unit_of},
    dispatcher::committed,
    queue::{Lease, QueueError},
};
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{atomic::Ordering::Relaxed, mpsc::Sender},
    thread,
    time::{Duration, Instant},
};
use tesuji_jobs::{
    Interrupt,
    units::{Unit, UnitResult, UnitRunner},
};

/// Units of this length and more are not taken before a thread is free for them: the wait between two is nothing to theirs.
const LONG_MS: u64 = 20_000;
/// How long a run stays the first to be asked, so that engines and nets are not changed from unit to unit.
const TURN: Duration = Duration::from_secs(10);
/// How long a worker waits at a run that has no unit for it.
const WAIT: Duration = Duration::from_millis(500);
/// How long a unit of a higher priority is waited for before one of a lower is taken, …
const FOR_HIGHER: Duration = Duration::from_millis(300);
/// … where one came so recently.
const FED: Duration = Duration::from_secs(3);
/// Before a unit that is for others is given back, at least, and how much longer at most. Meanwhile this worker is given others.
const FOR_OTHERS: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// How long a worker asks for nothing of a run whose unit it has just given back: it would have it again before others are awake.
const QUIET: Duration = Duration::from_millis(400);
/// How long a worker that gave such a unit back does not wait at its run in a row with others: of all that wait, the server serves the one
/// that came first, and two that are not meant would take it in turns before the one that is.
const STANDS_BACK: Duration = Duration::from_secs(3);
/// Runs whose engines and nets a thread keeps ready.
const READY_MAX: usize = 2;
/// A unit that was given out so often kills its workers.
const DELIVERIES_MAX: u64 = 20;

/// How the words end of a worker whose disk refuses a result.
const IN_MEMORY: &str = "the result is held in memory until it is committed";

/// What a thread made of a unit: it goes to the sender.
pub(super) struct Finished {
    pub(super) lease: Lease,
    pub(super) result: UnitResult,
}

/// Takes leases for the threads: one for each that is idle, and one more for each while units are short.
pub(super) fn feed(shared: &Shared<'_>) {
    let mut order = RunOrder::default();
    while !shared.is_stopping() {
        order.give_back(shared, Instant::now());
        let is_short = shared.last_ms.load(Relaxed) < LONG_MS && shared.done.load(Relaxed) > 0;
        let spare = if is_short { shared.options.jobs } else { 0 };
        let wanted = shared.idle.load(Relaxed) as usize + spare;
        {
            let ready = held(&shared.ready);
            if ready.len() >= wanted {
                drop(shared.changed.wait_timeout(ready, super::LOOK));
                continue;
            }
        }
        let Some(lease) = order.next(shared) else { continue };
        held(&shared.active).insert(lease.handle, Active { lease: lease.clone(), stop: Interrupt::new() });
        held(&shared.ready).push_back(lease);
        shared.changed.notify_all();
    }
    order.give_back(shared, Instant::now() + FOR_OTHERS[0] + FOR_OTHERS[1]);
    shared.changed.notify_all();
}

/// Which run is asked for a unit first.
#[derive(Default)]
struct RunOrder {
    first: Option<(String, Instant)>,
    /// When a run of the highest priority gave a unit last.
    fed: Option<Instant>,
    /// Units for others, and when each is given back.
    for_others: Vec<(Lease, Instant)>,
    /// Runs of which such a unit came, and when last.
    stood_back: BTreeMap<String, Instant>,
    /// Runs of which one was given back, and when last.
    gave_back: BTreeMap<String, Instant>,
    random: u64,
}

impl RunOrder {
    /// The next unit of any run, after a short wait.
    fn next(&mut self, shared: &Shared<'_>) -> Option<Lease> {
        let mut runs = shared.eligible(&shared.queue.view());
        if runs.is_empty() {
            thread::sleep(super::LOOK);
            return None;
        }
        runs.sort_by_key(|(_, priority)| Reverse(*priority));
        let equal = runs.iter().take_while(|(_, priority)| *priority == runs[0].1).count();
        if let Some((first, since)) = &self.first
            && since.elapsed() < TURN
            && let Some(place) = runs[..equal].iter().position(|(run, _)| run == first)
        {
            runs.swap(0, place);
        } else {
            let place = self.draw(equal);
            runs.swap(0, place);
            self.first = Some((runs[0].0.clone(), Instant::now()));
        }
        // The next units of a higher priority come when results are committed: they are waited for, as long as there are some.
        let is_fed = equal < runs.len() && self.fed.is_some_and(|fed| fed.elapsed() < FED);
        for (place, (run, _)) in runs.iter().enumerate().skip(usize::from(runs.len() == 1)) {
            let wait = if is_fed && place + 1 == equal { FOR_HIGHER } else { Duration::ZERO };
            if let Some(lease) = self.ask(shared, run, wait) {
                self.fed = if place < equal { Some(Instant::now()) } else { self.fed };
                return Some(lease);
            }
        }
        // Whoever has no unit lets others be first.
        let lease = self.ask(shared, &runs[0].0, WAIT);
        if lease.is_none() {
            self.first = None;
        }
        lease
    }

    /// Gives units for others back that are due.
    fn give_back(&mut self, shared: &Shared<'_>, now: Instant) {
        let Self { for_others, gave_back, .. } = self;
        for_others.retain(|(lease, due)| {
            let is_due = *due <= now;
            if is_due {
                // One that cannot be given back comes to others when its lease ends.
                let _ = shared.queue.hand_back(lease);
                gave_back.insert(lease.run.clone(), Instant::now());
            }
            !is_due
        });
    }

    /// A unit of a run, after at most `wait`.
    fn ask(&mut self, shared: &Shared<'_>, run: &str, wait: Duration) -> Option<Lease> {
        self.stood_back.retain(|_, since| since.elapsed() < STANDS_BACK);
        self.gave_back.retain(|_, since| since.elapsed() < QUIET);
        if self.gave_back.contains_key(run) {
            thread::sleep(wait.min(super::LOOK));
            return None;
        }
        let stands_back = self.stood_back.contains_key(run);
        match shared.queue.lease(run, if stands_back { Duration::ZERO } else { wait }) {
            Ok(Some(lease)) if opened(&lease.unit).1.contains(&shared.id.as_str()) => {
                // What this worker made of it is known. Once nobody wants it any more (there was no other worker) it is dropped.
                if committed(shared.queue, run).is_ok_and(|units| units.contains(lease.unit.index)) {
                    let _ = shared.queue.settle(&lease);
                    return None;
                }
                // It is kept here for a moment, so that units behind it can be had.
                let [least, more] = FOR_OTHERS;
                let pause = least + more.mul_f64(self.draw(1_000) as f64 / 1_000.0);
                self.for_others.push((lease, Instant::now() + pause));
                self.stood_back.insert(run.to_string(), Instant::now());
                None
            }
            Ok(None) if stands_back && !wait.is_zero() => {
                thread::sleep(super::LOOK);
                None
            }
            Ok(lease) => lease,
            Err(error) => {
                tracing::debug!(target: "fleet", "no unit of {run}: {error}");
                if matches!(error, QueueError::Unreachable(_) | QueueError::Missing(_)) {
                    thread::sleep(WAIT);
                }
                None
            }
        }
    }

    /// One of `count` runs by lot.
    fn draw(&mut self, count: usize) -> usize {
        if self.random == 0 {
            use std::hash::{BuildHasher, RandomState};
            self.random = RandomState::new().hash_one(std::process::id()) | 1;
        }
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % count.max(1)
    }
}

/// Does units until the worker stops.
pub(super) fn work(shared: &Shared<'_>, finished: &Sender<Finished>) {
    let mut runners: Vec<(String, Box<dyn UnitRunner>)> = Vec::new();
    while let Some(lease) = next(shared) {
        let Some(stop) = held(&shared.active).get(&lease.handle).map(|active| active.stop.clone()) else { continue };
        let view = shared.queue.view();
        if !shared.wants(&view, &lease.run) || view.is_paused(&lease.run) {
            drop_lease(shared, &lease);
            continue;
        }
        let began = Instant::now();
        // A unit for others goes round among those whom it is not for.
        let is_ordinary = unit_of(lease.unit.index).1 == 0;
        let outcome = if is_ordinary && lease.deliveries > DELIVERIES_MAX {
            Some(Err(format!(
                "it was given to workers {DELIVERIES_MAX} times, and none of them came back with a result"
            )))
        } else {
            do_unit(shared, &mut runners, &lease, &stop)
        };
        // What was amiss may be that the server lost the unit, and with it the run and its files: then the unit comes again.
        let outcome = outcome.filter(|outcome| outcome.is_ok() || is_current(shared, &lease, &stop));
        let Some(outcome) = outcome else {
            drop_lease(shared, &lease);
            continue;
        };
        shared.last_ms.store(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX), Relaxed);
        match &outcome {
            Ok(_) => drop(shared.done.fetch_add(1, Relaxed)),
            Err(words) => {
                shared.faults.fetch_add(1, Relaxed);
                held(&shared.shunned).insert(lease.run.clone(), Instant::now());
                shared.say(format!("unit {} of run {}: {words}", unit_of(lease.unit.index).0, lease.run));
            }
        }
        let (worker, worker_id) = (shared.name.clone(), shared.id.clone());
        let result = UnitResult { index: lease.unit.index, worker, worker_id, outcome };
        match shared.outbox.put(&lease.run, &result) {
            Ok(()) => shared.unsay(IN_MEMORY),
            Err(error) => shared.say(format!("{error}; {IN_MEMORY}")),
        }
        if finished.send(Finished { lease, result }).is_err() {
            return;
        }
    }
}

/// The next lease for a thread; `None` when the worker stops.
fn next(shared: &Shared<'_>) -> Option<Lease> {
    shared.idle.fetch_add(1, Relaxed);
    shared.changed.notify_all();
    let mut ready = held(&shared.ready);
    let lease = loop {
        if shared.is_stopping() {
            break None;
        }
        if let Some(lease) = ready.pop_front() {
            break Some(lease);
        }
        let waited = shared.changed.wait_timeout(ready, super::LOOK);
        ready = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
    };
    drop(ready);
    shared.idle.fetch_sub(1, Relaxed);
    lease
}

/// Lets go of a unit that was not done: others get it at once, unless nobody wants it.
fn drop_lease(shared: &Shared<'_>, lease: &Lease) {
    let is_wanted = shared.queue.view().is_wanted(&lease.run);
    let _ = if is_wanted { shared.queue.hand_back(lease) } else { shared.queue.settle(lease) };
    held(&shared.active).remove(&lease.handle);
}

/// Whether the server still has the unit as it was leased, once it answers.
fn is_current(shared: &Shared<'_>, lease: &Lease, stop: &Interrupt) -> bool {
    while !stop.is_raised() {
        match shared.queue.is_current(lease) {
            Ok(is_current) => return is_current,
            Err(QueueError::Unreachable(_)) => thread::sleep(WAIT),
            // It is told, and the coordinator judges.
            Err(_) => return true,
        }
    }
    false
}

/// Does a unit; `None` when it was broken off.
fn do_unit(
    shared: &Shared<'_>,
    runners: &mut Vec<(String, Box<dyn UnitRunner>)>,
    lease: &Lease,
    stop: &Interrupt,
) -> Option<Result<Vec<u8>, String>> {
    let view = shared.queue.view();
    runners.retain(|(run, _)| view.is_wanted(run));
    let place = match runners.iter().position(|(run, _)| *run == lease.run) {
        Some(place) => place,
        None => match prepare(shared, lease, stop) {
            Ok(runner) => {
                if runners.len() == READY_MAX {
                    runners.remove(0);
                }
                runners.push((lease.run.clone(), runner));
                runners.len() - 1
            }
            Err(_) if stop.is_raised() => return None,
            Err(words) => return Some(Err(words)),
        },
    };
    let (unit, _): (Unit, _) = opened(&lease.unit);
    let outcome = catch_unwind(AssertUnwindSafe(|| runners[place].1.run(&unit, stop)));
    match outcome {
        Ok(Ok(Some(bytes))) => Some(Ok(bytes)),
        Ok(Ok(None)) => None,
        Ok(Err(_)) if stop.is_raised() => None,
        Ok(Err(words)) => Some(Err(words)),
        Err(panic) => {
            // What it left is not to be trusted.
            runners.remove(place);
            Some(Err(format!("the worker's program failed: {}", panic_text(&*panic))))
        }
    }
}

/// Gets ready for the units of a run.
fn prepare(shared: &Shared<'_>, lease: &Lease, stop: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
    let view = shared.queue.view();
    let gone = || format!("run {} is no longer known", lease.run);
    let record = view.runs.iter().find(|record| record.id == lease.run).ok_or_else(gone)?;
    let unknown = || format!("a worker of this version knows no work of kind {:?}", record.kind);
    let kind = shared.kinds.iter().find(|kind| kind.name() == record.kind).ok_or_else(unknown)?;
    let request = request(shared, &record.request, stop)?;
    let prepared = catch_unwind(AssertUnwindSafe(|| kind.prepare(&request, shared.files, stop)));
    prepared.unwrap_or_else(|panic| Err(format!("the worker's program failed: {}", panic_text(&*panic))))
}

/// The request of a run by its SHA-256, once the server answers.
fn request(shared: &Shared<'_>, sha256: &str, stop: &Interrupt) -> Result<String, String> {
    let mut request = Vec::new();
    loop {
        request.clear();
        match shared.queue.get_file(sha256, &mut request) {
            Ok(true) => break,
            Ok(false) | Err(QueueError::Missing(_)) => {
                return Err("the request of the run is not in the fleet's store of files".into());
            }
            Err(QueueError::Unreachable(_)) if !stop.is_raised() => thread::sleep(WAIT),
            Err(error) => return Err(format!("the request of the run cannot be read: {error}")),
        }
    }
    if crate::files::sha256_of(&request) != sha256 {
        return Err("the request of the run is not what its checksum says".into());
    }
    String::from_utf8(request).map_err(|_| "the request of the run is not UTF-8".to_string())
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("without words").to_string()
}

#[cfg(test)]
mod tests {
    use crate::{Fleet, LeaseTiming, RunSpec, WorkerOptions, memory::MemoryQueue, run_worker};
    use std::{
        sync::{Arc, atomic::Ordering::Relaxed},
        thread,
        time::Duration,
    };
    use tesuji_jobs::{
        Interrupt,
        units::{Dispatcher, FileStore, Unit, UnitRunner, WorkKind},
    };

    struct Echo;

    impl WorkKind for Echo {
        fn name(&self) -> &'static str {
            "echo"
        }

        fn prepare(&self, request: &str, _: &dyn FileStore, _: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
            Ok(Box::new(EchoRunner(request.to_string())))
        }
    }

    struct EchoRunner(String);

    impl UnitRunner for EchoRunner {
        fn run(&mut self, unit: &Unit, _: &Interrupt) -> Result<Option<Vec<u8>>, String> {
            Ok(Some(format!("{} {}", self.0, unit.body).into_bytes()))
        }
    }

    /// A server that died while a worker read the request of a run made the unit a fault, and the run ended with it.
    #[test]
    fn a_request_is_asked_for_until_the_server_answers() {
        let queue = Arc::new(MemoryQueue::new(LeaseTiming::default()));
        queue.silent.store(3, Relaxed);
        let stop = Interrupt::new();
        let fleet = Fleet::over(queue.clone(), stop.clone(), None);
        let spec = RunSpec {
            name: "echo".into(),
            kind: "echo".into(),
            request: "hello".into(),
            identity: "hello".into(),
            nodes_limited: true,
            priority: 1,
            audit: None,
        };
        let options = WorkerOptions { name: "a".into(), jobs: 1, noisy: false, folder: None, cards: Vec::new() };
        thread::scope(|scope| {
            let worker = scope.spawn(|| run_worker(&fleet, &[&Echo], &options, &stop).unwrap());
            let mut run: Box<dyn Dispatcher> = fleet.begin(&spec).unwrap();
            run.submit(Unit { index: 0, body: "world".into() }).unwrap();
            let result = loop {
                if let Some(result) = run.receive(Duration::from_secs(1)).unwrap() {
                    break result;
                }
            };
            assert_eq!(result.outcome, Ok(b"hello world".to_vec()));
            assert_eq!(queue.silent.load(Relaxed), 0);
            stop.raise();
            assert_eq!(worker.join().unwrap().faults, 0);
        });
    }
}
