//! The door for gRPC: reads questions into the queue, a few ahead of the answers that each client has taken.

use super::{ANSWER_BYTES_MAX, POSITIONS_MAX, REQUEST_BYTES_MAX, messages::*};
use crate::{
    queue::{Answer, Queue},
    wire::{self, Request},
};
use std::{
    convert::Infallible,
    future::{Future, Ready, ready},
    io,
    net::TcpListener,
    pin::Pin,
    sync::{Arc, atomic::Ordering::Relaxed},
    task::{Context, Poll},
    thread::{self, JoinHandle},
    time::Duration,
};
use tesuji_nn::Architecture;
use tokio::{
    runtime::Builder,
    sync::{mpsc, watch},
    time::sleep,
};
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};
use tonic::{
    Code, Response, Status, Streaming,
    body::Body,
    server::{Grpc, StreamingService, UnaryService},
    transport::server::TcpIncoming,
};

/// Questions of one stream that are in the queue or answered, but not yet taken.
const AHEAD: usize = 4;
/// Streams of one connection at most.
const STREAMS_MAX: u32 = 64;
/// Bytes that a client may send before it is read from: on a stream, and on all of a connection.
const WINDOWS: [u32; 2] = [1 << 20, 4 << 20];
/// Time that clients have to hear that the server stops.
const FAREWELL_MAX: Duration = Duration::from_millis(500);
/// Interval of keep-alive pings on a silent connection.
const KEEP_ALIVE: Duration = Duration::from_secs(60);

/// The stream of answers to a stream of requests.
type Answers = Pin<Box<dyn Stream<Item = Result<Outputs, Status>> + Send>>;

/// A listener at work; it stops when it is dropped.
pub(crate) struct Door {
    stop: watch::Sender<bool>,
    serving: Option<JoinHandle<()>>,
}

impl Door {
    /// Lets clients in to `queue`.
    pub(crate) fn open(queue: Arc<Queue>, listener: TcpListener) -> io::Result<Door> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = watch::channel(false);
        let incoming = {
            let _inside = runtime.enter();
            TcpIncoming::from(tokio::net::TcpListener::from_std(listener)?)
        };
        let counts = queue.counts.clone();
        let incoming = incoming.with_nodelay(Some(true)).with_keepalive(Some(KEEP_ALIVE)).map(move |stream| {
            counts.clients.fetch_add(1, Relaxed);
            stream
        });
        let description = Arc::new(describe(queue.net.architecture()));
        let methods = Methods { queue, description, stopped: stopped.clone() };
        let server = tonic::transport::Server::builder()
            .initial_stream_window_size(WINDOWS[0])
            .initial_connection_window_size(WINDOWS[1])
            .max_concurrent_streams(STREAMS_MAX);
        // One thread: what it does for a position is little beside what the net does, and nothing has to be woken.
        let serve = move || {
            runtime.block_on(async {
                let late = async {
                    over(stopped.clone()).await;
                    sleep(FAREWELL_MAX).await;
                };
                let serving = server.serve_with_incoming_shutdown(methods, incoming, over(stopped.clone()));
                // What goes wrong with a connection is that client's; the listener itself does not fail. Anyone who does not
                // listen to the farewell is cut off.
                tokio::select! { _ = serving => (), () = late => () }
            });
        };
        let serving = thread::Builder::new().spawn(serve)?;
        Ok(Door { stop, serving: Some(serving) })
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(serving) = self.serving.take() {
            // A thread that panicked has said so.
            let _ = serving.join();
        }
    }
}

/// Waits until the server stops.
async fn over(mut stopped: watch::Receiver<bool>) {
    // A door that is gone has stopped, too.
    let _ = stopped.wait_for(|&stopped| stopped).await;
}

/// The description of a net for clients.
fn describe(net: &Architecture) -> Description {
    // The largest board that may come says how many positions an answer holds.
    let (height, width) = if net.any_size() { (32, 32) } else { (net.height, net.width) };
    let ownership = if net.ownership { height * width } else { 0 };
    let each = 4 * (net.actions(height, width) + 2 + ownership);
    let positions_max = (ANSWER_BYTES_MAX - 1024) / each;
    Description {
        architecture: serde_json::to_string(net).unwrap_or_default(),
        features: net.features.clone(),
        planes: net.planes as u32,
        height: net.height as u32,
        width: net.width as u32,
        any_size: net.any_size(),
        actions: net.actions(net.height, net.width) as u32,
        ownership: net.ownership,
        score: net.score,
        positions_max: positions_max.clamp(1, POSITIONS_MAX) as u32,
        request_bytes_max: REQUEST_BYTES_MAX as u32,
    }
}

/// The status that a stopping server returns.
fn stopping() -> Status {
    Status::unavailable("the policy server is stopping; ask again later")
}

/// All that can be called.
#[derive(Clone)]
struct Methods {
    queue: Arc<Queue>,
    description: Arc<Description>,
    stopped: watch::Receiver<bool>,
}

impl tower_service::Service<http::Request<Body>> for Methods {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<http::Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let methods = self.clone();
        Box::pin(async move {
            let path = request.uri().path().to_owned();
            Ok(match path.as_str() {
                EVALUATE | EVALUATE_STREAM => {
                    let grpc = Grpc::new(ProstCodec::<Outputs, Positions>::default());
                    let talk = Talk { methods, single: path == EVALUATE };
                    grpc.max_decoding_message_size(REQUEST_BYTES_MAX).streaming(talk, request).await
                }
                DESCRIBE => {
                    let tell = |_: DescribeRequest| Ok((*methods.description).clone());
                    Grpc::new(ProstCodec::default()).unary(Call(tell), request).await
                }
                HEALTH_CHECK => Grpc::new(ProstCodec::default()).unary(Call(health), request).await,
                _ => {
                    let text = format!("{path} is not served here; proto/policy.proto says what is");
                    Status::unimplemented(text).into_http()
                }
            })
        })
    }
}

/// Whether a service is well.
fn health(request: HealthCheckRequest) -> Result<HealthCheckResponse, Status> {
    match request.service.as_str() {
        "" | SERVICE => Ok(HealthCheckResponse { status: SERVING }),
        other => Err(Status::not_found(format!("no service is called `{other}`; {SERVICE} is one"))),
    }
}

/// A method that answers at once.
struct Call<F>(F);

impl<F, Q, A> UnaryService<Q> for Call<F>
where
    F: FnMut(Q) -> Result<A, Status>,
{
    type Response = A;
    type Future = Ready<Result<Response<A>, Status>>;

    fn call(&mut self, request: tonic::Request<Q>) -> Self::Future {
        ready(self.0(request.into_inner()).map(Response::new))
    }
}

/// A client's questions and their answers; on the wire one question is a stream that is short.
struct Talk {
    methods: Methods,
    single: bool,
}

/// An answer that will come, with its number, or why the stream ends.
type Pending = Result<(u64, Answer), Status>;

impl StreamingService<Positions> for Talk {
    type Response = Outputs;
    type ResponseStream = Answers;
    type Future = Ready<Result<Response<Answers>, Status>>;

    fn call(&mut self, request: tonic::Request<Streaming<Positions>>) -> Self::Future {
        let (pending, answers) = mpsc::channel(AHEAD);
        let (methods, single) = (self.methods.clone(), self.single);
        tokio::spawn(async move { methods.listen(request.into_inner(), single, &pending).await });
        // Nothing more is read than what waits here: a client that takes no answers is not listened to.
        let answers = ReceiverStream::new(answers).then(|pending: Pending| async {
            let (id, answer) = pending?;
            let reply = answer.await.map_err(|_| stopping())?;
            let [policy, value, ownership, score] = reply.map_err(Status::internal)?.parts;
            Ok(Outputs { id, policy, value, ownership, score })
        });
        ready(Ok(Response::new(Box::pin(answers))))
    }
}

impl Methods {
    /// Queues what a client asks until it ends, goes away, or asks what is wrong.
    async fn listen(self, mut questions: Streaming<Positions>, single: bool, pending: &mpsc::Sender<Pending>) {
        let mut asked = false;
        loop {
            let next = tokio::select! {
                next = questions.message() => next,
                () = over(self.stopped.clone()) => Err(stopping()),
                () = pending.closed() => return,
            };
            let step = match next {
                Ok(None) if single && !asked => Err(Status::invalid_argument("a call of Evaluate without Positions")),
                Ok(None) => return,
                Ok(Some(_)) if single && asked => Err(Status::invalid_argument(
                    "a call of Evaluate with more than one message; EvaluateStream takes them",
                )),
                Ok(Some(positions)) => self.question(positions).await,
                Err(status) => Err(in_words(status)),
            };
            asked = true;
            let ends = step.is_err();
            if pending.send(step).await.is_err() || ends {
                return;
            }
        }
    }

    /// Queues one question when there is room.
    async fn question(&self, positions: Positions) -> Pending {
        let sizes = self.check(&positions)?;
        // Before there is room the planes stay as small as they came.
        let room = self.queue.room(sizes.batch).await.ok_or_else(stopping)?;
        let id = positions.id;
        let planes = match positions.packed.is_empty() {
            true => positions.planes,
            false => {
                let mut left = positions.packed.as_slice();
                let planes = wire::unpack(
                    sizes.height * sizes.width,
                    sizes.batch * self.queue.net.architecture().planes,
                    &mut left,
                );
                let planes = planes.map_err(|error| Status::invalid_argument(format!("packed planes: {error}")))?;
                match left.len() {
                    0 => planes,
                    more => return Err(Status::invalid_argument(format!("packed planes: {more} bytes too many"))),
                }
            }
        };
        Ok((id, room.fill(Request { planes, ..sizes })))
    }

    /// The sizes of a question that fits the net.
    fn check(&self, asked: &Positions) -> Result<Request, Status> {
        let (net, positions_max) = (self.queue.net.architecture(), self.description.positions_max);
        if !asked.features.is_empty() && asked.features != net.features {
            let text = format!("the net reads features `{}`, not `{}`", net.features, asked.features);
            return Err(Status::failed_precondition(text));
        }
        let [height, width, batch] = [asked.height, asked.width, asked.count].map(|number| number as usize);
        net.expect_board(height, width).map_err(|error| Status::failed_precondition(error.to_string()))?;
        if !(1..=positions_max).contains(&asked.count) {
            let text = format!("{batch} positions in a message; 1 to {positions_max} are expected");
            return Err(Status::invalid_argument(text));
        }
        let (came, expected) = (asked.planes.len(), batch * net.planes * height * width);
        match (asked.packed.is_empty(), came) {
            (false, 0) => (),
            (false, _) => {
                return Err(Status::invalid_argument("`planes` and `packed` together; one of them is expected"));
            }
            (true, _) if came == expected => (),
            (true, _) => {
                return Err(Status::invalid_argument(format!(
                    "{came} numbers in `planes`; {batch} positions of {} planes of {height}x{width} are {expected}",
                    net.planes
                )));
            }
        }
        Ok(Request { height, width, batch, planes: Vec::new() })
    }
}

/// Replaces the status of an unreadable message with one that explains the error.
fn in_words(status: Status) -> Status {
    match status.code() {
        Code::OutOfRange => Status::resource_exhausted(format!(
            "a message of more than {REQUEST_BYTES_MAX} bytes: ask about fewer positions at once, or use `packed`"
        )),
        _ => status,
    }
}
