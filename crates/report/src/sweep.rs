//! Sweeps of tuning as a table for people and as one for programs.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use tesuji_circle::sweep::{SweepOutcome, Version};
use tesuji_stats::Relation;
use utoipa::ToSchema;

/// A line for each version, the best first.
pub fn table(sweep: &SweepOutcome) -> String {
    let SweepOutcome { plan, versions, ratings } = sweep;
    let pool = plan.pool.len();
    let mut text = format!(
        "{:8}{:12}{:24}{:>8}{:>14}{:>8}{:>8}{:>8}\n",
        "version", "games", "weights", "lambda", "Elo (95 %)", "LOS %", "games", "score"
    );
    for player in ratings.order() {
        let rating = &ratings.players[player];
        let error = rating.error.map_or("?".into(), |e| format!("{e:.0}"));
        let elo = match ratings.relation(player, 0) {
            _ if player == 0 => "0".into(),
            Relation::Measured => format!("{:+.0} ±{error}", rating.elo),
            Relation::Above => "above all".into(),
            Relation::Below => "below all".into(),
            Relation::Unknown => "unknown".into(),
        };
        let los = ratings.los(player, 0).map_or("-".into(), |l| format!("{:.0}", 100.0 * l));
        let (name, games, only, lambda) = match player.checked_sub(pool) {
            Some(i) => {
                let v = &versions[i];
                let only = if v.only.is_empty() { "all".into() } else { v.only.join(",") };
                (v.name.clone(), v.games.clone(), only, v.lambda.to_string())
            }
            None => ("".into(), "".into(), format!("({})", plan.pool[player]), "".into()),
        };
        let counted = &rating.games;
        let share = 100.0 * counted.points() / counted.games().max(1) as f64;
        let _ = writeln!(
            text,
            "{name:8}{games:12}{only:24}{lambda:>8}{elo:>14}{los:>8}{:>8}{share:>7.1}%",
            counted.games()
        );
    }
    let _ = writeln!(text, "Elo and LOS (the chance to be better) are against {}, the anchor", plan.pool[0]);
    text
}

/// The results of a sweep for programs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SweepTable {
    /// The player of the pool that ratings are against.
    pub anchor: String,
    /// The versions.
    pub versions: Vec<SweepRow>,
}

/// A version in a [`SweepTable`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SweepRow {
    /// Its name.
    pub version: String,
    /// The games that it learned from, by their name in the plan.
    pub games: String,
    /// The weights that it learned; empty: all.
    pub only: Vec<String>,
    /// How much boards before the end count.
    pub lambda: f64,
    /// Elo against the anchor; null where no games tell.
    pub elo: Option<f64>,
    /// Its error.
    pub error: Option<f64>,
    /// The chance to be better than the anchor.
    pub los: Option<f64>,
    /// Games played.
    pub played: u64,
    /// Points made.
    pub points: f64,
}

impl SweepTable {
    /// The table of a sweep.
    pub fn of(sweep: &SweepOutcome) -> SweepTable {
        let SweepOutcome { plan, versions, ratings } = sweep;
        let row = |(i, v): (usize, &Version)| {
            let player = plan.pool.len() + i;
            let rating = &ratings.players[player];
            SweepRow {
                version: v.name.clone(),
                games: v.games.clone(),
                only: v.only.clone(),
                lambda: v.lambda,
                elo: (ratings.relation(player, 0) == Relation::Measured).then_some(rating.elo),
                error: rating.error,
                los: ratings.los(player, 0),
                played: rating.games.games(),
                points: rating.games.points(),
            }
        };
        SweepTable { anchor: plan.pool[0].clone(), versions: versions.iter().enumerate().map(row).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_circle::sweep::SweepPlan;
    use tesuji_stats::{Games, Given, Met, rate};

    #[test]
    fn who_lost_everything_has_no_number() {
        let text =
            "only = ['all']\nlambda = [20]\npool = ['builtin']\npairs = 2\nnodes = 9\n[games]\nown = ['a.sgs']\n";
        let plan = SweepPlan::parse(text, "s.toml").unwrap();
        let lost = Met { first: 1, second: 0, games: Games { wins: 0, draws: 0, losses: 4 } };
        let sweep = SweepOutcome { versions: plan.versions(), plan, ratings: rate(2, &[lost], Given::default()) };
        let table = table(&sweep);
        assert!(table.lines().any(|l| l.starts_with('A') && l.contains("below all")), "{table}");
        assert_eq!(SweepTable::of(&sweep).versions[0].elo, None);
    }
}
