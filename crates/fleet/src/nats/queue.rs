//! Leases, results and marks as messages of the server.

use super::{
    NatsQueue, ResultMessage, causes, fault, held,
    layout::{CHUNKS, FILES, LOGS, MARKS, RESULTS, UNITS, WORKERS},
    roll,
};
use crate::{
    files::sha256_of,
    key::id_of_key,
    outbox::{from_bytes, to_bytes},
    queue::{
        CommitMarks, Exclusion, FleetView, Lease, LeaseTiming, Mark, QueueError, Received, RunRecord, RunState,
        UnitQueue, WorkerStatus,
    },
    tally::RunProgress,
};
use async_nats::{
    HeaderMap,
    jetstream::{
        AckKind, Message,
        consumer::PullConsumer,
        kv::UpdateErrorKind,
        message::PublishMessage,
        stream::{ConsumerErrorKind, LastRawMessageErrorKind},
    },
};
use serde::{Deserialize, Serialize};
use std::{
    io::{Read, Write},
    sync::atomic::Ordering::Relaxed,
    time::{Duration, SystemTime},
};
use tesuji_jobs::units::{Unit, UnitResult};
use tokio_stream::StreamExt;

/// Results of more bytes are objects, and their messages name them.
const MESSAGE_BYTES_MAX: usize = 256 << 10;
/// The header that names the object of a large result.
const OBJECT: &str = "Tesuji-Object";
/// Results that are taken in one go.
const BATCH: usize = 100;
/// Tries to say what others say at the same time.
const TRIES: u32 = 20;
/// How much longer than it was asked to a server may wait.
const SLACK: Duration = Duration::from_secs(2);

/// Commit marks as they are stored.
#[derive(Serialize, Deserialize)]
struct StoredMarks {
    owner: String,
    beat: u64,
    units: String,
    #[serde(default)]
    progress: RunProgress,
}

impl NatsQueue {
    fn handle(&self) -> u64 {
        self.last_handle.fetch_add(1, Relaxed) + 1
    }

    /// A consumer by its name.
    async fn consumer(&self, stream: &str, name: &str) -> Result<PullConsumer, QueueError> {
        if let Some(consumer) = held(&self.consumers).get(name).cloned() {
            return Ok(consumer);
        }
        let found = self.context.get_consumer_from_stream(name, stream).await;
        let consumer: PullConsumer = found.map_err(|error| match error.kind() {
            ConsumerErrorKind::JetStream(error) => fault(&error),
            _ => fault(&error),
        })?;
        held(&self.consumers).insert(name.to_string(), consumer.clone());
        Ok(consumer)
    }

    /// Messages of a consumer: those that are there, or else the first that comes within `wait`.
    async fn take(&self, stream: &str, name: &str, most: usize, wait: Duration) -> Result<Vec<Message>, QueueError> {
        let consumer = self.consumer(stream, name).await?;
        let taken = async {
            let mut found = Vec::new();
            let mut batch = consumer.fetch().max_messages(most).messages().await.map_err(|error| causes(&error))?;
            while let Some(message) = batch.next().await {
                found.push(message.map_err(|error| error.to_string())?);
            }
            if found.is_empty() && !wait.is_zero() {
                let batch = consumer.batch().max_messages(1).expires(wait).messages().await;
                let mut batch = batch.map_err(|error| causes(&error))?;
                while let Some(message) = batch.next().await {
                    found.push(message.map_err(|error| error.to_string())?);
                }
            }
            Ok::<_, String>(found)
        };
        match tokio::time::timeout(wait + super::ANSWER + SLACK, taken).await {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(words)) => {
                // It may be gone: it is looked for again.
                held(&self.consumers).remove(name);
                match self.consumer(stream, name).await {
                    Ok(_) => Err(QueueError::Unreachable(words)),
                    Err(error) => Err(error),
                }
            }
            Err(_) => {
                held(&self.consumers).remove(name);
                Err(QueueError::Unreachable("the server does not answer".into()))
            }
        }
    }

    /// What was said last under this worker's name, with its number among all messages; nothing where nobody has the name.
    async fn last_word(&self, name: &str) -> Result<(Option<WorkerStatus>, u64), QueueError> {
        let stream = self.context.get_stream_no_info(WORKERS).await.map_err(|error| fault(&error))?;
        match stream.get_last_raw_message_by_subject(&format!("tesuji.worker.{name}")).await {
            Ok(message) => Ok((serde_json::from_slice(&message.payload).ok(), message.sequence)),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok((None, 0)),
            Err(error) => Err(fault(&error)),
        }
    }

    /// Tells the server what became of a message.
    async fn acknowledge(&self, message: &Message, kind: AckKind) -> Result<(), QueueError> {
        message.ack_with(kind).await.map_err(|error| QueueError::Unreachable(error.to_string()))
    }

    /// A message as a result; `None` where it is none.
    async fn read_result(
        &self,
        run: &str,
        message: &Message,
    ) -> Result<Option<(UnitResult, Option<String>)>, QueueError> {
        let object = message.headers.as_ref().and_then(|headers| headers.get(OBJECT)).map(|value| value.to_string());
        let mut bytes = message.payload.to_vec();
        if let Some(sum) = &object {
            bytes.clear();
            let is_read = match self.get_object(CHUNKS, sum, &mut bytes).await {
                Err(QueueError::Refused(_)) => false,
                read => read?,
            };
            if !is_read || sha256_of(&bytes) != *sum {
                self.drop_object(CHUNKS, sum).await;
                tracing::warn!(target: "fleet", "{}: its content is damaged; the worker sends it again", message.subject);
                return Ok(None);
            }
        }
        // The subject is what the server lets a worker write; what stands in the message is what it says.
        let parts: Vec<&str> = message.subject.split('.').collect();
        match (from_bytes(&bytes), parts.as_slice()) {
            (Ok((of, mut result)), ["tesuji", "result", subject_run, index, worker])
                if of == run
                    && *subject_run == run
                    && *worker == result.worker
                    && *index == result.index.to_string() =>
            {
                if self.key_name.is_some() {
                    result.worker_id = id_of_key(worker);
                }
                Ok(Some((result, object)))
            }
            _ => {
                tracing::warn!(target: "fleet", "{}: not the result that its subject names; dropped", message.subject);
                Ok(None)
            }
        }
    }
}

impl UnitQueue for NatsQueue {
    fn timing(&self) -> LeaseTiming {
        self.timing
    }

    fn key_name(&self) -> Option<&str> {
        self.key_name.as_deref()
    }

    fn incarnation(&self) -> Result<String, QueueError> {
        self.ask(async {
            let stream = self.context.get_stream(UNITS).await.map_err(|error| fault(&error))?;
            Ok(format!("{:?}", stream.cached_info().created))
        })
    }

    fn open_run(&self, record: &RunRecord) -> Result<(), QueueError> {
        let run = &record.id;
        self.ask(async {
            self.ensure().await?;
            self.make_consumer(UNITS, &NatsQueue::units_of(run), format!("tesuji.unit.{run}.*")).await?;
            self.make_consumer(RESULTS, &NatsQueue::results_of(run), format!("tesuji.result.{run}.*.*")).await?;
            self.tell_run(record).await
        })
    }

    fn close_run(&self, record: &RunRecord) -> Result<(), QueueError> {
        let run = &record.id;
        self.ask(async {
            self.tell_run(record).await?;
            if record.state == RunState::Active {
                return Ok(());
            }
            let parts = [
                (UNITS, NatsQueue::units_of(run), format!("tesuji.unit.{run}.*")),
                (RESULTS, NatsQueue::results_of(run), format!("tesuji.result.{run}.*.*")),
            ];
            for (stream, consumer, subject) in parts {
                held(&self.consumers).remove(&consumer);
                // What is gone need not go.
                let _ = self.context.delete_consumer_from_stream(consumer, stream).await;
                let stream = self.context.get_stream_no_info(stream).await.map_err(|error| fault(&error))?;
                stream.purge().filter(subject).await.map_err(|error| fault(&error))?;
            }
            held(&self.fetched).remove(run);
            Ok(())
        })
    }

    fn view(&self) -> FleetView {
        self.view.get()
    }

    fn set_mark(&self, mark: Mark, run: &str, is_set: bool) -> Result<(), QueueError> {
        self.ask(self.tell_mark(mark, run, is_set))
    }

    fn set_excluded(&self, exclusion: &Exclusion) -> Result<(), QueueError> {
        self.ask(self.tell_excluded(exclusion))
    }

    fn submit(&self, run: &str, unit: &Unit) -> Result<bool, QueueError> {
        let message = PublishMessage::build().payload(unit.body.clone().into());
        self.ask(self.publish_once(format!("tesuji.unit.{run}.{}", unit.index), message))
    }

    fn lease(&self, run: &str, wait: Duration) -> Result<Option<Lease>, QueueError> {
        let found = self.ask(self.take(UNITS, &NatsQueue::units_of(run), 1, wait))?;
        let Some(message) = found.into_iter().next() else { return Ok(None) };
        let index = roll::name_of(&message.subject).parse();
        let (Ok(index), Ok(body)) = (index, String::from_utf8(message.payload.to_vec())) else {
            tracing::warn!(target: "fleet", "{}: not a unit; dropped", message.subject);
            self.ask(self.acknowledge(&message, AckKind::Term))?;
            return Ok(None);
        };
        let deliveries = message.info().map_or(1, |info| u64::try_from(info.delivered).unwrap_or(1));
        let handle = self.handle();
        held(&self.leases).insert(handle, message);
        Ok(Some(Lease { run: run.to_string(), unit: Unit { index, body }, deliveries, handle }))
    }

    fn extend(&self, lease: &Lease) -> Result<(), QueueError> {
        let Some(message) = held(&self.leases).get(&lease.handle).cloned() else { return Ok(()) };
        self.ask(self.acknowledge(&message, AckKind::Progress))
    }

    fn settle(&self, lease: &Lease) -> Result<(), QueueError> {
        let Some(message) = held(&self.leases).remove(&lease.handle) else { return Ok(()) };
        self.ask(self.acknowledge(&message, AckKind::Ack))
    }

    fn is_current(&self, lease: &Lease) -> Result<bool, QueueError> {
        let Some(message) = held(&self.leases).get(&lease.handle).cloned() else { return Ok(false) };
        let Ok(leased) = message.info().map(|info| (info.stream_sequence, info.published)) else { return Ok(false) };
        self.ask(async {
            let stream = self.context.get_stream_no_info(UNITS).await.map_err(|error| fault(&error))?;
            match stream.get_last_raw_message_by_subject(&message.subject).await {
                // A server that lost its disk counts from the beginning again: the time tells two messages of one number apart.
                Ok(found) => Ok((found.sequence, found.time) == leased),
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(false),
                // The whole stream is lost.
                Err(error) => match error.kind() {
                    LastRawMessageErrorKind::JetStream(error) if matches!(fault(&error), QueueError::Missing(_)) => {
                        Ok(false)
                    }
                    _ => Err(fault(&error)),
                },
            }
        })
    }

    fn hand_back(&self, lease: &Lease) -> Result<(), QueueError> {
        let Some(message) = held(&self.leases).remove(&lease.handle) else { return Ok(()) };
        self.ask(async {
            self.acknowledge(&message, AckKind::Nak(None)).await?;
            self.client.flush().await.map_err(|error| QueueError::Unreachable(causes(&error)))
        })
    }

    fn put_result(&self, run: &str, result: &UnitResult) -> Result<bool, QueueError> {
        let bytes = to_bytes(run, result).map_err(|error| QueueError::Refused(error.to_string()))?;
        let subject = format!("tesuji.result.{run}.{}.{}", result.index, result.worker);
        self.ask(async {
            let mut message = PublishMessage::build();
            if bytes.len() > MESSAGE_BYTES_MAX {
                let sum = sha256_of(&bytes);
                self.put_object(CHUNKS, &sum, &mut bytes.as_slice()).await?;
                let mut headers = HeaderMap::new();
                headers.insert(OBJECT, sum.as_str());
                message = message.headers(headers);
            } else {
                message = message.payload(bytes.into());
            }
            self.publish_once(subject, message).await
        })
    }

    fn begin_receiving(&self, run: &str) -> Result<(), QueueError> {
        let name = NatsQueue::results_of(run);
        held(&self.fetched).remove(run);
        self.ask(async {
            held(&self.consumers).remove(&name);
            // Made again, it begins at the beginning.
            let _ = self.context.delete_consumer_from_stream(&name, RESULTS).await;
            self.make_consumer(RESULTS, &name, format!("tesuji.result.{run}.*.*")).await
        })
    }

    fn receive(&self, run: &str, wait: Duration) -> Result<Option<Received>, QueueError> {
        if let Some(next) = held(&self.fetched).get_mut(run).and_then(|fetched| fetched.pop_front()) {
            return Ok(Some(next));
        }
        let messages = self.ask(self.take(RESULTS, &NatsQueue::results_of(run), BATCH, wait))?;
        for message in messages {
            match self.ask(self.read_result(run, &message))? {
                Some((result, object)) => {
                    let receipt = self.handle();
                    held(&self.results).insert(receipt, ResultMessage { message, object });
                    held(&self.fetched).entry(run.into()).or_default().push_back(Received { result, receipt });
                }
                None => self.ask(self.acknowledge(&message, AckKind::Ack))?,
            }
        }
        Ok(held(&self.fetched).get_mut(run).and_then(|fetched| fetched.pop_front()))
    }

    fn discard(&self, receipt: u64) -> Result<(), QueueError> {
        let Some(ResultMessage { message, object }) = held(&self.results).remove(&receipt) else { return Ok(()) };
        self.ask(async {
            self.acknowledge(&message, AckKind::Ack).await?;
            if let Some(object) = object {
                self.drop_object(CHUNKS, &object).await;
            }
            Ok(())
        })
    }

    fn marks(&self, run: &str) -> Result<(CommitMarks, u64), QueueError> {
        self.ask(async {
            let store = self.context.get_key_value(MARKS).await.map_err(|error| fault(&error))?;
            let Some(entry) = store.entry(run).await.map_err(|error| fault(&error))? else {
                return Ok(Default::default());
            };
            let refused = |words: String| QueueError::Refused(format!("the commit marks of run {run}: {words}"));
            let stored: StoredMarks =
                serde_json::from_slice(&entry.value).map_err(|error| refused(error.to_string()))?;
            let units = stored.units.parse().map_err(refused)?;
            let StoredMarks { owner, beat, progress, .. } = stored;
            Ok((CommitMarks { owner, beat, units, progress }, entry.revision))
        })
    }

    fn set_marks(&self, run: &str, marks: &CommitMarks, expected: u64) -> Result<u64, QueueError> {
        let CommitMarks { owner, beat, units, progress } = marks.clone();
        let stored = StoredMarks { owner, beat, units: units.to_string(), progress };
        let bytes = serde_json::to_vec(&stored).map_err(|error| QueueError::Refused(error.to_string()))?;
        self.ask(async {
            let store = self.context.get_key_value(MARKS).await.map_err(|error| fault(&error))?;
            store.update(run, bytes.into(), expected).await.map_err(|error| match error.kind() {
                UpdateErrorKind::WrongLastRevision => QueueError::Fenced("its marks were changed".into()),
                _ => fault(&error),
            })
        })
    }

    fn marks_age(&self, run: &str) -> Result<Duration, QueueError> {
        self.ask(async {
            let store = self.context.get_key_value(MARKS).await.map_err(|error| fault(&error))?;
            let entry = store.entry(run).await.map_err(|error| fault(&error))?;
            let Some(written) = entry.map(|entry| SystemTime::from(entry.created)) else { return Ok(Duration::ZERO) };
            // By the server's clock, as the entry is; the consumer that is made for it says what that is.
            let now = roll::server_time(&self.context).await?;
            Ok(now.duration_since(written).unwrap_or_default())
        })
    }

    fn files_state(&self) -> Result<String, QueueError> {
        self.ask(self.objects_state(FILES))
    }

    fn has_file(&self, sha256: &str) -> Result<bool, QueueError> {
        self.ask(async { self.has_object(&self.store(FILES).await?, FILES, sha256).await })
    }

    fn put_file(&self, sha256: &str, content: &mut (dyn Read + Send)) -> Result<(), QueueError> {
        self.ask(async {
            // A server that lost its disk has no place for it.
            if let Err(QueueError::Missing(_)) = self.store(FILES).await {
                self.ensure().await?;
            }
            self.put_object(FILES, sha256, content).await
        })
    }

    fn get_file(&self, sha256: &str, out: &mut (dyn Write + Send)) -> Result<bool, QueueError> {
        self.ask(self.get_object(FILES, sha256, out))
    }

    fn join(&self, worker: &WorkerStatus) -> Result<Option<WorkerStatus>, QueueError> {
        let word = serde_json::to_vec(worker).map_err(|error| QueueError::Refused(error.to_string()))?;
        for _ in 0..TRIES {
            let (last, sequence) = self.ask(self.last_word(&worker.name))?;
            if let Some(other) = last.filter(|other| other.id != worker.id) {
                return Ok(Some(other));
            }
            let message = PublishMessage::build().payload(word.clone().into()).expected_last_subject_sequence(sequence);
            match self.ask(self.publish_once(format!("tesuji.worker.{}", worker.name), message)) {
                Ok(_) => {
                    self.roll.note(&worker.name, &word);
                    return Ok(None);
                }
                // Another one said the same at the same time: who was first has the name.
                Err(QueueError::Fenced(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Err(QueueError::Unreachable("others take the same name all the time".into()))
    }

    fn announce(&self, worker: &WorkerStatus) -> Result<(), QueueError> {
        let word = serde_json::to_vec(worker).map_err(|error| QueueError::Refused(error.to_string()))?;
        self.roll.note(&worker.name, &word);
        let subject = format!("tesuji.worker.{}", worker.name);
        self.ask(self.publish_once(subject, PublishMessage::build().payload(word.into()))).map(drop)
    }

    fn retire(&self, name: &str) -> Result<(), QueueError> {
        self.roll.note(name, &[]);
        let subject = format!("tesuji.worker.{name}");
        self.ask(self.publish_once(subject, PublishMessage::build())).map(drop)
    }

    fn workers(&self) -> Result<Vec<WorkerStatus>, QueueError> {
        self.check_connection()?;
        self.follow_roll()?;
        Ok(self.roll.list())
    }

    fn log(&self, worker: &str, line: &str) -> Result<(), QueueError> {
        let message = PublishMessage::build().payload(line.to_string().into());
        self.ask(self.publish_once(format!("tesuji.log.{worker}"), message)).map(drop)
    }

    fn logs(&self, worker: Option<&str>, count: usize) -> Result<Vec<(String, String)>, QueueError> {
        let filter = format!("tesuji.log.{}", worker.unwrap_or("*"));
        let mut all = self.ask(roll::read_all(&self.context, LOGS, &filter))?;
        let last = all.split_off(all.len().saturating_sub(count));
        let line = |kept: roll::Kept| {
            (roll::name_of(&kept.subject).to_string(), String::from_utf8_lossy(&kept.bytes).into_owned())
        };
        Ok(last.into_iter().map(line).collect())
    }
}
