//! A bounded trace of an alpha-beta search: which positions it entered, with which window and depth, how it left them and why, and what it left out; and where its counters ([`super::profile`]) are kept. Without both it costs one test a node.

use super::{counters::Counters, node::NodeType, options::Traces, score, thread::Thread};
use crate::{mcts::expected, profile::Step};
use std::sync::Arc;
use tesuji_game::{Evaluator, NodeNote, Position, Reason, Tactical, TreeRow, TreeView, Value};

/// One visit to a position, or to a move that was left out.
#[derive(Debug, Clone, Copy)]
struct Visit {
    parent: u32,
    /// Packed; 0 at the root and for a null move.
    mv: u16,
    ply: u16,
    /// For the side to move.
    value: i32,
    window: [i32; 2],
    depth: i32,
    nodes: u64,
    reason: Reason,
}

/// The visits of one iteration, and the counters of all.
#[derive(Debug, Clone)]
pub(super) struct Recorder {
    visits: Vec<Visit>,
    /// Those of the last iteration that came to its end.
    done: Vec<Visit>,
    /// The visits on the path, the root first; `None` beyond the bounds.
    path: Vec<Option<u32>>,
    plies_max: usize,
    visits_max: usize,
    /// The reason of the last exit from a node.
    reason: Reason,
    /// Counters for a profile, where one was asked for.
    pub(super) counters: Option<Counters>,
}

impl Recorder {
    /// A recorder for the traces and counters that the options ask for; `None` where they ask for nothing.
    pub(super) fn wanted(traces: &Traces) -> Option<Box<Recorder>> {
        let plies_max = traces.trace_plies;
        (plies_max > 0 || traces.profile).then(|| {
            Box::new(Recorder {
                visits: Vec::new(),
                done: Vec::new(),
                path: Vec::new(),
                plies_max,
                visits_max: if plies_max > 0 { traces.trace_nodes } else { 0 },
                reason: Reason::Searched,
                counters: traces.profile.then(Counters::new),
            })
        })
    }

    #[cold]
    #[inline(never)]
    pub(super) fn count(&self, step: Step) {
        if let Some(counters) = &self.counters {
            counters.count(step);
        }
    }

    /// Forgets the iteration before and enters the root.
    fn restart(&mut self, window: [i32; 2], depth: i32) {
        self.visits.clear();
        self.path.clear();
        self.enter(0, window, depth);
    }

    /// Enters the root of the pass before again, for another pass of the same iteration.
    fn go_on(&mut self) {
        self.path.clear();
        self.path.push((!self.visits.is_empty()).then_some(0));
        self.reason = Reason::Searched;
    }

    fn add(&mut self, mv: u16, window: [i32; 2], depth: i32) -> Option<u32> {
        let ply = self.path.len();
        if ply > self.plies_max || self.visits.len() >= self.visits_max {
            return None;
        }
        let parent = match self.path.last() {
            None => 0,
            Some(parent) => (*parent)?,
        };
        let reason = Reason::Searched;
        self.visits.push(Visit { parent, mv, ply: ply as u16, value: 0, window, depth, nodes: 0, reason });
        Some(self.visits.len() as u32 - 1)
    }

    fn enter(&mut self, mv: u16, window: [i32; 2], depth: i32) {
        let id = self.add(mv, window, depth);
        self.path.push(id);
        self.reason = Reason::Searched;
    }

    fn leave(&mut self, value: i32, nodes: u64) {
        let reason = std::mem::take(&mut self.reason);
        if let Some(id) = self.path.pop().flatten() {
            let visit = &mut self.visits[id as usize];
            let is_beta = reason == Reason::Searched && value >= visit.window[1];
            (visit.value, visit.nodes) = (value, nodes);
            visit.reason = if is_beta { Reason::Beta } else { reason };
        }
    }
}

impl<P: Tactical, E: Evaluator<P>> Thread<'_, P, E> {
    /// Records the reason for leaving a node with `value`; returns the value.
    #[inline(always)]
    pub(super) fn exit(&mut self, reason: Reason, value: i32) -> i32 {
        if let Some(recorder) = &mut self.mem.recorder {
            recorder.reason = reason;
        }
        value
    }

    /// Begins the trace of a pass over the root moves from `first` on. The first pass begins an iteration; those for the
    /// second and third line add what they look at, so that their moves have values of their own and the effort they cost.
    pub(super) fn record_root(&mut self, alpha: i32, beta: i32, depth: i32, first: usize) {
        if let Some(recorder) = &mut self.mem.recorder {
            if first > 0 {
                return recorder.go_on();
            }
            recorder.restart([alpha, beta], depth);
            recorder.counters.iter_mut().for_each(Counters::count_root_pass);
        }
    }

    /// Ends the trace of a pass over the root moves from `first` on, with the value of the best of them; with the last pass the
    /// iteration is shown.
    pub(super) fn record_root_value(&mut self, value: i32, first: usize) {
        let (nodes, is_last) = (self.nodes, first + 1 >= self.lines());
        if let Some(recorder) = &mut self.mem.recorder {
            // The value of the root is that of its best move, which only the first pass looked at.
            let value = if first == 0 { value } else { recorder.visits.first().map_or(value, |root| root.value) };
            recorder.leave(value, nodes);
            if !is_last {
                return;
            }
            std::mem::swap(&mut recorder.visits, &mut recorder.done);
            if let Some(traced) = self.traced.as_ref().filter(|_| recorder.plies_max > 0) {
                traced.show(Some(Arc::new(TraceTree::new(self.pos.clone(), recorder))));
            }
        }
    }

    /// Searches a node, recording it.
    #[cold]
    pub(super) fn search_recorded<N: NodeType>(&mut self, alpha: i32, beta: i32, depth: i32, cut: bool) -> i32 {
        let mv = self.frame_back(1).mv.map_or(0, P::pack);
        let before = self.nodes;
        // A singular search looks at the same position again: its path is as long as that of the node itself.
        if let Some(recorder) = &mut self.mem.recorder {
            recorder.enter(mv, [alpha, beta], depth);
        }
        let entered = self.count_enter::<N>(depth, cut);
        let value = self.search_node::<N>(alpha, beta, depth, cut);
        let nodes = self.nodes - before;
        let reason = self.reason_of(value, beta);
        self.count_leave(entered, depth > 0, reason);
        if let Some(recorder) = &mut self.mem.recorder {
            if depth <= 0 && recorder.reason == Reason::Searched {
                recorder.reason = Reason::Quiescence;
            }
            recorder.leave(value, nodes);
        }
        value
    }

    /// Searches a quiescence node, recording it.
    #[cold]
    pub(super) fn quiesce_recorded<N: NodeType>(&mut self, alpha: i32, beta: i32, depth: i32) -> i32 {
        let entered = self.count_enter_quiescence::<N>();
        self.exit(Reason::Searched, 0);
        let value = self.quiesce_node::<N>(alpha, beta, depth);
        let reason = self.reason_of(value, beta);
        self.count_leave(entered, true, reason);
        value
    }

    /// The reason for leaving the running node with `value`.
    fn reason_of(&self, value: i32, beta: i32) -> Reason {
        match self.mem.recorder.as_ref().map_or(Reason::Searched, |recorder| recorder.reason) {
            Reason::Searched if value >= beta => Reason::Beta,
            reason => reason,
        }
    }

    /// Notes a move that is not looked at.
    pub(super) fn record_pruned(&mut self, mv: P::Move, alpha: i32, beta: i32, depth: i32) {
        if let Some(recorder) = &mut self.mem.recorder
            && let Some(id) = recorder.add(P::pack(mv), [alpha, beta], depth)
        {
            recorder.visits[id as usize].reason = Reason::LeftOut;
        }
    }
}

/// A finished trace as a tree. Several visits to a move are several nodes: first with less depth or a small window, then again.
pub(super) struct TraceTree<P: Position> {
    root: P,
    visits: Vec<Visit>,
    /// The children of each visit.
    below: Vec<Vec<u32>>,
}

/// Centipawns at which the odds to win are e to one.
const SCALE_CP: f32 = 140.0;

impl<P: Position> TraceTree<P> {
    pub(super) fn new(root: P, recorder: &Recorder) -> Self {
        let visits = if recorder.done.is_empty() { recorder.visits.clone() } else { recorder.done.clone() };
        let mut below = vec![Vec::new(); visits.len()];
        for (id, visit) in visits.iter().enumerate().skip(1) {
            below[visit.parent as usize].push(id as u32);
        }
        TraceTree { root, visits, below }
    }

    /// The position of a visit; `None` below a null move.
    fn position_at(&self, mut id: u32) -> Option<P> {
        let mut path = Vec::new();
        while id != 0 {
            path.push(self.visits[id as usize].mv);
            id = self.visits[id as usize].parent;
        }
        let mut pos = self.root.clone();
        for &word in path.iter().rev() {
            pos.play(pos.unpack(word)?);
        }
        Some(pos)
    }

    fn row_of(&self, id: u32, mv: Option<P::Move>) -> TreeRow<P::Move> {
        let visit = &self.visits[id as usize];
        let value = if visit.reason == Reason::LeftOut {
            0.0
        } else {
            -expected(Value::from_raw(visit.value.clamp(-score::INFINITE, score::INFINITE)), SCALE_CP)
        };
        let children = self.below[id as usize].len() as u32;
        TreeRow { node: id, mv, value, effort: visit.nodes, prior: 0.0, children }
    }
}

/// A row's effort counts the nodes below it. A null move stands without a move.
impl<P: Position> TreeView<P::Move> for TraceTree<P> {
    fn row(&self, node: u32) -> Option<TreeRow<P::Move>> {
        let visit = self.visits.get(node as usize)?;
        let mv = if node == 0 { None } else { self.position_at(visit.parent).and_then(|pos| pos.unpack(visit.mv)) };
        Some(self.row_of(node, mv))
    }

    fn children(&self, node: u32, out: &mut Vec<TreeRow<P::Move>>) {
        let Some(below) = self.below.get(node as usize) else { return };
        let pos = self.position_at(node);
        for &child in below {
            let mv = pos.as_ref().and_then(|pos| pos.unpack(self.visits[child as usize].mv));
            out.push(self.row_of(child, mv));
        }
    }

    fn note(&self, node: u32) -> Option<NodeNote> {
        let Visit { mv, ply, value, window, depth, reason, .. } = *self.visits.get(node as usize)?;
        Some(match reason {
            Reason::LeftOut => NodeNote::LeftOut { depth },
            _ => NodeNote::Searched { is_null_move: mv == 0 && ply > 0, depth, window, value, reason },
        })
    }
}
