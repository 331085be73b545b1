//! Results of a bench, as a table for people and as JSON.

use serde::Serialize;
use std::fmt::Write;
use tesuji_kit::bench::{SearchCounts, Searched, Timing};

/// The lines for people: one for each class, one for all of a game and family, with hit rates of tables.
pub fn table(lines: &[Searched]) -> String {
    let mut out = String::new();
    for group in lines.chunk_by(|a, b| (a.game, &a.family) == (b.game, &b.family)) {
        let Searched { game, family, depth, nodes_max, .. } = &group[0];
        let bound = nodes_max.map_or_else(String::new, |nodes| format!(", at most {nodes} nodes a position"));
        let _ = writeln!(out, "{game} {family} depth {depth}{bound}");
        let _ = writeln!(
            out,
            "{:<14}{:>10}{:>14}{:>10}{:>10}{:>14}   cache hits",
            "class", "positions", "nodes", "CPU s", "wall s", "nodes/CPU-s"
        );
        let mut all = SearchCounts::default();
        for line in group {
            write_row(&mut out, line.class, &line.sum);
            all.join(&line.sum);
        }
        write_row(&mut out, "all", &all);
        let _ = writeln!(out, "{game} {family} depth {depth}: {} nodes", all.nodes);
    }
    out
}

fn write_row(out: &mut String, name: &str, sum: &SearchCounts) {
    let (cpu, wall) = (sum.cpu_seconds, sum.seconds);
    let rate = sum.nodes as f64 / cpu.max(1e-9);
    let _ = write!(out, "{name:<14}{:>10}{:>14}{cpu:>10.3}{wall:>10.3}{rate:>14.0}  ", sum.positions, sum.nodes);
    for table in &sum.tables {
        let share = 100.0 * table.hits as f64 / table.probes.max(1) as f64;
        let _ = write!(out, " {} {share:.1} %", table.name);
    }
    let _ = writeln!(out);
}

/// The timings for people.
pub fn timings(timings: &[Timing]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{:<14}{:<32}{:>12}{:>12}{:>14}", "class", "what", "count", "CPU-ns each", "per CPU-s");
    for t in timings {
        let rate = 1e9 / t.nanoseconds.max(1e-9);
        let _ = writeln!(out, "{:<14}{:<32}{:>12}{:>12.2}{rate:>14.0}", t.class, t.what, t.count, t.nanoseconds);
    }
    out
}

/// The lines for programs.
///
/// # Errors
/// When a line has no form in JSON.
pub fn json(lines: &[impl Serialize]) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(lines)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tesuji_kit::bench::Spent;

    /// The speed was nodes by the clock: another program on the machine halved it.
    #[test]
    fn speed_is_by_processor_time() {
        let mut sum = SearchCounts::default();
        let spent = Spent { cpu: Duration::from_millis(500), wall: Duration::from_secs(4) };
        sum.add(1000, spent, &[tesuji_game::CacheCounts::new("pawn", 200, 50)]);
        let text =
            table(&[Searched { game: "g", family: "f".to_string(), class: "c", depth: 3, nodes_max: Some(9), sum }]);
        assert!(text.starts_with("g f depth 3, at most 9 nodes a position\n"), "{text}");
        let row: Vec<&str> = text.lines().nth(2).unwrap_or_default().split_whitespace().collect();
        assert_eq!(row, ["c", "1", "1000", "0.500", "4.000", "2000", "pawn", "25.0", "%"], "{text}");
    }
}
