//! The tree as the table remembers it, for those who watch the solver: nodes with their numbers, those most worked on first.

use super::{
    MateLimits, MateSearch, PLIES_MAX,
    children::for_each_of,
    numbers::{NEVER, NONE},
    strategy::after,
};
use std::{cmp::Reverse, collections::BinaryHeap};
use tesuji_game::Mating;

/// Plies below the root that are told.
const DEPTH_MAX: usize = 64;

/// A node of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrownNode<M> {
    /// The index of the node above; `None` at the root.
    pub parent: Option<u32>,
    /// The move that leads here; `None` at the root.
    pub mv: Option<M>,
    /// Leaves to be proved at least until the mate is; 0: it is proved.
    pub pn: u32,
    /// Leaves to be disproved at least until there is none; 0: it is disproved.
    pub dn: u32,
    /// Plies of a mate that is proved, or within which there is none; `None`: open, or none of any length.
    pub plies: Option<u16>,
    /// Nodes searched below.
    pub work: u32,
    /// Moves here that matter: checks of the attacker, all of the defender.
    pub moves: u32,
}

impl<P: Mating> MateSearch<P> {
    /// Goes on with the problem last solved, which was stopped: what was found stays, nodes count from its beginning.
    pub fn go_on(&mut self, pos: &P, limits: MateLimits, stop: &mut dyn FnMut(u64) -> bool) -> super::Answer {
        self.solver.is_stopped = false;
        self.solver.nodes_max = limits.nodes.unwrap_or(u64::MAX);
        self.answer(pos, limits.plies.unwrap_or(PLIES_MAX).min(PLIES_MAX), stop)
    }

    /// The tree below `pos`, which was solved or is being solved: at most `nodes_max` nodes, parents before their children.
    /// Moves that were never looked at are left out.
    pub fn grown(&self, pos: &P, limits: MateLimits, nodes_max: usize) -> Vec<GrownNode<P::Move>> {
        let plies = limits.plies.unwrap_or(PLIES_MAX).min(PLIES_MAX);
        let mut list = vec![self.grown_node(pos, plies, None, None)];
        let mut below = vec![(pos.clone(), 0)];
        let mut waiting = BinaryHeap::from([(u32::MAX, Reverse(0))]);
        while let Some((_, Reverse(at))) = waiting.pop() {
            let (here, depth): (P, usize) = below[at].clone();
            let is_or = here.side_to_move() == self.solver.attacker;
            let mut moves = Vec::new();
            for_each_of(&here, is_or, |mv| moves.push(mv));
            list[at].moves = moves.len() as u32;
            for mv in moves {
                let next = after(&here, mv);
                let node = self.grown_node(&next, plies.saturating_sub(depth as u16 + 1), Some(at as u32), Some(mv));
                if node.work == 0 || list.len() >= nodes_max {
                    continue;
                }
                if depth + 1 < DEPTH_MAX {
                    waiting.push((node.work, Reverse(list.len())));
                }
                list.push(node);
                below.push((next, depth + 1));
            }
        }
        list
    }

    fn grown_node(&self, pos: &P, plies: u16, parent: Option<u32>, mv: Option<P::Move>) -> GrownNode<P::Move> {
        let hand = pos.hand(self.solver.attacker);
        let (key, table) = (pos.board_key(), &self.solver.table);
        let unknown = GrownNode { parent, mv, pn: 1, dn: 1, plies: None, work: 0, moves: 0 };
        let Ok(found) = table.look(key, hand, plies) else { return unknown };
        let numbers = found.numbers;
        let is_solved = numbers.is_proved() || numbers.is_disproved();
        GrownNode {
            pn: numbers.pn.min(NEVER),
            dn: numbers.dn.min(NEVER),
            plies: Some(numbers.plies).filter(|&plies| is_solved && plies != NONE),
            work: table.work(key, hand).max(1),
            ..unknown
        }
    }
}
