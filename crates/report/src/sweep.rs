//! Sweeps of tuning as tables for people and for programs, and as pictures of ratings and losses.

use crate::svg::{Measured, SERIES_CLASSES, Series, curves, intervals, standalone};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use tesuji_circle::{
    improve::EpochLoss,
    sweep::{SweepOutcome, SweepRatings, Version},
};
use tesuji_stats::Relation;
use utoipa::ToSchema;

/// A table for each limit, with a line for each version and each of the pool, the best first.
pub fn table(sweep: &SweepOutcome) -> String {
    let mut text = String::new();
    for standing in &sweep.standings {
        if sweep.standings.len() > 1 {
            let _ = writeln!(text, "{}at {}:", if text.is_empty() { "" } else { "\n" }, standing.limit);
        }
        text += &table_of(sweep, standing);
    }
    let anchor = sweep.plan.pool_names().swap_remove(0);
    let _ = writeln!(text, "Elo and LOS (the chance to be better) are against {anchor}, the anchor");
    text
}

/// The table of one limit.
fn table_of(sweep: &SweepOutcome, SweepRatings { ratings, .. }: &SweepRatings) -> String {
    let SweepOutcome { plan, versions, .. } = sweep;
    let names = plan.pool_names();
    let words: Vec<[String; 4]> = names
        .iter()
        .map(|name| ["".into(), "".into(), format!("({name})"), "".into()])
        .chain(versions.iter().map(|v| [v.name.clone(), v.games.clone(), weights(v), v.lambda.to_string()]))
        .collect();
    let width =
        |column: usize, least: usize| words.iter().map(|w| w[column].chars().count() + 2).fold(least, usize::max);
    let [first, second, third] = [width(0, 8), width(1, 12), width(2, 24)];
    let mut text = format!(
        "{:first$}{:second$}{:third$}{:>8}{:>14}{:>8}{:>8}{:>8}\n",
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
        let [name, games, only, lambda] = &words[player];
        let counted = &rating.games;
        let share = 100.0 * counted.points() / counted.games().max(1) as f64;
        let _ = writeln!(
            text,
            "{name:first$}{games:second$}{only:third$}{lambda:>8}{elo:>14}{los:>8}{:>8}{share:>7.1}%",
            counted.games()
        );
    }
    text
}

/// The weights that a version learned.
fn weights(version: &Version) -> String {
    if version.only.is_empty() { "all".into() } else { version.only.join(",") }
}

/// The ratings of the versions at all limits, with their errors.
pub fn ratings_svg(sweep: &SweepOutcome) -> String {
    let SweepOutcome { plan, versions, standings, .. } = sweep;
    let row = |(i, version): (usize, &Version)| {
        let player = plan.pool.len() + i;
        let of = |standing: &SweepRatings| {
            let is_measured = standing.ratings.relation(player, 0) == Relation::Measured;
            let rating = &standing.ratings.players[player];
            is_measured.then(|| Some((rating.elo, rating.error?))).flatten()
        };
        (version.name.clone(), standings.iter().map(of).collect())
    };
    let rows: Vec<(String, Vec<Measured>)> = versions.iter().enumerate().map(row).collect();
    let limits: Vec<String> = standings.iter().map(|standing| standing.limit.clone()).collect();
    standalone(&intervals(&format!("Elo against {} with 95 % intervals", plan.pool_names()[0]), &limits, &rows))
}

/// The losses of the versions over their epochs as parts of those of the start: validation, where games are held out.
pub fn losses_svg(sweep: &SweepOutcome) -> String {
    let classes: Vec<String> = (0..sweep.versions.len())
        .map(|i| format!("c{}{}", i % SERIES_CLASSES, if i / SERIES_CLASSES % 2 == 1 { " dashed" } else { "" }))
        .collect();
    let line = |losses: &[EpochLoss]| {
        let decisive = |loss: &EpochLoss| loss.held.unwrap_or(loss.train);
        let start = losses.first().map_or(1.0, decisive);
        losses.iter().map(|loss| (f64::from(loss.epoch), decisive(loss) / start)).collect()
    };
    let of = |((version, losses), class)| {
        let (version, losses, class): (&Version, &Vec<EpochLoss>, &String) = (version, losses, class);
        Series { class, name: &version.name, lines: vec![line(losses)] }
    };
    let series: Vec<Series<'_>> = sweep.versions.iter().zip(&sweep.losses).zip(&classes).map(of).collect();
    standalone(&curves("Loss of each version over its epochs, the start being 1", &series, None))
}

/// The results of a sweep for programs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SweepTable {
    /// The player of the pool that ratings are against.
    pub anchor: String,
    /// The versions, all of them for each limit.
    pub versions: Vec<SweepRow>,
}

/// A version in a [`SweepTable`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SweepRow {
    /// The limit of its games, such as `5000 nodes` or `10+0.1`.
    pub limit: String,
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
        let SweepOutcome { plan, versions, standings, .. } = sweep;
        let row = |SweepRatings { limit, ratings }: &SweepRatings, (i, v): (usize, &Version)| {
            let player = plan.pool.len() + i;
            let rating = &ratings.players[player];
            SweepRow {
                limit: limit.clone(),
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
        let of = |standing| versions.iter().enumerate().map(move |version| row(standing, version));
        SweepTable { anchor: plan.pool_names().swap_remove(0), versions: standings.iter().flat_map(of).collect() }
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
        let standing = |limit: &str| SweepRatings { limit: limit.into(), ratings: rate(2, &[lost], Given::default()) };
        let losses = |held| vec![EpochLoss { epoch: 0, train: 0.2, held }, EpochLoss { epoch: 1, train: 0.1, held }];
        let standings = vec![standing("9 nodes")];
        let sweep = SweepOutcome { versions: plan.versions(), plan, losses: vec![losses(None)], standings };
        let table = table(&sweep);
        assert!(table.lines().any(|l| l.starts_with('A') && l.contains("below all")), "{table}");
        assert!(!table.contains("at 9 nodes"), "one limit needs no heading: {table}");
        assert_eq!(SweepTable::of(&sweep).versions[0].elo, None);
        let twice = SweepOutcome { standings: vec![standing("1+0.01"), standing("10+0.1")], ..sweep };
        let told = super::table(&twice);
        assert!(told.starts_with("at 1+0.01:\nversion") && told.contains("\n\nat 10+0.1:\n"), "{told}");
        assert_eq!(
            SweepTable::of(&twice).versions.iter().map(|row| row.limit.as_str()).collect::<Vec<_>>(),
            ["1+0.01", "10+0.1"]
        );
        // The loss falls to a half of the start's.
        assert!(losses_svg(&twice).contains(">0.5</text>"), "{}", losses_svg(&twice));
        let picture = ratings_svg(&twice);
        assert!(picture.contains(">10+0.1</text>") && !picture.contains("NaN"), "{picture}");
    }
}
