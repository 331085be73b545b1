//! Records that the page works on, one file each in the workspace: they survive a reload of the page and of the server.

use super::wire::RecordView;
use crate::{App, Problem, api::Body, guard, workspace::Workspace};
use axum::{
    Json,
    extract::{Path as UrlPath, State},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tesuji_jobs::AtomicFile;
use utoipa::ToSchema;

/// Records that are kept at most.
const RECORDS_MAX: usize = 10_000;
/// Digits of a record's name: 128 bits, so that an address never names another server's record by accident.
const ID_DIGITS: usize = 32;

/// All records that are kept.
pub(crate) struct Store {
    folder: PathBuf,
    /// One change at a time: versions are compared and files replaced under it.
    writing: Mutex<()>,
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
}

/// A record that is to be kept.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRecord {
    /// The game.
    game: String,
    /// The whole record.
    record: RecordView,
}

/// A change of a kept record.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangedRecord {
    /// The version that it was made from.
    version: u64,
    /// The whole record as it is now.
    record: RecordView,
}

/// Where a record is kept.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct RecordKey {
    /// Its name.
    id: String,
    /// Its version.
    version: u64,
}

impl Store {
    /// The records of a workspace.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn open(space: &Workspace) -> io::Result<Store> {
        Ok(Store { folder: space.own("records")?, writing: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file of record `id`.
    fn file(&self, id: &str) -> Result<PathBuf, Problem> {
        let is_id = id.len() == ID_DIGITS && id.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if is_id { Ok(self.folder.join(format!("{id}.json"))) } else { Err(missing(id)) }
    }

    /// Keeps a new record.
    fn create(&self, game: String, record: RecordView) -> Result<RecordKey, Problem> {
        let _writing = self.lock();
        let failed = |error: io::Error| Problem::internal(format!("{}: {error}", self.folder.display()));
        if fs::read_dir(&self.folder).map_err(failed)?.count() >= RECORDS_MAX {
            let hint = format!("Remove files from {}.", self.folder.display());
            return Err(Problem::too_many(format!("{RECORDS_MAX} records are kept")).hint(hint));
        }
        let id = guard::fresh_token();
        write(&self.file(&id)?, &KeptRecord { game, version: 1, record })?;
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
        write(&self.file(id)?, &KeptRecord { game: kept.game, version, record: change.record })?;
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

/// The record in its own words, if it is one of `game`.
fn checked(app: &App, game: &str, record: RecordView) -> Result<RecordView, Problem> {
    let kit = app.kit(game)?;
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
        let record = checked(&app, &wish.game, wish.record)?;
        app.records.create(wish.game, record)
    });
    Ok((StatusCode::CREATED, Json(key.await?)))
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
        let record = checked(&app, &game, wish.record)?;
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
        let key = store.create("four".into(), RecordView::default()).expect("kept");
        assert_eq!(store.read(&key.id).expect("there").version, 1);
        let change = |version| ChangedRecord { version, record: RecordView::default() };
        assert_eq!(store.change(&key.id, change(1)).expect("changed").version, 2);
        assert_eq!(store.change(&key.id, change(1)).expect_err("made from an old version").status, 409);
    }
}
