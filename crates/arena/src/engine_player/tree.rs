//! A tree of the lines that an engine told, merged over time. Nothing in it is made up: values are those told for a line, effort is
//! visits where the engine tells them, else the number of lines that were told through a move.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tesuji_engine::{LiveTree, TreeBounds, TreeCopy, TreeNode, expected_result};
use tesuji_game::Candidate;

/// Nodes that are kept at most.
const NODES_MAX: usize = 20_000;

/// The tree of the lines that were told of one position.
#[derive(Debug, Default)]
pub(super) struct LineTree(Mutex<Nodes>);

#[derive(Debug, Default)]
struct Nodes {
    nodes: Vec<TreeNode>,
    below: Vec<Vec<u32>>,
}

impl Nodes {
    fn add(&mut self, parent: Option<u32>, mv: &str) -> u32 {
        let id = self.nodes.len() as u32;
        let mv = mv.to_string();
        let node = TreeNode { parent, mv, value: 0.0, effort: 0, prior: 0.0, children: 0, note: None, key: 0 };
        self.nodes.push(node);
        self.below.push(Vec::new());
        if let Some(parent) = parent {
            self.below[parent as usize].push(id);
            self.nodes[parent as usize].children += 1;
        }
        id
    }

    /// Adds a line; `visits` along it, as far as they are known.
    fn merge(&mut self, line: &Candidate<String>, visits: &[u64]) {
        let value = expected_result(line) as f32;
        let (mut here, mut is_new) = (0, false);
        let mut path = vec![0];
        for (ply, mv) in line.pv.iter().enumerate() {
            let known = self.below[here as usize].iter().copied().find(|&id| self.nodes[id as usize].mv == *mv);
            here = match known {
                Some(id) => id,
                None if self.nodes.len() >= NODES_MAX => break,
                None => {
                    is_new = true;
                    self.add(Some(here), mv)
                }
            };
            path.push(here);
            let node = &mut self.nodes[here as usize];
            // The side that moved here is the root's at even plies.
            node.value = if ply.is_multiple_of(2) { value } else { -value };
            if ply == 0 {
                (node.prior, node.effort) = (line.prior, node.effort.max(line.visits));
            } else if line.visits > 0 {
                // A move of a line was visited at least once.
                node.effort = node.effort.max(visits.get(ply).copied().unwrap_or(1));
            }
        }
        if is_new && line.visits == 0 {
            path.iter().for_each(|&id| self.nodes[id as usize].effort += 1);
        }
    }
}

impl LineTree {
    fn lock(&self) -> MutexGuard<'_, Nodes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets everything: another position is searched.
    pub(super) fn clear(&self) {
        *self.lock() = Nodes::default();
    }

    /// Adds the lines of a report, the best first; `visits` along each, where they were told.
    pub(super) fn merge(&self, lines: &[Candidate<String>], visits: &[Vec<u64>]) {
        let Some(best) = lines.first() else { return };
        let mut tree = self.lock();
        if tree.nodes.is_empty() {
            tree.add(None, "");
        }
        for (i, line) in lines.iter().enumerate() {
            tree.merge(line, visits.get(i).map_or(&[], Vec::as_slice));
        }
        let spent = lines.iter().fold(0_u64, |sum, line| sum.saturating_add(line.visits));
        let root = &mut tree.nodes[0];
        root.value = -expected_result(best) as f32;
        root.effort = root.effort.max(spent);
    }
}

impl LiveTree for LineTree {
    fn copy(&self, bounds: &TreeBounds) -> Option<TreeCopy> {
        let tree = self.lock();
        tree.nodes.first()?;
        let mut copy = TreeCopy { nodes: vec![tree.nodes[0].clone()] };
        // Plies and the number of each copied node in the tree.
        let mut copied = vec![(0, 0_u32)];
        let mut at = 0;
        while at < copied.len() && copy.nodes.len() < bounds.nodes_max {
            let (id, plies) = copied[at];
            let below: &[u32] = if plies < bounds.plies_max { &tree.below[id as usize] } else { &[] };
            for &child in below {
                let node = &tree.nodes[child as usize];
                if node.effort >= bounds.effort_min && copy.nodes.len() < bounds.nodes_max {
                    copy.nodes.push(TreeNode { parent: Some(at as u32), ..node.clone() });
                    copied.push((child, plies + 1));
                }
            }
            at += 1;
        }
        Some(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::{Bound, Value};

    fn line(pv: &str, cp: i32, visits: u64) -> Candidate<String> {
        Candidate {
            pv: pv.split(' ').map(str::to_string).collect(),
            value: Value::cp(cp),
            bound: Bound::Exact,
            wdl: None,
            visits,
            prior: 0.0,
            expected: None,
            margin: None,
        }
    }

    const ALL: TreeBounds = TreeBounds { nodes_max: 100, plies_max: 64, effort_min: 0 };

    fn rows(tree: &LineTree) -> Vec<(String, Option<u32>, u64)> {
        tree.copy(&ALL).unwrap().nodes.iter().map(|node| (node.mv.clone(), node.parent, node.effort)).collect()
    }

    #[test]
    fn lines_are_merged_and_counted_once() {
        let tree = LineTree::default();
        assert_eq!(tree.copy(&ALL), None);
        tree.merge(&[line("a b c", 100, 0), line("d", -50, 0)], &[]);
        // A shorter line of the same moves is none that is new.
        tree.merge(&[line("a b", 110, 0)], &[]);
        tree.merge(&[line("a b x", 90, 0)], &[]);
        let row = |mv: &str, parent, effort| (mv.to_string(), parent, effort);
        let expected = [
            row("", None, 3),
            row("a", Some(0), 2),
            row("d", Some(0), 1),
            row("b", Some(1), 2),
            row("c", Some(3), 1),
            row("x", Some(3), 1),
        ];
        assert_eq!(rows(&tree), expected);
        let nodes = tree.copy(&ALL).unwrap().nodes;
        assert!(nodes[1].value > 0.0 && nodes[3].value < 0.0 && nodes[0].value < 0.0, "for the side that moved there");
        assert_eq!(nodes[1].value, -nodes[3].value);
        assert_eq!(tree.copy(&TreeBounds { plies_max: 1, ..ALL }).unwrap().nodes.len(), 3);
        tree.clear();
        assert_eq!(tree.copy(&ALL), None);
    }

    #[test]
    fn visits_are_those_that_were_told() {
        let tree = LineTree::default();
        tree.merge(&[line("a b", 10, 40), line("c d", 0, 5)], &[vec![40, 30], Vec::new()]);
        let efforts: Vec<u64> = tree.copy(&ALL).unwrap().nodes.iter().map(|node| node.effort).collect();
        assert_eq!(efforts, [45, 40, 5, 30, 1]);
    }
}
