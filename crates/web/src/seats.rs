//! Seats: who searches in a session. A built-in search, an engine of the workspace's `engines.toml`, or a command line.

use crate::{
    App, Problem,
    arena::{EngineChoice, seated},
    option_views::{OptionKind, OptionView},
};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tesuji_arena::{Dialect, EnginePlayer, EngineSpec, Fault};
use tesuji_engine::Player;
use tesuji_jobs::Interrupt;
use tesuji_kit::Kit;
use utoipa::ToSchema;

/// The search family of engines that tell lines: their tree is made of these.
pub(crate) const LINES_FAMILY: &str = "lines";
/// Lines of the engine's output that are told when it does not start.
const TOLD_LINES: usize = 4;

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
        }
    }

    /// The player of the seat, started. Takes as long as an engine takes to greet.
    ///
    /// # Errors
    /// When there is no such search or engine, or it does not start.
    pub(crate) fn take(&self, app: &App, kit: &'static dyn Kit) -> Result<Seated, Problem> {
        let seated = |player, family: &str, name: String| {
            let view = SeatView { kind: self.kind(), name, wanted: self.clone() };
            Seated { player, family: family.to_string(), view }
        };
        if let Seat::Search(family) = self {
            let player = kit.player(family).map_err(|e| Problem::unprocessable(e.to_string()).at("family"))?;
            let best = kit.families().first().copied().unwrap_or_default();
            let family = if family.is_empty() { best } else { family };
            return Ok(seated(player, family, family.to_string()));
        }
        let spec = self.spec(app, kit)?;
        let program = spec.command.display().to_string();
        let player = EnginePlayer::open(spec, kit, &Interrupt::new()).map_err(|fault| not_started(&program, &fault))?;
        let name = player.name().to_string();
        Ok(seated(Box::new(player), LINES_FAMILY, name))
    }

    /// The process of an engine's seat.
    fn spec(&self, app: &App, kit: &'static dyn Kit) -> Result<EngineSpec, Problem> {
        let choice = match self {
            Seat::Engine(name) => EngineChoice::known(name),
            Seat::Command(words) => EngineChoice::command(words),
            Seat::Search(_) => EngineChoice::default(),
        };
        let request = seated(app, kit, &choice).map_err(|problem| problem.at("seat"))?;
        let root = app.jobs.space.root();
        let name = request.name.clone().unwrap_or_default();
        let Some(command) = &request.command else {
            let hint = "Choose a built-in search instead: {\"search\": NAME}.";
            return Err(Problem::unprocessable("this engine is the program itself").hint(hint).at("seat"));
        };
        let dialect = Dialect::of(kit);
        let mut spec = request.spec(&name, dialect, &app.jobs.own()).map_err(Problem::of_request)?;
        spec.name = request.name.clone();
        // What the configuration names by a path is looked for in the workspace, as jobs do that run there.
        if command.contains('/') && Path::new(command).is_relative() {
            spec.command = root.join(command);
        }
        spec.dir = Some(spec.dir.map_or_else(|| root.to_path_buf(), |folder| root.join(folder)));
        if spec.dialect.is_none() && dialect == Dialect::Gtp {
            // Nothing else is spoken there, and an engine that loads a network answers no trial in time.
            spec.dialect = Some(if is_analysis(&spec) { Dialect::Kata } else { dialect });
        }
        Ok(spec)
    }
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
    Problem::unprocessable(format!("{program} does not start as an engine: {}{said}", fault.detail)).at("seat")
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
