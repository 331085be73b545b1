//! Go that nets, or playouts, play by the batch.

use crate::shared::herd::{self, PLAYOUTS};
use std::path::PathBuf;
use tesuji_go::{Area, Go, Large, Medium, Rules, Small};
use tesuji_go_eval::{GoPlanes, PlayoutKnobs, PlayoutOracle};
use tesuji_kit::{
    RequestError,
    networks::{Herd, HerdNets, HerdOf, HerdOracles},
};
use tesuji_search::mcts::Knobs;

/// Games under these rules.
pub(super) struct GoHerd {
    /// As they were given.
    text: String,
    rules: Rules,
}

impl GoHerd {
    /// Games under `rules`.
    pub(super) fn new(rules: &str) -> Result<GoHerd, RequestError> {
        let read = rules.parse().map_err(RequestError::failed)?;
        Ok(GoHerd { text: rules.to_string(), rules: read })
    }

    fn open_on<A: Area>(&self, nets: &HerdNets<'_>) -> anyhow::Result<Box<dyn HerdOracles>> {
        if are_playouts(nets.files) {
            let oracle = PlayoutOracle::<A>::new(PlayoutKnobs::default()).fixed();
            return Ok(Box::new(HerdOf::<Go<A>, _>::new(&self.text, vec![oracle])));
        }
        herd::open::<Go<A>, _, _>(&self.text, &GoPlanes::ALL, nets, |oracle| oracle)
    }
}

/// Whether the game's own playouts answer instead of a net.
fn are_playouts(files: &[PathBuf]) -> bool {
    matches!(files, [only] if only.as_os_str() == PLAYOUTS)
}

impl Herd for GoHerd {
    fn knobs(&self, files: &[PathBuf]) -> Knobs {
        if are_playouts(files) { Knobs::playouts() } else { Knobs::nets() }
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

    fn open(&self, nets: &HerdNets<'_>) -> Result<Box<dyn HerdOracles>, RequestError> {
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
