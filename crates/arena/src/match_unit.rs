//! Matches as units of work: what a worker elsewhere is told of a pair of games, and what it tells of them.

use crate::players::Players;
use crate::request_error::Context as _;
use crate::{
    Book, EngineRequest, Fault, FaultKind, Fixture, MatchError, MatchPlan, MatchRequest, NoGame, Opening, OwnProgram,
    PackedGame, Played,
};
use serde::{Deserialize, Serialize};
use std::io;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tesuji_jobs::units::{Carrier, Dispatcher, FileStore, Unit, UnitRunner, WorkKind};
use tesuji_jobs::{Interrupt, PackedRequest};
use tesuji_kit::{Games, Kit, RequestError};
use tesuji_system::machine::{Machine, StolenTime};

/// Games of one opening, to be played one after the other.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitBody {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    start: Option<String>,
    moves: String,
    /// Number in the match, players by their index, the first side first.
    games: Vec<(u64, [usize; 2])>,
}

/// The body of a unit: these games from one opening.
pub(crate) fn unit_body(fixtures: &[Fixture], opening: &Opening) -> io::Result<String> {
    let games = fixtures.iter().map(|fixture| (fixture.game, fixture.players)).collect();
    let body = UnitBody { start: opening.start.clone(), moves: opening.moves.join(" "), games };
    serde_json::to_string(&body).map_err(io::Error::other)
}

/// What came of a unit.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitDone {
    games: Vec<DoneGame>,
    /// What entrants, by their index, did wrong without consequence for a game; or the referee.
    warnings: Vec<(Option<usize>, String)>,
    /// The model of the worker's processor, where clocks limit the games.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    processor: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DoneGame {
    game: u64,
    /// In microseconds since 1970, by the worker's calendar.
    began_us: u64,
    duration_ns: u64,
    played: PackedGame,
}

/// What two workers must agree on.
fn essence(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let done: UnitDone = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let games: Vec<_> = done.games.iter().map(|game| (game.game, game.played.essence())).collect();
    serde_json::to_vec(&games).map_err(|error| error.to_string())
}

/// A game that a worker played.
pub(crate) struct WorkersGame {
    pub(crate) game: u64,
    pub(crate) began: SystemTime,
    pub(crate) duration: Duration,
    pub(crate) played: Played,
}

/// What a worker made of a unit.
pub(crate) struct Unpacked {
    pub(crate) games: Vec<WorkersGame>,
    /// With the index of their entrant.
    pub(crate) warnings: Vec<(Option<usize>, Fault)>,
    /// The model of its processor.
    pub(crate) processor: Option<String>,
}

/// Letters of a model of processor that are kept: what comes from elsewhere may be any text.
const PROCESSOR_LENGTH: usize = 100;

/// Reads what came of a unit whose games began with `opening`.
pub(crate) fn unpack(bytes: &[u8], plan: &MatchPlan<'_>, opening: &Opening) -> Result<Unpacked, String> {
    let done: UnitDone = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let game = |done: DoneGame| {
        let played = done.played.unpack(plan.game, Some(opening));
        Ok(WorkersGame {
            game: done.game,
            began: UNIX_EPOCH + Duration::from_micros(done.began_us.min(1 << 60)),
            duration: Duration::from_nanos(done.duration_ns),
            played: played.map_err(|error| format!("game {}: {error}", done.game + 1))?,
        })
    };
    let games = done.games.into_iter().map(game).collect::<Result<_, String>>()?;
    let is_known = |player: &Option<usize>| player.is_none_or(|player| player < plan.entrants.len());
    let warnings = done.warnings.into_iter().filter(|(player, _)| is_known(player));
    let warnings = warnings.map(|(player, detail)| (player, Fault::new(FaultKind::Quit, detail))).collect();
    let plain = |text: String| text.chars().filter(|c| !c.is_control()).take(PROCESSOR_LENGTH).collect();
    Ok(Unpacked { games, warnings, processor: done.processor.map(plain) })
}

/// Shows `map` each file that an engine may be given, and whether it is the program; what it returns stands in its place.
///
/// # Errors
/// Those of `map`.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{EngineRequest, map_engine_files};
/// let mut engine: EngineRequest = "cmd=./a args='--set Book=b.bin' option.EvalFile=c.nnue option.Hash=16".parse()?;
/// let mut seen = Vec::new();
/// map_engine_files(&mut engine, &mut |name, _| Ok({ seen.push(name.to_string()); (name == "b.bin").then(|| "d".into()) }))?;
/// assert_eq!(seen, ["./a", "--set", "Book=b.bin", "b.bin", "c.nnue", "16"]);
/// assert_eq!(engine.args, ["--set", "Book=d"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn map_engine_files(
    engine: &mut EngineRequest,
    map: &mut dyn FnMut(&str, bool) -> io::Result<Option<String>>,
) -> io::Result<()> {
    if let Some(command) = &mut engine.command
        && let Some(found) = map(command, true)?
    {
        *command = found;
    }
    for word in &mut engine.args {
        if let Some(found) = map(word, false)? {
            *word = found;
        } else if let Some((name, value)) = word.split_once('=')
            && let Some(found) = map(value, false)?
        {
            *word = format!("{name}={found}");
        }
    }
    if let Some(weights) = &mut engine.weights
        && let Some(found) = map(&weights.to_string_lossy(), false)?
    {
        *weights = found.into();
    }
    for (_, value) in &mut engine.options {
        if let Some(found) = map(value, false)? {
            *value = found;
        }
    }
    Ok(())
}

impl MatchRequest {
    /// The request for workers elsewhere, whose files are kept in `store`. `plan` is the match, whose identifier tells it from others.
    ///
    /// # Errors
    /// What such a match cannot have, and files that cannot be kept.
    fn packed(&self, plan: &MatchPlan<'_>, store: &dyn FileStore) -> Result<PackedRequest<MatchRequest>, RequestError> {
        if self.dialogues.is_some() {
            return Err(RequestError::field("dialogues", ": engines of a fleet talk elsewhere; leave it out"));
        }
        let request = MatchRequest {
            version: self.version,
            engines: self.engines.clone(),
            each: self.each.clone(),
            game: self.game.clone(),
            rules: self.rules.clone(),
            control: self.control.clone(),
            seconds_a_move: self.seconds_a_move,
            nodes: self.nodes,
            depth: self.depth,
            margin_ms: self.margin_ms,
            patience_seconds: self.patience_seconds,
            resign: self.resign,
            draw: self.draw,
            plies_max: self.plies_max,
            referee: self.referee.clone(),
            ..MatchRequest::default()
        };
        let run = plan.id().map_or_else(|| format!("seed {:?}", self.seed), str::to_string);
        let mut packed = PackedRequest::new(run, request);
        let mut engines: Vec<EngineRequest> = packed.request.every_engine().into_iter().map(|e| e.clone()).collect();
        if let Some(dir) = engines.iter().find_map(|engine| engine.dir.as_ref()) {
            let reason =
                "a folder of this machine; engines of a fleet run elsewhere, with the files that they are given";
            return Err(RequestError::value("dir", dir.display(), reason));
        }
        for engine in &mut engines {
            map_engine_files(engine, &mut |name, is_program| {
                if is_program {
                    packed.keep_program(store, name)?
                } else {
                    packed.keep(store, name)?
                }
                Ok(None)
            })?;
        }
        if is_timed(plan) {
            packed.note_speed(tesuji_jobs::speed());
        }
        Ok(packed)
    }

    fn every_engine(&mut self) -> Vec<&mut EngineRequest> {
        self.engines.iter_mut().chain(&mut self.each).chain(&mut self.referee).collect()
    }
}

/// The kind of the units of matches.
const KIND: &str = "match";

/// Begins the match `plan`, that `request` asked for, on workers that `carrier` reaches. `search`: the search family of this program's engines
/// where no words name one.
///
/// # Errors
/// What such a match cannot have, and what the carrier says.
pub fn begin_match(
    carrier: &dyn Carrier,
    request: &MatchRequest,
    (plan, search): (&MatchPlan<'_>, &str),
) -> Result<Box<dyn Dispatcher>, RequestError> {
    let packed = request.packed(plan, carrier.files())?;
    let names: Vec<&str> = plan.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let name = format!("match {}", names.join(" - "));
    let engines = packed.request.engines.iter().map(|engine| engine.repeats(packed.request.each.as_ref(), search));
    let repeats =
        EngineRequest::all_repeat(engines.chain(packed.request.referee.iter().map(|r| r.repeats(None, search))));
    Ok(packed.begin(carrier, (&name, KIND), (essence, repeats))?)
}

/// Plays pairs of games of matches, as a worker does it.
pub struct MatchKind {
    /// The games that this program knows.
    pub games: Games,
    /// This program as an engine of a game.
    pub own: fn(&dyn Kit) -> io::Result<OwnProgram>,
}

impl MatchKind {
    fn plan(&self, request: &str, files: &dyn FileStore) -> Result<MatchPlan<'static>, RequestError> {
        let packed: PackedRequest<MatchRequest> = PackedRequest::from_json(request)?;
        let (files, mut request) = (packed.fetch(files)?, packed.request.clone());
        for engine in request.every_engine() {
            map_engine_files(engine, &mut |name, is_program| files.word(name, is_program))?;
        }
        let kit = self.games.kit(&request.game).context("game")?;
        // Openings come with each unit.
        let openings: Book = [Opening::default()].iter().collect();
        let mut plan = request.plan(kit, &(self.own)(kit)?, openings)?;
        if packed.speed.is_some() {
            let factor = packed.clock_factor(tesuji_jobs::speed());
            plan.entrants.iter_mut().for_each(|entrant| entrant.allowance = entrant.allowance.scaled(factor));
        }
        Ok(plan)
    }
}

impl WorkKind for MatchKind {
    fn name(&self) -> &'static str {
        KIND
    }

    fn prepare(&self, request: &str, files: &dyn FileStore, stop: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
        let plan = self.plan(request, files).map_err(|error| error.to_string())?;
        let mut players = Players::default();
        for (index, entrant) in plan.entrants.iter().enumerate() {
            let made = (entrant.make)(stop).map_err(|fault| MatchError::Entrant(entrant.name.clone(), fault));
            players.seat(index, made.map_err(|error| error.to_string())?);
        }
        let processor = is_timed(&plan).then(|| Machine::look().processor).flatten();
        Ok(Box::new(MatchRunner { plan, players, processor }))
    }
}

/// Whether clocks limit games of this match.
pub(crate) fn is_timed(plan: &MatchPlan<'_>) -> bool {
    plan.entrants.iter().any(|entrant| entrant.allowance.is_timed())
}

/// One thread of a worker with its contestants.
struct MatchRunner {
    plan: MatchPlan<'static>,
    players: Players,
    processor: Option<String>,
}

impl MatchRunner {
    /// Counts what the machine below a virtual one took away of the players' time since `before`.
    fn count_stolen(&self, played: &mut Played, before: Option<StolenTime>) {
        if let (true, Some(before), Some(now)) = (is_timed(&self.plan), before, StolenTime::look()) {
            let share = now.share_since(before);
            played.used.iter_mut().for_each(|used| used.starved += used.time.mul_f64(share));
        }
    }
}

impl Drop for MatchRunner {
    fn drop(&mut self) {
        self.players.dismiss(&mut |_, _| ());
    }
}

impl UnitRunner for MatchRunner {
    fn run(&mut self, unit: &Unit, stop: &Interrupt) -> Result<Option<Vec<u8>>, String> {
        let wrong = |error: serde_json::Error| format!("no unit of a match: {error}");
        let UnitBody { start, moves, games } = serde_json::from_str(&unit.body).map_err(wrong)?;
        let opening = Opening { start, moves: moves.split_ascii_whitespace().map(str::to_string).collect() };
        let mut done = UnitDone { games: Vec::new(), warnings: Vec::new(), processor: self.processor.clone() };
        for (game, players) in games {
            if players.iter().any(|player| *player >= self.plan.entrants.len()) {
                return Err(format!("no unit of this match: players {players:?}"));
            }
            let (began, date) = (Instant::now(), SystemTime::now());
            let stolen = StolenTime::look();
            let mut warn = |player, fault: Fault| done.warnings.push((player, fault.detail));
            let played = self.players.play((&self.plan, stop), players, &opening, None, (&mut |_| (), &mut warn));
            let played = match played {
                Ok(mut played) => {
                    self.count_stolen(&mut played, stolen);
                    PackedGame::new(&played)
                }
                Err(no_game) => {
                    // One that was broken off in the middle of a search begins again as a new one.
                    self.players.dismiss(&mut |_, _| ());
                    return match no_game {
                        NoGame::Stopped => Ok(None),
                        NoGame::Opening(error) => Err(format!("the opening of game {}: {error}", game + 1)),
                        NoGame::Void(side, fault) => {
                            let name = &self.plan.entrants[players[side.index()]].name;
                            Err(format!("{name} lost its evaluator: {}", fault.detail))
                        }
                    };
                }
            };
            let began_us = date.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
            done.games.push(DoneGame { game, began_us, duration_ns: began.elapsed().as_nanos() as u64, played });
        }
        serde_json::to_vec(&done).map(Some).map_err(|error| error.to_string())
    }
}
