//! The watch of a running search: its reports become states of the session, and a newer order stops it.

use super::{BoundKind, Found, FoundLine, PUBLISH_EVERY, State};
use crate::{
    grove::{Change, Grove},
    places::{follow, table_at},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tesuji_engine::LiveTree;
use tesuji_game::{Bound, Report, Signal, Wants, Watch};
use tesuji_kit::Kit;
use tokio::sync::watch;

/// Watches a search: publishes its reports, and stops it when a newer order has come or nobody listens.
pub(super) struct Eye<'a> {
    pub(super) kit: &'static dyn Kit,
    pub(super) number: u64,
    pub(super) newest: &'a AtomicU64,
    pub(super) is_paused: &'a AtomicBool,
    /// Whether the search was stopped because nobody listens.
    pub(super) has_paused: bool,
    pub(super) state: &'a watch::Sender<Arc<State>>,
    pub(super) now: &'a mut State,
    pub(super) last: Option<Instant>,
    pub(super) began: Instant,
    pub(super) grove: &'a Grove,
    /// The tree, until the search asks its first question.
    pub(super) live: Option<Arc<dyn LiveTree>>,
    /// The best move of the last report.
    pub(super) best: Option<String>,
}

impl Eye<'_> {
    /// A report in the page's words.
    pub(super) fn found(&self, report: &Report<String>) -> Found {
        let millis = u64::try_from(report.time.as_millis()).unwrap_or(u64::MAX);
        let speed = report.nodes as f64 / report.time.as_secs_f64().max(1e-6);
        let lines = report.lines.iter().map(|line| FoundLine {
            pv: table_at(self.kit, &self.now.place).map(|mut table| follow(&mut *table, &line.pv)).unwrap_or_default(),
            cp: (!line.value.is_mate()).then(|| line.value.raw()),
            mate: line.value.mate_plies(),
            bound: match line.bound {
                Bound::Exact => BoundKind::Exact,
                Bound::Lower => BoundKind::Lower,
                Bound::Upper => BoundKind::Upper,
            },
            value: line.value.raw(),
            wdl: line.wdl.map(|wdl| [wdl.win, wdl.draw, wdl.loss]),
            visits: line.visits,
            prior: line.prior,
            lead: line.margin,
        });
        // A search that was stopped has a bound and the move alone where it looked last: what was known of the line stays.
        let before = self.now.found.as_ref().map_or(&[][..], |found| &found.lines);
        let mut lines: Vec<FoundLine> = lines.collect();
        for line in lines.iter_mut().filter(|line| line.bound != BoundKind::Exact) {
            if let Some(old) = before.iter().find(|old| old.pv.len() > line.pv.len() && old.pv.starts_with(&line.pv)) {
                line.pv.clone_from(&old.pv);
            }
        }
        Found {
            depth: report.depth,
            depth_max: report.depth_max,
            nodes: report.nodes,
            time: millis,
            speed: speed as u64,
            hash_full: report.hash_full,
            lines,
        }
    }
}

impl Watch<String> for Eye<'_> {
    fn signal(&mut self) -> Signal {
        if self.live.is_some() {
            self.grove.grow(self.live.take());
        }
        if self.newest.load(Ordering::Relaxed) != self.number {
            return Signal::Stop;
        }
        self.has_paused |= self.is_paused.load(Ordering::Relaxed);
        if self.has_paused { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn wants(&self) -> Wants {
        Wants { every: Some(PUBLISH_EVERY), ..Wants::default() }
    }

    fn report(&mut self, report: &Report<String>) {
        self.grove.count(report.nodes);
        if let Some(line) = report.lines.first()
            && let Some(best) = line.pv.first()
            && self.best.as_ref() != Some(best)
        {
            self.best = Some(best.clone());
            let (nodes, depth, cp) = (report.nodes, report.depth, line.value.raw());
            let time = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.grove
                .changed(self.now.search, Change { nodes, time, depth, from: None, to: best.clone(), cp, cause: None });
        }
        if report.lines.is_empty() || self.last.is_some_and(|last| last.elapsed() < PUBLISH_EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        self.now.found = Some(self.found(report));
        self.now.seq += 1;
        self.state.send_replace(Arc::new(self.now.clone()));
    }
}
