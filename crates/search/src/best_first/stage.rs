//! What to look at further: from the root down along the best moves, as their values and the work already done say, to where the tree ends.

use super::{
    node::{Node, flag},
    queue::Queue,
    tree::{PLIES_MAX, Tree},
};
use tesuji_game::Position;

/// Tenths of a ply by which a chosen part grows.
const STEP: i16 = 10;
/// Times that the whole tree may be asked to grow before it is taken to be worked out.
const PUSHES_MAX: usize = 24;

impl<P: Position> Tree<P> {
    /// Chooses what is to grow and puts it into the queue: whether there is anything. The tree is rated.
    pub(super) fn stage(&mut self, queue: &mut Queue) -> bool {
        let stamp = self.next_stamp();
        let mut count = 0;
        for child in self.children_of(0) {
            let node = self.nodes.at(child);
            if node.quality < self.knobs.root_grain && !node.is_decided() {
                count += self.grow(child, stamp, queue);
            }
        }
        count += self.choose(0, stamp, queue);
        // Where all that is best is decided, the rest has its turn.
        for _ in 0..PUSHES_MAX {
            if count > 0 {
                break;
            }
            let stamp = self.next_stamp();
            count += self.grow(0, stamp, queue);
        }
        count > 0
    }

    /// The mark of another stage; new nodes have none of them.
    fn next_stamp(&mut self) -> u8 {
        self.stages += 1;
        (self.stages % 255 + 1) as u8
    }

    /// What is in favour of a move that leads to `node`, in centipawns.
    fn priority(&self, node: &Node) -> f32 {
        -node.value - self.knobs.explore * node.quality.sqrt()
    }

    /// Follows the best moves at `id`; returns how many positions were queued.
    fn choose(&mut self, id: u32, stamp: u8, queue: &mut Queue) -> usize {
        let children = self.children_of(id);
        let open = children.filter(|&child| !self.nodes.at(child).is_decided());
        let mut best: Vec<(f32, u32)> = open.map(|child| (self.priority(self.nodes.at(child)), child)).collect();
        // Stable: of equals the game's order counts.
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        best.truncate(self.knobs.width);
        let Some(&(top, _)) = best.first() else { return 0 };
        let mut count = 0;
        for (priority, child) in best {
            if priority < top - self.knobs.margin_cp {
                break;
            }
            let node = self.nodes.at(child);
            if node.is_leaf() || node.quality < self.knobs.grain {
                count += self.grow(child, stamp, queue);
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

    /// Lets all that is below `id` grow by a ply; returns how many positions were queued.
    fn grow(&mut self, id: u32, stamp: u8, queue: &mut Queue) -> usize {
        let mut count = 0;
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            let id = self.target(id);
            let node = self.nodes.at_mut(id);
            if node.is_decided() || node.plies >= PLIES_MAX {
                continue;
            }
            node.weight = node.weight.saturating_add(STEP);
            if node.is_leaf() {
                if node.weight > 0 {
                    queue.push(id, node.weight);
                    count += 1;
                }
                continue;
            }
            // A part that is linked from several places grows once.
            if self.knobs.merge {
                if node.stamp == stamp {
                    continue;
                }
                node.stamp = stamp;
            }
            if node.has(flag::OPEN) {
                todo.extend((node.first..node.first + u32::from(node.len)).rev());
            }
        }
        count
    }
}
