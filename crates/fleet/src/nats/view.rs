//! Runs and marks: one value in the server, told to everybody when it changes, and read again from time to time.

use super::{NatsQueue, causes, fault, held, layout::CONTROL, publish_fault};
use crate::queue::{Exclusion, FleetView, Mark, QueueError, RunRecord, RunState};
use async_nats::{
    Client,
    jetstream::{Context, ErrorCode, context::PublishErrorKind, kv::UpdateErrorKind},
};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, sync::Mutex, time::Duration};
use tokio_stream::StreamExt;

/// The key of the value.
const KEY: &str = "view";
/// The subject on which a change is told.
const CHANGED: &str = "tesuji.view";
/// Between two looks at the value itself: a word that was missed is not missed for long.
const REREAD: Duration = Duration::from_secs(5);
/// Runs that have ended and are still listed.
const ENDED_MAX: usize = 50;
/// Tries to write what others write at the same time.
const TRIES: u32 = 50;

/// The value.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Stored {
    runs: Vec<RunRecord>,
    paused: Vec<String>,
    stopped: Vec<String>,
    #[serde(default)]
    excluded: Vec<Exclusion>,
}

/// What was told last, with its revision.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    revision: u64,
    view: Stored,
}

/// The view as this process knows it.
#[derive(Debug, Default)]
pub(super) struct SharedView(Mutex<(u64, Stored)>);

impl SharedView {
    pub(super) fn get(&self) -> FleetView {
        let Stored { runs, paused, stopped, excluded } = held(&self.0).1.clone();
        FleetView { runs, paused, stopped, excluded }
    }

    /// Takes what was told, unless something newer was: words of several coordinators may come in another order than they were written.
    fn hear(&self, told: Told) {
        let mut view = held(&self.0);
        if told.revision > view.0 {
            *view = (told.revision, told.view);
        }
    }

    fn revision(&self) -> u64 {
        held(&self.0).0
    }

    /// Takes what was read, unless something was told while it was. It may be older than what is known: a server may have lost its disk.
    fn set_read(&self, told: Told, known: u64) {
        let mut view = held(&self.0);
        if view.0 == known || told.revision > view.0 {
            *view = (told.revision, told.view);
        }
    }
}

/// Reads the value: an empty one where there is none.
async fn read(context: &Context) -> Result<Told, QueueError> {
    let store = context.get_key_value(CONTROL).await.map_err(|error| fault(&error))?;
    let entry = store.entry(KEY).await.map_err(|error| fault(&error))?;
    let Some(entry) = entry else { return Ok(Told { revision: 0, view: Stored::default() }) };
    let view = serde_json::from_slice(&entry.value).map_err(|error| {
        QueueError::Refused(format!("the server's list of runs is of another version of tesuji: {error}"))
    })?;
    Ok(Told { revision: entry.revision, view })
}

/// Keeps the view as it is in the server, as long as the runtime lives.
pub(super) async fn follow(client: &Client, context: &Context, view: Arc<SharedView>) -> Result<(), QueueError> {
    let mut words = client.subscribe(CHANGED).await.map_err(|error| QueueError::Unreachable(causes(&error)))?;
    view.set_read(read(context).await?, 0);
    let heard = view.clone();
    tokio::spawn(async move {
        while let Some(word) = words.next().await {
            if let Ok(told) = serde_json::from_slice(&word.payload) {
                heard.hear(told);
            }
        }
    });
    let context = context.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(REREAD).await;
            // A server that lost its disk knows nothing of runs whose coordinators will tell it again.
            let known = view.revision();
            if let Ok(told) = read(&context).await {
                view.set_read(told, known);
            }
        }
    });
    Ok(())
}

impl NatsQueue {
    /// Changes the value, whoever else changes it at the same time; nothing is written where nothing changes.
    async fn change_view(&self, change: impl Fn(&mut Stored)) -> Result<(), QueueError> {
        for _ in 0..TRIES {
            let known = self.view.revision();
            let mut told = read(&self.context).await?;
            let before = serde_json::to_vec(&told.view).unwrap_or_default();
            change(&mut told.view);
            let after = serde_json::to_vec(&told.view).unwrap_or_default();
            if before == after {
                self.view.set_read(told, known);
                return Ok(());
            }
            let store = self.context.get_key_value(CONTROL).await.map_err(|error| fault(&error))?;
            match store.update(KEY, after.into(), told.revision).await {
                Ok(revision) => {
                    told.revision = revision;
                    let word = serde_json::to_vec(&told).unwrap_or_default();
                    self.view.set_read(told, known);
                    // Whoever misses it reads the value.
                    let _ = self.client.publish(CHANGED, word.into()).await;
                    let _ = self.client.flush().await;
                    return Ok(());
                }
                Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {}
                Err(error) => return Err(fault(&error)),
            }
        }
        Err(QueueError::Unreachable("the list of runs is changed by others all the time".into()))
    }

    /// Puts a run into the list, or changes it there.
    pub(super) async fn tell_run(&self, record: &RunRecord) -> Result<(), QueueError> {
        self.change_view(|view| {
            match view.runs.iter_mut().find(|run| run.id == record.id) {
                Some(run) => *run = record.clone(),
                None => view.runs.push(record.clone()),
            }
            let mut extra =
                view.runs.iter().filter(|run| run.state != RunState::Active).count().saturating_sub(ENDED_MAX);
            view.runs.retain(|run| {
                let goes = extra > 0 && run.state != RunState::Active;
                extra -= usize::from(goes);
                !goes
            });
            let Stored { runs, excluded, .. } = view;
            excluded.retain(|exclusion| runs.iter().any(|run| run.id == exclusion.run));
        })
        .await
    }

    /// Says that a run wants no results of a worker, or that it wants them again.
    pub(super) async fn tell_excluded(&self, exclusion: &Exclusion) -> Result<(), QueueError> {
        self.change_view(|view| {
            view.excluded.retain(|other| other.run != exclusion.run || other.worker.worker != exclusion.worker.worker);
            view.excluded.push(exclusion.clone());
        })
        .await
    }

    /// Sets a mark, or takes it off.
    pub(super) async fn tell_mark(&self, mark: Mark, run: &str, is_set: bool) -> Result<(), QueueError> {
        self.change_view(|view| {
            let list = if mark == Mark::Pause { &mut view.paused } else { &mut view.stopped };
            list.retain(|name| name != run);
            if is_set {
                list.push(run.to_string());
            }
        })
        .await
    }

    /// Publishes, and waits until the server has the message; `false` where it refuses a second one of this subject.
    pub(super) async fn publish_once(
        &self,
        subject: String,
        message: async_nats::jetstream::message::PublishMessage,
    ) -> Result<bool, QueueError> {
        let sent = self.context.send_publish(subject, message).await;
        let acknowledged = match sent {
            Ok(acknowledged) => acknowledged.await,
            Err(error) => Err(error),
        };
        match acknowledged {
            Ok(_) => Ok(true),
            Err(error)
                if error.kind() == PublishErrorKind::Other
                    && super::server_code(&error) == Some(ErrorCode::STREAM_STORE_FAILED) =>
            {
                let words = causes(&error);
                if words.contains("per subject") { Ok(false) } else { Err(super::unreachable(&error)) }
            }
            Err(error) => Err(publish_fault(&error)),
        }
    }
}
