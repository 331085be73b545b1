//! `tesuji doctor`: what this machine has and lacks.

use crate::version;
use serde_json::{Value, json};
use std::{fs, process::ExitCode, thread::available_parallelism, time::Instant};
use tesuji_jobs::find_program;

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
    let programs: Vec<Value> = PROGRAMS
        .iter()
        .map(|(name, purpose)| json!({ "name": name, "for": purpose, "path": find_program(name) }))
        .collect();
    json!({
        "version": version::short(),
        "build": env!("TESUJI_PROFILE"),
        "target": env!("TESUJI_TARGET"),
        "processor_path": version::processor_path(),
        "processor": field("/proc/cpuinfo", "model name"),
        "cores": available_parallelism().map(usize::from).unwrap_or(1),
        "memory": field("/proc/meminfo", "MemTotal"),
        "memory_free": field("/proc/meminfo", "MemAvailable"),
        "load": fs::read_to_string("/proc/loadavg").ok().and_then(|s| s.split(' ').next().map(str::to_string)),
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

/// The value of `name: value` in a file of such lines.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|l| l.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_string())
}
