//! States with numbers: whatever is told of a job was numbered when it was looked at, so that nobody takes an old state for a new one.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// Numbers states, of all jobs together.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Relaxed) + 1
    }
}

/// A state as text with its number; 0: nothing was seen yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Numbered {
    pub(crate) seq: u64,
    pub(crate) text: Arc<str>,
}

impl Numbered {
    /// Stores the current state, whose text `text_of` makes for a number: a new state if that differs from the state before.
    pub(super) fn see(&mut self, counter: &Counter, mut text_of: impl FnMut(u64) -> String) {
        if self.seq == 0 || text_of(self.seq) != *self.text {
            self.seq = counter.next();
            self.text = text_of(self.seq).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_with_what_changes() {
        let counter = Counter::default();
        let (mut one, mut two) = (Numbered::default(), Numbered::default());
        let see = |state: &mut Numbered, text: &str| {
            state.see(&counter, |seq| format!("{seq} {text}"));
            state.text.to_string()
        };
        assert_eq!(see(&mut one, "a"), "1 a");
        assert_eq!(see(&mut two, "a"), "2 a");
        assert_eq!(see(&mut one, "a"), "1 a");
        assert_eq!(see(&mut one, "b"), "3 b");
        assert_eq!(see(&mut one, "a"), "4 a", "as before, and newer");
    }
}
