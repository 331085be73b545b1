//! Nets that play by the batch: opened from their files, each for itself or all together.

use crate::net::load_net;
use anyhow::anyhow;
use tesuji_game::{Encoding, Game, Oracle};
use tesuji_kit::networks::{BatchedNets, BatchedOf, BatchedOracles};
use tesuji_nn::{MeanOracle, NetOracle};

/// The name that stands for go's playouts and learned priors where a file of a net could be given.
pub const PLAYOUTS: &str = "playouts";

/// Opens nets that see positions in one of the ways `known`; `dress` puts around each what the game's batches of games have besides.
pub fn open<G: Game, E: Encoding<G::Position> + Clone + 'static, O: Oracle<G::Position> + Clone + 'static>(
    rules: &str,
    known: &[E],
    nets: &BatchedNets<'_>,
    dress: impl Fn(MeanOracle<NetOracle<E>>) -> O,
) -> anyhow::Result<Box<dyn BatchedOracles>> {
    let mut oracles = Vec::new();
    for file in nets.files {
        let name = file.display().to_string();
        let (net, planes) = load_net::<G::Position, E>(&name, known).map_err(|reason| anyhow!(reason))?;
        let oracle = NetOracle::over::<G::Position>(net, planes, nets.parameters.clone());
        oracles.push(oracle.map_err(|e| anyhow!("{name}: {e}"))?);
    }
    let groups = if nets.average { vec![oracles] } else { oracles.into_iter().map(|oracle| vec![oracle]).collect() };
    let oracles: Vec<O> = groups.into_iter().filter_map(MeanOracle::of).map(dress).collect();
    Ok(Box::new(BatchedOf::<G, O>::new(rules, oracles)))
}
