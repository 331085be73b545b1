//! Networks from samples: forward and backward passes, losses, optimisers, checkpoints. Knows shapes, not games; plays none.

pub mod backend;
pub mod checkpoint;
pub mod cpu;
mod error;
pub mod fuzz;
pub mod kernels;
pub mod learn;
pub mod log;
pub mod loss;
pub mod net;
pub mod nnue;
pub mod optimiser;
pub mod parameters;
pub mod pool;
pub mod sample;
pub mod settings;
