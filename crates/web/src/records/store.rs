//! Records that the page works on, one file each in the workspace: they survive a reload of the page and of the server.

use super::{engine_game::EngineGame, wire::RecordView};
use crate::{App, Problem, body::Body, guard, places::Ended, work::Deadline, workspace::Workspace};
use axum::{
    Json,
    extract::{Path as UrlPath, Query, State},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};
use tesuji_jobs::AtomicFile;
use utoipa::{IntoParams, ToSchema};

/// Records that are kept at most.
const RECORDS_MAX: usize = 10_000;
/// Digits of a new record's name: short enough for an address that people pass on, and 48 bits, so that it hardly ever names another
/// workspace's record by accident.
const ID_DIGITS: usize = 12;
/// Digits of the names that earlier versions gave: such records are still there.
const LONG_ID_DIGITS: usize = 32;
/// Records of one list at most.
const LIST_MAX: usize = 200;
/// The tags that a list tells.
const LIST_TAGS: [&str; 5] = ["White", "Black", "Event", "Date", "GameStartTime"];

/// All records that are kept.
pub(crate) struct Store {
    folder: PathBuf,
    /// One change at a time: versions are compared and files replaced under it.
    writing: Mutex<()>,
    /// Rows of the list with the times of the files that they were read from, by the records' names: files may be large.
    rows: Mutex<HashMap<String, (SystemTime, RecordRow)>>,
}

/// A record with the number of its last change.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeptRecord {
    /// The game.
    pub(crate) game: String,
    /// Grows by one with each change. A change must name the version that it was made from.
    pub(crate) version: u64,
    /// The whole record.
    pub(crate) record: RecordView,
    /// The game against an engine that it is; none: it is none, or over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) play: Option<EngineGame>,
}

/// A record that is to be kept.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRecord {
    /// The game.
    game: String,
    /// The whole record.
    record: RecordView,
    /// The game against an engine that it is.
    #[serde(default)]
    play: Option<EngineGame>,
}

/// A change of a kept record.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangedRecord {
    /// The version that it was made from.
    version: u64,
    /// The whole record as it is now.
    record: RecordView,
    /// The game against an engine that it is now.
    #[serde(default)]
    play: Option<EngineGame>,
}

/// The place at which a record is kept.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct RecordKey {
    /// Its name.
    id: String,
    /// Its version.
    version: u64,
}

/// A kept record in a list.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct RecordRow {
    /// Its name.
    id: String,
    /// The game.
    game: String,
    /// Players, event and dates, as far as the record says: White, Black, Event, Date, GameStartTime.
    tags: Vec<(String, String)>,
    /// Moves of the main line.
    plies: usize,
    /// Its end; none: unknown, or not over.
    outcome: Option<Ended>,
    /// The last change, in seconds since 1970.
    changed: u64,
}

/// Kept records, the one that was changed last first.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct RecordList {
    /// Those of this answer.
    records: Vec<RecordRow>,
    /// Whether there are more.
    has_more: bool,
}

/// Which kept records.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ListWish {
    /// Only records of this game; empty: all.
    game: String,
    /// Leave out this many of the newest.
    skip: usize,
    /// So many at most, up to 200; none: 200.
    limit: Option<usize>,
}

/// A name for a new record.
fn fresh_id() -> String {
    let mut id = guard::fresh_token();
    id.truncate(ID_DIGITS);
    id
}

impl Store {
    /// The records of a workspace.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn open(space: &Workspace) -> io::Result<Store> {
        Ok(Store { folder: space.own("records")?, writing: Mutex::default(), rows: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file of record `id`.
    fn file(&self, id: &str) -> Result<PathBuf, Problem> {
        let is_id = [ID_DIGITS, LONG_ID_DIGITS].contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if is_id { Ok(self.folder.join(format!("{id}.json"))) } else { Err(missing(id)) }
    }

    /// Keeps a new record.
    fn create(&self, game: String, record: RecordView, play: Option<EngineGame>) -> Result<RecordKey, Problem> {
        let _writing = self.lock();
        let failed = |error: io::Error| Problem::internal(format!("{}: {error}", self.folder.display()));
        if fs::read_dir(&self.folder).map_err(failed)?.count() >= RECORDS_MAX {
            let hint = format!("Remove files from {}.", self.folder.display());
            return Err(Problem::too_many(format!("{RECORDS_MAX} records are kept")).hint(hint));
        }
        let mut id = fresh_id();
        // One in many billions is taken already.
        while self.file(&id)?.exists() {
            id = fresh_id();
        }
        write(&self.file(&id)?, &KeptRecord { game, version: 1, record, play })?;
        Ok(RecordKey { id, version: 1 })
    }

    /// Record `id`.
    fn read(&self, id: &str) -> Result<KeptRecord, Problem> {
        let path = self.file(id)?;
        let bytes = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(id),
            _ => Problem::internal(format!("{}: {error}", path.display())),
        })?;
        serde_json::from_slice(&bytes).map_err(|error| Problem::internal(format!("{}: {error}", path.display())))
    }

    /// The files of all records with the times of their last changes, the newest first.
    fn files(&self) -> io::Result<Vec<(SystemTime, String)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".json")).filter(|id| self.file(id).is_ok());
            // A file that was removed meanwhile is not in the list.
            let changed = entry.metadata().and_then(|about| about.modified());
            files.extend(id.zip(changed.ok()).map(|(id, changed)| (changed, id.to_string())));
        }
        files.sort_by(|a, b| b.cmp(a));
        Ok(files)
    }

    /// The list entry of record `id`, whose file was changed at `changed`; none where it cannot be read.
    fn row(&self, id: &str, changed: SystemTime) -> Option<RecordRow> {
        let rows = || self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, row)) = rows().get(id).filter(|(then, _)| *then == changed) {
            return Some(row.clone());
        }
        let KeptRecord { game, record, .. } = self.read(id).ok()?;
        let tags = record.tags().iter().filter(|(tag, _)| LIST_TAGS.contains(&tag.as_str())).cloned().collect();
        let (plies, outcome) = (record.main_plies(), record.outcome().cloned());
        let changed_secs = changed.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let row = RecordRow { id: id.into(), game, tags, plies, outcome, changed: changed_secs };
        rows().insert(id.to_string(), (changed, row.clone()));
        Some(row)
    }

    /// The records that are meant; where reading them takes too long, the first of them.
    fn list(&self, wish: &ListWish, deadline: Deadline) -> Result<RecordList, Problem> {
        let failed = |error: io::Error| Problem::internal(format!("{}: {error}", self.folder.display()));
        let limit = wish.limit.unwrap_or(LIST_MAX).min(LIST_MAX);
        let files = self.files().map_err(failed)?;
        let read = files.iter().take_while(|_| !deadline.is_over()).filter_map(|(changed, id)| self.row(id, *changed));
        let meant = read.filter(|row| wish.game.is_empty() || row.game == wish.game);
        let mut records: Vec<RecordRow> = meant.skip(wish.skip).take(limit + 1).collect();
        let has_more = records.len() > limit;
        records.truncate(limit);
        Ok(RecordList { records, has_more })
    }

    /// Removes record `id`.
    fn remove(&self, id: &str) -> Result<(), Problem> {
        let _writing = self.lock();
        let path = self.file(id)?;
        fs::remove_file(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(id),
            _ => Problem::internal(format!("{}: {error}", path.display())),
        })?;
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        Ok(())
    }

    /// Replaces record `id`, unless it was changed by others since `change.version`.
    fn change(&self, id: &str, change: ChangedRecord) -> Result<RecordKey, Problem> {
        let _writing = self.lock();
        let kept = self.read(id)?;
        if kept.version != change.version {
            let words =
                format!("the record is at version {}, the change was made from {}", kept.version, change.version);
            return Err(Problem::conflict(words).hint("Another window has changed it: save this one as a new record."));
        }
        let version = kept.version + 1;
        write(&self.file(id)?, &KeptRecord { game: kept.game, version, record: change.record, play: change.play })?;
        Ok(RecordKey { id: id.into(), version })
    }
}

fn missing(id: &str) -> Problem {
    Problem::not_found(format!("no record {id:?} is kept here"))
}

fn write(path: &Path, kept: &KeptRecord) -> Result<(), Problem> {
    let bytes = serde_json::to_vec(kept).map_err(|error| Problem::internal(error.to_string()))?;
    AtomicFile::write(path, &bytes).map_err(|error| Problem::internal(error.to_string()))
}

/// The record in its own words, if it is one of `game`, and so is the game that it is.
fn checked(app: &App, game: &str, record: RecordView, play: Option<&EngineGame>) -> Result<RecordView, Problem> {
    let kit = app.kit(game)?;
    play.map_or(Ok(()), EngineGame::check)?;
    Ok(RecordView::of(kit, &record.record(kit)?))
}

/// Keeps a record, so that it is found again.
#[utoipa::path(post, path = "/api/v1/records", request_body = NewRecord,
    responses((status = 201, body = RecordKey), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Body(wish): Body<NewRecord>,
) -> Result<(StatusCode, Json<RecordKey>), Problem> {
    let work = app.work.clone();
    let key = work.run(move |_| {
        let record = checked(&app, &wish.game, wish.record, wish.play.as_ref())?;
        app.records.create(wish.game, record, wish.play)
    });
    Ok((StatusCode::CREATED, Json(key.await?)))
}

/// Lists the records that are kept, the one that was changed last first.
#[utoipa::path(get, path = "/api/v1/records", params(ListWish),
    responses((status = 200, body = RecordList), (status = "4XX", body = Problem)))]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Query(wish): Query<ListWish>,
) -> Result<Json<RecordList>, Problem> {
    let work = app.work.clone();
    work.run(move |deadline| app.records.list(&wish, deadline)).await.map(Json)
}

/// Removes a record that is kept.
#[utoipa::path(delete, path = "/api/v1/records/{id}", params(("id" = String, Path, description = "its name")),
    responses((status = 204), (status = 404, body = Problem)))]
pub(crate) async fn remove(State(app): State<Arc<App>>, UrlPath(id): UrlPath<String>) -> Result<StatusCode, Problem> {
    let work = app.work.clone();
    work.run(move |_| app.records.remove(&id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Shows a record that is kept.
#[utoipa::path(get, path = "/api/v1/records/{id}", params(("id" = String, Path, description = "its name")),
    responses((status = 200, body = KeptRecord), (status = 404, body = Problem)))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    UrlPath(id): UrlPath<String>,
) -> Result<Json<KeptRecord>, Problem> {
    let work = app.work.clone();
    work.run(move |_| app.records.read(&id)).await.map(Json)
}

/// Replaces a record that is kept. 409: it was changed since the version that the change was made from.
#[utoipa::path(put, path = "/api/v1/records/{id}", request_body = ChangedRecord,
    params(("id" = String, Path, description = "its name")),
    responses((status = 200, body = RecordKey), (status = "4XX", body = Problem)))]
pub(crate) async fn change(
    State(app): State<Arc<App>>,
    UrlPath(id): UrlPath<String>,
    Body(wish): Body<ChangedRecord>,
) -> Result<Json<RecordKey>, Problem> {
    let work = app.work.clone();
    let key = work.run(move |_| {
        let game = app.records.read(&id)?.game;
        let record = checked(&app, &game, wish.record, wish.play.as_ref())?;
        app.records.change(&id, ChangedRecord { record, ..wish })
    });
    key.await.map(Json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_records_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let space = Workspace::open(folder.path()).expect("it is made");
        let store = Store::open(&space).expect("a folder");
        fs::write(folder.path().join(".tesuji/secret.json"), "{}").expect("written");
        for bad in ["", "../secret", "..%2fsecret", "0", &"g".repeat(32), &"/".repeat(32)] {
            assert_eq!(store.read(bad).expect_err(bad).status, 404, "{bad}");
        }
        let key = store.create("four".into(), RecordView::default(), None).expect("kept");
        assert_eq!(store.read(&key.id).expect("there").version, 1);
        let change = |version| ChangedRecord { version, record: RecordView::default(), play: None };
        assert_eq!(store.change(&key.id, change(1)).expect("changed").version, 2);
        assert_eq!(store.change(&key.id, change(1)).expect_err("made from an old version").status, 409);
    }
}
