//! The choice of a player in requests: a search family with options, or a network.

use crate::{Games, Kit, RequestError, settings};
use serde::{Deserialize, Serialize};
use tesuji_engine::Player;
use tesuji_options::OptionError;

/// The option of players that takes a network.
const NET_OPTION: &str = "NetFile";

/// A player that is wanted; the default is the game's best with its usual options.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlayerRequest {
    /// The search family; empty: the best one, or Monte-Carlo tree search where a network chooses moves.
    pub search: String,
    /// A network that moves are chosen by: a file, or the address of a policy server.
    pub oracle: Option<String>,
    /// Options, as `NAME=VALUE`.
    pub options: Vec<String>,
}

impl PlayerRequest {
    /// Makes the player, with options `first` set before those that were asked for.
    ///
    /// # Errors
    /// When there is no such family, network or option.
    pub fn player(&self, games: Games, kit: &dyn Kit, first: &[(&str, &str)]) -> Result<Box<dyn Player>, RequestError> {
        let family = if self.oracle.is_some() && self.search.is_empty() { "mcts" } else { &self.search };
        let mut player = kit.player(family).map_err(anyhow::Error::from)?;
        {
            let mut options = player.options();
            for (name, value) in first {
                options.set(name, value).map_err(anyhow::Error::from)?;
            }
            if let Some(net) = &self.oracle {
                options.set(NET_OPTION, net).map_err(|error| net_error(games, net, &error))?;
            }
            for (name, value) in settings(&self.options)? {
                let wrong = |error| RequestError::value("options", format_args!("{name}={value}"), error);
                options.set(name, value).map_err(wrong)?;
            }
        }
        Ok(player)
    }
}

/// The error for a network that cannot be used.
fn net_error(games: Games, net: &str, error: &OptionError) -> RequestError {
    let OptionError::Unknown { .. } = error else { return RequestError::value("oracle", net, error) };
    let games = games.names_with(|kit| kit.networks().is_some()).join(" and ");
    let reason = format!("networks are asked in {games}, by Monte-Carlo tree search (--search mcts)");
    RequestError::value("oracle", net, reason)
}
