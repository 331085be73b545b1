//! Shogi that nets play by the batch.

use crate::shared::herd;
use std::path::PathBuf;
use tesuji_kit::{
    RequestError,
    networks::{Herd, HerdNets, HerdOracles},
};
use tesuji_search::mcts::{Knobs, LeafMates};
use tesuji_shogi::{Board, Shogi};
use tesuji_shogi_eval::DlshogiPlanes;

/// Games under these rules.
pub(super) struct ShogiHerd(pub(super) String);

impl Herd for ShogiHerd {
    fn knobs(&self, _: &[PathBuf]) -> Knobs {
        super::dlshogi_knobs()
    }

    /// dlshogi's limit.
    fn plies_max(&self) -> usize {
        320
    }

    fn noise_alpha(&self) -> f32 {
        0.15
    }

    fn leaf_mate_plies(&self) -> u32 {
        5
    }

    fn open(&self, nets: &HerdNets<'_>) -> Result<Box<dyn HerdOracles>, RequestError> {
        let mates = |oracle| LeafMates::<Board, _>::new(oracle, nets.mates.clone());
        Ok(herd::open::<Shogi, _, _>(&self.0, &DlshogiPlanes::ALL, nets, mates)?)
    }
}
