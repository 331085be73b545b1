//! Games of self-play as units of work: a chunk of numbers, whose games depend on them and the seed alone.

use crate::{
    CircleError, Duelist, Openings,
    duelist::Sides,
    game_worker::{Attempts, GameWorker, GamesOf},
    packed_play::{PackedDuelist, PackedPlay},
    unit_order::{Halt, UnitWork, in_order_on},
};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use tesuji_arena::{Conditions, PackedFault, PackedGame};
use tesuji_jobs::{
    Interrupt, PackedRequest,
    units::{FileStore, SharedCarrier, Unit, UnitRunner, WorkKind},
};
use tesuji_kit::{Games, Kit};

/// The kind of these units.
const KIND: &str = "selfplay";
/// Nodes of all moves at one ply of a unit's games, about: units of many nodes a move have fewer games.
const UNIT_NODES: u64 = 32_000;
/// Games of a unit, at most.
const UNIT_GAMES_MAX: u64 = 16;

/// Games from one number up to another.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitBody {
    from: u64,
    to: u64,
}

/// What came of a game.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DoneGame {
    number: u64,
    faults: Vec<PackedFault>,
    played: Option<PackedGame>,
}

/// What two workers must agree on.
fn essence(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let done: Vec<DoneGame> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let game = |game: &DoneGame| (game.number, game.faults.len(), game.played.as_ref().map(PackedGame::essence));
    serde_json::to_vec(&done.iter().map(game).collect::<Vec<_>>()).map_err(|error| error.to_string())
}

/// Games of a unit. The request decides it: a unit's number stands for the same games always.
fn unit_games(conditions: &Conditions) -> u64 {
    let nodes = conditions.allowances.iter().filter_map(|allowance| allowance.soft_nodes.or(allowance.nodes)).max();
    nodes.map_or(1, |nodes| (UNIT_NODES / nodes.max(1)).clamp(1, UNIT_GAMES_MAX))
}

/// Has the games `games` played by workers elsewhere, and hands them to `take` in order.
///
/// # Errors
/// Those of the fleet and of `take`.
pub(crate) fn play_on(
    fleet: &SharedCarrier,
    (kit, of): (&dyn Kit, GamesOf<'_>),
    games: Range<u64>,
    halt: &Halt<'_>,
    take: &mut dyn FnMut(u64, Attempts) -> Result<(), CircleError>,
) -> Result<(), CircleError> {
    if games.is_empty() {
        return Ok(());
    }
    // The last unit ends with the games: a run of more of them is another run.
    let (parts, run) = ((of.conditions, of.openings), format!("{}, {} games", fleet.label(), games.end));
    let packed = PackedPlay::pack(kit, parts, (Some(of.player), &[]), fleet.files(), run)?;
    let name = format!("self-play of {}", fleet.label());
    let usual = kit.families().first().copied().unwrap_or_default();
    let repeats = packed.request.player.as_ref().and_then(|player| player.repeats(usual));
    let mut dispatcher = packed.begin(&**fleet, (&name, KIND), (essence, repeats)).map_err(CircleError::fleet)?;
    let each = unit_games(of.conditions);
    let unit = |index: u64| UnitBody { from: index * each, to: (index * each).saturating_add(each).min(games.end) };
    let body = |index| serde_json::to_string(&unit(index)).map_err(std::io::Error::other);
    let read = |index, bytes: &[u8]| {
        let UnitBody { from, to } = unit(index);
        let done: Vec<DoneGame> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if !done.iter().map(|game| game.number).eq(from..to) {
            return Err(format!("games {from} to {to} were asked for, and others came"));
        }
        done.into_iter().map(|game| unpack(kit, game)).collect::<Result<Vec<_>, String>>()
    };
    let count = |units: u64| units.saturating_mul(each).min(games.end);
    let work = UnitWork { body: &body, read: &read, commits: true, games: &count, origins: (fleet.origins(), KIND) };
    let first = games.start / each;
    if let Some(last) = first.checked_sub(1) {
        // A run that was killed may not have said so.
        dispatcher.commit(last).map_err(CircleError::fleet)?;
    }
    let range = first..games.end.div_ceil(each);
    in_order_on(&mut *dispatcher, range, halt, &work, &mut |_, done| {
        for (number, attempts) in done {
            if games.contains(&number) {
                take(number, attempts)?;
            }
        }
        Ok(true)
    })?;
    if let Err(error) = dispatcher.cancel() {
        tracing::warn!("workers were not told that the games are over: {error}");
    }
    Ok(())
}

fn unpack(kit: &dyn Kit, game: DoneGame) -> Result<(u64, Attempts), String> {
    let fault = |fault: &PackedFault| Ok::<_, String>((fault.side(), fault.unpack()?));
    let faults = game.faults.iter().map(fault).collect::<Result<_, _>>()?;
    let played = game.played.map(|played| played.unpack(kit, None)).transpose()?;
    Ok((game.number, Attempts { faults, played }))
}

/// Plays chunks of self-play, as a worker does it.
pub struct SelfplayKind {
    /// The games that this program knows.
    pub games: Games,
}

impl WorkKind for SelfplayKind {
    fn name(&self) -> &'static str {
        KIND
    }

    fn prepare(&self, request: &str, files: &dyn FileStore, stop: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
        let packed: PackedRequest<PackedPlay> = PackedRequest::from_json(request).map_err(|e| e.to_string())?;
        let kit = self.games.kit(&packed.request.game).map_err(|error| error.to_string())?;
        prepare(&packed, kit, files, stop).map_err(|error| error.to_string())
    }
}

fn prepare(
    packed: &PackedRequest<PackedPlay>,
    kit: &'static dyn Kit,
    files: &dyn FileStore,
    stop: &Interrupt,
) -> Result<Box<dyn UnitRunner>, CircleError> {
    let files = packed.fetch(files).map_err(CircleError::fleet)?;
    let (conditions, openings) = PackedPlay::unpack(packed, kit, &files)?;
    let none = || CircleError::Fleet("no request for self-play: it names no player".to_string());
    let player: PackedDuelist = packed.request.player.clone().ok_or_else(none)?;
    let player = player.unpack(&files)?;
    // What is wrong with an engine is known before the first game.
    let sides = Sides::new(kit, [(&player, "first"), (&player, "second")], 0, stop)?;
    Ok(Box::new(SelfplayRunner { kit, player, conditions, openings, sides: Some(sides) }))
}

/// One thread of a worker.
struct SelfplayRunner {
    kit: &'static dyn Kit,
    player: Duelist,
    conditions: Conditions,
    openings: Openings,
    sides: Option<Sides>,
}

impl UnitRunner for SelfplayRunner {
    fn run(&mut self, unit: &Unit, stop: &Interrupt) -> Result<Option<Vec<u8>>, String> {
        let UnitBody { from, to } =
            serde_json::from_str(&unit.body).map_err(|error| format!("no unit of self-play: {error}"))?;
        let plan = GamesOf { player: &self.player, openings: &self.openings, conditions: &self.conditions };
        let mut worker = GameWorker { kit: self.kit, plan, stop, sides: self.sides.take() };
        let mut done = Vec::new();
        for number in from..to {
            let Some(attempts) = worker.play_one(number).map_err(|error| error.to_string())? else { return Ok(None) };
            let faults = attempts.faults.iter().map(|(side, fault)| PackedFault::new(*side, fault)).collect();
            done.push(DoneGame { number, faults, played: attempts.played.as_ref().map(PackedGame::new) });
        }
        self.sides = worker.sides;
        serde_json::to_vec(&done).map(Some).map_err(|error| error.to_string())
    }
}
