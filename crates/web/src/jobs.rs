//! Jobs: all that runs for longer than a moment, as addresses of the API.

mod job;
mod memo;
mod numbered;
mod progress;
mod store;
mod view;

pub(crate) use memo::{JobKind, OUT_FILE};
pub(crate) use store::{Jobs, Wish};
pub(crate) use view::JobView;

use crate::{App, Problem};
use axum::{
    Json,
    body::Body,
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use memo::LOG_FILE;
use numbered::Numbered;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    convert::Infallible,
    fs::File,
    io::{Read, Seek, SeekFrom},
    sync::Arc,
    time::Duration,
};
use store::News;
use tokio::sync::mpsc;
use tokio_stream::{Stream, wrappers::ReceiverStream};
use utoipa::{IntoParams, ToSchema};

/// Bytes of a log in one answer.
const LOG_MAX: u64 = 64 << 10;
/// Bytes of a file in one answer.
const FILE_MAX: u64 = 256 << 20;
/// Bytes of a file that are read ahead of the client.
const CHUNK: u64 = 64 << 10;
/// The header that carries the number of a state.
const SEQ_HEADER: &str = "x-seq";
/// The interval of keep-alive messages on a silent event stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Lists the jobs of the workspace, the newest first.
#[utoipa::path(get, path = "/api/v1/jobs", responses((status = 200, body = Vec<JobView>)))]
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Vec<JobView>>, Problem> {
    app.clone().work.run(move |_| Ok(app.jobs.list())).await.map(Json)
}

/// Shows one job.
#[utoipa::path(get, path = "/api/v1/jobs/{id}", params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = JobView), (status = 404, body = Problem)))]
pub(crate) async fn show(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<Json<JobView>, Problem> {
    app.clone().work.run(move |_| app.jobs.show(id)).await.map(Json)
}

/// Does something with a job: `pause`, `resume`, `finish` (what is begun), `cancel`, `restore` (after it was removed).
#[utoipa::path(post, path = "/api/v1/jobs/{id}/{deed}",
    params(("id" = u64, Path, description = "its number"), ("deed" = String, Path, description = "what to do")),
    responses((status = 200, body = JobView), (status = "4XX", body = Problem)))]
pub(crate) async fn act(
    State(app): State<Arc<App>>,
    Path((id, deed)): Path<(u64, String)>,
) -> Result<Json<JobView>, Problem> {
    // It may wait for the end of a process.
    let done = tokio::task::spawn_blocking(move || match deed.as_str() {
        "pause" | "resume" | "finish" | "cancel" => app.jobs.act(id, &deed),
        "restore" => app.jobs.restore(id),
        _ => Err(Problem::not_found(format!("a job cannot {deed:?}"))
            .hint("There are: pause, resume, finish, cancel, restore.")),
    });
    done.await.map_err(|error| Problem::internal(error.to_string()))?.map(Json)
}

/// Takes a job that rests out of the list; `restore` takes it back.
#[utoipa::path(delete, path = "/api/v1/jobs/{id}", params(("id" = u64, Path, description = "its number")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn remove(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<StatusCode, Problem> {
    app.jobs.remove(id).map(|()| StatusCode::NO_CONTENT)
}

/// Which part of a log.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct LogWish {
    /// From this byte on; negative: this many bytes before its end.
    #[serde(default)]
    after: i64,
    /// `log` (what it says) or `out` (what it found).
    #[serde(default)]
    of: String,
}

/// A part of a log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LogPart {
    /// The text.
    text: String,
    /// The byte behind it: ask for more from there.
    next: u64,
}

/// Reads what a job says.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/log", params(("id" = u64, Path, description = "its number"), LogWish),
    responses((status = 200, body = LogPart), (status = 404, body = Problem)))]
pub(crate) async fn log(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Query(wish): Query<LogWish>,
) -> Result<Json<LogPart>, Problem> {
    app.clone().work.run(move |_| part(&app, id, &wish)).await.map(Json)
}

fn part(app: &App, id: u64, wish: &LogWish) -> Result<LogPart, Problem> {
    let (folder, _) = app.jobs.find(id)?;
    let name = if wish.of == "out" { OUT_FILE } else { LOG_FILE };
    let Ok(mut file) = File::open(folder.join(name)) else {
        return Ok(LogPart { text: String::new(), next: 0 });
    };
    let broken = |error: std::io::Error| Problem::internal(error.to_string());
    let length = file.metadata().map_err(broken)?.len();
    let from = if wish.after < 0 { length.saturating_sub(wish.after.unsigned_abs()) } else { wish.after as u64 };
    let from = from.min(length);
    file.seek(SeekFrom::Start(from)).map_err(broken)?;
    let mut bytes = Vec::new();
    file.take(LOG_MAX).read_to_end(&mut bytes).map_err(broken)?;
    Ok(LogPart { text: String::from_utf8_lossy(&bytes).into_owned(), next: from + bytes.len() as u64 })
}

/// What can be seen of the work now: JSON of the work's own shape (of a match `MatchView`), the same that the stream's event `live` has, with its number
/// as the header `x-seq`.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/live", params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = Object), (status = 404, body = Problem)))]
pub(crate) async fn live(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<Response, Problem> {
    let live = app.clone().work.run(move |_| app.jobs.live(id)).await?;
    let text = if live.seq == 0 { "null".to_string() } else { live.text.to_string() };
    let headers = [(header::CONTENT_TYPE.as_str(), "application/json".to_string()), (SEQ_HEADER, live.seq.to_string())];
    Ok((headers, text).into_response())
}

/// A file that a job has made.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/files/{name}",
    params(("id" = u64, Path, description = "its number"), ("name" = String, Path, description = "the file's name")),
    responses((status = 200), (status = "4XX", body = Problem)))]
pub(crate) async fn file(
    State(app): State<Arc<App>>,
    Path((id, name)): Path<(u64, String)>,
) -> Result<Response, Problem> {
    let (folder, _) = app.jobs.find(id)?;
    if name.contains(['/', '\\']) {
        return Err(Problem::forbidden(format!("{name:?} is no name of a file of a job")));
    }
    let path = app.jobs.space.find(&format!("{}/{name}", app.jobs.space.name_of(&folder)))?;
    let data = std::fs::metadata(&path).map_err(|error| Problem::internal(error.to_string()))?;
    if !data.is_file() {
        return Err(Problem::not_found(format!("{name:?} is no file")));
    }
    if data.len() > FILE_MAX {
        let hint = format!("It is at {}.", app.jobs.space.name_of(&path));
        return Err(Problem::unprocessable(format!("{name} has {} bytes", data.len())).hint(hint));
    }
    let file = File::open(&path).map_err(|error| Problem::internal(error.to_string()))?;
    let kept = format!("attachment; filename=\"{}\"", name.replace('"', ""));
    let headers = [(header::CONTENT_TYPE, "application/octet-stream".to_string()), (header::CONTENT_DISPOSITION, kept)];
    Ok((headers, streamed(file, data.len())).into_response())
}

/// The first `length` bytes of a file, which are read as the client takes them.
fn streamed(file: File, length: u64) -> Body {
    let (sender, receiver) = mpsc::channel::<std::io::Result<Vec<u8>>>(2);
    tokio::task::spawn_blocking(move || {
        let mut rest = file.take(length);
        loop {
            let mut chunk = Vec::new();
            let read = rest.by_ref().take(CHUNK).read_to_end(&mut chunk);
            let is_over = !matches!(read, Ok(n) if n > 0);
            if matches!(read, Ok(0)) || sender.blocking_send(read.map(|_| chunk)).is_err() || is_over {
                return;
            }
        }
    });
    Body::from_stream(ReceiverStream::new(receiver))
}

/// Which job is looked at closely.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct EventsWish {
    /// The number of the job whose `live` events come, too.
    watch: Option<u64>,
}

/// Jobs as they change: server-sent events `job` (a job), `gone` (a number), and `live` of the job that is watched. All jobs come
/// at once, then what changes, at most five times a second; who reads slowly misses states, never the newest. The id of `job` and
/// `live` is the number of the state: no event has a smaller one than an earlier event of the same kind and job.
#[utoipa::path(get, path = "/api/v1/jobs/events", params(EventsWish),
    responses((status = 200, content_type = "text/event-stream")))]
pub(crate) async fn events(
    State(app): State<Arc<App>>,
    Query(wish): Query<EventsWish>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (sender, receiver) = mpsc::channel(64);
    tokio::spawn(tell(app, wish.watch, sender));
    Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

/// Sends what changes until nobody listens.
async fn tell(app: Arc<App>, watched: Option<u64>, sender: mpsc::Sender<Result<Event, Infallible>>) {
    let mut news = app.jobs.news();
    // What was told while nobody listened may be old: the work is looked at now.
    let first = match watched {
        Some(id) => {
            let jobs = app.jobs.clone();
            app.work.run(move |_| jobs.live(id)).await.unwrap_or_default()
        }
        None => Numbered::default(),
    };
    drop(app);
    let mut told = Told { watched, ..Told::default() };
    let mut events: Vec<Event> = told.live(&first).into_iter().collect();
    loop {
        let now: Arc<News> = news.borrow_and_update().clone();
        if now.is_last {
            return;
        }
        told.add(&now, &mut events);
        events.push(Event::default().comment("now"));
        for event in events.drain(..) {
            if sender.send(Ok(event)).await.is_err() {
                return;
            }
        }
        if news.changed().await.is_err() {
            return;
        }
    }
}

/// The state of jobs that one client was told last.
#[derive(Default)]
struct Told {
    watched: Option<u64>,
    /// The number of each job's state.
    jobs: BTreeMap<u64, u64>,
    /// The number of what was seen of the job that is watched.
    live: u64,
}

impl Told {
    /// The event of `seen`, if it is newer than what was told.
    fn live(&mut self, seen: &Numbered) -> Option<Event> {
        let is_new = seen.seq > self.live;
        self.live = self.live.max(seen.seq);
        is_new.then(|| event("live", seen))
    }

    /// Adds the events of what is newer in `news` than what was told.
    fn add(&mut self, news: &News, events: &mut Vec<Event>) {
        for (&id, job) in &news.jobs {
            let told = self.jobs.entry(id).or_default();
            if job.seq > *told {
                *told = job.seq;
                events.push(event("job", job));
            }
        }
        self.jobs.retain(|id, _| {
            let stays = news.jobs.contains_key(id);
            if !stays {
                events.push(Event::default().event("gone").data(id.to_string()));
            }
            stays
        });
        let seen = self.watched.and_then(|id| news.live.get(&id));
        events.extend(seen.and_then(|seen| self.live(seen)));
    }
}

fn event(name: &str, state: &Numbered) -> Event {
    Event::default().event(name).id(state.seq.to_string()).data(&*state.text)
}
