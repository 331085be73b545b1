//! `tesuji serve`: the web page on loopback.

use crate::{games, memory, version};
use anyhow::Context;
use std::{path::PathBuf, process::ExitCode};
use tesuji_web::{Settings, serve};

/// Arguments of `tesuji serve`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji serve\n  \
    tesuji serve --demo --seed 1 --workspace demo\n  \
    tesuji serve --port 0 --no-token    # any free port, for scripts\n\n\
    The page is for this machine alone: the server listens on 127.0.0.1 and answers nobody who calls it otherwise.\n\
    What changes something needs the token in the printed address. From another machine, use an SSH tunnel.")]
pub(crate) struct Args {
    /// The port; 0: any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8787)]
    port: u16,
    /// Ask for no token: every program of this machine may start searches
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
    };
    serve(&settings, games::kits(), |server| {
        println!("Tesuji is open at {}", server.url());
        println!("Ctrl-C ends it.");
    })?;
    Ok(ExitCode::SUCCESS)
}
