//! The form of a match and the request that it becomes.

use super::engines::{EngineChoice, engine, name_by_difference};
use crate::{App, Problem};
use serde::{Deserialize, Serialize};
use std::{fmt::Display, str::FromStr};
use tesuji_arena::{ControlError, MatchRequest, fresh_seed};
use tesuji_kit::Kit;
use tesuji_record::Part;
use utoipa::ToSchema;

/// Engines of a match at most.
const ENGINES_MAX: usize = 64;

/// A match that is to be played.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewMatch {
    /// The game.
    pub(super) game: String,
    /// The variant of its rules, as in `chess960`.
    rules: String,
    /// The name that a person gave it; empty: the engines' names.
    title: String,
    /// The players, two or more.
    engines: Vec<EngineChoice>,
    /// The kind of limit for a move: `tc`, `st` (seconds), `nodes`, `depth`.
    limit: String,
    /// The limit itself: `10+0.1`, `0.5`, `5000`.
    amount: String,
    /// Openings: empty (those built in), `random`, or a file of the workspace.
    openings: String,
    /// Games of every pairing; none: as many as `tesuji match` plays.
    games: Option<u64>,
    /// Games at a time; none: one fewer than there are processors.
    concurrency: Option<u64>,
    /// The first engine meets all others, instead of everybody everybody.
    gauntlet: bool,
    /// The winner of a tie goes on.
    knockout: bool,
    /// The two hypotheses of a sequential test, in normalised Elo.
    sprt: Option<[f64; 2]>,
    /// A side that thinks itself lost resigns: MOVES/CP.
    resign: String,
    /// Draw when both think so: FROM/MOVES/CP.
    draw: String,
    /// Games of this many plies are drawn.
    max_plies: Option<u64>,
    /// Decides the openings; none: a new one.
    seed: Option<u64>,
}

impl NewMatch {
    /// A match that needs nothing but this program: two search families of the first game that has two.
    pub(super) fn demo(kits: &[&'static dyn Kit]) -> Option<NewMatch> {
        let kit = kits.iter().find(|kit| kit.families().len() > 1)?;
        let engines = kit.families()[..2].iter().map(|family| EngineChoice::own(family)).collect();
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

/// The title of a match, and what is asked for but for its files.
///
/// # Errors
/// If a field is wrong, with its name and the reason.
pub(super) fn request(app: &App, kit: &'static dyn Kit, form: &NewMatch) -> Result<(String, MatchRequest), Problem> {
    let wrong = |field: &str, what: String| Problem::unprocessable(what).at(field);
    if !(2..=ENGINES_MAX).contains(&form.engines.len()) {
        return Err(wrong("engines", format!("from 2 to {ENGINES_MAX} engines play a match")));
    }
    let mut form = form.clone();
    name_by_difference(kit.families(), &mut form.engines);
    let form = &form;
    let mut request = MatchRequest { game: kit.name().into(), rules: form.rules.clone(), ..MatchRequest::default() };
    for (i, choice) in form.engines.iter().enumerate() {
        let engine = engine(app, kit, choice).map_err(|problem| {
            let inner = problem.place.clone().map_or(String::new(), |place| format!(".{place}"));
            problem.at(format!("engines[{i}]{inner}"))
        })?;
        request.engines.push(engine);
    }
    if !form.rules.is_empty() {
        kit.table(&form.rules, None).map_err(|error| wrong("rules", error.to_string()))?;
    }
    limit(form, &mut request)?;
    request.openings = match form.openings.as_str() {
        "" => None,
        "random" => Some("random".into()),
        file => {
            let path = app.jobs.space.find(file).map_err(|problem| problem.at("openings"))?;
            Some(app.jobs.space.name_of(&path).into())
        }
    };
    request.games = form.games;
    request.jobs = count("concurrency", form.concurrency)?;
    request.plies_max = count("max-plies", form.max_plies)?;
    request.resign = rule("resign", &form.resign)?;
    request.draw = rule("draw", &form.draw)?;
    request.seed = Some(form.seed.or(app.seed).unwrap_or_else(fresh_seed));
    request.sprt = form.sprt;
    request.tournament.gauntlet = form.gauntlet.then_some(1);
    request.tournament.knockout = form.knockout;
    request.validate().and_then(|()| request.sprt().map(drop)).map_err(Problem::of_request)?;
    let title = if form.title.trim().is_empty() { usual_title(kit, form) } else { form.title.trim().to_string() };
    Ok((title.chars().take(200).collect(), request))
}

/// A number of the form that is at least 1, where it is given.
fn count<T: TryFrom<u64>>(name: &str, value: Option<u64>) -> Result<Option<T>, Problem> {
    let read = |number: u64| T::try_from(number).ok().filter(|_| number > 0);
    let wrong = |number: u64| match number {
        0 => Problem::unprocessable(format!("{name}: 1 or more")).at(name),
        number => Problem::unprocessable(format!("{name}: {number} is too many")).at(name),
    };
    value.map(|number| read(number).ok_or_else(|| wrong(number))).transpose()
}

/// A rule that ends games early; empty: none.
fn rule<T: FromStr<Err: Display>>(name: &str, text: &str) -> Result<Option<T>, Problem> {
    let wrong = |error: T::Err| Problem::unprocessable(error.to_string()).at(name);
    (!text.is_empty()).then(|| text.parse().map_err(wrong)).transpose()
}

/// Sets the limit of a move from the form.
fn limit(form: &NewMatch, request: &mut MatchRequest) -> Result<(), Problem> {
    let wrong = |what: String| Problem::unprocessable(what).at("amount");
    let amount = form.amount.trim();
    let none = || wrong(format!("{amount:?}: expected a number above 0"));
    match form.limit.as_str() {
        "tc" => request.control = Some(amount.parse().map_err(|error: ControlError| wrong(error.to_string()))?),
        "st" => {
            let seconds = amount.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && seconds.is_finite());
            request.seconds_a_move = Some(seconds.ok_or_else(none)?);
        }
        "nodes" => request.nodes = Some(amount.parse().ok().filter(|nodes| *nodes > 0).ok_or_else(none)?),
        "depth" => request.depth = Some(amount.parse().ok().filter(|plies| *plies > 0).ok_or_else(none)?),
        other => {
            return Err(Problem::unprocessable(format!("{other:?}: expected tc, st, nodes or depth")).at("limit"));
        }
    }
    Ok(())
}

fn usual_title(kit: &dyn Kit, form: &NewMatch) -> String {
    let names: Vec<&str> = form.engines.iter().map(EngineChoice::shown).collect();
    match names.as_slice() {
        [a, b] => format!("{a} – {b}"),
        _ => format!("{} engines, {}", names.len(), kit.name()),
    }
}

/// The format in which a game's matches are written: the first of its formats that holds records as people edit them.
pub(super) fn record_format(kit: &dyn Kit) -> Option<&'static str> {
    let wanted = [Part::Variations, Part::Comments, Part::Tags];
    let format = kit.formats().iter().find(|format| wanted.iter().all(|part| !format.drops().contains(part)));
    format.map(|format| format.name())
}
