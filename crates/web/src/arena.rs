//! Matches: a request becomes a job that runs `tesuji match`, and what it writes becomes tables and curves.

mod engines;
mod form;
mod index;
mod jumps;

pub(crate) use engines::{EngineChoice, engine as seated};
pub(crate) use index::Indexes;

use crate::{
    App, Problem,
    body::Body,
    jobs::{JobKind, JobView, OUT_FILE, Wish},
    places::{GamePosition, Move},
};
use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use engines::Known;
use form::NewMatch;
use index::{GameRow, Parting, PlayedGame, Series};
use jumps::Jump;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use tesuji_arena::{MatchRequest, OutputRequest};
use tesuji_report::matches::view::MatchView;
use utoipa::{IntoParams, ToSchema};

/// Points of a curve when nothing is said.
const POINTS: usize = 600;
/// Games of a pairing at most.
const GAMES_EACH_MAX: u64 = 1_000_000;
/// Games in one answer at most.
const GAMES_MAX: usize = 200;
/// Partings, and jumps of values, in one answer at most.
const PARTINGS_MAX: usize = 100;

/// Lists the engines of the configuration, the file `engines.toml` of the workspace.
#[utoipa::path(get, path = "/api/v1/engines", responses((status = 200, body = Vec<Known>), (status = "4XX", body = Problem)))]
pub(crate) async fn engines(State(app): State<Arc<App>>) -> Result<Json<Vec<Known>>, Problem> {
    engines::known(&app.jobs.space).map(Json)
}

/// Starts a match.
#[utoipa::path(post, path = "/api/v1/matches", request_body = NewMatch,
    responses((status = 201, body = JobView), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Body(wish): Body<NewMatch>,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    let job = app.clone().work.run(move |_| begin(&app, &wish)).await?;
    Ok((StatusCode::CREATED, Json(job)))
}

/// Begins the demo match, where the workspace has no job yet.
pub(crate) fn demo(app: &App) {
    if let Some(wish) = NewMatch::demo(app.kits).filter(|_| app.jobs.list().is_empty()) {
        // What cannot be begun is told when a person tries.
        let _ = begin(app, &wish);
    }
}

fn begin(app: &App, wish: &NewMatch) -> Result<JobView, Problem> {
    let kit = app.kit(&wish.request.game)?;
    let (title, asked) = form::request(app, kit, wish)?;
    let fleet = app.fleet.words(wish.fleet.as_ref())?;
    let record = form::record_format(kit);
    let request = move |folder: &str| {
        let output =
            |format: &str| OutputRequest { file: format!("{folder}/games.{format}").into(), format: format.into() };
        let outputs = record.map(output).into_iter().collect();
        json!(MatchRequest { outputs, journal: Some(format!("{folder}/journal").into()), ..asked })
    };
    app.jobs.add(Wish {
        kind: JobKind::Match,
        title,
        game: Some(kit.name().into()),
        request: Box::new(request),
        command: &["match"],
        shown: &["--json"],
        fleet,
        again: Some(Box::new(|folder| resumed(folder, None))),
        makes: record.map(|format| format!("games.{format}")),
    })
}

/// The request to go on with the match of a job's folder, and to play this many games of every pairing.
fn resumed(folder: &str, games: Option<u64>) -> serde_json::Value {
    json!(MatchRequest { resume: Some(format!("{folder}/journal").into()), games, ..MatchRequest::default() })
}

/// The length of a match.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Longer {
    /// Games of every pairing, those that are played among them.
    games: u64,
}

/// Makes a match longer: one that is over goes on, one that is played stops after its moves and goes on at once.
#[utoipa::path(post, path = "/api/v1/matches/{id}/extend", params(("id" = u64, Path, description = "the job")),
    request_body = Longer, responses((status = 200, body = JobView), (status = "4XX", body = Problem)))]
pub(crate) async fn extend(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Body(wish): Body<Longer>,
) -> Result<Json<JobView>, Problem> {
    lines(&app, id)?;
    let seen: MatchView = serde_json::from_str(&app.jobs.live(id)?.text).unwrap_or_default();
    if seen.test.is_some_and(|test| test.accepted.is_some()) {
        let decided = Problem::conflict("the test of this match is decided: more games would say nothing new");
        return Err(decided.hint("Start a new match."));
    }
    if app.jobs.request(id)["tournament"]["knockout"] == true {
        return Err(Problem::conflict("a knockout is over when somebody has won it"));
    }
    if app.jobs.request(id)["tournament"]["swiss"] == true {
        return Err(Problem::conflict("a Swiss tournament has its rounds from the beginning: start another one"));
    }
    let had = seen.games / seen.pairings.len().max(1) as u64;
    if wish.games <= had || wish.games > GAMES_EACH_MAX {
        let expected = format!("{}: expected more than {had} and at most {GAMES_EACH_MAX}", wish.games);
        return Err(Problem::unprocessable(expected).at("games"));
    }
    if had % 2 == 1 {
        return Err(Problem::conflict(format!(
            "a match of {had} games ends with half a pair and cannot be made longer"
        )));
    }
    let again = move |folder: &str| resumed(folder, Some(wish.games));
    let longer = tokio::task::spawn_blocking(move || app.jobs.extend(id, Box::new(again))).await;
    longer.map_err(|error| Problem::internal(error.to_string()))?.map(Json)
}

/// The file with a match's games, as lines.
fn lines(app: &App, id: u64) -> Result<std::path::PathBuf, Problem> {
    let (folder, memo) = app.jobs.find(id)?;
    if memo.kind != JobKind::Match {
        return Err(Problem::not_found(format!("job {id} is no match")));
    }
    Ok(folder.join(OUT_FILE))
}

/// The number of points that are wanted.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct SeriesWish {
    /// Points at most.
    max: Option<usize>,
}

/// How Elo and the test went along the games of the first pairing.
#[utoipa::path(get, path = "/api/v1/matches/{id}/series", params(("id" = u64, Path, description = "the job"), SeriesWish),
    responses((status = 200, body = Series), (status = 404, body = Problem)))]
pub(crate) async fn series(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Query(wish): Query<SeriesWish>,
) -> Result<Json<Series>, Problem> {
    let work = app.work.clone();
    let series = move |_| {
        let path = lines(&app, id)?;
        app.matches.with(id, &path, |index| index.series(wish.max.unwrap_or(POINTS).clamp(2, 10_000)))
    };
    work.run(series).await.map(Json)
}

/// Which games.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct GamesWish {
    /// Leave out this many of the newest.
    #[serde(default)]
    skip: usize,
    /// Only games with faults.
    #[serde(default)]
    faults: bool,
}

/// Some games and how many there are.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GamesPart {
    /// All that were asked about.
    total: usize,
    /// Those of this answer, the newest first.
    games: Vec<GameRow>,
}

/// Lists the games of a match, the newest first.
#[utoipa::path(get, path = "/api/v1/matches/{id}/games", params(("id" = u64, Path, description = "the job"), GamesWish),
    responses((status = 200, body = GamesPart), (status = 404, body = Problem)))]
pub(crate) async fn games(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Query(wish): Query<GamesWish>,
) -> Result<Json<GamesPart>, Problem> {
    let work = app.work.clone();
    let part = move |_| {
        let path = lines(&app, id)?;
        app.matches.with(id, &path, |index| {
            let wanted = || index.rows().filter(|row| !wish.faults || row.fault.is_some());
            let total = wanted().count();
            GamesPart { total, games: wanted().rev().skip(wish.skip).take(GAMES_MAX).cloned().collect() }
        })
    };
    work.run(part).await.map(Json)
}

/// A parting with the place where it is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PartingView {
    #[serde(flatten)]
    parting: Parting,
    /// The position in which both moved.
    place: GamePosition,
    /// The moves of both players in words.
    texts: [String; 2],
}

/// A fall of a player's value with the place where it still was high.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JumpView {
    #[serde(flatten)]
    jump: Jump,
    /// The position in which the player moved with the higher value.
    place: GamePosition,
    /// The move in words.
    text: String,
}

/// Some partings and some jumps of values, and how many there are.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PartingsPart {
    /// All pairs that part.
    total: usize,
    /// Those of this answer, that which part first before others.
    partings: Vec<PartingView>,
    /// All games and players whose values fall.
    jumps_total: usize,
    /// Those of this answer, the largest fall first.
    jumps: Vec<JumpView>,
    /// Nodes a move of the match, where it has them.
    nodes: Option<u64>,
    /// Milliseconds a move of the match, where it has them.
    time: Option<u64>,
}

/// Lists where the games of pairs part (one opening, sides changed, one position, and two players who move differently), and where a
/// player's own value falls from one move to its next by ten points of expected result or more.
#[utoipa::path(get, path = "/api/v1/matches/{id}/partings", params(("id" = u64, Path, description = "the job")),
    responses((status = 200, body = PartingsPart), (status = 404, body = Problem)))]
pub(crate) async fn partings(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<Json<PartingsPart>, Problem> {
    let work = app.work.clone();
    work.run(move |_| parted(&app, id)).await.map(Json)
}

fn parted(app: &App, id: u64) -> Result<PartingsPart, Problem> {
    let path = lines(app, id)?;
    let (_, memo) = app.jobs.find(id)?;
    let kit = app.kit(memo.game.as_deref().unwrap_or_default())?;
    let request = app.jobs.request(id);
    let rules = request["rules"].as_str().unwrap_or_default();
    let (totals, partings, jumps) = app.matches.with(id, &path, |index| {
        let mut partings: Vec<Parting> = index.partings().cloned().collect();
        partings.sort_by_key(|parting| (parting.ply, parting.games[0]));
        let mut jumps: Vec<Jump> = index.jumps().cloned().collect();
        jumps.sort_by(|a, b| b.fall.total_cmp(&a.fall).then(a.game.cmp(&b.game)));
        let totals = (partings.len(), jumps.len());
        partings.truncate(PARTINGS_MAX);
        jumps.truncate(PARTINGS_MAX);
        let partings = partings.into_iter().map(|parting| (index.game(&path, parting.games[0]), parting));
        let jumps = jumps.into_iter().map(|jump| (index.game(&path, jump.game), jump));
        (totals, partings.collect::<Vec<_>>(), jumps.collect::<Vec<_>>())
    })?;
    // The place after the first moves of a game, and moves there in words.
    let there = |game: Option<PlayedGame>, ply: usize, moves: &[String]| {
        let (_, start, mut played) = game?;
        played.truncate(ply);
        let place = GamePosition { rules: rules.to_string(), start, moves: played };
        let table = crate::places::table_at(kit, &place).ok()?;
        let texts: Vec<String> = moves.iter().map(|mv| crate::places::in_words(&*table, mv.clone()).text).collect();
        Some((place, texts))
    };
    let parting = |(game, parting): (Option<PlayedGame>, Parting)| {
        let (place, texts) = there(game, parting.ply, &parting.moves)?;
        Some(PartingView { parting, place, texts: texts.try_into().ok()? })
    };
    let jump = |(game, jump): (Option<PlayedGame>, Jump)| {
        let (place, mut texts) = there(game, jump.ply, std::slice::from_ref(&jump.mv))?;
        Some(JumpView { text: texts.pop()?, jump, place })
    };
    Ok(PartingsPart {
        total: totals.0,
        partings: partings.into_iter().filter_map(parting).collect(),
        jumps_total: totals.1,
        jumps: jumps.into_iter().filter_map(jump).collect(),
        nodes: request["nodes"].as_u64(),
        time: request["seconds_a_move"].as_f64().map(|seconds| (seconds * 1000.0) as u64),
    })
}

/// A game of a match.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MatchGame)]
pub(crate) struct GameView {
    /// The entries of the list.
    row: GameRow,
    /// The game.
    game: String,
    /// Its start and moves.
    place: GamePosition,
    /// The moves with their words.
    moves: Vec<Move>,
}

/// Shows one game of a match by its number.
#[utoipa::path(get, path = "/api/v1/matches/{id}/games/{n}",
    params(("id" = u64, Path, description = "the job"), ("n" = u64, Path, description = "the game's number, from 1")),
    responses((status = 200, body = GameView), (status = 404, body = Problem)))]
pub(crate) async fn game(
    State(app): State<Arc<App>>,
    Path((id, n)): Path<(u64, u64)>,
) -> Result<Json<GameView>, Problem> {
    let work = app.work.clone();
    work.run(move |_| one(&app, id, n)).await.map(Json)
}

fn one(app: &App, id: u64, n: u64) -> Result<GameView, Problem> {
    let path = lines(app, id)?;
    let (_, memo) = app.jobs.find(id)?;
    let kit = app.kit(memo.game.as_deref().unwrap_or_default())?;
    let rules = app.jobs.request(id)["rules"].as_str().unwrap_or_default().to_string();
    let found = app.matches.with(id, &path, |index| index.game(&path, n))?;
    let (row, start, moves) = found.ok_or_else(|| Problem::not_found(format!("game {n} is not played yet")))?;
    let place = GamePosition { rules, start, moves };
    let words = crate::places::standing(kit, &place).map(|standing| standing.played).unwrap_or_default();
    Ok(GameView { row, game: kit.name().into(), place, moves: words })
}
