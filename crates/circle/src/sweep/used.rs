//! What an engine of the pool used in its games, from the notes of their moves, so that one that hardly thinks is named.

use tesuji_arena::{Allowance, Stopwatch, Used, is_idle, nodes_tolerated};
use tesuji_game::Side;
use tesuji_record::GameRecord;

/// Adds what `side` used in a game that begins with [`Side::First`]. Moves without a time, such as those of openings, are nobody's.
pub(super) fn add_used(used: &mut Used, game: &GameRecord<String>, side: Side, allowance: &Allowance) {
    let mut clock = allowance.control.clone().map(Stopwatch::new);
    let own = game.main_nodes().into_iter().skip(side.index()).step_by(2);
    for note in own.map(|node| game.note(node)) {
        let Some(spent) = note.spent else { continue };
        let nodes = note.nodes.map_or(0, u64::from);
        let given = allowance.share(clock.as_ref()).unwrap_or_default();
        used.moves += 1;
        used.time += spent;
        used.given += given;
        used.nodes = used.nodes.saturating_add(nodes);
        used.idle_moves += u32::from(is_idle(spent, given));
        used.silent += u32::from(note.nodes.is_none() && note.depth.is_none() && note.value.is_none());
        used.excess_moves += u32::from(allowance.nodes.is_some_and(|limit| nodes > nodes_tolerated(limit)));
        used.nodes_most = used.nodes_most.max(nodes);
        if let Some(clock) = &mut clock {
            clock.press(spent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{num::NonZeroU64, time::Duration};
    use tesuji_arena::{Warning, warnings_of};

    #[test]
    fn an_engine_that_hardly_thinks_is_seen_by_nodes_and_by_a_clock() {
        let mut game = GameRecord::from_moves("", None, (0..200).map(|i| format!("m{i}")));
        for (i, node) in game.main_nodes().into_iter().enumerate().skip(8) {
            let note = game.note_mut(node);
            // The second side moves at once.
            let (millis, nodes) = if i % 2 == 0 { (100, 5000) } else { (0, 20) };
            (note.spent, note.nodes) = (Some(Duration::from_millis(millis)), NonZeroU64::new(nodes));
        }
        let of = |side, allowance: &Allowance| {
            let mut used = Used::default();
            add_used(&mut used, &game, side, allowance);
            assert_eq!(used.moves, 96);
            warnings_of(&used, allowance)
        };
        let nodes = Allowance::of_nodes(5000);
        assert_eq!(of(Side::First, &nodes), []);
        assert!(of(Side::Second, &nodes).contains(&Warning::FewNodes { limit: 5000, mean: 20 }));
        let clock = Allowance { control: Some("4+0.1".parse().unwrap()), ..Allowance::default() };
        assert_eq!(of(Side::First, &clock), []);
        assert!(matches!(of(Side::Second, &clock)[..], [Warning::Idle { .. }]));
    }
}
