//! Networks on a CUDA card: the same functions as on the processor, with kernels of our own and products by cuBLAS.
//!
//! A [`Cuda`] trains and runs nets on any [`device::Device`], a [`NnueCuda`] takes the steps of efficiently updatable ones. The real one, [`card::Card`], comes with the feature `card`; its
//! libraries are looked for when it is asked for, so that one binary runs with and without them. The tests play the card on
//! the processor: the kernels' text is compiled as C and does the same work.

#[cfg(not(feature = "card"))]
#[path = "absent.rs"]
pub mod card;
#[cfg(feature = "card")]
#[allow(unsafe_code)] // Calls of the driver: each is next to what makes it right.
pub mod card;

mod address;
pub mod backend;
pub mod device;
mod nnue;
mod service;

pub use address::{ComputeDevice, device_of};
pub use backend::Cuda;
pub use nnue::NnueCuda;
pub use service::CardNet;
