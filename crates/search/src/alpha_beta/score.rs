//! Scores inside the search: [`Value`]s as plain numbers, so that windows can be computed with.

use tesuji_game::{By, Outcome, Side, Value};

/// Above every score.
pub(super) const INFINITE: i32 = Value::INFINITE.raw();
/// Having won on the spot.
pub(super) const MATE: i32 = Value::MATE as i32;
/// A win known without its way: endgame tables, superiority. Below every mate.
pub(super) const KNOWN_WIN: i32 = Value::KNOWN_WIN as i32;
/// From here on a score is a proof and no estimate: margins must not be added to it.
pub(super) const DECISIVE: i32 = EVAL_MAX + 1;
/// The largest static value.
pub(super) const EVAL_MAX: i32 = Value::ESTIMATE_MAX as i32;
/// The longest path, in plies.
pub(super) const PLIES_MAX: usize = 240;

/// Lost after `ply` plies.
#[inline]
pub(super) const fn mated_in(ply: i32) -> i32 {
    ply - MATE
}

/// Won after `ply` plies.
#[inline]
pub(super) const fn mate_in(ply: i32) -> i32 {
    MATE - ply
}

/// Whether `score` is proven one way or the other.
#[inline]
pub(super) const fn is_decisive(score: i32) -> bool {
    score >= DECISIVE || score <= -DECISIVE
}

/// Whether `score` is a proven loss.
#[inline]
pub(super) const fn is_loss(score: i32) -> bool {
    score <= -DECISIVE
}

/// The score of an outcome at `ply` plies, for `mover`.
pub(super) fn of_outcome(outcome: Outcome, mover: Side, ply: i32) -> i32 {
    match (outcome.winner, outcome.by) {
        (None, _) => 0,
        (Some(winner), By::Superiority) => {
            if winner == mover {
                KNOWN_WIN - ply
            } else {
                ply - KNOWN_WIN
            }
        }
        (Some(winner), _) => {
            if winner == mover {
                mate_in(ply)
            } else {
                mated_in(ply)
            }
        }
    }
}
