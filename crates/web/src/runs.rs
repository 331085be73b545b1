//! Learning: runs of `tesuji improve` and logs of `tesuji tune` in the workspace, and new ones as jobs.

pub(crate) mod story;

use crate::{
    App, Problem,
    body::Body,
    jobs::{JobKind, JobView, Wish, by_request},
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
use tesuji_kit::{
    Kit,
    tuning::{TuneRequest, frozen},
};
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

/// Learning that is to begin.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewRun {
    /// The game: one that the command knows.
    game: String,
    /// `improve` (the whole circle) or `tune` (weights from games of the workspace).
    kind: String,
    /// The name that a person gave it.
    title: String,
    /// Weights to start from: `material` (in go `uniform`), `builtin` or a file of the workspace.
    from: String,
    /// improve: time for everything, in seconds.
    seconds: Option<u64>,
    /// improve: rounds.
    rounds: Option<u64>,
    /// improve: games of a round.
    games: Option<u64>,
    /// improve: nodes a move.
    nodes: Option<u64>,
    /// tune: files of games or positions.
    files: Vec<String>,
    /// tune: `adam`, `lbfgs`, `coordinate` or `cma-es`.
    method: String,
    /// tune: which weights are learned; empty: all.
    only: String,
    /// tune: passes over the games.
    epochs: Option<u64>,
    /// Decides all that is random.
    seed: Option<u64>,
}

/// Starts a run.
#[utoipa::path(post, path = "/api/v1/runs", request_body = NewRun,
    responses((status = 201, body = JobView), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Body(wish): Body<NewRun>,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    let kit = app.kit(&wish.game)?;
    let kind = match wish.kind.as_str() {
        "improve" => JobKind::Improve,
        "tune" => JobKind::Tune,
        other => return Err(Problem::unprocessable(format!("{other:?}: expected improve or tune")).at("kind")),
    };
    let from = match wish.from.as_str() {
        "" => "builtin".to_string(),
        word @ ("material" | "uniform" | "builtin") => word.to_string(),
        file => app.jobs.space.name_of(&app.jobs.space.find(file).map_err(|problem| problem.at("from"))?),
    };
    let seed = wish.seed.or(app.seed);
    let usual = || format!("{} {}", kind.word(), kit.name());
    let title = if wish.title.trim().is_empty() { usual() } else { wish.title.trim().into() };
    let (title, game) = (title.chars().take(200).collect(), kit.name());
    let job = match kind {
        JobKind::Improve => {
            let asked = improve_request(game, from, seed, &wish)?;
            let request =
                move |folder: &str| json!(ImproveRequest { out: Some(format!("{folder}/run").into()), ..asked });
            let again = |folder: &str| {
                ["improve", game, "--resume", &format!("{folder}/run"), "--json"].map(str::to_string).into()
            };
            Wish {
                kind,
                title,
                game: Some(game.into()),
                request: Box::new(request),
                words: by_request(&["improve"], &["--json"]),
                again: Some(Box::new(again)),
                makes: Some("run".into()),
            }
        }
        _ => {
            let asked = tune_request(&app, kit, from, seed, &wish)?;
            let request = move |folder: &str| {
                let (out, steps) = (format!("{folder}/{WEIGHTS}").into(), Some(format!("{folder}/{STEPS}").into()));
                json!(LearnRequest::Weights(TuneRequest { out, steps, ..asked }))
            };
            Wish {
                kind,
                title,
                game: Some(game.into()),
                request: Box::new(request),
                words: by_request(&["tune"], &["--json"]),
                again: None,
                makes: Some(STEPS.into()),
            }
        }
    };
    Ok((StatusCode::CREATED, Json(app.jobs.add(job)?)))
}

/// A number of the form that is at least 1, where it is given.
fn count(name: &str, value: Option<u64>) -> Result<Option<u64>, Problem> {
    match value {
        Some(0) => Err(Problem::unprocessable("1 or more").at(name)),
        value => Ok(value),
    }
}

/// The run of `improve` that is asked for, but for its folder.
fn improve_request(game: &str, from: String, seed: Option<u64>, wish: &NewRun) -> Result<ImproveRequest, Problem> {
    let usual = ImproveRequest::default();
    let rounds = count("rounds", wish.rounds)?.map(u32::try_from).transpose();
    let request = ImproveRequest {
        game: game.into(),
        from,
        budget_seconds: wish.seconds.map(|seconds| seconds as f64),
        rounds: rounds.map_err(|_| Problem::unprocessable("these are too many").at("rounds"))?,
        games: count("games", wish.games)?,
        nodes: count("nodes", wish.nodes)?,
        seed: seed.unwrap_or(usual.seed),
        ..usual
    };
    request.validate().map_err(|error| match Problem::of_request(error) {
        problem if problem.place.as_deref() == Some("budget_seconds") => problem.at("seconds"),
        problem => problem,
    })?;
    Ok(request)
}

/// The most passes over the games that are taken.
const EPOCHS_MAX: u32 = 100_000_000;

/// Passes over the games.
fn epochs(asked: Option<u64>) -> Result<Option<u32>, Problem> {
    let read = |epochs: u64| u32::try_from(epochs).ok().filter(|epochs| *epochs <= EPOCHS_MAX);
    let wrong = |epochs: u64| Problem::unprocessable(format!("{epochs}: expected at most {EPOCHS_MAX}")).at("epochs");
    count("epochs", asked)?.map(|epochs| read(epochs).ok_or_else(|| wrong(epochs))).transpose()
}

/// The weights that are to be learned, but for the folder of what is made.
fn tune_request(
    app: &App,
    kit: &dyn Kit,
    from: String,
    seed: Option<u64>,
    wish: &NewRun,
) -> Result<TuneRequest, Problem> {
    let wrong = |field: &str, what: String| Problem::unprocessable(what).at(field);
    if wish.files.is_empty() {
        return Err(wrong("files", "files of games are needed".into()));
    }
    let space = &app.jobs.space;
    let name = |file: &String| space.find(file).map(|path| space.name_of(&path).into());
    let games: Result<Vec<PathBuf>, Problem> = wish.files.iter().map(name).collect();
    let only: Vec<String> = wish.only.split(',').filter(|word| !word.is_empty()).map(str::to_string).collect();
    if let Some(tuning) = kit.tuning() {
        frozen(tuning.terms(), &only, &[]).map_err(|error| wrong("only", error.to_string()))?;
    }
    let usual = TuneRequest::default();
    let request = TuneRequest {
        game: kit.name().into(),
        games: games.map_err(|problem| problem.at("files"))?,
        out: WEIGHTS.into(),
        start: from,
        only,
        method: match wish.method.as_str() {
            "" => usual.method,
            word => word.parse().map_err(|error: String| wrong("method", error))?,
        },
        epochs: epochs(wish.epochs)?.unwrap_or(usual.epochs),
        seed: seed.unwrap_or(usual.seed),
        ..usual
    };
    request.validate().map_err(Problem::of_request)?;
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10^12 epochs were accepted, and the job failed with no more than "try '--help'".
    #[test]
    fn epochs_that_tune_refuses_are_refused_at_once() {
        assert_eq!(epochs(Some(EPOCHS_MAX.into())), Ok(Some(EPOCHS_MAX)));
        assert_eq!(epochs(None), Ok(None));
        for wrong in [0, u64::from(EPOCHS_MAX) + 1, 1_000_000_000_000] {
            let problem = epochs(Some(wrong)).expect_err("refused");
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
