//! The positions to work out next: lists by weight, the heaviest first, first in first out among equals.

use std::collections::VecDeque;

/// Lists, one for each weight from 1 on; what weighs more stands in the last.
const LISTS: usize = 128;

/// Node numbers by weight.
pub(super) struct Queue {
    lists: Vec<VecDeque<u32>>,
    /// No list above this one has anything.
    top: usize,
}

impl Queue {
    pub(super) fn new() -> Queue {
        Queue { lists: (0..LISTS).map(|_| VecDeque::new()).collect(), top: 0 }
    }

    /// Takes a node in; those without weight are not to be worked out.
    pub(super) fn push(&mut self, id: u32, weight: i16) {
        if weight > 0 {
            let list = (weight as usize).min(LISTS - 1);
            self.lists[list].push_back(id);
            self.top = self.top.max(list);
        }
    }

    /// The heaviest node.
    pub(super) fn pop(&mut self) -> Option<u32> {
        loop {
            if let Some(id) = self.lists[self.top].pop_front() {
                return Some(id);
            }
            // Lists above were found empty; a push raises the mark again.
            self.top = self.top.checked_sub(1)?;
        }
    }

    pub(super) fn clear(&mut self) {
        self.lists.iter_mut().for_each(VecDeque::clear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_comes_first_and_equals_in_order() {
        let mut queue = Queue::new();
        for (id, weight) in [(1, 5), (2, 20), (3, 5), (4, 0), (5, -3), (6, 500), (7, 127)] {
            queue.push(id, weight);
        }
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [6, 7, 2, 1, 3]);
        queue.push(9, 1);
        assert_eq!((queue.pop(), queue.pop()), (Some(9), None));
    }
}
