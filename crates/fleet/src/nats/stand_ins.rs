//! What one server and one coordinator carry: stand-ins for thousands of workers, which speak to a real server as workers do and do nothing in place of a
//! unit.
//!
//! `FLEET_STAND_INS=10000 FLEET_UNIT_MS=60000 cargo nextest run --release -p tesuji-fleet stand_ins --no-capture`

use super::NatsQueue;
use crate::{
    FLEET_PROTOCOL, Fleet, LeaseTiming, NatsServer, RunSpec, ServerOptions,
    fleet::program_version,
    key::server_named,
    queue::{Lease, UnitQueue, WorkerStatus},
};
use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    env, fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_jobs::{
    Interrupt,
    units::{Dispatcher, Unit, UnitResult},
};

/// Connections to the server at most: stand-ins share them.
const CONNECTIONS_MAX: u64 = 100;
/// Between two questions for a unit, where there is none.
const AGAIN: Duration = Duration::from_millis(500);
/// Between two looks at whether the run is wanted, as workers look.
const LOOK: Duration = Duration::from_millis(100);

/// What the threads share.
#[derive(Default)]
struct Shared {
    /// Units under way.
    busy: AtomicU64,
    /// Stand-ins that have said that they are here.
    here: AtomicU64,
    /// Results that the server did not take within five seconds.
    late: AtomicU64,
    is_over: AtomicBool,
    /// When the last one heard that nothing more is wanted, in microseconds since the beginning.
    stopped_us: AtomicU64,
}

/// A worker that is none.
struct StandIn {
    status: WorkerStatus,
    lease: Option<(Lease, Instant)>,
    told: Instant,
}

fn number(name: &str, usual: u64) -> u64 {
    env::var(name).ok().and_then(|word| word.parse().ok()).unwrap_or(usual)
}

fn status(number: u64) -> WorkerStatus {
    WorkerStatus {
        name: format!("stand-in-{number}"),
        id: format!("id-{number}"),
        host: "nowhere".into(),
        jobs: 1,
        noisy: false,
        protocol: FLEET_PROTOCOL,
        version: program_version().into(),
        kinds: vec!["nothing".into()],
        cores: 8,
        memory_mib: Some(16_384),
        processor: Some("A processor with a name of usual length".into()),
        instruction_sets: ["sse4.1", "popcnt", "avx", "avx2", "bmi2", "fma"].map(String::from).to_vec(),
        cards: Vec::new(),
        speed: 1.0,
        busy: Vec::new(),
        done: 0,
        faults: 0,
        note: None,
        builds: Vec::new(),
        silent_seconds: 0.0,
    }
}

/// Memory of a process in MiB.
fn memory_mib(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

/// Seconds of processor time that a process has used.
fn processor_seconds(process: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let words: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_ascii_whitespace().collect();
    let ticks = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

impl StandIn {
    /// Does what is due, and says when it is due again.
    fn step(&mut self, queue: &NatsQueue, shared: &Shared, run: &str, unit: Duration) -> Duration {
        let beat = queue.timing().beat;
        match self.lease.take() {
            Some((lease, until)) if Instant::now() >= until => {
                let result = UnitResult {
                    index: lease.unit.index,
                    worker: self.status.name.clone(),
                    worker_id: self.status.id.clone(),
                    // As long as a pair of games.
                    outcome: Ok(vec![b'x'; 600]),
                };
                // A worker's outbox sends it again, too.
                if queue.put_result(run, &result).is_err() {
                    shared.late.fetch_add(1, Relaxed);
                    self.lease = Some((lease, until));
                    return AGAIN;
                }
                let _ = queue.settle(&lease);
                shared.busy.fetch_sub(1, Relaxed);
                self.status.done += 1;
                self.status.busy.clear();
                Duration::ZERO
            }
            Some((lease, until)) => {
                let _ = queue.extend(&lease);
                self.announce(queue);
                self.lease = Some((lease, until));
                until.saturating_duration_since(Instant::now()).min(beat)
            }
            None => {
                let lease = queue.lease(run, Duration::ZERO).unwrap_or_default();
                if lease.is_none() && self.told.elapsed() < beat {
                    return AGAIN;
                }
                let is_new = lease.is_some();
                self.lease = lease.map(|lease| (lease, Instant::now() + unit));
                self.status.busy.extend(self.lease.iter().map(|(lease, _)| (run.to_string(), lease.unit.index)));
                shared.busy.fetch_add(u64::from(is_new), Relaxed);
                self.announce(queue);
                if is_new { unit.min(beat) } else { AGAIN }
            }
        }
    }

    fn announce(&mut self, queue: &NatsQueue) {
        self.told = Instant::now();
        let _ = queue.announce(&self.status);
    }
}

/// The stand-ins of one connection, one after the other.
fn stand_in(
    queue: &NatsQueue,
    numbers: std::ops::Range<u64>,
    shared: &Shared,
    (run, unit, began): (&str, Duration, Instant),
) {
    let mut all: Vec<StandIn> = numbers
        .map(|number| {
            let stand_in = StandIn { status: status(number), lease: None, told: Instant::now() };
            queue.join(&stand_in.status).unwrap();
            shared.here.fetch_add(1, Relaxed);
            stand_in
        })
        .collect();
    // Not all at the same moment.
    let spread = |place: usize| began.elapsed() + unit.mul_f64(place as f64 / all.len().max(1) as f64).min(unit);
    let mut due: BinaryHeap<_> = (0..all.len()).map(|place| Reverse((spread(place), place))).collect();
    while !shared.is_over.load(Relaxed) {
        if !queue.view().is_wanted(run) && queue.view().runs.iter().any(|record| record.id == run) {
            shared.stopped_us.fetch_max(began.elapsed().as_micros() as u64, Relaxed);
            return;
        }
        let Some(Reverse((when, place))) = due.pop() else { return };
        let wait = when.saturating_sub(began.elapsed());
        if wait > LOOK {
            due.push(Reverse((when, place)));
            thread::sleep(LOOK);
            continue;
        }
        thread::sleep(wait);
        let next = all[place].step(queue, shared, run, unit);
        due.push(Reverse((began.elapsed() + next, place)));
    }
}

/// Submits and commits until `until`; how many were committed.
fn coordinate(run: &mut dyn Dispatcher, next: &mut u64, until: Instant) -> u64 {
    let mut committed = 0;
    while Instant::now() < until {
        while run.room() > 0 && Instant::now() < until {
            run.submit(Unit { index: *next, body: "{}".into() }).unwrap();
            *next += 1;
        }
        while let Some(result) = run.receive(Duration::from_millis(5)).unwrap() {
            run.commit(result.index).unwrap();
            committed += 1;
            if run.room() > 0 || Instant::now() >= until {
                break;
            }
        }
    }
    committed
}

#[test]
fn stand_ins_for_many_workers_are_served_and_stopped() {
    if crate::find_server().is_err() {
        tesuji_testkit::needs::skip("needs nats-server of 2.10 or later");
        return;
    }
    let (workers, unit) = (number("FLEET_STAND_INS", 40), Duration::from_millis(number("FLEET_UNIT_MS", 200)));
    let measured = Duration::from_secs(number("FLEET_SECONDS", 2));
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::start(&ServerOptions::new(folder.path().into(), "127.0.0.1".into(), None)).unwrap();
    let address = server_named(&server.url()).unwrap();
    let connect = || NatsQueue::connect(&address, LeaseTiming::default()).unwrap();
    let spec = RunSpec {
        name: "nothing".into(),
        kind: "nothing".into(),
        request: "{}".into(),
        identity: "nothing".into(),
        nodes_limited: true,
        priority: 1,
        audit: None,
    };
    let (shared, began, id) = (Shared::default(), Instant::now(), spec.id());
    let connections = workers.min(CONNECTIONS_MAX);
    thread::scope(|scope| {
        let fleet = Fleet::over(Arc::new(connect()), Interrupt::new(), None);
        for connection in 0..connections {
            let numbers = connection * workers / connections..(connection + 1) * workers / connections;
            let (queue, shared, id) = (connect(), &shared, &id);
            scope.spawn(move || stand_in(&queue, numbers, shared, (id, unit, began)));
        }
        while shared.here.load(Relaxed) < workers {
            thread::sleep(Duration::from_millis(20));
        }
        println!("{workers} stand-ins joined over {connections} connections in {:.1} s", began.elapsed().as_secs_f64());
        let mut run = fleet.begin(&spec).unwrap();
        let mut next = 0;
        // Until nearly all have a unit, or the server gives out no more.
        let first = Instant::now();
        while shared.busy.load(Relaxed) < workers * 9 / 10 && first.elapsed() < 2 * unit + Duration::from_secs(30) {
            coordinate(&mut *run, &mut next, Instant::now() + Duration::from_millis(500));
        }
        println!("after {:.1} s {} units are under way", began.elapsed().as_secs_f64(), shared.busy.load(Relaxed));
        let processors = || [server.id(), std::process::id()].map(processor_seconds);
        let (before, since) = (processors(), Instant::now());
        let committed = coordinate(&mut *run, &mut next, since + measured);
        let seconds = since.elapsed().as_secs_f64();
        let used: Vec<f64> = processors().iter().zip(before).map(|(now, before)| (now - before) / seconds).collect();
        println!(
            "{:.1} units a second over {seconds:.0} s ({workers} workers with {} ms a unit want {:.1}); processors: server {:.2}, coordinator \
             and stand-ins {:.2}; memory: server {} MiB, coordinator and stand-ins {} MiB; {} results were sent again",
            committed as f64 / seconds,
            unit.as_millis(),
            workers as f64 / unit.as_secs_f64(),
            used[0],
            used[1],
            memory_mib(server.id()),
            memory_mib(std::process::id()),
            shared.late.load(Relaxed),
        );
        assert!(committed > 0 && fleet.workers().unwrap().len() as u64 == workers);
        let (cancelled, under_way) = (began.elapsed(), shared.busy.load(Relaxed));
        run.cancel().unwrap();
        while shared.stopped_us.load(Relaxed) == 0 {
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(1_000));
        let latency = Duration::from_micros(shared.stopped_us.load(Relaxed)).saturating_sub(cancelled);
        println!("a stop reached {under_way} units under way in {} ms", latency.as_millis());
        shared.is_over.store(true, Relaxed);
    });
}
