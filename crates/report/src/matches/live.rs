//! The live display below the progress bar of a match on a terminal: standings, games in play, faults.

use std::time::{Duration, Instant};
use tesuji_arena::{Live, Match, MatchPlan, Scene};
use tesuji_game::{Side, Value};

/// Games in play that are shown.
const GAMES_MAX: usize = 12;
/// Players that are shown.
const PLAYERS_MAX: usize = 12;
/// The last moves of a game that are shown.
const MOVES: usize = 3;

/// Columns of a line at most: those of a usual terminal, less the one behind which some wrap.
const COLUMNS: usize = 79;
/// Characters of a name in a game's line, where the line is too long.
const NAME_MAX: usize = 12;

/// The look of a part of a line on a terminal with colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Plain,
    Bold,
    Faint,
    Green,
    Red,
}

impl Look {
    /// The text with what a terminal shows this way.
    fn of(self, text: &str, is_coloured: bool) -> String {
        let code = match self {
            _ if !is_coloured => return text.to_string(),
            Look::Plain => return text.to_string(),
            Look::Bold => 1,
            Look::Faint => 2,
            Look::Green => 32,
            Look::Red => 31,
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// The lines, the most important first, each of 79 columns at most.
pub fn lines(plan: &MatchPlan<'_>, running: &Match<'_>, now: Instant, is_coloured: bool) -> Vec<String> {
    let mut lines = standings(plan, running, is_coloured);
    let games: Vec<&Live> = running.live().collect();
    lines.extend(games.iter().take(GAMES_MAX).map(|live| game(plan, live, now, is_coloured)));
    if games.len() > GAMES_MAX {
        lines.push(format!("  … and {} more games", games.len() - GAMES_MAX));
    }
    lines.extend(faults(plan, running).iter().map(|line| Look::Red.of(&shortened(line, COLUMNS), is_coloured)));
    lines
}

/// The text, cut to this number of characters.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// Points of each player, the best first; nothing in a match of two, whose bar says it all.
fn standings(plan: &MatchPlan<'_>, running: &Match<'_>, is_coloured: bool) -> Vec<String> {
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
        let text = format!(
            "  {:2}. {:width$}  {points:>6} of {:<5} +{} ={} -{}",
            place + 1,
            shortened(&plan.entrants[i].name, width),
            games.games(),
            games.wins,
            games.draws,
            games.losses
        );
        let look = if place == 0 { Look::Bold } else { Look::Plain };
        look.of(&shortened(&text, COLUMNS), is_coloured)
    };
    let mut lines: Vec<String> = order.iter().enumerate().take(PLAYERS_MAX).map(line).collect();
    if order.len() > PLAYERS_MAX {
        lines.push(format!("  … and {} more players", order.len() - PLAYERS_MAX));
    }
    lines
}

/// A game in play: who, how far, what both think, what their clocks show, the last moves.
fn game(plan: &MatchPlan<'_>, live: &Live, now: Instant, is_coloured: bool) -> String {
    let names = Side::ALL.map(|side| plan.entrants[live.fixture.players[side.index()]].name.as_str());
    game_line(live.fixture.game + 1, names, &live.scene(), now.duration_since(live.began), is_coloured)
}

/// The line of a game: the first of the last moves go where it is too long, then the ends of names.
fn game_line(number: u64, names: [&str; 2], scene: &Scene, age: Duration, is_coloured: bool) -> String {
    let plies = scene.moves.len();
    let parts = |name_max: usize, moves: usize| {
        let mut parts = vec![(Look::Faint, format!("  game {number}: "))];
        for (index, name) in names.iter().enumerate() {
            parts.push((Look::Plain, shortened(name, name_max)));
            if let Some(value) = scene.values[index] {
                let look = if value.raw() < 0 { Look::Red } else { Look::Green };
                parts.push((look, format!(" {}", value_text(value))));
                parts.push((Look::Plain, format!("/{}", scene.depths[index])));
            }
            if let Some(left) = scene.left[index] {
                parts.push((Look::Plain, format!(" [{}]", clock_text(left))));
            }
            parts.push((Look::Faint, if index == 0 { " – ".to_string() } else { ", ".to_string() }));
        }
        let last = scene.moves[plies.saturating_sub(moves)..].join(" ");
        parts.push((Look::Faint, format!("ply {plies}, {}: ", clock_text(age))));
        parts.push((Look::Plain, last));
        parts
    };
    let columns = |parts: &[(Look, String)]| parts.iter().map(|(_, text)| text.chars().count()).sum::<usize>();
    let [long, short] = [NAME_MAX, NAME_MAX / 2];
    let tried = [(usize::MAX, MOVES), (long, MOVES), (long, 2), (long, 1), (short, 1)].into_iter();
    let fitting = tried.map(|(name_max, moves)| parts(name_max, moves)).find(|parts| columns(parts) <= COLUMNS);
    let parts = fitting.unwrap_or_else(|| parts(short, 0));
    parts.iter().map(|(look, text)| look.of(text, is_coloured)).collect::<String>()
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

    /// Lines of games had 82 columns and lost the last move, which is the newest.
    #[test]
    fn lines_of_games_fit_a_terminal() {
        let moves = ["e2e4", "c8f5", "h8e8", "f5d7"].map(str::to_string).to_vec();
        let scene = Scene {
            moves,
            values: [Some(Value::cp(390)), Some(Value::cp(-390))],
            depths: [12, 13],
            left: [Some(Duration::from_millis(800)); 2],
        };
        let line = |names, number| game_line(number, names, &scene, Duration::from_millis(4800), false);
        let expect = "  game 5: Beta +3.90/12 [0.8] – Gamma -3.90/13 [0.8], ply 4, 4.8: h8e8 f5d7";
        assert_eq!(line(["Beta", "Gamma"], 5), expect);
        let long = line(["Stockfish development version", "a-branch-with-a-name"], 12_345);
        assert_eq!(long, "  game 12345: Stock… +3.90/12 [0.8] – a-bra… -3.90/13 [0.8], ply 4, 4.8: f5d7");
        let coloured = game_line(5, ["A", "B"], &scene, Duration::ZERO, true);
        assert!(
            coloured.contains("\x1b[32m +3.90\x1b[0m") && coloured.contains("\x1b[31m -3.90\x1b[0m"),
            "{coloured:?}"
        );
        assert!(!line(["A", "B"], 5).contains('\x1b'));
    }

    #[test]
    fn clocks_and_values_are_short() {
        let clock = |s| clock_text(Duration::from_secs_f64(s));
        assert_eq!([3.44, 59.9, 61.0, 3_723.0].map(clock), ["3.4", "59.9", "1:01", "1:02:03"]);
        assert_eq!([31, -207].map(|cp| value_text(Value::cp(cp))), ["+0.31", "-2.07"]);
        assert_eq!([Value::mate_in(3), Value::mated_in(4)].map(value_text), ["+M3", "-M4"]);
    }
}
