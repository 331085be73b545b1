//! Proof search at the root: another search looks for a forced win before the main search begins.

use tesuji_game::Position;

/// The result of a search for a forced win.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof<M> {
    /// The winning line, the first move first; empty: none was found.
    pub line: Vec<M>,
    /// Nodes spent.
    pub nodes: u64,
}

/// A search for forced wins.
pub trait Prover<P: Position>: Send {
    /// Looks for a forced win of the side to move at `pos` with `nodes_max` nodes at most. `stop` is asked now and then.
    /// A line is returned only when its win is certain by the rules, whatever the other side answers; repetition with
    /// positions that were on the board before is the caller's to watch.
    fn prove(&mut self, pos: &P, nodes_max: u64, stop: &mut dyn FnMut() -> bool) -> Proof<P::Move>;
}
