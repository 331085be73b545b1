//! The queue over a server of NATS with JetStream. Nothing outside this file and its children is asynchronous.

mod layout;
mod objects;
mod queue;
mod roll;
mod stand_in;
mod view;

pub use stand_in::StandIns;

use crate::{
    FleetError, LeaseTiming,
    address::ServerAddress,
    key::OPERATOR,
    permissions::inbox_of,
    queue::{DISK_FULL, QueueError, Received},
    server::is_new_enough,
};
use async_nats::{
    Client, ConnectErrorKind, ConnectOptions,
    connection::State,
    jetstream::{self, Context, ErrorCode, Message, consumer::PullConsumer, context::PublishErrorKind},
};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
    time::Duration,
};
use tokio::runtime::Runtime;

/// How long an answer of the server is waited for.
const ANSWER: Duration = Duration::from_secs(5);

/// In what the client says of a server whose certificate it does not trust.
const NOT_TRUSTED: &str = "invalid peer certificate";

/// How long the last messages may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// The queue of a server.
pub(crate) struct NatsQueue {
    client: Client,
    context: Context,
    timing: LeaseTiming,
    /// Where the server is, for errors.
    place: String,
    /// What this process knows the messages that it holds by.
    last_handle: AtomicU64,
    leases: Mutex<BTreeMap<u64, Message>>,
    results: Mutex<BTreeMap<u64, ResultMessage>>,
    /// Results of a run that came together and are not handed on yet.
    fetched: Mutex<BTreeMap<String, VecDeque<Received>>>,
    /// Consumers by their names.
    consumers: Mutex<BTreeMap<String, PullConsumer>>,
    view: Arc<view::SharedView>,
    roll: Arc<roll::Roll>,
    /// Whether this process listens to what workers say of themselves.
    follows_roll: Mutex<bool>,
    /// Who this process is, where each has a key of its own.
    key_name: Option<String>,
    // The last to go: what is above may need it.
    runtime: Runtime,
}

/// A result as it lies in the server.
struct ResultMessage {
    message: Message,
    /// The object that holds it where it is large.
    object: Option<String>,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl NatsQueue {
    /// Connects, and makes what every fleet needs.
    pub(crate) fn connect(address: &ServerAddress, timing: LeaseTiming) -> Result<NatsQueue, FleetError> {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).thread_name("fleet-nats").enable_all().build();
        let runtime = runtime.map_err(|error| FleetError::Queue(format!("no threads for the connection: {error}")))?;
        let place = address.to_string();
        let (client, context) = runtime.block_on(open(address))?;
        let view = Arc::new(view::SharedView::default());
        let key_name = address.user.clone();
        let roll = Arc::new(roll::Roll::new(timing.listed, key_name.is_some()));
        let queue = NatsQueue {
            client,
            context,
            timing,
            place,
            last_handle: AtomicU64::new(0),
            leases: Mutex::default(),
            results: Mutex::default(),
            fetched: Mutex::default(),
            consumers: Mutex::default(),
            view,
            roll,
            follows_roll: Mutex::new(false),
            key_name,
            runtime,
        };
        let ready = queue.runtime.block_on(async {
            // A worker with a key of its own makes nothing, and is told nothing of others.
            if !queue.is_worker() {
                queue.ensure().await?;
            }
            view::follow(&queue.client, &queue.context, queue.view.clone()).await
        });
        ready.map_err(|error| no_store(&queue.place, error.to_string()))?;
        Ok(queue)
    }

    /// Whether this process has the key of a worker.
    fn is_worker(&self) -> bool {
        self.key_name.as_ref().is_some_and(|name| name != OPERATOR)
    }

    /// Listens to what workers say of themselves, once somebody asks who is here: where each of ten thousand workers did, the server would
    /// send every word ten thousand times.
    fn follow_roll(&self) -> Result<(), QueueError> {
        let mut follows = held(&self.follows_roll);
        if !*follows && !self.is_worker() {
            self.ask(roll::follow(&self.client, &self.context, self.roll.clone()))?;
            *follows = true;
        }
        Ok(())
    }

    /// Runs a question to its answer, unless the connection is down: then nobody waits.
    fn ask<T>(&self, question: impl Future<Output = Result<T, QueueError>>) -> Result<T, QueueError> {
        self.check_connection()?;
        self.runtime.block_on(question)
    }

    fn check_connection(&self) -> Result<(), QueueError> {
        match self.client.connection_state() {
            State::Connected => Ok(()),
            _ => Err(QueueError::Unreachable(format!("{}: no connection to the server", self.place))),
        }
    }
}

impl Drop for NatsQueue {
    /// Sends what is on its way: an acknowledgement that stays here costs a second run of its unit.
    fn drop(&mut self) {
        if self.check_connection().is_ok() {
            let flushed = async { tokio::time::timeout(FAREWELL, self.client.flush()).await };
            let _ = self.runtime.block_on(flushed);
        }
    }
}

/// Connects to a server, and checks that it is one that a fleet can use.
async fn open(address: &ServerAddress) -> Result<(Client, Context), FleetError> {
    let shown = address.to_string();
    let mut options = ConnectOptions::new()
        .name("tesuji")
        .connection_timeout(ANSWER)
        .request_timeout(Some(ANSWER))
        .ping_interval(Duration::from_secs(10))
        .max_reconnects(None)
        .reconnect_delay_callback(|attempts| Duration::from_millis((attempts as u64 * 100).clamp(100, 2_000)))
        .require_tls(address.is_encrypted);
    let secret = address.token.clone();
    options = match &address.user {
        Some(user) => {
            let prefix = inbox_of(user);
            options.user_and_password(user.clone(), secret.unwrap_or_default()).custom_inbox_prefix(prefix)
        }
        None => match secret {
            Some(token) => options.token(token),
            None => options,
        },
    };
    if let Some(file) = &address.authority {
        options = options.add_root_certificates(file.clone());
    }
    let scheme = if address.is_encrypted { "tls" } else { "nats" };
    let client = options.connect(format!("{scheme}://{}:{}", address.host, address.port)).await;
    let client = client.map_err(|error| match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => match &address.user {
            Some(name) => FleetError::RefusedKey { address: shown.clone(), name: name.clone() },
            None => FleetError::Token { address: shown.clone() },
        },
        ConnectErrorKind::ServerParse => {
            FleetError::Address { address: shown.clone(), reason: "it names no server".into() }
        }
        _ if causes(&error).contains(NOT_TRUSTED) => {
            FleetError::Certificate { address: shown.clone(), reason: causes(&error) }
        }
        _ => FleetError::NoServer { address: shown.clone(), reason: causes(&error) },
    })?;
    let version = client.server_info().version;
    if !is_new_enough(&version) {
        return Err(FleetError::OldServer { address: shown, version });
    }
    let context = jetstream::context::ContextBuilder::new().timeout(ANSWER).ack_timeout(ANSWER).build(client.clone());
    match context.query_account().await {
        Ok(_) => Ok((client, context)),
        Err(error) => Err(no_store(&shown, causes(&error))),
    }
}

/// The error of a server that doesn't keep messages: it cannot, it has no room, or it doesn't answer in time.
fn no_store(address: &str, reason: String) -> FleetError {
    let address = address.to_string();
    if reason.contains("timed out") {
        return FleetError::NoServer { address, reason };
    }
    if is_no_room(&reason) {
        return FleetError::Queue(format!("{address}: {DISK_FULL} ({reason}); make some room on it"));
    }
    FleetError::NoJetStream { address, reason }
}

/// Whether a server says that it has no room on its disk: it could not write, make a consumer, or may use no more of it.
fn is_no_room(words: &str) -> bool {
    ["no space left", "error code 10012", "error code 10047"].iter().any(|sign| words.contains(sign))
}

/// An error with what caused it.
fn causes(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words
}

/// The error of the server among the causes of an error, by its number.
fn server_code(error: &(dyn std::error::Error + 'static)) -> Option<ErrorCode> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<jetstream::Error>() {
            return Some(error.error_code());
        }
        cause = error.source();
    }
    None
}

/// Numbers of what is not there.
const NOT_FOUND: [ErrorCode; 2] = [ErrorCode::CONSUMER_NOT_FOUND, ErrorCode::STREAM_NOT_FOUND];

/// The words of a server that can be asked again later.
fn unreachable(error: &(dyn std::error::Error + 'static)) -> QueueError {
    let words = causes(error);
    QueueError::Unreachable(if is_no_room(&words) { format!("{DISK_FULL} ({words})") } else { words })
}

/// What an error of the client means for who asked.
fn fault(error: &(dyn std::error::Error + 'static)) -> QueueError {
    match server_code(error) {
        Some(code) if NOT_FOUND.contains(&code) => QueueError::Missing(causes(error)),
        Some(ErrorCode::STREAM_WRONG_LAST_SEQUENCE) => QueueError::Fenced("its marks were changed".into()),
        _ => unreachable(error),
    }
}

/// What an error of a publication means.
fn publish_fault(error: &jetstream::context::PublishError) -> QueueError {
    match error.kind() {
        PublishErrorKind::StreamNotFound => QueueError::Missing("the server has no stream for it".into()),
        PublishErrorKind::WrongLastSequence => QueueError::Fenced("its marks were changed".into()),
        PublishErrorKind::MaxPayloadExceeded => QueueError::Refused("the server takes no messages of this size".into()),
        _ => fault(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        KeyOptions, NatsServer, ServerOptions,
        files::sha256_of,
        key::{id_of_key, make_key},
        outbox::to_bytes,
        queue::{Mark, RunRecord, RunState, UnitQueue},
    };
    use std::path::Path;
    use tesuji_jobs::units::{Unit, UnitResult};

    fn connect(key: &str) -> NatsQueue {
        NatsQueue::connect(&crate::key::server_named(key).unwrap(), LeaseTiming::default()).unwrap()
    }

    fn result(worker: &str, id: &str) -> UnitResult {
        UnitResult { index: 0, worker: worker.into(), worker_id: id.into(), outcome: Ok(b"9".to_vec()) }
    }

    fn record() -> RunRecord {
        let word = || "r".to_string();
        let state = RunState::Active;
        let (id, name, kind, request, version) = (word(), word(), word(), word(), word());
        RunRecord { id, name, kind, request, nodes_limited: true, priority: 1, protocol: 1, version, state }
    }

    /// What the holder of a key tries beyond what this program does: to have the server send what it wrote as the result of another worker.
    async fn forge(queue: &NatsQueue, bytes: &[u8]) -> Result<(), QueueError> {
        let sum = sha256_of(bytes);
        queue.put_object(layout::CHUNKS, &sum, &mut &*bytes).await?;
        let target = "tesuji.result.r.0.good";
        let asked = [
            ("$JS.API.DIRECT.GET.OBJ_tesuji-chunks", r#"{"seq":1}"#.to_string()),
            ("$JS.API.STREAM.MSG.GET.OBJ_tesuji-chunks", r#"{"seq":1}"#.to_string()),
            ("$JS.API.DIRECT.GET.TESUJI_LOGS", r#"{"seq":1}"#.to_string()),
        ];
        for (subject, body) in asked {
            let asked = queue.client.publish_with_reply(subject, target, body.into()).await;
            asked.map_err(|error| QueueError::Refused(error.to_string()))?;
        }
        let consumer = r#"{"stream_name":"OBJ_tesuji-chunks","config":{"deliver_subject":"tesuji.result.r.0.good","ack_policy":"none","name":"x"}}"#;
        let created = queue.client.publish("$JS.API.CONSUMER.CREATE.OBJ_tesuji-chunks.x", consumer.into()).await;
        created.map_err(|error| QueueError::Refused(error.to_string()))?;
        queue.client.flush().await.map_err(|error| QueueError::Refused(error.to_string()))
    }

    /// The server itself refuses what is not under the name of the key.
    #[test]
    fn the_holder_of_a_key_writes_under_its_own_name_alone() {
        if crate::find_server().is_err() {
            tesuji_testkit::needs::skip("needs nats-server of 2.10 or later");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let at: &Path = folder.path();
        let options = || ServerOptions {
            keys: Some(KeyOptions::default()),
            ..ServerOptions::new(at.into(), "127.0.0.1".into(), None)
        };
        // Its keys are made once it has an authority.
        drop(NatsServer::start(&options()).unwrap());
        let key = make_key(at, "evil").unwrap();
        let server = NatsServer::start(&options()).unwrap();
        let operator = connect(&server.url());
        operator.open_run(&record()).unwrap();
        operator.begin_receiving("r").unwrap();
        let evil = connect(&key.display().to_string());
        assert_eq!((operator.key_name(), evil.key_name()), (Some("operator"), Some("evil")));
        let forged = to_bytes("r", &result("good", "key-good")).unwrap();
        evil.ask(forge(&evil, &forged)).unwrap();
        // Refused questions have no answer: each takes the time that an answer may take.
        std::thread::scope(|scope| {
            let tries: [Box<dyn Fn() -> bool + Send>; 6] = [
                Box::new(|| evil.put_result("r", &result("good", "key-good")).is_err()),
                Box::new(|| evil.log("good", "I am bad").is_err()),
                Box::new(|| evil.submit("r", &Unit { index: 5, body: "bad".into() }).is_err()),
                Box::new(|| evil.put_file(&"0".repeat(64), &mut &b"bad"[..]).is_err()),
                Box::new(|| evil.set_mark(Mark::Stop, "r", true).is_err()),
                Box::new(|| evil.retire("good").is_err()),
            ];
            for (number, thread) in tries.map(|attempt| scope.spawn(attempt)).into_iter().enumerate() {
                assert!(thread.join().unwrap(), "attempt {number} came through");
            }
        });
        // Under its own name it says what it likes, and it stays its own.
        assert!(evil.put_result("r", &result("evil", "key-good")).unwrap());
        let received = operator.receive("r", Duration::from_secs(5)).unwrap().unwrap().result;
        assert_eq!(received, result("evil", &id_of_key("evil")));
        assert!(operator.receive("r", Duration::from_millis(500)).unwrap().is_none());
        assert!(operator.logs(Some("good"), 5).unwrap().is_empty());
        assert!(!operator.has_file(&"0".repeat(64)).unwrap() && !operator.view().is_stopped("r"));
        // Nor was what failed only slow: the unit is new.
        assert!(operator.submit("r", &Unit { index: 5, body: "good".into() }).unwrap());
    }
}
