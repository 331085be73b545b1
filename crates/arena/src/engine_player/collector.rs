//! Lines that an engine tells one by one, collected into reports.

use crate::News;
use std::{collections::BTreeMap, time::Duration};
use tesuji_game::{Bound, Candidate, Limits, Report};
use tesuji_protocol::{Analysed, Info};
use tesuji_record::RulesTable;

/// What was told in a search.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// The newest line of each rank, and the depth that it was told at.
    ranks: BTreeMap<u32, (u32, Candidate<String>)>,
    /// All moves at once, from engines that tell so.
    analysed: Option<Box<Analysed>>,
    depth: u32,
    depth_max: u32,
    nodes: u64,
    hash_full: u32,
    table_hits: u64,
    has_changed: bool,
    /// The answer expected.
    pub(super) expected: Option<String>,
}

impl Collector {
    /// Takes what was told.
    pub(super) fn take(&mut self, news: News) {
        match news {
            News::Info(info) => self.note(&info),
            News::Analysed(told) => {
                let report = &told.report;
                (self.depth, self.depth_max, self.nodes) = (report.depth, report.depth_max, report.nodes);
                self.analysed = Some(told);
                self.has_changed = true;
            }
            News::Nothing => {}
        }
    }

    fn note(&mut self, info: &Info) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        self.hash_full = info.hash_full.unwrap_or(self.hash_full);
        self.table_hits = info.table_hits.unwrap_or(self.table_hits);
        let (Some(score), Some(first)) = (info.score, info.pv.first()) else { return };
        let (rank, depth) = (info.rank.unwrap_or(1), info.depth.unwrap_or(0));
        let is_bound = score.bound != Bound::Exact;
        // A bound says less than the value of the iteration before, unless it is of another move.
        if is_bound && self.ranks.get(&rank).is_some_and(|(_, line)| line.bound == Bound::Exact && line.pv[0] == *first)
        {
            return;
        }
        let line = Candidate {
            pv: info.pv.clone(),
            value: score.value,
            bound: score.bound,
            wdl: info.wdl,
            visits: 0,
            prior: 0.0,
            expected: None,
            margin: None,
        };
        self.ranks.insert(rank, (depth, line));
        if rank == 1 {
            self.depth = depth.max(self.depth);
            self.depth_max = info.depth_max.unwrap_or(depth).max(self.depth_max);
        }
        self.has_changed = true;
    }

    /// Whether something was told since the last report.
    pub(super) fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// Whether a search whose limits its runner watches has reached one.
    pub(super) fn is_enough(&self, limits: &Limits, elapsed: Duration) -> bool {
        limits.move_time.is_some_and(|time| elapsed >= time) || limits.nodes.is_some_and(|nodes| self.nodes >= nodes)
    }

    /// The visits along each line, where they were told.
    pub(super) fn visits(&self) -> &[Vec<u64>] {
        self.analysed.as_ref().map_or(&[], |told| &told.pv_visits)
    }

    /// The state of the search. Moves are written as the game writes them; what cannot be played from the position of `table` is left
    /// out.
    pub(super) fn report(&mut self, table: &mut dyn RulesTable, time: Duration) -> Report<String> {
        self.has_changed = false;
        let told = self.analysed.as_ref().map(|told| told.report.clone()).unwrap_or_default();
        let ranked = self.ranks.values().map(|(_, line)| line.clone());
        let mut lines: Vec<Candidate<String>> = Vec::new();
        for mut line in told.lines.into_iter().chain(ranked) {
            line.pv = played(table, &line.pv);
            // A move that rose in rank still stands at its old one until that is told again.
            if !line.pv.is_empty() && lines.iter().all(|other| other.pv[0] != line.pv[0]) {
                lines.push(line);
            }
        }
        Report {
            ponder: self.expected.clone(),
            lines,
            depth: self.depth,
            depth_max: self.depth_max.max(self.depth),
            nodes: self.nodes,
            time,
            hash_full: self.hash_full,
            table_hits: self.table_hits,
            margin: told.margin,
            ownership: told.ownership,
            ..Report::default()
        }
    }
}

/// The moves of `line` that can be played one after the other, in the notation of the game.
fn played(table: &mut dyn RulesTable, line: &[String]) -> Vec<String> {
    let mut codes = Vec::with_capacity(line.len());
    for text in line {
        let Ok(code) = table.parse_move(text) else { break };
        if table.play(&code).is_err() {
            break;
        }
        codes.push(code);
    }
    for _ in &codes {
        table.undo();
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_four::FOUR;
    use tesuji_game::Value;
    use tesuji_protocol::Score;
    use tesuji_record::AnyGame;

    fn info(depth: u32, rank: u32, cp: i32, bound: Bound, pv: &[&str]) -> News {
        News::Info(Info {
            depth: Some(depth),
            rank: Some(rank),
            nodes: Some(u64::from(depth) * 100),
            score: Some(Score { value: Value::cp(cp), bound }),
            pv: pv.iter().map(|mv| (*mv).to_string()).collect(),
            ..Info::default()
        })
    }

    #[test]
    fn lines_of_several_iterations_make_one_report() {
        let mut found = Collector::default();
        let mut table = FOUR.table("", None).unwrap();
        found.take(info(1, 1, 10, Bound::Exact, &["4", "4"]));
        found.take(info(1, 2, 5, Bound::Exact, &["3"]));
        found.take(info(2, 1, 40, Bound::Lower, &["4"]));
        found.take(info(2, 1, 30, Bound::Exact, &["3", "9", "1"]));
        assert!(found.has_changed());
        let report = found.report(&mut *table, Duration::from_secs(1));
        let told: Vec<_> = report.lines.iter().map(|line| (line.pv.join(" "), line.value.raw(), line.bound)).collect();
        assert_eq!(told, [("3".to_string(), 30, Bound::Exact)], "4 was not told again at its new rank, 9 is no move");
        assert_eq!((report.depth, report.nodes, table.plies()), (2, 200, 0));
        found.take(info(2, 2, 20, Bound::Exact, &["4"]));
        assert_eq!(found.report(&mut *table, Duration::ZERO).lines.len(), 2);
        assert!(!found.has_changed());
        let limits = Limits { nodes: Some(201), move_time: Some(Duration::from_secs(5)), ..Limits::default() };
        assert!(!found.is_enough(&limits, Duration::from_secs(4)) && found.is_enough(&limits, Duration::from_secs(5)));
    }
}
