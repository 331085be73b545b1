//! Go that nets, or playouts, play by the batch.

use std::path::PathBuf;
use tesuji_go::{Area, Go, Large, Medium, Rules, Small};
use tesuji_go_eval::{GoPlanes, PlayoutOracle, PlayoutParameters};
use tesuji_kit::{
    RequestError,
    networks::{BatchedGames, BatchedNets, BatchedOf, BatchedOracles},
};
use tesuji_kits_shared::batched::{self, PLAYOUTS};
use tesuji_search::mcts::Parameters;

/// Games under these rules.
pub(super) struct GoBatchedGames {
    /// As they were given.
    text: String,
    rules: Rules,
}

impl GoBatchedGames {
    /// Games under `rules`.
    pub(super) fn new(rules: &str) -> Result<GoBatchedGames, RequestError> {
        let read = rules.parse().map_err(RequestError::failed)?;
        Ok(GoBatchedGames { text: rules.to_string(), rules: read })
    }

    fn open_on<A: Area>(&self, nets: &BatchedNets<'_>) -> anyhow::Result<Box<dyn BatchedOracles>> {
        if are_playouts(nets.files) {
            let oracle = PlayoutOracle::<A>::new(PlayoutParameters::default()).fixed();
            return Ok(Box::new(BatchedOf::<Go<A>, _>::new(&self.text, vec![oracle])));
        }
        batched::open::<Go<A>, _, _>(&self.text, &GoPlanes::ALL, nets, |oracle| oracle)
    }
}

/// Whether the game's own playouts answer instead of a net.
fn are_playouts(files: &[PathBuf]) -> bool {
    matches!(files, [only] if only.as_os_str() == PLAYOUTS)
}

impl BatchedGames for GoBatchedGames {
    fn parameters(&self, files: &[PathBuf]) -> Parameters {
        if are_playouts(files) { Parameters::playouts() } else { Parameters::nets() }
    }

    /// Twice the points of the board.
    fn plies_max(&self) -> usize {
        2 * self.rules.size.points()
    }

    fn noise_alpha(&self) -> f32 {
        10.83 / self.rules.size.points() as f32
    }

    fn leaf_mate_plies(&self) -> u32 {
        0
    }

    fn open(&self, nets: &BatchedNets<'_>) -> Result<Box<dyn BatchedOracles>, RequestError> {
        let size = self.rules.size;
        let opened = if Small::holds(size) {
            self.open_on::<Small>(nets)
        } else if Medium::holds(size) {
            self.open_on::<Medium>(nets)
        } else {
            self.open_on::<Large>(nets)
        };
        Ok(opened?)
    }
}
