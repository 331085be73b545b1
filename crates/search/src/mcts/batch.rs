//! Many games in one thread: selects in all of them, evaluates all leaves together, backs all up.

use super::tree::{Selected, Tree};
use tesuji_game::{Line, Oracle, OracleError, Position, Query};

/// One of many searches that share an oracle: a tree and the line that leads to its root.
pub struct BatchedTree<'a, P: Position> {
    /// The tree. Its budget ([`Tree::set_budget`]) says how many playouts it gets.
    pub tree: &'a Tree<P>,
    /// The game so far.
    pub line: &'a Line<P>,
}

/// Grows all trees until each has spent its budget, is solved, or is full. `per_tree`: the most leaves of one tree in a batch; with 1
/// every tree grows exactly as it would alone. `queries` is only room that is used again.
///
/// # Errors
/// When the oracle gives no answer; the trees are sound then, and may go on.
///
/// # Examples
/// Two games at once:
/// ```
/// use tesuji_game::Line;
/// use tesuji_search::mcts::{EvalOracle, Parameters, BatchedTree, Tree, grow_all};
/// use tesuji_testkit::four::{Drop, FourEval, FourPosition};
/// let mut lines = [Line::new(FourPosition::default()), Line::new(FourPosition::default())];
/// lines[1].push(Drop(3));
/// let trees: Vec<_> = lines.iter().map(|line| Tree::new(line, &Parameters::default(), 1 << 20)).collect();
/// trees.iter().for_each(|tree| tree.set_budget(Some(50)));
/// let batched: Vec<_> = trees.iter().zip(&lines).map(|(tree, line)| BatchedTree { tree, line }).collect();
/// grow_all(&batched, 1, &mut EvalOracle::new(FourEval::default()), &mut Vec::new())?;
/// assert_eq!((trees[0].visits(), trees[1].visits()), (50, 50));
/// # Ok::<(), tesuji_game::OracleError>(())
/// ```
pub fn grow_all<P: Position>(
    batched: &[BatchedTree<'_, P>],
    per_tree: usize,
    oracle: &mut dyn Oracle<P>,
    queries: &mut Vec<Query<P>>,
) -> Result<(), OracleError> {
    let mut active: Vec<&BatchedTree<'_, P>> = batched.iter().collect();
    let batch = oracle.batch_max().max(1);
    // Where the batch is smaller than the games are many, all get their turn.
    let mut next = 0;
    while !active.is_empty() {
        let mut tickets = Vec::with_capacity(batch);
        let mut full = vec![false; active.len()];
        for turn in 0..active.len() {
            let i = (next + turn) % active.len();
            let BatchedTree { tree, line } = *active[i];
            let room = (batch - tickets.len()).min(per_tree.max(1));
            let mut held = Vec::new();
            for _ in 0..room {
                if queries.len() == tickets.len() {
                    queries.push(Query::new(line.clone()));
                }
                match tree.select(line, &mut queries[tickets.len()]) {
                    Selected::Leaf(ticket) => tickets.push(ticket),
                    Selected::Ended => {}
                    Selected::Collision(ticket) => held.push(ticket),
                    Selected::Full => full[i] = true,
                    Selected::Spent => break,
                }
            }
            if tickets.len() == batch {
                next = (i + 1) % active.len();
                break;
            }
        }
        let asked = &mut queries[..tickets.len()];
        if !asked.is_empty() {
            oracle.ask(asked)?;
        }
        for (ticket, query) in tickets.into_iter().zip(asked) {
            ticket.backup(query);
        }
        let mut i = 0;
        active.retain(|one| {
            // Playouts that came to nothing are back in the budget by now.
            let stays = !full[i] && one.tree.budget_left() != Some(0) && !one.tree.is_solved();
            i += 1;
            stays
        });
        next = next.checked_rem(active.len()).unwrap_or(0);
    }
    Ok(())
}
