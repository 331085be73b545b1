//! The interface of a device that takes the steps of an efficiently updatable network: numbers and their moments stay there, and
//! batches, as lists of active inputs, and sums of the loss travel. Everything else of a run is the same for all devices.

use super::layout::NnueNumbers;
use super::sparse::SparseBatch;
use super::tail::{NnueSums, NnueTarget};
use super::tensor::NnueStep;
use crate::error::TrainError;

/// A device. What is asked for may run later, in the order in which it was asked; reading waits for it.
///
/// # Examples
///
/// A device that counts positions and moves nothing:
///
/// ```
/// use tesuji_train::learn::TrainError;
/// use tesuji_train::nnue::{NnueBackend, NnueNumbers, NnueStep, NnueSums, NnueTarget, SparseBatch};
///
/// struct Still {
///     numbers: NnueNumbers,
///     sums: NnueSums,
/// }
///
/// impl NnueBackend for Still {
///     fn name(&self) -> String {
///         "still".into()
///     }
///     fn load(&mut self, numbers: &NnueNumbers, sums: &NnueSums) -> Result<(), TrainError> {
///         (self.numbers, self.sums) = (numbers.clone(), *sums);
///         Ok(())
///     }
///     fn numbers(&mut self) -> Result<NnueNumbers, TrainError> {
///         Ok(self.numbers.clone())
///     }
///     fn round(&mut self, _: bool) -> Result<(), TrainError> {
///         Ok(())
///     }
///     fn gradient(&mut self, batch: &SparseBatch, target: &NnueTarget) -> Result<(), TrainError> {
///         let sums = self.judge(batch, target)?;
///         self.sums.add(&sums);
///         Ok(())
///     }
///     fn gradient_length(&mut self) -> Result<f32, TrainError> {
///         Ok(0.0)
///     }
///     fn step(&mut self, _: &NnueStep) -> Result<(), TrainError> {
///         Ok(())
///     }
///     fn sums(&mut self) -> Result<NnueSums, TrainError> {
///         Ok(self.sums)
///     }
///     fn restart(&mut self) -> Result<(), TrainError> {
///         self.sums = NnueSums::default();
///         Ok(())
///     }
///     fn judge(&mut self, batch: &SparseBatch, _: &NnueTarget) -> Result<NnueSums, TrainError> {
///         Ok(NnueSums { positions: batch.positions() as f64, ..NnueSums::default() })
///     }
/// }
///
/// let numbers = NnueNumbers { values: vec![1.0], moments: [vec![0.0], vec![0.0]] };
/// let mut device = Still { numbers: numbers.clone(), sums: NnueSums::default() };
/// device.load(&numbers, &NnueSums { positions: 3.0, ..NnueSums::default() })?;
/// let target = NnueTarget { scale: 400.0, result_share: 0.3, power: 2.0, batch: 1.0, corrects: false };
/// device.gradient(&SparseBatch::default(), &target)?;
/// assert_eq!((device.sums()?.positions, device.numbers()?), (3.0, numbers));
/// # Ok::<(), TrainError>(())
/// ```
pub trait NnueBackend {
    /// In words, for logs.
    fn name(&self) -> String;
    /// Takes over numbers with their moments, and sums to which those of the next steps are added. Numbers are used as they are until
    /// [`NnueBackend::round`].
    ///
    /// # Errors
    /// When the device fails, now or in what was asked before; so for every function here.
    fn load(&mut self, numbers: &NnueNumbers, sums: &NnueSums) -> Result<(), TrainError>;
    /// The numbers after all steps so far.
    ///
    /// # Errors
    /// As [`NnueBackend::load`].
    fn numbers(&mut self) -> Result<NnueNumbers, TrainError>;
    /// Passes begin to read numbers as the integers of the network will have them, or no longer do.
    ///
    /// # Errors
    /// As [`NnueBackend::load`].
    fn round(&mut self, is_rounded: bool) -> Result<(), TrainError>;
    /// Computes the gradient of the mean loss over `batch`, and adds the loss to the sums. Between two batches there is a step.
    ///
    /// # Errors
    /// As [`NnueBackend::load`].
    fn gradient(&mut self, batch: &SparseBatch, target: &NnueTarget) -> Result<(), TrainError>;
    /// The length of the gradient.
    ///
    /// # Errors
    /// As [`NnueBackend::load`].
    fn gradient_length(&mut self) -> Result<f32, TrainError>;
    /// Moves the numbers by the gradient, which becomes 0; in lazy layouts those rows that the last batch touched.
    ///
    /// # Errors
    /// As [`NnueBackend::load`].
    fn step(&mut self, step: &NnueStep) -> Result<(), TrainError>;
    /// The sums since [`NnueBackend::load`] or [`NnueBackend::restart`].
    ///
    /// # Errors
    /// As [`NnueBackend::load`].
    fn sums(&mut self) -> Result<NnueSums, TrainError>;
    /// Begins with sums of 0.
    ///
    /// # Errors
    /// As [`NnueBackend::load`].
    fn restart(&mut self) -> Result<(), TrainError>;
    /// Sums of the loss over `batch`, which nothing is learned from.
    ///
    /// # Errors
    /// As [`NnueBackend::load`].
    fn judge(&mut self, batch: &SparseBatch, target: &NnueTarget) -> Result<NnueSums, TrainError>;
}
