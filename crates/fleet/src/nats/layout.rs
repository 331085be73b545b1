//! What a fleet has in its server: streams, buckets and consumers, their names and limits. All of it can be made again.

use super::{NatsQueue, causes, fault, held};
use crate::queue::QueueError;
use async_nats::jetstream::{
    consumer::{AckPolicy, pull},
    kv, object_store,
    stream::{Config, DiscardPolicy, RetentionPolicy, StorageType},
};
use std::time::Duration;

/// Units that wait or are under way: `tesuji.unit.RUN.INDEX`.
pub(super) const UNITS: &str = "TESUJI_UNITS";
/// Results on their way to the coordinator: `tesuji.result.RUN.INDEX.WORKER`.
pub(super) const RESULTS: &str = "TESUJI_RESULTS";
/// What each worker said last of itself: `tesuji.worker.NAME`.
pub(super) const WORKERS: &str = "TESUJI_WORKERS";
/// Lines that workers say: `tesuji.log.NAME`.
pub(super) const LOGS: &str = "TESUJI_LOGS";
/// The bucket of runs and marks, all under one key.
pub(super) const CONTROL: &str = "tesuji-control";
/// The bucket of commit marks, a key for each run.
pub(super) const MARKS: &str = "tesuji-marks";
/// Files of runs, by SHA-256.
pub(super) const FILES: &str = "tesuji-files";
/// Results that are too large for a message, by SHA-256.
pub(super) const CHUNKS: &str = "tesuji-chunks";

/// Messages that all workers together may have under way: more than there are workers.
const UNDER_WAY_MAX: i64 = 1_000_000;
/// Lines of a worker that are kept.
const LINES_MAX: i64 = 2_000;
/// How long lines are kept.
const LINES_AGE: Duration = Duration::from_secs(30 * 86_400);

/// A stream that refuses a second message of the same subject, and drops what is acknowledged.
fn work_queue(name: &str, subject: &str) -> Config {
    Config {
        name: name.into(),
        subjects: vec![subject.into()],
        retention: RetentionPolicy::WorkQueue,
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        storage: StorageType::File,
        // Twice the same is told by the subject, for ever.
        duplicate_window: Duration::from_secs(1),
        ..Config::default()
    }
}

impl NatsQueue {
    /// Makes what every fleet needs and the server has not.
    pub(super) async fn ensure(&self) -> Result<(), QueueError> {
        let workers = Config {
            name: WORKERS.into(),
            subjects: vec!["tesuji.worker.*".into()],
            max_messages_per_subject: 1,
            max_age: self.timing.listed,
            storage: StorageType::Memory,
            duplicate_window: Duration::from_secs(1),
            ..Config::default()
        };
        let logs = Config {
            name: LOGS.into(),
            subjects: vec!["tesuji.log.*".into()],
            max_messages_per_subject: LINES_MAX,
            max_age: LINES_AGE,
            storage: StorageType::File,
            ..Config::default()
        };
        let streams = [work_queue(UNITS, "tesuji.unit.*.*"), work_queue(RESULTS, "tesuji.result.*.*.*"), workers, logs];
        for stream in streams {
            let name = stream.name.clone();
            // One of that name is taken as it is: a worker may not be allowed to make any.
            if self.context.get_stream(&name).await.is_err() {
                self.context.create_stream(stream).await.map_err(|error| made(&name, &error))?;
            }
        }
        for bucket in [CONTROL, MARKS] {
            if self.context.get_key_value(bucket).await.is_err() {
                let config = kv::Config { bucket: bucket.into(), history: 1, ..kv::Config::default() };
                self.context.create_key_value(config).await.map_err(|error| made(bucket, &error))?;
            }
        }
        if self.context.get_object_store(FILES).await.is_err() {
            let config = object_store::Config { bucket: FILES.into(), ..object_store::Config::default() };
            self.context.create_object_store(config).await.map_err(|error| made(FILES, &error))?;
        }
        self.ensure_chunks().await
    }

    /// Makes the bucket of large results. Workers write to it, so no object of it is told as it was written: the server would send such an
    /// answer to any subject, also to that of another worker's result.
    async fn ensure_chunks(&self) -> Result<(), QueueError> {
        let name = format!("OBJ_{CHUNKS}");
        let Ok(found) = self.context.get_stream(&name).await else {
            let config = Config {
                name,
                subjects: ["C", "M"].map(|part| format!("$O.{CHUNKS}.{part}.>")).into(),
                discard: DiscardPolicy::New,
                allow_rollup: true,
                storage: StorageType::File,
                ..Config::default()
            };
            return self.context.create_stream(config).await.map(drop).map_err(|error| made(CHUNKS, &error));
        };
        let config = &found.cached_info().config;
        if config.allow_direct {
            let config = Config { allow_direct: false, ..config.clone() };
            self.context.update_stream(&config).await.map_err(|error| made(CHUNKS, &error))?;
        }
        Ok(())
    }

    /// The name of the consumer through which workers take the units of a run.
    pub(super) fn units_of(run: &str) -> String {
        format!("units-{run}")
    }

    /// The name of the consumer through which the coordinator takes the results of a run.
    pub(super) fn results_of(run: &str) -> String {
        format!("results-{run}")
    }

    /// Makes the consumer of a run's units or results; one that is there is taken as it is.
    pub(super) async fn make_consumer(&self, stream: &str, name: &str, filter: String) -> Result<(), QueueError> {
        let config = pull::Config {
            durable_name: Some(name.into()),
            filter_subject: filter,
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.timing.lease,
            max_ack_pending: UNDER_WAY_MAX,
            ..pull::Config::default()
        };
        let made = self.context.create_consumer_on_stream(config, stream).await.map_err(|error| fault(&error))?;
        held(&self.consumers).insert(name.into(), made);
        Ok(())
    }
}

/// The error of making something, which may come from nobody being allowed to.
fn made(name: &str, error: &(dyn std::error::Error + 'static)) -> QueueError {
    match fault(error) {
        QueueError::Unreachable(_) => QueueError::Unreachable(format!("{name} cannot be made: {}", causes(error))),
        other => other,
    }
}
