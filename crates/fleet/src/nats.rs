//! The queue over a server of NATS with JetStream. Nothing outside this file and its children is asynchronous.

mod layout;
mod objects;
mod queue;
mod roll;
mod view;

use crate::{
    FleetError, LeaseTiming,
    address::ServerAddress,
    queue::{QueueError, Received},
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
        let roll = Arc::new(roll::Roll::new(timing.listed));
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
            runtime,
        };
        let ready = queue.runtime.block_on(async {
            queue.ensure().await?;
            view::follow(&queue.client, &queue.context, queue.view.clone()).await?;
            roll::follow(&queue.client, &queue.context, queue.roll.clone()).await
        });
        ready.map_err(|error| FleetError::NoJetStream { address: queue.place.clone(), reason: error.to_string() })?;
        Ok(queue)
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
    if let Some(token) = &address.token {
        options = options.token(token.clone());
    }
    let scheme = if address.is_encrypted { "tls" } else { "nats" };
    let client = options.connect(format!("{scheme}://{}:{}", address.host, address.port)).await;
    let client = client.map_err(|error| match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            FleetError::Token { address: shown.clone() }
        }
        ConnectErrorKind::ServerParse => {
            FleetError::Address { address: shown.clone(), reason: "it names no server".into() }
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
        Err(error) => Err(FleetError::NoJetStream { address: shown, reason: causes(&error) }),
    }
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

/// What an error of the client means for who asked.
fn fault(error: &(dyn std::error::Error + 'static)) -> QueueError {
    match server_code(error) {
        Some(code) if NOT_FOUND.contains(&code) => QueueError::Missing(causes(error)),
        Some(ErrorCode::STREAM_WRONG_LAST_SEQUENCE) => QueueError::Fenced("its marks were changed".into()),
        _ => QueueError::Unreachable(causes(error)),
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
