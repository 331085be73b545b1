//! `tesuji doctor`: what this machine has and lacks.

use crate::version;
use serde_json::{Value, json};
use std::{process::ExitCode, thread::available_parallelism, time::Instant};
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

/// Arguments of `tesuji doctor`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tesuji doctor --json")]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Looks around and prints what there is.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let report = look();
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", tesuji_report::doctor::text(&report));
    }
    Ok(ExitCode::SUCCESS)
}

fn look() -> Value {
    let machine = Machine::look();
    let kib = |bytes: u64| format!("{} kB", bytes >> 10);
    let programs: Vec<Value> = PROGRAMS
        .iter()
        .map(|(name, purpose)| json!({ "name": name, "for": purpose, "path": find_program(name) }))
        .collect();
    json!({
        "version": version::short(),
        "build": env!("TESUJI_PROFILE"),
        "target": env!("TESUJI_TARGET"),
        "processor_path": version::processor_path(),
        "processor": machine.processor,
        "cores": available_parallelism().map(usize::from).unwrap_or(1),
        "memory": machine.memory.map(kib),
        "memory_free": machine.memory_free.map(kib),
        "load": machine.load.map(|load| format!("{load:.2}")),
        "clock_step_ns": clock_step_ns(),
        "programs": programs,
    })
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
