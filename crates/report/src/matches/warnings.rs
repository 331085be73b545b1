//! Warnings that make the result of a match doubtful, for all reports: players that do not think, tell nothing or search too much, and
//! sides that used clearly different time.

use serde::{Deserialize, Serialize};
use tesuji_arena::{MatchPlan, Standing, time_gap, warnings_of};
use tesuji_jobs::counted;
use utoipa::ToSchema;

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

/// A warning as JSON has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Doubt {
    /// Names of the players; none where it is about all games.
    pub players: Vec<String>,
    /// A word: `idle`, `silent`, `nodes`, `time`, `repeats`.
    pub kind: String,
    /// A sentence.
    pub text: String,
}

impl Doubt {
    /// The warning `told` with the names of its players.
    pub fn of(plan: &MatchPlan<'_>, told: &Told) -> Doubt {
        let players = told.players.iter().map(|&index| plan.entrants[index].name.clone()).collect();
        Doubt { players, kind: told.kind.into(), text: told.text.clone() }
    }
}

/// All warnings by now as JSON has them.
pub fn doubts(plan: &MatchPlan<'_>, standing: &Standing) -> Vec<Doubt> {
    all(plan, standing).iter().map(|told| Doubt::of(plan, told)).collect()
}
