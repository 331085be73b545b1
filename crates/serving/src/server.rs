//! The server: doors at which clients come in, over plain sockets and gRPC, and one queue to the net behind all of them.

use crate::{
    Protocol,
    counts::{ServerCounts, ServerOptions},
    grpc,
    queue::{self, LOOK, Queue},
    wire::{read_request, write_greeting, write_reply},
};
use std::{
    collections::BTreeMap,
    io::{self, BufReader, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering::Relaxed},
    thread::{self, JoinHandle},
};
use tesuji_nn::Service;

/// Clients of plain sockets.
struct Plain {
    queue: Arc<Queue>,
    /// The sockets by the numbers of their clients, to be shut at the end.
    open: Mutex<BTreeMap<u64, TcpStream>>,
}

impl Plain {
    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, TcpStream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server at work; it stops when it is dropped.
pub struct Server {
    queue: Arc<Queue>,
    plain: Arc<Plain>,
    grpc: Vec<grpc::Door>,
    addresses: Vec<(Protocol, SocketAddr)>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Serves `net` to anyone who connects to one of the `doors`.
    ///
    /// # Errors
    /// When a listener has no address, or the system gives no threads.
    pub fn start(
        net: Arc<dyn Service>,
        doors: Vec<(Protocol, TcpListener)>,
        parameters: ServerOptions,
    ) -> io::Result<Server> {
        let queue = Arc::new(Queue::new(net, parameters));
        let plain = Arc::new(Plain { queue: queue.clone(), open: Mutex::default() });
        let mut server = Server { queue, plain, grpc: Vec::new(), addresses: Vec::new(), threads: Vec::new() };
        for _ in 0..parameters.threads.max(1) {
            let queue = server.queue.clone();
            server.threads.push(thread::Builder::new().spawn(move || queue::work(&queue))?);
        }
        for (protocol, listener) in doors {
            server.addresses.push((protocol, listener.local_addr()?));
            listener.set_nonblocking(true)?;
            match protocol {
                Protocol::Plain => {
                    let plain = server.plain.clone();
                    server.threads.push(thread::Builder::new().spawn(move || listen(&plain, &listener))?);
                }
                Protocol::Grpc => server.grpc.push(grpc::Door::open(server.queue.clone(), listener)?),
            }
        }
        Ok(server)
    }

    /// The addresses for clients, such as `grpc://127.0.0.1:4478`, in the order of the doors.
    pub fn addresses(&self) -> Vec<String> {
        self.addresses.iter().map(|(protocol, address)| format!("{}{address}", protocol.scheme())).collect()
    }

    /// The counters of its work so far.
    pub fn counts(&self) -> Arc<ServerCounts> {
        self.queue.counts.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.queue.stop();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
        self.queue.clear();
        for stream in self.plain.open().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.grpc.clear();
    }
}

/// Lets clients in.
fn listen(plain: &Arc<Plain>, listener: &TcpListener) {
    while !plain.queue.is_stopping() {
        match listener.accept() {
            Ok((stream, _)) => {
                let number = plain.queue.counts.clients.fetch_add(1, Relaxed);
                // Without a second handle it could not be shut at the end.
                let Ok(copy) = stream.try_clone() else { continue };
                plain.open().insert(number, copy);
                let ended = plain.clone();
                let serve = move || {
                    // A client that goes in the middle of a sentence hurts nobody else.
                    let _ = attend(&ended.queue, &stream);
                    let _ = stream.shutdown(Shutdown::Both);
                    ended.open().remove(&number);
                };
                // Where the system gives no thread, this client is refused, and the others are served.
                if thread::Builder::new().spawn(serve).is_err()
                    && let Some(stream) = plain.open().remove(&number)
                {
                    let _ = stream.shutdown(Shutdown::Both);
                }
            }
            Err(_) => thread::sleep(LOOK / 10),
        }
    }
}

/// Reads a client's requests and writes its answers.
fn attend(queue: &Queue, stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    let mut output = stream.try_clone()?;
    let architecture = queue.net.architecture();
    write_greeting(architecture, &mut output)?;
    let mut input = BufReader::with_capacity(1 << 16, stream);
    let mut bytes = Vec::new();
    loop {
        let request = match read_request(architecture.planes, &mut input) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                write_reply(&Err(error.to_string()), &mut bytes);
                return output.write_all(&bytes);
            }
            Err(error) => return Err(error),
        };
        let reply = match architecture.expect_board(request.height, request.width) {
            Err(error) => Err(error.to_string()),
            Ok(()) => {
                let Some(room) = queue.wait_for_room(request.batch) else { return Ok(()) };
                // A server that stops says so by hanging up: the client may look for it again.
                let Ok(reply) = room.fill(request).blocking_recv() else { return Ok(()) };
                reply
            }
        };
        write_reply(&reply, &mut bytes);
        output.write_all(&bytes)?;
    }
}
