//! `tesuji selfplay --net`: games of networks, a batch of them in each thread.

use crate::games;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tesuji_arena::{Allowance, Dialect, EngineRequest, Entrant, entrants};
use tesuji_circle::{HerdPlan, HerdPlayed, Openings, Opponents, selfplay_herd};
use tesuji_jobs::Interrupt;
use tesuji_kit::{
    Kit,
    networks::{Herd, HerdNets},
};
use tesuji_nn::NetKnobs;
use tesuji_options::Options;
use tesuji_search::mcts::{HerdRules, Knobs, LeafMateKnobs};

/// Playouts of a move where nothing else is said.
const VISITS: u64 = 400;
/// Memory of a tree, and what each of its playouts may take, in bytes.
const TREE: (usize, u64) = (4 << 20, 8 << 10);
/// An expected result that none is below.
const NEVER: f32 = -2.0;

/// Arguments of games with networks.
#[derive(clap::Args)]
#[command(next_help_heading = "With networks")]
pub(crate) struct NetArgs {
    /// Play with this network (safetensors, grpc://host:port or tcp://host:port of a policy server, or in go `playouts`, its
    /// own search's) by Monte-Carlo tree search, many games at once in each thread. Several: game N is played by net N modulo
    /// their number
    #[arg(long, value_name = "FILE", visible_alias = "oracle")]
    pub(crate) net: Vec<PathBuf>,
    /// Let all nets answer together, by their mean
    #[arg(long, requires = "net")]
    average: bool,
    /// Games at once in each thread
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    batch: u32,
    /// Leaves of one game in a batch
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    leaves: u32,
    /// Moves are drawn by their visits to the power of one over this
    #[arg(long, default_value_t = 1.0, value_name = "T")]
    temperature: f32,
    /// Plies of the game for which that holds; later the best are played
    #[arg(long, default_value_t = 30, value_name = "N")]
    temperature_plies: usize,
    /// What makes the priors of roots noisy: Dirichlet's distribution, rare kicks as in dlshogi, or nothing
    #[arg(long, default_value = "dirichlet", value_name = "KIND", value_parser = ["dirichlet", "kick", "none"])]
    noise: String,
    /// Give up where the expected result, in -1..=1, is below this at two moves in a row (`--resign off`: never)
    #[arg(long, default_value_t = -0.95, value_name = "V", allow_negative_numbers = true)]
    resign_below: f32,
    /// The share of games in which nobody gives up, to see how often that would have been wrong
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    audit: f64,
    /// Let games of go hold passes while the board is not settled
    #[arg(long)]
    early_passes: bool,
    #[command(flatten)]
    rivals: RivalArgs,
    /// A knob of the search or the network, as in `tesuji engine`: NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// Arguments of opponents.
#[derive(clap::Args)]
struct RivalArgs {
    /// A program that moves for one side in a share of the games, in the words of `tesuji match --engine`, with a limit for
    /// each move: 'cmd=PROGRAM args=… option.NAME=VALUE nodes=…|depth=…|st=…'. May be repeated
    #[arg(long = "opponent", value_name = "ENGINE", requires = "net")]
    engines: Vec<EngineRequest>,
    /// The share of the games in which one of them plays
    #[arg(long = "opponent-share", default_value_t = 0.2, value_name = "SHARE", requires = "engines")]
    share: f64,
    /// Processes of each opponent
    #[arg(long = "opponent-processes", default_value_t = 1, value_name = "N", requires = "engines",
        value_parser = clap::value_parser!(u16).range(1..=256))]
    processes: u16,
}

impl RivalArgs {
    /// The programs, where there are any.
    fn opponents(&self, kit: &dyn Kit) -> anyhow::Result<Option<Opponents>> {
        if self.engines.is_empty() {
            return Ok(None);
        }
        if !(0.0..=1.0).contains(&self.share) {
            bail!("--opponent-share {}: expected a share of the games, 0 to 1", self.share);
        }
        let own = crate::own_program()?;
        let entrants =
            entrants(&self.engines, None, &Allowance::default(), (Dialect::of(kit), &own)).context("--opponent")?;
        if let Some(entrant) = entrants.iter().find(|entrant| entrant.allowance.control.is_some()) {
            bail!("--opponent {}: games of a herd have no clocks: give st=SECONDS, nodes=N or depth=N", entrant.name);
        }
        Ok(Some(Opponents { entrants, share: self.share, processes: usize::from(self.processes) }))
    }
}

/// How nets answer, and what is looked at before they are asked.
pub(crate) type LeafKnobs = (NetKnobs, LeafMateKnobs);

/// What other arguments say.
pub(crate) struct Common {
    /// Games in all.
    pub(crate) games: u64,
    /// Playouts a move.
    pub(crate) visits: Option<u64>,
    /// Rules in full.
    pub(crate) rules: String,
    /// How games begin.
    pub(crate) openings: Openings,
    /// What they are called.
    pub(crate) begins: String,
    /// Whether anyone may give up.
    pub(crate) resigns: bool,
    /// Where games end; the game's own limit where nothing is said.
    pub(crate) plies_max: Option<usize>,
    /// Threads.
    pub(crate) threads: usize,
    /// How the line of what made the games begins.
    pub(crate) version: String,
}

impl NetArgs {
    /// The games to play, and the knobs of what values their leaves.
    pub(crate) fn plan(&self, kit: &dyn Kit, common: Common) -> anyhow::Result<(HerdPlan, LeafKnobs)> {
        let herd = herd_of(kit, &common.rules)?;
        let mut knobs = self.noisy(herd.knobs(&self.net), &*herd);
        let mut nets = NetKnobs { batch_max: (self.batch * self.leaves).min(4096) as usize, ..NetKnobs::default() };
        let mut mates = LeafMateKnobs::default();
        for word in &self.set {
            let Some((name, value)) = word.split_once('=') else { bail!("--set {word}: it is NAME=VALUE") };
            let knobs: [&mut dyn Options; 3] = [&mut nets, &mut mates, &mut knobs];
            let known = |options: &&mut dyn Options| options.get(name).is_some();
            let Some(options) = knobs.into_iter().find(known) else {
                bail!("--set {word}: no option is called {name:?}")
            };
            options.set(name, value).with_context(|| format!("--set {word}"))?;
        }
        let visits = common.visits.unwrap_or(VISITS);
        let herd = HerdRules {
            visits,
            knobs,
            temperature: self.temperature,
            temperature_plies: self.temperature_plies,
            resign_below: if common.resigns { self.resign_below } else { NEVER },
            audit: self.audit,
            plies_max: common.plies_max.unwrap_or(herd.plies_max()),
            premature: self.early_passes,
            per_tree: self.leaves as usize,
            tree_bytes: TREE.0 + (TREE.1 * visits) as usize,
            ..HerdRules::default()
        };
        let mut origin = format!(
            "tesuji {} selfplay, nets {}{}, {visits} visits, seed {}, {}temperature {} for {} plies, noise {}, resign {}, \
             audit {}, {} plies at most, {} leaves",
            common.version,
            self.names()?.join(" "),
            if self.average { " averaged" } else { "" },
            common.openings.seed,
            common.begins,
            self.temperature,
            self.temperature_plies,
            self.noise,
            herd.resign_below,
            self.audit,
            herd.plies_max,
            self.leaves,
        );
        if self.early_passes {
            origin += ", early passes";
        }
        for part in self.set.iter().chain((!common.rules.is_empty()).then_some(&common.rules)) {
            origin += &format!(", {part}");
        }
        let opponents = self.rivals.opponents(kit)?;
        if let Some(opponents) = &opponents {
            let limited = |entrant: &Entrant| format!("{} ({})", entrant.name, entrant.allowance);
            let names: Vec<String> = opponents.entrants.iter().map(limited).collect();
            origin += &format!(", in {} of the games against {}", opponents.share, names.join(", "));
        }
        let plan = HerdPlan {
            games: common.games,
            rules: common.rules,
            openings: common.openings,
            herd,
            batch: self.batch as usize,
            threads: common.threads,
            until: None,
            opponents: opponents.map(Arc::new),
            origin,
        };
        Ok((plan, (nets, mates)))
    }

    fn noisy(&self, knobs: Knobs, herd: &dyn Herd) -> Knobs {
        match self.noise.as_str() {
            "dirichlet" => Knobs { noise: 0.25, noise_alpha: herd.noise_alpha(), ..knobs },
            "kick" => Knobs { noise_kick: 0.003, ..knobs },
            _ => knobs,
        }
    }

    /// The nets with the beginnings of their sums.
    fn names(&self) -> anyhow::Result<Vec<String>> {
        let is_remote = |path: &Path| path.to_str().and_then(tesuji_serving::Protocol::of).is_some();
        let name = |path: &PathBuf| match is_remote(path) || path.as_os_str() == games::PLAYOUTS {
            true => Ok(path.display().to_string()),
            false => {
                let name = path.display().to_string();
                let (place, file) = tesuji_cuda::place_of(&name);
                let is_own = !Path::new(file).exists() && games::net_file(file).is_ok();
                Ok(place.before(&match is_own {
                    true => format!("{file} (of the program)"),
                    false => tesuji_jobs::named_by_content(Path::new(file))?,
                }))
            }
        };
        self.net.iter().map(name).collect()
    }

    /// Plays them.
    pub(crate) fn play(
        &self,
        kit: &'static dyn Kit,
        (plan, (knobs, mates)): (&HerdPlan, &LeafKnobs),
        (path, resume): (&Path, bool),
        stop: &Interrupt,
        tell: &mut dyn FnMut(&HerdPlayed),
    ) -> anyhow::Result<HerdPlayed> {
        let nets = HerdNets { files: &self.net, knobs, average: self.average, mates };
        let oracles = herd_of(kit, &plan.rules)?.open(&nets)?;
        Ok(selfplay_herd(kit, plan, &*oracles, path, resume, stop, tell)?)
    }
}

/// How the nets of a game play by the batch.
///
/// # Errors
/// When it has none, or the rules cannot be read.
pub(crate) fn herd_of(kit: &dyn Kit, rules: &str) -> anyhow::Result<Box<dyn Herd>> {
    let Some(networks) = kit.networks() else {
        bail!("{} has no networks; {} have", kit.name(), games_with_networks().join(" and "));
    };
    Ok(networks.herd(rules)?)
}

/// The names of the games that have networks.
pub(crate) fn games_with_networks() -> Vec<&'static str> {
    let mut names: Vec<_> = games::kits().iter().filter(|kit| kit.networks().is_some()).map(|kit| kit.name()).collect();
    names.sort_unstable();
    names
}
