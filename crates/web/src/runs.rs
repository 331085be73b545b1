//! Learning: runs of `tesuji improve` and logs of `tesuji tune` in the workspace, and new ones as jobs.

use crate::{
    App, Problem,
    body::Body,
    jobs::{JobKind, JobView, Wish, by_request},
};
use axum::{
    Json,
    extract::{Query, State},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};
use tesuji_circle::improve::ImproveRequest;
use tesuji_stats::Pairs;
use utoipa::{IntoParams, ToSchema};

/// Folders below the workspace that are looked into.
const DEPTH: usize = 5;
/// Runs that are listed.
const RUNS_MAX: usize = 500;
/// Files and folders that are looked at.
const LOOKED_MAX: usize = 50_000;
/// Bytes of a log that are read.
const LOG_MAX: u64 = 32 << 20;
/// The head of the CSV that `tesuji tune --steps` writes.
const STEPS_HEAD: &str = "run,epoch,train_loss,validation_loss";
/// The head of a file of strengths of moves in go.
const GAMMAS_HEAD: &str = "tesuji-gammas ";

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

/// Which run.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct RunWish {
    /// Its folder or file as called from the workspace.
    path: String,
}

/// All that a run has written down: for `improve` its settings, rounds with losses and weights, and verdict; for logs the text.
#[utoipa::path(get, path = "/api/v1/runs/story", params(RunWish),
    responses((status = 200, body = Object), (status = "4XX", body = Problem)))]
pub(crate) async fn story(State(app): State<Arc<App>>, Query(wish): Query<RunWish>) -> Result<Json<Value>, Problem> {
    let path = app.jobs.space.find(&wish.path)?;
    let told = app.work.run(move |_| match path.is_dir() {
        true if path.join("sweep.toml").is_file() => sweep(&path),
        true => improve(&path),
        false => log(&path),
    });
    told.await.map(Json)
}

fn log(path: &Path) -> Result<Value, Problem> {
    let kind = kind_of(path).filter(|kind| !kind.is_folder());
    let kind = kind.ok_or_else(|| Problem::unprocessable("this is no log of learning").at("path"))?;
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(LOG_MAX).read_to_end(&mut bytes));
    read.map_err(|error| Problem::internal(error.to_string()))?;
    // The weights that `tesuji tune --json` printed beside it.
    let report = path.parent().and_then(|folder| load(&folder.join("out.txt")));
    Ok(json!({ "kind": kind, "text": String::from_utf8_lossy(&bytes), "report": report }))
}

fn improve(folder: &Path) -> Result<Value, Problem> {
    let settings = load(&folder.join("improve.json"));
    let settings = settings.ok_or_else(|| Problem::unprocessable("this is no folder of a run").at("path"))?;
    let mut rounds = Vec::new();
    for number in 1.. {
        let of_round = folder.join(format!("round-{number}"));
        let Some(mut round) = load(&of_round.join("round.json")) else { break };
        rate(&mut round["standing"]);
        let (losses, weights) = (load(&of_round.join("losses.json")), weights(&of_round, "weights"));
        rounds.push(json!({ "round": round, "losses": losses, "weights": weights }));
    }
    let mut verdict = load(&folder.join("verdict.json"));
    for part in ["standing", "confirmed"] {
        verdict.as_mut().and_then(|verdict| verdict.get_mut(part)).map(rate);
    }
    Ok(json!({
        "kind": RunKind::Improve, "settings": settings, "start": weights(folder, "start"), "rounds": rounds,
        "weights": weights(folder, "weights"), "verdict": verdict,
        "seconds": load(&folder.join("spent.json")),
    }))
}

/// Adds to the pairs of a standing what they say: Elo with its 95 % interval, whose infinite ends are `null`, and LOS.
fn rate(standing: &mut Value) {
    let pairs = standing.get("pairs").and_then(|pairs| serde_json::from_value(pairs.clone()).ok());
    if let Some(pairs) = pairs.map(Pairs) {
        let elo = pairs.elo().map(|elo| json!({ "value": elo.value, "low": elo.low, "high": elo.high }));
        (standing["elo"], standing["los"]) = (json!(elo), json!(pairs.los()));
    }
}

/// The weights of a run in its folder: terms of an evaluation, or strengths of moves in go.
fn weights(folder: &Path, name: &str) -> Option<Value> {
    let terms = load(&folder.join(format!("{name}.json"))).and_then(|weights| weights.get("terms").cloned());
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
fn sweep(folder: &Path) -> Result<Value, Problem> {
    let broken = |error: std::io::Error| Problem::internal(error.to_string());
    let settings = fs::read_to_string(folder.join("sweep.toml")).map_err(broken)?;
    let mut versions = Vec::new();
    for entry in fs::read_dir(folder).map_err(broken)?.flatten().take(LOOKED_MAX) {
        let of_version = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if !of_version.is_dir() || !name.chars().all(|c| c.is_ascii_uppercase()) {
            continue;
        }
        let pairs = (1..).map_while(|n| fs::read_to_string(of_version.join(format!("pairs-{n}.txt"))).ok());
        let pairs: Vec<usize> = pairs.map(|text| text.lines().count()).collect();
        versions.push(json!({ "version": name, "learned": of_version.join("weights.json").exists(), "pairs": pairs }));
    }
    versions.sort_by_key(|version| {
        let name = version["version"].as_str().unwrap_or_default().to_string();
        (name.len(), name)
    });
    let text = fs::read_to_string(folder.join("table.txt")).ok();
    let table = load(&folder.join("table.json"));
    Ok(json!({ "kind": RunKind::Sweep, "settings": settings, "versions": versions, "table": table, "text": text }))
}

/// A JSON file, if it is there and whole.
fn load(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
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
                request: Some(Box::new(request)),
                words: by_request(&["improve"], &["--json"]),
                again: Some(Box::new(again)),
                makes: Some("run".into()),
            }
        }
        _ => {
            let mut words = tune_words(&app, game, from, seed, &wish)?;
            let words = move |folder: &str| {
                let made = [("--out", "weights.json"), ("--steps", "steps.csv")];
                words.extend(made.iter().flat_map(|(option, name)| [option.to_string(), format!("{folder}/{name}")]));
                words
            };
            let makes = Some("steps.csv".into());
            Wish { kind, title, game: Some(game.into()), request: None, words: Box::new(words), again: None, makes }
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

/// The most passes over the games that `tune` takes.
const EPOCHS_MAX: u64 = 100_000_000;

/// Passes over the games, which the command line of `tune` takes.
fn epochs(asked: Option<u64>) -> Result<Option<u64>, Problem> {
    match count("epochs", asked)? {
        Some(epochs) if epochs > EPOCHS_MAX => {
            Err(Problem::unprocessable(format!("{epochs}: expected at most {EPOCHS_MAX}")).at("epochs"))
        }
        epochs => Ok(epochs),
    }
}

/// The command line of `tune` that is asked for, but for what it makes.
fn tune_words(app: &App, game: &str, from: String, seed: Option<u64>, wish: &NewRun) -> Result<Vec<String>, Problem> {
    let mut words = vec!["tune".to_string(), game.to_string()];
    let mut add = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    add("start", from);
    if wish.files.is_empty() {
        return Err(Problem::unprocessable("files of games are needed").at("files"));
    }
    for file in &wish.files {
        add("games", app.jobs.space.name_of(&app.jobs.space.find(file).map_err(|problem| problem.at("files"))?));
    }
    for (name, value) in [("method", &wish.method), ("only", &wish.only)] {
        match value.as_str() {
            "" => {}
            word if word.starts_with('-') => return Err(Problem::unprocessable(format!("{word:?}")).at(name)),
            word => add(name, word.to_string()),
        }
    }
    epochs(wish.epochs)?.into_iter().for_each(|epochs| add("epochs", epochs.to_string()));
    seed.into_iter().for_each(|seed| add("seed", seed.to_string()));
    words.push("--json".into());
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10^12 epochs were accepted, and the job failed with no more than "try '--help'".
    #[test]
    fn epochs_that_tune_refuses_are_refused_at_once() {
        assert_eq!(epochs(Some(EPOCHS_MAX)), Ok(Some(EPOCHS_MAX)));
        assert_eq!(epochs(None), Ok(None));
        for wrong in [0, EPOCHS_MAX + 1, 1_000_000_000_000] {
            let problem = epochs(Some(wrong)).expect_err("refused");
            assert_eq!((problem.status, problem.place.as_deref()), (422, Some("epochs")), "{wrong}");
        }
    }

    #[test]
    fn pairs_are_rated_as_those_of_matches() {
        let rated = |pairs: [u64; 5]| {
            let mut standing = json!({ "pairs": pairs });
            rate(&mut standing);
            standing
        };
        // 757.5 of 1422 points: 400 log10(0.5327 / 0.4673).
        let even = rated([31, 188, 820, 330, 53]);
        assert!((even["elo"]["value"].as_f64().expect("Elo") - 22.8).abs() < 0.1, "{even}");
        assert!(even["los"].as_f64().expect("LOS") > 0.999);
        assert!(rated([0, 0, 0, 0, 9])["elo"]["high"].is_null(), "JSON has no infinity");
        assert!(rated([0; 5])["elo"].is_null());
        let mut nothing = Value::Null;
        rate(&mut nothing);
        assert!(nothing.is_null());
    }

    #[test]
    fn strengths_of_moves_are_read() {
        let text = "tesuji-gammas 1\nmade-by tesuji 0.1.0\nfrom 3 games of self-play\npass 0.2 1\neye 0.3\npattern 3 0016fea7cce2e2b9 3.05\n";
        let expect = json!({"pass.1": 0.2, "pass.2": 1.0, "eye": 0.3, "pattern.3.0016fea7cce2e2b9": 3.05});
        assert_eq!(strengths(text), Some(expect));
        assert_eq!(strengths("eye 0.3\n"), None);
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
