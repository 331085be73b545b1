//! What one server and one coordinator carry: units a second, the time until a cancelled run has stopped everywhere, a restart with many committed units.
//!
//! `cargo run --release -p tesuji-fleet --features nats --example fleet-load [UNITS] [WORKERS] [JOBS]`

use std::{
    env, fs,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_fleet::{Fleet, LeaseTiming, NatsServer, RunSpec, ServerOptions, WorkerOptions, run_worker};
use tesuji_jobs::{
    Interrupt,
    units::{FileStore, Unit, UnitRunner, WorkKind},
};

/// Units under way.
static BUSY: AtomicU64 = AtomicU64::new(0);
/// When the last unit was broken off.
static LAST: Mutex<Option<Instant>> = Mutex::new(None);

struct Sleep;

impl WorkKind for Sleep {
    fn name(&self) -> &'static str {
        "sleep"
    }

    fn prepare(&self, _: &str, _: &dyn FileStore, _: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
        Ok(Box::new(Sleeper))
    }
}

struct Sleeper;

impl UnitRunner for Sleeper {
    fn run(&mut self, unit: &Unit, stop: &Interrupt) -> Result<Option<Vec<u8>>, String> {
        let until = Instant::now() + Duration::from_millis(unit.body.parse().unwrap_or(0));
        BUSY.fetch_add(1, Relaxed);
        while Instant::now() < until && !stop.is_raised() {
            thread::sleep(Duration::from_millis(10).min(until - Instant::now()));
        }
        BUSY.fetch_sub(1, Relaxed);
        if stop.is_raised() {
            *LAST.lock().expect("a lock") = Some(Instant::now());
            return Ok(None);
        }
        // As long as a pair of games.
        Ok(Some(vec![b'x'; 600]))
    }
}

fn spec(request: &str) -> RunSpec {
    RunSpec {
        name: request.into(),
        kind: "sleep".into(),
        request: format!("\"{request}\""),
        identity: request.into(),
        nodes_limited: true,
        priority: 1,
        audit: None,
    }
}

fn memory_mib(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

fn main() {
    let mut numbers = env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let units = numbers.next().unwrap_or(2_000);
    let (workers, jobs) = (numbers.next().unwrap_or(16), numbers.next().unwrap_or(4) as usize);
    let folder = env::temp_dir().join(format!("fleet-load-{}", std::process::id()));
    let options = ServerOptions::new(folder.join("server"), "127.0.0.1".into(), None);
    let server = NatsServer::start(&options).expect("a server");
    let url = server.url();
    let connect =
        || Fleet::connect_with(&url, &Interrupt::new(), folder.join("files"), LeaseTiming::default()).expect("a fleet");
    let stop = Interrupt::new();
    thread::scope(|scope| {
        for number in 0..workers {
            let (fleet, stop, place) = (connect(), stop.clone(), folder.join(format!("worker-{number}")));
            scope.spawn(move || {
                let name = format!("worker-{number}");
                let options = WorkerOptions { name, jobs, noisy: false, folder: Some(place), cards: Vec::new() };
                run_worker(&fleet, &[&Sleep], &options, &stop).expect("a worker");
            });
        }
        let fleet = connect();
        while fleet.workers().expect("workers").len() < workers as usize {
            thread::sleep(Duration::from_millis(50));
        }
        throughput(&fleet, units);
        println!(
            "memory: server {} MiB, everything else {} MiB",
            memory_mib(server.id()),
            memory_mib(std::process::id())
        );
        stop_latency(&fleet, workers * jobs as u64);
        restart(&connect);
        stop.raise();
    });
    drop(server);
    let _ = fs::remove_dir_all(folder);
}

/// Units of no length, from submission to commit.
fn throughput(fleet: &Fleet, units: u64) {
    let mut run = fleet.begin(&spec("throughput")).expect("a run");
    let (began, mut submitted, mut committed) = (Instant::now(), 0, 0);
    while committed < units {
        while submitted < units && run.room() > 0 {
            run.submit(Unit { index: submitted, body: "0".into() }).expect("submitted");
            submitted += 1;
        }
        if let Some(result) = run.receive(Duration::from_millis(100)).expect("received") {
            run.commit(result.index).expect("committed");
            committed += 1;
        }
    }
    let rate = units as f64 / began.elapsed().as_secs_f64();
    println!("{units} units: {rate:.0} a second, which are {:.0} workers with a minute for each unit", rate * 60.0);
}

/// From the verdict to the last worker that has stopped.
fn stop_latency(fleet: &Fleet, slots: u64) {
    let mut run = fleet.begin(&spec("stop")).expect("a run");
    let mut next = 0;
    while BUSY.load(Relaxed) < slots {
        while run.room() > 0 {
            run.submit(Unit { index: next, body: "3600000".into() }).expect("submitted");
            next += 1;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let began = Instant::now();
    run.cancel().expect("cancelled");
    while BUSY.load(Relaxed) > 0 {
        thread::sleep(Duration::from_millis(1));
    }
    let last = LAST.lock().expect("a lock").expect("one was broken off");
    println!("a verdict reached {slots} units under way in {} ms", last.duration_since(began).as_millis());
}

/// A coordinator that begins again with a long journal.
fn restart(connect: &dyn Fn() -> Fleet) {
    for what in ["first", "again"] {
        let began = Instant::now();
        let fleet = connect();
        let mut run = fleet.begin(&spec("restart")).expect("a run");
        (0..100_000).filter(|index| index % 1_000 != 7).for_each(|index| run.commit(index).expect("committed"));
        println!("a coordinator with 100,000 committed units, {what}: {} ms", began.elapsed().as_millis());
    }
}
