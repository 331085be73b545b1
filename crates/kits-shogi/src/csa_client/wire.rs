//! The line to a server: sent lines, lines that come, and a sign of life when nothing is said for long.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpStream, ToSocketAddrs},
    sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel},
    time::{Duration, Instant},
};
use tesuji_jobs::Interrupt;

/// The longest time to establish a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Bytes of a line at most: a server that sends more is none.
const LINE_MAX: u64 = 1 << 16;
/// The interval at which a waiting thread checks whether to stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A connection to a server.
pub(super) struct Wire {
    stream: TcpStream,
    incoming: Receiver<io::Result<String>>,
    /// Lines that came and were not read yet.
    waiting: VecDeque<String>,
    /// The reason why no more lines will come.
    lost: Option<String>,
    sent_at: Instant,
    keep_alive: Duration,
    is_shown: bool,
}

/// The reason why there is no next line.
#[derive(Debug)]
pub(super) enum Silence {
    /// The connection is gone; the words say why.
    Lost(String),
    /// It was asked to stop.
    Stopped,
    /// Nothing came in time.
    Late,
}

/// A connection to the first address of the server that takes one.
fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::other(format!("{host} has no address"));
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// What `work` gives, in a thread of its own, or nothing where a stop is asked for first: the thread is left to itself then, since neither
/// looking up a name nor a connection under way can be broken off.
fn unless_stopped<T: Send + 'static>(
    interrupt: &Interrupt,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<io::Result<T>, Silence> {
    let (sender, done) = channel();
    let thread = std::thread::Builder::new().name("csa-connect".into());
    if let Err(error) = thread.spawn(move || sender.send(work())) {
        return Ok(Err(error));
    }
    loop {
        match done.recv_timeout(LOOK_EVERY) {
            Ok(result) => return Ok(result),
            Err(_) if interrupt.is_raised() => return Err(Silence::Stopped),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(Err(io::Error::other("the connection was given up"))),
        }
    }
}

impl Wire {
    /// Connects. `is_shown`: all lines are shown on stderr.
    pub(super) fn connect(
        (host, port): (&str, u16),
        keep_alive: Duration,
        is_shown: bool,
        interrupt: &Interrupt,
    ) -> Result<Wire, Silence> {
        let server = host.to_string();
        let stream = unless_stopped(interrupt, move || connect(&server, port))?;
        let wire = stream.and_then(|stream| Wire::new(stream, keep_alive, is_shown));
        wire.map_err(|error| Silence::Lost(format!("no connection to port {port}: {error}")))
    }

    fn new(stream: TcpStream, keep_alive: Duration, is_shown: bool) -> io::Result<Wire> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(CONNECT))?;
        let (lines, incoming) = channel();
        let mut reader = BufReader::new(stream.try_clone()?);
        let read = move || {
            while let Some(line) = read_line(&mut reader).transpose() {
                let is_over = line.is_err();
                if lines.send(line).is_err() || is_over {
                    break;
                }
            }
        };
        std::thread::Builder::new().name("csa-client".into()).spawn(read)?;
        let (waiting, sent_at) = (VecDeque::new(), Instant::now());
        Ok(Wire { stream, incoming, waiting, lost: None, sent_at, keep_alive, is_shown })
    }

    /// Sends a line. What goes wrong is told by the next reading.
    pub(super) fn send(&mut self, line: &str) {
        self.send_hidden(line, line);
    }

    /// Sends a line that is shown as `shown`.
    pub(super) fn send_hidden(&mut self, line: &str, shown: &str) {
        if self.is_shown && !line.is_empty() {
            super::say!("> {shown}");
        }
        self.sent_at = Instant::now();
        if let Err(error) = self.stream.write_all(format!("{line}\n").as_bytes()) {
            self.lost.get_or_insert(format!("the server takes nothing more: {error}"));
        }
    }

    /// From now on a server that takes nothing is waited for no longer than `time`: we are about to leave.
    pub(super) fn hurry(&self, time: Duration) {
        let _ = self.stream.set_write_timeout(Some(time));
    }

    fn keep_alive(&mut self) {
        if self.sent_at.elapsed() >= self.keep_alive {
            self.send("");
        }
    }

    /// Takes what has come, without waiting; gives the lines that wait to be read.
    pub(super) fn look(&mut self) -> impl Iterator<Item = &str> {
        loop {
            match self.incoming.try_recv() {
                Ok(line) => self.take(line),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.lost.get_or_insert("the server has closed the connection".to_string());
                    break;
                }
            }
        }
        self.keep_alive();
        self.waiting.iter().map(String::as_str)
    }

    /// Whether the connection is gone and nothing waits to be read.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.is_some() && self.waiting.is_empty()
    }

    fn take(&mut self, line: io::Result<String>) {
        match line {
            Ok(line) => {
                if self.is_shown && !line.is_empty() {
                    super::say!("< {line}");
                }
                self.waiting.push_back(line);
            }
            Err(error) => {
                self.lost.get_or_insert(format!("the connection broke: {error}"));
            }
        }
    }

    /// The next line; waits for it until `deadline` at most.
    pub(super) fn next(&mut self, interrupt: &Interrupt, deadline: Option<Instant>) -> Result<String, Silence> {
        loop {
            if let Some(line) = self.waiting.pop_front() {
                return Ok(line);
            }
            if let Some(why) = &self.lost {
                return Err(Silence::Lost(why.clone()));
            }
            if interrupt.is_raised() {
                return Err(Silence::Stopped);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(Silence::Late);
            }
            match self.incoming.recv_timeout(LOOK_EVERY) {
                Ok(line) => self.take(line),
                Err(RecvTimeoutError::Timeout) => self.keep_alive(),
                Err(RecvTimeoutError::Disconnected) => {
                    self.lost.get_or_insert("the server has closed the connection".to_string());
                }
            }
        }
    }
}

impl Drop for Wire {
    /// The thread that reads ends with the connection.
    fn drop(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

/// A line without its end; `None` at the end of all. What is no UTF-8 is replaced: names of players may be anything.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    reader.by_ref().take(LINE_MAX).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 == LINE_MAX && bytes.last() != Some(&b'\n') {
        return Err(io::Error::other(format!("a line of more than {LINE_MAX} bytes")));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ctrl-C waited for the name of a server that nobody knew, or for a connection that nobody took, up to ten seconds an address.
    #[test]
    fn a_stop_does_not_wait_for_a_connection() {
        let interrupt = Interrupt::new();
        interrupt.raise();
        let began = Instant::now();
        let stopped = unless_stopped::<()>(&interrupt, || {
            std::thread::sleep(Duration::from_secs(20));
            Ok(())
        });
        assert!(matches!(stopped, Err(Silence::Stopped)) && began.elapsed() < Duration::from_secs(2));
        let calm = Interrupt::new();
        assert!(matches!(unless_stopped(&calm, || Ok(7)), Ok(Ok(7))));
        assert!(matches!(unless_stopped::<()>(&calm, || Err(io::Error::other("gone"))), Ok(Err(_))));
    }
}
