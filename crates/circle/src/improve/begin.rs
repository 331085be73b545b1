//! The start of a run of `improve`: a folder with the request, the settings made of it and the start weights.

use super::{
    ImproveRequest, ImproveSettings, Learner,
    request::NNUE,
    state::{load, save},
};
use crate::{CircleError, start_positions};
use std::{
    fmt::Display,
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};
use tesuji_dataset::data::Stock;
use tesuji_jobs::{AtomicFile, Existing, check_output, lock_folder, threads};
use tesuji_kit::{Kit, RequestError};
use tesuji_options::presets_first;

/// Random plies of games that begin with positions of a file: these come again, and a little chance keeps their games apart.
const RANDOM_PLIES_OF_STARTS: u32 = 2;
/// The file of the request in the folder of a run.
const REQUEST_FILE: &str = "request.json";

/// A run that can be carried out.
///
/// # Examples
///
/// ```
/// use tesuji_circle::improve::{ImproveRequest, Run, WeightsLearner};
/// use tesuji_four::{FOUR, TUNING};
/// let folder = tempfile::tempdir()?;
/// let out = Some(folder.path().join("run"));
/// let request = ImproveRequest { game: "four".into(), games: Some(10), pairs: Some(4), out, ..ImproveRequest::default() };
/// let begun = Run::begin(&FOUR, &WeightsLearner(&TUNING), &request, "example 1.0")?;
/// // Another run is not begun there, but this one can go on, and its verdict be confirmed.
/// assert!(Run::begin(&FOUR, &WeightsLearner(&TUNING), &request, "example 1.0").is_err());
/// let reopened = Run::reopen(&begun.folder, true)?;
/// assert!(reopened.settings.confirm && !begun.settings.confirm);
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its folder.
    pub folder: PathBuf,
    /// Its settings, which are in the folder.
    pub settings: ImproveSettings,
}

impl Run {
    /// Begins a run: its folder then holds the request, the settings and the start weights. `made_by` is the program with its
    /// version.
    ///
    /// # Errors
    /// The first field of the request that cannot be meant, or what cannot be read or written.
    pub fn begin(
        kit: &dyn Kit,
        learner: &dyn Learner,
        request: &ImproveRequest,
        made_by: &str,
    ) -> Result<Run, RequestError> {
        request.validate()?;
        let settings = settings(kit, learner, request, made_by)?;
        let folder = request.out.clone().unwrap_or_else(|| free_folder(kit.name()));
        let check_free = || match folder.join("improve.json").exists() {
            true => Err(RequestError::failed(format!(
                "{} holds a run already; go on with --resume {0}, or choose another --out",
                folder.display()
            ))),
            false => Ok(()),
        };
        check_free()?;
        let [first, last] = ["start", "weights"].map(|name| format!("{name}.{}", learner.ending()));
        for path in [first.as_str(), &last, "report.html", "verdict.json"].map(|name| folder.join(name)) {
            if path.exists() {
                check_output(&path, Existing::Refuse)?;
            }
        }
        let start = learner.start(request, &settings)?;
        std::fs::create_dir_all(&folder)
            .map_err(|error| at(format_args!("{}: cannot make the folder", folder.display()), error))?;
        let _alone = alone(&folder).map_err(RequestError::failed)?;
        // Another process may have begun here since.
        check_free()?;
        let path = folder.join(format!("start.{}", learner.ending()));
        AtomicFile::write(&path, &start).map_err(|error| at(path.display(), error))?;
        learner.check_start(kit, &path, &settings).map_err(|error| at(&request.from, error))?;
        save(&folder.join(REQUEST_FILE), request).map_err(RequestError::failed)?;
        settings.save(&folder).map_err(RequestError::failed)?;
        Ok(Run { folder, settings })
    }

    /// The run in `folder`, to go on with it; with `confirm` its verdict is to be confirmed.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn reopen(folder: &Path, confirm: bool) -> Result<Run, RequestError> {
        let Some(mut settings) = ImproveSettings::load(folder).map_err(RequestError::failed)? else {
            return Err(RequestError::failed(format!("{}: no run of improve is there", folder.display())));
        };
        if confirm && !settings.confirm {
            settings.confirm = true;
            settings.save(folder).map_err(RequestError::failed)?;
        }
        Ok(Run { folder: folder.to_path_buf(), settings })
    }

    /// The run with another number of threads, which its folder then holds; 0: as it has them.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn with_jobs(mut self, jobs: usize) -> Result<Run, RequestError> {
        if jobs > 0 && jobs != self.settings.jobs {
            self.settings.jobs = jobs;
            self.settings.save(&self.folder).map_err(RequestError::failed)?;
        }
        Ok(self)
    }

    /// The positions that games begin with, where they come from a file.
    ///
    /// # Errors
    /// When it cannot be read, or holds no positions.
    pub fn starts(&self, kit: &dyn Kit) -> Result<Option<Arc<Stock>>, RequestError> {
        self.settings.starts.as_deref().map(|path| start_positions(kit, path)).transpose()
    }
}

impl ImproveRequest {
    /// The request with the game of the run that it goes on with, where it names none.
    ///
    /// # Errors
    /// When there is no such run, or it is one of another game.
    ///
    /// # Examples
    ///
    /// ```
    /// use tesuji_circle::improve::{ImproveRequest, Run, WeightsLearner};
    /// use tesuji_four::{FOUR, TUNING};
    /// let folder = tempfile::tempdir()?;
    /// let out = Some(folder.path().join("run"));
    /// let request = ImproveRequest { game: "four".into(), games: Some(10), pairs: Some(4), out, ..ImproveRequest::default() };
    /// let resume = Some(Run::begin(&FOUR, &WeightsLearner(&TUNING), &request, "example 1.0")?.folder);
    /// let again = ImproveRequest { resume, ..ImproveRequest::default() };
    /// assert_eq!(again.clone().with_game_of_run()?.game, "four");
    /// let other = ImproveRequest { game: "chess".into(), ..again };
    /// assert!(other.with_game_of_run().unwrap_err().to_string().ends_with("run: this is a run of four, not of chess"));
    /// # Ok::<(), tesuji_kit::RequestError>(())
    /// ```
    pub fn with_game_of_run(mut self) -> Result<ImproveRequest, RequestError> {
        let Some(folder) = &self.resume else { return Ok(self) };
        let wrong = |words: String| Err(at(folder.display(), words));
        // What cannot be read says nothing about the game.
        let begun = load::<ImproveRequest>(&folder.join(REQUEST_FILE)).ok().flatten();
        match begun.map(|begun| begun.game) {
            Some(game) if self.game.is_empty() => self.game = game,
            Some(game) if game != self.game => return wrong(format!("this is a run of {game}, not of {}", self.game)),
            None if self.game.is_empty() && folder.join("improve.json").exists() => {
                return wrong("this run does not say its game; name it as well".into());
            }
            None if self.game.is_empty() => return wrong("no run of improve is there".into()),
            _ => {}
        }
        Ok(self)
    }
}

/// Takes the folder of a run for this process alone, until the file is dropped.
///
/// # Errors
/// When another process runs there.
pub(super) fn alone(folder: &Path) -> Result<File, CircleError> {
    let held = lock_folder(folder).map_err(|error| CircleError::file(folder, error))?;
    held.ok_or_else(|| CircleError::Mismatch {
        path: folder.display().to_string(),
        reason: "another process runs improve in this folder; wait for its end, or choose another --out".into(),
    })
}

/// The kind of evaluation that a run learns.
///
/// # Examples
///
/// ```
/// use tesuji_circle::improve::Learns;
/// assert_eq!([None, Some("mcts"), Some("nnue")].map(Learns::asked), [Learns::HandMade, Learns::Network, Learns::Nnue]);
/// let folder = tempfile::tempdir()?;
/// assert_eq!(Learns::of_run(folder.path()), Learns::HandMade);
/// std::fs::write(folder.path().join("start.safetensors"), "")?;
/// assert_eq!(Learns::of_run(folder.path()), Learns::Network);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learns {
    /// The hand-made evaluation, or what else the game learns by itself.
    HandMade,
    /// A policy and value network, which plays by Monte-Carlo tree search.
    Network,
    /// An efficiently updatable network, which plays by alpha-beta.
    Nnue,
}

impl Learns {
    /// What a request for a run asks for by its `search`.
    pub fn asked(search: Option<&str>) -> Learns {
        match search {
            Some(NNUE) => Learns::Nnue,
            Some(_) => Learns::Network,
            None => Learns::HandMade,
        }
    }

    /// What the run in `folder` learns.
    pub fn of_run(folder: &Path) -> Learns {
        let begins = |ending: &str| folder.join(format!("start.{ending}")).exists();
        match (begins("nnue"), begins("safetensors")) {
            (true, _) => Learns::Nnue,
            (_, true) => Learns::Network,
            _ => Learns::HandMade,
        }
    }
}

/// An error with its place before it.
pub(super) fn at(place: impl Display, error: impl Display) -> RequestError {
    RequestError::failed(format_args!("{place}: {error}"))
}

/// The settings of a new run.
fn settings(
    kit: &dyn Kit,
    learner: &dyn Learner,
    request: &ImproveRequest,
    made_by: &str,
) -> Result<ImproveSettings, RequestError> {
    let usual = learner.usual();
    let rules = full_rules(kit, request.rules.as_deref().unwrap_or(usual.rules))?;
    let options = options(kit, learner, request)?;
    learner.check_options(&rules, &options)?;
    Ok(ImproveSettings {
        made_by: made_by.to_string(),
        from: learner.start_name(&request.from).to_string(),
        rounds: request.rounds(),
        budget: request.budget(),
        games: request.games,
        pairs: request.pairs,
        nodes: request.nodes.unwrap_or(usual.nodes),
        rules,
        options,
        net: request.net.clone(),
        sprt: usual.sprt,
        random_plies: if request.starts.is_some() { RANDOM_PLIES_OF_STARTS } else { usual.random_plies },
        starts: request.starts.clone(),
        result_share: request.result_share.unwrap_or(usual.result_share),
        engine: request.engine.clone(),
        confirm: request.confirm,
        seed: request.seed,
        jobs: threads(request.jobs),
    })
}

/// Rules in full, which a table of the game can be made of.
///
/// # Errors
/// When they are no rules of the game.
pub(crate) fn full_rules(kit: &dyn Kit, rules: &str) -> Result<String, RequestError> {
    let full = kit.full_rules(rules).map_err(|error| RequestError::value("rules", format_args!("{rules:?}"), error))?;
    kit.table(&full, None).map_err(|error| RequestError::value("rules", &full, error))?;
    Ok(full)
}

/// The options of the players: those of the learner, then those that are asked for, presets first.
fn options(
    kit: &dyn Kit,
    learner: &dyn Learner,
    request: &ImproveRequest,
) -> Result<Vec<(String, String)>, RequestError> {
    let mut player = kit.player(learner.family()).map_err(RequestError::failed)?;
    let mut options = learner.options(&request.from);
    let mut asked = request.options.clone();
    presets_first(&mut asked, |(name, _)| name);
    for (name, value) in asked {
        player.options().set(&name, &value).map_err(RequestError::failed)?;
        options.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
        options.push((name, value));
    }
    Ok(options)
}

/// The first of `runs/improve-GAME-1`, `-2`, … that is free.
fn free_folder(game: &str) -> PathBuf {
    (1u32..).map(|n| Path::new("runs").join(format!("improve-{game}-{n}"))).find(|p| !p.exists()).unwrap_or_default()
}
