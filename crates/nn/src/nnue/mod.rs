//! Efficiently updatable networks (NNUE; Yu Nasu, 2018): shapes as data, files, quantisation, inputs. Knows no game: what the
//! inputs mean is the business of a [`FeatureSet`].
//!
//! An [`Architecture`] is the shape, [`FloatWeights`] what a trainer makes, a [`Network`] the same in integers, as files
//! hold it; a [`Prepared`] is laid out for the machine, and a [`NnueEval`] plays it: a [`tesuji_game::Evaluator`].
//!
//! ```
//! use tesuji_nn::nnue::{Architecture, FloatWeights, Network};
//!
//! let text = "name = 'small'\ngame = 'four'\nwidth = 32\nactivation = 'screlu'\n[features]\nset = 'discs'\ninputs = 84\nactive_max = 42\n";
//! let architecture = Architecture::parse(text).unwrap();
//! let weights = FloatWeights::random(&architecture, 1);
//! let network = Network::quantise(&architecture, &weights).unwrap();
//! assert_eq!(Network::read(&network.write()), Ok(network.clone()));
//! let (own, other) = ([3, 50], [45, 8]);
//! let exact = weights.output(&architecture, &own, &other, 0) * 400.0;
//! assert!((network.value(&own, &other, 0) as f32 - exact).abs() < 10.0);
//! ```

mod accumulator;
mod architecture;
mod features;
mod file;
mod float;
pub mod kernels;
mod network;
mod prepared;
mod raw;

pub use accumulator::NnueEval;
pub use architecture::{Activation, Architecture, Base, Features, Quantisation};
pub use features::{FeatureSet, InputChange};
pub(crate) use file::with_checksum;
pub use file::{FILE_BYTES_MAX, MAGIC};
pub use float::{FloatLayer, FloatWeights};
pub use network::{Layer, Network};
pub use prepared::{Prepared, Scratch};
