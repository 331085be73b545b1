//! The learners of runs of `improve`, and how tunings play, for each game.

use tesuji_circle::{
    improve::{Learner, NetLearner, WeightsLearner},
    spsa::SpsaGames,
};
use tesuji_cuda::ComputeDevice;
use tesuji_kit::{Games, Kit, RequestError};
use tesuji_kits_go::{GO, study};
use tesuji_record::AnyGame;

/// The learner in a run of `improve` of `kit`, one of `games`: a network on `device` where `with_net` says so, otherwise what the
/// game learns by itself. `made_by` is the program with its version.
///
/// # Errors
/// When the game has no networks or no weights that learn, or only a network could use the device.
pub fn learner(
    games: Games,
    kit: &'static dyn Kit,
    with_net: bool,
    device: ComputeDevice,
    made_by: String,
) -> Result<Box<dyn Learner>, RequestError> {
    if with_net {
        let Some(learner) = NetLearner::new(kit, device, made_by) else {
            let others = games.names_with(|kit| kit.networks().is_some()).join(" and ");
            return Err(RequestError::failed(format!("{} has no networks; {others} have", kit.name())));
        };
        return Ok(Box::new(learner));
    }
    if device != ComputeDevice::Processor {
        let reason = "networks run there, and this run has none: give --search mcts";
        return Err(RequestError::value("device", device, reason));
    }
    if kit.name() == GO.name() {
        return Ok(Box::new(study::GoStudy));
    }
    Ok(Box::new(WeightsLearner(games.tuning(kit.name())?)))
}

/// How games of tunings of `kit` are played where nothing else is asked for.
pub fn spsa_games(kit: &dyn Kit) -> SpsaGames {
    if kit.name() == GO.name() { study::spsa_games() } else { SpsaGames::default() }
}
