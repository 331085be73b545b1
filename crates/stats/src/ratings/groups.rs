//! Groups of comparable players: a difference is finite only where points went both ways, directly or by a chain.

use super::Met;

/// Players in groups, best groups first.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    /// The group of each player.
    pub(super) of: Vec<usize>,
    sizes: Vec<usize>,
    /// The groups from which each took points, all of them.
    beaten: Vec<Vec<usize>>,
}

impl Groups {
    /// The strongly connected components of "took points from" (Tarjan, 1972), best first: no group took points from
    /// one before it.
    pub(super) fn of(players: usize, met: &[Met]) -> Groups {
        let mut took: Vec<Vec<usize>> = vec![Vec::new(); players];
        for m in met.iter().filter(|m| m.first != m.second) {
            let drawn = m.games.draws > 0;
            if m.games.wins > 0 || drawn {
                took[m.first].push(m.second);
            }
            if m.games.losses > 0 || drawn {
                took[m.second].push(m.first);
            }
        }
        took.iter_mut().for_each(|t| {
            t.sort_unstable();
            t.dedup();
        });
        let (mut of, count) = components(&took);
        // Components are found worst first.
        of.iter_mut().for_each(|g| *g = count - 1 - *g);
        let mut sizes = vec![0; count];
        of.iter().for_each(|&g| sizes[g] += 1);
        let mut beaten = vec![Vec::new(); count];
        for (player, took) in took.iter().enumerate() {
            let group = of[player];
            beaten[group].extend(took.iter().map(|&other| of[other]).filter(|&g| g != group));
        }
        beaten.iter_mut().for_each(|b: &mut Vec<usize>| {
            b.sort_unstable();
            b.dedup();
        });
        Groups { of, sizes, beaten }
    }

    /// The number of them.
    pub(super) fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Players in a group.
    pub(super) fn size(&self, group: usize) -> usize {
        self.sizes[group]
    }

    /// Whether a chain of groups leads from `a` down to `b`.
    pub(super) fn beats(&self, a: usize, b: usize) -> bool {
        let mut seen = vec![false; self.count()];
        let mut open = vec![a];
        while let Some(group) = open.pop() {
            if group == b {
                return true;
            }
            if !std::mem::replace(&mut seen[group], true) {
                open.extend(&self.beaten[group]);
            }
        }
        false
    }
}

/// The component of each node and their number; a component comes after all that can be reached from it. Without
/// recursion: chains of players may be long.
fn components(edges: &[Vec<usize>]) -> (Vec<usize>, usize) {
    const NONE: usize = usize::MAX;
    let n = edges.len();
    let (mut index, mut low, mut component) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
    let (mut next, mut count) = (0, 0);
    let mut stack = Vec::new();
    for root in 0..n {
        if index[root] != NONE {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some(&mut (node, ref mut edge)) = path.last_mut() {
            if *edge == 0 {
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
            }
            match edges[node].get(*edge) {
                Some(&other) => {
                    *edge += 1;
                    if index[other] == NONE {
                        path.push((other, 0));
                    } else if component[other] == NONE {
                        low[node] = low[node].min(index[other]);
                    }
                }
                None => {
                    path.pop();
                    if let Some(&(above, _)) = path.last() {
                        low[above] = low[above].min(low[node]);
                    }
                    if low[node] == index[node] {
                        while let Some(top) = stack.pop() {
                            component[top] = count;
                            if top == node {
                                break;
                            }
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    (component, count)
}
