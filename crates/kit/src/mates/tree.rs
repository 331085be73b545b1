//! The tree of a mate search: the proof as far as it goes, one move of the side that proves, all that matter of the other.

use super::{TreeLimits, proof::moves_that_matter};
use anyhow::bail;
use std::collections::VecDeque;
use tesuji_engine::{TreeBounds, TreeCopy, TreeNode};
use tesuji_game::{Game, MateNote, Mating, NodeNote, Position, Tactical, move_text};
use tesuji_search::mate::{Answer, MateSearch, Parameters, Settings, Strategy};

/// The proof or disproof that the side to move mates.
///
/// # Errors
/// When the limits come first, or there is nothing to mate.
pub(super) fn tree<G: Game>(pos: &G::Position, limits: &TreeLimits<'_>) -> anyhow::Result<TreeCopy>
where
    G::Position: Mating + Tactical,
{
    super::solver::check_sides::<G>(pos, pos.side_to_move())?;
    let mut search = MateSearch::new(&Settings::default(), &Parameters::default());
    let mut stop = |_| (limits.is_stopped)();
    let answer = search.solve(pos, pos.side_to_move(), limits.mate, &mut stop);
    if !matches!(answer, Answer::Mate(_) | Answer::NoMate) {
        bail!("no mate was proved or disproved within the limits; more --nodes or --time may help");
    }
    let Ok(strategy) = search.strategy(pos, answer, &mut stop) else {
        bail!("the proof is not whole within the limits; more --nodes or --time may help");
    };
    Ok(copy::<G>(pos, &strategy, root_of(pos, &strategy, answer, search.nodes()), &limits.bounds))
}

/// The root of the tree.
fn root_of<P: Mating + Tactical>(pos: &P, strategy: &Strategy<P>, answer: Answer, nodes: u64) -> TreeNode {
    let note = match answer {
        Answer::Mate(plies) => MateNote::MateIn(plies.into()),
        _ => MateNote::NoMate,
    };
    let note = Some(NodeNote::Mate(note));
    // For the side that moved last, which is not the attacker.
    let value = if strategy.is_mate() { -1.0 } else { 0.0 };
    let (parent, mv, prior) = (None, String::new(), 0.0);
    TreeNode { parent, mv, value, effort: nodes, prior, children: 0, note, key: pos.key().0 }
}

/// The nodes below `root`, level by level, within the bounds.
fn copy<G: Game>(pos: &G::Position, strategy: &Strategy<G::Position>, root: TreeNode, bounds: &TreeBounds) -> TreeCopy
where
    G::Position: Mating + Tactical,
{
    let mut copy = TreeCopy { nodes: vec![root] };
    let mut waiting = VecDeque::from([(0u32, pos.clone(), 0u32)]);
    while let Some((id, here, plies)) = waiting.pop_front() {
        let is_attackers = here.side_to_move() == strategy.attacker();
        let moves = moves_that_matter::<G>(&here, strategy);
        copy.nodes[id as usize].children = moves.len() as u32;
        if moves.is_empty() && !is_attackers && strategy.is_mate() {
            copy.nodes[id as usize].note = Some(NodeNote::Mate(MateNote::Mated));
        }
        for mv in moves {
            if plies >= bounds.plies_max || copy.nodes.len() >= bounds.nodes_max {
                break;
            }
            let mut next = here.clone();
            next.play(mv);
            let value = match (strategy.is_mate(), is_attackers) {
                (false, _) => 0.0,
                (true, true) => 1.0,
                (true, false) => -1.0,
            };
            let note = Some(NodeNote::Mate(if is_attackers { MateNote::Attack } else { MateNote::Defence }));
            let (parent, mv, prior) = (Some(id), move_text::<G>(&here, mv), 0.0);
            copy.nodes.push(TreeNode { parent, mv, value, effort: 1, prior, children: 0, note, key: 0 });
            waiting.push_back((copy.nodes.len() as u32 - 1, next, plies + 1));
        }
    }
    copy
}
