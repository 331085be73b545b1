//! Carries out a request for self-play: its files, its seed, its games, and what is written from them.

mod derived;
mod followers;
mod networks;
mod outputs;
mod request;
mod shuffled;

pub use request::{NetworkGames, PliesMax, RootNoise, SelfplayRequest};

use crate::{
    BatchedPlayed, CircleError, DropRules, Duelist, Openings, Played, SelfplayPlan, Setup, Shuffled,
    duelist::{by_content, engine_identity},
    export, origin_of,
    selfplay::{Listeners, selfplay_followed},
    start_positions,
};
use anyhow::{Context, bail};
use derived::{searched, write_positions};
use followers::{Followers, grows};
use outputs::{Known, Outputs};
use std::{
    cell::RefCell,
    io::ErrorKind,
    path::{Path, PathBuf},
};
use tesuji_arena::{
    Adjudication, Allowance, Conditions, Contestant, Dialect, Engine, Opening, OwnProgram, built_in_openings,
    fresh_seed, read_openings,
};
use tesuji_dataset::data::Format;
use tesuji_game::Side;
use tesuji_jobs::{Existing, Interrupt, check_output, named_by_content, threads, units::SharedCarrier};
use tesuji_kit::{Games, Kit, RequestError, check_packed_output, check_plain_output, settings};
use tesuji_record::unpacked_name;

/// Random plies of games without a book.
const RANDOM_PLIES: u32 = 8;
/// Nodes a move, and the longest game, where nothing else is said.
const NODES: u64 = 2000;
const PLIES_MAX: u32 = 300;
/// The hard limit of nodes as a multiple of the soft one, where only that is given.
const HARD_FACTOR: u64 = 10;
/// The most threads for each core: more play no faster, and each has engines of its own.
const THREADS_EACH: usize = 4;
/// The name in place of a file for the built-in openings.
const BUILT_IN: &str = "built-in";

/// The environment of self-play: what does not change its games.
pub struct SelfplayRun<'a> {
    /// The games that there are, for errors of those that lack something.
    pub games: Games,
    /// This program, for its version, and for opponents that are its own engines.
    pub own: &'a OwnProgram,
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
    /// Reaches workers that play in place of threads.
    pub fleet: Option<SharedCarrier>,
    /// Is told what happens.
    pub news: &'a mut dyn FnMut(SelfplayNews<'_>),
}

/// Progress on the way.
#[derive(Debug, Clone, Copy)]
pub enum SelfplayNews<'a> {
    /// More threads were asked for than this machine can use.
    ThreadsCapped {
        /// The request as given.
        asked: usize,
        /// The number of threads used.
        used: usize,
        /// This many for each core.
        each: usize,
    },
    /// Games will be the same: there are fewer openings than games, and nothing else differs.
    FewOpenings {
        /// Openings.
        openings: usize,
        /// Games.
        games: u64,
    },
    /// Something is wrong with the engine, in a line.
    Warning(&'a str),
    /// Games have been played, all but what audits found of networks alone.
    Games(&'a BatchedPlayed),
    /// No more games are played now.
    Played(&'a SelfplayGames),
    /// Another file was written from the games.
    Written {
        /// The file.
        file: &'a Path,
        /// Its content, in words.
        holds: &'a str,
    },
}

/// The games of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfplayGames {
    /// The file that they are kept in.
    pub file: PathBuf,
    /// The seed that decided them.
    pub seed: u64,
    /// Counts of the games and their results.
    pub played: Played,
}

/// The end of self-play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelfplayEnd {
    /// All games were played and all files written.
    Complete,
    /// Before all games were played.
    StoppedPlaying,
    /// Before this file was written from the games.
    StoppedBefore(PathBuf),
}

/// Plays the games that are asked for and writes all files. The same seed gives the same bytes for any number of jobs, however
/// often it was stopped.
///
/// # Errors
/// The field that cannot be meant, a file that cannot be read or may not be written, or a player that fails.
///
/// # Examples
///
/// ```
/// use tesuji_arena::OwnProgram;
/// use tesuji_circle::{SelfplayEnd, SelfplayRequest, SelfplayRun, run_selfplay};
/// use tesuji_four::FOUR;
/// use tesuji_jobs::Interrupt;
/// use tesuji_kit::{Games, Kit};
/// static ALL: [&dyn Kit; 1] = [&FOUR];
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("games.four");
/// let request = SelfplayRequest {
///     game: "four".into(),
///     games: 2,
///     nodes: Some(50),
///     seed: Some(7),
///     outputs: vec![file.clone()],
///     jobs: 1,
///     ..SelfplayRequest::default()
/// };
/// let own = OwnProgram { path: "tesuji".into(), words: Vec::new(), version: "1.0".into() };
/// let mut run = SelfplayRun { games: Games(&ALL), own: &own, interrupt: &Interrupt::new(), fleet: None, news: &mut |_| () };
/// assert_eq!(run_selfplay(&FOUR, &request, &mut run)?, SelfplayEnd::Complete);
/// assert_eq!(std::fs::read_to_string(&file)?.lines().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_selfplay(
    kit: &'static dyn Kit,
    request: &SelfplayRequest,
    run: &mut SelfplayRun<'_>,
) -> Result<SelfplayEnd, RequestError> {
    request.validate()?;
    Ok(carry_out(kit, request, run)?)
}

fn carry_out(
    kit: &'static dyn Kit,
    request: &SelfplayRequest,
    run: &mut SelfplayRun<'_>,
) -> anyhow::Result<SelfplayEnd> {
    let Files { own, others } = Files::of(kit, request)?;
    let jobs = capped_jobs(request.jobs, run);
    let seed = request.seed.or_else(|| seed_of(kit, request, &own)).unwrap_or_else(fresh_seed);
    let work = Work { kit, request, seed, jobs };
    let player = work.player(run)?;
    let mut followers = Followers::of(kit, run.interrupt, (&others, request.resume));
    let (played, origin) = work.play(&own, player, &mut followers, run)?;
    let games = SelfplayGames { file: own, seed, played };
    (run.news)(SelfplayNews::Played(&games));
    if played.games < request.games {
        return Ok(SelfplayEnd::StoppedPlaying);
    }
    let own = &games.file;
    let grown = followers.finish()?;
    let mut outputs = Outputs::read(own, &origin_of(kit, own).unwrap_or_else(|| origin.clone()));
    for file in grown {
        outputs.add(own, &file.path)?;
        (run.news)(SelfplayNews::Written { file: &file.path, holds: &file.holds() });
    }
    for (other, format) in others.iter().filter(|(path, format)| !grows(path, *format)) {
        outputs.begin(own, other)?;
        match work.write_from(own, (other, *format), &origin, run)? {
            Some(holds) => {
                outputs.add(own, other)?;
                (run.news)(SelfplayNews::Written { file: other, holds: &holds });
            }
            None => return Ok(SelfplayEnd::StoppedBefore(other.clone())),
        }
    }
    Ok(SelfplayEnd::Complete)
}

/// The files of a run.
struct Files {
    /// The one that the games are kept in, which is of the game's own format.
    own: PathBuf,
    /// Those that are written from it.
    others: Vec<(PathBuf, Format)>,
}

impl Files {
    /// The files of a request, which may all be written.
    fn of(kit: &'static dyn Kit, request: &SelfplayRequest) -> anyhow::Result<Files> {
        let Some(own_format) = kit.formats().first() else { bail!("{} has no format of records", kit.name()) };
        let mut others = Vec::new();
        for path in &request.outputs {
            let nets = request.networks.iter().flat_map(|networks| &networks.nets);
            let read = request.openings.iter().chain(&request.starts).chain(&request.weights).chain(nets);
            let format = match Format::find(kit, kit.survey(), &format_name(request, path)) {
                _ if is_searched(request, path) => Format::Columns,
                found => found?,
            };
            match format {
                // It is compressed by itself, and written at the end.
                Format::Columns => check_plain_output(path, read)?,
                Format::Games(_) | Format::Samples(_) => check_packed_output(path, read)?,
            }
            others.push((path.clone(), format));
        }
        let own = match others.iter().position(|(_, format)| format.name() == own_format.name()) {
            Some(index) => others.remove(index).0,
            None => {
                let mut beside = request.outputs.first().cloned().unwrap_or_default().into_os_string();
                beside.push(format!(".{}", own_format.extensions().first().unwrap_or(&own_format.name())));
                beside.into()
            }
        };
        let files = Files { own, others };
        if let Some(Shuffled { starts, .. }) = shuffled::of(kit, request)? {
            let own = (files.own.as_path(), Format::Games(*own_format));
            let formats =
                std::iter::once(own).chain(files.others.iter().map(|(path, format)| (path.as_path(), *format)));
            shuffled::check_formats(kit, starts, formats)?;
        }
        files.check(kit, request.resume)?;
        Ok(files)
    }

    /// Checks that all may be written: where a run goes on, what was written from these games may be written again, and nothing
    /// else.
    fn check(&self, kit: &dyn Kit, resume: bool) -> anyhow::Result<()> {
        let origin = resume.then(|| origin_of(kit, &self.own)).flatten();
        let outputs = origin.as_deref().map(|origin| Outputs::read(&self.own, origin));
        for path in std::iter::once(&self.own).chain(self.others.iter().map(|(path, _)| path)) {
            let known = match &outputs {
                Some(outputs) => outputs.knows(&self.own, path),
                None => Known::No,
            };
            let goes_on = match known {
                _ if !resume => false,
                // Runs of older versions noted no outputs; games say themselves where they come from.
                Known::No => *path == self.own || origin.is_some() && origin_of(kit, path) == origin,
                Known::Yes => true,
                Known::Changed(_) => false,
            };
            let existing = if goes_on { Existing::Replace } else { Existing::Refuse };
            check_output(path, existing).map_err(|error| match (error.kind(), known) {
                (ErrorKind::AlreadyExists, _) if !resume && origin_of(kit, path).is_some() => {
                    anyhow::anyhow!("{error}; --resume goes on with it")
                }
                (ErrorKind::AlreadyExists, Known::Changed(how)) => {
                    anyhow::anyhow!("{error} (this run wrote it, but it was changed since: {how})")
                }
                (ErrorKind::AlreadyExists, _) if resume => {
                    anyhow::anyhow!("{error} (it is not known to be of these games)")
                }
                _ => error.into(),
            })?;
        }
        Ok(())
    }
}

/// The name of the format of the file `path`: its own, unless its ending stands for another format here.
fn format_name(request: &SelfplayRequest, path: &Path) -> String {
    let name = path.display().to_string();
    let ending = unpacked_name(&name).rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    let other = request.formats.iter().find(|(known, _)| *known == ending).map(|(_, format)| format.clone());
    other.unwrap_or(name)
}

/// Whether the file `path` is for positions with the visits of networks.
fn is_searched(request: &SelfplayRequest, path: &Path) -> bool {
    request.networks.is_some() && path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}

/// The number of threads that this machine can use.
fn capped_jobs(asked: usize, run: &mut SelfplayRun<'_>) -> usize {
    let most = THREADS_EACH * threads(0);
    if asked > most {
        (run.news)(SelfplayNews::ThreadsCapped { asked, used: most, each: THREADS_EACH });
    }
    threads(asked.min(most))
}

/// The seed of the games that are in the file already, where the run goes on with them.
fn seed_of(kit: &dyn Kit, request: &SelfplayRequest, own: &Path) -> Option<u64> {
    let origin = request.resume.then(|| origin_of(kit, own))??;
    origin.split_once(" seed ")?.1.split(',').next()?.parse().ok()
}

/// A request with all that it left open.
struct Work<'a> {
    kit: &'static dyn Kit,
    request: &'a SelfplayRequest,
    seed: u64,
    /// Threads.
    jobs: usize,
}

impl Work<'_> {
    /// Plays the games into the file `own`; what they say of their making.
    fn play(
        &self,
        own: &Path,
        player: Duelist,
        follow: &mut Followers<'_>,
        run: &mut SelfplayRun<'_>,
    ) -> anyhow::Result<(Played, String)> {
        let (resume, into) = (self.request.resume, || format!("self-play into {}", own.display()));
        if let Some(networks) = &self.request.networks {
            if run.fleet.is_some() {
                let words = "play in this process alone: a fleet plays games of searches; leave --fleet out";
                return Err(RequestError::field("nets", words).into());
            }
            let ready = networks::NetworkPlan::of(self, networks, run)?;
            let mut tell = |told: &BatchedPlayed| (run.news)(SelfplayNews::Games(told));
            let heard = Listeners { follow, tell: &mut tell, warn: &mut |_| () };
            let told = ready.play((own, resume), run.interrupt, heard);
            let told = told.map_err(|error| RequestError::failed(format_args!("{}: {error:#}", into())))?;
            return Ok((told.played, ready.plan.origin));
        }
        let plan = self.plan(player, run)?;
        let news = RefCell::new(&mut *run.news);
        let mut tell = |&played: &Played| {
            (news.borrow_mut())(SelfplayNews::Games(&BatchedPlayed { played, ..BatchedPlayed::default() }));
        };
        let mut warn = |line: &str| (news.borrow_mut())(SelfplayNews::Warning(line));
        let heard = Listeners { follow, tell: &mut tell, warn: &mut warn };
        let played = selfplay_followed(self.kit, &plan, (own, resume), run.interrupt, heard);
        Ok((played.with_context(into)?, plan.origin))
    }

    /// The player of both sides. An engine is started once, so that what is wrong with it is told before any file is touched.
    fn player(&self, run: &SelfplayRun<'_>) -> anyhow::Result<Duelist> {
        let request = self.request;
        let Some(engine) = &request.engine else {
            return Ok(Duelist::Player(self.setup()?));
        };
        let name = engine.name.clone().unwrap_or_else(|| engine.usual_name());
        let spec = engine.spec(&name, Dialect::of(self.kit), run.own)?;
        let mut started = Engine::open(&spec, run.interrupt)
            .map_err(|fault| RequestError::failed(CircleError::engine(&spec, &fault)))?;
        started.quit();
        Ok(Duelist::Engine(Box::new(spec)))
    }

    /// The player of this process, tried once: what is wrong with its weights or options is told before any file is touched.
    fn setup(&self) -> Result<Setup, RequestError> {
        let request = self.request;
        let mut setup = request.weights.as_deref().map_or_else(Setup::default, Setup::with_weights);
        setup.family = request.search.clone().unwrap_or_default();
        let mut player = setup.player(self.kit).map_err(anyhow::Error::from)?;
        for (name, value) in settings(&request.options)? {
            let wrong = |error| RequestError::value("options", format_args!("{name}={value}"), error);
            player.options().set(name, value).map_err(wrong)?;
            setup.options.push((name.into(), value.into()));
        }
        Ok(setup)
    }

    /// What plays, in a line, by content: weights or an engine, and what differs from the usual search.
    fn identity(&self) -> Result<String, RequestError> {
        let request = self.request;
        if let Some(engine) = &request.engine {
            return engine_identity(engine);
        }
        let mut words = match &request.weights {
            Some(path) => format!("weights {}", named_by_content(path)?),
            None => "evaluation built in".to_string(),
        };
        if let Some(family) = &request.search {
            words += &format!(", search {family}");
        }
        for (name, value) in settings(&request.options)? {
            words += &format!(", {name}={}", by_content(value)?);
        }
        Ok(words)
    }

    /// Writes another file from the games in the file `own`; what it holds, in words, or `None` when it was stopped.
    fn write_from(
        &self,
        own: &Path,
        (to, format): (&Path, Format),
        origin: &str,
        run: &SelfplayRun<'_>,
    ) -> anyhow::Result<Option<String>> {
        let about =
            [("tesuji.version", &*run.own.version), ("tesuji.game", self.kit.name()), ("tesuji.origin", origin)];
        let about = about.map(|(key, value)| (key.to_string(), value.to_string()));
        match format {
            _ if is_searched(self.request, to) => searched(self.kit, &about, (own, to), run.interrupt),
            Format::Games(_) => Ok(export(self.kit, own, to, run.interrupt)?.map(|count| format!("{count} games"))),
            _ => write_positions(self.kit, (&about, self.jobs), (own, to), format, run.interrupt),
        }
    }

    /// The plan of games without networks, with the origin that every game records.
    fn plan(&self, player: Duelist, run: &mut SelfplayRun<'_>) -> anyhow::Result<SelfplayPlan> {
        let request = self.request;
        let allowance = self.allowance()?;
        let plies_max = match request.plies_max {
            PliesMax::Usual => Some(PLIES_MAX),
            PliesMax::Off => None,
            PliesMax::At(plies) => Some(plies),
        };
        let adjudication = Adjudication { resign: request.resign, draw: request.draw, plies_max };
        let wrong = |error| rules_error(&request.rules, &error);
        // In full, as in matches: records say komi and rules even where the request leaves them to the game.
        let rules = self.kit.full_rules(&request.rules).map_err(wrong)?;
        let nodes = match (allowance.soft_nodes, allowance.nodes.unwrap_or(NODES)) {
            _ if request.engine.is_some() => allowance.to_string(),
            (Some(soft), hard) => format!("{soft} soft and {hard} nodes"),
            (None, hard) => format!("{hard} nodes"),
        };
        let allowances = Side::ALL.map(|side| allowance.of(side));
        let conditions = Conditions { rules, adjudication, allowances };
        let Start { book, name } = self.start()?;
        let plies = request.random_plies.unwrap_or(if name.is_empty() { RANDOM_PLIES } else { 0 });
        let openings = Openings {
            limit_cp: i32::try_from(request.balance_cp).unwrap_or(i32::MAX),
            nodes: request.balance_nodes,
            ..self.openings(plies)?
        };
        // Without a book there is the usual start alone.
        let starts = book.len().max(1);
        if plies == 0 && request.starts.is_none() && openings.shuffled.is_none() && (starts as u64) < request.games {
            (run.news)(SelfplayNews::FewOpenings { openings: starts, games: request.games });
        }
        let identity = self.identity()?;
        let drop =
            DropRules { shorter_than: request.drop_short, unfinished: request.drop_unfinished, ..DropRules::default() };
        let drops = if drop.is_active() { format!(", {drop}") } else { String::new() };
        let shuffled = openings
            .shuffled
            .map_or(String::new(), |Shuffled { starts, share }| format!("share of {} {share}, ", starts.rules));
        let rules = if request.rules.is_empty() { String::new() } else { format!(", rules {}", request.rules) };
        let origin = format!(
            "tesuji {} selfplay, {nodes}, seed {}, {shuffled}{name}{plies} random plies, balance {} cp at {} nodes, resign {}, \
             draw {}, {} plies at most{drops}{rules}, {identity}",
            run.own.version,
            self.seed,
            request.balance_cp,
            request.balance_nodes,
            or_off(request.resign),
            or_off(request.draw),
            or_off(plies_max),
        );
        Ok(SelfplayPlan {
            games: request.games,
            player,
            openings: openings.with_book(book),
            conditions,
            drop,
            jobs: self.jobs,
            until: None,
            fleet: run.fleet.clone(),
            origin,
        })
    }

    /// The limits of each move.
    fn allowance(&self) -> anyhow::Result<Allowance> {
        let SelfplayRequest { nodes, soft_nodes, search, engine, control, .. } = self.request;
        if let Some(engine) = engine {
            let nodes = nodes.or_else(|| control.is_none().then_some(NODES));
            let common = Allowance { control: control.clone(), nodes, ..Allowance::default() };
            return Ok(engine.allowance(&common, Dialect::of(self.kit)));
        }
        let Some(soft) = *soft_nodes else { return Ok(Allowance::of_nodes(nodes.unwrap_or(NODES))) };
        let family = search.as_deref().unwrap_or_default();
        if !self.kit.player(family)?.obeys_soft_nodes() {
            let family = if family.is_empty() { self.kit.families().first().unwrap_or(&"") } else { family };
            let reason = format!("{family} searches without iterations that it could end; alpha-beta has them");
            return Err(RequestError::value("soft_nodes", soft, reason).into());
        }
        let nodes = nodes.unwrap_or_else(|| soft.saturating_mul(HARD_FACTOR));
        Ok(Allowance { soft_nodes: Some(soft), ..Allowance::of_nodes(nodes) })
    }

    /// Random plies and positions that games begin with.
    fn openings(&self, plies: u32) -> anyhow::Result<Openings> {
        let starts = self.request.starts.as_deref().map(|path| start_positions(self.kit, path)).transpose()?;
        let shuffled = shuffled::of(self.kit, self.request)?;
        Ok(Openings { starts, shuffled, ..Openings::random(plies, self.seed) })
    }

    /// The openings to begin with.
    fn start(&self) -> anyhow::Result<Start> {
        let (kit, request) = (self.kit, self.request);
        // Nothing is known of rules before a table was laid with them.
        kit.table(&request.rules, None).map_err(|error| rules_error(&request.rules, &error))?;
        if let Some(path) = &request.starts {
            return Ok(Start { book: Vec::new(), name: format!("starts {} and ", named_by_content(path)?) });
        }
        let Some(path) = &request.openings else { return Ok(Start::default()) };
        let (book, name) = if path == Path::new(BUILT_IN) {
            (built_in_openings(kit, &request.rules), BUILT_IN.to_string())
        } else {
            (read_openings(kit, path, &request.rules, None)?, named_by_content(path)?)
        };
        if book.is_empty() {
            bail!("{}: no opening that {} can begin with", path.display(), kit.name());
        }
        Ok(Start { book, name: format!("openings {name} and ") })
    }
}

/// Openings of a book.
#[derive(Default)]
struct Start {
    book: Vec<Opening>,
    /// Their name in the origin of games, before the number of random plies; empty: there are none.
    name: String,
}

/// The error for rules that cannot be read.
fn rules_error(rules: &str, error: &dyn std::fmt::Display) -> RequestError {
    RequestError::value("rules", rules, error)
}

/// A rule as it is written, or `off`.
fn or_off(rule: Option<impl ToString>) -> String {
    rule.map_or("off".into(), |rule| rule.to_string())
}
