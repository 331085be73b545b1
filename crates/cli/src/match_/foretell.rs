//! `--dry-run`: what would be played, without playing it.

use super::{Args, book, default_jobs, engines};
use std::{fmt::Write as _, process::ExitCode, time::Duration};
use tesuji_arena::expected_time;
use tesuji_jobs::duration_text;
use tesuji_kit::Kit;

/// Games that are shown one by one.
const SHOWN: usize = 6;
/// Plies of a game where the kit does not know.
const PLIES: f64 = 120.0;

/// Prints the pairings, the first games, the limits, and how long all of it may take.
pub(super) fn run(kit: &dyn Kit, args: &Args, seed: u64) -> anyhow::Result<ExitCode> {
    let entrants = engines::entrants(&args.engines, args.each.as_ref(), &args.allowance(), &args.game)?;
    let openings = book::openings(kit, args, seed, args.schedule(1)?.rounds())?;
    let schedule = args.schedule(openings.len())?;
    let jobs = args.concurrency.unwrap_or_else(default_jobs).max(1);
    let mut text = String::new();
    let games = schedule.games();
    let _ =
        writeln!(text, "{games} games of {}, {jobs} at a time; {} openings, seed {seed}", kit.name(), openings.len());
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
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}
