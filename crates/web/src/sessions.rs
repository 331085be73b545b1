//! Sessions: players that a page talks to, each at a position of its own, found again by their numbers.

use crate::{
    App, Problem,
    body::Body,
    clock::Clock,
    option_views::{OptionView, options_of},
    places::{GamePosition, table_at},
    presence::{Care, Listener, Presence},
    reach::Reach,
    seats::{LINES_FAMILY, Seat, SeatKind, SeatView, Seated, check_texts},
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
use tesuji_engine::Player;
use tesuji_kit::Kit;
use tokio::sync::watch;
use tokio_stream::{Stream, StreamExt, wrappers::WatchStream};
use utoipa::ToSchema;

/// Sessions at once: each holds a table and threads.
const SESSIONS_MAX: usize = 32;
/// The interval of keep-alive messages on a silent event stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The timeout for the end of a session, when its memory is needed or the server ends.
const END_PATIENCE: Duration = Duration::from_secs(1);

/// Options of built-in searches that decide what chance draws.
const SEEDS: [&str; 3] = ["Seed", "Strength Seed", "BookSeed"];
/// The largest seed that all of them take.
const SEED_MAX: u64 = 1_000_000_000;

/// All sessions.
pub(crate) struct Sessions {
    all: Mutex<SessionTable>,
    clock: Clock,
}

/// The table of all sessions.
#[derive(Default)]
struct SessionTable {
    /// The number of the last session.
    last: u64,
    open: BTreeMap<u64, Arc<Session>>,
    /// Sessions that are being made.
    making: usize,
}

/// One player and what it is.
pub(crate) struct Session {
    pub(crate) id: u64,
    pub(crate) kit: &'static dyn Kit,
    pub(crate) family: String,
    /// Who searches.
    pub(crate) seat: SeatView,
    pub(crate) thinker: Thinker,
    /// Its options and their values.
    form: Mutex<Vec<OptionView>>,
    presence: Arc<Presence>,
    reach: Reach,
    /// The options it was made with.
    options: BTreeMap<String, String>,
    /// A second player, that explains while the first one thinks.
    advisor: Mutex<Option<Box<dyn Player>>>,
    /// A player of the same kind as the first one, that compares moves while that one thinks.
    comparer: Mutex<Option<Box<dyn Player>>>,
}

/// A place among the sessions, for one that is being made.
struct Slot<'a> {
    sessions: &'a Sessions,
    id: u64,
}

impl Slot<'_> {
    /// Puts the session in its place.
    fn fill(self, session: &Arc<Session>) {
        let mut all = self.sessions.lock();
        all.open.insert(self.id, session.clone());
        all.making -= 1;
        drop(all);
        // Not to be counted down again.
        std::mem::forget(self);
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.sessions.lock().making -= 1;
    }
}

impl Sessions {
    /// None yet, looked after by `clock`.
    pub(crate) fn new(clock: Clock) -> Sessions {
        Sessions { all: Mutex::default(), clock }
    }

    fn lock(&self) -> MutexGuard<'_, SessionTable> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session `id`, which has a listener now and goes on if it was paused.
    pub(crate) fn find(&self, id: u64) -> Result<Arc<Session>, Problem> {
        let found = self.lock().open.get(&id).cloned();
        let session = found.ok_or_else(|| {
            let hint = "It may have ended with the server, or was forgotten because nobody listened. Start another.";
            Problem::not_found(format!("there is no session {id}")).hint(hint)
        })?;
        session.presence.touch(self.clock.now());
        session.thinker.resume();
        Ok(session)
    }

    /// Somebody listens to `session` from now on, until the value is dropped.
    pub(crate) fn listen(&self, session: &Session) -> Listener {
        let listener = Listener::new(session.presence.clone(), self.clock.clone());
        session.thinker.resume();
        listener
    }

    /// Takes a place for a new session. When all are taken, the session that nobody has listened to for longest gives way.
    fn slot(&self) -> Result<Slot<'_>, Problem> {
        let mut all = self.lock();
        if all.open.len() + all.making >= SESSIONS_MAX && self.forget_idlest(&mut all).is_none() {
            return Err(Problem::too_many(format!("{SESSIONS_MAX} sessions are open")).hint("End one of them first."));
        }
        all.making += 1;
        all.last += 1;
        Ok(Slot { sessions: self, id: all.last })
    }

    /// Forgets the session that nobody has listened to for longest, if there is one without a listener.
    fn forget_idlest(&self, all: &mut SessionTable) -> Option<Arc<Session>> {
        let now = self.clock.now();
        let without = all.open.values().filter(|session| session.presence.care(now) != Care::Nothing);
        let (_, id) = without.map(|session| (session.presence.idle(now), session.id)).max()?;
        all.open.remove(&id)
    }

    /// Makes room in memory: forgets a session without a listener and waits for its end. Whether there was one.
    async fn give_way(&self) -> bool {
        let forgotten = self.forget_idlest(&mut self.lock());
        let Some(session) = forgotten else { return false };
        let states = session.thinker.states();
        drop(session);
        has_ended(states).await;
        true
    }

    /// Pauses and forgets sessions without a listener.
    pub(crate) fn look_after(&self) {
        let now = self.clock.now();
        self.lock().open.retain(|_, session| {
            let care = session.presence.care(now);
            match care {
                Care::Pause if session.thinker.is_searching() => session.thinker.pause(),
                Care::Pause => session.thinker.rest(),
                _ => {}
            }
            care != Care::Forget
        });
    }

    /// Ends all searches, and waits for a while until the players are gone: what they learned is written then.
    pub(crate) async fn end_all(&self) {
        let ended = std::mem::take(&mut self.lock().open);
        let states: Vec<_> = ended.values().map(|session| session.thinker.states()).collect();
        drop(ended);
        let all = async {
            for state in states {
                has_ended(state).await;
            }
        };
        let _ = tokio::time::timeout(END_PATIENCE, all).await;
    }
}

/// Waits for a while until the player behind `states` is gone.
async fn has_ended(mut states: watch::Receiver<Arc<Mind>>) {
    let gone = async { while states.changed().await.is_ok() {} };
    let _ = tokio::time::timeout(END_PATIENCE, gone).await;
}

/// The request for a new session.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSession {
    /// The game.
    pub(crate) game: String,
    /// A built-in search family; empty: the best one, or what `seat` says.
    #[serde(default)]
    pub(crate) family: String,
    /// Who searches.
    #[serde(default)]
    pub(crate) seat: Option<Seat>,
    /// Options by name.
    #[serde(default)]
    pub(crate) options: BTreeMap<String, String>,
    /// The position at which it begins.
    #[serde(default)]
    pub(crate) place: GamePosition,
}

/// A session as others see it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct SessionView {
    /// Its number.
    id: u64,
    /// The game.
    game: &'static str,
    /// The search family; `lines` of an engine, whose tree is made of the lines that it tells.
    family: String,
    /// Who searches.
    seat: SeatView,
    /// Its state and findings.
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
            // Engines have no evaluation that can be asked: ours explains.
            let is_ours = self.family != LINES_FAMILY;
            let family = if is_ours { self.family.as_str() } else { "" };
            let made = self.kit.player(family).map_err(|error| Problem::internal(error.to_string()))?;
            let made = advisor.insert(made);
            let none = BTreeMap::new();
            self.reach.set_frugally(&mut *made.options(), if is_ours { &self.options } else { &none })?;
        }
        match advisor.as_mut() {
            Some(player) => work(player.as_mut()),
            None => Err(Problem::internal("there is nobody to explain")),
        }
    }

    /// Lets a player work that is of the session's kind and options, without memory of its own. What it needs for a search alone, such as
    /// a process, ends with the work.
    ///
    /// # Errors
    /// When it cannot be had, or what the work finds wrong.
    pub(crate) fn compare<R>(
        &self,
        app: &App,
        work: impl FnOnce(&mut dyn Player) -> Result<R, Problem>,
    ) -> Result<R, Problem> {
        let mut comparer = self.comparer.lock().unwrap_or_else(PoisonError::into_inner);
        let player = match &mut *comparer {
            Some(player) => player,
            none => {
                let mut made = self.seat.wanted.take(app, self.kit)?.player;
                self.reach.set_frugally(&mut *made.options(), &self.options)?;
                none.insert(made)
            }
        };
        let done = work(player.as_mut());
        player.rest();
        done
    }

    /// Whose evaluation explains: that of the search, or ours where an engine searches.
    pub(crate) fn explained_by(&self) -> String {
        if self.family == LINES_FAMILY { "tesuji".to_string() } else { self.family.clone() }
    }

    pub(crate) fn view(&self) -> SessionView {
        let state = Mind::clone(&self.thinker.states().borrow());
        let (family, seat) = (self.family.clone(), self.seat.clone());
        SessionView { id: self.id, game: self.kit.name(), family, seat, state }
    }

    /// Draws what is left to chance again, where the server was not started with a seed: a new game takes another course. What was asked
    /// for by name stays.
    async fn reseed(&self, app: &App) -> Result<(), Problem> {
        if app.seed.is_some() || self.seat.kind != SeatKind::Search {
            return Ok(());
        }
        let is_open = |name: &&str| !self.options.keys().any(|set| tesuji_options::same_name(set, name));
        let offered: Vec<&str> = self.form().iter().map(|view| view.name).collect();
        let seeds = SEEDS.into_iter().filter(|name| offered.contains(name)).filter(is_open);
        let seeds = seeds.map(|name| (name.to_string(), (tesuji_arena::fresh_seed() % SEED_MAX).max(1).to_string()));
        self.set(app, seeds.collect()).await
    }

    fn form(&self) -> MutexGuard<'_, Vec<OptionView>> {
        self.form.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets options by name.
    ///
    /// # Errors
    /// The first that cannot be set.
    async fn set(&self, app: &App, options: BTreeMap<String, String>) -> Result<(), Problem> {
        if self.seat.kind != SeatKind::Search && app.guard.token().is_none() {
            check_texts(&self.form(), options.keys())?;
        }
        self.thinker.set(options.clone().into_iter().collect()).await?;
        for view in self.form().iter_mut() {
            let value = options.iter().find(|(name, _)| tesuji_options::same_name(name, view.name));
            if let Some((_, value)) = value {
                view.value.clone_from(value);
            }
        }
        Ok(())
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
/// When there are too many, memory is short, or what is wished for cannot be.
pub(crate) async fn open(app: &Arc<App>, wish: NewSession) -> Result<Arc<Session>, Problem> {
    let kit = app.kit(&wish.game)?;
    let slot = app.sessions.slot()?;
    let id = slot.id;
    let Seated { mut player, family, view, options } = seated(app, kit, Seat::of(wish.seat, &wish.family)?).await?;
    let share = loop {
        let share = app.reach.share(&*player.options());
        match share {
            Err(problem) if is_short(&problem) && app.sessions.give_way().await => {}
            share => break share?,
        }
    };
    let form = options_of(&*player.options());
    let thinker = Thinker::start(kit, player, format!("session {id}"), app.reach.clone(), share)?;
    let presence = Arc::new(Presence::new(app.sessions.clock.now()));
    // What is asked for by name goes before what the seat has.
    let options = options.into_iter().chain(wish.options).collect();
    let (reach, form) = (app.reach.clone(), Mutex::new(form));
    let (advisor, comparer) = (Mutex::default(), Mutex::default());
    let session = Session { id, kit, family, seat: view, thinker, form, presence, reach, options, advisor, comparer };
    loop {
        match session.set(app, session.options.clone()).await {
            Err(problem) if is_short(&problem) && app.sessions.give_way().await => {}
            done => break done?,
        }
    }
    session.reseed(app).await?;
    session.thinker.stand(wish.place).await?;
    let session = Arc::new(session);
    slot.fill(&session);
    Ok(session)
}

/// The player of a seat: a built-in search among other short work, an engine for as long as it takes to start.
async fn seated(app: &Arc<App>, kit: &'static dyn Kit, seat: Seat) -> Result<Seated, Problem> {
    let (with, is_built_in) = (app.clone(), seat.kind() == SeatKind::Search);
    let take = move || seat.take(&with, kit);
    if is_built_in {
        return app.work.run(move |_| take()).await;
    }
    let taken = tokio::task::spawn_blocking(take).await;
    taken.map_err(|error| Problem::internal(format!("the start of the engine broke: {error}")))?
}

/// Whether others have what is asked for.
fn is_short(problem: &Problem) -> bool {
    problem.status == StatusCode::TOO_MANY_REQUESTS
}

/// Lists the sessions.
#[utoipa::path(get, path = "/api/v1/sessions", responses((status = 200, body = Vec<SessionView>)))]
pub(crate) async fn list(State(app): State<Arc<App>>) -> Json<Vec<SessionView>> {
    Json(app.sessions.lock().open.values().map(|session| session.view()).collect())
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
    app.sessions.lock().open.remove(&id);
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a position; a search that runs stops.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/place", request_body = GamePosition,
    params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = SessionView), (status = "4XX", body = Problem)))]
pub(crate) async fn place(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Body(place): Body<GamePosition>,
) -> Result<Json<SessionView>, Problem> {
    let session = app.sessions.find(id)?;
    if place.moves.is_empty() && !session.view().state.place.moves.is_empty() {
        session.reseed(&app).await?;
    }
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
    let session = app.sessions.find(id)?;
    check_goal(&session, &goal)?;
    session.thinker.go(goal)?;
    Ok(StatusCode::ACCEPTED)
}

/// Checks that a goal can be pursued where the player stands.
fn check_goal(session: &Session, goal: &Goal) -> Result<(), Problem> {
    let zero = [("nodes", goal.nodes == Some(0)), ("depth", goal.depth == Some(0)), ("time", goal.time == Some(0))];
    if let Some((field, _)) = zero.into_iter().find(|(_, is_zero)| *is_zero) {
        return Err(Problem::unprocessable(format!("{field}: expected a number above 0")).at(field));
    }
    if goal.only.is_empty() && goal.review.is_none() {
        return Ok(());
    }
    let table = table_at(session.kit, &session.view().state.place)?;
    let legal = table.moves();
    let named = goal.only.iter().map(|mv| ("only", mv)).chain(goal.review.iter().map(|mv| ("review", mv)));
    for (field, mv) in named {
        if !legal.contains(mv) {
            let what = format!("{mv:?} is no legal move here, in the notation of the protocol");
            return Err(Problem::unprocessable(what).at(field));
        }
    }
    Ok(())
}

/// Stops thinking; what was found stays.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/stop", params(("id" = u64, Path, description = "its number")),
    responses((status = 202), (status = 404, body = Problem)))]
pub(crate) async fn stop(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<StatusCode, Problem> {
    app.sessions.find(id)?.thinker.stop();
    Ok(StatusCode::ACCEPTED)
}

/// The page that made the session goes: unless somebody listens again within a minute, the session ends.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/leave", params(("id" = u64, Path, description = "its number")),
    responses((status = 202), (status = 404, body = Problem)))]
pub(crate) async fn leave(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<StatusCode, Problem> {
    app.sessions.find(id)?.presence.leave();
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
    app.sessions.find(id)?.set(&app, options).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The options of the session's player with their values: those of an engine as it declares them.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/options", params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = Vec<OptionView>), (status = 404, body = Problem)))]
pub(crate) async fn options(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
) -> Result<Json<Vec<OptionView>>, Problem> {
    Ok(Json(app.sessions.find(id)?.form().clone()))
}

/// The figures of an evaluation about itself.
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
    let session = app.sessions.find(id)?;
    let listener = app.sessions.listen(&session);
    let states = WatchStream::new(session.thinker.states());
    let events = states.map(move |state| {
        // Somebody listens as long as this stream lives.
        let _ = &listener;
        let event = Event::default().event("state").id(state.seq.to_string());
        Ok(event.json_data(&*state).unwrap_or_else(|_| Event::default().comment("a state that JSON cannot hold")))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}
