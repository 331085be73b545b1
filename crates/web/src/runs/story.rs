//! All that a run of learning has written down, as the page shows it.

use super::{RunKind, kind_of};
use crate::{App, Problem};
use axum::{
    Json,
    extract::{Query, State},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{fs, io::Read, path::Path, sync::Arc};
use tesuji_report::{matches::counts::Estimate, sweep::SweepTable, tuning::LearnedWeights};
use tesuji_stats::Pairs;
use utoipa::{IntoParams, ToSchema};

/// Bytes of a log that are read.
const LOG_MAX: u64 = 32 << 20;
/// Entries of a folder that are looked at.
const ENTRIES_MAX: usize = 50_000;
/// The head of a file of strengths of moves in go.
const GAMMAS_HEAD: &str = "tesuji-gammas ";

/// Which run.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct RunWish {
    /// Its folder or file as called from the workspace.
    path: String,
}

/// All that a run has written down.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum RunStory {
    /// A run of `tesuji improve`.
    Improve(Box<ImproveStory>),
    /// Versions that play against a pool.
    Sweep(SweepStory),
    /// A CSV of `tesuji tune --steps`.
    Steps(LogStory),
    /// A log in GreKo's words.
    Greko(LogStory),
    /// The log of `tesuji train`.
    Net(LogStory),
}

/// A log of learning.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LogStory {
    /// Its text.
    text: String,
    /// The weights that `tesuji tune` has learned beside it; null: it has not ended.
    report: Option<LearnedWeights>,
}

/// A run of `tesuji improve`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImproveStory {
    /// Its settings by name.
    #[schema(value_type = Object)]
    settings: serde_json::Map<String, Value>,
    /// The weights that it started from: numbers by names, which may be nested.
    #[schema(value_type = Option<Object>)]
    start: Option<Value>,
    /// Its rounds.
    rounds: Vec<RoundStory>,
    /// The weights that it has come to.
    #[schema(value_type = Option<Object>)]
    weights: Option<Value>,
    /// The final weights against those of the start.
    verdict: Option<VerdictStory>,
    /// Time used.
    seconds: Option<f64>,
}

/// A round of a run.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RoundStory {
    /// Its results.
    round: RoundResults,
    /// Losses by epochs.
    losses: Option<Vec<LossPoint>>,
    /// The weights that it learned.
    #[schema(value_type = Option<Object>)]
    weights: Option<Value>,
}

/// Results of a round, as far as it is.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct RoundResults {
    /// Its number, from 1.
    number: u32,
    /// Whether the learned weights play from then on.
    adopted: bool,
    /// The match of the learned weights.
    standing: Option<RatedStanding>,
}

/// Mean losses of an epoch.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct LossPoint {
    /// The epoch; 0 is the start.
    epoch: u32,
    /// Over what is learned from.
    train: f64,
    /// Over what judges.
    held: Option<f64>,
}

/// The end of a run.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct VerdictStory {
    /// The match.
    standing: RatedStanding,
    /// The same with more nodes a move.
    confirmed: Option<RatedStanding>,
}

/// Games between two, and what they say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct RatedStanding {
    /// Games won, drawn, lost.
    wdl: (u64, u64, u64),
    /// Pairs by half points made in them: 0 to 4.
    pairs: [u64; 5],
    /// Elo; null without pairs.
    elo: Option<Estimate>,
    /// The likelihood of superiority.
    los: Option<f64>,
}

/// Versions that play against a pool.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SweepStory {
    /// The plan.
    settings: String,
    /// The versions as far as they are.
    versions: Vec<SweepProgress>,
    /// The results, when all games are played.
    table: Option<SweepTable>,
    /// The results as text.
    text: Option<String>,
}

/// How far a version of a sweep is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SweepProgress {
    /// Its name.
    version: String,
    /// Whether it has learned.
    learned: bool,
    /// Pairs played, a number for each opponent that it has met, at one limit after the other.
    pairs: Vec<usize>,
}

/// All that a run has written down: for `improve` its settings, rounds with losses and weights, and verdict; for logs the text.
#[utoipa::path(get, path = "/api/v1/runs/story", params(RunWish),
    responses((status = 200, body = RunStory), (status = "4XX", body = Problem)))]
pub(crate) async fn story(State(app): State<Arc<App>>, Query(wish): Query<RunWish>) -> Result<Json<RunStory>, Problem> {
    let path = app.jobs.space.find(&wish.path)?;
    let told = app.work.run(move |_| match path.is_dir() {
        true if path.join("sweep.toml").is_file() => sweep(&path).map(RunStory::Sweep),
        true => improve(&path).map(|story| RunStory::Improve(Box::new(story))),
        false => log(&path),
    });
    told.await.map(Json)
}

fn log(path: &Path) -> Result<RunStory, Problem> {
    let no_log = || Problem::unprocessable("this is no log of learning").at("path");
    let kind = kind_of(path).ok_or_else(no_log)?;
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(LOG_MAX).read_to_end(&mut bytes));
    read.map_err(|error| Problem::internal(error.to_string()))?;
    // What `tesuji tune --json` printed beside it.
    let report = path.parent().and_then(|folder| load(&folder.join("out.txt")));
    let story = LogStory { text: String::from_utf8_lossy(&bytes).into_owned(), report };
    match kind {
        RunKind::Steps => Ok(RunStory::Steps(story)),
        RunKind::Greko => Ok(RunStory::Greko(story)),
        RunKind::Net => Ok(RunStory::Net(story)),
        RunKind::Improve | RunKind::Sweep => Err(no_log()),
    }
}

fn improve(folder: &Path) -> Result<ImproveStory, Problem> {
    let settings = load(&folder.join("improve.json"));
    let settings = settings.ok_or_else(|| Problem::unprocessable("this is no folder of a run").at("path"))?;
    let mut rounds = Vec::new();
    for number in 1.. {
        let of_round = folder.join(format!("round-{number}"));
        let Some(mut round) = load::<RoundResults>(&of_round.join("round.json")) else { break };
        round.standing.iter_mut().for_each(RatedStanding::rate);
        let (losses, weights) = (load(&of_round.join("losses.json")), weights(&of_round, "weights"));
        rounds.push(RoundStory { round, losses, weights });
    }
    let mut verdict: Option<VerdictStory> = load(&folder.join("verdict.json"));
    if let Some(verdict) = &mut verdict {
        verdict.standing.rate();
        verdict.confirmed.iter_mut().for_each(RatedStanding::rate);
    }
    Ok(ImproveStory {
        settings,
        start: weights(folder, "start"),
        rounds,
        weights: weights(folder, "weights"),
        verdict,
        seconds: load(&folder.join("spent.json")),
    })
}

impl RatedStanding {
    /// Adds what the pairs say: Elo with its 95 % interval, and LOS.
    fn rate(&mut self) {
        let pairs = Pairs(self.pairs);
        (self.elo, self.los) = (pairs.elo().map(Estimate::from), pairs.los());
    }
}

/// The weights of a run in its folder: terms of an evaluation, or strengths of moves in go.
fn weights(folder: &Path, name: &str) -> Option<Value> {
    let file: Option<Value> = load(&folder.join(format!("{name}.json")));
    let terms = file.and_then(|weights| weights.get("terms").cloned());
    terms.or_else(|| strengths(&fs::read_to_string(folder.join(format!("{name}.txt"))).ok()?))
}

/// Strengths of moves by families and their levels, from 1, and patterns by size and shape. Lines that say something else
/// are passed by.
fn strengths(text: &str) -> Option<Value> {
    let mut all = serde_json::Map::new();
    let mut lines = text.lines();
    lines.next().filter(|line| line.starts_with(GAMMAS_HEAD))?;
    for line in lines {
        let mut words = line.split_ascii_whitespace();
        let Some(name) = words.next() else { continue };
        if name == "pattern" {
            let (Some(size), Some(shape), Some(Ok(strength))) =
                (words.next(), words.next(), words.next().map(str::parse::<f64>))
            else {
                continue;
            };
            all.insert(format!("pattern.{size}.{shape}"), json!(strength));
            continue;
        }
        let Ok(levels) = words.map(str::parse::<f64>).collect::<Result<Vec<_>, _>>() else { continue };
        for (level, strength) in levels.iter().enumerate() {
            let level = if levels.len() > 1 { format!(".{}", level + 1) } else { String::new() };
            all.insert(format!("{name}{level}"), json!(strength));
        }
    }
    Some(Value::Object(all))
}

/// The plan of a sweep, its versions as far as they are, and the table when all games are played.
fn sweep(folder: &Path) -> Result<SweepStory, Problem> {
    let broken = |error: std::io::Error| Problem::internal(error.to_string());
    let settings = fs::read_to_string(folder.join("sweep.toml")).map_err(broken)?;
    let mut versions = Vec::new();
    for entry in fs::read_dir(folder).map_err(broken)?.flatten().take(ENTRIES_MAX) {
        let of_version = entry.path();
        let version = entry.file_name().to_string_lossy().into_owned();
        if !of_version.is_dir() || !version.chars().all(|c| c.is_ascii_alphanumeric()) {
            continue;
        }
        let count = |name: String| fs::read_to_string(of_version.join(name)).ok().map(|text| text.lines().count());
        let mut pairs: Vec<usize> = (1..).map_while(|n| count(format!("pairs-{n}.txt"))).collect();
        for clock in 1.. {
            let of_clock: Vec<usize> = (1..).map_while(|n| count(format!("tc-{clock}-pairs-{n}.txt"))).collect();
            if of_clock.is_empty() {
                break;
            }
            pairs.extend(of_clock);
        }
        let learned =
            ["weights.json", "weights.txt", "features.json"].iter().any(|name| of_version.join(name).exists());
        versions.push(SweepProgress { version, learned, pairs });
    }
    versions.sort_by_key(|version| (version.version.len(), version.version.clone()));
    let text = fs::read_to_string(folder.join("table.txt")).ok();
    Ok(SweepStory { settings, versions, table: load(&folder.join("table.json")), text })
}

/// A JSON file, if it is there, whole, and of such a form.
fn load<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_rated_as_those_of_matches() {
        let rated = |pairs: [u64; 5]| {
            let mut standing = RatedStanding { pairs, ..RatedStanding::default() };
            standing.rate();
            standing
        };
        // 757.5 of 1422 points: 400 log10(0.5327 / 0.4673).
        let even = rated([31, 188, 820, 330, 53]);
        assert!((even.elo.and_then(|elo| elo.value).expect("Elo") - 22.8).abs() < 0.1, "{even:?}");
        assert!(even.los.expect("LOS") > 0.999);
        assert!(rated([0, 0, 0, 0, 9]).elo.expect("Elo").high.is_none(), "JSON has no infinity");
        assert!(rated([0; 5]).elo.is_none());
    }

    #[test]
    fn strengths_of_moves_are_read() {
        let text = "tesuji-gammas 1\nmade-by tesuji 0.1.0\nfrom 3 games of self-play\npass 0.2 1\neye 0.3\npattern 3 0016fea7cce2e2b9 3.05\n";
        let expect = json!({"pass.1": 0.2, "pass.2": 1.0, "eye": 0.3, "pattern.3.0016fea7cce2e2b9": 3.05});
        assert_eq!(strengths(text), Some(expect));
        assert_eq!(strengths("eye 0.3\n"), None);
    }
}
