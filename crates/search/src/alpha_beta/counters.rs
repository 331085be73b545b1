//! Counters of an alpha-beta search for its [`Profile`]. They hang on the same pointer as the trace ([`super::recorder`]), so that a
//! search without them pays one test a place.

use super::{node::NodeType, recorder::Recorder, score::PLIES_MAX, thread::Thread};
use crate::profile::{CUTOFF_MOVES, NodeKind, PROFILE_DEPTH_MAX, Profile, Step};
use std::cell::Cell;
use tesuji_game::{Evaluator, Reason, Tactical};

/// A node on the path.
#[derive(Debug, Clone, Copy)]
struct Place {
    kind: NodeKind,
    depth: i32,
    is_quiescent: bool,
}

/// A profile that is being counted.
#[derive(Debug, Clone)]
pub(super) struct Counters {
    profile: Profile,
    /// Steps are also counted by functions that only read the search.
    steps: [Cell<u64>; Step::COUNT],
    /// By ply.
    path: Vec<Option<Place>>,
}

impl Counters {
    pub(super) fn new() -> Counters {
        Counters {
            profile: Profile::default(),
            steps: [const { Cell::new(0) }; Step::COUNT],
            path: vec![None; PLIES_MAX + 2],
        }
    }

    /// The counts of a search that made this many moves.
    pub(super) fn finish(self, moves: u64) -> Profile {
        Profile { moves, steps: self.steps.map(Cell::into_inner), ..self.profile }
    }

    pub(super) fn count(&self, step: Step) {
        let counter = &self.steps[step as usize];
        counter.set(counter.get() + 1);
    }

    pub(super) fn count_root_pass(&mut self) {
        self.profile.root_passes += 1;
    }

    /// Enters a node; returns what stood at its ply before, for [`Counters::leave`].
    fn enter(&mut self, ply: usize, place: Place) -> Option<Place> {
        self.profile.ply_max = self.profile.ply_max.max(ply);
        self.path[ply].replace(place)
    }

    /// Leaves a node of the main search, or of quiescence; `None` where the search was stopped in it.
    fn leave(&mut self, ply: usize, before: Option<Place>, reason: Option<Reason>) {
        let Some(place) = std::mem::replace(&mut self.path[ply], before) else { return };
        let kinds = if place.is_quiescent { &mut self.profile.quiescence } else { &mut self.profile.main };
        let kind = &mut kinds[place.kind as usize];
        kind.visits += 1;
        match reason {
            Some(reason) => kind.exits[usize::from(reason.code())] += 1,
            None => kind.broken_off += 1,
        }
        if !place.is_quiescent {
            self.profile.depths[depth_index(place.depth)].visits += 1;
        }
    }

    /// The `number`th move of the node at `ply` cut it, counted from 1.
    fn count_cutoff(&mut self, ply: usize, number: usize) {
        let Some(place) = self.path[ply] else { return };
        let index = number.clamp(1, CUTOFF_MOVES) - 1;
        let kinds = if place.is_quiescent { &mut self.profile.quiescence } else { &mut self.profile.main };
        kinds[place.kind as usize].cutoffs[index] += 1;
        if !place.is_quiescent {
            self.profile.depths[depth_index(place.depth)].cutoffs[index] += 1;
        }
    }
}

fn depth_index(depth: i32) -> usize {
    (depth.max(0) as usize).min(PROFILE_DEPTH_MAX)
}

/// The node that stood at a ply before another one was entered, to be restored when that is left; `None` without counters.
pub(super) struct Entered(Option<Option<Place>>);

impl<P: Tactical, E: Evaluator<P>> Thread<'_, P, E> {
    /// Counts a step, where counts are kept.
    #[inline(always)]
    pub(super) fn count(&self, step: Step) {
        if let Some(recorder) = &self.mem.recorder {
            recorder.count(step);
        }
    }

    /// Counts a step that is taken if `is_taken`; returns `is_taken`.
    #[inline(always)]
    pub(super) fn counted(&self, step: Step, is_taken: bool) -> bool {
        if is_taken {
            self.count(step);
        }
        is_taken
    }

    /// Counts that the `number`th move of this node cut it, counted from 1.
    #[inline(always)]
    pub(super) fn count_cutoff(&mut self, number: usize) {
        if self.mem.recorder.is_some() {
            self.count_cutoff_recorded(number);
        }
    }

    #[cold]
    #[inline(never)]
    fn count_cutoff_recorded(&mut self, number: usize) {
        if let Some(Recorder { counters: Some(counters), .. }) = self.mem.recorder.as_deref_mut() {
            counters.count_cutoff(self.ply, number);
        }
    }

    /// Enters a node of the main search. One whose depth is used up is counted by the quiescence that it turns into.
    pub(super) fn count_enter<N: NodeType>(&mut self, depth: i32, cut: bool) -> Entered {
        let kind = match (N::PV, cut) {
            (true, _) => NodeKind::Pv,
            (false, true) => NodeKind::Cut,
            (false, false) => NodeKind::All,
        };
        self.enter_place(|_| Place { kind, depth, is_quiescent: depth <= 0 })
    }

    /// Enters a node of quiescence: the node of the main search that stands at this ply, or a child of the one before.
    pub(super) fn count_enter_quiescence<N: NodeType>(&mut self) -> Entered {
        let ply = self.ply;
        self.enter_place(|path| {
            let below = || path[ply.saturating_sub(1)].map_or(NodeKind::Cut, |parent| parent.kind.below());
            let kind = if N::PV { NodeKind::Pv } else { path[ply].map_or_else(below, |here| here.kind) };
            Place { kind, depth: 0, is_quiescent: true }
        })
    }

    fn enter_place(&mut self, place: impl FnOnce(&[Option<Place>]) -> Place) -> Entered {
        let ply = self.ply;
        Entered(self.mem.recorder.as_deref_mut().and_then(|recorder| recorder.counters.as_mut()).map(|counters| {
            let place = place(&counters.path);
            counters.enter(ply, place)
        }))
    }

    /// Leaves a node of the main search with `depth`, or of quiescence with 0.
    pub(super) fn count_leave(&mut self, entered: Entered, is_counted: bool, reason: Reason) {
        let Some(before) = entered.0 else { return };
        let reason = (!self.stopped).then_some(reason);
        if let Some(Recorder { counters: Some(counters), .. }) = self.mem.recorder.as_deref_mut() {
            if is_counted {
                counters.leave(self.ply, before, reason);
            } else {
                counters.path[self.ply] = before;
            }
        }
    }
}
