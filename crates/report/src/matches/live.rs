//! The live display below the progress bar of a match on a terminal: standings, games in play, faults.

use std::fmt::Write as _;
use std::time::{Duration, Instant};
use tesuji_arena::{Live, Match, MatchPlan};
use tesuji_game::{Side, Value};

/// Games in play that are shown.
const GAMES_MAX: usize = 12;
/// Players that are shown.
const PLAYERS_MAX: usize = 12;
/// The last moves of a game that are shown.
const MOVES: usize = 3;

/// The lines, the most important first.
pub fn lines(plan: &MatchPlan<'_>, running: &Match<'_>, now: Instant) -> Vec<String> {
    let mut lines = standings(plan, running);
    let games: Vec<&Live> = running.live().collect();
    lines.extend(games.iter().take(GAMES_MAX).map(|live| game(plan, live, now)));
    if games.len() > GAMES_MAX {
        lines.push(format!("  … and {} more games", games.len() - GAMES_MAX));
    }
    lines.extend(faults(plan, running));
    lines
}

/// Points of each player, the best first; nothing in a match of two, whose bar says it all.
fn standings(plan: &MatchPlan<'_>, running: &Match<'_>) -> Vec<String> {
    let players = running.standing().players();
    if players.len() < 3 {
        return Vec::new();
    }
    let share = |i: usize| players[i].games.points() / players[i].games.games() as f64;
    let mut order: Vec<usize> = (0..players.len()).filter(|&i| players[i].games.games() > 0).collect();
    order.sort_by(|&a, &b| share(b).total_cmp(&share(a)));
    if let Some(table) = running.schedule().swiss_table() {
        order = table.iter().map(|row| row.player).collect();
    }
    // The figures behind a name take some forty columns.
    let width = plan.entrants.iter().map(|e| e.name.chars().count()).max().unwrap_or(0).min(COLUMNS / 2);
    let line = |(place, &i): (usize, &usize)| {
        let games = &players[i].games;
        let points = games.points();
        format!(
            "  {:2}. {:width$}  {points:>6} of {:<5} +{} ={} -{}",
            place + 1,
            plan.entrants[i].name,
            games.games(),
            games.wins,
            games.draws,
            games.losses
        )
    };
    let mut lines: Vec<String> = order.iter().enumerate().take(PLAYERS_MAX).map(line).collect();
    if order.len() > PLAYERS_MAX {
        lines.push(format!("  … and {} more players", order.len() - PLAYERS_MAX));
    }
    lines
}

/// A game in play: who, how far, what both think, what their clocks show, the last moves.
fn game(plan: &MatchPlan<'_>, live: &Live, now: Instant) -> String {
    let scene = live.scene();
    let side = |side: Side| {
        let index = side.index();
        let mut text = plan.entrants[live.fixture.players[index]].name.clone();
        if let Some(value) = scene.values[index] {
            let _ = write!(text, " {}/{}", value_text(value), scene.depths[index]);
        }
        if let Some(left) = scene.left[index] {
            let _ = write!(text, " [{}]", clock_text(left));
        }
        text
    };
    let plies = scene.moves.len();
    let last = scene.moves[plies.saturating_sub(MOVES)..].join(" ");
    format!(
        "  game {}: {} – {}, ply {plies}, {}: {last}",
        live.fixture.game + 1,
        side(Side::First),
        side(Side::Second),
        clock_text(now.duration_since(live.began))
    )
}

/// Pawns with two decimals, or `M` and the plies to the end, from the mover's own view.
fn value_text(value: Value) -> String {
    match value.mate_plies() {
        Some(plies) if plies < 0 => format!("-M{}", -plies),
        Some(plies) => format!("+M{plies}"),
        None => format!("{:+.2}", f64::from(value.raw()) / 100.0),
    }
}

/// `1:02:03`, `2:03`, `3.4`.
fn clock_text(time: Duration) -> String {
    let s = time.as_secs();
    match s {
        0..60 => format!("{:.1}", time.as_secs_f64()),
        60..3_600 => format!("{}:{:02}", s / 60, s % 60),
        _ => format!("{}:{:02}:{:02}", s / 3_600, s / 60 % 60, s % 60),
    }
}

/// The faults so far, a line for each player with faults.
fn faults(plan: &MatchPlan<'_>, running: &Match<'_>) -> Vec<String> {
    let players = plan.entrants.iter().zip(running.standing().players());
    let faulty = players.filter(|(_, player)| !player.faults.is_empty());
    faulty
        .map(|(entrant, player)| {
            let kinds: Vec<String> = player.faults.iter().map(|(kind, n)| format!("{} {n}", kind.name())).collect();
            format!("  faults of {}: {}", entrant.name, kinds.join(", "))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_values_are_short() {
        let clock = |s| clock_text(Duration::from_secs_f64(s));
        assert_eq!([3.44, 59.9, 61.0, 3_723.0].map(clock), ["3.4", "59.9", "1:01", "1:02:03"]);
        assert_eq!([31, -207].map(|cp| value_text(Value::cp(cp))), ["+0.31", "-2.07"]);
        assert_eq!([Value::mate_in(3), Value::mated_in(4)].map(value_text), ["+M3", "-M4"]);
    }
}
