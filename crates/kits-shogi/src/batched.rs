//! Shogi that nets play by the batch.

use std::path::PathBuf;
use tesuji_kit::{
    RequestError,
    networks::{BatchedGames, BatchedNets, BatchedOracles},
};
use tesuji_kits_shared::batched;
use tesuji_search::mcts::{LeafMates, Parameters};
use tesuji_shogi::{Board, Shogi};
use tesuji_shogi_eval::DlshogiPlanes;

/// Games under these rules.
pub(super) struct ShogiBatchedGames(pub(super) String);

impl BatchedGames for ShogiBatchedGames {
    fn parameters(&self, _: &[PathBuf]) -> Parameters {
        super::dlshogi_parameters()
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

    fn open(&self, nets: &BatchedNets<'_>) -> Result<Box<dyn BatchedOracles>, RequestError> {
        let mates = |oracle| LeafMates::<Board, _>::new(oracle, nets.mates.clone());
        Ok(batched::open::<Shogi, _, _>(&self.0, &DlshogiPlanes::ALL, nets, mates)?)
    }
}
