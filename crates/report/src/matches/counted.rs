//! Counts of results from elsewhere: what they prove, as text or JSON, and as an exit code.

use super::{
    counts::{GameCounts, PairCounts},
    numbers::{games_lines, pairs_lines, sprt_text, verdict_line},
};
use serde_json::json;
use tesuji_stats::{Decision, Games, Pairs, Sigma, Sprt};

/// The exit code of a test's decision on counts: as that of a match which ends so. Without a test it is 0.
fn exit_code(decision: Option<Decision>) -> u8 {
    match decision {
        None | Some(Decision::AcceptH1) => 0,
        Some(Decision::AcceptH0) => 3,
        Some(Decision::Continue) => 4,
    }
}

/// The exit code for these games.
pub fn games_exit_code(games: &Games, sprt: Option<&Sprt>) -> u8 {
    exit_code(sprt.map(|sprt| sprt.decide(sprt.llr_games(games))))
}

/// The exit code for these pairs.
pub fn pairs_exit_code(pairs: &Pairs, sprt: Option<&Sprt>) -> u8 {
    exit_code(sprt.map(|sprt| sprt.decide(sprt.llr_pairs(pairs))))
}

/// What games prove.
pub fn games_report(games: &Games, sigma: Sigma, sprt: Option<&Sprt>, as_json: bool) -> String {
    if as_json {
        return format!("{}\n", json!(GameCounts::of(games, sprt)));
    }
    let lines = games_lines(games, &Pairs::default(), sigma, sprt.map(|sprt| (sprt, sprt.llr_games(games))));
    let test = sprt.map(|sprt| format!("SPRT (games): {}\n", sprt_text(sprt, sprt.llr_games(games))));
    format!("{lines}{}", test.unwrap_or_default())
}

/// What pairs of games prove.
pub fn pairs_report(pairs: &Pairs, sprt: Option<&Sprt>, as_json: bool) -> String {
    if as_json {
        return format!("{}\n", json!(PairCounts::of(pairs, sprt)));
    }
    let tested = sprt.map(|sprt| (sprt, sprt.llr_pairs(pairs)));
    let verdict = verdict_line(&Games::default(), pairs, Sigma::default(), tested);
    let test = sprt.map(|sprt| format!("SPRT (pairs): {}\n", sprt_text(sprt, sprt.llr_pairs(pairs))));
    format!("{}{verdict}{}", pairs_lines(pairs), test.unwrap_or_default())
}
