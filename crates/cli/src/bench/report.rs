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
    /// Seconds.
    pub seconds: f64,
    /// Probes and hits of tables and caches.
    pub tables: Vec<Hits>,
}

/// What a table or cache did.
#[derive(Serialize, Clone)]
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
    pub fn add(&mut self, nodes: u64, time: Duration, counts: &[(&'static str, u64, u64)]) {
        self.positions += 1;
        self.nodes += nodes;
        self.seconds += time.as_secs_f64();
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
        let _ =
            writeln!(out, "{:<14}{:>10}{:>14}{:>10}{:>12}   hits", "class", "positions", "nodes", "seconds", "nodes/s");
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
    let rate = sum.nodes as f64 / sum.seconds.max(1e-9);
    let _ = write!(out, "{name:<14}{:>10}{:>14}{:>10.3}{rate:>12.0}  ", sum.positions, sum.nodes, sum.seconds);
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
