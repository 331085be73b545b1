//! What came of reviews of games, as text.

use std::fmt::Write as _;
use tesuji_jobs::counted;
use tesuji_kit::{Kit, review::ReviewSummary};

/// A line for each side of game `number`.
pub fn text(kit: &dyn Kit, number: u32, summary: &ReviewSummary) -> String {
    let mut text = String::new();
    for (side, name) in kit.side_tags().into_iter().enumerate() {
        let mean = summary.lost[side] as f64 / f64::from(summary.moves[side].max(1));
        let [dubious, bad, worst] = summary.marks[side];
        let _ = writeln!(
            text,
            "game {number}, {name}: {}, {mean:.1} {} lost a move, {dubious} dubious, {}, {}",
            counted(summary.moves[side].into(), "move"),
            kit.unit(),
            counted(bad.into(), "mistake"),
            counted(worst.into(), "blunder"),
        );
    }
    text
}
