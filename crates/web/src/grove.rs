//! The tree of a session as others watch it: copied while the search runs if somebody looks, numbered so that a node keeps
//! its number from copy to copy, and kept now and then so that one can go back.

use crate::places::GamePosition;
use serde::Serialize;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tesuji_engine::{LiveTree, TreeBounds, TreeCopy};
use tokio::sync::watch;
use utoipa::ToSchema;

/// Nodes that are copied, those with the most effort first.
pub(crate) const NODES_MAX: usize = 20_000;
/// Nodes of a copy that is kept.
const KEPT_NODES: usize = 8_000;
/// Copies that are kept for a search.
const KEPT_MAX: usize = 40;
/// The first copy that is kept has this many nodes searched; each further one twice as many.
const KEPT_FROM: u64 = 256;
/// Time between two copies, at least.
const EVERY: Duration = Duration::from_millis(200);
/// After a copy the thread that copies rests this many times as long as it took: it never takes more than a twentieth of a processor.
const REST: u32 = 19;
/// Nodes that are remembered by number before numbers start again.
const NUMBERED_MAX: usize = 400_000;
/// Moments of a search that are remembered; then every second one is.
const MOMENTS_MAX: usize = 600;
/// Candidates of a moment.
const MOMENT_MOVES: usize = 6;

/// The limits of a tree's copy for the page.
pub(crate) const BOUNDS: TreeBounds = TreeBounds { nodes_max: NODES_MAX, plies_max: 64, effort_min: 0 };

/// A tree at a moment of a search.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// Grows with each snapshot of a session.
    pub(crate) seq: u64,
    /// The number of the search.
    pub(crate) search: u64,
    /// Nodes searched so far.
    pub(crate) nodes: u64,
    /// Milliseconds since the search began.
    pub(crate) time: u64,
    /// Whether the search goes on.
    pub(crate) thinking: bool,
    /// The position of the root.
    pub(crate) place: GamePosition,
    /// The nodes.
    pub(crate) tree: TreeCopy,
    /// The number of each node, the same as in earlier snapshots of the search.
    pub(crate) ids: Vec<u32>,
    /// The number of each node's move in the session's list of moves.
    pub(crate) codes: Vec<u16>,
    /// The snapshot before, if numbers go on from it.
    pub(crate) before: Option<u64>,
    pub(crate) records: OnceLock<Vec<[u8; 32]>>,
    pub(crate) key: OnceLock<Vec<u8>>,
    pub(crate) delta: OnceLock<[Vec<u8>; 2]>,
}

impl Snapshot {
    /// The numbers of the children of each node.
    pub(crate) fn children(&self) -> Vec<Vec<u32>> {
        self.tree.children()
    }
}

/// A candidate at a moment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct MomentMove {
    /// The move in the protocol's notation.
    #[serde(rename = "move")]
    pub(crate) code: String,
    /// Expected result for the side to move, in -1..=1.
    pub(crate) value: f32,
    /// Nodes or visits below.
    pub(crate) effort: u64,
}

/// The candidates at a moment of a search.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Moment {
    /// Its snapshot.
    pub(crate) seq: u64,
    /// Nodes searched.
    pub(crate) nodes: u64,
    /// Milliseconds since the search began.
    pub(crate) time: u64,
    /// Whether the tree of this moment can be seen.
    pub(crate) kept: bool,
    /// The candidates with the most effort, most first.
    pub(crate) moves: Vec<MomentMove>,
}

/// The node whose value changed most when a move stopped being the best one.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct Cause {
    /// The moves that lead to it from the root.
    pub(crate) path: Vec<String>,
    /// Its value before, for the side that moves at the root, in -1..=1.
    pub(crate) before: f32,
    /// Its value after.
    pub(crate) after: f32,
}

/// Another move became the best one.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Change {
    /// Nodes searched.
    pub(crate) nodes: u64,
    /// Milliseconds since the search began.
    pub(crate) time: u64,
    /// The iteration, where there are any.
    pub(crate) depth: u32,
    /// The best move before; none at first.
    pub(crate) from: Option<String>,
    /// The best move now.
    pub(crate) to: String,
    /// The new move's value in hundredths for the side to move.
    pub(crate) cp: i32,
    /// The place on the old move's line at which the value changed most, if trees before and after were seen.
    pub(crate) cause: Option<Cause>,
}

/// The history of a search beside its newest tree.
#[derive(Default)]
pub(crate) struct History {
    search: u64,
    numbers: HashMap<(u32, u16, u16), u32>,
    next_number: u32,
    pub(crate) codes: Vec<String>,
    code_numbers: HashMap<String, u16>,
    pub(crate) kept: Vec<Arc<Snapshot>>,
    pub(crate) moments: Vec<Moment>,
    pub(crate) changes: Vec<Change>,
    /// Moves in words by the number of the node, as far as they were asked for.
    pub(crate) node_text: HashMap<u32, String>,
}

impl History {
    /// Forgets another search.
    fn begin(&mut self, search: u64) {
        if self.search != search {
            let codes = std::mem::take(&mut self.codes);
            *self =
                History { search, codes, code_numbers: std::mem::take(&mut self.code_numbers), ..History::default() };
        }
    }

    fn code(&mut self, text: &str) -> u16 {
        if let Some(&code) = self.code_numbers.get(text) {
            return code;
        }
        let Ok(code) = u16::try_from(self.codes.len()) else { return 0 };
        self.codes.push(text.to_string());
        self.code_numbers.insert(text.to_string(), code);
        code
    }

    /// Numbers the nodes of `snapshot`; says whether numbers go on from the snapshot before.
    fn number(&mut self, snapshot: &mut Snapshot) -> bool {
        let goes_on = self.next_number > 0 && self.numbers.len() < NUMBERED_MAX;
        if !goes_on {
            self.numbers.clear();
            self.node_text.clear();
            self.next_number = 1;
        }
        // Alpha-beta visits a move several times: equal moves of a node are told apart by their order.
        let mut seen: HashMap<(u32, u16), u16> = HashMap::with_capacity(snapshot.tree.nodes.len());
        for (at, node) in snapshot.tree.nodes.iter().enumerate() {
            let code = self.code(&node.mv);
            let id = match node.parent {
                None => 0,
                Some(_) if at == 0 => 0,
                Some(parent) => {
                    let above = snapshot.ids[parent as usize];
                    let again = seen.entry((above, code)).or_default();
                    let next = self.next_number;
                    let id = *self.numbers.entry((above, code, *again)).or_insert(next);
                    *again += 1;
                    self.next_number = self.next_number.max(id + 1);
                    id
                }
            };
            snapshot.ids.push(id);
            snapshot.codes.push(code);
        }
        goes_on
    }

    /// Nodes from which the next copy is kept.
    fn keep_at(&self) -> u64 {
        self.kept.last().map_or(KEPT_FROM, |last| last.nodes.saturating_mul(2).max(KEPT_FROM))
    }

    /// Keeps what is to be kept of a snapshot.
    fn keep(&mut self, snapshot: &Arc<Snapshot>) {
        let is_kept = (snapshot.nodes >= self.keep_at() || !snapshot.thinking) && self.kept.len() < KEPT_MAX;
        let mut top: Vec<_> = snapshot.tree.nodes.iter().filter(|node| node.parent == Some(0)).collect();
        top.sort_by_key(|node| std::cmp::Reverse(node.effort));
        let moves = top.iter().filter(|node| node.effort > 0).take(MOMENT_MOVES).map(|node| MomentMove {
            code: node.mv.clone(),
            value: node.value,
            effort: node.effort,
        });
        let (seq, nodes, time) = (snapshot.seq, snapshot.nodes, snapshot.time);
        self.moments.push(Moment { seq, nodes, time, kept: is_kept, moves: moves.collect() });
        if is_kept {
            self.kept.push(smaller(snapshot));
        }
        if self.moments.len() > MOMENTS_MAX {
            let mut at = 0;
            self.moments.retain(|moment| {
                at += 1;
                moment.kept || at % 2 == 0
            });
        }
    }
}

/// The node on the line of the root move `code` whose value fell most between two snapshots that number alike.
fn cause(before: &Snapshot, now: &Snapshot, code: &str) -> Option<Cause> {
    let below = before.children();
    let nodes = &before.tree.nodes;
    let after: HashMap<u32, usize> = now.ids.iter().enumerate().map(|(at, &id)| (id, at)).collect();
    let mut at = *below.first()?.iter().find(|&&id| nodes[id as usize].mv == code)? as usize;
    let mut path = Vec::new();
    let mut worst: Option<Cause> = None;
    loop {
        path.push(nodes[at].mv.clone());
        let turn = if path.len() % 2 == 1 { 1.0 } else { -1.0 };
        if let Some(&later) = after.get(&before.ids[at]) {
            let (old, new) = (nodes[at].value * turn, now.tree.nodes[later].value * turn);
            if new < old && worst.as_ref().is_none_or(|worst| new - old < worst.after - worst.before) {
                worst = Some(Cause { path: path.clone(), before: old, after: new });
            }
        }
        let next = below[at].iter().filter(|&&id| !nodes[id as usize].mv.is_empty());
        match next.max_by_key(|&&id| nodes[id as usize].effort) {
            Some(&id) if nodes[id as usize].effort > 0 => at = id as usize,
            _ => return worst,
        }
    }
}

/// The snapshot with the nodes that have the most effort: they stand first.
fn smaller(snapshot: &Arc<Snapshot>) -> Arc<Snapshot> {
    if snapshot.tree.nodes.len() <= KEPT_NODES {
        return snapshot.clone();
    }
    Arc::new(Snapshot {
        tree: TreeCopy { nodes: snapshot.tree.nodes[..KEPT_NODES].to_vec() },
        ids: snapshot.ids[..KEPT_NODES].to_vec(),
        codes: snapshot.codes[..KEPT_NODES].to_vec(),
        place: snapshot.place.clone(),
        records: OnceLock::new(),
        key: OnceLock::new(),
        delta: OnceLock::new(),
        before: None,
        ..**snapshot
    })
}

/// The trees of a session.
pub(crate) struct Grove {
    /// The running search's tree, from its first breath to its end.
    live: Mutex<Option<Arc<dyn LiveTree>>>,
    /// Those who want each copy.
    watchers: AtomicUsize,
    /// Whether anybody ever asked for a tree: only then copies are kept.
    is_wanted: AtomicBool,
    /// Nodes of the running search.
    nodes: AtomicU64,
    newest: watch::Sender<Arc<Snapshot>>,
    history: Mutex<History>,
}

impl Default for Grove {
    fn default() -> Grove {
        Grove {
            live: Mutex::default(),
            watchers: AtomicUsize::new(0),
            is_wanted: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            newest: watch::Sender::new(Arc::default()),
            history: Mutex::default(),
        }
    }
}

/// One who watches; copies stop when the last one leaves.
pub(crate) struct Watcher(Arc<Grove>);

impl Drop for Watcher {
    fn drop(&mut self) {
        self.0.watchers.fetch_sub(1, Relaxed);
    }
}

/// The parameters of a running search, for its copies.
#[derive(Debug, Clone, Default)]
pub(crate) struct Course {
    pub(crate) search: u64,
    pub(crate) place: GamePosition,
}

impl Grove {
    /// The snapshots as they come.
    pub(crate) fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.newest.subscribe()
    }

    /// The newest snapshot.
    pub(crate) fn newest(&self) -> Arc<Snapshot> {
        self.newest.borrow().clone()
    }

    pub(crate) fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kept snapshot `seq`, or the newest.
    pub(crate) fn at(&self, seq: Option<u64>) -> Option<Arc<Snapshot>> {
        let Some(seq) = seq else { return Some(self.newest()) };
        let newest = self.newest();
        if newest.seq == seq {
            return Some(newest);
        }
        self.history().kept.iter().find(|kept| kept.seq == seq).cloned()
    }

    /// Somebody watches from now on.
    pub(crate) fn watch(self: &Arc<Grove>) -> Watcher {
        self.watchers.fetch_add(1, Relaxed);
        self.want();
        Watcher(self.clone())
    }

    /// The number of watchers.
    pub(crate) fn watchers(&self) -> usize {
        self.watchers.load(Relaxed)
    }

    /// Trees of this session are looked at.
    pub(crate) fn want(&self) {
        self.is_wanted.store(true, Relaxed);
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.is_wanted.load(Relaxed)
    }

    /// Sets the number of nodes that the running search has visited.
    pub(crate) fn count(&self, nodes: u64) {
        self.nodes.store(nodes, Relaxed);
    }

    /// The search begins to grow `tree`, or has ended.
    pub(crate) fn grow(&self, tree: Option<Arc<dyn LiveTree>>) {
        *self.live.lock().unwrap_or_else(PoisonError::into_inner) = tree;
    }

    /// Another move became the best one.
    pub(crate) fn changed(&self, search: u64, change: Change) {
        let mut history = self.history();
        history.begin(search);
        let last = history.changes.last().map(|last| last.to.clone());
        if last.as_ref() != Some(&change.to) && history.changes.len() < MOMENTS_MAX {
            history.changes.push(Change { from: last, ..change });
        }
    }

    /// Publishes a tree.
    pub(crate) fn publish(&self, course: &Course, nodes: u64, time: Duration, thinking: bool, tree: TreeCopy) {
        let before = self.newest();
        let mut history = self.history();
        history.begin(course.search);
        let mut snapshot = Snapshot {
            seq: before.seq + 1,
            search: course.search,
            nodes,
            time: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            thinking,
            place: course.place.clone(),
            tree,
            ..Snapshot::default()
        };
        if history.number(&mut snapshot) && before.search == course.search {
            snapshot.before = Some(before.seq);
        }
        let snapshot = Arc::new(snapshot);
        history.keep(&snapshot);
        let is_next = snapshot.before == Some(before.seq);
        if let Some(last) =
            history.changes.last_mut().filter(|last| is_next && last.cause.is_none() && last.nodes > before.nodes)
            && let Some(from) = &last.from
        {
            last.cause = cause(&before, &snapshot, from);
        }
        drop(history);
        self.newest.send_replace(snapshot);
    }

    /// Copies the running search again and again until it ends, as long as somebody watches or a copy is to be kept.
    pub(crate) fn copy_while_growing(&self, course: &Course, time: impl Fn() -> Duration, goes_on: impl Fn() -> bool) {
        let mut seen = 0;
        let mut rest = EVERY;
        while goes_on() {
            std::thread::park_timeout(rest);
            let nodes = self.nodes.load(Relaxed);
            let is_due = {
                let history = self.history();
                let is_new = history.search != course.search;
                nodes >= if is_new { KEPT_FROM } else { history.keep_at() } && (is_new || history.kept.len() < KEPT_MAX)
            };
            if !self.is_wanted() || nodes == seen || (self.watchers.load(Relaxed) == 0 && !is_due) {
                continue;
            }
            let began = time();
            if self.copy_once(course, nodes, &time) {
                seen = nodes;
            }
            rest = rest_after(time().saturating_sub(began));
        }
    }

    /// Copies the running search as it stands and tells of it; whether there was anything to copy. (It stays a function of its own
    /// because `web/e2e/cost.mjs` counts what it costs by its name.)
    #[inline(never)]
    fn copy_once(&self, course: &Course, nodes: u64, time: &dyn Fn() -> Duration) -> bool {
        // While this is held, the search cannot end, nor tell its end before this copy is told.
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(tree) = live.as_ref().and_then(|tree| tree.copy(&BOUNDS)) else { return false };
        self.publish(course, nodes, time(), true, tree);
        true
    }
}

/// The pause after a copy that took `took`.
fn rest_after(took: Duration) -> Duration {
    EVERY.max(took.saturating_mul(REST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_engine::TreeNode;

    fn tree(rows: &[(Option<u32>, &str, f32, u64)]) -> TreeCopy {
        let node = |&(parent, mv, value, effort): &(Option<u32>, &str, f32, u64)| TreeNode {
            parent,
            mv: mv.into(),
            value,
            effort,
            prior: 0.0,
            children: 0,
            note: None,
            key: 0,
        };
        TreeCopy { nodes: rows.iter().map(node).collect() }
    }

    #[test]
    fn dear_copies_become_rare() {
        assert_eq!(rest_after(Duration::from_millis(3)), EVERY);
        assert_eq!(rest_after(Duration::from_millis(100)), Duration::from_millis(1900));
    }

    #[test]
    fn nodes_keep_their_numbers_and_a_change_has_its_cause() {
        let grove = Grove::default();
        let course = Course { search: 1, place: GamePosition::default() };
        let publish = |nodes, tree| grove.publish(&course, nodes, Duration::ZERO, true, tree);
        let change =
            |nodes, to: &str| Change { nodes, time: 0, depth: 1, from: None, to: to.into(), cp: 0, cause: None };
        grove.changed(1, change(10, "a"));
        publish(
            300,
            tree(&[(None, "", 0.0, 9), (Some(0), "a", 0.4, 5), (Some(0), "b", 0.1, 3), (Some(1), "c", -0.4, 4)]),
        );
        let first = grove.newest();
        grove.changed(1, change(500, "b"));
        publish(
            700,
            tree(&[(None, "", 0.0, 9), (Some(0), "b", 0.2, 6), (Some(0), "a", 0.1, 5), (Some(2), "c", 0.2, 4)]),
        );
        let second = grove.newest();
        assert_eq!(
            (second.before, &second.ids[..]),
            (Some(first.seq), &[0, first.ids[2], first.ids[1], first.ids[3]][..])
        );
        let history = grove.history();
        let cause = history.changes[1].cause.clone().expect("a cause");
        // The answer c was worth 0.4 to the side at the root, and now costs it 0.2.
        assert_eq!(cause.path, ["a", "c"]);
        assert!((cause.before - 0.4).abs() < 1e-6 && (cause.after + 0.2).abs() < 1e-6, "{cause:?}");
        assert_eq!(history.kept.len(), 2, "300 and 700: more than twice as many");
    }
}
