//! `tesuji serve`: the web page on loopback.

use crate::{games, version};
use anyhow::Context;
use std::{path::PathBuf, process::ExitCode};
use tesuji_jobs::{machine, memory};
use tesuji_web::{Clock, ConnectionLimits, Settings, serve};

/// MiB of memory for all searches where the system does not tell how much there is.
const MEMORY_MIB: u64 = 4096;

/// Arguments of `tesuji serve`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji serve\n  \
    tesuji serve --demo --seed 1 --workspace demo\n  \
    tesuji serve --port 0 --no-token    # any free port, for scripts\n\n\
    The page is for this machine alone: the server listens on 127.0.0.1 and answers nobody who calls it otherwise.\n\
    What changes something or shows data needs the token in the printed address. From another machine, use an SSH tunnel.")]
pub(crate) struct Args {
    /// The port; 0: any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8787)]
    port: u16,
    /// Ask for no token: every user and program of this machine may do what the page can, as you (see docs/page.md)
    #[arg(long)]
    no_token: bool,
    /// The folder whose files the page may read; jobs are kept in .tesuji/jobs of it
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: PathBuf,
    /// Decides what is random in jobs that say nothing themselves
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Begin a demo match at once, in a workspace that has no job yet
    #[arg(long)]
    demo: bool,
    /// Memory of the tables and threads of all searches of the page together, in MiB [default: half of the machine's]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..))]
    memory: Option<u64>,
}

/// Serves until Ctrl-C.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    // Searches come and go for days; where the C library cannot be told, it keeps more and all works.
    let _ = memory::give_back();
    let settings = Settings {
        port: args.port,
        with_token: !args.no_token,
        version: version::short().to_string(),
        workspace: args.workspace,
        program: std::env::current_exe().context("this program does not know its own path")?,
        seed: args.seed,
        demo: args.demo,
        memory_mib: args.memory.or_else(|| machine::memory_mib().map(|mib| mib / 2)).unwrap_or(MEMORY_MIB),
        clock: Clock::default(),
        limits: ConnectionLimits::default(),
    };
    let is_new = !settings.workspace.exists();
    serve(&settings, games::kits(), |server| {
        println!("Tesuji is open at {}", server.url());
        println!("Ctrl-C ends it.{}", if is_new { " The workspace is new: its folder was not there." } else { "" });
    })?;
    Ok(ExitCode::SUCCESS)
}
