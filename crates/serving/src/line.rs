//! A connection of a client to its server, whatever its protocol.

use crate::wire::Reply;
use std::{io, time::Duration};

pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(120);

/// A request for the evaluation of a batch of positions.
pub(crate) struct Asked<'a> {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) batch: usize,
    pub(crate) planes: &'a [f32],
    /// The timeout of the answer.
    pub(crate) patience: Duration,
}

/// A connection, whatever its protocol.
pub(crate) trait Transport: Send {
    /// Asks and waits. An error of kind `InvalidData` is something that will not go away by asking again, `TimedOut` and
    /// `WouldBlock` a server that is stuck, all others one that is gone.
    fn ask(&mut self, asked: &Asked<'_>, reply: &mut Reply) -> io::Result<()>;
}
