//! `tesuji net bench`: how many positions a second a net answers on one thread or several, compared with plain kernels first.

use super::{Input, load};
use crate::games::{net_at, net_file};
use anyhow::bail;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tesuji_cuda::{Place, place_of};
use tesuji_game::Random;
use tesuji_jobs::thread_processor_time;
use tesuji_nn::{Architecture, Net, Runner, Session, Weights, kernels::Isa};

/// How far a card may be from the processor: its factors have ten bits.
const CARD_ROUNDS: f32 = 1e-2;

/// Arguments of `tesuji net bench`.
#[derive(clap::Args)]
pub(super) struct Bench {
    /// A net, or a preset such as go-6x64 with random numbers; after cuda: or cuda:N: on a card
    net: String,
    #[command(flatten)]
    input: Input,
    /// Positions of one call
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
    batch: u16,
    /// Threads, each with a net of its own buffers
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// How long to measure
    #[arg(long, default_value_t = 3.0, value_name = "S")]
    seconds: f64,
    /// The kernels: plain, avx2 or avx512 [default: the machine's best]
    #[arg(long, value_name = "NAME")]
    kernels: Option<String>,
}

/// What one thread did.
struct Done {
    positions: u64,
    cpu: Duration,
}

pub(super) fn run(args: &Bench) -> anyhow::Result<()> {
    if !(args.seconds > 0.0 && args.seconds <= 3600.0) {
        bail!("--seconds {}: expected more than 0, at most 3600", args.seconds);
    }
    let isa = match args.kernels.as_deref() {
        None => Isa::best(),
        Some("plain") => Isa::Scalar,
        Some("avx2") => Isa::Avx2,
        Some("avx512") => Isa::Avx512,
        Some(other) => bail!("--kernels {other}: expected plain, avx2 or avx512"),
    };
    if isa > Isa::best() {
        bail!("--kernels: this machine has no {isa:?}");
    }
    let (place, name) = place_of(&args.net);
    let path = Path::new(name);
    let weights = match net_file(name).is_ok() {
        true => load(path)?,
        false => Weights::random(args.input.architecture(name)?, 1),
    };
    let here = Arc::new(Net::new(&weights)?);
    let there = match place {
        Place::Processor => None,
        Place::Card(_) => Some(net_at(place, &weights).map_err(anyhow::Error::msg)?),
    };
    let shape: &Architecture = here.architecture();
    let (height, width) = args.input.size.map_or((shape.height, shape.width), |size| (size, size));
    let session = |batch: usize, isa: Isa| -> anyhow::Result<Box<dyn Session>> {
        match &there {
            Some(card) => Ok(card.session(height, width, batch)?),
            None => Ok(Box::new(Runner::new(here.clone(), height, width, batch)?.on(isa))),
        }
    };
    let (batch, mut random) = (usize::from(args.batch), Random::new(1));
    let planes: Vec<f32> =
        (0..batch * shape.planes * height * width).map(|_| f32::from(u8::from(random.below(5) == 0))).collect();
    let plain = Runner::new(here.clone(), height, width, 1)?.on(Isa::Scalar);
    let allowed = if place == Place::Processor { 1e-4 } else { CARD_ROUNDS };
    let one = &planes[..shape.planes * height * width];
    let worst = compare(&mut *session(1, isa)?, plain, one, allowed)?;
    let wall = Instant::now();
    let work = || measure(&mut *session(batch, isa)?, &planes, batch, Duration::from_secs_f64(args.seconds));
    let done = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..args.threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<anyhow::Result<Vec<Done>>>()
    })?;
    let positions: u64 = done.iter().map(|done| done.positions).sum();
    let cpu: f64 = done.iter().map(|done| done.cpu.as_secs_f64()).sum();
    let (rate, wall) = (positions as f64 / cpu, positions as f64 / wall.elapsed().as_secs_f64());
    let giga = |rate: f64| shape.operations(height, width) as f64 * rate * 1e-9;
    let what = format!("{} {height}x{width}, batch {batch}, {} threads", args.net, args.threads);
    match place {
        Place::Processor => println!(
            "{what}, {isa:?}: {rate:.0} positions per CPU-second ({:.0} GFLOP/s), {wall:.0} a second; plain kernels differ by {worst:.1e}",
            giga(rate)
        ),
        Place::Card(_) => println!(
            "{what}: {wall:.0} positions a second ({:.0} GFLOP/s), {rate:.0} per CPU-second; the processor differs by {worst:.1e}",
            giga(wall)
        ),
    }
    Ok(())
}

/// The largest difference from the plain kernels, in the policy of the first position.
fn compare(session: &mut dyn Session, mut plain: Runner, one: &[f32], allowed: f32) -> anyhow::Result<f32> {
    let (fast, plain) = (session.run(one, 1)?, plain.run(one, 1));
    let scale = plain.policy.iter().fold(1f32, |most, logit| most.max(logit.abs()));
    let worst = fast.policy.iter().zip(plain.policy).map(|(a, b)| (a - b).abs() / scale).fold(0f32, f32::max);
    if worst.is_nan() || worst > allowed || (fast.value[0] - plain.value[0]).abs() > 10.0 * allowed {
        bail!("the kernels are wrong: they differ from plain ones by {worst} in the policy");
    }
    Ok(worst)
}

fn measure(session: &mut dyn Session, planes: &[f32], batch: usize, limit: Duration) -> anyhow::Result<Done> {
    session.run(planes, batch)?;
    let (start, before, mut positions) = (Instant::now(), thread_processor_time(), 0);
    while start.elapsed() < limit {
        session.run(planes, batch)?;
        positions += batch as u64;
    }
    Ok(Done { positions, cpu: thread_processor_time().saturating_sub(before) })
}
