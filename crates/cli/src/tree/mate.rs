//! The tree of a mate search: the proof as far as it goes, one move of the side that proves, all that matter of the other.

use super::Args;
use crate::position;
use anyhow::bail;
use std::ops::ControlFlow::{self, Continue};
use tesuji_chess::Chess;
use tesuji_engine::{TreeCopy, TreeNode};
use tesuji_game::{Game, Mating, Notation, Position, Tactical};
use tesuji_jobs::Interrupt;
use tesuji_search::mate::{Answer, Knobs, MateLimits, MateSearch, Settings, Strategy};
use tesuji_shogi::Shogi;

/// The proof or disproof of a mate by checks.
///
/// # Errors
/// Where the game has no mates, or the limits come first.
pub(super) fn tree(game: &str, args: &Args) -> anyhow::Result<TreeCopy> {
    match game {
        "chess" => solve::<Chess>(args),
        "shogi" => solve::<Shogi>(args),
        _ => bail!("mates are searched in chess and shogi, not in {game}"),
    }
}

fn solve<G: Game>(args: &Args) -> anyhow::Result<TreeCopy>
where
    G::Position: Mating + Tactical,
{
    let rules: G::Rules = if args.rules.is_empty() { G::Rules::default() } else { args.rules.parse()? };
    let pos = position::read::<G>(&rules, args.position.as_ref(), &args.moves)?;
    let mut search = MateSearch::new(&Settings::default(), &Knobs::default());
    let began = std::time::Instant::now();
    let limits = args.limits();
    let interrupt = Interrupt::of_process();
    let mut stop = |_| interrupt.is_raised() || limits.move_time.is_some_and(|time| began.elapsed() >= time);
    let mate_limits = MateLimits { plies: args.depth.and_then(|d| u16::try_from(d).ok()), nodes: limits.nodes };
    let answer = search.solve(&pos, pos.side_to_move(), mate_limits, &mut stop);
    if !matches!(answer, Answer::Mate(_) | Answer::NoMate) {
        bail!("no mate was proved or disproved within the limits; more --nodes or --time may help");
    }
    let Ok(strategy) = search.strategy(&pos, answer, &mut stop) else {
        bail!("the proof is not whole within the limits; more --nodes or --time may help");
    };
    Ok(copy::<G>(&pos, &strategy, answer, search.nodes(), args))
}

fn copy<G: Game>(
    pos: &G::Position,
    strategy: &Strategy<G::Position>,
    answer: Answer,
    nodes: u64,
    args: &Args,
) -> TreeCopy
where
    G::Position: Mating + Tactical,
{
    let bounds = args.bounds();
    let note = match answer {
        Answer::Mate(plies) => format!("mate in {plies} plies at most"),
        _ => "no mate by checks".to_string(),
    };
    // For the side that moved last, which is not the attacker.
    let value = if strategy.is_mate() { -1.0 } else { 0.0 };
    let (parent, mv, prior) = (None, String::new(), 0.0);
    let root = TreeNode { parent, mv, value, effort: nodes, prior, children: 0, note, key: pos.key().0 };
    let mut copy = TreeCopy { nodes: vec![root] };
    let mut waiting = std::collections::VecDeque::from([(0u32, pos.clone(), 0u32)]);
    while let Some((id, here, plies)) = waiting.pop_front() {
        let is_attackers = here.side_to_move() == strategy.attacker();
        let given = strategy.mv(&here);
        let mut moves = Vec::new();
        let _: ControlFlow<()> = here.for_each_move(|mv| {
            let is_own = is_attackers == strategy.is_mate();
            if if is_own { given == Some(mv) } else { !is_attackers || here.gives_check(mv) } {
                moves.push(mv);
            }
            Continue(())
        });
        copy.nodes[id as usize].children = moves.len() as u32;
        if moves.is_empty() && !is_attackers && strategy.is_mate() {
            copy.nodes[id as usize].note = "mate".to_string();
        }
        for mv in moves {
            if plies >= bounds.plies_max || copy.nodes.len() >= bounds.nodes_max {
                break;
            }
            let mut text = String::new();
            let _ = G::Notation::write_move(&here, mv, &mut text);
            let mut next = here.clone();
            next.play(mv);
            let value = match (strategy.is_mate(), is_attackers) {
                (false, _) => 0.0,
                (true, true) => 1.0,
                (true, false) => -1.0,
            };
            let note = if is_attackers { "attacks" } else { "defends" }.to_string();
            let (parent, prior) = (Some(id), 0.0);
            copy.nodes.push(TreeNode { parent, mv: text, value, effort: 1, prior, children: 0, note, key: 0 });
            waiting.push_back((copy.nodes.len() as u32 - 1, next, plies + 1));
        }
    }
    copy
}
