//! What this machine has and what it lacks: processor, memory, clock, programs that Tesuji can use.

use serde_json::{Value, json};
use std::{thread::available_parallelism, time::Instant};
use tesuji_jobs::{find_program, machine::Machine};

/// Programs that Tesuji can use, each with what it is for.
const PROGRAMS: [(&str, &str); 11] = [
    ("cargo", "building, ./check"),
    ("cargo-nextest", "./check"),
    ("git", "versions of engines, ./check"),
    ("llvm-profdata", "tesuji builds --pgo"),
    ("python3", "tests that read our output with python-chess"),
    ("valgrind", "SLOW=1 ./check"),
    ("stockfish", "a peer for matches and perft"),
    ("ethereal-chess", "a peer for matches"),
    ("fairy-stockfish", "a peer for matches"),
    ("gnugo", "a peer for matches of go"),
    ("node", "the web page"),
];

/// What this machine has, and the programs that it lacks (their `path` is `null`), as JSON behind what is known of this `build`.
///
/// # Examples
///
/// ```
/// let report = tesuji_kits::machine_report(&[("version", "1.0")]);
/// assert_eq!(report["version"], "1.0");
/// assert!(report["cores"].as_u64() >= Some(1) && report["programs"].is_array());
/// ```
pub fn machine_report(build: &[(&str, &str)]) -> Value {
    let machine = Machine::look();
    let kib = |bytes: u64| format!("{} kB", bytes >> 10);
    let programs: Vec<Value> = PROGRAMS
        .iter()
        .map(|(name, purpose)| json!({ "name": name, "for": purpose, "path": find_program(name) }))
        .collect();
    let mut report = json!({
        "processor": machine.processor,
        "cores": available_parallelism().map(usize::from).unwrap_or(1),
        "memory": machine.memory.map(kib),
        "memory_free": machine.memory_free.map(kib),
        "load": machine.load.map(|load| format!("{load:.2}")),
        "clock_step_ns": clock_step_ns(),
        "programs": programs,
    });
    for (name, value) in build {
        report[*name] = Value::from(*value);
    }
    report
}

/// The smallest step of the monotonic clock seen in a thousand readings, in nanoseconds.
fn clock_step_ns() -> u64 {
    let mut least = u64::MAX;
    let mut last = Instant::now();
    for _ in 0..1000 {
        let now = Instant::now();
        let step = now.duration_since(last).as_nanos() as u64;
        if step > 0 {
            least = least.min(step);
        }
        last = now;
    }
    least
}
