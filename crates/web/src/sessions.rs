//! Sessions: players that a page talks to, each at a position of its own, found again by their numbers.

use crate::{
    App, Problem,
    api::Body,
    places::Place,
    think::{Goal, State as Mind, Thinker},
};
use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
    response::sse::{Event, KeepAlive, Sse},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tesuji_engine::{Kit, Player};
use tokio_stream::{Stream, StreamExt, wrappers::WatchStream};
use utoipa::ToSchema;

/// Sessions at once: each holds a table and threads.
const SESSIONS_MAX: usize = 32;
/// What keeps a silent stream open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// All sessions.
#[derive(Default)]
pub(crate) struct Sessions {
    all: Mutex<(u64, BTreeMap<u64, Arc<Session>>)>,
}

/// One player and what it is.
pub(crate) struct Session {
    pub(crate) id: u64,
    pub(crate) kit: &'static dyn Kit,
    pub(crate) family: String,
    pub(crate) thinker: Thinker,
    /// The options it was made with.
    options: BTreeMap<String, String>,
    /// A second player, that explains while the first one thinks.
    advisor: Mutex<Option<Box<dyn Player>>>,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Arc<Session>>)> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, id: u64) -> Result<Arc<Session>, Problem> {
        let found = self.lock().1.get(&id).cloned();
        found.ok_or_else(|| {
            Problem::not_found(format!("there is no session {id}")).hint("It may have ended with the server.")
        })
    }

    /// Ends all searches.
    pub(crate) fn end_all(&self) {
        self.lock().1.clear();
    }
}

/// What a new session is to be.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSession {
    /// The game.
    pub(crate) game: String,
    /// The search family; empty: the best one.
    #[serde(default)]
    pub(crate) family: String,
    /// Options by name.
    #[serde(default)]
    pub(crate) options: BTreeMap<String, String>,
    /// Where it begins.
    #[serde(default)]
    pub(crate) place: Place,
}

/// A session as others see it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct SessionView {
    /// Its number.
    id: u64,
    /// The game.
    game: &'static str,
    /// The search family.
    family: String,
    /// What it does and has found.
    state: Mind,
}

impl Session {
    /// Lets the second player work: one of the session's family and options that needs no memory.
    ///
    /// # Errors
    /// When there is none, or what the work finds wrong.
    pub(crate) fn advise<R>(&self, work: impl FnOnce(&mut dyn Player) -> Result<R, Problem>) -> Result<R, Problem> {
        let mut advisor = self.advisor.lock().unwrap_or_else(PoisonError::into_inner);
        if advisor.is_none() {
            let made = self.kit.player(&self.family).map_err(|error| Problem::internal(error.to_string()))?;
            let made = advisor.insert(made);
            let mut form = made.options();
            let settings = self.options.iter().map(|(name, value)| (&**name, &**value));
            tesuji_options::set_all(&mut *form, settings).map_err(|error| Problem::internal(error.to_string()))?;
            // Families without a table have no such option.
            let _ = form.set("Hash", "1");
        }
        match advisor.as_mut() {
            Some(player) => work(player.as_mut()),
            None => Err(Problem::internal("there is nobody to explain")),
        }
    }

    pub(crate) fn view(&self) -> SessionView {
        let state = Mind::clone(&self.thinker.states().borrow());
        SessionView { id: self.id, game: self.kit.name(), family: self.family.clone(), state }
    }
}

/// Starts a session.
#[utoipa::path(post, path = "/api/v1/sessions", request_body = NewSession,
    responses((status = 201, body = SessionView), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Body(wish): Body<NewSession>,
) -> Result<(StatusCode, Json<SessionView>), Problem> {
    let session = open(&app, wish).await?;
    Ok((StatusCode::CREATED, Json(session.view())))
}

/// A new session.
///
/// # Errors
/// When there are too many, or what is wished for cannot be.
pub(crate) async fn open(app: &App, wish: NewSession) -> Result<Arc<Session>, Problem> {
    let kit = app.kit(&wish.game)?;
    if app.sessions.lock().1.len() >= SESSIONS_MAX {
        return Err(Problem::too_many(format!("{SESSIONS_MAX} sessions are open")).hint("End one of them first."));
    }
    let player = kit.player(&wish.family).map_err(|error| Problem::unprocessable(error.to_string()).at("family"))?;
    let family =
        if wish.family.is_empty() { kit.families().first().copied().unwrap_or_default().into() } else { wish.family };
    let id = {
        let mut all = app.sessions.lock();
        all.0 += 1;
        all.0
    };
    let thinker = Thinker::start(kit, player, format!("session {id}"))?;
    thinker.set(wish.options.clone().into_iter().collect()).await?;
    thinker.stand(wish.place).await?;
    let session = Arc::new(Session { id, kit, family, thinker, options: wish.options, advisor: Mutex::default() });
    app.sessions.lock().1.insert(id, session.clone());
    Ok(session)
}

/// Lists the sessions.
#[utoipa::path(get, path = "/api/v1/sessions", responses((status = 200, body = Vec<SessionView>)))]
pub(crate) async fn list(State(app): State<Arc<App>>) -> Json<Vec<SessionView>> {
    Json(app.sessions.lock().1.values().map(|session| session.view()).collect())
}

/// Shows one session.
#[utoipa::path(get, path = "/api/v1/sessions/{id}", params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = SessionView), (status = 404, body = Problem)))]
pub(crate) async fn show(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<Json<SessionView>, Problem> {
    Ok(Json(app.sessions.find(id)?.view()))
}

/// Ends a session.
#[utoipa::path(delete, path = "/api/v1/sessions/{id}", params(("id" = u64, Path, description = "its number")),
    responses((status = 204), (status = 404, body = Problem)))]
pub(crate) async fn end(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<StatusCode, Problem> {
    app.sessions.find(id)?.thinker.stop();
    app.sessions.lock().1.remove(&id);
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a position; a search that runs stops.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/place", request_body = Place,
    params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = SessionView), (status = "4XX", body = Problem)))]
pub(crate) async fn place(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Body(place): Body<Place>,
) -> Result<Json<SessionView>, Problem> {
    let session = app.sessions.find(id)?;
    session.thinker.stand(place).await?;
    Ok(Json(session.view()))
}

/// Starts thinking; a search that runs stops.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/go", request_body = Goal,
    params(("id" = u64, Path, description = "its number")),
    responses((status = 202), (status = "4XX", body = Problem)))]
pub(crate) async fn go(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Body(goal): Body<Goal>,
) -> Result<StatusCode, Problem> {
    app.sessions.find(id)?.thinker.go(goal)?;
    Ok(StatusCode::ACCEPTED)
}

/// Stops thinking; what was found stays.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/stop", params(("id" = u64, Path, description = "its number")),
    responses((status = 202), (status = 404, body = Problem)))]
pub(crate) async fn stop(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<StatusCode, Problem> {
    app.sessions.find(id)?.thinker.stop();
    Ok(StatusCode::ACCEPTED)
}

/// Sets options by name; a search that runs stops.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/options", request_body = BTreeMap<String, String>,
    params(("id" = u64, Path, description = "its number")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn set(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Body(options): Body<BTreeMap<String, String>>,
) -> Result<StatusCode, Problem> {
    app.sessions.find(id)?.thinker.set(options.into_iter().collect()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What an evaluation says about itself.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Explained {
    /// The evaluation term by term, in lines; none where there is nothing to explain.
    text: Option<String>,
}

/// Explains the static evaluation of the session's position; a search that runs stops.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/explain", params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = Explained), (status = 404, body = Problem)))]
pub(crate) async fn explain(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<Json<Explained>, Problem> {
    Ok(Json(Explained { text: app.sessions.find(id)?.thinker.explain().await? }))
}

/// The session's states as they come: server-sent events called `state`, the newest at once; late readers skip states.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/events", params(("id" = u64, Path, description = "its number")),
    responses((status = 200, content_type = "text/event-stream"), (status = 404, body = Problem)))]
pub(crate) async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let states = WatchStream::new(app.sessions.find(id)?.thinker.states());
    let events = states.map(|state| {
        let event = Event::default().event("state").id(state.seq.to_string());
        Ok(event.json_data(&*state).unwrap_or_else(|_| Event::default().comment("a state that JSON cannot hold")))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}
