//! Learning: runs of `tesuji improve` and logs of `tesuji tune` in the workspace, and new ones as jobs.

pub(crate) mod story;

use crate::{
    App, Problem,
    body::{Body, check_fields},
    fleet::FleetWish,
    jobs::{JobKind, JobView, Wish},
};
use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};
use tesuji_circle::{LearnRequest, improve::ImproveRequest};
use tesuji_kit::tuning::{TuneRequest, frozen};
use utoipa::ToSchema;

/// Folders below the workspace that are looked into.
const DEPTH: usize = 5;
/// Runs that are listed.
const RUNS_MAX: usize = 500;
/// Files and folders that are looked at.
const LOOKED_MAX: usize = 50_000;
/// The head of the CSV that `tesuji tune --steps` writes.
const STEPS_HEAD: &str = "run,epoch,train_loss,validation_loss";
/// What `tune` makes in the folder of its job: the weights, and its steps.
const WEIGHTS: &str = "weights.json";
const STEPS: &str = "steps.csv";

/// The files of a run of learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RunKind {
    /// The folder of `tesuji improve`.
    Improve,
    /// A CSV of `tesuji tune --steps`.
    Steps,
    /// A log in GreKo's words.
    Greko,
    /// The log of `tesuji train`.
    Net,
    /// The folder of `tesuji tune --sweep`.
    Sweep,
}

impl RunKind {
    /// Whether a run of this kind is a folder, not a file.
    fn is_folder(self) -> bool {
        matches!(self, RunKind::Improve | RunKind::Sweep)
    }
}

/// A run of learning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Run {
    /// Its folder or file as called from the workspace.
    path: String,
    /// Its files.
    kind: RunKind,
    /// When it changed last, in seconds since 1970.
    changed: u64,
}

/// Lists the runs of the workspace, the newest first.
#[utoipa::path(get, path = "/api/v1/runs", responses((status = 200, body = Vec<Run>)))]
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Vec<Run>>, Problem> {
    let work = app.work.clone();
    let looked = work.run(move |_| {
        let mut runs = Vec::new();
        each_file(app.jobs.space.root(), &mut |path| {
            if let Some(kind) = kind_of(path) {
                let path = if kind.is_folder() { path.parent().unwrap_or(path) } else { path };
                runs.push(Run { path: app.jobs.space.name_of(path), kind, changed: changed(path) });
            }
        });
        runs.sort_by_key(|run| std::cmp::Reverse(run.changed));
        runs.truncate(RUNS_MAX);
        Ok(runs)
    });
    looked.await.map(Json)
}

/// When a file changed last, in seconds since 1970.
pub(crate) fn changed(path: &Path) -> u64 {
    let time = fs::metadata(path).and_then(|data| data.modified()).ok();
    time.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0, |d| d.as_secs())
}

/// Calls `f` with each file of the workspace, but not of what tools keep for themselves. Links are passed by.
pub(crate) fn each_file(root: &Path, f: &mut dyn FnMut(&Path)) {
    let mut waiting: Vec<(PathBuf, usize)> = vec![(root.to_path_buf(), 0)];
    let mut looked = 0;
    while let Some((folder, depth)) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            looked += 1;
            if looked > LOOKED_MAX {
                return;
            }
            let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
            let name = name.to_string_lossy();
            let is_foreign = ["target", "node_modules", "removed"].contains(&&*name);
            let is_hidden = name.starts_with('.') && name != ".tesuji";
            if kind.is_dir() && depth < DEPTH && !is_foreign && !is_hidden {
                waiting.push((entry.path(), depth + 1));
            } else if kind.is_file() {
                f(&entry.path());
            }
        }
    }
}

/// The kind of run that a file belongs to.
fn kind_of(path: &Path) -> Option<RunKind> {
    let name = path.file_name()?.to_str()?;
    let head = || {
        let mut bytes = Vec::new();
        fs::File::open(path).ok()?.take(200).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    match name.rsplit_once('.')?.1 {
        "json" if name == "improve.json" => Some(RunKind::Improve),
        "toml" if name == "sweep.toml" => Some(RunKind::Sweep),
        "log" if is_net(&head()?) => Some(RunKind::Net),
        "csv" if head()?.starts_with(STEPS_HEAD) => Some(RunKind::Steps),
        "log" | "txt" if is_greko(&head()?) => Some(RunKind::Greko),
        _ => None,
    }
}

/// Whether a log begins as GreKo's do: `0 0.139602240177 0.140008376153 2016-07-21 17:01:16`, perhaps after other lines.
fn is_greko(text: &str) -> bool {
    text.lines().take(4).any(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        matches!(words.as_slice(), [n, train, held, day, ..] if n.parse::<u32>().is_ok() && train.parse::<f64>().is_ok()
            && held.parse::<f64>().is_ok() && day.len() == 10 && day.matches('-').count() == 2)
    })
}

/// Whether a log begins as those of `tesuji train` do: JSON with `what` and `policy`.
fn is_net(text: &str) -> bool {
    text.starts_with("{\"what\":\"") && text.lines().next().is_some_and(|line| line.contains("\"policy\":"))
}

/// Learning that is to begin: a request, and a title, which is no part of the work.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRun {
    /// The name that a person gave it.
    #[serde(default)]
    title: String,
    /// The request, under the name of its command.
    request: RunRequest,
    /// Where its games are played; none: on this machine.
    #[serde(default)]
    fleet: Option<FleetWish>,
}

/// The work of a run. Its files are the job's own, and all others are files of the workspace.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunRequest {
    /// The training loop, in the form that `tesuji improve --request` takes.
    Improve(Box<ImproveRequest>),
    /// Weights from games, in the form that `tesuji tune --request` takes, without `learn`.
    Tune(Box<TuneRequest>),
}

/// The fields of requests that the page may set.
const OF_IMPROVE: [&str; 15] = [
    "version",
    "game",
    "from",
    "search",
    "net",
    "budget_seconds",
    "rounds",
    "games",
    "pairs",
    "nodes",
    "rules",
    "result_share",
    "confirm",
    "seed",
    "device",
];
const OF_TUNE: [&str; 25] = [
    "version",
    "game",
    "weight_set",
    "leaf",
    "games",
    "start",
    "only",
    "freeze",
    "method",
    "epochs",
    "patience",
    "restarts",
    "shake_cp",
    "bootstrap",
    "lambda_plies",
    "result_share",
    "loss",
    "rate_cp",
    "batch",
    "pull_rows",
    "l2_rows",
    "k",
    "held_out",
    "seed",
    "skip_errors",
];

/// Starts a run.
#[utoipa::path(post, path = "/api/v1/runs", request_body = NewRun,
    responses((status = 201, body = JobView), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Body(wish): Body<NewRun>,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    let mut job = match wish.request {
        RunRequest::Improve(asked) => improve(&app, *asked)?,
        RunRequest::Tune(_) if wish.fleet.is_some() => {
            let problem = Problem::unprocessable("weights are learned from games on this machine: it has the files");
            return Err(problem.at("fleet"));
        }
        RunRequest::Tune(asked) => tune(&app, *asked)?,
    };
    job.fleet = app.fleet.words(wish.fleet.as_ref())?;
    if !wish.title.trim().is_empty() {
        job.title = wish.title.trim().chars().take(200).collect();
    }
    Ok((StatusCode::CREATED, Json(app.jobs.add(job)?)))
}

/// Weights to start from: a word that learners know, or a file of the workspace.
fn start_of(app: &App, from: String, field: &str) -> Result<String, Problem> {
    match from.as_str() {
        "" => Ok("builtin".into()),
        "material" | "uniform" | "builtin" => Ok(from),
        file => Ok(app.jobs.space.name_of(&app.jobs.space.find(file).map_err(|problem| problem.at(field))?)),
    }
}

/// The seed of a request; one that says nothing has the server's.
fn seed_of(app: &App, asked: u64, usual: u64) -> u64 {
    if asked == usual { app.seed.unwrap_or(usual) } else { asked }
}

/// The job of a run of `improve`.
fn improve(app: &App, asked: ImproveRequest) -> Result<Wish, Problem> {
    let usual = ImproveRequest::default();
    check_fields(&asked, &usual, &OF_IMPROVE)?;
    let game = app.kit(&asked.game)?.name();
    let counts = [("rounds", asked.rounds.map(u64::from)), ("games", asked.games), ("nodes", asked.nodes)];
    check_counts(&counts)?;
    let from = start_of(app, asked.from, "from")?;
    let asked = ImproveRequest { game: game.into(), from, seed: seed_of(app, asked.seed, usual.seed), ..asked };
    asked.validate().map_err(Problem::of_request)?;
    let run = |folder: &str| Some(format!("{folder}/run").into());
    let again = move |folder: &str| {
        json!(ImproveRequest { game: game.into(), resume: run(folder), ..ImproveRequest::default() })
    };
    Ok(Wish {
        kind: JobKind::Improve,
        title: format!("improve {game}"),
        game: Some(game.into()),
        command: &["improve"],
        shown: &["--json"],
        fleet: Vec::new(),
        request: Box::new(move |folder| json!(ImproveRequest { out: run(folder), ..asked })),
        again: Some(Box::new(again)),
        makes: Some("run".into()),
    })
}

/// Refuses counts of 0, which nothing can be done with.
fn check_counts(counts: &[(&str, Option<u64>)]) -> Result<(), Problem> {
    match counts.iter().find(|(_, count)| *count == Some(0)) {
        Some((name, _)) => Err(Problem::unprocessable("1 or more").at(*name)),
        None => Ok(()),
    }
}

/// The most passes over the games that are taken.
const EPOCHS_MAX: u32 = 100_000_000;

/// Refuses a number of passes over the games that `tune` does not take.
fn check_epochs(epochs: u32) -> Result<(), Problem> {
    match epochs {
        0 => Err(Problem::unprocessable("1 or more").at("epochs")),
        1..=EPOCHS_MAX => Ok(()),
        _ => Err(Problem::unprocessable(format!("{epochs}: expected at most {EPOCHS_MAX}")).at("epochs")),
    }
}

/// The job that learns weights from games.
fn tune(app: &App, asked: TuneRequest) -> Result<Wish, Problem> {
    let usual = TuneRequest::default();
    check_fields(&asked, &usual, &OF_TUNE)?;
    let kit = app.kit(&asked.game)?;
    let game = kit.name();
    if asked.games.is_empty() {
        return Err(Problem::unprocessable("files of games are needed").at("games"));
    }
    check_epochs(asked.epochs)?;
    let space = &app.jobs.space;
    let name = |file: &PathBuf| space.find(&file.to_string_lossy()).map(|path| space.name_of(&path).into());
    let games: Result<Vec<PathBuf>, Problem> = asked.games.iter().map(name).collect();
    if let Some(tuning) = kit.tuning() {
        frozen(tuning.terms(), &asked.only, &asked.freeze)
            .map_err(|error| Problem::unprocessable(error.to_string()).at("only"))?;
    }
    let asked = TuneRequest {
        game: game.into(),
        games: games.map_err(|problem| problem.at("games"))?,
        out: WEIGHTS.into(),
        start: start_of(app, asked.start, "start")?,
        seed: seed_of(app, asked.seed, usual.seed),
        ..asked
    };
    asked.validate().map_err(Problem::of_request)?;
    let request = move |folder: &str| {
        let (out, steps) = (format!("{folder}/{WEIGHTS}").into(), Some(format!("{folder}/{STEPS}").into()));
        json!(LearnRequest::Weights(TuneRequest { out, steps, ..asked }))
    };
    Ok(Wish {
        kind: JobKind::Tune,
        title: format!("tune {game}"),
        game: Some(game.into()),
        command: &["tune"],
        shown: &["--json"],
        fleet: Vec::new(),
        request: Box::new(request),
        again: None,
        makes: Some(STEPS.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10^12 epochs were accepted, and the job failed with no more than "try '--help'".
    #[test]
    fn epochs_that_tune_refuses_are_refused_at_once() {
        assert_eq!(check_epochs(EPOCHS_MAX), Ok(()));
        for wrong in [0, EPOCHS_MAX + 1] {
            let problem = check_epochs(wrong).expect_err("refused");
            assert_eq!((problem.status, problem.place.as_deref()), (422, Some("epochs")), "{wrong}");
        }
    }

    #[test]
    fn logs_are_known_by_their_heads() {
        assert!(is_greko("0 0.139602240177 0.140008376153 2016-07-21 17:01:16\n"));
        assert!(is_greko("a word before\n3 0.1 0.2 2026-01-01 00:00:00 [1.7] -20\n"));
        assert!(is_net("{\"what\":\"training\",\"step\":70,\"loss\":2.6,\"policy\":2.2}\n{"));
        assert!(!is_net("{\"what\":\"game\"}\n{\"policy\":1}") && !is_net(""));
        assert!(!is_greko("1 2 3 4") && !is_greko("") && !is_greko("x 0.1 0.2 2016-07-21"));
    }
}
