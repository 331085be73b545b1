//! Seats: who searches in a session. A built-in search, an engine of the workspace's `engines.toml`, or a command line.

use crate::{
    App, Problem,
    arena::{EngineChoice, seated},
    option_views::{OptionKind, OptionView},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path, sync::mpsc, thread, time::Duration};
use tesuji_arena::{Dialect, EnginePlayer, EngineRequest, EngineSpec, Fault, FaultKind};
use tesuji_engine::Player;
use tesuji_jobs::Interrupt;
use tesuji_kit::Kit;
use utoipa::ToSchema;

/// The search family of engines that tell lines: their tree is made of these.
pub(crate) const LINES_FAMILY: &str = "lines";
/// Lines of the engine's output that are told when it does not start.
const TOLD_LINES: usize = 4;
/// A program that has greeted in no protocol by then is taken for no engine.
const GREETING: Duration = Duration::from_secs(5);

/// Who is to search.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Seat {
    /// A built-in search, by its family; empty: the best one.
    Search(String),
    /// An engine of the configuration, by its name.
    Engine(String),
    /// A command line; only with the token.
    Command(String),
    /// A player of a match that was begun here.
    Player(MatchPlayer),
}

/// A player of a match.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatchPlayer {
    /// The job of the match.
    #[serde(rename = "match")]
    job: u64,
    /// Its name there.
    name: String,
}

/// Where the player of a session comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SeatKind {
    /// A built-in search.
    Search,
    /// An engine of the configuration.
    Engine,
    /// A command line.
    Command,
    /// A player of a match.
    Player,
}

/// Who searches, as others see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct SeatView {
    /// Where it comes from.
    pub(crate) kind: SeatKind,
    /// Its name: the search family, or as the engine calls itself.
    pub(crate) name: String,
    /// What was asked for, to ask for the same again.
    pub(crate) wanted: Seat,
}

/// A player in its seat.
pub(crate) struct Seated {
    pub(crate) player: Box<dyn Player>,
    /// The search family, [`LINES_FAMILY`] of an engine.
    pub(crate) family: String,
    pub(crate) view: SeatView,
    /// Options that belong to the seat, by name.
    pub(crate) options: BTreeMap<String, String>,
}

impl Seat {
    /// The seat of a request, in which a built-in search may stand under `family` alone.
    ///
    /// # Errors
    /// When both are given.
    pub(crate) fn of(seat: Option<Seat>, family: &str) -> Result<Seat, Problem> {
        match seat {
            None => Ok(Seat::Search(family.to_string())),
            Some(seat) if family.is_empty() => Ok(seat),
            Some(_) => Err(Problem::unprocessable("expected family or seat, not both").at("seat")),
        }
    }

    pub(crate) fn kind(&self) -> SeatKind {
        match self {
            Seat::Search(_) => SeatKind::Search,
            Seat::Engine(_) => SeatKind::Engine,
            Seat::Command(_) => SeatKind::Command,
            Seat::Player(_) => SeatKind::Player,
        }
    }

    /// The player of the seat, started. Takes as long as an engine takes to greet.
    ///
    /// # Errors
    /// When there is no such search or engine, or it does not start.
    pub(crate) fn take(&self, app: &App, kit: &'static dyn Kit) -> Result<Seated, Problem> {
        let seated = |player, family: &str, name: String, options| {
            let view = SeatView { kind: self.kind(), name, wanted: self.clone() };
            Seated { player, family: family.to_string(), view, options }
        };
        let built_in =
            |family: &str| kit.player(family).map_err(|e| Problem::unprocessable(e.to_string()).at("family"));
        let best = kit.families().first().copied().unwrap_or_default();
        if let Seat::Search(family) = self {
            let player = built_in(family)?;
            let family = if family.is_empty() { best } else { family };
            return Ok(seated(player, family, family.to_string(), BTreeMap::new()));
        }
        let request = self.request(app, kit)?;
        if let (Seat::Player(of), None) = (self, &request.command) {
            // One of our own: in this process it has a tree of its own.
            let after = |word: &str| request.args.iter().skip_while(|arg| *arg != word).nth(1).cloned();
            let family = after("--search").unwrap_or_else(|| best.to_string());
            let preset = after("--preset").map(|name| ("Preset".to_string(), name));
            let options = preset.into_iter().chain(request.options.iter().cloned()).collect();
            return Ok(seated(built_in(&family)?, &family, of.name.clone(), options));
        }
        let spec = spec(&request, app, kit)?;
        let program = spec.command.display().to_string();
        let player = start(spec, kit).map_err(|fault| not_started(&program, &fault))?;
        let name = player.name().to_string();
        Ok(seated(Box::new(player), LINES_FAMILY, name, BTreeMap::new()))
    }

    /// What a match would be asked for, to have the engine of this seat.
    fn request(&self, app: &App, kit: &'static dyn Kit) -> Result<EngineRequest, Problem> {
        let choice = match self {
            Seat::Engine(name) => EngineChoice::known(name),
            Seat::Command(words) => EngineChoice::command(words),
            Seat::Player(player) => return player_of(app, kit, player),
            Seat::Search(_) => EngineChoice::default(),
        };
        let request = seated(app, kit, &choice).map_err(|problem| problem.at("seat"))?;
        if request.command.is_none() {
            let hint = "Choose a built-in search instead: {\"search\": NAME}.";
            return Err(Problem::unprocessable("this engine is the program itself").hint(hint).at("seat"));
        }
        Ok(request)
    }
}

/// A player of a match as the match was asked for it.
fn player_of(
    app: &App,
    kit: &'static dyn Kit,
    MatchPlayer { job, name }: &MatchPlayer,
) -> Result<EngineRequest, Problem> {
    let (_, memo) = app.jobs.find(*job)?;
    let engines = app.jobs.request(*job)["engines"].take();
    let engines: Vec<EngineRequest> = serde_json::from_value(engines).unwrap_or_default();
    let found = engines.into_iter().find(|engine| engine.name.as_ref() == Some(name));
    let found = found.filter(|_| memo.game.as_deref() == Some(kit.name()));
    found.ok_or_else(|| {
        Problem::not_found(format!("job {job} is no match of {} with a player {name:?}", kit.name())).at("seat")
    })
}

/// The process of an engine.
fn spec(request: &EngineRequest, app: &App, kit: &'static dyn Kit) -> Result<EngineSpec, Problem> {
    let root = app.jobs.space.root();
    let name = request.name.clone().unwrap_or_default();
    let dialect = Dialect::of(kit);
    let mut spec = request.spec(&name, dialect, &app.jobs.own()).map_err(Problem::of_request)?;
    spec.name = request.name.clone();
    // What the configuration names by a path is looked for in the workspace, as jobs do that run there.
    if request.command.as_ref().is_some_and(|command| command.contains('/') && Path::new(command).is_relative()) {
        spec.command = root.join(&spec.command);
    }
    spec.dir = Some(spec.dir.map_or_else(|| root.to_path_buf(), |folder| root.join(folder)));
    if spec.dialect.is_none() && dialect == Dialect::Gtp {
        // Nothing else is spoken there, and an engine that loads a network answers no trial in time.
        spec.dialect = Some(if is_analysis(&spec) { Dialect::Kata } else { dialect });
    }
    Ok(spec)
}

/// Starts an engine. Where its protocol is to be found out, a program that greets in none is given up soon: it is no engine.
fn start(spec: EngineSpec, kit: &'static dyn Kit) -> Result<EnginePlayer, Fault> {
    let (stop, detected) = (Interrupt::new(), spec.detected.clone());
    if spec.dialect.is_some() {
        return EnginePlayer::open(spec, kit, &stop);
    }
    thread::scope(|scope| {
        let (opened, is_open) = mpsc::channel::<()>();
        let late = stop.clone();
        let watch = move || {
            let is_late = is_open.recv_timeout(GREETING) == Err(mpsc::RecvTimeoutError::Timeout);
            if is_late && detected.get().is_none() {
                late.raise();
            }
        };
        // Where the system gives no thread, the usual patience holds.
        let _ = thread::Builder::new().name("greeting".into()).spawn_scoped(scope, watch);
        let player = EnginePlayer::open(spec, kit, &stop);
        drop(opened);
        player.map_err(|fault| match fault.kind {
            FaultKind::Stopped => {
                let seconds = GREETING.as_secs();
                let detail =
                    format!("within {seconds} s it answered in none of the protocols UCI, USI, XBoard and GTP");
                Fault { kind: FaultKind::Start, detail, ..fault }
            }
            _ => fault,
        })
    })
}

/// Whether a command line is that of KataGo's analysis mode: `katago analysis …`.
fn is_analysis(spec: &EngineSpec) -> bool {
    spec.args.first().is_some_and(|word| word == "analysis")
}

/// The problem of an engine that did not start, with what it said last.
fn not_started(program: &str, fault: &Fault) -> Problem {
    let is_blank = |line: &&String| line.trim_start_matches("stderr:").trim().is_empty();
    let lines: Vec<&str> = fault.last_lines.iter().filter(|line| !is_blank(line)).map(String::as_str).collect();
    let lines = &lines[lines.len().saturating_sub(TOLD_LINES)..];
    let said = if lines.is_empty() { String::new() } else { format!("; its last words: {}", lines.join(" | ")) };
    let problem = Problem::unprocessable(format!("{program} does not start as an engine: {}{said}", fault.detail));
    problem.hint("An engine that needs longer to start has a line proto = \"uci\" in engines.toml.").at("seat")
}

/// Refuses options of an engine that are texts where nobody has shown a token: some name files that the engine reads or writes.
///
/// # Errors
/// The first such option.
pub(crate) fn check_texts<'a>(
    views: &[OptionView],
    mut names: impl Iterator<Item = &'a String>,
) -> Result<(), Problem> {
    let is_text = |name: &&String| {
        let same = |view: &&OptionView| tesuji_options::same_name(view.name, name);
        views.iter().find(same).is_some_and(|view| view.kind == OptionKind::Text)
    };
    match names.find(is_text) {
        Some(name) => {
            let hint = "Write it into engines.toml of the workspace, or start `tesuji serve` without --no-token.";
            Err(Problem::forbidden("without a token no text is set in an engine").hint(hint).at(name.as_str()))
        }
        None => Ok(()),
    }
}
