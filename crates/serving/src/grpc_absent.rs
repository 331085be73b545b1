//! A substitute for gRPC in builds without the feature `grpc`: every use is an error that says what to do instead.

use crate::{
    line::{Asked, Transport},
    queue::Queue,
    wire::Reply,
};
use std::{io, net::TcpListener, sync::Arc, time::Duration};
use tesuji_nn::Architecture;

fn absent<T>() -> io::Result<T> {
    let words = "this build has no gRPC: use tcp://, or build with --features grpc";
    Err(io::Error::new(io::ErrorKind::Unsupported, words))
}

/// Never made.
pub(crate) enum GrpcStream {}

impl GrpcStream {
    pub(crate) fn open(_address: &str, _patience: Duration) -> io::Result<(GrpcStream, Architecture)> {
        absent()
    }
}

impl Transport for GrpcStream {
    fn ask(&mut self, _asked: &Asked<'_>, _reply: &mut Reply) -> io::Result<()> {
        match *self {}
    }
}

/// Never made.
pub(crate) enum Door {}

impl Door {
    pub(crate) fn open(_queue: Arc<Queue>, _listener: TcpListener) -> io::Result<Door> {
        absent()
    }
}
