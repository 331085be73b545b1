//! The client's end: a net on another machine, asked like one of this thread's own. A server that goes away and comes back
//! is asked again: a net says the same each time.

use crate::{
    Protocol, ServingError, grpc,
    line::{ANSWER_MAX, Asked, Transport},
    plain::Socket,
    wire::{Reply, wrong},
};
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tesuji_game::OracleError;
use tesuji_nn::{Architecture, NetSession, Outputs, Service};

/// The timeout for a server's greeting, and for connecting to it: a stuck one must not hang a game for ever.
pub(crate) const GREETING_MAX: Duration = Duration::from_secs(5);
/// The longest time that a server that was there may be away.
const AWAY_MAX: Duration = Duration::from_secs(10);
/// The first pause before it is looked for again; each is twice as long as the one before, up to the second number.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];

/// Until when answers are of any use; all connections of a client share it.
#[derive(Debug, Clone, Default)]
struct Due(Arc<Mutex<Option<Instant>>>);

impl Due {
    fn set(&self, at: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }

    /// `usual`, or what is left until then.
    fn within(&self, usual: Duration) -> Duration {
        let at = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        at.map_or(usual, |at| usual.min(at.saturating_duration_since(Instant::now())))
    }
}

/// The address of a server.
#[derive(Debug, Clone)]
struct Address {
    protocol: Protocol,
    /// `host:port`.
    address: String,
}

impl Address {
    fn open(&self, patience: Duration) -> io::Result<(Box<dyn Transport>, Architecture)> {
        // The system takes no timeout of 0.
        let patience = patience.max(Duration::from_millis(1));
        match self.protocol {
            Protocol::Plain => {
                Socket::open(&self.address, patience).map(|(line, net)| (Box::new(line) as Box<dyn Transport>, net))
            }
            Protocol::Grpc => grpc::GrpcStream::open(&self.address, patience)
                .map(|(line, net)| (Box::new(line) as Box<dyn Transport>, net)),
        }
    }

    /// A connection to the net that was there before.
    fn open_again(&self, net: &Architecture, patience: Duration) -> io::Result<Box<dyn Transport>> {
        let (line, found) = self.open(patience)?;
        if found == *net { Ok(line) } else { Err(wrong("it runs another net than before")) }
    }

    /// An error with the server's name.
    fn told(&self, error: io::Error) -> ServingError {
        let address = self.address.clone();
        match error.kind() {
            io::ErrorKind::InvalidData => ServingError::Protocol { address, what: error.to_string() },
            _ => ServingError::Io { address, error },
        }
    }
}

/// A net that a server runs. Each thread that asks has a connection of its own.
#[derive(Debug)]
pub struct Remote {
    place: Address,
    architecture: Architecture,
    away_max: Duration,
    due: Due,
}

impl Remote {
    /// Asks the server at `address` what it runs: `tcp://host:port` or `grpc://host:port`; without a scheme, a plain socket.
    ///
    /// # Errors
    /// When nobody answers there, or not as a policy server.
    pub fn connect(address: &str) -> Result<Remote, ServingError> {
        let (protocol, address) = Protocol::of(address).unwrap_or((Protocol::Plain, address));
        let place = Address { protocol, address: address.to_string() };
        let (_, architecture) = place.open(GREETING_MAX).map_err(|error| place.told(error))?;
        Ok(Remote { place, architecture, away_max: AWAY_MAX, due: Due::default() })
    }

    /// Sets the time that a server that was there has to come back in the middle of the work (10 s where nobody says).
    pub fn with_patience(self, away_max: Duration) -> Remote {
        Remote { away_max, ..self }
    }

    /// The address of the server, `host:port`.
    pub fn address(&self) -> &str {
        &self.place.address
    }
}

impl Service for Remote {
    fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    fn set_due(&self, at: Option<Instant>) {
        self.due.set(at);
    }

    fn session(&self, height: usize, width: usize, _: usize) -> Result<Box<dyn NetSession>, OracleError> {
        let place = self.place.clone();
        let backend = |error: io::Error| OracleError::Backend(place.told(error).to_string());
        self.architecture.expect_board(height, width).map_err(|error| backend(wrong(error.to_string())))?;
        let line = Some(place.open_again(&self.architecture, self.due.within(GREETING_MAX)).map_err(backend)?);
        let net = self.architecture.clone();
        let lengths =
            [net.actions(height, width), 1, if net.ownership { height * width } else { 0 }, usize::from(net.score)];
        let (away_max, due, reply) = (self.away_max, self.due.clone(), Reply::default());
        Ok(Box::new(Connection { place, net, away_max, due, line, height, width, lengths, reply }))
    }
}

/// One thread's connection, for boards of one size.
struct Connection {
    place: Address,
    net: Architecture,
    away_max: Duration,
    due: Due,
    /// None where the last one broke.
    line: Option<Box<dyn Transport>>,
    height: usize,
    width: usize,
    /// Numbers of each part of a reply for one position.
    lengths: [usize; 4],
    reply: Reply,
}

impl Connection {
    fn ask(&mut self, planes: &[f32], batch: usize) -> io::Result<()> {
        let mut line = match self.line.take() {
            Some(line) => line,
            None => {
                self.place.open_again(&self.net, self.due.within(GREETING_MAX)).map_err(|error| match error.kind() {
                    io::ErrorKind::InvalidData => error,
                    // Where nobody answers yet, somebody may later.
                    _ => io::Error::new(io::ErrorKind::NotConnected, error),
                })?
            }
        };
        let patience = self.due.within(ANSWER_MAX).max(Duration::from_millis(1));
        line.ask(&Asked { height: self.height, width: self.width, batch, planes, patience }, &mut self.reply)?;
        for (part, length) in self.reply.parts.iter().zip(self.lengths) {
            if part.len() != batch * length {
                let text = format!("{} numbers came where {} were expected", part.len(), batch * length);
                return Err(wrong(text));
            }
        }
        self.line = Some(line);
        Ok(())
    }

    /// Asks until there is an answer, or an error that waiting does not cure.
    fn ask_patiently(&mut self, planes: &[f32], batch: usize) -> io::Result<()> {
        let (mut until, mut pause) = (None, PAUSES[0]);
        loop {
            let error = match self.ask(planes, batch) {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            let end = *until.get_or_insert_with(|| Instant::now() + self.due.within(self.away_max));
            if !is_gone(&error) || Instant::now() + pause > end {
                return Err(error);
            }
            thread::sleep(pause);
            pause = PAUSES[1].min(pause * 2);
        }
    }
}

/// Whether the server is away, and not merely stuck or of another opinion.
fn is_gone(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

impl NetSession for Connection {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        self.ask_patiently(planes, batch).map_err(|error| {
            let text = match is_gone(&error) {
                true => format!("the policy server at {} has gone away", self.place.address),
                false => self.place.told(error).to_string(),
            };
            OracleError::Backend(text)
        })?;
        let [policy, value, ownership, score] = &self.reply.parts;
        Ok(Outputs { policy, value, ownership, score })
    }
}
