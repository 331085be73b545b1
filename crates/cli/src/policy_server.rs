//! `tesuji policy-server`: one network for engines and self-play on other machines.

use crate::games::open_nets;
use anyhow::{anyhow, bail};
use std::{collections::BTreeSet, path::PathBuf, process::ExitCode, time::Duration};
use tesuji_jobs::Interrupt;
use tesuji_serving::{Server, ServerOptions, listeners};

/// Between two looks at whether it should stop.
const LOOK: Duration = Duration::from_millis(100);

/// Arguments of `tesuji policy-server`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji policy-server go.safetensors --listen tcp://0.0.0.0:4477 --listen grpc://0.0.0.0:4478 --threads 4\n  \
    tesuji policy-server cuda:0:a.safetensors,cuda:1:b.safetensors --mix by-device --threads 2\n  \
    tesuji selfplay go --net tcp://server:4477 --games 1000 --out games.sgf\n  \
    tesuji gtp --oracle grpc://server:4478\n\n\
    Positions of all clients go through the net together. There are no passwords: listen where only friends are.\n\
    Exit codes: 0 stopped by Ctrl-C; 2 wrong usage or input.")]
pub(crate) struct Args {
    /// The network (safetensors), which runs on a card after cuda: or cuda:N:. Several with commas between them answer together
    net: PathBuf,
    /// How several networks answer: by their mean, each thread by one of them, or each thread by those on one device
    #[arg(long, value_name = "MIX", default_value = "mean", value_parser = ["mean", "by-thread", "by-device"])]
    mix: String,
    /// The address to listen on: tcp://host:port for the plain socket, which is the fastest, or grpc://host:port, for clients in a
    /// language (releases have it; other builds by --features grpc); without a scheme the plain one. Port 0 takes one that
    /// is free. May be repeated [default: tcp://127.0.0.1:4477, and grpc://127.0.0.1:4478 where this build has gRPC]
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<String>,
    /// Threads that run the net (0: one for each core)
    #[arg(long, short = 'j', default_value_t = 1, value_name = "N")]
    threads: usize,
    /// Positions of one call of the net at most
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    batch: u32,
    /// Microseconds that a batch which is not full waits for more
    #[arg(long, default_value_t = 200, value_name = "US", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    wait: u64,
    /// Positions that wait at most; clients that bring more are not read from until there is room
    #[arg(long, default_value_t = 1024, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    queue: u32,
}

/// Serves.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let name = args.net.display().to_string();
    let (threads, nets) = (tesuji_jobs::threads(args.threads), name.split(','));
    let devices: BTreeSet<&str> =
        nets.clone().map(|net| net.rsplit_once(':').map_or("", |(device, _)| device)).collect();
    let needed = match args.mix.as_str() {
        "by-thread" => nets.count(),
        "by-device" => devices.len(),
        _ => 1,
    };
    if threads < needed {
        bail!(
            "--threads {threads}: expected {needed} at least for --mix {}, or not all networks would be asked",
            args.mix
        );
    }
    let net = open_nets(&name, &args.mix).map_err(|reason| anyhow!(reason))?;
    let doors = listeners(&args.listen).map_err(|error| anyhow!("--listen {error}"))?;
    let parameters = ServerOptions {
        threads,
        batch_max: args.batch as usize,
        wait: Duration::from_micros(args.wait),
        queue_max: args.queue as usize,
    };
    let server = Server::start(net, doors, parameters)?;
    for address in server.addresses() {
        println!("serving {name} at {address}");
    }
    let stop = Interrupt::of_process();
    while !stop.is_raised() {
        std::thread::sleep(LOOK);
    }
    let served = server.counts().so_far();
    eprintln!(
        "{} connections, {} positions in {} calls of the net; {} times a client waited for room",
        served.clients, served.positions, served.batches, served.full
    );
    Ok(ExitCode::SUCCESS)
}
