//! Data: files of games and positions in the workspace, read by `tesuji data` a page at a time.

use crate::{
    App, Problem,
    body::{Body, check_fields},
    jobs::{JobKind, JobView, Wish},
    runs::{changed, each_file},
};
use axum::{
    Json,
    extract::{Query, State},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{path::Path, process::Command, sync::Arc};
use tesuji_dataset::tasks::{DataRequest, DataTask, FilterTask, ShowTask, StatsTask, Writing};
use tesuji_kit::Kit;
use tesuji_report::data::DataRow;
use utoipa::{IntoParams, ToSchema};

/// Endings of files that hold positions of any game; files of a game's own formats have others, and may be packed besides.
const OF_ANY_GAME: [&str; 2] = ["bin", "parquet"];
/// Endings that other files have, too.
const OF_ANYTHING: [&str; 2] = ["txt", "text"];
/// Endings of packed files.
const PACKED: [&str; 5] = ["zst", "gz", "xz", "bz2", "zip"];
/// Files that are listed.
const FILES_MAX: usize = 1000;
/// Records in one answer.
const ROWS_MAX: u64 = 50;

/// A file of games or positions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct DataFile {
    /// As called from the workspace.
    path: String,
    /// Its ending, without that of a packer.
    format: String,
    /// Bytes.
    size: u64,
    /// When it changed last, in seconds since 1970.
    changed: u64,
    /// Games that have such a format.
    games: Vec<&'static str>,
}

/// Whether a game has games or positions in files of that ending.
fn is_ending_of(kit: &dyn Kit, ending: &str) -> bool {
    let of_games = kit.formats().iter().any(|format| format.extensions().contains(&ending));
    let positions = kit.survey().map_or(&[][..], |survey| survey.formats());
    of_games || positions.iter().any(|format| format.extensions().contains(&ending))
}

/// The ending that says what is in a file.
fn ending(path: &Path, kits: &[&dyn Kit]) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let mut parts: Vec<&str> = name.split('.').collect();
    if parts.last().is_some_and(|last| PACKED.contains(last)) {
        parts.pop();
    }
    let last = (parts.len() > 1).then(|| parts.last()).flatten()?;
    let of_a_game = || !OF_ANYTHING.contains(last) && kits.iter().any(|kit| is_ending_of(*kit, last));
    (OF_ANY_GAME.contains(last) || of_a_game()).then(|| last.to_string())
}

/// Lists the files of games and positions in the workspace, the newest first.
#[utoipa::path(get, path = "/api/v1/data", responses((status = 200, body = Vec<DataFile>)))]
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Vec<DataFile>>, Problem> {
    let work = app.work.clone();
    let looked = work.run(move |_| {
        let mut files = Vec::new();
        each_file(app.jobs.space.root(), &mut |path| {
            let Some(format) = ending(path, app.kits) else { return };
            let of = |kit: &&dyn Kit| kit.formats().iter().any(|f| f.extensions().contains(&format.as_str()));
            let games = app.kits.iter().copied().filter(of).map(|kit| kit.name()).collect();
            let size = std::fs::metadata(path).map_or(0, |data| data.len());
            files.push(DataFile { path: app.jobs.space.name_of(path), size, changed: changed(path), games, format });
        });
        files.sort_by_key(|file| std::cmp::Reverse(file.changed));
        files.truncate(FILES_MAX);
        Ok(files)
    });
    looked.await.map(Json)
}

/// Which records.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct RowsWish {
    /// The file as called from the workspace.
    file: String,
    /// The game.
    game: String,
    /// Records that are passed over.
    #[serde(default)]
    skip: u64,
    /// Records at most.
    count: Option<u64>,
}

/// Reads some records of a file, as `tesuji data show --json` prints them.
#[utoipa::path(get, path = "/api/v1/data/rows", params(RowsWish),
    responses((status = 200, body = Vec<DataRow>), (status = "4XX", body = Problem)))]
pub(crate) async fn rows(
    State(app): State<Arc<App>>,
    Query(wish): Query<RowsWish>,
) -> Result<Json<Vec<DataRow>>, Problem> {
    let path = app.jobs.space.find(&wish.file)?;
    // Opening a pipe waits for its writer.
    if ending(&path, app.kits).is_none() || !path.is_file() {
        return Err(Problem::unprocessable(format!("{:?} holds no games or positions", wish.file)).at("file"));
    }
    let count = wish.count.unwrap_or(20).clamp(1, ROWS_MAX);
    let request = DataRequest {
        version: DataRequest::VERSION,
        game: Some(app.kit(&wish.game)?.name().into()),
        inputs: vec![app.jobs.space.name_of(&path).into()],
        from: None,
        skip_errors: false,
        jobs: 0,
        task: DataTask::Show(ShowTask { skip: wish.skip, count }),
    };
    // Nothing is kept of it: the request stands in the command line itself.
    let mut command = Command::new(app.jobs.program());
    command.args(["data", "show", "--json", "--quiet", "--request", &json!(request).to_string()]);
    command.current_dir(app.jobs.space.root());
    let text = app.children.output(command).await?;
    Ok(Json(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()))
}

/// Starts work on a file: statistics, or a file of what a filter keeps. The request is that of `tesuji data … --request`, without its output.
#[utoipa::path(post, path = "/api/v1/data/work", request_body = DataRequest,
    responses((status = 201, body = JobView), (status = "4XX", body = Problem)))]
pub(crate) async fn work(
    State(app): State<Arc<App>>,
    Body(asked): Body<DataRequest>,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    let [input] = &asked.inputs[..] else {
        return Err(Problem::unprocessable("one file is worked on at a time").at("inputs"));
    };
    let path = app.jobs.space.find(&input.to_string_lossy()).map_err(|problem| problem.at("inputs"))?;
    let format =
        ending(&path, app.kits).ok_or_else(|| Problem::unprocessable("it holds no games or positions").at("inputs"))?;
    let (game, name) = (app.kit(asked.game.as_deref().unwrap_or_default())?.name(), app.jobs.space.name_of(&path));
    check_task(&asked.task)?;
    let (is_filter, verb) = match asked.task {
        DataTask::Filter(_) => (true, "filter"),
        _ => (false, "stats"),
    };
    let made = format!("filtered.{format}");
    let asked = DataRequest { game: Some(game.into()), inputs: vec![name.clone().into()], jobs: 0, ..asked };
    let asked = with_output(asked, made.clone());
    asked.validate().map_err(Problem::of_request)?;
    let makes = is_filter.then(|| made.clone());
    let job = app.jobs.add(Wish {
        kind: JobKind::Data,
        title: format!("{verb} {name}").chars().take(200).collect(),
        game: Some(game.into()),
        command: if is_filter { &["data", "filter"] } else { &["data", "stats"] },
        shown: if is_filter { &[] } else { &["--json"] },
        fleet: Vec::new(),
        makes,
        request: Box::new(move |folder| json!(with_output(asked, format!("{folder}/{made}")))),
        again: None,
    })?;
    Ok((StatusCode::CREATED, Json(job)))
}

/// Refuses tasks that the page does not offer, and settings that are the server's own.
fn check_task(task: &DataTask) -> Result<(), Problem> {
    match task {
        DataTask::Filter(filter) => check_fields(&**filter, &FilterTask::default(), &["wanted"]),
        DataTask::Stats(stats) => check_fields(stats, &StatsTask::default(), &[]),
        other => Err(Problem::unprocessable(format!("{}: expected stats or filter", other.name())).at("task")),
    }
}

/// The request with the file that it writes, if it writes one.
fn with_output(mut asked: DataRequest, output: String) -> DataRequest {
    if let DataTask::Filter(filter) = &mut asked.task {
        filter.writing = Writing { output: output.into(), ..Writing::default() };
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_say_what_files_hold() {
        let of = |name: &str| ending(Path::new(name), &[&tesuji_four::FOUR]);
        assert_eq!(of("a/games.four").as_deref(), Some("four"));
        assert_eq!(of("a/x.y.CELLS.zst").as_deref(), Some("cells"));
        assert_eq!(of("rows.parquet").as_deref(), Some("parquet"));
        for no in ["four", "a.txt", "job.json", "a.zst", ".four.d/x", "games.pgn"] {
            assert_eq!(of(no), None, "{no}");
        }
    }
}
