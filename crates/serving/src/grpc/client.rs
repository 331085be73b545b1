//! A client's end of gRPC: one stream of questions and answers, driven by the thread that asks.

use super::{ANSWER_BYTES_MAX, messages::*};
use crate::{
    client::GREETING_MAX,
    line::{Asked, Transport},
    wire::{self, Reply, wrong},
};
use http::uri::PathAndQuery;
use std::{error::Error, io, panic::resume_unwind, thread, time::Duration};
use tesuji_nn::Architecture;
use tokio::{
    runtime::{Builder, Handle, Runtime},
    sync::mpsc,
    time::timeout,
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Code, Request, Status, Streaming,
    client::Grpc,
    transport::{Channel, Endpoint},
};

/// Questions under way at most.
const AHEAD: usize = 4;
/// Bytes that the server may send before they are read.
const WINDOW: u32 = 4 << 20;
/// The largest size of a message without its planes, in bytes.
const FRAME_BYTES: usize = 1 << 10;

/// One thread's stream.
pub(crate) struct GrpcStream {
    // Before the runtime, in which they live.
    questions: mpsc::Sender<Positions>,
    answers: Streaming<Outputs>,
    /// Gone only while it is dropped.
    runtime: Option<Runtime>,
    features: String,
    planes: usize,
    positions_max: usize,
    bytes_max: usize,
    /// The number of the next question, and of the next answer.
    next: [u64; 2],
}

impl GrpcStream {
    /// A new stream to the server at `address`, and its net.
    pub(crate) fn open(address: &str, patience: Duration) -> io::Result<(GrpcStream, Architecture)> {
        aside(|| Self::open_here(address, patience))
    }

    fn open_here(address: &str, patience: Duration) -> io::Result<(GrpcStream, Architecture)> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let open = async {
            let mut grpc = connect(address).await?;
            let description: Description = {
                grpc.ready().await.map_err(|error| away(&error))?;
                let codec = ProstCodec::<DescribeRequest, Description>::default();
                let path = PathAndQuery::from_static(DESCRIBE);
                let described = grpc.unary(Request::new(DescribeRequest {}), path, codec).await;
                described.map_err(|status| not_understood(&status))?.into_inner()
            };
            grpc.ready().await.map_err(|error| away(&error))?;
            let (questions, asked) = mpsc::channel(AHEAD);
            let codec = ProstCodec::<Positions, Outputs>::default();
            let path = PathAndQuery::from_static(EVALUATE_STREAM);
            let answers = grpc.streaming(Request::new(ReceiverStream::new(asked)), path, codec).await;
            let answers = answers.map_err(|status| failed(&status))?.into_inner();
            io::Result::Ok((description, questions, answers))
        };
        let opened = runtime.block_on(async { timeout(patience, open).await });
        let (net, questions, answers) = opened.map_err(|_| no_answer(patience))??;
        let architecture = wire::read_architecture(&net.architecture)?;
        if architecture.features != net.features || architecture.planes != net.planes as usize {
            return Err(wrong("what it says of its net does not fit together"));
        }
        let stream = GrpcStream {
            questions,
            answers,
            runtime: Some(runtime),
            features: net.features,
            planes: architecture.planes,
            positions_max: net.positions_max.max(1) as usize,
            bytes_max: net.request_bytes_max as usize,
            next: [0; 2],
        };
        Ok((stream, architecture))
    }

    /// Positions that surely fit into one message.
    fn positions_max(&self, points: usize) -> usize {
        let each = self.planes * (4 * points + 1);
        let fit = self.bytes_max.saturating_sub(FRAME_BYTES) / each.max(1);
        self.positions_max.min(fit).max(1)
    }

    /// Waits for the answer to the question that was asked first.
    async fn take(
        answers: &mut Streaming<Outputs>,
        next: &mut [u64; 2],
        reply: &mut Reply,
        patience: Duration,
    ) -> io::Result<()> {
        let answer = timeout(patience, answers.message()).await.map_err(|_| no_answer(patience))?;
        let Some(outputs) = answer.map_err(|status| failed(&status))? else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        if outputs.id != next[1] {
            return Err(wrong(format!("answer {} came where {} was expected", outputs.id, next[1])));
        }
        next[1] += 1;
        let parts = [outputs.policy, outputs.value, outputs.ownership, outputs.score];
        for (all, part) in reply.parts.iter_mut().zip(parts) {
            if all.is_empty() { *all = part } else { all.extend(part) }
        }
        Ok(())
    }
}

impl Transport for GrpcStream {
    fn ask(&mut self, asked: &Asked<'_>, reply: &mut Reply) -> io::Result<()> {
        let points = asked.height * asked.width;
        let each = self.planes * points;
        let positions_max = self.positions_max(points);
        reply.parts.iter_mut().for_each(Vec::clear);
        let GrpcStream { questions, answers, runtime, features, next, .. } = self;
        let Some(runtime) = runtime.as_ref() else { return Err(io::ErrorKind::NotConnected.into()) };
        let talk = async {
            for planes in asked.planes[..asked.batch * each].chunks(positions_max * each) {
                if next[0] - next[1] == AHEAD as u64 {
                    Self::take(answers, next, reply, asked.patience).await?;
                }
                let mut packed = Vec::with_capacity(planes.len() / 8);
                wire::pack(points, planes, &mut packed);
                let question = Positions {
                    id: next[0],
                    height: asked.height as u32,
                    width: asked.width as u32,
                    count: (planes.len() / each) as u32,
                    features: features.clone(),
                    planes: Vec::new(),
                    packed,
                };
                next[0] += 1;
                // Where nobody listens any more, the answers say why.
                let _ = questions.send(question).await;
            }
            while next[1] < next[0] {
                Self::take(answers, next, reply, asked.patience).await?;
            }
            Ok(())
        };
        aside(|| runtime.block_on(talk))
    }
}

impl Drop for GrpcStream {
    fn drop(&mut self) {
        // Waiting for it would not be allowed among the tasks of somebody else.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Waits for `work` in this thread, or in one beside it where this one runs the tasks of somebody else.
fn aside<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    match Handle::try_current() {
        Err(_) => work(),
        Ok(_) => thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, work)?.join() {
            Ok(done) => done,
            Err(panic) => resume_unwind(panic),
        }),
    }
}

/// A connection to `host:port`.
async fn connect(address: &str) -> io::Result<Grpc<Channel>> {
    let invalid = || wrong(format!("`{address}` is no address; host:port is expected"));
    let endpoint = Endpoint::from_shared(format!("http://{address}")).map_err(|_| invalid())?;
    endpoint.uri().port().ok_or_else(invalid)?;
    let endpoint = endpoint
        .connect_timeout(GREETING_MAX)
        .tcp_nodelay(true)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    let channel = endpoint.connect().await.map_err(|error| away(&error))?;
    Ok(Grpc::new(channel).max_decoding_message_size(2 * ANSWER_BYTES_MAX))
}

/// The root cause of an error.
fn root<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root
}

/// A server that cannot be reached.
fn away(error: &(dyn Error + 'static)) -> io::Error {
    let root = root(error);
    let kind = root.downcast_ref::<io::Error>().map_or(io::ErrorKind::NotConnected, io::Error::kind);
    io::Error::new(kind, root.to_string())
}

/// A server that says nothing.
fn no_answer(after: Duration) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("no answer over gRPC within {} s", after.as_secs()))
}

/// Somebody who does not know the first question.
fn not_understood(status: &Status) -> io::Error {
    match status.code() {
        Code::Unimplemented => wrong(format!("it serves gRPC, but no {SERVICE}: {}", status.message())),
        _ if status.source().is_some() => wrong(
            "it does not speak gRPC; a policy server's plain socket is tcp://host:port, and --listen grpc://host:port opens \
             one for gRPC",
        ),
        _ => failed(status),
    }
}

/// Converts a gRPC status to an I/O error: the server is gone, or the request is wrong.
fn failed(status: &Status) -> io::Error {
    match status.code() {
        Code::Unavailable | Code::Cancelled => io::Error::new(io::ErrorKind::ConnectionReset, status.message()),
        _ if status.source().is_some() => io::Error::new(io::ErrorKind::ConnectionReset, status.message()),
        Code::DeadlineExceeded => io::Error::new(io::ErrorKind::TimedOut, status.message()),
        _ => wrong(status.message()),
    }
}
