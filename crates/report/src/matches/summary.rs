//! Summaries of a match: in a few words while it runs, and as a table at its end.

use super::numbers::{depth_text, games_lines, pairs_lines, percent, short_interval_text, speed_text, sprt_line};
use super::ratings::RatingTable;
use super::warnings;
use std::fmt::Write as _;
use std::time::Duration;
use tesuji_arena::{Match, MatchEnd, MatchPlan, PlayerCount};
use tesuji_jobs::{counted, duration_text};
use tesuji_stats::{Decision, Durations, Games, Pairs, Sigma, Sprt};

/// Announces the match to be played, after `done` games that were played before.
pub fn start_text(plan: &MatchPlan<'_>, (games, done): (u64, u64), seed: u64) -> String {
    let players: Vec<String> = plan.entrants.iter().map(|e| format!("{} ({})", e.name, e.allowance)).collect();
    let resumed = if done > 0 { format!(", {done} of them played before") } else { String::new() };
    format!(
        "{}: {}{games} games of {}{resumed}; {}, seed {seed}, {} at a time",
        players.join(" against "),
        if plan.sprt.is_some() { "at most " } else { "" },
        plan.game.name(),
        counted(plan.openings.len() as u64, "opening"),
        plan.jobs
    )
}

/// The current standing, in a few words.
pub fn short_text(plan: &MatchPlan<'_>, running: &Match<'_>) -> String {
    let score = score_text(plan, running);
    match running.workers().len() {
        0 => score,
        1 => format!("{score}, 1 worker"),
        count => format!("{score}, {count} workers"),
    }
}

/// The standing in a line.
fn score_text(plan: &MatchPlan<'_>, running: &Match<'_>) -> String {
    let standing = running.standing();
    let schedule = running.schedule();
    if let (Some((round, rounds)), Some([best, ..])) = (schedule.swiss_round(), schedule.swiss_table().as_deref()) {
        return format!("round {round} of {rounds}, {} leads with {}", plan.entrants[best.player].name, best.points);
    }
    if plan.entrants.len() > 2 && plan.sprt.is_none() {
        return leader_text(plan, running);
    }
    let test = plan.sprt.as_ref().zip(running.decision()).map(|(sprt, (llr, _))| (llr, sprt.bounds()));
    standing_text(standing.tested(), test)
}

/// The standing of two players, the most important first: from pairs where one is complete, counts and Elo alike; else from games.
fn standing_text((games, pairs): (Games, Pairs), test: Option<(f64, (f64, f64))>) -> String {
    let [ll, ld, level, wd, ww] = pairs.0;
    let (elo, los, what, [better, level, worse]) = match pairs.pairs() {
        0 => (games.elo(), games.los(), "games", [games.wins, games.draws, games.losses]),
        _ => (pairs.elo(), pairs.los(), "pairs", [wd + ww, level, ll + ld]),
    };
    let llr = test.map(|(llr, (low, high))| format!("LLR {llr:.2} ({low:.2}, {high:.2}), ")).unwrap_or_default();
    let (elo, los) = (short_interval_text(elo), percent(los));
    format!("{llr}Elo {elo}, LOS {los}, {what} +{better} ={level} -{worse}")
}

/// The final result of the match; `ratings` where there are not just two players.
pub fn final_text(plan: &MatchPlan<'_>, running: &Match<'_>, sigma: Sigma, ratings: Option<&RatingTable>) -> String {
    let standing = running.standing();
    let test: Option<(&Sprt, f64)> = plan.sprt.as_ref().zip(running.decision().map(|(llr, _)| llr));
    let mut text = String::new();
    match standing.pairings() {
        [pairing] => {
            let [a, b] = pairing.players.map(|i| plan.entrants[i].name.as_str());
            let _ = writeln!(text, "{a} against {b}:");
            text += &games_lines(&pairing.games, &pairing.pairs, sigma, test);
            text += &pairs_lines(&pairing.pairs);
            text += &warnings::lines(plan, standing);
            text += &test.map_or_else(String::new, |(sprt, llr)| sprt_line(sprt, llr));
        }
        _ => {
            text += &ties_text(plan, running);
            text += &ratings.map(RatingTable::text).unwrap_or_default();
            text += &warnings::lines(plan, standing);
            if let Some((sprt, llr)) = test {
                let (games, pairs) = standing.tested();
                let _ = writeln!(text, "{} against all others:", plan.entrants[0].name);
                text += &games_lines(&games, &pairs, sigma, test);
                text += &pairs_lines(&pairs);
                text += &sprt_line(sprt, llr);
            }
        }
    }
    let reasons: Vec<String> = standing.reasons().iter().map(|(name, n)| format!("{name} {n}")).collect();
    let _ = writeln!(text, "Ended by:     {}", reasons.join(", "));
    text += &durations_line(running.durations());
    for (entrant, player) in plan.entrants.iter().zip(standing.players()) {
        text += &player_line(&entrant.name, player);
    }
    text
}

/// The leader, in a few words: by share of points; in a knockout the number of decided rounds, which tells more.
fn leader_text(plan: &MatchPlan<'_>, running: &Match<'_>) -> String {
    let players = running.standing().players();
    let share = |i: &usize| players[*i].games.points() / players[*i].games.games() as f64;
    let played = (0..players.len()).filter(|&i| players[i].games.games() > 0);
    let Some(best) = played.max_by(|a, b| share(a).total_cmp(&share(b))) else { return String::new() };
    let games = &players[best].games;
    format!("{} leads with {} of {}", plan.entrants[best].name, games.points(), games.games())
}

/// The ties of a knockout or the meetings of a Swiss tournament with their results, and who won it; nothing for other forms.
fn ties_text(plan: &MatchPlan<'_>, running: &Match<'_>) -> String {
    let schedule = running.schedule();
    if !schedule.follows_results() {
        return String::new();
    }
    let byes = schedule.byes();
    let mut text = String::new();
    let mut round = None;
    let mut ties: Vec<_> = running.standing().pairings().iter().collect();
    ties.sort_by_key(|tie| (schedule.stage(tie.index), tie.index));
    for tie in ties {
        let stage = schedule.stage(tie.index);
        if round != Some(stage) {
            round = Some(stage);
            let _ = writeln!(text, "Round {}:", stage + 1);
            for (_, player) in byes.iter().filter(|(round, _)| *round == stage) {
                let _ = writeln!(text, "  {} has a bye", plan.entrants[*player].name);
            }
        }
        let [a, b] = tie.players.map(|i| plan.entrants[i].name.as_str());
        let (points, games) = (tie.games.points(), tie.games.games() as f64);
        let _ = writeln!(text, "  {a} {points} : {} {b}", games - points);
    }
    if let Some(winner) = schedule.winner() {
        let _ = writeln!(text, "The winner is {}.", plan.entrants[winner].name);
    }
    text + &swiss_text(plan, running)
}

/// The table of a Swiss tournament; nothing for other forms.
pub fn swiss_text(plan: &MatchPlan<'_>, running: &Match<'_>) -> String {
    let Some(table) = running.schedule().swiss_table() else { return String::new() };
    let width = table.iter().map(|row| plan.entrants[row.player].name.chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!("   #  {:width$}  points  Buchholz\n", "player");
    for (place, row) in table.iter().enumerate() {
        let name = &plan.entrants[row.player].name;
        let bye = if row.byes > 0 { ", with a bye" } else { "" };
        let _ = writeln!(text, "{:4}  {name:width$}  {:>6}  {:>8}{bye}", place + 1, row.points, row.buchholz);
    }
    text
}

/// The reason of the end, in words.
pub fn end_text(end: MatchEnd) -> &'static str {
    match end {
        MatchEnd::Complete => "all played",
        MatchEnd::Narrow => "ended: the interval is narrow enough",
        MatchEnd::Stopped => "stopped",
        MatchEnd::Decided(Decision::AcceptH1) => "ended: H1 accepted",
        MatchEnd::Decided(_) => "ended: H0 accepted",
    }
}

/// The mean duration of games, and its spread.
fn durations_line(durations: &Durations) -> String {
    let Some(mean) = durations.mean() else { return String::new() };
    let spread = durations.spread().map(|s| format!(", most within a factor of {:.2} (spread {s:.2})", s.exp()));
    let mean = match mean.as_secs_f64() {
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        _ => duration_text(mean),
    };
    format!("A game took:  {mean} on average{}\n", spread.unwrap_or_default())
}

/// The resources a player used, and its faults.
fn player_line(name: &str, player: &PlayerCount) -> String {
    let used = &player.used;
    let moves = f64::from(used.moves.max(1));
    let ms = |t: Duration| t.as_secs_f64() * 1e3;
    let mut text = format!(
        "{name}: {} moves, {:.2} ms each, longest {:.1} ms, depth {}, {} kn/s",
        used.moves,
        ms(used.time) / moves,
        ms(used.longest),
        depth_text(used),
        speed_text(used)
    );
    if !used.overrun.is_zero() {
        let _ = write!(text, ", overstepped by up to {:.1} ms", ms(used.overrun));
    }
    if player.faults.is_empty() {
        text += "; no faults\n";
    } else {
        let faults: Vec<String> = player.faults.iter().map(|(kind, n)| format!("{} {n}", kind.name())).collect();
        let _ = write!(text, "; faults: {}", faults.join(", "));
        if player.stolen > 0 {
            let _ = write!(text, " ({} of the time losses explained by a stolen processor)", player.stolen);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::events::UsedResources;
    use tesuji_arena::Used;

    /// Counts of games stood beside the Elo of finished pairs: `+2 =0 -1, Elo 0.00 ± 636.43`.
    #[test]
    fn counts_and_elo_of_a_running_match_are_of_the_same_games() {
        let text = |pairs| standing_text((Games::new(2, 0, 1), Pairs(pairs)), None);
        assert!(text([0, 0, 1, 0, 0]).ends_with("LOS 50.00 %, pairs +0 =1 -0"), "{}", text([0, 0, 1, 0, 0]));
        assert!(text([0; 5]).ends_with("games +2 =0 -1"), "{}", text([0; 5]));
        let test = standing_text((Games::default(), Pairs([1, 2, 3, 4, 5])), Some((1.5, (-2.94, 2.94))));
        assert!(test.starts_with("LLR 1.50 (-2.94, 2.94), Elo ") && test.ends_with("pairs +9 =3 -3"), "{test}");
    }

    /// Engines of GTP tell neither depth nor nodes, and were said to reach depth 0.0 at 0 kn/s.
    #[test]
    fn what_was_not_measured_is_no_zero() {
        let time = Duration::from_millis(500);
        let line = |used| player_line("A", &PlayerCount { used, ..PlayerCount::default() });
        let silent = Used { moves: 100, time, ..Used::default() };
        assert_eq!(line(silent), "A: 100 moves, 5.00 ms each, longest 0.0 ms, depth -, - kn/s; no faults\n");
        assert_eq!(UsedResources::from(&silent).nodes, None);
        let told = Used { nodes: 100_000, depths: 600, silent: 40, ..silent };
        assert_eq!(line(told), "A: 100 moves, 5.00 ms each, longest 0.0 ms, depth 10.0, 200 kn/s; no faults\n");
    }
}
