//! Self-play of networks: options of search and nets, opponents, and the origin that every game records.

use super::{NetworkGames, PliesMax, RootNoise, SelfplayRun, Start, Work, rules_error};
use crate::{BatchedPlan, BatchedPlayed, Opponents, batched::selfplay_batched_followed, selfplay::Listeners};
use std::{path::Path, sync::Arc};
use tesuji_arena::{Allowance, Dialect, Entrant, OwnProgram, entrants};
use tesuji_jobs::Interrupt;
use tesuji_kit::{
    Kit, RequestError,
    networks::{BatchedGames, BatchedNets, Networks},
};
use tesuji_nn::NetParameters;
use tesuji_options::Options;
use tesuji_search::mcts::{BatchedRules, LeafMateParameters, Parameters};

/// Playouts of a move where nothing else is said.
const VISITS: u64 = 400;
/// Memory of a tree, and what each of its playouts may take, in bytes.
const TREE: (usize, u64) = (4 << 20, 8 << 10);
/// An expected result that none is below.
const NEVER: f32 = -2.0;

/// Games of networks that are ready to begin.
pub(super) struct NetworkPlan<'a> {
    kit: &'static dyn Kit,
    networks: &'static dyn Networks,
    asked: &'a NetworkGames,
    pub(super) plan: BatchedPlan,
    /// Options of the nets.
    net: NetParameters,
    /// Options of the searches at leaves before the nets are asked.
    mates: LeafMateParameters,
}

impl<'a> NetworkPlan<'a> {
    /// The games of a request.
    pub(super) fn of(
        work: &Work<'_>,
        asked: &'a NetworkGames,
        run: &SelfplayRun<'_>,
    ) -> anyhow::Result<NetworkPlan<'a>> {
        let (kit, request, own) = (work.kit, work.request, run.own);
        let Start { book, name } = work.start()?;
        let plies = request.random_plies.unwrap_or(0);
        let openings = work.openings(plies)?.with_book(book);
        let begins = format!("{name}{plies} random plies, ");
        let rules = kit.full_rules(&request.rules).map_err(|e| rules_error(&format!("{:?}", request.rules), &e))?;
        let networks = run.games.networks(kit)?;
        let batched = networks.batched(&rules)?;
        let mut parameters = asked.noisy(batched.parameters(&asked.nets), &*batched);
        let batch_max = (asked.batch * asked.leaves).min(4096) as usize;
        let (mut net, mut mates) =
            (NetParameters { batch_max, ..NetParameters::default() }, LeafMateParameters::default());
        for word in &asked.options {
            set_option(word, [&mut net, &mut mates, &mut parameters])?;
        }
        let visits = request.nodes.unwrap_or(VISITS);
        let batched = BatchedRules {
            visits,
            parameters,
            temperature: asked.temperature,
            temperature_plies: asked.temperature_plies,
            resign_below: if request.resign.is_some() { asked.resign_below } else { NEVER },
            audit: asked.audit,
            plies_max: match request.plies_max {
                PliesMax::Usual => batched.plies_max(),
                PliesMax::Off => usize::MAX,
                PliesMax::At(plies) => plies as usize,
            },
            premature: asked.early_passes,
            per_tree: asked.leaves as usize,
            tree_bytes: TREE.0 + (TREE.1 * visits) as usize,
            ..BatchedRules::default()
        };
        let opponents = asked.opponents(kit, own)?;
        let origin = asked.origin(networks, (&own.version, work.seed), &batched, &begins, &rules)?
            + &opponents.as_ref().map_or(String::new(), against);
        let plan = BatchedPlan {
            games: request.games,
            rules,
            openings,
            batched,
            batch: asked.batch as usize,
            threads: work.jobs,
            until: None,
            opponents: opponents.map(Arc::new),
            origin,
        };
        Ok(NetworkPlan { kit, networks, asked, plan, net, mates })
    }

    /// Plays them into the file `path`.
    pub(super) fn play(
        &self,
        own: (&Path, bool),
        stop: &Interrupt,
        heard: Listeners<'_, BatchedPlayed>,
    ) -> anyhow::Result<BatchedPlayed> {
        let (files, average) = (&*self.asked.nets, self.asked.average);
        let nets = BatchedNets { files, parameters: &self.net, average, mates: &self.mates };
        let oracles = self.networks.batched(&self.plan.rules)?.open(&nets)?;
        Ok(selfplay_batched_followed(self.kit, &self.plan, &*oracles, own, stop, heard)?)
    }
}

/// Sets an option where it is known.
fn set_option(word: &str, among: [&mut dyn Options; 3]) -> anyhow::Result<()> {
    let Some((name, value)) = word.split_once('=') else {
        return Err(RequestError::value("options", word, "it is NAME=VALUE").into());
    };
    let known = |options: &&mut dyn Options| options.get(name).is_some();
    let Some(options) = among.into_iter().find(known) else {
        let reason = match name.eq_ignore_ascii_case("NetMix") {
            true => {
                "networks A,B answer by their mean; several of `nets` take the games in turn, each on its device".into()
            }
            false => format!("no option is called {name:?}"),
        };
        return Err(RequestError::value("options", word, reason).into());
    };
    options.set(name, value).map_err(|error| RequestError::value("options", word, error).into())
}

/// The words for opponents in the origin of games.
fn against(opponents: &Opponents) -> String {
    let limited = |entrant: &Entrant| format!("{} ({})", entrant.name, entrant.allowance);
    let names: Vec<String> = opponents.entrants.iter().map(limited).collect();
    format!(", in {} of the games against {}", opponents.share, names.join(", "))
}

impl NetworkGames {
    fn noisy(&self, parameters: Parameters, batched: &dyn BatchedGames) -> Parameters {
        match self.noise {
            RootNoise::Dirichlet => Parameters { noise: 0.25, noise_alpha: batched.noise_alpha(), ..parameters },
            RootNoise::Kick => Parameters { noise_kick: 0.003, ..parameters },
            RootNoise::None => parameters,
        }
    }

    /// The origin of the games, without opponents.
    fn origin(
        &self,
        networks: &dyn Networks,
        (version, seed): (&str, u64),
        batched: &BatchedRules,
        begins: &str,
        rules: &str,
    ) -> anyhow::Result<String> {
        let nets = self.nets.iter().map(|file| networks.net_name(file));
        let mut origin = format!(
            "tesuji {version} selfplay, nets {}{}, {} visits, seed {seed}, {begins}temperature {} for {} plies, noise {}, resign {}, \
             audit {}, {} plies at most, {} leaves",
            nets.collect::<Result<Vec<String>, _>>()?.join(" "),
            if self.average { " averaged" } else { "" },
            batched.visits,
            self.temperature,
            self.temperature_plies,
            self.noise.name(),
            batched.resign_below,
            self.audit,
            batched.plies_max,
            self.leaves,
        );
        if self.early_passes {
            origin += ", early passes";
        }
        for part in self.options.iter().map(String::as_str).chain((!rules.is_empty()).then_some(rules)) {
            origin += &format!(", {part}");
        }
        Ok(origin)
    }

    /// The programs, where there are any.
    fn opponents(&self, kit: &dyn Kit, own: &OwnProgram) -> anyhow::Result<Option<Opponents>> {
        if self.opponents.is_empty() {
            return Ok(None);
        }
        let entrants = entrants(&self.opponents, None, &Allowance::default(), (Dialect::of(kit), own))
            .map_err(|error| RequestError::field("opponents", format_args!(": {error}")))?;
        if let Some(entrant) = entrants.iter().find(|entrant| entrant.allowance.control.is_some()) {
            let reason = "batched games have no clocks: give st=SECONDS, nodes=N or depth=N";
            return Err(RequestError::value("opponents", &entrant.name, reason).into());
        }
        let processes = usize::from(self.opponent_processes);
        Ok(Some(Opponents { entrants, share: self.opponent_share, processes }))
    }
}
