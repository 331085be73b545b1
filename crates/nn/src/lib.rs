//! Networks: files, convolutional policy and value inference, batching. Knows shapes, not games: what the planes mean is
//! an encoding's business, whose name and version a net carries and a user of the net compares.
//!
//! A [`Weights`] is what a file holds and training changes; a [`Net`] is the same made ready to run (batch norm folded,
//! weights packed for the kernels), shared between threads; a [`Runner`] is one thread's buffers.
//!
//! ```
//! use std::sync::Arc;
//! use tesuji_nn::{Architecture, Net, Runner, Weights};
//!
//! let architecture = Architecture::for_any_size("go-1", 8, 9, 2, 16);
//! let weights = Weights::random(architecture, 1);
//! let again = Weights::read(&weights.write()).unwrap();
//! assert_eq!(weights, again);
//! let mut runner = Runner::new(Arc::new(Net::new(&again).unwrap()), 9, 9, 4).unwrap();
//! let outputs = runner.run(&vec![0.5; 2 * 8 * 81], 2);
//! assert_eq!((outputs.policy.len(), outputs.value.len()), (2 * 82, 2));
//! assert_eq!(outputs.value[0], outputs.value[1]);
//! ```

mod architecture;
mod cache;
mod error;
pub mod fuzz;
mod katago;
pub mod kernels;
mod mean;
mod mixed;
mod model_file;
mod net;
pub mod nnue;
mod onnx;
mod oracle;
mod runner;
mod safetensors;
mod service;
mod tensor;
mod weights;

pub use architecture::{Activation, Architecture, PolicyHead, Pooling, Squash, Stem, ValueHead};
pub use error::NetError;
pub use katago::{ForeignNet, ForeignOutput, ForeignSession};
pub use mean::MeanOracle;
pub use mixed::MixedNets;
pub use net::Net;
pub use oracle::{NetOracle, NetParameters};
pub use runner::{Outputs, Runner};
pub use service::{NetSession, Service};
pub use tensor::Tensor;
pub use weights::{Origin, Weights};
