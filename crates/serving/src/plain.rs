//! A client's plain socket.

use crate::{
    client::{ANSWER_MAX, Asked, GREETING_MAX, Line},
    wire::{Reply, read_greeting, read_reply, write_request, wrong},
};
use std::{
    io::{self, BufReader, Write},
    net::{TcpStream, ToSocketAddrs},
};
use tesuji_nn::Architecture;

/// One thread's connection.
pub(crate) struct Socket {
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
}

impl Socket {
    /// A new connection to `address`, and the net at its other end.
    pub(crate) fn open(address: &str) -> io::Result<(Socket, Architecture)> {
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
                    return Ok((Socket { stream, request: Vec::new() }, architecture));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

impl Line for Socket {
    fn ask(&mut self, asked: &Asked<'_>, reply: &mut Reply) -> io::Result<()> {
        write_request(asked.height, asked.width, asked.batch, asked.planes, &mut self.request);
        self.stream.get_mut().write_all(&self.request)?;
        read_reply(&mut self.stream, reply)?.map_err(wrong)
    }
}
