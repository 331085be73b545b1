//! `tesuji play`: consoles to play by hand: chess in the manner of GreKo, with the 27 named weights and to let them learn; go; shogi.

use crate::{games, oracle::OracleArgs, uci::session_of, version};
use std::{
    io::{IsTerminal, Read, stdin},
    path::PathBuf,
    process::ExitCode,
};
use tesuji_jobs::terminal::Stdout;
use tesuji_kit::console::{ConsoleRequest, Greeted, converse, open_console};

/// Arguments of `tesuji play`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tesuji play chess\n  tesuji play chess -c \"e4; go; board\"\n  tesuji play chess --option Eval=nnue\n  tesuji play go --rules '13x13 japanese'\n  tesuji play shogi\n\n\
    Commands (any beginning that fits one alone will do; `help` explains them):\n  \
    analyze, board, eval, fen, force, go, help, learn, level, moves, new, quit, savepgn, selfplay, setboard, undo\n\
    Moves are typed as e4, Nf3, O-O or e2e4, e7e8q, in go as D4, in shogi as 7g7f, P-7f or ７六歩.\n\n\
    In chess the engine plays with the weights of `weights.txt` in the folder, or with those before learning. `learn games.pgn\n\
    [from to]` learns them by coordinate descent, as V. Medvedev's GreKo did in 2016: it makes `games.fen` (kept for\n\
    later runs), keeps the old weights in `weights.old`, each step in `learning.log`, and the best weights by validation\n\
    in `weights.txt`.\n\
    Learned weights play from the next start on. Ctrl-C ends learning with what was found.\n\
    Where a GUI greets it (`uci`, `xboard`) the chess console is an engine with these weights."
)]
pub(crate) struct Args {
    /// The game
    #[arg(value_parser = games::parser())]
    game: String,
    /// Rules of go: size, name, flags
    #[arg(long, default_value = "9x9", value_name = "RULES")]
    rules: String,
    /// Nodes of the engine for a move, in go playouts [default: a second, in go 2000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    #[command(flatten)]
    oracle: OracleArgs,
    /// An option of the engine, as in `tesuji engine`: Eval=nnue, Threads=2. In chess the engine of this program then plays
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// The folder of weights.txt, weights.old and learning.log
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    folder: PathBuf,
    /// Commands to carry out first, separated by `;`
    #[arg(long, short, value_name = "COMMANDS")]
    commands: Option<String>,
    /// A board this many plies before the end counts 1/e of the last one in `learn`; 0: all count the same
    #[arg(long, default_value_t = 20.0, value_name = "PLIES")]
    lambda: f64,
    /// Centipawns that multiply the odds by e in `learn`
    #[arg(long, default_value_t = 150.0, value_name = "CP")]
    k: f64,
    /// Decides the split into training and validation [default: 0], and the first moves of `selfplay` [default: a new seed,
    /// which is printed]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Threads that learn (0: one for each core)
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
}

impl Args {
    /// The request that the arguments make.
    fn request(&self) -> ConsoleRequest {
        ConsoleRequest {
            rules: self.rules.clone(),
            nodes: self.nodes,
            engine: self.oracle.is_given() || !self.options.is_empty(),
            folder: self.folder.clone(),
            lambda_plies: self.lambda,
            k: self.k,
            seed: self.seed,
            jobs: self.jobs,
            made_by: format!("tesuji {}", version::short()),
        }
    }
}

/// Reads commands until `quit` or the end of the input; where a GUI greets, its session goes on.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (kit, request) = (games::kit(&args.game)?, args.request());
    let mut console = open_console(kit, &request, args.oracle.made(&args.options, kit)?)?;
    let (prompts, mut input) = (stdin().is_terminal(), stdin().lock());
    let commands = args.commands.unwrap_or_default();
    if let Some(Greeted { line, spoken: (player, end) }) = converse(console.as_mut(), &commands, &mut input, prompts)? {
        session_of(kit, player, end, "").run(line.as_bytes().chain(input), Stdout)?;
    }
    Ok(ExitCode::SUCCESS)
}
