//! `tesuji net bench`: how many positions a second a net answers on one thread or several, compared with plain kernels first.

use super::{Input, nnue};
use crate::{games::net_speed, request::refused};
use tesuji_cuda::ComputeDevice;
use tesuji_kit::networks::NetSpeedRequest;

/// Arguments of `tesuji net bench`.
#[derive(clap::Args)]
pub(super) struct Bench {
    /// A net, or a preset such as go-6x64 or chess-768x256 with random numbers; after cuda: or cuda:N: on a card
    net: String,
    #[command(flatten)]
    input: Input,
    /// Positions of one call
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
    batch: u16,
    /// Threads, each with a net of its own buffers
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// The time to measure
    #[arg(long, default_value_t = 3.0, value_name = "S")]
    seconds: f64,
    /// The kernels: plain, avx2 or avx512 [default: the machine's best]
    #[arg(long, value_name = "NAME")]
    kernels: Option<String>,
}

impl Bench {
    /// The request that these are.
    fn request(&self) -> NetSpeedRequest {
        NetSpeedRequest {
            net: self.net.clone(),
            features: self.input.features.clone(),
            size: self.input.size,
            batch: usize::from(self.batch),
            threads: usize::from(self.threads),
            seconds: self.seconds,
            kernels: self.kernels.clone(),
            ..NetSpeedRequest::default()
        }
    }
}

pub(super) fn run(args: &Bench) -> anyhow::Result<()> {
    let named = nnue::shape(&args.net).map(|shape| nnue::random(&shape, 1)).transpose()?;
    if let Some(network) = named.map_or_else(|| nnue::read(args.net.as_ref()), |network| Ok(Some(network)))? {
        args.request().validate()?;
        return nnue::bench(&network, args.kernels.as_deref(), args.seconds);
    }
    let speed = net_speed(&args.request()).map_err(|error| refused(error, &[]))?;
    let ([height, width], difference) = (speed.board, speed.difference);
    let (cpu, wall) = (speed.per_cpu_second, speed.per_second);
    let giga = |rate: f64| speed.operations as f64 * rate * 1e-9;
    let what = format!("{} {height}x{width}, batch {}, {} threads", args.net, args.batch, args.threads);
    match speed.place {
        ComputeDevice::Processor => println!(
            "{what}, {:?}: {cpu:.0} positions per CPU-second ({:.0} GFLOP/s), {wall:.0} a second; plain kernels differ by {difference:.1e}",
            speed.kernels,
            giga(cpu)
        ),
        ComputeDevice::Card(_) => println!(
            "{what}: {wall:.0} positions a second ({:.0} GFLOP/s), {cpu:.0} per CPU-second; the processor differs by {difference:.1e}",
            giga(wall)
        ),
    }
    Ok(())
}
