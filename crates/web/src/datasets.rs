//! Data: files of games and positions in the workspace, read by `tesuji data` a page at a time.

use crate::{
    App, Problem,
    api::Body,
    jobs::{JobKind, JobView, Wish},
    runs::{changed, each_file},
};
use axum::{
    Json,
    extract::{Query, State},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{path::Path, process::Command, sync::Arc};
use utoipa::{IntoParams, ToSchema};

/// Endings of files that hold games or positions; they may be packed besides.
const ENDINGS: [&str; 17] = [
    "pgn", "sgs", "sgf", "kif", "kifu", "ki2", "csa", "psv", "hcp", "hcpe", "hcpe3", "sfen", "epd", "fen", "bin",
    "viri", "parquet",
];
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

/// The ending that says what is in a file.
fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let mut parts: Vec<&str> = name.split('.').collect();
    if parts.last().is_some_and(|last| PACKED.contains(last)) {
        parts.pop();
    }
    let last = (parts.len() > 1).then(|| parts.last()).flatten()?;
    ENDINGS.contains(last).then(|| last.to_string())
}

/// Lists the files of games and positions in the workspace, the newest first.
#[utoipa::path(get, path = "/api/v1/data", responses((status = 200, body = Vec<DataFile>)))]
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Vec<DataFile>>, Problem> {
    let work = app.work.clone();
    let looked = work.run(move |_| {
        let mut files = Vec::new();
        each_file(app.jobs.space.root(), &mut |path| {
            let Some(format) = ending(path) else { return };
            let of =
                |kit: &&dyn tesuji_kit::Kit| kit.formats().iter().any(|f| f.extensions().contains(&format.as_str()));
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
    responses((status = 200, body = Vec<Object>), (status = "4XX", body = Problem)))]
pub(crate) async fn rows(
    State(app): State<Arc<App>>,
    Query(wish): Query<RowsWish>,
) -> Result<Json<Vec<Value>>, Problem> {
    let path = app.jobs.space.find(&wish.file)?;
    // Opening a pipe waits for its writer.
    if ending(&path).is_none() || !path.is_file() {
        return Err(Problem::unprocessable(format!("{:?} holds no games or positions", wish.file)).at("file"));
    }
    let game = app.kit(&wish.game)?.name();
    let mut command = Command::new(app.jobs.program());
    let count = wish.count.unwrap_or(20).clamp(1, ROWS_MAX);
    command.args(["data", "show", "--json", "--game", game, "--quiet", "--skip", &wish.skip.to_string()]);
    command.args(["--count", &count.to_string()]).arg(&path).current_dir(app.jobs.space.root());
    let text = app.children.output(command).await?;
    Ok(Json(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()))
}

/// Work on a file.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewWork {
    /// `stats` or `filter`.
    kind: String,
    /// The file as called from the workspace.
    file: String,
    /// The game.
    game: String,
    /// filter: positions after so many plies (`8..200`).
    ply: String,
    /// filter: the size of the score in centipawns (`0..300`).
    score: String,
    /// filter: games of so many plies.
    plies: String,
    /// filter: with this result: `first`, `second`, `draw` as the command has it.
    result: String,
    /// filter: positions not in check.
    no_checks: bool,
    /// filter: positions whose move neither takes nor promotes.
    no_captures: bool,
}

/// Starts work on a file: statistics, or a file of what a filter keeps.
#[utoipa::path(post, path = "/api/v1/data/work", request_body = NewWork,
    responses((status = 201, body = JobView), (status = "4XX", body = Problem)))]
pub(crate) async fn work(
    State(app): State<Arc<App>>,
    Body(wish): Body<NewWork>,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    let path = app.jobs.space.find(&wish.file).map_err(|problem| problem.at("file"))?;
    let format = ending(&path).ok_or_else(|| Problem::unprocessable("it holds no games or positions").at("file"))?;
    let (game, name) = (app.kit(&wish.game)?.name(), app.jobs.space.name_of(&path));
    let is_filter = match wish.kind.as_str() {
        "stats" => false,
        "filter" => true,
        other => return Err(Problem::unprocessable(format!("{other:?}: expected stats or filter")).at("kind")),
    };
    let mut words = ["data", &wish.kind, &name].map(str::to_string).to_vec();
    let made = format!("filtered.{format}");
    let mut rest = ["--game", game].map(str::to_string).to_vec();
    if is_filter {
        for (option, value) in
            [("ply", &wish.ply), ("score", &wish.score), ("plies", &wish.plies), ("result", &wish.result)]
        {
            let is_plain =
                value.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c)) && !value.starts_with('-');
            match value.as_str() {
                "" => {}
                _ if is_plain => rest.extend([format!("--{option}"), value.clone()]),
                _ => {
                    return Err(
                        Problem::unprocessable(format!("{value:?}: expected a range such as 8..200")).at(option)
                    );
                }
            }
        }
        rest.extend(wish.no_checks.then(|| "--no-checks".to_string()));
        rest.extend(wish.no_captures.then(|| "--no-captures".to_string()));
    } else {
        rest.push("--json".into());
    }
    let job = app.jobs.add(Wish {
        kind: JobKind::Data,
        title: format!("{} {name}", wish.kind).chars().take(200).collect(),
        game: Some(game.into()),
        makes: is_filter.then(|| made.clone()),
        words: Box::new(move |folder| {
            words.extend(is_filter.then(|| format!("{folder}/{made}")));
            words.extend(rest);
            words
        }),
        again: None,
    })?;
    Ok((StatusCode::CREATED, Json(job)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_say_what_files_hold() {
        let of = |name: &str| ending(Path::new(name));
        assert_eq!(of("a/games.pgn").as_deref(), Some("pgn"));
        assert_eq!(of("a/x.y.SGS.zst").as_deref(), Some("sgs"));
        for no in ["pgn", "a.txt", "job.json", "a.zst", ".pgn.d/x"] {
            assert_eq!(of(no), None, "{no}");
        }
    }
}
