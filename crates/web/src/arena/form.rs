//! The form of a match and the command line that it becomes.

use super::engines::{Seat, name_by_difference, spec};
use crate::{App, Problem};
use serde::{Deserialize, Serialize};
use tesuji_arena::TimeControl;
use tesuji_kit::Kit;
use utoipa::ToSchema;

/// Engines of a match at most.
const SEATS_MAX: usize = 64;

/// A match that is to be played.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewMatch {
    /// The game.
    pub(super) game: String,
    /// The variant of its rules, as in `chess960`.
    rules: String,
    /// What a person calls it; empty: the engines' names.
    title: String,
    /// Who plays, two or more.
    engines: Vec<Seat>,
    /// What limits a move: `tc`, `st` (seconds), `nodes`, `depth`.
    limit: String,
    /// How much: `10+0.1`, `0.5`, `5000`.
    amount: String,
    /// Openings: empty (those built in), `random`, or a file of the workspace.
    openings: String,
    /// Games of every pairing; none: as many as `tesuji match` plays.
    games: Option<u64>,
    /// Games at a time; none: one fewer than there are processors.
    concurrency: Option<u64>,
    /// The first engine meets all others, instead of everybody everybody.
    gauntlet: bool,
    /// Whoever wins a tie goes on.
    knockout: bool,
    /// The two hypotheses of a sequential test, in normalised Elo.
    sprt: Option<[f64; 2]>,
    /// Whoever thinks itself lost resigns: MOVES/CP.
    resign: String,
    /// What both think drawn is drawn: FROM/MOVES/CP.
    draw: String,
    /// Games of so many plies are drawn.
    max_plies: Option<u64>,
    /// Decides the openings; none: a new one.
    seed: Option<u64>,
}

impl NewMatch {
    /// A match that needs nothing but this program: two search families of the first game that has two.
    pub(super) fn demo(kits: &[&'static dyn Kit]) -> Option<NewMatch> {
        let kit = kits.iter().find(|kit| kit.families().len() > 1)?;
        let engines = kit.families()[..2].iter().map(|family| Seat::own(family)).collect();
        let (limit, amount) = ("nodes".to_string(), "2000".to_string());
        let sprt = Some([0.0, 40.0]);
        Some(NewMatch {
            game: kit.name().into(),
            engines,
            limit,
            amount,
            games: Some(40),
            concurrency: Some(2),
            sprt,
            ..NewMatch::default()
        })
    }
}

/// The title and the words of a match.
///
/// # Errors
/// Which field is wrong, and why.
pub(super) fn words(app: &App, kit: &'static dyn Kit, form: &NewMatch) -> Result<(String, Vec<String>), Problem> {
    let wrong = |field: &str, what: String| Problem::unprocessable(what).at(field);
    if !(2..=SEATS_MAX).contains(&form.engines.len()) {
        return Err(wrong("engines", format!("from 2 to {SEATS_MAX} engines play a match")));
    }
    let mut form = form.clone();
    name_by_difference(kit.families(), &mut form.engines);
    let form = &form;
    let mut words = vec!["--game".to_string(), kit.name().to_string()];
    let mut add = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    for (i, seat) in form.engines.iter().enumerate() {
        let spec = spec(app, kit, seat).map_err(|problem| {
            let inner = problem.place.clone().map_or(String::new(), |place| format!(".{place}"));
            problem.at(format!("engines[{i}]{inner}"))
        })?;
        add("engine", spec);
    }
    if !form.rules.is_empty() {
        kit.table(&form.rules, None).map_err(|error| wrong("rules", error.to_string()))?;
        add("rules", form.rules.clone());
    }
    let (limit, amount) = limit(form)?;
    add(limit, amount);
    match form.openings.as_str() {
        "" => {}
        "random" => add("openings", "random".into()),
        file => {
            let path = app.jobs.space.find(file).map_err(|problem| problem.at("openings"))?;
            add("openings", app.jobs.space.name_of(&path));
        }
    }
    let numbers = [("games", form.games), ("concurrency", form.concurrency), ("max-plies", form.max_plies)];
    for (name, value) in numbers {
        match value {
            Some(0) => return Err(wrong(name, format!("{name}: 1 or more"))),
            Some(value) => add(name, value.to_string()),
            None => {}
        }
    }
    for (name, value) in [("resign", &form.resign), ("draw", &form.draw)] {
        let is_rule = value.split('/').all(|part| part == "both" || part.parse::<u32>().is_ok());
        match value.as_str() {
            "" => {}
            rule if is_rule => add(name, rule.to_string()),
            rule => return Err(wrong(name, format!("{rule:?}: expected numbers parted by /"))),
        }
    }
    add("seed", form.seed.or(app.seed).unwrap_or_else(fresh_seed).to_string());
    if let Some([elo0, elo1]) = form.sprt {
        if elo0.partial_cmp(&elo1) != Some(std::cmp::Ordering::Less) || !elo0.is_finite() || !elo1.is_finite() {
            return Err(wrong("sprt", format!("{elo0} and {elo1}: the first must be less than the second")));
        }
        words.extend(["--sprt".to_string(), elo0.to_string(), elo1.to_string()]);
    }
    words.extend(form.gauntlet.then(|| "--gauntlet".to_string()));
    words.extend(form.knockout.then(|| "--knockout".to_string()));
    let title = if form.title.trim().is_empty() { usual_title(kit, form) } else { form.title.trim().to_string() };
    Ok((title.chars().take(200).collect(), words))
}

fn limit(form: &NewMatch) -> Result<(&'static str, String), Problem> {
    let wrong = |what: String| Problem::unprocessable(what).at("amount");
    let amount = form.amount.trim();
    let positive = |name: &str| match amount.parse::<f64>() {
        Ok(n) if n > 0.0 && n.is_finite() && (name == "st" || n.fract() == 0.0) => Ok(()),
        _ => Err(wrong(format!("{amount:?}: expected a number above 0"))),
    };
    Ok(match form.limit.as_str() {
        "tc" => {
            amount.parse::<TimeControl>().map_err(|error| wrong(error.to_string()))?;
            ("tc", amount.to_string())
        }
        "st" => positive("st").map(|()| ("st", amount.to_string()))?,
        "nodes" => positive("nodes").map(|()| ("nodes", amount.to_string()))?,
        "depth" => positive("depth").map(|()| ("depth", amount.to_string()))?,
        other => return Err(Problem::unprocessable(format!("{other:?}: expected tc, st, nodes or depth")).at("limit")),
    })
}

fn usual_title(kit: &dyn Kit, form: &NewMatch) -> String {
    let names: Vec<&str> = form.engines.iter().map(Seat::shown).collect();
    match names.as_slice() {
        [a, b] => format!("{a} – {b}"),
        _ => format!("{} engines, {}", names.len(), kit.name()),
    }
}

/// The option and the ending with which games are written in the game's own way, where `tesuji match` has one.
pub(super) fn record_option(kit: &dyn Kit) -> Option<(&'static str, &'static str)> {
    let known = [("pgn", "--pgn-out"), ("sgf", "--sgf-out"), ("kif", "--kif-out"), ("csa", "--csa-out")];
    let has = |name: &str| kit.formats().iter().any(|format| format.name() == name);
    known.into_iter().find(|(name, _)| has(name)).map(|(name, option)| (option, name))
}

/// A seed that no other match has, short enough to be typed again.
fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(crate::jobs::now()) % 1_000_000_000
}
