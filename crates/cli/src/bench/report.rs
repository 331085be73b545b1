//! What a bench found, as a table for people and as JSON.

use serde::Serialize;
use std::{fmt::Write, time::Duration};

/// One class of positions searched by one family.
#[derive(Serialize)]
pub struct Line {
    /// The game.
    pub game: &'static str,
    /// The search family.
    pub family: String,
    /// The class of positions.
    pub class: &'static str,
    /// Plies searched.
    pub depth: u32,
    /// What was counted.
    #[serde(flatten)]
    pub sum: Sum,
}

/// Counts of some searches.
#[derive(Default, Serialize)]
pub struct Sum {
    /// Positions searched.
    pub positions: u32,
    /// Nodes.
    pub nodes: u64,
    /// Seconds of processor time, of all threads together.
    pub cpu_seconds: f64,
    /// Seconds by the clock.
    pub seconds: f64,
    /// Probes and hits of tables and caches.
    pub tables: Vec<Hits>,
}

/// The time that a search took.
pub struct Spent {
    /// Processor time, of all threads together.
    pub cpu: Duration,
    /// By the clock.
    pub wall: Duration,
}

/// What a table or cache did.
#[derive(Serialize, Clone, Debug)]
pub struct Hits {
    /// Its name.
    pub name: &'static str,
    /// Times it was asked.
    pub probes: u64,
    /// Times it knew.
    pub hits: u64,
}

impl Sum {
    /// Adds one search.
    pub fn add(&mut self, nodes: u64, spent: Spent, counts: &[(&'static str, u64, u64)]) {
        self.positions += 1;
        self.nodes += nodes;
        self.cpu_seconds += spent.cpu.as_secs_f64();
        self.seconds += spent.wall.as_secs_f64();
        for &(name, probes, hits) in counts {
            self.hits_of(name, probes, hits);
        }
    }

    fn hits_of(&mut self, name: &'static str, probes: u64, hits: u64) {
        match self.tables.iter_mut().find(|t| t.name == name) {
            Some(table) => (table.probes, table.hits) = (table.probes + probes, table.hits + hits),
            None => self.tables.push(Hits { name, probes, hits }),
        }
    }

    fn join(&mut self, other: &Sum) {
        self.positions += other.positions;
        self.nodes += other.nodes;
        self.cpu_seconds += other.cpu_seconds;
        self.seconds += other.seconds;
        other.tables.iter().for_each(|t| self.hits_of(t.name, t.probes, t.hits));
    }
}

/// The lines for people: one for each class, one for all of a game and family, with hit rates of tables.
pub fn table(lines: &[Line]) -> String {
    let mut out = String::new();
    for group in lines.chunk_by(|a, b| (a.game, &a.family) == (b.game, &b.family)) {
        let Line { game, family, depth, .. } = &group[0];
        let _ = writeln!(out, "{game} {family} depth {depth}");
        let _ = writeln!(
            out,
            "{:<14}{:>10}{:>14}{:>10}{:>10}{:>14}   cache hits",
            "class", "positions", "nodes", "CPU s", "wall s", "nodes/CPU-s"
        );
        let mut all = Sum::default();
        for line in group {
            write_row(&mut out, line.class, &line.sum);
            all.join(&line.sum);
        }
        write_row(&mut out, "all", &all);
        let _ = writeln!(out, "{game} {family} depth {depth}: {} nodes", all.nodes);
    }
    out
}

fn write_row(out: &mut String, name: &str, sum: &Sum) {
    let (cpu, wall) = (sum.cpu_seconds, sum.seconds);
    let rate = sum.nodes as f64 / cpu.max(1e-9);
    let _ = write!(out, "{name:<14}{:>10}{:>14}{cpu:>10.3}{wall:>10.3}{rate:>14.0}  ", sum.positions, sum.nodes);
    for table in &sum.tables {
        let share = 100.0 * table.hits as f64 / table.probes.max(1) as f64;
        let _ = write!(out, " {} {share:.1} %", table.name);
    }
    let _ = writeln!(out);
}

/// The lines for programs.
///
/// # Errors
/// None that is known.
pub fn json(lines: &[impl Serialize]) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(lines)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The speed was nodes by the clock: another program on the machine halved it.
    #[test]
    fn speed_is_by_processor_time() {
        let mut sum = Sum::default();
        let spent = Spent { cpu: Duration::from_millis(500), wall: Duration::from_secs(4) };
        sum.add(1000, spent, &[("pawn", 200, 50)]);
        let text = table(&[Line { game: "g", family: "f".to_string(), class: "c", depth: 3, sum }]);
        let row: Vec<&str> = text.lines().nth(2).unwrap_or_default().split_whitespace().collect();
        assert_eq!(row, ["c", "1", "1000", "0.500", "4.000", "2000", "pawn", "25.0", "%"], "{text}");
    }
}
