//! The request for a speed measurement of a net.

use crate::RequestError;
use serde::{Deserialize, Serialize};

/// A net to be timed. All fields but `net` may be missing.
///
/// # Examples
/// ```
/// use tesuji_kit::networks::NetSpeedRequest;
///
/// let request = NetSpeedRequest { net: "four.safetensors".into(), seconds: 0.0, ..NetSpeedRequest::default() };
/// assert_eq!(request.validate().unwrap_err().to_string(), "seconds 0: expected more than 0, at most 3600");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetSpeedRequest {
    /// The version of this form: [`NetSpeedRequest::VERSION`].
    pub version: u32,
    /// A net, or a preset with random numbers; after `cuda:` or `cuda:N:` on a card.
    pub net: String,
    /// The encoding of a preset's net; the family's usual one if not given.
    pub features: Option<String>,
    /// The side of the board; the net's own if not given.
    pub size: Option<usize>,
    /// Positions of one call.
    pub batch: usize,
    /// Threads, each with buffers of its own.
    pub threads: usize,
    /// The time to measure, in seconds, above 0 and up to 3600.
    pub seconds: f64,
    /// The kernels: `plain`, `avx2` or `avx512`; the machine's best if not given.
    pub kernels: Option<String>,
}

impl Default for NetSpeedRequest {
    fn default() -> NetSpeedRequest {
        NetSpeedRequest {
            version: Self::VERSION,
            net: String::new(),
            features: None,
            size: None,
            batch: 8,
            threads: 1,
            seconds: 3.0,
            kernels: None,
        }
    }
}

impl NetSpeedRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; the net is read later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        if !(self.seconds > 0.0 && self.seconds <= 3600.0) {
            return Err(RequestError::value("seconds", self.seconds, "expected more than 0, at most 3600"));
        }
        if !(1..=4096).contains(&self.batch) {
            return Err(RequestError::value("batch", self.batch, "expected 1 to 4096"));
        }
        if !(1..=1024).contains(&self.threads) {
            return Err(RequestError::value("threads", self.threads, "expected 1 to 1024"));
        }
        Ok(())
    }
}
