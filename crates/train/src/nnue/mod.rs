//! Training of efficiently updatable networks (NNUE; Yu Nasu, 2018): from packed positions to weights, with steps by the processor or by
//! a device of another crate ([`NnueBackend`]).
//!
//! On the processor the first layer is cut into blocks of 32 columns, each with its rows, its gradient and its moments: what a thread works on
//! stays in its cache, and no gradient is shared. Positions of a game follow each other in short runs, in which accumulators and
//! gradients change by the pieces that moved. The bytes are the same for any number of threads and any instruction set.

mod block;
mod checkpoint;
mod device;
mod inputs;
mod kernels;
mod layout;
mod learn;
mod net;
mod positions;
mod record;
mod settings;
mod sparse;
mod stream;
mod strip;
mod tail;
mod tensor;
#[cfg(test)]
mod tests;
mod worker;

pub use device::NnueBackend;
pub use inputs::{InputTable, SideInputs};
pub use layout::{NnueLayout, NnueNumbers, NumberGroup};
pub use learn::{NnueOutcome, NnueRun, weights_of_checkpoint};
pub use positions::{PositionsFile, PositionsHeader, PositionsWriter};
pub use record::{BUCKETS, CELLS_MAX, CellLayout, CellPosition, NO_RESULT, PackError, RecordFacts};
pub use settings::NnueSettings;
pub use sparse::{PART, Section, SparseBatch};
pub use tail::{NnueSums, NnueTarget};
pub use tensor::NnueStep;
