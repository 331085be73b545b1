//! Sweeps of tuning, the experiment of GreKo's author (V. Medvedev, 2016). Weights are learned for every combination of games,
//! weights that may change, and lambda; each version plays a gauntlet against the same pool, whose first member is the anchor of the
//! ratings. What is done is kept, so that the same request goes on.

mod plan;
mod used;

pub use plan::{Limit, Member, SweepPlan, Version};

use crate::{
    CircleError, Duel, Duelist, Openings, Setup, conditions, duel,
    duelist::engine_identity,
    improve::{EpochLoss, load, read_pairs, save},
};
use serde::{Deserialize, Serialize};
use std::{
    fmt::Display,
    fs,
    path::{Path, PathBuf},
};
use tesuji_arena::{Conditions, Dialect, EngineRequest, OwnProgram, Used, warnings_of};
use tesuji_game::Side;
use tesuji_jobs::{AtomicFile, Interrupt, LineJournal, Progress, Show, read_text_bounded, threads};
use tesuji_kit::{
    Kit, RequestError,
    tuning::{Pupil, TuneRequest, TuneRun, tune_version},
};
use tesuji_stats::{Games, Given, Met, Ratings, rate};
use used::add_used;

/// The file of the request in the folder of a sweep.
const REQUEST_FILE: &str = "request.json";
/// The longest plan, in bytes.
const PLAN_BYTES_MAX: u64 = 1 << 20;

/// A sweep that is wanted.
///
/// # Examples
///
/// ```
/// use tesuji_circle::sweep::SweepRequest;
/// let request: SweepRequest = serde_json::from_str(r#"{ "tune": { "game": "four" }, "plan": "sweep.toml" }"#)?;
/// assert_eq!(request.validate().unwrap_err().to_string(), "out is missing");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SweepRequest {
    /// The version of this form: [`SweepRequest::VERSION`].
    pub version: u32,
    /// The tuning settings of all versions; games, tunable weights, lambda and output are set by each version.
    pub tune: TuneRequest,
    /// The plan: a TOML file with the combinations, the pool and the games.
    pub plan: PathBuf,
    /// The folder of the sweep.
    pub out: PathBuf,
}

impl Default for SweepRequest {
    fn default() -> SweepRequest {
        let (tune, plan, out) = (TuneRequest::default(), PathBuf::new(), PathBuf::new());
        SweepRequest { version: Self::VERSION, tune, plan, out }
    }
}

impl SweepRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; the plan is looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        self.tune.validate_method()?;
        let missing =
            [("plan", &self.plan), ("out", &self.out)].into_iter().find(|(_, path)| path.as_os_str().is_empty());
        missing.map_or(Ok(()), |(field, _)| Err(RequestError::field(field, "is missing")))
    }
}

/// The environment of a sweep: what does not change its numbers.
pub struct SweepRun<'a> {
    /// The version of this program.
    pub version: &'a str,
    /// The display of progress.
    pub show: Show,
    /// This program, whose own engines may be in the pool.
    pub own: &'a OwnProgram,
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
}

/// The result of a sweep.
#[derive(Debug, Clone)]
pub struct SweepOutcome {
    /// The plan.
    pub plan: SweepPlan,
    /// All versions.
    pub versions: Vec<Version>,
    /// The losses of each version over its epochs; none where its folder does not hold them.
    pub losses: Vec<Vec<EpochLoss>>,
    /// The ratings at each limit of the plan, and where there are several those of all games together behind them.
    pub standings: Vec<SweepRatings>,
}

/// The ratings of a sweep at one limit, or at all together.
#[derive(Debug, Clone)]
pub struct SweepRatings {
    /// The limit in words, such as `5000 nodes` or `10+0.1`, or `all limits`.
    pub limit: String,
    /// Ratings of the pool, in its order, and of the versions behind it; the first of the pool is 0.
    pub ratings: Ratings,
}

impl SweepRatings {
    fn of(limit: String, players: usize, met: &[Met]) -> SweepRatings {
        let mut ratings = rate(players, met, Given::default());
        ratings.anchor(0, 0.0);
        SweepRatings { limit, ratings }
    }
}

/// Learns and plays what is left of a sweep; `None` when it was stopped.
///
/// # Errors
/// When the request cannot be meant, the folder holds another sweep, or a file cannot be read or written.
pub fn sweep(
    kit: &'static dyn Kit,
    request: &SweepRequest,
    run: &SweepRun<'_>,
) -> Result<Option<SweepOutcome>, RequestError> {
    request.validate()?;
    let plan = SweepPlan::read(&request.plan)?;
    let pupil = Pupil::starting(kit, &request.tune.weight_set, &request.tune.start)?;
    fs::create_dir_all(&request.out).map_err(|error| at(request.out.display(), error))?;
    let members = plan.members().map_err(|error| at(request.plan.display(), error))?;
    check_same(request, &members, pupil)?;
    let sweep = Sweep { kit, request, plan: &plan, run, pupil };
    let versions = plan.versions();
    for version in &versions {
        if !sweep.learned(version)? {
            return Ok(None);
        }
    }
    let pool = sweep.pool(&members)?;
    let (mut standings, mut all) = (Vec::new(), Vec::new());
    for (number, limit) in plan.limits().into_iter().enumerate() {
        let mut met = Vec::new();
        for (i, version) in versions.iter().enumerate() {
            for (j, member) in pool.iter().enumerate() {
                let Some(pairs) = sweep.gauntlet(version, (number, &limit), (j, member))? else { return Ok(None) };
                met.extend(met_in(pool.len() + i, j, &pairs));
            }
        }
        all.extend(met.iter().copied());
        standings.push(SweepRatings::of(limit.words, pool.len() + versions.len(), &met));
    }
    if standings.len() > 1 {
        standings.push(SweepRatings::of("all limits".into(), pool.len() + versions.len(), &all));
    }
    let losses = versions.iter().map(|version| sweep.losses(version)).collect::<Result<_, _>>()?;
    Ok(Some(SweepOutcome { plan, versions, losses, standings }))
}

/// An error with its place before it.
fn at(place: impl Display, error: impl Display) -> RequestError {
    RequestError::failed(format_args!("{place}: {error}"))
}

/// Notes what the sweep is made of, engines by the content of their programs; a folder with another one is left alone.
fn check_same(request: &SweepRequest, members: &[Member], pupil: Pupil) -> Result<(), RequestError> {
    let SweepRequest { tune, plan, out, .. } = request;
    let text = read_text_bounded(plan, PLAN_BYTES_MAX).map_err(RequestError::failed)?;
    let TuneRequest { game, start, method, epochs, result_share, pull_rows, leaf, seed, .. } = tune;
    let set = pupil.set().map_or(String::new(), |set| format!(" --weight-set {set}"));
    let mut words = format!(
        "# {game}{set} --start {start} --method {method} --epochs {epochs} --result-share {result_share} --pull {pull_rows:?} \
         --leaf {leaf:?} --seed {seed}\n{text}"
    );
    words += &unusual(tune)?;
    for member in members {
        if let Member::Engine(engine) = member {
            words += &format!("# {}\n", engine_identity(engine)?);
        }
    }
    let kept = out.join("sweep.toml");
    match read_text_bounded(&kept, 2 * PLAN_BYTES_MAX) {
        Ok(before) if before == words => return Ok(()),
        Ok(_) => return Err(at(kept.display(), "another sweep is kept there; choose another --out")),
        Err(_) => AtomicFile::write(&kept, words.as_bytes()).map_err(|error| at(kept.display(), error))?,
    }
    let mut json = serde_json::to_string_pretty(request)?;
    json.push('\n');
    let path = out.join(REQUEST_FILE);
    AtomicFile::write(&path, json.as_bytes()).map_err(|error| at(path.display(), error))
}

/// The other settings that change what is learned, where they are not the usual ones: `--k`, `--held-out`, `--patience` and the like.
fn unusual(tune: &TuneRequest) -> Result<String, RequestError> {
    // Those that stand in the first line, that the plan decides, and that change no number.
    const ELSEWHERE: [&str; 17] = [
        "version",
        "game",
        "weight_set",
        "leaf",
        "games",
        "out",
        "start",
        "only",
        "method",
        "epochs",
        "lambda_plies",
        "result_share",
        "pull_rows",
        "seed",
        "skip_errors",
        "jobs",
        "steps",
    ];
    let (asked, usual) = (serde_json::to_value(tune)?, serde_json::to_value(TuneRequest::default())?);
    let fields = asked.as_object().into_iter().flatten();
    let others = fields.filter(|(name, value)| !ELSEWHERE.contains(&name.as_str()) && usual.get(name) != Some(value));
    Ok(others.map(|(name, value)| format!("# {name} {value}\n")).collect())
}

/// A sweep on its way.
struct Sweep<'a> {
    kit: &'static dyn Kit,
    request: &'a SweepRequest,
    plan: &'a SweepPlan,
    run: &'a SweepRun<'a>,
    pupil: Pupil,
}

impl Sweep<'_> {
    fn weights_of(&self, version: &Version) -> PathBuf {
        self.request.out.join(&version.name).join(self.pupil.file())
    }

    /// Whether a version is learned in the end; `false` when it was stopped.
    fn learned(&self, of: &Version) -> Result<bool, RequestError> {
        let path = self.weights_of(of);
        if path.exists() {
            return Ok(true);
        }
        let request = TuneRequest {
            games: of.files.clone(),
            only: of.only.clone(),
            lambda_plies: (of.lambda > 0.0).then_some(of.lambda),
            out: path,
            ..self.request.tune.clone()
        };
        let SweepRun { version, show, interrupt, .. } = *self.run;
        let mut run = TuneRun { version, reading: show, learning: Show::Quiet, interrupt, news: &mut |_| Ok(()) };
        let trained = tune_version(self.kit, &request, &mut run)?.trained;
        if !trained.stopped {
            let of_best = trained.history.iter().filter(|progress| progress.run == trained.best_run);
            let loss = |p: &tesuji_tune::Progress| EpochLoss { epoch: p.epoch, train: p.train_loss, held: p.held_loss };
            let losses: Vec<EpochLoss> = of_best.map(loss).collect();
            save(&self.losses_of(of), &losses).map_err(RequestError::failed)?;
        }
        Ok(!trained.stopped)
    }

    fn losses_of(&self, version: &Version) -> PathBuf {
        self.request.out.join(&version.name).join("losses.json")
    }

    /// The losses of the attempt that a version's weights come from.
    fn losses(&self, version: &Version) -> Result<Vec<EpochLoss>, RequestError> {
        Ok(load(&self.losses_of(version)).map_err(RequestError::failed)?.unwrap_or_default())
    }

    /// The pool as it plays: weights as files, engines as processes.
    fn pool(&self, members: &[Member]) -> Result<Vec<Duelist>, RequestError> {
        let duelist = |(i, member): (usize, &Member)| match member {
            Member::Weights(name) => {
                let ending = Path::new(self.pupil.file()).extension().unwrap_or_default().display();
                let path = self.request.out.join(format!("pool-{}.{ending}", i + 1));
                let mut weights = self.pupil.start(name)?;
                if weights.origin.made_by.is_empty() {
                    weights.origin.made_by = format!("tesuji {}", self.run.version);
                }
                if !path.exists() {
                    self.pupil.save(&path, &weights)?;
                }
                self.player(&path)
            }
            Member::Engine(engine) => {
                let spec = engine.spec(&engine.usual_name(), Dialect::of(self.kit), self.run.own)?;
                Ok(Duelist::Engine(Box::new(spec)))
            }
        };
        members.iter().enumerate().map(duelist).collect()
    }

    /// What plays with weights: by nodes in this process, by a clock in one of its own, as the engines of the pool, so that pipes and
    /// processors cost all the same.
    fn player(&self, weights: &Path) -> Result<Duelist, RequestError> {
        if self.plan.nodes.is_some() {
            return Ok(Setup::with_weights(weights).into());
        }
        let request = EngineRequest { weights: Some(weights.into()), ..EngineRequest::default() };
        let spec = request.spec(&request.usual_name(), Dialect::of(self.kit), self.run.own)?;
        Ok(Duelist::Engine(Box::new(spec)))
    }

    /// Plays what is left of the match of a version against a member of the pool at a limit, both with their numbers; `None` when
    /// it was stopped.
    fn gauntlet(
        &self,
        version: &Version,
        (limit_number, limit): (usize, &Limit),
        (number, member): (usize, &Duelist),
    ) -> Result<Option<Vec<[u64; 2]>>, RequestError> {
        let (plan, tune) = (self.plan, &self.request.tune);
        let clock = if plan.nodes.is_some() { String::new() } else { format!("tc-{}-", limit_number + 1) };
        let path = self.request.out.join(&version.name).join(format!("{clock}pairs-{}.txt", number + 1));
        let (mut journal, lines) = LineJournal::open(&path, false).map_err(|error| at(path.display(), error))?;
        let mut pairs = read_pairs(&path, &lines).map_err(RequestError::failed)?;
        if pairs.len() as u64 >= plan.pairs {
            // No engine is started for games that were played.
            return Ok(Some(pairs));
        }
        let title = format!("{} against {} at {}", version.name, plan.pool_names()[number], limit.words);
        let progress = Progress::start(&title, "pairs", Some(plan.pairs), self.run.show);
        progress.resume_at(pairs.len() as u64);
        let Conditions { rules, adjudication, .. } = conditions(0);
        let match_ = Duel {
            duelists: [self.player(&self.weights_of(version))?, member.clone()],
            openings: Openings::random(plan.random_plies, tune.seed ^ 0x53EE_0000),
            conditions: Conditions { rules, allowances: Side::ALL.map(|side| limit.allowance.of(side)), adjudication },
            pairs: plan.pairs,
            jobs: threads(tune.jobs),
            until: None,
            fleet: None,
        };
        let played = pairs.clone();
        let mut used = Used::default();
        let ended = duel(self.kit, &match_, &played, self.run.interrupt, &mut |_, pair, games| {
            // The version has the first side in the first game.
            for (game, side) in games.iter().zip([Side::Second, Side::First]) {
                add_used(&mut used, game, side, &limit.allowance.of(side));
            }
            journal.append(&format!("{} {}", pair[0], pair[1])).map_err(|e| CircleError::file(&path, e))?;
            pairs.push(pair);
            progress.set(pairs.len() as u64);
            Ok(true)
        });
        for warning in warnings_of(&used, &limit.allowance) {
            progress.line(&format!("Warning: {}: {warning}", plan.pool_names()[number]));
        }
        match ended {
            // An engine that was about to start breaks off, too; what was played is kept.
            Err(_) if self.run.interrupt.is_raised() => return Ok(None),
            ended => ended.map_err(|error| RequestError::failed(format_args!("{title}: {error}")))?,
        };
        Ok((pairs.len() as u64 >= plan.pairs).then_some(pairs))
    }
}

/// The games of `pairs` by who had the first side; half points are those of `challenger`.
fn met_in(challenger: usize, defender: usize, pairs: &[[u64; 2]]) -> [Met; 2] {
    let count = |game: usize, half_points: u64| pairs.iter().filter(|p| p[game] == half_points).count() as u64;
    let games =
        |game: usize, win: u64| Games { wins: count(game, win), draws: count(game, 1), losses: count(game, 2 - win) };
    [
        Met { first: challenger, second: defender, games: games(0, 2) },
        Met { first: defender, second: challenger, games: games(1, 0) },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_points_are_games_of_two_sides() {
        let [white, black] = met_in(3, 0, &[[2, 0], [1, 2], [2, 1]]);
        assert_eq!((white.first, black.first), (3, 0));
        assert_eq!(white.games, Games { wins: 2, draws: 1, losses: 0 });
        // The defender had the first side, won once, drew once and lost once.
        assert_eq!(black.games, Games { wins: 1, draws: 1, losses: 1 });
    }

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let tune = TuneRequest { game: "four".into(), ..TuneRequest::default() };
        let request = SweepRequest { tune, plan: "s.toml".into(), out: "sweep".into(), ..SweepRequest::default() };
        assert!(request.validate().is_ok());
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<SweepRequest>(&text).unwrap(), request);
        let wrong = SweepRequest { out: PathBuf::new(), ..request };
        assert_eq!(wrong.validate().unwrap_err().to_string(), "out is missing");
    }
}
