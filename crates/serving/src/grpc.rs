//! gRPC beside the plain socket: the same net, the same queue, for clients in any language (`proto/policy.proto`).

mod client;
mod messages;
mod server;
#[cfg(test)]
mod tests;

pub(crate) use client::GrpcStream;
pub(crate) use messages::{Description, Outputs, Positions};
pub(crate) use server::Door;

/// Bytes of a request at most.
const REQUEST_BYTES_MAX: usize = 16 << 20;
/// Bytes of an answer at most: what clients of gRPC take unless they are told otherwise.
const ANSWER_BYTES_MAX: usize = 4 << 20;
/// Positions of a request at most, however small they are.
const POSITIONS_MAX: usize = 256;
