//! Invariants of every node, asserted where [`tesuji_game::invariants`] are enabled; in a release every function here is empty.

use super::thread::Thread;
use tesuji_game::{Evaluator, Key, Tactical, invariants};

/// Moves handed out at a node; empty in ordinary builds.
pub(super) struct Seen<M>(Vec<M>);

impl<P: Tactical, E: Evaluator<P>> Thread<'_, P, E> {
    #[inline(always)]
    pub(super) fn seen_moves(&self) -> Seen<P::Move> {
        Seen(Vec::new())
    }

    /// A move is legal, survives packing and comes once.
    #[inline(always)]
    pub(super) fn check_move(&self, mv: P::Move, seen: &mut Seen<P::Move>) {
        if invariants::enabled() {
            assert!(P::pack(mv) != 0, "{mv:?} packs to 0");
            assert_eq!(self.pos.unpack(P::pack(mv)), Some(mv), "a move survives packing");
            assert!(!seen.0.contains(&mv), "{mv:?} is tried twice");
            seen.0.push(mv);
        }
    }

    /// The value of the walking evaluator is that of one that starts again.
    #[inline(always)]
    pub(super) fn check_value(&mut self) {
        if invariants::enabled()
            && let Some(fresh) = &mut self.mem.fresh
        {
            fresh.reset(&self.pos);
            assert_eq!(fresh.value(&self.pos), self.mem.eval.value(&self.pos), "incremental and fresh values");
        }
    }

    /// A move taken back leaves the position as it was.
    #[inline(always)]
    pub(super) fn check_restored(&self, key: Key) {
        if invariants::enabled() {
            assert_eq!(self.pos.key(), key, "the key after a move was taken back");
        }
    }

    /// An exact mate score has the parity of a mate: wins at odd distances from the root, losses at even ones.
    #[inline(always)]
    pub(super) fn check_parity(&self, value: i32) {
        if invariants::enabled()
            && let Some(plies) = tesuji_game::Value::from_raw(value).mate_plies()
        {
            assert_eq!(plies > 0, plies % 2 != 0, "a mate in {plies} plies");
        }
    }

    /// The tables of moves are as they were at the root.
    #[inline(always)]
    pub(super) fn check_rest(&self) {
        if invariants::enabled() {
            assert_eq!(self.ply, 0, "back at the root");
            assert!(self.mem.moves.is_empty() && self.mem.tried.iter().all(Vec::is_empty), "moves left on a stack");
        }
    }
}
