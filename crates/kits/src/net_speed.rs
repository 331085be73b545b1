//! The speed of a net in positions a second, after a comparison with the plain kernels.

use crate::{preset, read_foreign_net, read_net};
use anyhow::{Context, bail};
use std::{
    io,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tesuji_cuda::{ComputeDevice, device_of};
use tesuji_game::Random;
use tesuji_jobs::thread_processor_time;
use tesuji_kit::{RequestError, networks::NetSpeedRequest};
use tesuji_kits_shared::net::{net_at, net_file};
use tesuji_nn::{Architecture, ForeignNet, Net, NetError, NetSession, Runner, Service, Weights, kernels::Isa};

/// The largest difference between the kernels and the plain ones, as a share of the largest logit.
const ROUNDS: f32 = 1e-4;
/// The largest difference between a card and the processor: its factors have ten bits.
const CARD_ROUNDS: f32 = 1e-2;

/// How fast a net was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetSpeed {
    /// The device on which it ran.
    pub place: ComputeDevice,
    /// The kernels of the processor.
    pub kernels: Isa,
    /// Rows and columns of the board.
    pub board: [usize; 2],
    /// Positions in a second of processor time.
    pub per_cpu_second: f64,
    /// Positions in a second by the clock, of all threads together.
    pub per_second: f64,
    /// Operations for a position.
    pub operations: u64,
    /// The largest difference from the plain kernels of the processor, as a share of the largest logit.
    pub difference: f32,
}

/// The work of one thread.
struct Done {
    positions: u64,
    cpu: Duration,
}

/// Measures a net.
///
/// # Errors
/// When a field is out of bounds, the net cannot be had, or its kernels are wrong.
pub fn net_speed(request: &NetSpeedRequest) -> Result<NetSpeed, RequestError> {
    request.validate()?;
    Ok(measure(request)?)
}

fn measure(request: &NetSpeedRequest) -> anyhow::Result<NetSpeed> {
    let isa = kernels_of(request)?;
    let (place, name) = device_of(&request.net);
    let (here, there) = open(request, place, name)?;
    let shape = here.architecture();
    let (height, width) = request.size.map_or((shape.height, shape.width), |size| (size, size));
    let session = |batch: usize| -> anyhow::Result<Box<dyn NetSession>> {
        match &there {
            Some(card) => Ok(card.session(height, width, batch)?),
            None => Ok(here.session(isa, height, width, batch)?),
        }
    };
    let (batch, mut random) = (request.batch, Random::new(1));
    let planes: Vec<f32> =
        (0..batch * shape.planes * height * width).map(|_| f32::from(u8::from(random.below(5) == 0))).collect();
    let plain = here.session(Isa::Scalar, height, width, 1)?;
    let allowed = if place == ComputeDevice::Processor { ROUNDS } else { CARD_ROUNDS };
    let one = &planes[..shape.planes * height * width];
    let difference = compare(&mut *session(1)?, plain, one, allowed)?;
    let wall = Instant::now();
    let work = || run(&mut *session(batch)?, &planes, batch, Duration::from_secs_f64(request.seconds));
    let done = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work);
        let threads = (0..request.threads).map(start).collect::<io::Result<Vec<_>>>();
        let threads =
            threads.with_context(|| format!("the system gives no {} threads to measure on", request.threads))?;
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<anyhow::Result<Vec<Done>>>()
    })?;
    let positions = done.iter().map(|done| done.positions).sum::<u64>() as f64;
    let cpu: f64 = done.iter().map(|done| done.cpu.as_secs_f64()).sum();
    Ok(NetSpeed {
        place,
        kernels: isa,
        board: [height, width],
        per_cpu_second: positions / cpu,
        per_second: positions / wall.elapsed().as_secs_f64(),
        operations: here.operations(height, width),
        difference,
    })
}

/// A net on the processor.
enum OnProcessor {
    Own(Arc<Net>),
    Foreign(Arc<ForeignNet>),
}

impl OnProcessor {
    fn architecture(&self) -> &Architecture {
        match self {
            OnProcessor::Own(net) => net.architecture(),
            OnProcessor::Foreign(net) => net.architecture(),
        }
    }

    fn operations(&self, height: usize, width: usize) -> u64 {
        match self {
            OnProcessor::Own(net) => net.architecture().operations(height, width),
            OnProcessor::Foreign(net) => net.operations(height, width),
        }
    }

    fn session(&self, isa: Isa, height: usize, width: usize, batch: usize) -> Result<Box<dyn NetSession>, NetError> {
        Ok(match self {
            OnProcessor::Own(net) => Box::new(Runner::new(net.clone(), height, width, batch)?.on(isa)),
            OnProcessor::Foreign(net) => Box::new(net.open(height, width, batch)?.on(isa)),
        })
    }
}

/// The net to measure, and the same on a card if it is asked for there.
fn open(
    request: &NetSpeedRequest,
    place: ComputeDevice,
    name: &str,
) -> anyhow::Result<(OnProcessor, Option<Arc<dyn Service>>)> {
    if let Some(net) = read_foreign_net(Path::new(name))? {
        if place != ComputeDevice::Processor {
            bail!("{name}: a network of KataGo runs on the processor alone");
        }
        return Ok((OnProcessor::Foreign(Arc::new(net)), None));
    }
    let weights = match net_file(name).is_ok() {
        true => read_net(Path::new(name))?,
        false => Weights::random(preset(name, request.features.as_deref(), request.size)?, 1),
    };
    let there = match place {
        ComputeDevice::Processor => None,
        ComputeDevice::Card(_) => Some(net_at(place, &weights).map_err(anyhow::Error::msg)?),
    };
    Ok((OnProcessor::Own(Arc::new(Net::new(&weights)?)), there))
}

/// The kernels that are asked for, which this machine must have.
fn kernels_of(request: &NetSpeedRequest) -> Result<Isa, RequestError> {
    let isa = match request.kernels.as_deref() {
        None => Isa::best(),
        Some("plain") => Isa::Scalar,
        Some("avx2") => Isa::Avx2,
        Some("avx512") => Isa::Avx512,
        Some(other) => return Err(RequestError::value("kernels", other, "expected plain, avx2 or avx512")),
    };
    match isa > Isa::best() {
        true => Err(RequestError::failed(format!("--kernels: this machine has no {isa:?}"))),
        false => Ok(isa),
    }
}

/// The largest difference from the plain kernels, in the policy of the first position.
fn compare(
    session: &mut dyn NetSession,
    mut plain: Box<dyn NetSession>,
    one: &[f32],
    allowed: f32,
) -> anyhow::Result<f32> {
    let (fast, plain) = (session.run(one, 1)?, plain.run(one, 1)?);
    let scale = plain.policy.iter().fold(1f32, |most, logit| most.max(logit.abs()));
    let worst = fast.policy.iter().zip(plain.policy).map(|(a, b)| (a - b).abs() / scale).fold(0f32, f32::max);
    if worst.is_nan() || worst > allowed || (fast.value[0] - plain.value[0]).abs() > 10.0 * allowed {
        bail!("the kernels are wrong: they differ from plain ones by {worst} in the policy");
    }
    Ok(worst)
}

/// Asks a net the same again and again.
fn run(session: &mut dyn NetSession, planes: &[f32], batch: usize, limit: Duration) -> anyhow::Result<Done> {
    session.run(planes, batch)?;
    let (start, before, mut positions) = (Instant::now(), thread_processor_time(), 0);
    while start.elapsed() < limit {
        session.run(planes, batch)?;
        positions += batch as u64;
    }
    Ok(Done { positions, cpu: thread_processor_time().saturating_sub(before) })
}
