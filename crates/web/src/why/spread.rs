//! Distributions of values: of what visits met below a move, of the leaves of its subtree, or of all moves of a position.

use super::Grown;
use crate::seats::LINES_FAMILY;
use serde::Serialize;
use utoipa::ToSchema;

/// Bins from a sure loss to a sure win for the side that moves.
const BINS: usize = 20;

/// The counted moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unit {
    /// Visits that ended below each of the two moves.
    Visits,
    /// Leaves of their subtrees by the nodes spent on them.
    Leaves,
    /// The moves of the position, whichever they are.
    Moves,
}

/// Histograms of values.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct Spread {
    /// The counted moves.
    unit: Unit,
    /// Below the explained move, or of all moves: counts from a sure loss to a sure win for the side that moves.
    of: Vec<u64>,
    /// Below the other move; none where all moves are counted together.
    vs: Option<Vec<u64>>,
    /// Quartiles of what is counted below the explained move, expected results in -1..=1.
    of_quartiles: [f32; 3],
    /// The same below the other.
    vs_quartiles: Option<[f32; 3]>,
}

/// Values with their weights.
type Weighed = Vec<(f32, u64)>;

/// The spread of what is below `of` and `vs`, or of the moves `ranked`.
pub(super) fn spread(grown: &Grown<'_>, family: &str, ranked: &[usize], of: usize, vs: Option<usize>) -> Spread {
    if matches!(family, "alpha-beta" | LINES_FAMILY) {
        // Below a move of this search nearly all values are bounds: its moves are compared instead.
        let moves: Weighed = ranked.iter().map(|&at| (grown.node(at).value, 1)).collect();
        let of = counted(&moves);
        return Spread { unit: Unit::Moves, of, vs: None, of_quartiles: quartiles(moves), vs_quartiles: None };
    }
    let below = |at: usize| if grown.by_effort { visits(grown, at) } else { leaves(grown, at) };
    let (of, vs) = (below(of), vs.map(below));
    Spread {
        unit: if grown.by_effort { Unit::Visits } else { Unit::Leaves },
        of: counted(&of),
        vs: vs.as_deref().map(counted),
        of_quartiles: quartiles(of),
        vs_quartiles: vs.map(quartiles),
    }
}

/// Node `from` and all below it with the sign that turns a value into one for the side that moves to `from`.
fn walk(grown: &Grown<'_>, from: usize, mut see: impl FnMut(usize, f32)) {
    let mut open = vec![(from, 1.0)];
    while let Some((at, sign)) = open.pop() {
        see(at, sign);
        open.extend(grown.below[at].iter().map(|&id| (id as usize, -sign)));
    }
}

/// The value of each visit: the part of a node's mean that its children do not account for.
fn visits(grown: &Grown<'_>, from: usize) -> Weighed {
    let mut list = Weighed::new();
    walk(grown, from, |at, sign| {
        let node = grown.node(at);
        let (mut own, mut sum) = (node.effort, f64::from(node.value) * node.effort as f64);
        for child in grown.below[at].iter().map(|&id| grown.node(id as usize)) {
            own = own.saturating_sub(child.effort);
            sum += f64::from(child.value) * child.effort as f64;
        }
        if own > 0 {
            list.push((sign * ((sum / own as f64) as f32).clamp(-1.0, 1.0), own));
        }
    });
    list
}

/// The nodes without children here, by what was spent on them.
fn leaves(grown: &Grown<'_>, from: usize) -> Weighed {
    let mut list = Weighed::new();
    walk(grown, from, |at, sign| {
        let is_leaf = grown.below[at].iter().all(|&id| grown.node(id as usize).effort == 0);
        if is_leaf && grown.node(at).effort > 0 {
            list.push((sign * grown.node(at).value, grown.node(at).effort));
        }
    });
    list
}

/// The number of values in each bin.
fn counted(list: &[(f32, u64)]) -> Vec<u64> {
    let mut bins = vec![0; BINS];
    for &(value, weight) in list {
        let at = ((f64::from(value) + 1.0) / 2.0 * BINS as f64) as usize;
        bins[at.min(BINS - 1)] += weight;
    }
    bins
}

/// The values below which a quarter, half and three quarters of the weight lies.
fn quartiles(mut list: Weighed) -> [f32; 3] {
    list.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: u64 = list.iter().map(|entry| entry.1).sum();
    [1, 2, 3].map(|quarter| {
        let mut seen = 0;
        let at = list.iter().find(|entry| {
            seen += entry.1;
            seen * 4 >= total * quarter
        });
        at.map_or(0.0, |entry| entry.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grove::Snapshot;
    use tesuji_engine::TreeNode;

    fn node(parent: Option<u32>, value: f32, effort: u64) -> TreeNode {
        let mv = if parent.is_none() { String::new() } else { format!("m{effort}") };
        TreeNode { parent, mv, value, effort, prior: 0.0, children: 0, note: None, key: 0 }
    }

    /// A root with two moves; below the first are two replies.
    fn tree() -> Snapshot {
        let nodes = vec![
            node(None, 0.0, 10),
            node(Some(0), 0.5, 4),
            node(Some(0), -0.9, 6),
            node(Some(1), -0.2, 1),
            node(Some(1), -0.8, 2),
        ];
        let mut snapshot = Snapshot::default();
        snapshot.tree.nodes.extend(nodes);
        snapshot
    }

    #[test]
    fn visits_keep_the_mean_that_the_search_tells() {
        let snapshot = tree();
        let grown = Grown { below: snapshot.children(), snapshot: &snapshot, by_effort: true };
        let list = visits(&grown, 1);
        let total: u64 = list.iter().map(|entry| entry.1).sum();
        let sum: f32 = list.iter().map(|entry| entry.0 * entry.1 as f32).sum();
        assert_eq!(total, 4);
        assert!((sum / 4.0 - 0.5).abs() < 1e-6, "{list:?}");
        let told = spread(&grown, "mcts", &[1, 2], 1, Some(2));
        assert_eq!((told.unit, told.of.iter().sum::<u64>()), (Unit::Visits, 4));
        assert_eq!(told.vs.map(|vs| vs[1]), Some(6));
        assert_eq!(told.vs_quartiles, Some([-0.9; 3]));
    }

    #[test]
    fn leaves_are_told_from_the_side_that_moves() {
        let snapshot = tree();
        let grown = Grown { below: snapshot.children(), snapshot: &snapshot, by_effort: false };
        assert_eq!(leaves(&grown, 1), [(0.8, 2), (0.2, 1)]);
        assert_eq!(spread(&grown, "alpha-beta", &[1, 2], 1, Some(2)).of.iter().sum::<u64>(), 2);
    }

    #[test]
    fn the_ends_of_the_scale_are_in_the_last_bins() {
        let bins = counted(&[(-1.0, 3), (1.0, 5), (0.0, 1)]);
        assert_eq!((bins[0], bins[BINS - 1], bins[BINS / 2]), (3, 5, 1));
        assert_eq!(quartiles(Vec::new()), [0.0; 3]);
    }
}
