//! Options of `tesuji selfplay --net`: games of networks, a batch of them in each thread.

use std::path::PathBuf;
use tesuji_arena::EngineRequest;
use tesuji_circle::{NetworkGames, RootNoise};

/// Arguments of games with networks.
#[derive(clap::Args)]
#[command(next_help_heading = "With networks")]
pub(super) struct NetArgs {
    /// Play with this network (safetensors, grpc://host:port or tcp://host:port of a policy server, or in go `playouts`, its
    /// own search's) by Monte-Carlo tree search, many games at once in each thread. Several: game N is played by net N modulo
    /// their number
    #[arg(long, value_name = "FILE", visible_alias = "oracle")]
    net: Vec<PathBuf>,
    /// Let all nets answer together, by their mean
    #[arg(long, requires = "net")]
    average: bool,
    /// Games at once in each thread
    #[arg(long, default_value_t = 64, value_name = "N", requires = "net", value_parser = clap::value_parser!(u32).range(1..=4096))]
    batch: u32,
    /// Leaves of one game in a batch
    #[arg(long, default_value_t = 1, value_name = "N", requires = "net", value_parser = clap::value_parser!(u32).range(1..=256))]
    leaves: u32,
    /// Moves are drawn by their visits to the power of one over this
    #[arg(long, default_value_t = 1.0, value_name = "T", requires = "net")]
    temperature: f32,
    /// Plies of the game for which that holds; later the best are played
    #[arg(long, default_value_t = 30, value_name = "N", requires = "net")]
    temperature_plies: usize,
    /// The noise of the priors of roots: Dirichlet's distribution, rare kicks as in dlshogi, or none
    #[arg(long, default_value = "dirichlet", value_name = "KIND", requires = "net")]
    noise: NoiseArg,
    /// Give up where the expected result, in -1..=1, is below this at two moves in a row (`--resign off`: never)
    #[arg(long, default_value_t = -0.95, value_name = "V", allow_negative_numbers = true, requires = "net")]
    resign_below: f32,
    /// The share of games in which nobody gives up, to see how often that would have been wrong
    #[arg(long, default_value_t = 0.1, value_name = "SHARE", requires = "net")]
    audit: f64,
    /// Let games of go hold passes while the board is not settled
    #[arg(long, requires = "net")]
    early_passes: bool,
    #[command(flatten)]
    rivals: RivalArgs,
}

/// The noise of the priors of roots.
#[derive(Clone, Copy, clap::ValueEnum)]
enum NoiseArg {
    Dirichlet,
    Kick,
    None,
}

/// Arguments of opponents.
#[derive(clap::Args)]
struct RivalArgs {
    /// A program that moves for one side in a share of the games, in the words of `tesuji match --engine`, with a limit for
    /// each move: 'cmd=PROGRAM args=… option.NAME=VALUE nodes=…|depth=…|st=…'. May be repeated
    #[arg(long = "opponent", value_name = "ENGINE", requires = "net")]
    engines: Vec<EngineRequest>,
    /// The share of the games in which one of them plays
    #[arg(long = "opponent-share", default_value_t = 0.2, value_name = "SHARE", requires = "engines")]
    share: f64,
    /// Processes of each opponent
    #[arg(long = "opponent-processes", default_value_t = 1, value_name = "N", requires = "engines",
        value_parser = clap::value_parser!(u16).range(1..=256))]
    processes: u16,
}

impl NetArgs {
    /// The games that are asked for, where networks are to play.
    pub(super) fn request(&self, options: &[String]) -> Option<NetworkGames> {
        (!self.net.is_empty()).then(|| NetworkGames {
            nets: self.net.clone(),
            average: self.average,
            batch: self.batch,
            leaves: self.leaves,
            temperature: self.temperature,
            temperature_plies: self.temperature_plies,
            noise: match self.noise {
                NoiseArg::Dirichlet => RootNoise::Dirichlet,
                NoiseArg::Kick => RootNoise::Kick,
                NoiseArg::None => RootNoise::None,
            },
            resign_below: self.resign_below,
            audit: self.audit,
            early_passes: self.early_passes,
            opponents: self.rivals.engines.clone(),
            opponent_share: self.rivals.share,
            opponent_processes: self.rivals.processes,
            options: options.to_vec(),
        })
    }
}
