//! Selection of leaves to expand: from the root down along the moves with the best priority, by value and quality, to the leaves.

use super::{
    node::{Node, flag},
    queue::Queue,
    tree::{PLIES_MAX, Tree},
};
use tesuji_game::Position;

/// Tenths of a ply by which a chosen part grows.
const STEP: i16 = 10;
/// Times that the whole tree may be asked to grow before it is taken to be worked out.
const PUSHES_MAX: u32 = 24;

/// The result of one pass that grows a part of the tree.
#[derive(Debug, Clone, Copy)]
struct Growth {
    /// Positions that were queued.
    count: usize,
    /// The greatest weight of a leaf that was not, in tenths of a ply.
    heaviest: i16,
}

impl Growth {
    /// Steps until the heaviest leaf is queued.
    fn steps_left(self) -> u32 {
        u32::from(self.heaviest.unsigned_abs()) / STEP as u32 + 1
    }
}

impl<P: Position> Tree<P> {
    /// Chooses what is to grow and puts it into the queue: whether there is anything. The tree is rated.
    pub(super) fn stage(&mut self, queue: &mut Queue) -> bool {
        let stamp = self.next_stamp(1);
        let mut count = 0;
        for child in self.children_of(0) {
            let node = self.nodes.at(child);
            if node.quality < self.parameters.root_grain && !node.is_decided() {
                count += self.grow(child, stamp, 1, queue).count;
            }
        }
        count += self.choose(0, stamp, queue);
        count > 0 || self.push_all(queue)
    }

    /// Where all that is best is decided, the rest has its turn: the whole tree grows until a position is queued. A walk tells how
    /// far the next has to push, for each costs as much as the tree is large.
    fn push_all(&mut self, queue: &mut Queue) -> bool {
        let (mut pushed, mut steps) = (0, 1);
        while pushed < PUSHES_MAX {
            let stamp = self.next_stamp(steps);
            let growth = self.grow(0, stamp, steps as i16, queue);
            if growth.count > 0 {
                return true;
            }
            pushed += steps;
            steps = growth.steps_left().min(PUSHES_MAX - pushed);
        }
        false
    }

    /// The mark of the stage `by` stages later; new nodes have none of them.
    fn next_stamp(&mut self, by: u32) -> u8 {
        self.stages += by;
        // Never 0, which is the mark of nodes that no stage has seen.
        (self.stages % 255 + 1) as u8
    }

    /// The priority of the move that leads to `node`, in centipawns: its value less the exploration term.
    fn priority(&self, node: &Node) -> f32 {
        -node.value - self.parameters.explore * node.quality.sqrt()
    }

    /// Follows the best moves at `id`; returns how many positions were queued.
    fn choose(&mut self, id: u32, stamp: u8, queue: &mut Queue) -> usize {
        let children = self.children_of(id);
        let open = children.filter(|&child| !self.nodes.at(child).is_decided());
        let mut best: Vec<(f32, u32)> = open.map(|child| (self.priority(self.nodes.at(child)), child)).collect();
        // Stable: of equals the game's order counts.
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        best.truncate(self.parameters.width);
        let Some(&(top, _)) = best.first() else { return 0 };
        let mut count = 0;
        for (priority, child) in best {
            if priority < top - self.parameters.margin_cp {
                break;
            }
            let node = self.nodes.at(child);
            if node.is_leaf() || node.quality < self.parameters.grain {
                count += self.grow(child, stamp, 1, queue).count;
            } else if self.stamp(child, stamp) {
                count += self.choose(child, stamp, queue);
            }
        }
        count
    }

    /// Marks the position of `id` as seen in this stage: whether it was not yet.
    fn stamp(&mut self, id: u32, stamp: u8) -> bool {
        let target = self.target(id);
        let node = self.nodes.at_mut(target);
        std::mem::replace(&mut node.stamp, stamp) != stamp && node.plies < PLIES_MAX
    }

    /// Lets all that is below `id` grow by this many plies.
    fn grow(&mut self, id: u32, stamp: u8, plies: i16, queue: &mut Queue) -> Growth {
        let mut growth = Growth { count: 0, heaviest: i16::MIN };
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            let id = self.target(id);
            let node = self.nodes.at_mut(id);
            if node.is_decided() || node.plies >= PLIES_MAX {
                continue;
            }
            node.weight = node.weight.saturating_add(STEP * plies);
            if node.is_leaf() {
                if node.weight > 0 {
                    queue.push(id, node.weight);
                    growth.count += 1;
                } else {
                    growth.heaviest = growth.heaviest.max(node.weight);
                }
                continue;
            }
            // A part that is linked from several places grows once.
            if self.parameters.merge {
                if node.stamp == stamp {
                    continue;
                }
                node.stamp = stamp;
            }
            if node.has(flag::OPEN) {
                // From a stack, so that the first child comes out first and equals are queued in the game's order.
                todo.extend((node.first..node.first + u32::from(node.len)).rev());
            }
        }
        growth
    }
}

#[cfg(test)]
mod tests {
    use super::{Growth, STEP};

    #[test]
    fn as_many_steps_are_left_as_single_pushes_would_take() {
        for heaviest in -300..=0_i16 {
            let (mut weight, mut pushes) = (heaviest, 0);
            while weight <= 0 {
                weight += STEP;
                pushes += 1;
            }
            assert_eq!(Growth { count: 0, heaviest }.steps_left(), pushes, "{heaviest}");
        }
    }
}
