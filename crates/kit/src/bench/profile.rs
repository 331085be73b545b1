//! Profiles of alpha-beta searches: which nodes were visited, where they were cut, and what each step of the search did.

use super::iterations::{Growth, GrowthFigures, search_player};
use crate::{Kit, RequestError, settings};
use serde::{Deserialize, Serialize};
use tesuji_game::{Limits, Reason};
use tesuji_search::profile::{CUTOFF_MOVES, KindCounts, NodeKind, Profile, Step};

/// The family that has a profile.
const FAMILY: &str = "alpha-beta";

/// A profile that is wanted.
///
/// # Examples
/// ```
/// use tesuji_kit::bench::ProfileRequest;
/// let request: ProfileRequest = serde_json::from_str(r#"{ "game": "four", "nodes": 20000 }"#)?;
/// assert!(request.validate().is_ok());
/// let wrong = ProfileRequest { depth: Some(5), ..request };
/// assert_eq!(wrong.validate().unwrap_err().to_string(), "depth does not go with nodes");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileRequest {
    /// The version of this form: [`ProfileRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// Plies to search each position; the bench's own where neither this nor `nodes` is given.
    pub depth: Option<u32>,
    /// Nodes for each position.
    pub nodes: Option<u64>,
    /// Options of the engine, as `NAME=VALUE`.
    pub options: Vec<String>,
}

impl Default for ProfileRequest {
    fn default() -> ProfileRequest {
        ProfileRequest { version: Self::VERSION, game: String::new(), depth: None, nodes: None, options: Vec::new() }
    }
}

impl ProfileRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        if self.nodes == Some(0) {
            return Err(RequestError::value("nodes", 0, "expected at least 1"));
        }
        if let Some(depth) = self.depth.filter(|depth| !(1..=64).contains(depth)) {
            return Err(RequestError::value("depth", depth, "expected 1 to 64"));
        }
        match self.depth.is_some() && self.nodes.is_some() {
            true => Err(RequestError::field("depth", "does not go with nodes")),
            false => Ok(()),
        }
    }
}

/// The result of profiling.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profiled {
    /// The game.
    pub game: &'static str,
    /// Plies searched, where they were the limit.
    pub depth_limit: Option<u32>,
    /// Nodes searched, where they were the limit.
    pub nodes_limit: Option<u64>,
    /// Positions searched.
    pub positions: u32,
    /// Nodes as limits count them: the roots and all moves made, null moves among them.
    pub nodes: u64,
    /// Visits that follow no new move: re-searches and searches of a position for itself.
    pub repeats: u64,
    /// Passes over the moves of a root.
    pub root_passes: u64,
    /// The longest path of all, in plies.
    pub ply_max: usize,
    /// Quiescence's share of the visits, in 0..=1.
    pub quiescence_share: f64,
    /// Depths and branching factor.
    #[serde(flatten)]
    pub growth: GrowthFigures,
    /// The kinds of nodes, the main search first.
    pub kinds: Vec<KindRow>,
    /// The nodes of the main search by depth, the last depth and all deeper ones together.
    pub depths: Vec<DepthRow>,
    /// The steps in the order of the search.
    pub steps: Vec<StepRow>,
}

/// The nodes of a kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KindRow {
    /// `main` or `quiescence`.
    pub part: &'static str,
    /// `pv`, `cut` or `all`.
    pub kind: &'static str,
    /// Visits.
    pub visits: u64,
    /// Visits left for each reason, those that never were left out; they sum to the visits.
    pub exits: Vec<(String, u64)>,
    /// Cutoffs by the first, second, third and later moves looked at.
    pub cutoffs: [u64; CUTOFF_MOVES],
    /// The first move's share of the cutoffs; `None` without any.
    pub first_move_share: Option<f64>,
}

/// The nodes of the main search with one depth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DepthRow {
    /// Plies left.
    pub depth: usize,
    /// Visits.
    pub visits: u64,
    /// Cutoffs by the first, second, third and later moves looked at.
    pub cutoffs: [u64; CUTOFF_MOVES],
    /// The first move's share of the cutoffs; `None` without any.
    pub first_move_share: Option<f64>,
}

/// A step of the search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepRow {
    /// Its name.
    pub step: &'static str,
    /// The meaning of a try.
    pub tried: &'static str,
    /// Tries.
    pub tries: u64,
    /// The meaning of a success.
    pub succeeded: &'static str,
    /// Successes.
    pub successes: u64,
    /// Successes a try; `None` without tries.
    pub rate: Option<f64>,
    /// Successes for each node whose moves were looked at.
    pub per_move_loop: f64,
}

/// Searches the positions of a game's bench by alpha-beta, each from empty tables, and counts what the searches do.
///
/// # Errors
/// When the request is wrong, or the game has no such search or no positions.
pub fn profile(kit: &dyn Kit, request: &ProfileRequest, stopped: &dyn Fn() -> bool) -> Result<Profiled, RequestError> {
    request.validate()?;
    let bench = kit.benchmark().filter(|_| kit.families().contains(&FAMILY));
    let without = || RequestError::Failed(format!("{} has no {FAMILY} search to profile", kit.name()));
    let bench = bench.ok_or_else(without)?;
    let mut player = kit.player(FAMILY).map_err(RequestError::failed)?;
    for (name, value) in settings(&request.options)? {
        let wrong = |error| RequestError::value("options", format_args!("{name}={value}"), error);
        player.options().set(name, value).map_err(wrong)?;
    }
    player.options().set("Profile", "true").map_err(RequestError::failed)?;
    let depth_limit = request.depth.or(request.nodes.is_none().then(|| bench.depth(FAMILY)));
    let limits = Limits { depth: depth_limit, nodes: request.nodes, ..Limits::default() };
    let mut sums = Sums::default();
    for position in bench.classes().into_iter().flat_map(|(_, positions)| positions) {
        if stopped() {
            break;
        }
        let mut iterations = Vec::new();
        let each = &mut |iteration: &_| iterations.push(Clone::clone(iteration));
        let report = search_player(player.as_mut(), position, &limits, stopped, each)?;
        // The end repeats the last complete iteration.
        iterations.pop();
        sums.growth.add(&iterations);
        sums.positions += 1;
        sums.nodes += report.nodes;
        let counts = player.profile().ok_or_else(without)?;
        sums.profile.add(&counts);
    }
    Ok(sums.figures(kit.name(), &limits))
}

/// All searches of a profile together.
#[derive(Default)]
struct Sums {
    positions: u32,
    nodes: u64,
    growth: Growth,
    profile: Profile,
}

impl Sums {
    fn figures(&self, game: &'static str, limits: &Limits) -> Profiled {
        let profile = &self.profile;
        let quiescence: u64 = profile.quiescence.iter().map(|kind| kind.visits).sum();
        let rows =
            |part, counts: &[KindCounts; 3]| NodeKind::ALL.map(|kind| kind_row(part, kind, &counts[kind as usize]));
        let depths = profile.depths.iter().enumerate().filter(|(_, counts)| counts.visits > 0);
        let depth_row = |(depth, counts): (usize, &tesuji_search::profile::DepthCounts)| DepthRow {
            depth,
            visits: counts.visits,
            cutoffs: counts.cutoffs,
            first_move_share: first_share(&counts.cutoffs),
        };
        Profiled {
            game,
            depth_limit: limits.depth,
            nodes_limit: limits.nodes,
            positions: self.positions,
            nodes: self.nodes,
            repeats: profile.repeats(),
            root_passes: profile.root_passes,
            ply_max: profile.ply_max,
            quiescence_share: quiescence as f64 / profile.visits().max(1) as f64,
            growth: self.growth.figures(),
            kinds: [rows("main", &profile.main), rows("quiescence", &profile.quiescence)].concat(),
            depths: depths.map(depth_row).collect(),
            steps: step_rows(profile),
        }
    }
}

fn kind_row(part: &'static str, kind: NodeKind, counts: &KindCounts) -> KindRow {
    let mut exits: Vec<(String, u64)> = Reason::all()
        .map(|reason| (reason.to_string(), counts.exits(reason)))
        .chain([("broken off by the limit".to_string(), counts.broken_off)])
        .collect();
    exits.retain(|(_, count)| *count > 0);
    exits.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    KindRow {
        part,
        kind: kind.name(),
        visits: counts.visits,
        exits,
        cutoffs: counts.cutoffs,
        first_move_share: first_share(&counts.cutoffs),
    }
}

fn first_share(cutoffs: &[u64; CUTOFF_MOVES]) -> Option<f64> {
    share(cutoffs[0], cutoffs.iter().sum())
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// A step: its name, what was tried how often, and what came of it how often.
type Counted = (&'static str, (&'static str, u64), (&'static str, u64));

/// The steps that leave a move out.
const LEAVING_OUT: [Step; 6] = [
    Step::LateMovePruning,
    Step::Futility,
    Step::NoisyFutility,
    Step::HistoryPruning,
    Step::QuietExchange,
    Step::NoisyExchange,
];

/// The steps in the order of the search.
fn step_rows(profile: &Profile) -> Vec<StepRow> {
    let main = |reason| profile.main.iter().map(|kind| kind.exits(reason)).sum::<u64>();
    let quiet = |reason| profile.quiescence.iter().map(|kind| kind.exits(reason)).sum::<u64>();
    let step = |step| profile.step(step);
    let visits: u64 = profile.main.iter().map(|kind| kind.visits).sum();
    let quiet_visits: u64 = profile.quiescence.iter().map(|kind| kind.visits).sum();
    let loops = main(Reason::Searched) + main(Reason::Beta) + main(Reason::MultiCut);
    let off_pv = visits - profile.main[NodeKind::Pv as usize].visits;
    let quiet_cutoffs: u64 = profile.quiescence.iter().flat_map(|kind| kind.cutoffs).sum();
    let after_table =
        visits - main(Reason::Rules) - main(Reason::MateDistance) - main(Reason::Table) - main(Reason::Endgame);
    let prunable = step(Step::Prunable);
    let searched = step(Step::FullDepth) + step(Step::Reduction);
    let left_out = |s| ("left out", step(s));
    let looked_at = searched + LEAVING_OUT.map(step).iter().sum::<u64>();
    let rows: [Counted; 25] = [
        ("rules", ("visit", visits), ("node decided", main(Reason::Rules))),
        ("mate distance", ("visit", visits), ("cut", main(Reason::MateDistance))),
        ("table cut", ("visit off the pv", off_pv), ("cut", main(Reason::Table))),
        ("endgame table", ("probe", step(Step::EndgameProbe)), ("cut", main(Reason::Endgame))),
        ("mate at once", ("visit after the table", after_table), ("mate", main(Reason::MateAtOnce))),
        ("razoring", ("search of captures", step(Step::Razoring)), ("cut", main(Reason::Razoring))),
        (
            "reverse futility",
            ("prunable node", prunable - main(Reason::Razoring).min(prunable)),
            ("cut", main(Reason::ReverseFutility)),
        ),
        ("null move", ("search", step(Step::NullMove)), ("cut", main(Reason::NullMove))),
        ("null-move verification", ("search", step(Step::Verification)), ("refuted", step(Step::VerificationFailed))),
        ("probcut", ("node", step(Step::Probcut)), ("cut", main(Reason::Probcut))),
        ("probcut captures", ("capture played", step(Step::ProbcutMove)), ("searched", step(Step::ProbcutSearch))),
        ("iterative reduction", ("node with moves", loops), ("reduced", step(Step::IterativeReduction))),
        ("late move pruning", ("move looked at", looked_at), left_out(Step::LateMovePruning)),
        ("futility", ("move looked at", looked_at), left_out(Step::Futility)),
        ("noisy futility", ("move looked at", looked_at), left_out(Step::NoisyFutility)),
        ("history pruning", ("move looked at", looked_at), left_out(Step::HistoryPruning)),
        ("exchanges, quiet", ("move looked at", looked_at), left_out(Step::QuietExchange)),
        ("exchanges, noisy", ("move looked at", looked_at), left_out(Step::NoisyExchange)),
        (
            "singular extension",
            ("search", step(Step::Singular)),
            ("extended", step(Step::SingularExtension) + step(Step::DoubleExtension)),
        ),
        (
            "double extension",
            ("singular search", step(Step::Singular)),
            ("extended twice", step(Step::DoubleExtension)),
        ),
        ("negative extension", ("singular search", step(Step::Singular)), ("reduced", step(Step::NegativeExtension))),
        ("multicut", ("singular search", step(Step::Singular)), ("cut", main(Reason::MultiCut))),
        ("check extension", ("move searched", searched), ("extended", step(Step::CheckExtension))),
        ("late move reduction", ("move searched", searched), ("reduced", step(Step::Reduction))),
        ("reduced move fails high", ("reduced", step(Step::Reduction)), ("fails high", step(Step::ReductionFailed))),
    ];
    let rest: [Counted; 6] = [
        ("search again, closed", ("fails high", step(Step::ReductionFailed)), ("searched", step(Step::ReSearch))),
        ("search again, open", ("move searched", searched), ("searched", step(Step::PvReSearch))),
        ("quiescence: table cut", ("visit", quiet_visits), ("cut", quiet(Reason::Table))),
        ("quiescence: mate at once", ("visit", quiet_visits), ("mate", quiet(Reason::MateAtOnce))),
        (
            "quiescence: stand pat",
            ("visit", quiet_visits),
            ("cut", quiet(Reason::Beta) - quiet_cutoffs.min(quiet(Reason::Beta))),
        ),
        ("quiescence: pruning", ("visit", quiet_visits), left_out(Step::QuiescencePruning)),
    ];
    let row = |(step, (tried, tries), (succeeded, successes))| StepRow {
        step,
        tried,
        tries,
        succeeded,
        successes,
        rate: share(successes, tries),
        per_move_loop: successes as f64 / loops.max(1) as f64,
    };
    rows.into_iter().chain(rest).map(row).collect()
}
