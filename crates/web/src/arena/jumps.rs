//! Where a player's own value falls from one of its moves to its next: what it saw then, it had not seen before.

use serde::Serialize;
use tesuji_engine::expected_of_value;
use tesuji_game::Value;
use tesuji_report::matches::events::GameEvent;
use utoipa::ToSchema;

/// The fall of expected result from which one is listed: that of a mistake in a review.
const FALL_MIN: f64 = 0.10;

/// The largest fall of a player's value in a game.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct Jump {
    /// The number of the game.
    pub(super) game: u64,
    /// The player whose value falls, and the other one.
    pub(super) players: [String; 2],
    /// Moves before the one that it played with the higher value.
    pub(super) ply: usize,
    /// That move, as the protocol writes it.
    #[serde(rename = "move")]
    pub(super) mv: String,
    /// Its values with that move and with its next one, for its own side, as records hold them.
    pub(super) values: [i32; 2],
    /// The fall of its expected result, in 0..=1.
    pub(super) fall: f64,
    /// The winner; none: a draw.
    pub(super) winner: Option<String>,
}

/// The chance of the side that has `value`, in 0..=1.
fn chance(value: i32) -> f64 {
    // A mate takes a ply at least: nobody moves who has mated.
    let most = i32::from(Value::MATE) - 1;
    expected_of_value(Value::from_raw(value.clamp(-most, most))).mul_add(0.5, 0.5)
}

/// The largest fall of each player in a game, where it is large enough.
pub(super) fn jumps(event: &GameEvent) -> Vec<Jump> {
    let fall = |ply: usize| {
        let (before, after) = (event.values.get(ply).copied()??, event.values.get(ply + 2).copied()??);
        Some((ply, [before, after], chance(before) - chance(after)))
    };
    let largest = |first: usize| {
        let falls = (first..event.moves.len()).step_by(2).filter_map(fall);
        falls.filter(|(_, _, fall)| *fall >= FALL_MIN).max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0)))
    };
    // By who moves first, which is the second side in some positions of books.
    let mut names = [&event.first, &event.second];
    if event.second_begins {
        names.reverse();
    }
    let jump = |first: usize| {
        let (ply, values, fall) = largest(first)?;
        Some(Jump {
            game: event.game,
            players: [names[first].clone(), names[1 - first].clone()],
            ply,
            mv: event.moves[ply].clone(),
            values,
            fall,
            winner: event.winner.clone(),
        })
    };
    [0, 1].into_iter().filter_map(jump).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(values: &[Option<i32>]) -> GameEvent {
        let moves = (0..values.len()).map(|i| format!("m{i}")).collect();
        GameEvent {
            game: 4,
            first: "dev".into(),
            second: "base".into(),
            winner: Some("base".into()),
            values: values.to_vec(),
            moves,
            ..GameEvent::default()
        }
    }

    #[test]
    fn the_largest_fall_of_each_player_is_found() {
        // Dev thinks +0.40 with its second move, -1.50 with its third and -2.20 with its fourth; base's values only rise.
        let values = [None, None, Some(40), Some(-30), Some(-150), Some(160), Some(-220), Some(31_990)];
        let found = jumps(&event(&values));
        assert_eq!(found.len(), 1);
        let jump = &found[0];
        assert_eq!((jump.game, jump.ply, jump.mv.as_str(), jump.values), (4, 2, "m2", [40, -150]));
        assert_eq!((jump.players[0].as_str(), jump.winner.as_deref()), ("dev", Some("base")));
        assert!((0.20..0.30).contains(&jump.fall), "{}", jump.fall);
        // A mate against it is the largest fall there is; where both fall there are two.
        let both = jumps(&event(&[Some(300), Some(200), Some(-31_990), Some(-200)]));
        assert_eq!(both.iter().map(|jump| jump.players[0].as_str()).collect::<Vec<_>>(), ["dev", "base"]);
        assert!(both[0].fall > 0.7 && both[0].values == [300, -31_990]);
    }

    #[test]
    fn the_second_side_moves_first_in_some_positions() {
        let values = [Some(300), Some(0), Some(-300), Some(0)];
        let begins = |second_begins| jumps(&GameEvent { second_begins, ..event(&values) })[0].players.clone();
        assert_eq!((begins(false)[0].as_str(), begins(true)[0].as_str()), ("dev", "base"));
    }

    #[test]
    fn what_told_no_value_and_what_hardly_moved_is_no_fall() {
        assert_eq!(jumps(&event(&[])), []);
        assert_eq!(jumps(&event(&[Some(50), None, None, None, Some(-300)])), [], "a move between told nothing");
        assert_eq!(jumps(&event(&[Some(20), Some(0), Some(0), Some(5)])), []);
        let far = GameEvent { values: vec![Some(i32::MAX), None, Some(i32::MIN)], ..event(&[None; 3]) };
        assert_eq!(jumps(&far).len(), 1, "numbers beyond all values are those of mates");
    }
}
