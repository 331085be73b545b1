//! Positions that wait for analysis, those under way, and the analysis itself.

use super::{Desk, answer, query::Query};
use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use tesuji_engine::Player;
use tesuji_game::{Limits, Report, Side, Signal, Wants, Watch};

/// The most moves that are told of a position: all.
const LINES: usize = 1000;

/// One position of a query.
#[derive(Clone)]
pub(super) struct Task {
    pub(super) query: Arc<Query>,
    pub(super) turn: usize,
    /// Higher ones come first.
    pub(super) priority: i64,
    /// Whether its search is to end.
    pub(super) stop: Arc<AtomicBool>,
}

/// What waits and what is under way.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Task>,
    running: Vec<Task>,
    is_closed: bool,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds tasks.
    pub(super) fn put(&self, tasks: impl Iterator<Item = Task>) {
        self.state().waiting.extend(tasks);
        self.wake.notify_all();
    }

    /// Waits for the next task: of the highest priority the one that came first. `None` when there will be no more.
    pub(super) fn take(&self) -> Option<Task> {
        let mut state = self.state();
        loop {
            let next = state.waiting.iter().enumerate().max_by_key(|(i, task)| (task.priority, std::cmp::Reverse(*i)));
            if let Some((i, _)) = next {
                let task = state.waiting.remove(i);
                state.running.push(task.clone());
                return Some(task);
            }
            if state.is_closed {
                return None;
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that a task is answered.
    pub(super) fn done(&self, task: &Task) {
        self.state().running.retain(|other| !Arc::ptr_eq(&other.stop, &task.stop));
    }

    /// There will be no more tasks.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.wake.notify_all();
    }

    /// Stops the searches that are meant, and returns those that had not begun, which nobody will answer now.
    pub(super) fn stop(&self, is_meant: impl Fn(&Task) -> bool) -> Vec<Task> {
        let mut state = self.state();
        state.running.iter().filter(|task| is_meant(task)).for_each(|task| task.stop.store(true, Relaxed));
        let (stopped, waiting) = std::mem::take(&mut state.waiting).into_iter().partition(|task| is_meant(task));
        state.waiting = waiting;
        stopped
    }

    /// Stops everything, without a word.
    pub(super) fn stop_all(&self) {
        self.stop(|_| true);
    }
}

impl Desk {
    /// Analyses one position and answers.
    pub(super) fn work(&self, player: &mut dyn Player, task: &Task) {
        let query = &task.query;
        let mut moves = query.moves[..query.at[task.turn]].to_vec();
        // Both have passed: the analysis looks at what follows if the game goes on.
        while moves.len() >= 2 && moves.iter().rev().take(2).all(|mv| mv.eq_ignore_ascii_case("pass")) {
            moves.truncate(moves.len() - 2);
        }
        // The same query has the same answer, whatever came before.
        player.new_game();
        if let Err(error) = player.set_position(&query.rules, query.start.as_deref(), &moves) {
            return self.say(&answer::of_fault("error", &error.to_string(), None, Some(&query.id)));
        }
        let mover = player.side_to_move().unwrap_or(Side::First);
        let legal = player.moves();
        let only = wanted(&legal, &query.allow[mover.index()], &query.avoid[mover.index()]);
        let limits =
            Limits { nodes: Some(query.visits.unwrap_or(self.visits)), move_time: query.time, ..Limits::default() };
        let perspective = query.perspective.unwrap_or(self.perspective);
        let tell = |report: &Report<String>, is_during| {
            self.say(&answer::of_report(query, task.turn, mover, perspective, &legal, report, is_during));
        };
        let mut live = Live { since: Instant::now(), task, tell: &tell };
        let report = player.go(&limits, &only, &mut live);
        if let Some(fault) = &report.fault {
            return self.say(&answer::of_fault("error", fault, None, Some(&query.id)));
        }
        if report.lines.iter().all(|line| line.visits == 0) {
            return self.say(&answer::without_results(&query.id, task.turn));
        }
        tell(&report, false);
    }
}

/// The moves to look at, all if empty.
fn wanted(legal: &[String], allow: &[String], avoid: &[String]) -> Vec<String> {
    let among = |list: &[String], mv: &String| list.iter().any(|other| other.eq_ignore_ascii_case(mv));
    if allow.is_empty() && avoid.is_empty() {
        return Vec::new();
    }
    let kept = legal.iter().filter(|mv| (allow.is_empty() || among(allow, mv)) && !among(avoid, mv));
    kept.cloned().collect()
}

/// A search under way.
struct Live<'a> {
    since: Instant,
    task: &'a Task,
    tell: &'a dyn Fn(&Report<String>, bool),
}

impl Watch<String> for Live<'_> {
    fn signal(&mut self) -> Signal {
        if self.task.stop.load(Relaxed) { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        if self.task.query.every.is_some() && report.choice.is_none() {
            (self.tell)(report, true);
        }
    }

    fn wants(&self) -> Wants {
        // Without reports on the way, the last one is all there is.
        Wants { lines: Some(LINES), every: Some(self.task.query.every.unwrap_or(Duration::MAX)) }
    }
}
