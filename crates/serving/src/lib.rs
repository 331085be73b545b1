//! Networks for engines on other machines: a server that gathers the positions of all clients into batches, and the
//! client's end, which oracles ask like a net of their own. Knows planes and sockets, not games.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod client;
mod server;
mod wire;

pub use client::Remote;
pub use server::{Counts, Served, Server, ServerKnobs};

/// What addresses of servers begin with.
pub const SCHEME: &str = "tcp://";

/// Why a server cannot be reached, or does not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServingError {
    /// The connection.
    #[error("the policy server at {address}: {error}")]
    Io {
        /// The server.
        address: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// What came is not what was agreed.
    #[error("the policy server at {address}: {what}")]
    Protocol {
        /// The server.
        address: String,
        /// What is wrong.
        what: String,
    },
}
