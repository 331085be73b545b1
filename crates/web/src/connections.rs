//! Connections of clients: how many there may be, how long a request may take to arrive, and how they end with the server.

use crate::{Problem, has_ending};
use axum::{
    Router,
    body::Body,
    extract::Request,
    http::header,
    response::{IntoResponse, Response},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    collections::VecDeque,
    convert::Infallible,
    io::{self, Write},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::{AbortHandle, JoinSet},
};
use tokio_stream::StreamExt;
use tower_service::Service;

/// Between two tries to take connections where the system has no more files for them.
const RETRY_EVERY: Duration = Duration::from_millis(100);
/// The answer to one client too many.
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 22\r\n\
    connection: close\r\n\r\ntoo many connections\r\n";

/// Limits of connections that clients may use. A browser has at most six connections for all its tabs.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// Until the head of a request must be there. Connections without a request are closed after it, too; browsers open new ones.
    pub head: Duration,
    /// Between two parts of the body of a request.
    pub body: Duration,
    /// Connections at a time. For one more the oldest goes that has not yet made a request.
    pub connections_max: usize,
}

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits { head: Duration::from_secs(10), body: Duration::from_secs(30), connections_max: 512 }
    }
}

/// Answers clients until the server ends, and then those whose requests are there already.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    ending: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    let mut open = VecDeque::new();
    loop {
        let accepted = tokio::select! {
            () = has_ending(ending.clone()) => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) if make_room(&mut open, limits.connections_max) => {
                let has_asked = Arc::new(AtomicBool::new(false));
                let answered = answer(stream, router.clone(), limits.clone(), has_asked.clone(), ending.clone());
                open.push_back(Open { task: connections.spawn(answered), has_asked });
            }
            Ok((stream, _)) => refuse(stream),
            Err(error) if is_of_client(&error) => {}
            Err(_) => tokio::time::sleep(RETRY_EVERY).await,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// A connection that is being answered.
struct Open {
    task: AbortHandle,
    /// Whether the head of a request was there.
    has_asked: Arc<AtomicBool>,
}

/// Whether there is room for one more among `most`: for it the connection goes that has waited longest without a request.
fn make_room(open: &mut VecDeque<Open>, most: usize) -> bool {
    open.retain(|connection| !connection.task.is_finished());
    if open.len() < most {
        return true;
    }
    let silent = open.iter().position(|connection| !connection.has_asked.load(Relaxed));
    let silent = silent.and_then(|index| open.remove(index));
    silent.inspect(|connection| connection.task.abort()).is_some()
}

/// Says that there are too many. The client may have hung up already.
fn refuse(stream: TcpStream) {
    // Tokio would first wait to hear that there is room for these few bytes, as there is in every new connection.
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write(BUSY.as_bytes());
    }
}

/// Whether one connection failed, and not the listener.
fn is_of_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Answers the requests of one connection. One that has not yet made a request when the server ends is not waited for.
async fn answer(
    stream: TcpStream,
    router: Router,
    limits: ConnectionLimits,
    has_asked: Arc<AtomicBool>,
    ending: watch::Receiver<bool>,
) {
    let (seen, patience) = (has_asked.clone(), limits.body);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        seen.store(true, Relaxed);
        let is_late = Arc::new(AtomicBool::new(false));
        let answered = router.clone().call(in_time(request, patience, is_late.clone()));
        async move {
            // Whoever read the body knows only that it broke off.
            let response = answered.await?;
            Ok::<_, Infallible>(if is_late.load(Relaxed) { late(patience) } else { response })
        }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service).with_upgrades());
    tokio::select! {
        // What went wrong is the client's affair: it hung up, or spoke something else.
        _ = connection.as_mut() => return,
        () = has_ending(ending) => {}
    }
    if has_asked.load(Relaxed) {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

/// The request with a body that breaks off when no part of it comes for as long as `patience`; then `is_late` is set.
fn in_time(request: hyper::Request<Incoming>, patience: Duration, is_late: Arc<AtomicBool>) -> Request {
    request.map(|body| {
        let parts = Body::new(body).into_data_stream().timeout(patience);
        Body::from_stream(parts.map(move |part| {
            part.unwrap_or_else(|_| {
                is_late.store(true, Relaxed);
                Err(axum::Error::new(io::Error::new(io::ErrorKind::TimedOut, late_text(patience))))
            })
        }))
    })
}

/// The answer to a request whose body did not come.
fn late(patience: Duration) -> Response {
    let problem = Problem::late(late_text(patience)).hint("send the request again, the whole of it at once");
    ([(header::CONNECTION, "close")], problem).into_response()
}

fn late_text(patience: Duration) -> String {
    format!("the rest of the body did not come within {} s", patience.as_secs_f64())
}
