//! The match that a page asks for, completed to a request that a process carries out.

use super::engines::{EngineChoice, engine, name_by_difference};
use crate::{App, Problem, body::check_fields, fleet::FleetWish};
use serde::{Deserialize, Serialize};
use tesuji_arena::{MatchRequest, fresh_seed};
use tesuji_kit::Kit;
use tesuji_record::Part;
use utoipa::ToSchema;

/// Engines of a match at most.
const ENGINES_MAX: usize = 64;

/// A match that is to be played: a request, its title, and the players by where they come from. The players are no part of the request,
/// since a page knows engines by their names in the workspace and not by their command lines.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewMatch {
    /// The name that a person gave it; empty: the engines' names.
    title: String,
    /// The players, two or more.
    engines: Vec<EngineChoice>,
    /// The match, in the form that `tesuji match --request` takes, without engines and files of its own.
    pub(super) request: MatchRequest,
    /// Where it is played; none: on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fleet: Option<FleetWish>,
}

impl NewMatch {
    /// A match that needs nothing but this program: two search families of the first game that has two.
    pub(super) fn demo(kits: &[&'static dyn Kit]) -> Option<NewMatch> {
        let kit = kits.iter().find(|kit| kit.families().len() > 1)?;
        let engines = kit.families()[..2].iter().map(|family| EngineChoice::own(family)).collect();
        let request = MatchRequest {
            game: kit.name().into(),
            nodes: Some(2000),
            games: Some(40),
            jobs: Some(2),
            sprt: Some([0.0, 40.0]),
            ..MatchRequest::default()
        };
        Some(NewMatch { engines, request, ..NewMatch::default() })
    }
}

/// The fields of a request that the page may set.
const TAKEN: [&str; 29] = [
    "version",
    "game",
    "rules",
    "control",
    "seconds_a_move",
    "nodes",
    "depth",
    "margin_ms",
    "patience_seconds",
    "games",
    "rounds",
    "tournament",
    "openings",
    "skip_errors",
    "plies",
    "order",
    "start",
    "event",
    "site",
    "seed",
    "jobs",
    "sprt",
    "alpha",
    "beta",
    "model",
    "stop_width",
    "resign",
    "draw",
    "plies_max",
];

/// The title of a match, and what is asked for but for its files.
///
/// # Errors
/// If a field is wrong, with its name and the reason.
pub(super) fn request(app: &App, kit: &'static dyn Kit, form: &NewMatch) -> Result<(String, MatchRequest), Problem> {
    let wrong = |field: &str, what: String| Problem::unprocessable(what).at(field);
    check_fields(&form.request, &MatchRequest::default(), &TAKEN)?;
    if !(2..=ENGINES_MAX).contains(&form.engines.len()) {
        return Err(wrong("engines", format!("from 2 to {ENGINES_MAX} engines play a match")));
    }
    check_limits(&form.request)?;
    let mut form = form.clone();
    name_by_difference(kit.families(), &mut form.engines);
    let mut request = MatchRequest { game: kit.name().into(), ..form.request.clone() };
    for (i, choice) in form.engines.iter().enumerate() {
        let engine = engine(app, kit, choice).map_err(|problem| {
            let inner = problem.place.clone().map_or(String::new(), |place| format!(".{place}"));
            problem.at(format!("engines[{i}]{inner}"))
        })?;
        request.engines.push(engine);
    }
    if !request.rules.is_empty() {
        kit.table(&request.rules, None).map_err(|error| wrong("rules", error.to_string()))?;
    }
    if let Some(file) = request.openings.take() {
        let is_random = file.as_os_str() == "random";
        let find = || app.jobs.space.find(&file.to_string_lossy()).map_err(|problem| problem.at("openings"));
        request.openings = Some(if is_random { file } else { app.jobs.space.name_of(&find()?).into() });
    }
    request.seed = Some(request.seed.or(app.seed).unwrap_or_else(fresh_seed));
    request.validate().and_then(|()| request.sprt().map(drop)).map_err(Problem::of_request)?;
    let title = if form.title.trim().is_empty() { usual_title(kit, &form) } else { form.title.trim().to_string() };
    Ok((title.chars().take(200).collect(), request))
}

/// Refuses a match without a limit for moves, and counts of 0.
fn check_limits(request: &MatchRequest) -> Result<(), Problem> {
    let MatchRequest { control, seconds_a_move, nodes, depth, jobs, plies_max, .. } = request;
    if control.is_none() && seconds_a_move.is_none() && nodes.is_none() && depth.is_none() {
        return Err(Problem::unprocessable("a limit is needed: control, seconds_a_move, nodes or depth").at("control"));
    }
    let counts = [
        ("nodes", *nodes),
        ("depth", depth.map(u64::from)),
        ("jobs", jobs.map(|jobs| jobs as u64)),
        ("plies_max", plies_max.map(u64::from)),
    ];
    match counts.iter().find(|(_, count)| *count == Some(0)) {
        Some((name, _)) => Err(Problem::unprocessable(format!("{name} 0: expected a number above 0")).at(*name)),
        None => Ok(()),
    }
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
