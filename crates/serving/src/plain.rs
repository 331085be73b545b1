//! A client's plain socket.

use crate::{
    line::{ANSWER_MAX, Asked, Transport},
    wire::{Reply, read_greeting, read_reply, write_request, wrong},
};
use std::{
    io::{self, BufReader, Write},
    net::{TcpStream, ToSocketAddrs},
    time::Duration,
};
use tesuji_nn::Architecture;

/// One thread's connection.
pub(crate) struct Socket {
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
    /// The current timeout of a read.
    patience: Duration,
}

impl Socket {
    /// A new connection to `address`, and the net at its other end.
    pub(crate) fn open(address: &str, patience: Duration) -> io::Result<(Socket, Architecture)> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "no such host");
        for socket in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&socket, patience) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(Some(patience))?;
                    stream.set_write_timeout(Some(ANSWER_MAX))?;
                    let mut stream = BufReader::with_capacity(1 << 16, stream);
                    let architecture = read_greeting(&mut stream)?;
                    stream.get_ref().set_read_timeout(Some(ANSWER_MAX))?;
                    return Ok((Socket { stream, request: Vec::new(), patience: ANSWER_MAX }, architecture));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

impl Transport for Socket {
    fn ask(&mut self, asked: &Asked<'_>, reply: &mut Reply) -> io::Result<()> {
        write_request(asked.height, asked.width, asked.batch, asked.planes, &mut self.request);
        if asked.patience != self.patience {
            self.stream.get_ref().set_read_timeout(Some(asked.patience))?;
            self.patience = asked.patience;
        }
        self.stream.get_mut().write_all(&self.request)?;
        read_reply(&mut self.stream, reply)?.map_err(wrong)
    }
}
