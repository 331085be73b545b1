//! The addresses of the HTTP API, its description as OpenAPI, and what is said about the program and its games.

use crate::{
    App, Problem, arena,
    body::Body,
    datasets, fleet, guard, jobs, openapi,
    option_views::{OptionView, options_of},
    owners, page, places, problem, records, runs, sessions, solving, trees, why, why_not,
};
use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Request, State},
    http::header,
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use tesuji_dataset::data::Summary;
use tesuji_kit::{
    Kit,
    mates::{MatePicture, ProofFile, SolvedMateView},
};
use tesuji_report::matches::view::MatchView;
use utoipa::{OpenApi, ToSchema};
use utoipa_axum::{
    router::{OpenApiRouter, UtoipaMethodRouterExt},
    routes,
};

/// Bodies at most; records of games are the largest.
const BODY_MAX: usize = 8 << 20;
/// Records as JSON at most: several times the file that they were read from.
const RECORD_MAX: usize = 64 << 20;
/// Files of trees at most: 600,000 nodes.
const TREE_MAX: usize = 128 << 20;

/// The head of the description.
#[derive(OpenApi)]
#[openapi(
    components(schemas(MatchView, MatePicture, ProofFile, SolvedMateView, Summary)),
    info(
        title = "Tesuji",
        description = "Play, watch and look inside the search. Requests carry the header X-Token; only /health, /version and this \
                   description are for anybody.",
        license(name = "GPL-3.0-or-later")
    )
)]
struct Head;

/// The routes with their description.
fn described() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Head::openapi())
        .routes(routes!(health))
        .routes(routes!(version))
        .routes(routes!(games))
        .routes(routes!(position))
        .routes(routes!(sessions::create, sessions::list))
        .routes(routes!(sessions::show, sessions::end))
        .routes(routes!(sessions::place))
        .routes(routes!(sessions::go))
        .routes(routes!(sessions::stop))
        .routes(routes!(sessions::leave))
        .routes(routes!(sessions::set, sessions::options))
        .routes(routes!(sessions::explain))
        .routes(routes!(sessions::events))
        .routes(routes!(trees::tree))
        .routes(routes!(trees::words))
        .routes(routes!(trees::snapshots))
        .routes(routes!(trees::file))
        .routes(routes!(trees::open).layer(DefaultBodyLimit::max(TREE_MAX)))
        .routes(routes!(trees::verify::verify))
        .routes(routes!(trees::live::socket))
        .routes(routes!(why::why))
        .routes(routes!(why_not::why_not))
        .routes(routes!(owners::owners))
        .routes(routes!(records::read))
        .routes(routes!(records::write).layer(DefaultBodyLimit::max(RECORD_MAX)))
        .routes(routes!(records::store::list, records::store::create).layer(DefaultBodyLimit::max(RECORD_MAX)))
        .routes(
            routes!(records::store::show, records::store::change, records::store::remove)
                .layer(DefaultBodyLimit::max(RECORD_MAX)),
        )
        .routes(routes!(jobs::list))
        .routes(routes!(jobs::events))
        .routes(routes!(jobs::show, jobs::remove))
        .routes(routes!(jobs::log))
        .routes(routes!(jobs::live))
        .routes(routes!(jobs::file))
        .routes(routes!(jobs::act))
        .routes(routes!(solving::create))
        .routes(routes!(runs::list, runs::create))
        .routes(routes!(runs::story::story))
        .routes(routes!(datasets::list))
        .routes(routes!(datasets::rows))
        .routes(routes!(datasets::work))
        .routes(routes!(arena::engines))
        .routes(routes!(arena::create))
        .routes(routes!(arena::series))
        .routes(routes!(arena::games))
        .routes(routes!(arena::game))
        .routes(routes!(arena::partings))
        .routes(routes!(arena::extend))
        .routes(routes!(fleet::show, fleet::choose, fleet::forget))
        .routes(routes!(fleet::act))
        .routes(routes!(fleet::drop_worker))
        .routes(routes!(fleet::logs))
}

/// The description of the API as JSON, as `/api/v1/openapi.json` gives it.
///
/// # Errors
/// None that can happen: JSON holds every description.
pub fn open_api() -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&openapi::complete(&described().split_for_parts().1)?)
}

/// All that the server answers to.
pub(crate) fn router(app: Arc<App>) -> Router {
    let (routes, _) = described().split_for_parts();
    routes
        .route("/api/v1/openapi.json", get(description))
        .route("/api/{*rest}", get(unknown).post(unknown).put(unknown).patch(unknown).delete(unknown))
        .fallback(get(page::answer))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .layer(middleware::from_fn(problem::tell_all))
        .layer(middleware::from_fn_with_state(app.clone(), guard::watch))
        .with_state(app)
}

async fn description() -> Result<Response, Problem> {
    let text = open_api().map_err(|error| Problem::internal(error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

async fn unknown(request: Request) -> Problem {
    let hint = "The API is described at /api/v1/openapi.json.";
    Problem::not_found(format!("nothing answers to {}", request.uri().path())).hint(hint)
}

/// That the server lives.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    /// `ok`.
    status: &'static str,
}

/// Says that the server lives.
#[utoipa::path(get, path = "/api/v1/health", responses((status = 200, body = Health)))]
async fn health() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Which Tesuji this is.
#[derive(Debug, Serialize, ToSchema)]
struct Version {
    /// The version.
    version: String,
    /// Whether changes need a token.
    token: bool,
}

/// Says which Tesuji this is.
#[utoipa::path(get, path = "/api/v1/version", responses((status = 200, body = Version)))]
async fn version(State(app): State<Arc<App>>) -> Json<Version> {
    Json(Version { version: app.version.clone(), token: app.guard.token().is_some() })
}

/// A game that can be played.
#[derive(Debug, Serialize, ToSchema)]
struct GameView {
    /// Its name.
    name: &'static str,
    /// Its search families, the best first.
    families: Vec<FamilyView>,
    /// Its record formats, the preferred one first.
    formats: Vec<FormatView>,
    /// The tags that name the players in records, the side that moves first before the other.
    side_tags: [&'static str; 2],
}

/// A record format.
#[derive(Debug, Serialize, ToSchema)]
struct FormatView {
    /// Its name.
    name: &'static str,
    /// Endings of its files.
    endings: &'static [&'static str],
}

/// A search family with its options.
#[derive(Debug, Serialize, ToSchema)]
struct FamilyView {
    /// Its name.
    name: &'static str,
    /// The options that can be set.
    options: Vec<OptionView>,
}

/// Lists the games with their search families and record formats.
#[utoipa::path(get, path = "/api/v1/games", responses((status = 200, body = Vec<GameView>)))]
async fn games(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let games = match app.games.kept() {
        Some(games) => games,
        None => app.clone().work.run(move |_| made_games(&app)).await?,
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], games).into_response())
}

/// The games as JSON, made when they are asked for first: options are known to engines alone, and making one of each kind
/// takes a second.
pub(crate) fn made_games(app: &App) -> Result<Bytes, Problem> {
    app.games.made(|| {
        let views = app.kits.iter().map(|kit| game_view(*kit)).collect::<Result<Vec<_>, _>>()?;
        serde_json::to_vec(&views).map_err(|error| Problem::internal(error.to_string()))
    })
}

/// An answer that is made once.
#[derive(Default)]
pub(crate) struct Once(Mutex<Option<Bytes>>);

impl Once {
    /// The bytes made before, if that is known without waiting.
    fn kept(&self) -> Option<Bytes> {
        self.0.try_lock().ok().and_then(|kept| kept.clone())
    }

    /// The bytes made before, or those that `make` makes now. Failures are not kept.
    fn made(&self, make: impl FnOnce() -> Result<Vec<u8>, Problem>) -> Result<Bytes, Problem> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(made) => Ok(made.clone()),
            None => Ok(kept.insert(make()?.into()).clone()),
        }
    }
}

fn game_view(kit: &'static dyn Kit) -> Result<GameView, Problem> {
    let mut families = Vec::new();
    for &name in kit.families() {
        let mut player = kit.player(name).map_err(|error| Problem::internal(error.to_string()))?;
        families.push(FamilyView { name, options: options_of(&*player.options()) });
    }
    let formats = kit.formats().iter();
    let formats = formats.map(|format| FormatView { name: format.name(), endings: format.extensions() }).collect();
    Ok(GameView { name: kit.name(), families, formats, side_tags: kit.side_tags() })
}

/// A position to look at.
#[derive(Debug, serde::Deserialize, ToSchema)]
struct Question {
    /// The game.
    game: String,
    /// The place in the game.
    #[serde(default)]
    place: places::GamePosition,
}

/// Says what a position is and which moves there are.
#[utoipa::path(post, path = "/api/v1/positions", request_body = Question,
    responses((status = 200, body = places::Standing), (status = "4XX", body = Problem)))]
async fn position(
    State(app): State<Arc<App>>,
    Body(question): Body<Question>,
) -> Result<Json<places::Standing>, Problem> {
    let kit = app.kit(&question.game)?;
    app.work.run(move |_| places::standing(kit, &question.place)).await.map(Json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_games_is_made_once() {
        let games = Once::default();
        assert_eq!(games.made(|| Err(Problem::busy("no memory now"))).map_err(|problem| problem.status), Err(503));
        assert_eq!(games.made(|| Ok(b"[]".to_vec())), Ok(Bytes::from_static(b"[]")));
        assert_eq!(games.made(|| panic!("made again")), Ok(Bytes::from_static(b"[]")));
        assert_eq!(games.kept(), Some(Bytes::from_static(b"[]")));
    }
}
