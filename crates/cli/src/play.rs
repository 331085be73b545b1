//! `tesuji play`: consoles to play by hand: chess in the manner of GreKo, with the 27 named weights and to let them learn; go; shogi.

use crate::{games, oracle::OracleArgs, uci::session_of, version};
use anyhow::Context;
use std::{
    io::{BufRead, IsTerminal, Read, Write, stdin},
    path::PathBuf,
    process::ExitCode,
    sync::atomic::Ordering::SeqCst,
};
use tesuji_jobs::{Interrupt, terminal::Stdout};
use tesuji_kit::console::{Console, ConsoleRequest, open_console};

/// Arguments of `tesuji play`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tesuji play chess\n  tesuji play chess -c \"e4; go; board\"\n  tesuji play go --rules '13x13 japanese'\n  tesuji play shogi\n\n\
    Commands (any beginning that fits one alone will do; `help` explains them):\n  \
    analyze, board, eval, fen, force, go, help, learn, level, moves, new, quit, savepgn, selfplay, setboard, undo\n\
    Moves are typed as e4, Nf3, O-O or e2e4, e7e8q, in go as D4, in shogi as 7g7f, P-7f or ７六歩.\n\n\
    The engine plays with the weights of `weights.txt` in the folder, or with those before learning. `learn games.pgn\n\
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
            folder: self.folder.clone(),
            lambda_plies: self.lambda,
            k: self.k,
            seed: self.seed,
            jobs: self.jobs,
            made_by: format!("tesuji {}", version::short()),
        }
    }
}

/// Reads commands until `quit` or the end of the input.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let mut player = kit.player(args.oracle.family(""))?;
    args.oracle.load(|name, value| player.options().set(name, value))?;
    let mut console = open_console(kit, &args.request(), player)?;
    let (prompts, mut input) = (stdin().is_terminal(), stdin().lock());
    let mut greeting = Some(console.greeting());
    // A GUI that greets first is not greeted.
    if prompts || args.commands.is_some() {
        greeting.take().iter().for_each(|text| println!("{text}"));
    }
    for line in args.commands.unwrap_or_default().split(';').map(str::trim).filter(|line| !line.is_empty()) {
        println!("> {line}");
        if !obey(console.as_mut(), line)? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    loop {
        if prompts {
            print!("{}> ", console.prompt());
            Stdout.flush()?;
        }
        let mut line = String::new();
        let bytes = input.read_line(&mut line).context("cannot read the commands")?;
        if let Some((player, end)) = console.greeted(line.trim())? {
            // A GUI: its first word is the session's, too.
            session_of(kit, player, end, "").run(line.as_bytes().chain(input), Stdout)?;
            break;
        }
        greeting.take().iter().for_each(|text| println!("{text}"));
        if bytes == 0 {
            break;
        }
        if !line.trim().is_empty() && !obey(console.as_mut(), line.trim())? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Carries out a line; `false` at `quit`.
fn obey(console: &mut dyn Console, line: &str) -> anyhow::Result<bool> {
    let goes_on = console.obey(line, &mut |text| println!("{text}"));
    // Ctrl-C ends what was going on, not what comes next.
    Interrupt::of_process().flag().store(false, SeqCst);
    Stdout.flush()?;
    Ok(goes_on)
}
