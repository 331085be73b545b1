//! Self-play in words: what is played so far, what came of it, and what is doubtful.

use std::{fmt::Write as _, time::Duration};
use tesuji_circle::{BatchedPlayed, Dropped, SelfplayGames};

/// That games will be the same, since there are fewer openings than games.
pub fn few_openings(openings: usize, games: u64) -> String {
    let noun = if openings == 1 { "opening" } else { "openings" };
    format!(
        "Warning: {openings} {noun} for {games} games, and nothing else differs: games will be the same; --random-plies N makes \
         them differ"
    )
}

/// What was played, in lines.
pub fn played(SelfplayGames { file, seed, played }: &SelfplayGames) -> String {
    let [won, drawn, lost] = played.results;
    let new = won + drawn + lost;
    let mut text = format!("{}: {} games ({new} of them new), seed {seed}\n", file.display(), played.written());
    let Dropped { short, unfinished, faulty } = played.dropped;
    if short + unfinished + faulty > 0 {
        let void = if faulty > 0 { format!(", {faulty} void by faults") } else { String::new() };
        let games = played.games;
        let _ = writeln!(text, "dropped of {games} games: {short} too short, {unfinished} unfinished{void}");
    }
    let plies = played.plies;
    let _ = writeln!(text, "the first side won {won}, drew {drawn}, lost {lost} of the new ones; {plies} moves");
    text
}

/// Results, length of games, speed and audits after this time, for the line of progress.
pub fn so_far(told: &BatchedPlayed, spent: Duration) -> String {
    let played = &told.played;
    let [won, drawn, lost] = played.results;
    let new = played.games.saturating_sub(played.resumed).max(1);
    let speed = played.plies as f64 / spent.as_secs_f64().max(1e-3);
    format!("+{won} ={drawn} -{lost}, {} plies a game, {speed:.0} moves/s{}", played.plies / new, audits(told))
}

/// The results of resignation audits, for the line of progress.
fn audits(told: &BatchedPlayed) -> String {
    let mut words = String::new();
    if told.audited > 0 {
        words += &format!(", {} of {} would have resigned wrongly", told.wrong, told.audited);
    }
    if told.illegal > 0 {
        words += &format!(", {} lost by an opponent's illegal move", told.illegal);
    }
    words
}
