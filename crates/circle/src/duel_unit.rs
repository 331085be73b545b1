//! Pairs of games of duels as units of work: what a worker elsewhere is told of a pair, and what it tells of it.

use crate::{
    CircleError, Duelist, Openings,
    duel_board::{Board, Pair, PairsOf},
    duelist::Sides,
    packed_play::{PackedDuelist, PackedPlay},
    unit_order::{Halt, UnitWork, in_order_on},
};
use serde::{Deserialize, Serialize};
use std::{ops::Range, sync::atomic::AtomicU64};
use tesuji_arena::{Conditions, EngineRequest, Fault, PackedFault, PackedGame, Played, Used};
use tesuji_game::{By, Outcome, Side};
use tesuji_jobs::{
    Interrupt, LocalFiles, PackedRequest,
    units::{Dispatcher, FileStore, SharedCarrier, Unit, UnitRunner, WorkKind},
};
use tesuji_kit::{Games, Kit};
use tesuji_record::GameRecord;

/// The kind of these units.
const KIND: &str = "duel";

/// One pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitBody {
    duelists: [PackedDuelist; 2],
    /// Decides the openings.
    seed: u64,
    pair: u64,
    /// Games of the match, of which half may not end by faults.
    games: u64,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitDone {
    pair: [PackedGame; 2],
    faults: Vec<PackedFault>,
}

/// What two workers must agree on.
fn essence(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let done: UnitDone = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let pair = (done.pair.each_ref().map(PackedGame::essence), done.faults.len());
    serde_json::to_vec(&pair).map_err(|error| error.to_string())
}

/// A pair that was played.
pub(crate) struct DonePair {
    /// Its number, from 0.
    pub(crate) number: u64,
    pub(crate) pair: Pair,
    /// Games that an engine lost by a fault, and the last fault.
    pub(crate) faults: u64,
    pub(crate) fault: Option<Fault>,
}

/// A run of duels on workers elsewhere.
pub(crate) struct DuelUnits<'c> {
    kit: &'c dyn Kit,
    fleet: SharedCarrier,
    dispatcher: Box<dyn Dispatcher>,
}

/// What decides a duel's games, whose settings a request has.
pub(crate) struct DuelParts<'a> {
    pub(crate) duelists: &'a [Duelist; 2],
    pub(crate) openings: &'a Openings,
    pub(crate) conditions: &'a Conditions,
    pub(crate) pairs: u64,
}

impl<'c> DuelUnits<'c> {
    /// Begins a run whose matches are like `duel`, with duelists that use the same files.
    pub(crate) fn begin(
        fleet: &SharedCarrier,
        kit: &'c dyn Kit,
        duel: &DuelParts<'_>,
    ) -> Result<DuelUnits<'c>, CircleError> {
        let (of, run) = ((duel.conditions, duel.openings), fleet.label().to_string());
        let packed = PackedPlay::pack(kit, of, (None, duel.duelists), fleet.files(), run)?;
        let name = format!("games of {}", fleet.label());
        let [challenger, defender] = duel.duelists.each_ref().map(PackedDuelist::new);
        let usual = kit.families().first().copied().unwrap_or_default();
        let repeats = EngineRequest::all_repeat([challenger?.repeats(usual), defender?.repeats(usual)]);
        let dispatcher = packed.begin(&**fleet, (&name, KIND), (essence, repeats)).map_err(CircleError::fleet)?;
        Ok(DuelUnits { kit, fleet: fleet.clone(), dispatcher })
    }

    /// Plays these pairs of a match, whose units have numbers from `base` on.
    pub(crate) fn play(
        &mut self,
        (base, pairs, commits): (u64, Range<u64>, bool),
        duel: &DuelParts<'_>,
        halt: &Halt<'_>,
        take: &mut dyn FnMut(DonePair) -> Result<bool, CircleError>,
    ) -> Result<(), CircleError> {
        let [challenger, defender] = duel.duelists.each_ref().map(PackedDuelist::new);
        let duelists = [challenger?, defender?];
        let (seed, games) = (duel.openings.seed, duel.pairs.saturating_mul(2));
        let body = |index: u64| {
            let body = UnitBody { duelists: duelists.clone(), seed, pair: index - base, games };
            serde_json::to_string(&body).map_err(std::io::Error::other)
        };
        let kit = self.kit;
        let read = |_, bytes: &[u8]| {
            let done: UnitDone = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
            let [first, second] = done.pair.map(|game| game.unpack(kit, None).map(|played| played.record));
            let fault = done.faults.last().map(PackedFault::unpack).transpose()?;
            Ok(DonePair { number: 0, pair: [first?, second?], faults: done.faults.len() as u64, fault })
        };
        let range = base + pairs.start..base.saturating_add(pairs.end);
        let games = |units: u64| 2 * (units - base);
        let origins = (self.fleet.origins(), KIND);
        let work = UnitWork { body: &body, read: &read, commits, games: &games, origins };
        in_order_on(&mut *self.dispatcher, range, halt, &work, &mut |index, done| {
            take(DonePair { number: index - base, ..done })
        })
    }

    /// Says that the results of these units are in the journal.
    pub(crate) fn commit(&mut self, units: Range<u64>) -> Result<(), CircleError> {
        units.into_iter().try_for_each(|index| self.dispatcher.commit(index)).map_err(CircleError::fleet)
    }

    /// Says that nothing more is wanted.
    pub(crate) fn finish(mut self) {
        if let Err(error) = self.dispatcher.cancel() {
            tracing::warn!("workers were not told that the games are over: {error}");
        }
    }
}

/// Plays pairs of duels, as a worker does it.
pub struct DuelKind {
    /// The games that this program knows.
    pub games: Games,
}

impl WorkKind for DuelKind {
    fn name(&self) -> &'static str {
        KIND
    }

    fn prepare(&self, request: &str, files: &dyn FileStore, _: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
        let packed: PackedRequest<PackedPlay> = PackedRequest::from_json(request).map_err(|e| e.to_string())?;
        let kit = self.games.kit(&packed.request.game).map_err(|error| error.to_string())?;
        let files = packed.fetch(files).map_err(|error| error.to_string())?;
        let (conditions, openings) = PackedPlay::unpack(&packed, kit, &files).map_err(|error| error.to_string())?;
        Ok(Box::new(DuelRunner { kit, files, conditions, openings, seated: None }))
    }
}

/// One thread of a worker, with the duelists of its last pair.
struct DuelRunner {
    kit: &'static dyn Kit,
    files: LocalFiles,
    conditions: Conditions,
    openings: Openings,
    seated: Option<([PackedDuelist; 2], [Duelist; 2], Sides)>,
}

impl DuelRunner {
    fn play(&mut self, body: UnitBody, stop: &Interrupt) -> Result<Option<UnitDone>, CircleError> {
        let openings = Openings { seed: body.seed, ..self.openings.clone() };
        let seated = self.seated.take().filter(|(packed, ..)| *packed == body.duelists);
        let (packed, duelists, sides) = match seated {
            Some((packed, duelists, sides)) => (packed, duelists, Some(sides)),
            None => {
                let [challenger, defender] = body.duelists.clone().map(|duelist| duelist.unpack(&self.files));
                (body.duelists, [challenger?, defender?], None)
            }
        };
        let pairs = PairsOf { duelists: &duelists, openings: &openings, conditions: &self.conditions };
        let sides = match sides {
            Some(sides) => sides,
            None => Board::sides(self.kit, pairs, stop)?,
        };
        let faults = AtomicU64::new(0);
        let mut board =
            Board { kit: self.kit, pairs, sides, faults: &faults, games: body.games, found: Vec::new(), stop };
        let Some(pair) = board.play_both(body.pair)? else { return Ok(None) };
        let Board { sides, found, .. } = board;
        let pair = pair.each_ref().map(packed_record);
        let faults = found.iter().map(|fault| PackedFault::new(Side::First, fault)).collect();
        self.seated = Some((packed, duelists, sides));
        Ok(Some(UnitDone { pair, faults }))
    }
}

/// A game without what only tables of matches show.
fn packed_record(record: &GameRecord<String>) -> PackedGame {
    let outcome = record.outcome.unwrap_or(Outcome { winner: None, by: By::Void });
    let plies = record.plies() as u32;
    PackedGame::new(&Played {
        record: record.clone(),
        outcome,
        fault: None,
        count: None,
        plies,
        used: [Used::default(); 2],
    })
}

impl UnitRunner for DuelRunner {
    fn run(&mut self, unit: &Unit, stop: &Interrupt) -> Result<Option<Vec<u8>>, String> {
        let body = serde_json::from_str(&unit.body).map_err(|error| format!("no unit of a duel: {error}"))?;
        match self.play(body, stop) {
            Err(_) if stop.is_raised() => Ok(None),
            Err(error) => Err(error.to_string()),
            Ok(None) => Ok(None),
            Ok(Some(done)) => serde_json::to_vec(&done).map(Some).map_err(|error| error.to_string()),
        }
    }
}
