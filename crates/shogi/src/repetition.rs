//! Positions that come back: fourfold repetition, perpetual check, and what a search may conclude from a better hand.

use crate::{Board, Hand};
use tesuji_game::{By, Key, Outcome, Position, Side};

/// The number of earlier times that a position must have stood on the board for the game to end (sennichite, the fourth time).
const EARLIER_TIMES: u32 = 3;

/// The mark of `board` that the list of past positions keeps.
#[inline(always)]
pub(crate) fn mark(board: &Board, past: &[Mark]) -> Mark {
    Mark { board: board.board_key(), hand: board.hand(Side::First), run: run(board, past) }
}

/// The number of turns in a row on which the side to move has been in check.
#[inline(always)]
fn run(board: &Board, past: &[Mark]) -> u16 {
    if board.checkers().is_empty() {
        return 0;
    }
    past.len().checked_sub(2).map_or(1, |i| past[i].run.saturating_add(1))
}

/// The outcome by repetition, if there is one. On the path of a search (`past[root..]`) the first return ends, and so does the
/// same board with a better or worse hand; older returns end by the rule, with the fourth time.
#[inline]
pub(crate) fn ended(board: &Board, past: &[Mark], root: usize) -> Option<Outcome> {
    let (n, key, hand) = (past.len(), board.board_key(), board.hand(Side::First));
    let mut times = 0;
    for back in (4..=n).step_by(2) {
        let mark = &past[n - back];
        if mark.board != key {
            continue;
        }
        let on_path = n - back >= root;
        if mark.hand == hand {
            times += 1;
            if on_path || times == EARLIER_TIMES {
                return Some(returned(board, past, back));
            }
        } else if on_path && let Some(winner) = better_hand(hand, mark.hand) {
            return Some(Outcome::win(winner, By::Superiority));
        }
    }
    None
}

/// The side whose hand became better on the same board: one side gained the pieces that the other lost.
fn better_hand(now: Hand, then: Hand) -> Option<Side> {
    if now.covers(then) {
        Some(Side::First)
    } else if then.covers(now) {
        Some(Side::Second)
    } else {
        None
    }
}

/// The outcome when `board` stood here `back` plies ago already: anyone who gave check with every move since then loses.
fn returned(board: &Board, past: &[Mark], back: usize) -> Outcome {
    let side = board.side_to_move();
    // Every second ply is of the same side.
    let moves = back / 2;
    let checked = usize::from(run(board, past)) >= moves;
    let checking = past.last().is_some_and(|mark| usize::from(mark.run) >= moves);
    match (checked, checking) {
        (true, false) => Outcome::win(side, By::Repetition),
        (false, true) => Outcome::win(!side, By::Repetition),
        _ => Outcome::draw(By::Repetition),
    }
}

/// The part of a past position that repetition rules need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The key of the board without hands.
    pub(crate) board: Key,
    /// The first side's hand; on the same board the other hand follows from it.
    pub(crate) hand: Hand,
    /// The number of turns in a row, this one included, on which the side that was to move stood in check.
    pub(crate) run: u16,
}
