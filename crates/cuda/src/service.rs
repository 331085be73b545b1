//! Nets that run on a card, for anyone who asks a net through [`Service`].

use crate::backend::Cuda;
use crate::device::{Device, DeviceError};
use tesuji_game::OracleError;
use tesuji_nn::{Architecture, NetError, NetSession, Outputs, Service, Squash, Weights};
use tesuji_train::loss::squashed;
use tesuji_train::net::{Raw, Wired};
use tesuji_train::parameters::Parameters;

/// Positions of one run at most: a card wants many.
const RUN_MAX: usize = 1024;

/// A net for a card. Every session has a queue of its own on it, and its own copy of the numbers.
pub struct CardNet<O> {
    architecture: Architecture,
    numbers: Vec<f32>,
    open: O,
}

impl<D: Device, O: Fn() -> Result<D, DeviceError>> CardNet<O> {
    /// The net of `weights` on the card that `open` opens, once for each session.
    ///
    /// # Errors
    /// When the card does not open.
    pub fn new(weights: &Weights, open: O) -> Result<Self, DeviceError> {
        open()?;
        let architecture = weights.architecture.clone();
        let numbers = Parameters::new(&architecture).row(weights);
        Ok(CardNet { architecture, numbers, open })
    }
}

/// A thread's way to the card.
struct CardSession<D: Device> {
    net: Wired<Cuda<D>>,
    squash: Squash,
    raw: Raw,
}

impl<D, O> Service for CardNet<O>
where
    D: Device<Buffer: Send> + Send + 'static,
    O: Fn() -> Result<D, DeviceError> + Send + Sync,
{
    fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    fn run_max(&self) -> usize {
        RUN_MAX
    }

    fn session(&self, height: usize, width: usize, batch_max: usize) -> Result<Box<dyn NetSession>, OracleError> {
        let failed = |error: DeviceError| OracleError::Backend(error.to_string());
        let unfit = |error: NetError| OracleError::Backend(error.to_string());
        self.architecture.expect_board(height, width).map_err(unfit)?;
        let architecture = Architecture { height, width, ..self.architecture.clone() };
        let device = (self.open)().map_err(failed)?;
        let mut net = Wired::new(&architecture, Cuda::new(device, batch_max).map_err(failed)?);
        net.load(&self.numbers);
        if let Some(reason) = net.trouble() {
            return Err(OracleError::Backend(reason));
        }
        Ok(Box::new(CardSession { net, squash: architecture.value.squash, raw: Raw::default() }))
    }
}

impl<D: Device<Buffer: Send> + Send> NetSession for CardSession<D> {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        self.net.run(planes, batch, false, &mut self.raw);
        if let Some(reason) = self.net.trouble() {
            return Err(OracleError::Backend(reason));
        }
        let raw = &mut self.raw;
        raw.value.iter_mut().for_each(|value| *value = squashed(self.squash, *value));
        raw.ownership.iter_mut().for_each(|owned| *owned = owned.tanh());
        Ok(Outputs { policy: &raw.policy, value: &raw.value, ownership: &raw.ownership, score: &raw.score })
    }
}
