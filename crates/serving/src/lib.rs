//! Networks for engines on other machines: a server that gathers the positions of all clients into batches, and the
//! client's end, which oracles ask like a net of their own. Knows planes and sockets, not games.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod client;
mod counts;
pub mod fuzz;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(not(feature = "grpc"))]
#[path = "grpc_absent.rs"]
mod grpc;
mod line;
mod listening;
mod plain;
mod queue;
mod server;
mod wire;

pub use client::Remote;
pub use counts::{Served, ServerCounts, ServerOptions};
pub use listening::{ListenError, listeners};
pub use server::Server;

/// Whether this build has gRPC (feature `grpc`). Without it, servers and clients of [`Protocol::Grpc`] say what to do.
pub const HAS_GRPC: bool = cfg!(feature = "grpc");

/// The protocol between clients and servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// A plain socket, with few bytes and little work for each position.
    Plain,
    /// gRPC, for clients in any language; see `proto/policy.proto`.
    Grpc,
}

impl Protocol {
    /// The URL scheme with which addresses of such servers begin.
    pub fn scheme(self) -> &'static str {
        match self {
            Protocol::Plain => "tcp://",
            Protocol::Grpc => "grpc://",
        }
    }

    /// The way to the server that `address` names, and its `host:port`; none where it has no scheme of a policy server, as
    /// names of files have not.
    ///
    /// # Examples
    /// ```
    /// use tesuji_serving::Protocol;
    /// assert_eq!(Protocol::of("grpc://server:4478"), Some((Protocol::Grpc, "server:4478")));
    /// assert_eq!(Protocol::of("net.safetensors"), None);
    /// ```
    pub fn of(address: &str) -> Option<(Protocol, &str)> {
        let known = [Protocol::Plain, Protocol::Grpc];
        known.into_iter().find_map(|protocol| Some((protocol, address.strip_prefix(protocol.scheme())?)))
    }
}

/// An error of connecting to a server, or of its answers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServingError {
    /// The connection.
    #[error("the policy server at {address}: {error}")]
    Io {
        /// The server.
        address: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The server's data violates the protocol.
    #[error("the policy server at {address}: {what}")]
    Protocol {
        /// The server.
        address: String,
        /// The error in words.
        what: String,
    },
}
