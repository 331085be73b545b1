//! Mates by checks for anyone who searches something else: the door through which alpha-beta asks about its root.

use super::{Answer, MateLimits, MateSearch, Parameters, Settings};
use crate::{Proof, Prover};
use tesuji_game::{Mating, Tactical};

/// Memory in MiB, for the few thousand nodes that a root is worth.
const HASH_MIB: usize = 8;

/// The longest mate that is looked for: few nodes find no longer one.
const PLIES: u16 = 200;

/// A search for mates that makes itself ready when it is first asked.
pub struct RootMates<P: Mating>(Option<MateSearch<P>>);

impl<P: Mating> Default for RootMates<P> {
    fn default() -> Self {
        RootMates(None)
    }
}

impl<P: Mating + Tactical> Prover<P> for RootMates<P>
where
    MateSearch<P>: Send,
{
    fn prove(&mut self, pos: &P, nodes_max: u64, stop: &mut dyn FnMut() -> bool) -> Proof<P::Move> {
        let new = || MateSearch::new(&Settings { hash_mib: HASH_MIB }, &Parameters::default());
        let search = self.0.get_or_insert_with(new);
        let limits = MateLimits { plies: Some(PLIES), nodes: Some(nodes_max) };
        let answer = search.solve(pos, pos.side_to_move(), limits, &mut |_| stop());
        let nodes = search.nodes();
        let mut line = Vec::new();
        if matches!(answer, Answer::Mate(_))
            && let Ok(strategy) = search.strategy(pos, answer, &mut |_| stop())
            && strategy.check(pos).is_ok()
        {
            line = strategy.line(pos);
        }
        Proof { line, nodes }
    }
}
