//! `--oracle`: a network that moves are chosen by, from a file or a policy server.

use crate::{games, request::refused};
use anyhow::{Context, bail};
use tesuji_engine::Player;
use tesuji_kit::{Kit, PlayerRequest};
use tesuji_options::OptionError;

/// The option of players that takes a network.
const OPTION: &str = "NetFile";

/// Arguments of a command whose engine may ask a network.
#[derive(clap::Args, Default, Clone)]
pub(crate) struct OracleArgs {
    /// Choose moves by this network: a file (safetensors), or a policy server at grpc://host:port or tcp://host:port. The
    /// same as NetFile of --option; without a named family the search is Monte-Carlo tree search
    #[arg(long, value_name = "NET")]
    oracle: Option<String>,
}

impl OracleArgs {
    /// The player that asks it, of a search family (empty: the best one) with options.
    pub(crate) fn player(self, search: String, options: Vec<String>) -> PlayerRequest {
        PlayerRequest { search, oracle: self.oracle, options }
    }

    /// A player of the usual search with `options`, as `NAME=VALUE`.
    ///
    /// # Errors
    /// When there is no such network or option.
    pub(crate) fn made(&self, options: &[String], kit: &dyn Kit) -> anyhow::Result<Box<dyn Player>> {
        let made = self.clone().player(String::new(), options.to_vec()).player(games::games(), kit, &[]);
        made.map_err(|error| refused(error, &[("options", "option")]))
    }

    /// Whether a network was named.
    pub(crate) fn is_given(&self) -> bool {
        self.oracle.is_some()
    }

    /// The family of the search where `asked` is what the person named, empty for none.
    pub(crate) fn family<'a>(&self, asked: &'a str) -> &'a str {
        if self.oracle.is_some() && asked.is_empty() { "mcts" } else { asked }
    }

    /// Loads the network, if there is one, by `set`, which carries out an option of a player.
    ///
    /// # Errors
    /// When it cannot be loaded, or what plays takes no networks.
    pub(crate) fn load(&self, set: impl FnOnce(&str, &str) -> Result<(), OptionError>) -> anyhow::Result<()> {
        let Some(net) = &self.oracle else { return Ok(()) };
        match set(OPTION, net) {
            Err(OptionError::Unknown { .. }) => {
                let games = games::with_networks().join(" and ");
                bail!("--oracle {net}: networks are asked in {games}, by Monte-Carlo tree search (--search mcts)")
            }
            done => done.with_context(|| format!("--oracle {net}")),
        }
    }
}
