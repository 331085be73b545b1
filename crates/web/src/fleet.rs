//! The fleet of the workspace: who works and on what, as addresses of the API; the work is in `tesuji_fleet`.

pub(crate) mod link;
mod view;

use crate::{App, Problem, body::Body};
use axum::{
    Json,
    extract::{Path, Query, State},
};
use link::{FleetLink, FleetPlace};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tesuji_fleet::{Fleet, FleetStatus, HAS_NATS};
use utoipa::{IntoParams, ToSchema};
use view::FleetState;

/// Lines of workers in one answer at most.
const LINES_MAX: usize = 1_000;
/// The run that stands for all of them.
const ALL: &str = "all";

/// That a run is done by the workspace's fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FleetWish {
    /// Workers take units of the runs with the highest priority first: 1 to 1000.
    #[serde(default = "usual_priority")]
    pub(crate) priority: u32,
}

fn usual_priority() -> u32 {
    1
}

/// What is known of the workspace's fleet.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FleetPage {
    /// Whether this program can reach fleets.
    is_built: bool,
    /// Where the fleet is; null: the workspace has none.
    place: Option<FleetPlace>,
    /// Why it cannot be reached now.
    problem: Option<String>,
    /// The version of the `nats-server` on this machine, with which a fleet can be started here; null: there is none.
    server: Option<String>,
    /// The folder in which `tesuji fleet up` keeps the fleet of this workspace.
    folder: String,
    /// Its workers and runs; null where it cannot be reached.
    state: Option<FleetState>,
}

/// Shows the workspace's fleet: the one that was chosen, else the one that `tesuji fleet up` started in this folder.
#[utoipa::path(get, path = "/api/v1/fleet", responses((status = 200, body = FleetPage)))]
pub(crate) async fn show(State(app): State<Arc<App>>) -> Result<Json<FleetPage>, Problem> {
    let fleet = app.fleet.clone();
    app.work.run(move |_| Ok(page(&fleet))).await.map(Json)
}

fn page(link: &FleetLink) -> FleetPage {
    let place = link.place();
    let asked = place.as_ref().filter(|_| HAS_NATS).map(|_| {
        let fleet = link.connect()?;
        FleetStatus::of(&fleet).map_err(|error| error.to_string())
    });
    let (state, problem) = match asked {
        Some(Ok(status)) => (Some(FleetState::of(&status)), None),
        Some(Err(problem)) => (None, Some(problem)),
        None => (None, None),
    };
    let server = if HAS_NATS && place.is_none() { link.server() } else { None };
    FleetPage { is_built: HAS_NATS, place, problem, server, folder: link.folder(), state }
}

/// Refuses what reaches other machines where nobody has shown a token.
fn check_token(app: &App) -> Result<(), Problem> {
    if app.guard.token().is_some() {
        return Ok(());
    }
    let problem = Problem::forbidden("without a token the page neither chooses a fleet nor changes its runs");
    Err(problem.hint("Use the commands of `tesuji fleet`, or start `tesuji serve` without --no-token."))
}

/// Where a fleet is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FleetChoice {
    /// The address with its token, or the file of a key, as `tesuji fleet up` printed it.
    address: String,
}

/// Chooses the fleet of the workspace, if it answers. Its address is kept in a file that nobody else may read.
#[utoipa::path(post, path = "/api/v1/fleet", request_body = FleetChoice,
    responses((status = 200, body = FleetPage), (status = "4XX", body = Problem)))]
pub(crate) async fn choose(
    State(app): State<Arc<App>>,
    Body(wish): Body<FleetChoice>,
) -> Result<Json<FleetPage>, Problem> {
    check_token(&app)?;
    let address = wish.address.trim().to_string();
    // Files are named from the workspace, as commands name them there.
    let address = if address.contains("://") || address.is_empty() {
        address
    } else {
        app.jobs.space.find(&address).map_err(|problem| problem.at("address"))?.display().to_string()
    };
    let fleet = app.fleet.clone();
    let chosen = move |_| {
        fleet.choose(&address).map_err(|error| Problem::unprocessable(error).at("address"))?;
        Ok(page(&fleet))
    };
    app.work.run(chosen).await.map(Json)
}

/// Forgets the fleet that was chosen; the fleet itself goes on.
#[utoipa::path(delete, path = "/api/v1/fleet", responses((status = 200, body = FleetPage)))]
pub(crate) async fn forget(State(app): State<Arc<App>>) -> Result<Json<FleetPage>, Problem> {
    check_token(&app)?;
    let fleet = app.fleet.clone();
    let forgotten = move |_| {
        fleet.forget().map_err(|error| Problem::internal(error.to_string()))?;
        Ok(page(&fleet))
    };
    app.work.run(forgotten).await.map(Json)
}

/// Connects, or says why not.
fn connected(link: &FleetLink) -> Result<Arc<Fleet>, Problem> {
    link.connect().map_err(|problem| Problem::conflict(problem).hint("See the page Fleet."))
}

/// Does something with a run, by its number, or with `all` of them: `pause`, `resume`, `stop` (one run alone).
#[utoipa::path(post, path = "/api/v1/fleet/runs/{run}/{deed}",
    params(("run" = String, Path, description = "its number, or `all`"), ("deed" = String, Path, description = "what to do")),
    responses((status = 200, body = FleetPage), (status = "4XX", body = Problem)))]
pub(crate) async fn act(
    State(app): State<Arc<App>>,
    Path((run, deed)): Path<(String, String)>,
) -> Result<Json<FleetPage>, Problem> {
    check_token(&app)?;
    let link = app.fleet.clone();
    let done = move |_| {
        let fleet = connected(&link)?;
        let of = Some(run.as_str()).filter(|run| *run != ALL);
        let done = match (deed.as_str(), of) {
            ("pause", of) => fleet.pause(of, true),
            ("resume", of) => fleet.resume(of),
            ("stop", Some(run)) => fleet.stop(Some(run), true),
            ("stop", None) => {
                let problem = Problem::conflict("the whole fleet is ended where it was started");
                return Err(problem.hint("tesuji fleet stop --all, or Ctrl-C at `tesuji fleet up`."));
            }
            _ => {
                let problem = Problem::not_found(format!("a run cannot {deed:?}"));
                return Err(problem.hint("There are: pause, resume, stop."));
            }
        };
        done.map_err(|error| Problem::conflict(error.to_string()))?;
        Ok(page(&link))
    };
    app.work.run(done).await.map(Json)
}

/// Whose results are set aside.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DropWish {
    /// The worker, by its name or identifier.
    worker: String,
    /// Whether it may take units of the run again.
    #[serde(default)]
    undo: bool,
}

/// Sets aside what a worker did for a run, so that others do it again; or lets it take units again.
#[utoipa::path(post, path = "/api/v1/fleet/runs/{run}/workers", request_body = DropWish,
    params(("run" = String, Path, description = "its number")),
    responses((status = 200, body = FleetPage), (status = "4XX", body = Problem)))]
pub(crate) async fn drop_worker(
    State(app): State<Arc<App>>,
    Path(run): Path<String>,
    Body(wish): Body<DropWish>,
) -> Result<Json<FleetPage>, Problem> {
    check_token(&app)?;
    let link = app.fleet.clone();
    let done = move |_| {
        let done = connected(&link)?.exclude(&run, &wish.worker, !wish.undo);
        done.map_err(|error| Problem::conflict(error.to_string()))?;
        Ok(page(&link))
    };
    app.work.run(done).await.map(Json)
}

/// Which lines.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct LogsWish {
    /// Of one worker alone.
    worker: Option<String>,
    /// At most this many.
    last: Option<usize>,
}

/// A line that a worker said.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FleetLine {
    /// The worker, or `coordinator`.
    worker: String,
    /// What it said.
    line: String,
}

/// Reads what workers said last, oldest first: faults, crashes with their stderr, versions that do not fit.
#[utoipa::path(get, path = "/api/v1/fleet/logs", params(LogsWish),
    responses((status = 200, body = Vec<FleetLine>), (status = "4XX", body = Problem)))]
pub(crate) async fn logs(
    State(app): State<Arc<App>>,
    Query(wish): Query<LogsWish>,
) -> Result<Json<Vec<FleetLine>>, Problem> {
    let link = app.fleet.clone();
    let read = move |_| {
        let count = wish.last.unwrap_or(100).clamp(1, LINES_MAX);
        let lines = connected(&link)?.logs(wish.worker.as_deref(), count);
        let lines = lines.map_err(|error| Problem::conflict(error.to_string()))?;
        Ok(lines.into_iter().map(|(worker, line)| FleetLine { worker, line }).collect())
    };
    app.work.run(read).await.map(Json)
}
