//! A doubt before a match: games that will be the same, since openings come again and nothing else differs.

use crate::{Entrant, MatchPlan, Schedule};
use tesuji_jobs::counted;

/// A warning about a match with fewer openings than rounds between players with node or depth limits, whose games repeat; `None` where
/// there is no such doubt.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{MatchRequest, OwnProgram, built_in_openings, few_openings};
/// use tesuji_four::FOUR;
/// let text = r#"{ "game": "four", "engines": [{ "name": "new" }, { "name": "old" }], "nodes": 500, "games": 200 }"#;
/// let request = MatchRequest::from_json(text)?;
/// let own = OwnProgram { path: "tesuji".into(), words: vec!["uci".into()], version: "1.0".into() };
/// let openings = built_in_openings(&FOUR, "");
/// let plan = request.plan(&FOUR, &own, openings.iter().take(3).collect())?;
/// assert!(few_openings(&plan).unwrap().starts_with("Warning: 3 openings for 200 games"));
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
pub fn few_openings(plan: &MatchPlan<'_>) -> Option<String> {
    doubt(plan.openings.len(), (&plan.schedule, plan.sprt.is_some()), &plan.entrants)
}

/// Openings that do for a sequential test, which ends long before its most games in most cases: each is played twice.
const OPENINGS_OF_TEST: u64 = 1_000;

/// As [`few_openings`], of its parts.
pub(crate) fn doubt(openings: usize, (schedule, is_test): (&Schedule, bool), entrants: &[Entrant]) -> Option<String> {
    let is_timed = |entrant: &Entrant| {
        let allowance = &entrant.allowance;
        let is_limited = allowance.nodes.is_some() || allowance.depth.is_some();
        !is_limited || allowance.control.is_some() || allowance.move_time.is_some()
    };
    let rounds = if is_test { schedule.rounds().min(OPENINGS_OF_TEST) } else { schedule.rounds() };
    if openings as u64 >= rounds || entrants.iter().any(is_timed) {
        return None;
    }
    let (openings, games) = (counted(openings as u64, "opening"), counted(schedule.games(), "game"));
    Some(format!(
        "Warning: {openings} for {games}, and nothing else differs: games of deterministic engines will be the same; more openings \
         (--openings random makes them up) make them differ"
    ))
}
