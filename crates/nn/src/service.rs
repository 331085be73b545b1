//! Services that run a net: this thread, a device or a server, all behind the same traits.

use crate::{Architecture, Net, NetError, Outputs, Runner};
use std::{sync::Arc, time::Instant};
use tesuji_game::OracleError;

/// A service that runs a net for many threads.
///
/// # Examples
///
/// A net in this process; a session of a server on another machine is used in the same way:
///
/// ```
/// use std::sync::Arc;
/// use tesuji_nn::{Architecture, Net, Service, Weights};
///
/// let weights = Weights::random(Architecture::for_any_size("go-1", 8, 9, 2, 16), 1);
/// let net: Arc<dyn Service> = Arc::new(Arc::new(Net::new(&weights)?));
/// assert_eq!(net.architecture().features, "go-1");
/// // Boards of 9x9, at most four positions a call.
/// let mut session = net.session(9, 9, 4)?;
/// let outputs = session.run(&vec![0.0; 3 * 8 * 81], 3)?;
/// assert_eq!((outputs.policy.len(), outputs.value.len()), (3 * 82, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Service: Send + Sync {
    /// The architecture of the net.
    fn architecture(&self) -> &Architecture;

    /// The largest useful batch: more positions a call gain nothing.
    fn run_max(&self) -> usize {
        32
    }

    /// Sets the deadline of answers for all of its sessions: a session that waits for a server gives up then, with an error.
    /// `None`: no deadline. A net in this process does not wait.
    fn set_due(&self, _: Option<Instant>) {}

    /// Opens a session for one thread, for boards of `height` x `width` and up to `batch_max` positions a call.
    ///
    /// # Errors
    /// When the net is for other boards, or cannot be reached.
    fn session(&self, height: usize, width: usize, batch_max: usize) -> Result<Box<dyn NetSession>, OracleError>;
}

/// A session of one thread with a [`Service`].
///
/// # Examples
///
/// A [`Runner`] is a session with a net in this process; see [`Service`] for sessions of any kind:
///
/// ```
/// use std::sync::Arc;
/// use tesuji_nn::{Architecture, Net, Runner, NetSession, Weights};
///
/// /// The value of a board without stones.
/// fn value_of_nothing(session: &mut dyn NetSession) -> f32 {
///     session.run(&[0.0; 8 * 81], 1).map_or(f32::NAN, |outputs| outputs.value[0])
/// }
///
/// let net = Arc::new(Net::new(&Weights::random(Architecture::for_any_size("go-1", 8, 9, 2, 16), 1))?);
/// let mut runner = Runner::new(net, 9, 9, 1)?;
/// assert!(value_of_nothing(&mut runner).abs() <= 1.0);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
pub trait NetSession: Send {
    /// Runs the net on `batch` positions, at least one, whose planes lie one after another in `planes`.
    ///
    /// # Errors
    /// When anyone who runs it fails or is gone.
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError>;
}

impl NetSession for Runner {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        Ok(Runner::run(self, planes, batch))
    }
}

impl Service for Arc<Net> {
    fn architecture(&self) -> &Architecture {
        Net::architecture(self)
    }

    fn session(&self, height: usize, width: usize, batch_max: usize) -> Result<Box<dyn NetSession>, OracleError> {
        let failed = |error: NetError| OracleError::Backend(error.to_string());
        Ok(Box::new(Runner::new(self.clone(), height, width, batch_max).map_err(failed)?))
    }
}
