//! Counts of leaves of move trees as text and as JSON.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tesuji_jobs::counted;
use tesuji_kit::Perft;

/// A finished perft with its parameters.
pub struct Counted<'a> {
    /// The counts.
    pub perft: &'a Perft,
    /// Plies.
    pub depth: u32,
    /// Threads.
    pub threads: u32,
    /// Whether the count below each root move is shown.
    pub divide: bool,
}

impl Counted<'_> {
    /// Lines for people.
    pub fn text(&self) -> String {
        let Counted { perft, depth, threads, divide } = *self;
        let mut out = String::new();
        if divide {
            let mut lines = perft.moves.clone();
            lines.sort();
            for (mv, n) in lines {
                let _ = writeln!(out, "{mv}: {n}");
            }
            out.push('\n');
        }
        let seconds = perft.elapsed.as_secs_f64();
        let speed = perft.leaves as f64 / seconds.max(1e-9) / 1e6;
        let _ = writeln!(out, "position  {}", perft.position);
        let _ = writeln!(out, "perft({depth})  {}", perft.leaves);
        let threads = counted(u64::from(threads), "thread");
        let _ = writeln!(out, "time      {seconds:.3} s, {speed:.1} million leaves a second, {threads}");
        out
    }

    /// The counts as JSON, for programs.
    pub fn json(&self) -> Value {
        let perft = self.perft;
        let mut report = json!({
            "position": perft.position,
            "depth": self.depth,
            "count": perft.leaves,
            "seconds": perft.elapsed.as_secs_f64(),
            "threads": self.threads,
        });
        if self.divide {
            let divide: serde_json::Map<_, _> = perft.moves.iter().map(|(mv, n)| (mv.clone(), json!(n))).collect();
            report["divide"] = divide.into();
        }
        report
    }
}
