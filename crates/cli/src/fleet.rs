//! `tesuji fleet`: many machines for one run. The work is in `tesuji_fleet`.

use crate::{games, own_program};
use std::{io, path::PathBuf, process::ExitCode};
use tesuji_arena::MatchKind;
use tesuji_circle::{DuelKind, RescoreKind, SelfplayKind};
use tesuji_fleet::{
    Fleet, FleetStatus, LeaseTiming, SandboxOptions, SandboxWish, ServerOptions, UpOptions, WorkerOptions,
    contain_foreign_programs, make_key, run_up, run_worker, worker_place,
};
use tesuji_jobs::{Interrupt, machine, threads};
use tesuji_kit::Kit;

/// Arguments of `tesuji fleet`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji fleet up --workers 4\n  \
    tesuji match … --fleet nats://TOKEN@127.0.0.1:4222\n  \
    TESUJI_FLEET_TOKEN=… tesuji fleet worker nats://host:4222 --jobs 8\n  \
    tesuji fleet status nats://TOKEN@127.0.0.1:4222\n\n\
    Exit codes: 0 done; 2 wrong usage, no server, a wrong token. See docs/fleet.md.")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Start a server and workers on this machine, until Ctrl-C
    Up {
        /// Workers, each of which does one unit at a time (0: one for each core)
        #[arg(long, default_value_t = 0, value_name = "N")]
        workers: usize,
        /// Where the server keeps its store, its token and its log
        #[arg(long, default_value = ".tesuji/fleet", value_name = "DIR")]
        folder: PathBuf,
        /// The server's port [default: the one it had before, or any that is free]
        #[arg(long, value_name = "PORT")]
        port: Option<u16>,
        /// The address that the server listens on. One that others reach is encrypted, and each worker needs a key (fleet key)
        #[arg(long, default_value = "127.0.0.1", value_name = "HOST")]
        listen: String,
        /// A name or address of this machine for other ones, as keys tell it (repeatable) [default: that of --listen]
        #[arg(long, value_name = "NAME")]
        host: Vec<String>,
        /// Listen without encryption and keys: in a network that you trust
        #[arg(long)]
        unencrypted: bool,
        #[command(flatten)]
        sandbox: SandboxArgs,
    },
    /// Make the key of a worker for the fleet that was started with this folder: a file for the worker's machine
    Key {
        /// The worker's name
        name: String,
        /// The folder of `fleet up`
        #[arg(long, default_value = ".tesuji/fleet", value_name = "DIR")]
        folder: PathBuf,
    },
    /// Work for the fleet at URL, until Ctrl-C
    Worker(WorkerArgs),
    /// Show workers and runs
    Status {
        #[command(flatten)]
        server: Server,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Begin no more units, of a run or of all
    Pause(RunArgs),
    /// Go on after a pause
    Resume(RunArgs),
    /// End a run, or with --all everything: runs, workers, the server of `fleet up`
    Stop {
        #[command(flatten)]
        run: RunArgs,
        /// End all runs, all workers, and the server that `fleet up` started
        #[arg(long, required_unless_present = "run", conflicts_with = "run")]
        all: bool,
    },
    /// Set aside all results of a worker in a run, and have others do those units again
    Drop {
        #[command(flatten)]
        server: Server,
        /// The run, by its name or the beginning of its number
        run: String,
        /// The worker, by its name or identifier
        #[arg(long, value_name = "NAME")]
        worker: String,
        /// Let it take units of the run again
        #[arg(long)]
        undo: bool,
    },
    /// Show what workers said: faults, crashes with their stderr, versions that do not fit
    Logs {
        #[command(flatten)]
        server: Server,
        /// Of one worker alone
        #[arg(long, value_name = "NAME")]
        worker: Option<String>,
        /// Lines at most
        #[arg(long, default_value_t = 100, value_name = "N")]
        last: u32,
    },
}

#[derive(clap::Args)]
struct Server {
    /// The server: nats://TOKEN@HOST:PORT (the token may be in TESUJI_FLEET_TOKEN), the file of a key, or the folder of `fleet up`
    url: String,
}

#[derive(clap::Args)]
struct WorkerArgs {
    #[command(flatten)]
    server: Server,
    /// The worker's name, which no other one has [default: the name in its key, or that of this machine]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Units at a time (0: one for each core)
    #[arg(long, short = 'j', default_value_t = 1, value_name = "N")]
    jobs: usize,
    /// Take runs with node limits only: other work disturbs the clocks of this machine
    #[arg(long)]
    noisy: bool,
    /// Where outbox and files are kept
    #[arg(long, default_value = ".tesuji/fleet/workers", value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

#[derive(clap::Args)]
struct SandboxArgs {
    /// Run engines and builds under bubblewrap: auto (where it works), require, off
    #[arg(long, default_value = "auto", value_name = "HOW")]
    sandbox: SandboxWish,
    /// Let engines and builds use the network all the same: engines that are clients of a server
    #[arg(long)]
    sandbox_network: bool,
    /// Memory of its own that a process in the sandbox may have, in MiB [default: no limit]
    #[arg(long, value_name = "MIB")]
    sandbox_memory: Option<u64>,
}

impl From<SandboxArgs> for SandboxOptions {
    fn from(args: SandboxArgs) -> SandboxOptions {
        SandboxOptions { wish: args.sandbox, network: args.sandbox_network, memory_mib: args.sandbox_memory }
    }
}

#[derive(clap::Args)]
struct RunArgs {
    #[command(flatten)]
    server: Server,
    /// The run, by its name or the beginning of its number [default: the whole fleet]
    run: Option<String>,
}

/// Does what the subcommand says.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let stop = Interrupt::of_process();
    let connect = |server: &Server| Fleet::connect(&server.url, &stop);
    match args.command {
        Command::Up { workers, folder, port, listen, host, unencrypted, sandbox } => {
            let server = ServerOptions::new(folder, listen, port).reached_as(host, unencrypted);
            let (program, sandbox) = (std::env::current_exe()?, sandbox.into());
            let options = UpOptions { server, workers: threads(workers), program, sandbox };
            run_up(&options, &stop, &mut |line| println!("{line}"))?;
        }
        Command::Key { name, folder } => println!("{}", make_key(&folder, &name)?.display()),
        Command::Worker(args) => work(args, &stop)?,
        Command::Status { server, json } => {
            let status = FleetStatus::of(&connect(&server)?)?;
            if json { println!("{}", serde_json::to_string_pretty(&status)?) } else { print!("{}", status.text()) }
        }
        Command::Pause(args) => connect(&args.server)?.pause(args.run.as_deref(), true)?,
        Command::Resume(args) => connect(&args.server)?.resume(args.run.as_deref())?,
        Command::Stop { run, .. } => connect(&run.server)?.stop(run.run.as_deref(), true)?,
        Command::Drop { server, run, worker, undo } => println!("{}", connect(&server)?.exclude(&run, &worker, !undo)?),
        Command::Logs { server, worker, last } => {
            let lines = connect(&server)?.logs(worker.as_deref(), last as usize)?;
            lines.iter().for_each(|(worker, line)| println!("{worker}: {line}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn work(args: WorkerArgs, stop: &Interrupt) -> anyhow::Result<()> {
    let fleet = Fleet::connect_with(&args.server.url, stop, args.folder.join("files"), LeaseTiming::default())?;
    let sandbox = contain_foreign_programs(&args.sandbox.into(), &args.folder, &args.server.url)?;
    let (name, folder) = worker_place(&args.folder, args.name.as_deref().or(fleet.key_name()))?;
    let jobs = threads(args.jobs);
    let options = WorkerOptions { name, jobs, noisy: args.noisy, folder: Some(folder), cards: machine::cards() };
    println!("worker {}: {jobs} at a time, speed {:.2}; {sandbox}", options.name, tesuji_jobs::speed());
    let (games, own) = (games::games(), |kit: &dyn Kit| own_program(kit).map_err(io::Error::other));
    let (pairs, duels) = (MatchKind { games, own }, DuelKind { games });
    let (chunks, blocks) = (SelfplayKind { games }, RescoreKind { games, own });
    let end = run_worker(&fleet, &[&pairs, &duels, &chunks, &blocks], &options, stop)?;
    println!("done {}, faults {}, not committed {}", end.done, end.faults, end.held);
    Ok(())
}
