//! The workers that are here: each tells of itself from time to time, and whoever lists them listens.

use super::{causes, fault, held, layout::WORKERS};
use crate::{
    key::id_of_key,
    queue::{QueueError, WorkerStatus},
};
use async_nats::{
    Client,
    jetstream::{
        Context,
        consumer::{AckPolicy, DeliverPolicy, pull},
    },
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant, SystemTime},
};
use tokio_stream::StreamExt;

/// Messages that are read in one go.
const BATCH: usize = 500;

/// What was heard of each worker, and when.
pub(super) struct Roll {
    listed: Duration,
    /// Whether a worker is told from others by its name, which its key says, and not by what it says of itself.
    has_keys: bool,
    workers: Mutex<BTreeMap<String, (WorkerStatus, Instant)>>,
}

impl Roll {
    pub(super) fn new(listed: Duration, has_keys: bool) -> Roll {
        Roll { listed, has_keys, workers: Mutex::default() }
    }

    pub(super) fn list(&self) -> Vec<WorkerStatus> {
        let mut workers = held(&self.workers);
        workers.retain(|_, (_, heard)| heard.elapsed() < self.listed);
        let told = |(worker, heard): &(WorkerStatus, Instant)| WorkerStatus {
            silent_seconds: heard.elapsed().as_secs_f64(),
            ..worker.clone()
        };
        workers.values().map(told).collect()
    }

    /// What a worker says of itself under its name; nothing where it has left.
    fn hear(&self, name: &str, word: &[u8]) {
        self.hear_of(name, word, Instant::now());
    }

    fn hear_of(&self, name: &str, word: &[u8], when: Instant) {
        let mut workers = held(&self.workers);
        match serde_json::from_slice::<WorkerStatus>(word) {
            Ok(mut worker) if worker.name == name => {
                if self.has_keys {
                    worker.id = id_of_key(name);
                }
                workers.insert(name.into(), (worker, when));
            }
            _ => drop(workers.remove(name)),
        }
    }

    /// Notes what this process itself said, without waiting to hear it.
    pub(super) fn note(&self, name: &str, word: &[u8]) {
        self.hear(name, word);
    }
}

/// Listens to workers as long as the runtime lives, and learns who was here before.
pub(super) async fn follow(client: &Client, context: &Context, roll: Arc<Roll>) -> Result<(), QueueError> {
    let mut words =
        client.subscribe("tesuji.worker.*").await.map_err(|error| QueueError::Unreachable(causes(&error)))?;
    for Kept { subject, bytes, age } in read_all(context, WORKERS, "tesuji.worker.*").await? {
        let when = Instant::now().checked_sub(age).unwrap_or_else(Instant::now);
        roll.hear_of(name_of(&subject), &bytes, when);
    }
    tokio::spawn(async move {
        while let Some(word) = words.next().await {
            roll.hear(name_of(&word.subject), &word.payload);
        }
    });
    Ok(())
}

/// The name of the worker that a subject ends with.
pub(super) fn name_of(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or(subject)
}

/// A message as it lies in the server.
pub(super) struct Kept {
    pub(super) subject: String,
    pub(super) bytes: Vec<u8>,
    /// How long it has been there, by the server's clock.
    pub(super) age: Duration,
}

/// What the server's clock shows: clocks of other machines differ.
pub(super) async fn server_time(context: &Context) -> Result<SystemTime, QueueError> {
    let config = pull::Config {
        ack_policy: AckPolicy::None,
        inactive_threshold: Duration::from_secs(5),
        ..pull::Config::default()
    };
    let consumer = context.create_consumer_on_stream(config, WORKERS).await.map_err(|error| fault(&error))?;
    let info = consumer.cached_info();
    let (name, now) = (info.name.clone(), SystemTime::from(info.created));
    let _ = context.delete_consumer_from_stream(name, WORKERS).await;
    Ok(now)
}

/// All messages of a stream that match, oldest first.
pub(super) async fn read_all(context: &Context, stream: &str, filter: &str) -> Result<Vec<Kept>, QueueError> {
    let config = pull::Config {
        filter_subject: filter.into(),
        ack_policy: AckPolicy::None,
        deliver_policy: DeliverPolicy::All,
        inactive_threshold: Duration::from_secs(30),
        ..pull::Config::default()
    };
    let consumer = context.create_consumer_on_stream(config, stream).await.map_err(|error| fault(&error))?;
    let now = SystemTime::from(consumer.cached_info().created);
    let mut all = Vec::new();
    loop {
        let batch = consumer.fetch().max_messages(BATCH).messages().await;
        let mut batch = batch.map_err(|error| QueueError::Unreachable(causes(&error)))?;
        let before = all.len();
        while let Some(message) = batch.next().await {
            let message = message.map_err(|error| QueueError::Unreachable(error.to_string()))?;
            let written = message.info().map_or(now, |info| SystemTime::from(info.published));
            all.push(Kept {
                subject: message.subject.to_string(),
                bytes: message.payload.to_vec(),
                age: now.duration_since(written).unwrap_or_default(),
            });
        }
        if all.len() < before + BATCH {
            break;
        }
    }
    let name = consumer.cached_info().name.clone();
    let _ = context.delete_consumer_from_stream(name, stream).await;
    Ok(all)
}
