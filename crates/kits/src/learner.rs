//! The learners of runs of `improve`, and how tunings play, for each game.

use tesuji_circle::{
    improve::{Learner, Learns, NetLearner, NnueLearner, WeightsLearner},
    spsa::SpsaGames,
};
use tesuji_cuda::ComputeDevice;
use tesuji_kit::{Games, Kit, RequestError};
use tesuji_kits_go::{GO, study};
use tesuji_record::AnyGame;

/// The learner in a run of `improve` of `kit`, one of `games`: what `learns` says, a network on `device`. `made_by` is the program with its version.
///
/// # Errors
/// When the game has no networks or no weights that learn, or only a network could use the device.
pub fn learner(
    games: Games,
    kit: &'static dyn Kit,
    learns: Learns,
    device: ComputeDevice,
    made_by: String,
) -> Result<Box<dyn Learner>, RequestError> {
    if learns == Learns::Network {
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
    if learns == Learns::Nnue {
        let Some(learner) = NnueLearner::new(kit, made_by) else {
            let others = games.names_with(|kit| kit.nnue_training().is_some()).join(" and ");
            let words = format!("{} has no efficiently updatable networks; {others} have", kit.name());
            return Err(RequestError::failed(words));
        };
        return Ok(Box::new(learner));
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
