//! Listeners of a policy server at the addresses that it is told.

use crate::{HAS_GRPC, Protocol};
use std::net::TcpListener;

/// An address at which no server can listen.
#[derive(Debug, thiserror::Error)]
#[error("{address}: {reason}")]
pub struct ListenError {
    address: String,
    reason: String,
}

/// Opens listeners at the `addresses`, `tcp://host:port` or `grpc://host:port` (without a scheme `tcp`); where none is given, at the
/// usual ones.
///
/// # Errors
/// The first address that has another form, or at which the system gives no listener.
///
/// # Examples
/// ```
/// use tesuji_serving::{Protocol, listeners};
/// let doors = listeners(&["127.0.0.1:0".to_string()]).unwrap();
/// assert_eq!((doors.len(), doors[0].0), (1, Protocol::Plain));
/// let wrong = listeners(&["udp://127.0.0.1:0".to_string()]).unwrap_err();
/// assert_eq!(wrong.to_string(), "udp://127.0.0.1:0: expected tcp://host:port or grpc://host:port");
/// ```
pub fn listeners(addresses: &[String]) -> Result<Vec<(Protocol, TcpListener)>, ListenError> {
    const USUAL: [&str; 2] = ["tcp://127.0.0.1:4477", "grpc://127.0.0.1:4478"];
    if addresses.is_empty() {
        return USUAL[..1 + usize::from(HAS_GRPC)].iter().map(|address| listener(address)).collect();
    }
    addresses.iter().map(|address| listener(address)).collect()
}

/// Opens a listener at an address.
fn listener(address: &str) -> Result<(Protocol, TcpListener), ListenError> {
    let wrong = |reason: String| ListenError { address: address.to_string(), reason };
    let (protocol, place) = Protocol::of(address).unwrap_or((Protocol::Plain, address));
    if place.contains("://") {
        return Err(wrong("expected tcp://host:port or grpc://host:port".into()));
    }
    let listener = TcpListener::bind(place).map_err(|error| wrong(error.to_string()))?;
    Ok((protocol, listener))
}
