//! Which stones are dead at the end of a game, by playouts.

use tesuji_game::Random;
use tesuji_go::{Area, GoPosition, score};
use tesuji_go_eval::{Heavy, HeavyParameters, Totals};

/// Playouts behind a final score, and how surely stones must be the other side's to be dead.
const FINAL: (usize, f32) = (400, 0.5);

/// The playouts behind a final score.
pub(super) fn played_out<A: Area>(pos: &GoPosition<A>) -> Totals<A> {
    let mut totals = Totals::default();
    totals.begin(pos);
    totals.play(pos, None, FINAL.0, &mut Heavy::new(HeavyParameters::default()), &mut Random::new(1));
    totals
}

/// The stones that end as the other side's in most of these playouts.
pub(super) fn dead_by<A: Area>(pos: &GoPosition<A>, totals: &Totals<A>) -> A::Set {
    let ownership: Vec<f32> = totals.ownership().collect();
    score::dead_by_ownership(pos.board(), &ownership, FINAL.1)
}
