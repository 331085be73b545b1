//! One thread of a search: its copy of the position, the path from the root, and all that it remembers.

use super::{
    history::{CONTINUATIONS, ContinuationIndex, Histories},
    margins::Audits,
    options::Parameters,
    picker::Scored,
    recorder::{Recorder, TraceTree},
    reductions::Reductions,
    root::RootMove,
    score::{EVAL_MAX, PLIES_MAX},
    shared::Shared,
};
use crate::{control::Control, probe::EndgameProbe, shown::Shown, table::TranspositionTable};
use std::sync::Arc;
use tesuji_game::{Evaluator, Line, Tactical};

/// Frames before the root, so that looking back needs no test.
const LEAD: usize = 1 + CONTINUATIONS[3];
/// Frames after the deepest node: those of its children and theirs.
const TAIL: usize = 3;
/// Nodes after which a helper tells how many it has searched, and looks at the flag.
const HELPER_LOOK: u64 = 32;

/// A stack entry of a ply: what a node leaves for its children and siblings.
#[derive(Clone, Copy)]
pub(super) struct Frame<M> {
    /// The static value, corrected; `None` in check.
    pub(super) eval: Option<i32>,
    /// The move being looked at; `None` for a null move.
    pub(super) mv: Option<M>,
    /// Its place in the continuation tables.
    pub(super) continuation: ContinuationIndex,
    /// Whether it is quiet.
    pub(super) quiet: bool,
    /// Its number among the moves looked at, from 1; 0 for a null move.
    pub(super) count: usize,
    /// Its history score where it is quiet; else 0.
    pub(super) history: i32,
    /// Its place in the butterfly history.
    pub(super) from_to: usize,
    /// Plies by which its search is reduced.
    pub(super) reduction: i32,
    /// The move that a singular search leaves out.
    pub(super) excluded: Option<M>,
    /// Quiet moves that cut here lately.
    pub(super) killers: [Option<M>; 2],
    /// Double extensions on the path.
    pub(super) doubles: i32,
    /// Children of this node that cut.
    pub(super) cuts: u32,
}

impl<M: Copy> Frame<M> {
    pub(super) const EMPTY: Frame<M> = Frame {
        eval: None,
        mv: None,
        continuation: None,
        quiet: false,
        count: 0,
        history: 0,
        from_to: 0,
        reduction: 0,
        excluded: None,
        killers: [None; 2],
        doubles: 0,
        cuts: 0,
    };
}

/// State of a thread that survives from search to search.
pub(super) struct Memory<P: Tactical, E> {
    pub(super) eval: E,
    pub(super) hist: Histories<P>,
    /// The scored moves of all nodes on the path.
    pub(super) moves: Vec<Scored<P::Move>>,
    /// Moves tried without success at the nodes on the path: quiet and noisy.
    pub(super) tried: [Vec<P::Move>; 2],
    /// The principal variation from each ply on.
    pub(super) pv: Vec<Vec<P::Move>>,
    frames: Vec<Frame<P::Move>>,
    changes: Vec<P::Change>,
    /// Probes and hits of the transposition table since the last new game.
    pub(super) probes: u64,
    pub(super) hits: u64,
    /// Questions put to the search about its margins, where they are asked.
    pub(super) audits: Option<Audits>,
    /// A second evaluator that always starts again: only in checked builds.
    pub(super) fresh: Option<E>,
    /// The recorder of traces and counters, where one was asked for.
    pub(super) recorder: Option<Box<Recorder>>,
}

impl<P: Tactical, E: Evaluator<P>> Memory<P, E> {
    pub(super) fn new(eval: E) -> Self {
        Memory {
            fresh: tesuji_game::invariants::enabled().then(|| eval.clone()),
            eval,
            hist: Histories::new(),
            moves: Vec::with_capacity(1024),
            tried: [Vec::with_capacity(256), Vec::with_capacity(256)],
            pv: vec![Vec::new(); PLIES_MAX + 2],
            frames: vec![Frame::EMPTY; LEAD + PLIES_MAX + TAIL],
            changes: Vec::with_capacity(8),
            probes: 0,
            hits: 0,
            recorder: None,
            audits: None,
        }
    }

    /// Forgets what was learned from earlier positions.
    pub(super) fn clear(&mut self) {
        self.eval.clear();
        self.eval.reset_counts();
        self.hist.clear();
        (self.probes, self.hits) = (0, 0);
    }
}

/// The task of one thread in one search.
pub(super) struct ThreadTask<P: Tactical> {
    pub(super) line: Arc<Line<P>>,
    pub(super) roots: Vec<RootMove<P::Move>>,
    pub(super) depth_max: i32,
    pub(super) multi_pv: usize,
    pub(super) parameters: Arc<Parameters>,
    pub(super) reductions: Arc<Reductions>,
    pub(super) table: Arc<TranspositionTable>,
    pub(super) shared: Arc<Shared>,
    pub(super) probe: Option<Arc<dyn EndgameProbe<P>>>,
    /// The trace, shown to onlookers, if this thread writes one.
    pub(super) traced: Option<Arc<Shown<TraceTree<P>>>>,
    /// 0 is the caller's thread.
    pub(super) number: usize,
}

/// A thread at work.
pub(super) struct Thread<'w, P: Tactical, E: Evaluator<P>> {
    pub(super) pos: P,
    pub(super) past: Vec<P::Mark>,
    /// The number of marks at the root: a single repetition after it is a draw.
    root_past: usize,
    /// Plies from the root.
    pub(super) ply: usize,
    pub(super) mem: Memory<P, E>,
    pub(super) parameters: Arc<Parameters>,
    pub(super) reductions: Arc<Reductions>,
    pub(super) table: Arc<TranspositionTable>,
    pub(super) probe: Option<Arc<dyn EndgameProbe<P>>>,
    pub(super) shared: Arc<Shared>,
    /// Clock, limits and stop signal; only the caller's thread has them.
    pub(super) control: Option<Control<'w, P::Move>>,
    pub(super) roots: Vec<RootMove<P::Move>>,
    pub(super) number: usize,
    pub(super) depth_max: i32,
    pub(super) multi_pv: usize,
    /// The depth of the running iteration.
    pub(super) root_depth: i32,
    /// Null moves are tried from this ply on: a verification holds them back.
    pub(super) null_from: usize,
    pub(super) deepest: usize,
    /// Moves made by this thread.
    pub(super) nodes: u64,
    allowed: u64,
    look_at: u64,
    pub(super) table_hits: u64,
    /// The search is over; values that are returned mean nothing.
    pub(super) stopped: bool,
    /// The first iteration completes whatever happens: static values must do from now on.
    pub(super) hurry: bool,
    /// Whether the first iteration is running on the caller's thread.
    pub(super) first_iteration: bool,
    /// The trace, shown to onlookers.
    pub(super) traced: Option<Arc<Shown<TraceTree<P>>>>,
}

impl<'w, P: Tactical, E: Evaluator<P>> Thread<'w, P, E> {
    pub(super) fn new(mut mem: Memory<P, E>, task: ThreadTask<P>, control: Option<Control<'w, P::Move>>) -> Self {
        let pos = task.line.here().clone();
        let past = task.line.past().to_vec();
        // The evaluator's stack is that of another path.
        mem.eval.reset(&pos);
        mem.frames.fill(Frame::EMPTY);
        mem.moves.clear();
        mem.tried.iter_mut().for_each(Vec::clear);
        Thread {
            root_past: past.len(),
            pos,
            past,
            ply: 0,
            mem,
            parameters: task.parameters,
            reductions: task.reductions,
            table: task.table,
            probe: task.probe,
            allowed: 0,
            shared: task.shared,
            control,
            roots: task.roots,
            number: task.number,
            depth_max: task.depth_max,
            multi_pv: task.multi_pv,
            root_depth: 0,
            null_from: 0,
            deepest: 0,
            nodes: 0,
            look_at: 0,
            table_hits: 0,
            stopped: false,
            hurry: false,
            first_iteration: false,
            traced: task.traced,
        }
    }

    /// The frame of this node.
    #[inline]
    pub(super) fn frame(&mut self) -> &mut Frame<P::Move> {
        &mut self.mem.frames[LEAD + self.ply]
    }

    /// The frame of the node `back` plies before (up to [`LEAD`], also before the root), or of this one with 0.
    #[inline]
    pub(super) fn frame_back(&self, back: usize) -> &Frame<P::Move> {
        &self.mem.frames[LEAD + self.ply - back]
    }

    /// The frame of the parent; before the root it is an empty one.
    #[inline]
    pub(super) fn frame_before(&mut self) -> &mut Frame<P::Move> {
        &mut self.mem.frames[LEAD + self.ply - 1]
    }

    /// The frame of the children.
    #[inline]
    pub(super) fn frame_ahead(&mut self) -> &mut Frame<P::Move> {
        &mut self.mem.frames[LEAD + self.ply + 1]
    }

    /// The frame of the children's children.
    #[inline]
    pub(super) fn frame_beyond(&mut self) -> &mut Frame<P::Move> {
        &mut self.mem.frames[LEAD + self.ply + 2]
    }

    /// The place in the continuation tables of the move made `back` plies ago.
    #[inline]
    pub(super) fn continuation_index(&self, back: usize) -> ContinuationIndex {
        self.frame_back(back).continuation
    }

    /// Asks memory for the table's line of the position after `mv`, which is about to be played: it takes as long as playing the move.
    #[inline]
    pub(super) fn expect(&self, mv: P::Move) {
        self.table.prefetch(self.pos.likely_key_after(mv));
    }

    /// Plays a move, if the budget of nodes allows; `None`: the search is over.
    #[inline]
    pub(super) fn play(&mut self, mv: P::Move) -> Option<P::Undo> {
        // Nodes are taken from the shared budget in portions, so that threads seldom touch one counter.
        if self.nodes >= self.allowed && !self.may_go_on() {
            return None;
        }
        let continuation = Some(self.pos.piece_to(mv) as u32);
        let from_to = self.pos.from_to(mv);
        let frame = self.frame();
        (frame.mv, frame.continuation) = (Some(mv), continuation);
        (frame.from_to, frame.reduction) = (from_to, 0);
        self.past.push(self.pos.mark(&self.past));
        let changes = &mut self.mem.changes;
        changes.clear();
        let undo = self.pos.play_seen(mv, |change| changes.push(change));
        // The bucket comes from memory while the evaluator takes in the changes.
        self.table.prefetch(self.pos.key());
        self.mem.eval.push(&self.pos, changes);
        self.mem.eval.prefetch(&self.pos);
        self.nodes += 1;
        self.ply += 1;
        Some(undo)
    }

    /// Takes a move back.
    #[inline]
    pub(super) fn undo(&mut self, mv: P::Move, undo: P::Undo) {
        self.ply -= 1;
        self.mem.eval.pop();
        self.pos.undo(mv, undo);
        self.past.pop();
    }

    /// Passes: `None` where passing is not allowed or no node is left.
    pub(super) fn play_null(&mut self) -> Option<P::Undo> {
        if self.nodes >= self.allowed && !self.may_go_on() {
            return None;
        }
        // The mark belongs to the position before the pass, but is kept only if there is a pass.
        let mark = self.pos.mark(&self.past);
        let undo = self.pos.play_null()?;
        self.past.push(mark);
        // As for a move: the null move's bucket is read next.
        self.table.prefetch(self.pos.key());
        let frame = self.frame();
        (frame.mv, frame.continuation, frame.quiet) = (None, None, false);
        (frame.count, frame.history, frame.reduction) = (0, 0, 0);
        self.mem.eval.push(&self.pos, &[]);
        self.nodes += 1;
        self.ply += 1;
        Some(undo)
    }

    /// Takes a pass back.
    pub(super) fn undo_null(&mut self, undo: P::Undo) {
        self.ply -= 1;
        self.mem.eval.pop();
        self.pos.undo_null(undo);
        self.past.pop();
    }

    /// Takes more nodes from the budget. The first iteration goes on without, in a hurry.
    #[cold]
    fn may_go_on(&mut self) -> bool {
        match self.shared.take(self.number) {
            0 if self.first_iteration => {
                // A first iteration that was cut off would leave no move at all.
                self.hurry = true;
                true
            }
            0 => {
                self.stopped = true;
                false
            }
            more => {
                // Without a limit the shared budget gives the largest number.
                self.allowed = self.allowed.saturating_add(more);
                true
            }
        }
    }

    /// Whether the search is over; polls clock and stop signal now and then.
    #[inline]
    pub(super) fn must_stop(&mut self) -> bool {
        if self.nodes >= self.look_at {
            self.look();
        }
        self.stopped
    }

    #[cold]
    fn look(&mut self) {
        self.shared.publish(self.number, self.nodes);
        let stop = match &mut self.control {
            Some(control) => {
                let stop = control.look();
                self.look_at = self.nodes + control.look_nodes;
                stop
            }
            None => {
                self.look_at = self.nodes + HELPER_LOOK;
                self.shared.stopped()
            }
        };
        if stop && self.first_iteration {
            self.hurry = true;
        } else if stop {
            self.stopped = true;
        }
    }

    /// The score where the rules end the game here (repetition, fifty moves, wins, declarations); `None` where it goes on.
    #[inline]
    pub(super) fn decided(&self) -> Option<i32> {
        let mover = self.pos.side_to_move();
        let outcome = self.pos.ended(&self.past, self.root_past).or_else(|| self.pos.claim())?;
        Some(super::score::of_outcome(outcome, mover, self.ply as i32))
    }

    /// The evaluator's value here.
    #[inline]
    pub(super) fn evaluate(&mut self) -> i32 {
        self.check_value();
        // No estimate may look like a proof.
        self.mem.eval.value(&self.pos).raw().clamp(-EVAL_MAX, EVAL_MAX)
    }
}
