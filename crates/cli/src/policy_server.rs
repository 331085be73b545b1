//! `tesuji policy-server`: one network for engines and self-play on other machines.

use crate::games::open_net;
use anyhow::{Context, anyhow, bail};
use std::{net::TcpListener, path::PathBuf, process::ExitCode, time::Duration};
use tesuji_jobs::Interrupt;
use tesuji_serving::{HAS_GRPC, Protocol, Server, ServerOptions};

/// Between two looks at whether it should stop.
const LOOK: Duration = Duration::from_millis(100);

/// Arguments of `tesuji policy-server`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji policy-server go.safetensors --listen tcp://0.0.0.0:4477 --listen grpc://0.0.0.0:4478 --threads 4\n  \
    tesuji selfplay go --net tcp://server:4477 --games 1000 --out games.sgf\n  \
    tesuji gtp --oracle grpc://server:4478\n\n\
    Positions of all clients go through the net together. There are no passwords: listen where only friends are.\n\
    Exit codes: 0 stopped by Ctrl-C; 2 wrong usage or input.")]
pub(crate) struct Args {
    /// The network (safetensors), which runs on a card after cuda: or cuda:N:
    net: PathBuf,
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
    let net = open_net(&name).map_err(|reason| anyhow!(reason))?;
    let doors = listeners(&args.listen)?;
    let parameters = ServerOptions {
        threads: tesuji_jobs::threads(args.threads),
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

/// Opens listeners at the `addresses`; where none is given, at the usual ones.
fn listeners(addresses: &[String]) -> anyhow::Result<Vec<(Protocol, TcpListener)>> {
    const USUAL: [&str; 2] = ["tcp://127.0.0.1:4477", "grpc://127.0.0.1:4478"];
    if addresses.is_empty() {
        return USUAL[..1 + usize::from(HAS_GRPC)].iter().map(|address| door(address)).collect();
    }
    addresses.iter().map(|address| door(address)).collect()
}

/// Opens a listener at an address.
fn door(address: &str) -> anyhow::Result<(Protocol, TcpListener)> {
    let (protocol, place) = Protocol::of(address).unwrap_or((Protocol::Plain, address));
    if place.contains("://") {
        bail!("--listen {address}: expected tcp://host:port or grpc://host:port");
    }
    let listener = TcpListener::bind(place).with_context(|| format!("--listen {address}"))?;
    Ok((protocol, listener))
}
