//! Selection of the boards of a game that a static evaluation can learn from: quiet boards after the opening.

use serde::{Deserialize, Serialize};

/// The facts about one board of a game by which [`Filter`] decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SeenBoard {
    /// Its number in the game, from 0 for the start position.
    pub index: u32,
    /// Whether it was reached by a capture or a promotion.
    pub after_noisy: bool,
    /// Whether the side to move is in check.
    pub check: bool,
    /// Whether the board before it was in check.
    pub after_check: bool,
}

/// Selects the boards that become rows. The default is the filter of SoFCheck's `make_dataset` (A. Kernozhitsky, 2020): a
/// static evaluation can only be right about boards where nothing is about to happen.
///
/// # Examples
/// ```
/// use tesuji_dataset::{SeenBoard, Filter};
/// let quiet = SeenBoard { index: 12, ..SeenBoard::default() };
/// assert!(Filter::default().keeps(&quiet));
/// assert!(!Filter::default().keeps(&SeenBoard { check: true, ..quiet }));
/// assert!(Filter::ALL.keeps(&SeenBoard { check: true, ..quiet }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// The first boards of a game that are dropped.
    pub skip: u32,
    /// Drop boards that were reached by a capture or a promotion.
    pub drop_noisy: bool,
    /// Drop boards in check.
    pub drop_checks: bool,
    /// Drop boards whose predecessor was in check.
    pub drop_after_checks: bool,
}

impl Default for Filter {
    fn default() -> Self {
        Filter { skip: 5, drop_noisy: true, drop_checks: true, drop_after_checks: true }
    }
}

impl Filter {
    /// Keeps every board.
    pub const ALL: Filter = Filter { skip: 0, drop_noisy: false, drop_checks: false, drop_after_checks: false };

    /// Whether `board` becomes a row.
    pub fn keeps(&self, board: &SeenBoard) -> bool {
        board.index >= self.skip
            && !(self.drop_noisy && board.after_noisy)
            && !(self.drop_checks && board.check)
            && !(self.drop_after_checks && board.after_check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_drops_by_itself() {
        let quiet = SeenBoard { index: 5, ..SeenBoard::default() };
        let bad = [
            SeenBoard { index: 4, ..quiet },
            SeenBoard { after_noisy: true, ..quiet },
            SeenBoard { check: true, ..quiet },
            SeenBoard { after_check: true, ..quiet },
        ];
        assert!(Filter::default().keeps(&quiet));
        for board in bad {
            assert!(!Filter::default().keeps(&board), "{board:?}");
            assert!(Filter::ALL.keeps(&board), "{board:?}");
        }
    }
}
