//! The step before the first iteration: a forced win that another search proves needs no search.

use super::AlphaBeta;
pub(super) use crate::proof::Before;
use crate::proof::{Allowed, prove_root};
use std::time::Duration;
use tesuji_game::{Evaluator, Limits, Line, Tactical, Watch};

impl<P: Tactical, E: Evaluator<P>> AlphaBeta<P, E> {
    /// Asks the prover about the last position of `line`. It is not asked where several lines are wanted.
    pub(super) fn prove_root(
        &mut self,
        line: &Line<P>,
        limits: &Limits,
        only: &[P::Move],
        watch: &mut dyn Watch<P::Move>,
    ) -> Before<P::Move> {
        let is_wanted = self.parameters.root_mate && only.is_empty() && self.settings.multi_pv == 1;
        let Some(prover) = self.prover.as_mut().filter(|_| is_wanted) else { return Before::Spent(0) };
        let allowed = Allowed {
            nodes_max: self.parameters.root_mate_nodes,
            percent: self.parameters.root_mate_percent,
            overhead: Duration::from_millis(self.settings.move_overhead_ms),
        };
        prove_root(&mut **prover, line, limits, allowed, watch)
    }
}
