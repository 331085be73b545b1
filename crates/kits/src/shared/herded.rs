//! The games that networks play by the batch: which positions, planes and knobs are theirs.

use super::net::load_net;
use anyhow::{anyhow, bail};
use std::path::{Path, PathBuf};
use tesuji_circle::{HerdPlan, HerdPlayed, selfplay_herd};
use tesuji_game::{Encoding, Game, Oracle};
use tesuji_go::{Area, Go, Large, Medium, Rules, Small};
use tesuji_go_eval::{GoPlanes, PlayoutKnobs, PlayoutOracle};
use tesuji_jobs::Interrupt;
use tesuji_kit::Kit;
use tesuji_nn::{MeanOracle, NetKnobs, NetOracle};
use tesuji_search::mcts::{Knobs, LeafMateKnobs, LeafMates};
use tesuji_shogi::Shogi;
use tesuji_shogi_eval::DlshogiPlanes;

/// What stands where a file of a net could: go's playouts and learned priors.
pub const PLAYOUTS: &str = "playouts";

/// A game that networks play by the batch, on its board.
pub enum Herded {
    /// Shogi.
    Shogi,
    /// Go under these rules.
    Go(Rules),
}

/// The game called `name` under `rules`.
///
/// # Errors
/// When it has no networks, or the rules cannot be read.
pub fn herded(name: &str, rules: &str) -> anyhow::Result<Herded> {
    match name {
        "shogi" => Ok(Herded::Shogi),
        "go" => Ok(Herded::Go(rules.parse()?)),
        _ => bail!("{name} has no networks; go and shogi have"),
    }
}

impl Herded {
    /// The knobs of the search that suit its nets.
    pub fn knobs(&self, files: &[PathBuf]) -> Knobs {
        match self {
            Herded::Go(_) if matches!(files, [only] if only.as_os_str() == PLAYOUTS) => Knobs::playouts(),
            Herded::Shogi => crate::shogi::dlshogi_knobs(),
            Herded::Go(_) => Knobs::nets(),
        }
    }

    /// How long a game may be: dlshogi's limit, or twice the points of the board.
    pub fn plies_max(&self) -> usize {
        match self {
            Herded::Shogi => 320,
            Herded::Go(rules) => 2 * rules.size.points(),
        }
    }

    /// Plies of mates that are looked for at leaves; 0: none.
    pub fn leaf_mate_plies(&self) -> u32 {
        match self {
            Herded::Shogi => 5,
            Herded::Go(_) => 0,
        }
    }

    /// The concentration of noise: about ten over the number of moves (Silver et al., 2018).
    pub fn noise_alpha(&self) -> f32 {
        match self {
            Herded::Shogi => 0.15,
            Herded::Go(rules) => 10.83 / rules.size.points() as f32,
        }
    }

    /// Plays the games of `plan` with the nets of `files`, their mean or by turns.
    ///
    /// # Errors
    /// When a net cannot be read, or the games cannot be played or written.
    pub fn play(
        &self,
        kit: &'static dyn Kit,
        plan: &HerdPlan,
        nets: &Nets<'_>,
        to: (&Path, bool),
        stop: &Interrupt,
        tell: &mut dyn FnMut(&HerdPlayed),
    ) -> anyhow::Result<HerdPlayed> {
        fn of<A: Area>(
            kit: &'static dyn Kit,
            plan: &HerdPlan,
            nets: &Nets<'_>,
            to: (&Path, bool),
            stop: &Interrupt,
            tell: &mut dyn FnMut(&HerdPlayed),
        ) -> anyhow::Result<HerdPlayed> {
            if nets.are_playouts() {
                let oracle = PlayoutOracle::<A>::new(PlayoutKnobs::default()).fixed();
                return Ok(selfplay_herd::<Go<A>, _>(kit, plan, &[oracle], to.0, to.1, stop, tell)?);
            }
            play::<Go<A>, _, _>(kit, plan, &GoPlanes::ALL, nets, |oracle| oracle, to, stop, tell)
        }
        let mates = |oracle| LeafMates::<<Shogi as Game>::Position, _>::new(oracle, nets.mates.clone());
        match self {
            Herded::Shogi => play::<Shogi, _, _>(kit, plan, &DlshogiPlanes::ALL, nets, mates, to, stop, tell),
            Herded::Go(rules) if Small::holds(rules.size) => of::<Small>(kit, plan, nets, to, stop, tell),
            Herded::Go(rules) if Medium::holds(rules.size) => of::<Medium>(kit, plan, nets, to, stop, tell),
            Herded::Go(_) => of::<Large>(kit, plan, nets, to, stop, tell),
        }
    }
}

/// Which nets play, and how they are asked.
pub struct Nets<'a> {
    /// Their files.
    pub files: &'a [PathBuf],
    /// How they answer.
    pub knobs: &'a NetKnobs,
    /// Whether all answer together.
    pub average: bool,
    /// Mates at leaves, where the game has any.
    pub mates: &'a LeafMateKnobs,
}

impl Nets<'_> {
    /// Whether the game's own playouts answer instead of a net.
    fn are_playouts(&self) -> bool {
        matches!(self.files, [only] if only.as_os_str() == PLAYOUTS)
    }
}

#[expect(clippy::too_many_arguments, reason = "what a herd needs, from two places")]
fn play<G: Game, E: Encoding<G::Position> + Clone, O: Oracle<G::Position> + Clone>(
    kit: &'static dyn Kit,
    plan: &HerdPlan,
    known: &[E],
    nets: &Nets<'_>,
    dress: impl Fn(MeanOracle<NetOracle<E>>) -> O,
    (path, resume): (&Path, bool),
    stop: &Interrupt,
    tell: &mut dyn FnMut(&HerdPlayed),
) -> anyhow::Result<HerdPlayed> {
    let mut oracles = Vec::new();
    for file in nets.files {
        let name = file.display().to_string();
        let (net, planes) = load_net::<G::Position, E>(&name, known).map_err(|reason| anyhow!(reason))?;
        let oracle = NetOracle::over::<G::Position>(net, planes, nets.knobs.clone());
        oracles.push(oracle.map_err(|e| anyhow!("{name}: {e}"))?);
    }
    let groups = if nets.average { vec![oracles] } else { oracles.into_iter().map(|oracle| vec![oracle]).collect() };
    let oracles: Vec<_> = groups.into_iter().filter_map(MeanOracle::of).map(dress).collect();
    Ok(selfplay_herd::<G, _>(kit, plan, &oracles, path, resume, stop, tell)?)
}
