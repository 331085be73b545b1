//! Efficiently updatable networks of a game: shapes by name, files of other programs, explanations, speed.

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::{
    ops::ControlFlow::Continue,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use tesuji_game::{CacheCounts, Evaluator, Game, Position, Random};
use tesuji_jobs::{open_bounded, thread_processor_time};
use tesuji_nn::{
    NetError,
    kernels::Isa,
    nnue::{
        Architecture, FILE_BYTES_MAX, FeatureSet, FloatWeights, Network, NnueEval, Prepared, kernels::Instructions,
    },
};

/// The efficiently updatable networks of a game.
pub trait NnueNetworks: Sync {
    /// The names of the shapes that training knows.
    fn shapes(&self) -> &'static [&'static str];

    /// The name of the shape that learns where none is asked for.
    fn usual_shape(&self) -> &'static str;

    /// The shape of that name.
    fn shape(&self, name: &str) -> Option<Architecture>;

    /// The weights of the hand-made evaluation that its networks may correct, as files have them; empty where there is none.
    fn base(&self) -> &'static str;

    /// That the game can play networks of `architecture`.
    ///
    /// # Errors
    /// When it is for another game, or its inputs are none of this one's.
    fn expect(&self, architecture: &Architecture) -> Result<(), NetError>;

    /// Formats of other programs in which networks of this game are exchanged.
    fn formats(&self) -> &'static [ForeignNnue];

    /// Measures the speed at which `network` evaluates positions along random games, on the given kernels.
    ///
    /// # Errors
    /// When it is no network of the game, the machine lacks the kernels, or they are wrong.
    fn speed(&self, network: &Network, kernels: Option<Isa>, seconds: f64) -> anyhow::Result<NnueSpeed>;
}

/// A format of another program for such networks.
#[derive(Clone, Copy)]
pub struct ForeignNnue {
    /// Its name.
    pub name: &'static str,
    /// Whether a file that begins so is one.
    pub is_file: fn(&[u8]) -> bool,
    /// Reads it.
    pub read: fn(&[u8]) -> Result<Network, NetError>,
    /// Writes it; fails for networks of other shapes.
    pub write: fn(&Network) -> Result<Vec<u8>, NetError>,
}

/// The networks of any game.
pub struct NnueOf<G, F> {
    /// The names of the shapes.
    pub shapes: &'static [&'static str],
    /// The name of the usual one.
    pub usual: &'static str,
    /// The shape of a name.
    pub shape: fn(&str) -> Option<Architecture>,
    /// The inputs of a network.
    pub inputs: fn(&Architecture) -> Result<F, NetError>,
    /// The weights of the hand-made evaluation that networks may correct; empty where there is none.
    pub base: &'static str,
    /// Formats of other programs.
    pub formats: &'static [ForeignNnue],
    /// The game.
    pub game: std::marker::PhantomData<fn() -> G>,
}

/// A network of random numbers, to be trained; where it corrects the hand-made evaluation, with the weights of that.
///
/// # Errors
/// When the shape is wrong.
pub fn random_nnue(game: &dyn NnueNetworks, architecture: &Architecture, seed: u64) -> Result<Network, NetError> {
    let mut network = Network::quantise(architecture, &FloatWeights::random(architecture, seed))?;
    if !architecture.base.is_none() {
        game.base().clone_into(&mut network.base);
    }
    network.origin.insert("made".into(), format!("random numbers, seed {seed}"));
    Ok(network)
}

/// The cost of one evaluation, in nanoseconds of processor time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NnueSpeed {
    /// Instructions that the kernels were written for: 0 plain, 1 AVX2, 2 AVX-512.
    pub kernels: u8,
    /// A push, the update of both accumulators and the output.
    pub update_ns: f64,
    /// Time of an evaluation if nothing is known of earlier positions of the game but the refresh table.
    pub refresh_ns: f64,
    /// The output alone.
    pub output_ns: f64,
    /// Share of the accumulators that were brought forward from the position before.
    pub forward: f64,
    /// Positions of the games.
    pub positions: usize,
}

impl NnueSpeed {
    /// The instructions.
    pub fn isa(&self) -> Isa {
        [Isa::Scalar, Isa::Avx2, Isa::Avx512][usize::from(self.kernels.min(2))]
    }
}

type PositionOf<G> = <G as Game>::Position;

/// Random games that are measured, and plies of each at most.
const GAMES: u64 = 16;
const PLIES: usize = 80;

impl<G: Game, F: FeatureSet<PositionOf<G>>> NnueNetworks for NnueOf<G, F> {
    fn shapes(&self) -> &'static [&'static str] {
        self.shapes
    }

    fn usual_shape(&self) -> &'static str {
        self.usual
    }

    fn shape(&self, name: &str) -> Option<Architecture> {
        (self.shape)(name)
    }

    fn base(&self) -> &'static str {
        self.base
    }

    fn expect(&self, architecture: &Architecture) -> Result<(), NetError> {
        (self.inputs)(architecture).map(|_| ())
    }

    fn formats(&self) -> &'static [ForeignNnue] {
        self.formats
    }

    fn speed(&self, network: &Network, kernels: Option<Isa>, seconds: f64) -> anyhow::Result<NnueSpeed> {
        let inputs = (self.inputs)(&network.architecture)?;
        let on = match kernels {
            None => Instructions::best(),
            Some(isa) => Instructions::of(isa).with_context(|| format!("--kernels: this machine has no {isa:?}"))?,
        };
        let prepared = Arc::new(Prepared::for_instructions(network, on)?);
        let mut eval = NnueEval::new(prepared, inputs.clone());
        let games: Vec<Walk<PositionOf<G>>> = (0..GAMES).map(random_walk::<G>).collect();
        compare::<G, F>(network, &inputs, &mut eval, &games)?;
        let positions: usize = games.iter().map(Vec::len).sum();
        let limit = Duration::from_secs_f64(seconds / 3.0);
        eval.reset_counts();
        let update_ns = timed(positions, limit, || {
            for game in &games {
                let mut steps = game.iter();
                let Some((start, _)) = steps.next() else { continue };
                eval.reset(start);
                std::hint::black_box(eval.value(start));
                for (pos, changes) in steps {
                    eval.push(pos, changes);
                    std::hint::black_box(eval.value(pos));
                }
            }
        });
        let CacheCounts { probes: asked, hits: forward, .. } = eval.cache_counts()[0];
        let refresh_ns = timed(positions, limit, || {
            for (pos, _) in games.iter().flatten() {
                eval.reset(pos);
                std::hint::black_box(eval.value(pos));
            }
        });
        let (start, _) = &games[0][0];
        eval.reset(start);
        let output_ns = timed(1024, limit, || {
            for _ in 0..1024 {
                std::hint::black_box(eval.value(start));
            }
        });
        let forward = forward as f64 / asked.max(1) as f64;
        Ok(NnueSpeed { kernels: on.isa() as u8, update_ns, refresh_ns, output_ns, forward, positions })
    }
}

/// The positions of a game, each with what changed before it.
type Walk<P> = Vec<(P, Vec<<P as Position>::Change>)>;

/// A random game from the usual start.
fn random_walk<G: Game>(seed: u64) -> Walk<PositionOf<G>> {
    let mut random = Random::new(seed);
    let mut pos = G::start(&G::Rules::default());
    let mut walk = vec![(pos.clone(), Vec::new())];
    while walk.len() < PLIES {
        let mut moves = Vec::new();
        let _ = pos.for_each_move(|mv| {
            moves.push(mv);
            Continue::<(), ()>(())
        });
        if moves.is_empty() {
            break;
        }
        let mut changes = Vec::new();
        pos.play_seen(moves[random.below(moves.len())], |change| changes.push(change));
        walk.push((pos.clone(), changes));
    }
    walk
}

/// Compares the kernels with the plain evaluation, at every position.
fn compare<G: Game, F: FeatureSet<PositionOf<G>>>(
    network: &Network,
    inputs: &F,
    eval: &mut NnueEval<PositionOf<G>, F>,
    games: &[Walk<PositionOf<G>>],
) -> anyhow::Result<()> {
    for game in games {
        for (at, (pos, changes)) in game.iter().enumerate() {
            if at == 0 {
                eval.reset(pos)
            } else {
                eval.push(pos, changes)
            }
            let side = pos.side_to_move();
            let bucket = inputs.output_bucket(pos, network.architecture.output_buckets);
            let plain = network.value(&inputs.active(pos, side), &inputs.active(pos, !side), bucket);
            let fast = eval.value_by(pos, bucket);
            if fast != plain {
                bail!("the kernels are wrong: {fast} instead of {plain} after {at} plies");
            }
        }
    }
    Ok(())
}

/// Nanoseconds of processor time for each of the `count` things that `work` does; the best of the rounds that fit `limit`.
fn timed(count: usize, limit: Duration, mut work: impl FnMut()) -> f64 {
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    loop {
        let before = thread_processor_time();
        work();
        let spent = thread_processor_time().saturating_sub(before);
        best = best.min(spent.as_secs_f64() * 1e9 / count as f64);
        if start.elapsed() >= limit {
            return best;
        }
    }
}

/// Reads an efficiently updatable network: ours, or in a format of other programs that one of `games` knows; `None` where the
/// file is something else.
///
/// # Errors
/// When the file cannot be read, or is damaged.
pub fn read_nnue(path: &Path, games: &[&dyn NnueNetworks]) -> anyhow::Result<Option<Network>> {
    let mut bytes = Vec::new();
    let name = || path.display().to_string();
    std::io::Read::read_to_end(&mut open_bounded(path, FILE_BYTES_MAX)?, &mut bytes).with_context(name)?;
    if Network::is_file(&bytes) {
        return Network::read(&bytes).map(Some).with_context(name);
    }
    let formats = games.iter().flat_map(|game| game.formats());
    match formats.into_iter().find(|format| (format.is_file)(&bytes)) {
        Some(format) => (format.read)(&bytes).map(Some).with_context(name),
        None => Ok(None),
    }
}
