//! What one server and one coordinator carry: stand-ins for thousands of workers, which speak to a real server as workers do and do nothing in place of a unit.
//!
//! `cargo run --release -p tesuji-fleet --features nats --example stand_ins [WORKERS] [SECONDS A UNIT] [SECONDS]`

use std::{
    env, fs,
    sync::{Arc, atomic::Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};
use tesuji_fleet::{Fleet, LeaseTiming, NatsServer, RunSpec, ServerOptions, StandIns};
use tesuji_jobs::{
    Interrupt,
    units::{Dispatcher, Unit},
};

/// Connections to the server at most: stand-ins share them.
const CONNECTIONS_MAX: u64 = 100;

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

/// Submits and commits until `until`; how many were committed.
fn coordinate(run: &mut dyn Dispatcher, next: &mut u64, until: Instant) -> u64 {
    let mut committed = 0;
    while Instant::now() < until {
        while run.room() > 0 && Instant::now() < until {
            run.submit(Unit { index: *next, body: "{}".into() }).expect("the server answers");
            *next += 1;
        }
        while let Some(result) = run.receive(Duration::from_millis(5)).expect("the server answers") {
            run.commit(result.index).expect("the server answers");
            committed += 1;
            if run.room() > 0 || Instant::now() >= until {
                break;
            }
        }
    }
    committed
}

fn main() {
    let mut numbers = env::args().skip(1).map(|word| word.parse::<f64>().expect("a number"));
    let workers = numbers.next().unwrap_or(10_000.0) as u64;
    let unit = Duration::from_secs_f64(numbers.next().unwrap_or(60.0));
    let measured = Duration::from_secs_f64(numbers.next().unwrap_or(60.0));
    let folder = env::temp_dir().join(format!("stand-ins-{}", std::process::id()));
    let options = ServerOptions::new(folder.join("server"), "127.0.0.1".into(), None);
    let server = NatsServer::start(&options).expect("a server");
    let spec = RunSpec {
        name: "nothing".into(),
        kind: "nothing".into(),
        request: "{}".into(),
        identity: "nothing".into(),
        nodes_limited: true,
        priority: 1,
        audit: None,
    };
    let (shared, began, id) = (Arc::new(StandIns::default()), Instant::now(), spec.id());
    let connections = workers.clamp(1, CONNECTIONS_MAX);
    let url = server.url();
    let files = folder.join("files");
    let fleet = Fleet::connect_with(&url, &Interrupt::new(), files, LeaseTiming::default()).expect("a fleet");
    for connection in 0..connections {
        let numbers = connection * workers / connections..(connection + 1) * workers / connections;
        let (url, shared, id) = (url.clone(), shared.clone(), id.clone());
        thread::spawn(move || shared.work(&url, numbers, (&id, unit, began)).expect("stand-ins"));
    }
    while shared.here.load(Relaxed) < workers {
        thread::sleep(Duration::from_millis(20));
    }
    println!("{workers} stand-ins joined over {connections} connections in {:.1} s", began.elapsed().as_secs_f64());
    let mut run = fleet.begin(&spec).expect("a run");
    measure((&mut *run, &server, &shared), (workers, unit, measured), began);
    let known = fleet.workers().expect("workers").len();
    println!("the coordinator knows {known} workers");
    let (cancelled, under_way) = (began.elapsed(), shared.busy.load(Relaxed));
    run.cancel().expect("cancelled");
    while shared.stopped.load(Relaxed) < connections && (began.elapsed() - cancelled).as_secs() < 60 {
        thread::sleep(Duration::from_millis(10));
    }
    let latency = Duration::from_micros(shared.stopped_us.load(Relaxed)).saturating_sub(cancelled);
    println!(
        "a stop reached {} of {connections} connections, {under_way} units under way, in {} ms",
        shared.stopped.load(Relaxed),
        latency.as_millis()
    );
    drop(server);
    let _ = fs::remove_dir_all(folder);
}

/// Gives nearly all of them a unit, and says how many units a second follow.
fn measure(
    (run, server, shared): (&mut dyn Dispatcher, &NatsServer, &StandIns),
    (workers, unit, measured): (u64, Duration, Duration),
    began: Instant,
) {
    let mut next = 0;
    let first = Instant::now();
    while shared.busy.load(Relaxed) < workers * 9 / 10 && first.elapsed() < 2 * unit + Duration::from_secs(30) {
        coordinate(run, &mut next, Instant::now() + Duration::from_millis(500));
    }
    println!("after {:.1} s {} units are under way", began.elapsed().as_secs_f64(), shared.busy.load(Relaxed));
    let processors = || [server.id(), std::process::id()].map(processor_seconds);
    let (before, since) = (processors(), Instant::now());
    let committed = coordinate(run, &mut next, since + measured);
    let seconds = since.elapsed().as_secs_f64();
    let used: Vec<f64> = processors().iter().zip(before).map(|(now, before)| (now - before) / seconds).collect();
    println!(
        "{:.1} units a second over {seconds:.0} s ({workers} workers with {:.1} s a unit want {:.1}); processors: server {:.2}, \
         coordinator and stand-ins {:.2}; memory: server {} MiB, coordinator and stand-ins {} MiB; {} questions were asked again",
        committed as f64 / seconds,
        unit.as_secs_f64(),
        workers as f64 / unit.as_secs_f64(),
        used[0],
        used[1],
        memory_mib(server.id()),
        memory_mib(std::process::id()),
        shared.late.load(Relaxed),
    );
}
