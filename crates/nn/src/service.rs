//! Who runs a net: this thread, or somebody else who is asked the same way. What an oracle needs of either.

use crate::{Architecture, Net, NetError, Outputs, Runner};
use std::{sync::Arc, time::Instant};
use tesuji_game::OracleError;

/// Something that runs a net for many threads.
pub trait Service: Send + Sync {
    /// The net.
    fn architecture(&self) -> &Architecture;

    /// Positions of one call at most that are of any use to it.
    fn run_max(&self) -> usize {
        32
    }

    /// Says until when answers are of any use, to all of its sessions: one that waits for others gives up then, with an error.
    /// `None`: they may take as long as they do. What runs in this process has nothing to wait for.
    fn set_due(&self, _: Option<Instant>) {}

    /// One thread's way to it, for boards of `height` x `width` and up to `batch_max` positions a call.
    ///
    /// # Errors
    /// When the net is for other boards, or cannot be reached.
    fn session(&self, height: usize, width: usize, batch_max: usize) -> Result<Box<dyn Session>, OracleError>;
}

/// One thread's way to a net.
pub trait Session: Send {
    /// What the net says of `batch` positions, at least one, whose planes lie one after another in `planes`.
    ///
    /// # Errors
    /// When anyone who runs it fails or is gone.
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError>;
}

impl Session for Runner {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        Ok(Runner::run(self, planes, batch))
    }
}

impl Service for Arc<Net> {
    fn architecture(&self) -> &Architecture {
        Net::architecture(self)
    }

    fn session(&self, height: usize, width: usize, batch_max: usize) -> Result<Box<dyn Session>, OracleError> {
        let failed = |error: NetError| OracleError::Backend(error.to_string());
        Ok(Box::new(Runner::new(self.clone(), height, width, batch_max).map_err(failed)?))
    }
}
