//! Warnings that make the result of a match doubtful, for all reports: players that do not think, tell nothing or search too much, and
//! sides that used clearly different time.

use serde_json::{Value, json};
use tesuji_arena::{MatchPlan, Standing, time_gap, warnings_of};
use tesuji_jobs::counted;

/// A warning about one player, or about the two of a pairing.
pub struct Told {
    /// Indices of the players; none where it is about all games.
    pub players: Vec<usize>,
    /// A word: `idle`, `silent`, `nodes`, `time`, `repeats`.
    pub kind: &'static str,
    /// A sentence with the names.
    pub text: String,
}

/// All warnings by now: those about players first, in their order.
pub fn all(plan: &MatchPlan<'_>, standing: &Standing) -> Vec<Told> {
    let mut all = Vec::new();
    for (index, (entrant, player)) in plan.entrants.iter().zip(standing.players()).enumerate() {
        for warning in warnings_of(&player.used, &entrant.allowance) {
            let text = format!("{}: {warning}", entrant.name);
            all.push(Told { players: vec![index], kind: warning.name(), text });
        }
    }
    for pairing in standing.pairings() {
        let players = pairing.players.map(|index| &plan.entrants[index]);
        let [a, b] = &pairing.used;
        if let Some(gap) = time_gap([a, b], players.map(|entrant| &entrant.allowance)) {
            let text = gap.text(players.map(|entrant| entrant.name.as_str()));
            all.push(Told { players: pairing.players.to_vec(), kind: "time", text });
        }
    }
    let (repeated, games) = (standing.repeated(), standing.games());
    if repeated > 0 {
        let distinct = counted(games - repeated, "distinct game");
        let text = format!(
            "{repeated} of {games} games repeat earlier ones move by move: there are {distinct}. Intervals count them all and are too \
             narrow; a test (SPRT) counts the distinct ones alone"
        );
        all.push(Told { players: Vec::new(), kind: "repeats", text });
    }
    all
}

/// Lines of a table.
pub fn lines(plan: &MatchPlan<'_>, standing: &Standing) -> String {
    all(plan, standing).iter().map(|told| format!("Warning:      {}\n", told.text)).collect()
}

/// As JSON: `players` (names), `kind`, `text` of each.
pub fn as_json(plan: &MatchPlan<'_>, standing: &Standing) -> Vec<Value> {
    all(plan, standing).iter().map(|told| told_json(plan, told)).collect()
}

/// One of them.
pub fn told_json(plan: &MatchPlan<'_>, told: &Told) -> Value {
    let names: Vec<&str> = told.players.iter().map(|&index| plan.entrants[index].name.as_str()).collect();
    json!({ "players": names, "kind": told.kind, "text": told.text })
}
