//! Sweeps of tuning, the experiment of GreKo's author (V. Medvedev, 2016). Weights are learned for every combination of games,
//! weights that may change, and lambda; each version plays a gauntlet against the same pool, whose first member is the anchor of the
//! ratings. What is done is kept, so that the same request goes on.

mod plan;

pub use plan::{SweepPlan, Version};

use crate::{CircleError, Duel, Openings, Setup, conditions, duel, improve::read_pairs};
use serde::{Deserialize, Serialize};
use std::{
    fmt::Display,
    fs,
    path::{Path, PathBuf},
};
use tesuji_jobs::{AtomicFile, Interrupt, LineJournal, Progress, Show, read_text_bounded, threads};
use tesuji_kit::{
    Kit, RequestError,
    tuning::{Pupil, TuneRequest, TuneRun, tune_version},
};
use tesuji_stats::{Games, Given, Met, Ratings, rate};

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
    /// Ratings of the pool, in its order, and of the versions behind it; the first of the pool is 0.
    pub ratings: Ratings,
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
    check_same(request, pupil)?;
    let sweep = Sweep { kit, request, plan: &plan, run, pupil };
    let versions = plan.versions();
    for version in &versions {
        if !sweep.learned(version)? {
            return Ok(None);
        }
    }
    let pool = sweep.pool_files()?;
    let mut met = Vec::new();
    for (i, version) in versions.iter().enumerate() {
        for (j, member) in pool.iter().enumerate() {
            let Some(pairs) = sweep.gauntlet(version, j, member)? else { return Ok(None) };
            met.extend(met_in(pool.len() + i, j, &pairs));
        }
    }
    let mut ratings = rate(pool.len() + versions.len(), &met, Given::default());
    ratings.anchor(0, 0.0);
    Ok(Some(SweepOutcome { plan, versions, ratings }))
}

/// An error with its place before it.
fn at(place: impl Display, error: impl Display) -> RequestError {
    RequestError::failed(format_args!("{place}: {error}"))
}

/// Notes what the sweep is made of; a folder with another one is left alone.
fn check_same(request: &SweepRequest, pupil: Pupil) -> Result<(), RequestError> {
    let SweepRequest { tune, plan, out, .. } = request;
    let text = read_text_bounded(plan, PLAN_BYTES_MAX).map_err(RequestError::failed)?;
    let TuneRequest { game, start, method, epochs, result_share, pull_rows, leaf, seed, .. } = tune;
    let set = pupil.set().map_or(String::new(), |set| format!(" --weight-set {set}"));
    let words = format!(
        "# {game}{set} --start {start} --method {method} --epochs {epochs} --result-share {result_share} --pull {pull_rows:?} \
         --leaf {leaf:?} --seed {seed}\n{text}"
    );
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
    fn learned(&self, version: &Version) -> Result<bool, RequestError> {
        let path = self.weights_of(version);
        if path.exists() {
            return Ok(true);
        }
        let request = TuneRequest {
            games: version.files.clone(),
            only: version.only.clone(),
            lambda_plies: (version.lambda > 0.0).then_some(version.lambda),
            out: path,
            ..self.request.tune.clone()
        };
        let SweepRun { version, show, interrupt } = *self.run;
        let mut run = TuneRun { version, reading: show, learning: Show::Quiet, interrupt, news: &mut |_| Ok(()) };
        Ok(!tune_version(self.kit, &request, &mut run)?.trained.stopped)
    }

    /// The weights of the pool as files.
    fn pool_files(&self) -> Result<Vec<PathBuf>, RequestError> {
        let file = |(i, name): (usize, &String)| {
            let ending = Path::new(self.pupil.file()).extension().unwrap_or_default().display();
            let path = self.request.out.join(format!("pool-{}.{ending}", i + 1));
            let mut weights = self.pupil.start(name)?;
            if weights.origin.made_by.is_empty() {
                weights.origin.made_by = format!("tesuji {}", self.run.version);
            }
            if !path.exists() {
                self.pupil.save(&path, &weights)?;
            }
            Ok(path)
        };
        self.plan.pool.iter().enumerate().map(file).collect()
    }

    /// Plays what is left of the match of a version against member `number` of the pool; `None` when it was stopped.
    fn gauntlet(&self, version: &Version, number: usize, member: &Path) -> Result<Option<Vec<[u64; 2]>>, RequestError> {
        let (plan, tune) = (self.plan, &self.request.tune);
        let path = self.request.out.join(&version.name).join(format!("pairs-{}.txt", number + 1));
        let (mut journal, lines) = LineJournal::open(&path, false).map_err(|error| at(path.display(), error))?;
        let mut pairs = read_pairs(&path, &lines).map_err(RequestError::failed)?;
        let title = format!("{} against {}", version.name, plan.pool[number]);
        let progress = Progress::start(&title, "pairs", Some(plan.pairs), self.run.show);
        progress.resume_at(pairs.len() as u64);
        let match_ = Duel {
            duelists: [Setup::with_weights(&self.weights_of(version)).into(), Setup::with_weights(member).into()],
            openings: Openings::random(plan.random_plies, tune.seed ^ 0x53EE_0000),
            conditions: conditions(plan.nodes),
            pairs: plan.pairs,
            jobs: threads(tune.jobs),
            until: None,
        };
        let played = pairs.clone();
        let ended = duel(self.kit, &match_, &played, self.run.interrupt, &mut |_, pair, _| {
            journal.append(&format!("{} {}", pair[0], pair[1])).map_err(|e| CircleError::file(&path, e))?;
            pairs.push(pair);
            progress.set(pairs.len() as u64);
            Ok(true)
        });
        ended.map_err(RequestError::failed)?;
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
