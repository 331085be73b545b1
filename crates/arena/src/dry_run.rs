//! A dry run: what would be played, without playing it.

use crate::few_openings::doubt;
use crate::{Dialect, MatchRequest, OwnProgram, entrants, expected_time};
use std::{fmt::Write as _, time::Duration};
use tesuji_jobs::{counted, duration_text};
use tesuji_kit::Kit;
use tesuji_kit::RequestError;

/// Games that are shown one by one.
const SHOWN: usize = 6;
/// Plies of a game where the kit does not know.
const PLIES: f64 = 120.0;

/// The pairings, the first games, the limits, and how long all of it may take, in words. `tell` hears about broken openings that are
/// left out.
///
/// # Errors
/// Refuses values that make no sense.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{MatchRequest, OwnProgram, dry_run};
/// use tesuji_four::FOUR;
/// let own = OwnProgram { path: "tesuji".into(), words: vec!["uci".into()], version: "1.0".into() };
/// let text = r#"{ "game": "four", "engines": [{ "name": "new" }, { "name": "old" }], "nodes": 500, "games": 2 }"#;
/// let said = dry_run(&FOUR, &MatchRequest::from_json(text)?, &own, 7, &mut |_| ())?;
/// assert!(said.starts_with("2 games of four"), "{said}");
/// assert!(said.contains("new against old\ngame 1: new moves first against old"), "{said}");
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
pub fn dry_run(
    kit: &dyn Kit,
    asked: &MatchRequest,
    own: &OwnProgram,
    seed: u64,
    tell: &mut dyn FnMut(&str),
) -> Result<String, RequestError> {
    let entrants = entrants(&asked.engines, asked.each.as_ref(), &asked.allowance(), (Dialect::of(kit), own))?;
    let openings = asked.openings(kit, seed, asked.schedule(1)?.rounds(), tell)?;
    let schedule = asked.schedule(openings.len())?;
    let jobs = asked.jobs();
    let mut text = String::new();
    let games = schedule.games();
    let _ = writeln!(
        text,
        "{games} games of {}, {jobs} at a time; {}, seed {seed}",
        kit.name(),
        counted(openings.len() as u64, "opening")
    );
    if let Some(doubt) = doubt(openings.len(), (&schedule, asked.sprt.is_some()), &entrants) {
        let _ = writeln!(text, "{doubt}");
    }
    for entrant in &entrants {
        let _ = writeln!(text, "{}: {}", entrant.name, entrant.allowance);
    }
    let pairings = schedule.pairings();
    for (_, [a, b]) in &pairings {
        let _ = writeln!(text, "{} against {}", entrants[*a].name, entrants[*b].name);
    }
    if schedule.is_knockout() {
        text += "who meets whom after them, the results decide; a tie that ends level goes on\n";
    }
    for (round, player) in schedule.byes() {
        let _ = writeln!(text, "{} has a bye in round {}", entrants[player].name, round + 1);
    }
    if schedule.is_swiss() {
        text += "who meets whom in the rounds after the first, the results decide\n";
    }
    for game in schedule.open().take(SHOWN) {
        let fixture = schedule.fixture(game);
        let [first, second] = fixture.players.map(|i| entrants[i].name.as_str());
        let opening = openings.get(fixture.opening).unwrap_or_default();
        let start = opening.start.as_deref().unwrap_or("the usual start");
        let moves = if opening.moves.is_empty() { String::new() } else { format!(" and {}", opening.moves.join(" ")) };
        let _ = writeln!(text, "game {}: {first} moves first against {second}, from {start}{moves}", game + 1);
    }
    if games > SHOWN as u64 {
        let _ = writeln!(text, "… and {} more", games - SHOWN as u64);
    }
    let plies = kit.plies_usual().unwrap_or(PLIES);
    let whole: Option<Duration> = pairings
        .iter()
        .map(|&(_, [a, b])| {
            let game = expected_time([a, b].map(|i| &entrants[i].allowance), plies)?;
            Some(game.mul_f64(games as f64 / pairings.len() as f64 / jobs as f64))
        })
        .sum();
    match whole {
        Some(time) => drop(writeln!(text, "about {}, if games have {plies:.0} plies", duration_text(time))),
        None => text += "how long it takes depends on the engines: their limits are no times\n",
    }
    Ok(text)
}
