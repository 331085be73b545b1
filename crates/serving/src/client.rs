//! The client's end: a net on another machine, asked like one of this thread's own.

use crate::{
    SCHEME, ServingError,
    wire::{Reply, read_greeting, read_reply, write_request, wrong},
};
use std::{
    io::{self, BufReader, Write},
    net::{TcpStream, ToSocketAddrs},
    time::Duration,
};
use tesuji_game::OracleError;
use tesuji_nn::{Architecture, Outputs, Service, Session};

/// How long a server may take to greet, and to answer: a stuck one must not hang a game for ever.
const GREETING_MAX: Duration = Duration::from_secs(5);
const ANSWER_MAX: Duration = Duration::from_secs(120);

/// A net that a server runs. Each thread that asks has a connection of its own.
#[derive(Debug)]
pub struct Remote {
    address: String,
    architecture: Architecture,
}

impl Remote {
    /// Asks the server at `address`, `host:port` with or without `tcp://`, what it runs.
    ///
    /// # Errors
    /// When nobody answers there, or not as a policy server.
    pub fn connect(address: &str) -> Result<Remote, ServingError> {
        let address = address.strip_prefix(SCHEME).unwrap_or(address).to_string();
        let (_, architecture) = open(&address).map_err(|error| told(&address, error))?;
        Ok(Remote { address, architecture })
    }

    /// Where the server is.
    pub fn address(&self) -> &str {
        &self.address
    }
}

/// An error with the server's name.
fn told(address: &str, error: io::Error) -> ServingError {
    let address = address.to_string();
    match error.kind() {
        io::ErrorKind::InvalidData => ServingError::Protocol { address, what: error.to_string() },
        _ => ServingError::Io { address, error },
    }
}

/// A new connection and the net at its other end.
fn open(address: &str) -> io::Result<(BufReader<TcpStream>, Architecture)> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no such host");
    for socket in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&socket, GREETING_MAX) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(GREETING_MAX))?;
                stream.set_write_timeout(Some(ANSWER_MAX))?;
                let mut stream = BufReader::with_capacity(1 << 16, stream);
                let architecture = read_greeting(&mut stream)?;
                stream.get_ref().set_read_timeout(Some(ANSWER_MAX))?;
                return Ok((stream, architecture));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

impl Service for Remote {
    fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    fn session(&self, height: usize, width: usize, _: usize) -> Result<Box<dyn Session>, OracleError> {
        let failed = |error: ServingError| OracleError::Backend(error.to_string());
        self.architecture
            .expect_board(height, width)
            .map_err(|error| OracleError::Backend(format!("the policy server at {}: {error}", self.address)))?;
        let (stream, architecture) = open(&self.address).map_err(|error| failed(told(&self.address, error)))?;
        if architecture != self.architecture {
            return Err(failed(told(&self.address, wrong("it runs another net than before"))));
        }
        let actions = architecture.actions(height, width);
        let lengths =
            [actions, 1, if architecture.ownership { height * width } else { 0 }, usize::from(architecture.score)];
        let (address, reply) = (self.address.clone(), Reply::default());
        Ok(Box::new(Connection { stream, address, height, width, lengths, request: Vec::new(), reply }))
    }
}

/// One thread's connection, for boards of one size.
struct Connection {
    stream: BufReader<TcpStream>,
    address: String,
    height: usize,
    width: usize,
    /// Numbers of each part of a reply for one position.
    lengths: [usize; 4],
    request: Vec<u8>,
    reply: Reply,
}

impl Connection {
    fn ask(&mut self, planes: &[f32], batch: usize) -> io::Result<()> {
        write_request(self.height, self.width, batch, planes, &mut self.request);
        self.stream.get_mut().write_all(&self.request)?;
        read_reply(&mut self.stream, &mut self.reply)?.map_err(wrong)?;
        for (part, length) in self.reply.parts.iter().zip(self.lengths) {
            if part.len() != batch * length {
                let text = format!("{} numbers came where {} were expected", part.len(), batch * length);
                return Err(wrong(text));
            }
        }
        Ok(())
    }
}

impl Session for Connection {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        self.ask(planes, batch).map_err(|error| {
            let gone = matches!(
                error.kind(),
                io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
            );
            let text = match gone {
                true => format!("the policy server at {} has gone away", self.address),
                false => told(&self.address, error).to_string(),
            };
            OracleError::Backend(text)
        })?;
        let [policy, value, ownership, score] = &self.reply.parts;
        Ok(Outputs { policy, value, ownership, score })
    }
}
