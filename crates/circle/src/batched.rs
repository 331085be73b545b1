//! Games for learning, many at once in each thread: a leaf of every game goes to the network in one batch.

use crate::{
    CircleError, Openings, Opponents, Played,
    dropped::DroppedGames,
    game_file::{KeptGames, open, tag},
    rivals,
    selfplay::{Follow, Listeners, behind_opening},
};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::Instant,
};
use tesuji_arena::Opening;
use tesuji_game::{By, Random, Side};
use tesuji_jobs::Interrupt;
use tesuji_kit::{
    Kit,
    networks::{BatchedFault, BatchedGame, BatchedOpening, BatchedOracles, BatchedPlayer, BatchedRivals},
};
use tesuji_record::{GameRecord, RecordFormat, RecordWriter};
use tesuji_search::mcts::{BatchedError, BatchedRules};

/// A plan of batched self-play.
#[derive(Debug, Clone)]
pub struct BatchedPlan {
    /// Games in all.
    pub games: u64,
    /// The rules of the game as text.
    pub rules: String,
    /// The openings; their limits on balance are ignored. Their seed decides everything.
    pub openings: Openings,
    /// The settings of the games.
    pub batched: BatchedRules,
    /// Games at once in each thread.
    pub batch: usize,
    /// Threads; at least as many as there are oracles.
    pub threads: usize,
    /// Begin no game after this.
    pub until: Option<Instant>,
    /// Programs that move for one side in some of the games.
    pub opponents: Option<Arc<Opponents>>,
    /// The origin of the games in one line: version, settings, nets. A file is only continued by the same.
    pub origin: String,
}

/// Counts of the games, and the results of the resignation audits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchedPlayed {
    /// Games, results, moves.
    pub played: Played,
    /// New games in which a side would have given up and was made to play on.
    pub audited: u64,
    /// Those of them that it did not lose.
    pub wrong: u64,
    /// New games that an opponent lost by a move that the rules do not allow.
    pub illegal: u64,
}

/// Plays the games of `plan` into the file `path`. Game `n` is played by oracle `n` modulo their number and depends on that,
/// the seed and `n` alone: the file is the same for any number of threads and games at once, and however often it was
/// interrupted, as long as opponents, if there are any, repeat themselves. Games are written in the order of their numbers, each
/// as soon as all before it have ended.
///
/// # Errors
/// When the file cannot be written or was made by something else, an opening cannot be read, or an oracle fails.
///
/// # Panics
/// When there is no oracle.
pub fn selfplay_batched(
    kit: &dyn Kit,
    plan: &BatchedPlan,
    oracles: &dyn BatchedOracles,
    path: &Path,
    resume: bool,
    stop: &Interrupt,
    tell: &mut dyn FnMut(&BatchedPlayed),
) -> Result<BatchedPlayed, CircleError> {
    selfplay_batched_followed(
        kit,
        plan,
        oracles,
        (path, resume),
        stop,
        Listeners { follow: &mut (), tell, warn: &mut |_| () },
    )
}

/// [`selfplay_batched`] with one who follows it.
pub(crate) fn selfplay_batched_followed(
    kit: &dyn Kit,
    plan: &BatchedPlan,
    oracles: &dyn BatchedOracles,
    (path, resume): (&Path, bool),
    stop: &Interrupt,
    Listeners { follow, tell, .. }: Listeners<'_, BatchedPlayed>,
) -> Result<BatchedPlayed, CircleError> {
    assert!(oracles.count() > 0, "batched games need an oracle");
    let name = path.display().to_string();
    let format = kit.format(&name).or_else(|| kit.formats().first().copied()).ok_or_else(|| CircleError::Mismatch {
        path: name.clone(),
        reason: format!("{} has no format of records", kit.name()),
    })?;
    let (KeptGames { done, whole }, writer) =
        open((path, format), (plan.games, &DroppedGames::default()), &plan.origin, resume)?;
    let told = BatchedPlayed {
        played: Played { games: done, resumed: whole, ..Played::default() },
        ..BatchedPlayed::default()
    };
    tell(&told);
    follow.begin((path, format), done > 0, &plan.origin)?;
    let mut written = Written { kit, origin: &plan.origin, name, format, whole, writer, told, follow, tell };
    let halt = AtomicBool::new(false);
    let count = oracles.count() as u64;
    // The next game of each oracle.
    let nexts: Vec<AtomicU64> = (0..count).map(|k| AtomicU64::new(done + (count + k - done % count) % count)).collect();
    let (sender, results) = mpsc::channel::<Result<BatchedGame, CircleError>>();
    thread::scope(|scope| {
        let opponents = plan.opponents.as_deref();
        let open = |opponents| rivals::open(scope, opponents, (&plan.rules, stop, &halt));
        let queues = opponents.map(open).transpose()?;
        for thread in 0..plan.threads.max(oracles.count()) {
            let (sender, halt, nexts) = (sender.clone(), &halt, &nexts);
            let which = thread % oracles.count();
            let mut player = oracles.player(which);
            let queues = queues.clone();
            let failed = sender.clone();
            let work = move || {
                let broken = || {
                    // Opponents that think look at `halt` alone.
                    halt.fetch_or(stop.is_raised(), Relaxed) || stop.is_raised()
                };
                let seed = plan.openings.seed;
                let mut table = opponents
                    .zip(queues)
                    .map(|(opponents, queues)| rivals::OpponentGames::new(opponents, seed, queues));
                let rivals = table.as_mut().map(|table| table as &mut dyn BatchedRivals);
                let played = drive(kit, plan, (&mut *player, rivals), (&nexts[which], count), &broken, &sender);
                if let Err(error) = played {
                    halt.store(true, Relaxed);
                    let _ = sender.send(Err(error));
                }
            };
            match thread::Builder::new().spawn_scoped(scope, work) {
                Ok(_) => {}
                // Each oracle has its games, but one that has a thread needs no more.
                Err(_) if thread >= oracles.count() => break,
                Err(error) => {
                    halt.store(true, Relaxed);
                    let _ = failed.send(Err(CircleError::NoThread(error)));
                    break;
                }
            }
        }
        drop((sender, queues));
        write_in_order(results, &mut written, &halt)
    })?;
    let Written { name, writer, told, .. } = written;
    writer.finish().map_err(|error| CircleError::Record { path: name, error })?;
    Ok(told)
}

/// Writes games in the order of their numbers as they come; the first fault ends the work.
fn write_in_order(
    results: mpsc::Receiver<Result<BatchedGame, CircleError>>,
    written: &mut Written<'_>,
    halt: &AtomicBool,
) -> Result<(), CircleError> {
    let (mut early, mut fault) = (BTreeMap::new(), None);
    for result in results {
        match result {
            Ok(game) => drop(early.insert(game.number, game)),
            Err(error) => fault = fault.or(Some(error)),
        }
        while fault.is_none()
            && let Some(game) = early.remove(&written.told.played.games)
        {
            fault = written.add(game).err();
        }
        if fault.is_some() {
            halt.store(true, Relaxed);
        }
    }
    fault.map_or(Ok(()), Err)
}

/// The file of games, which come in the order of their numbers.
struct Written<'a> {
    kit: &'a dyn Kit,
    origin: &'a str,
    /// Of the file, for errors.
    name: String,
    format: &'a dyn RecordFormat,
    /// Games that were in the file before.
    whole: u64,
    writer: Box<dyn RecordWriter>,
    told: BatchedPlayed,
    follow: &'a mut dyn Follow,
    tell: &'a mut dyn FnMut(&BatchedPlayed),
}

impl Written<'_> {
    /// Counts the next game, writes it and tells how many there are.
    fn add(&mut self, mut game: BatchedGame) -> Result<(), CircleError> {
        let resumed = self.told.played.results;
        count_in(&mut self.told, &game);
        if game.number < self.whole {
            // It was there, and was played again.
            self.told.played.results = resumed;
        }
        tag(&mut game.record, game.number, self.origin);
        let written = self.write(game.record);
        (self.tell)(&self.told);
        written
    }

    fn write(&mut self, mut record: GameRecord<String>) -> Result<(), CircleError> {
        // Formats that mark moves which nobody valued, such as those of openings, keep them.
        if !self.format.tells_unvalued() {
            record = behind_opening(self.kit, record)?;
        }
        let record_error = |error| CircleError::Record { path: self.name.clone(), error };
        self.writer.write(&record).and_then(|()| self.writer.flush()).map_err(record_error)?;
        self.follow.add(self.format, &record)
    }
}

fn count_in(told: &mut BatchedPlayed, game: &BatchedGame) {
    let played = &mut told.played;
    played.games += 1;
    played.plies += game.record.plies() as u64;
    let score = game.record.outcome.map_or(0.5, |o| o.score(Side::First));
    played.results[2 - (2.0 * score) as usize] += 1;
    told.illegal += u64::from(game.record.outcome.is_some_and(|outcome| outcome.by == By::Illegal));
    if let Some(side) = game.gave_up {
        told.audited += 1;
        let lost = game.record.outcome.is_some_and(|outcome| outcome.winner == Some(!side));
        told.wrong += u64::from(!lost);
    }
}

/// One thread: plays every `step`-th game from `next` on.
fn drive(
    kit: &dyn Kit,
    plan: &BatchedPlan,
    (player, rivals): (&mut dyn BatchedPlayer, Option<&mut dyn BatchedRivals>),
    (next, step): (&AtomicU64, u64),
    broken: &dyn Fn() -> bool,
    sender: &mpsc::Sender<Result<BatchedGame, CircleError>>,
) -> Result<(), CircleError> {
    let mut fault = None;
    let mut begin = || {
        if fault.is_some() || plan.until.is_some_and(|until| Instant::now() >= until) {
            return None;
        }
        let number = next.fetch_add(step, Relaxed);
        if number >= plan.games {
            return None;
        }
        match plan.openings.begin(kit, &plan.rules, number) {
            Ok(Opening { start, moves, .. }) => {
                let seed = Random::for_item(plan.openings.seed ^ 0x6865_7264, number).next_u64();
                Some(BatchedOpening { number, start, moves, seed })
            }
            Err(error) => {
                fault = Some(error);
                None
            }
        }
    };
    let ended = std::cell::RefCell::new(Vec::new());
    let mut done = |game: BatchedGame| ended.borrow_mut().push(game);
    // Games are handed on at the next look at the clock.
    let result = player.play(plan.batch, &plan.batched, rivals, &mut begin, &mut done, &|| {
        for game in ended.borrow_mut().drain(..) {
            if sender.send(Ok(game)).is_err() {
                return true;
            }
        }
        broken()
    });
    for game in ended.into_inner() {
        let _ = sender.send(Ok(game));
    }
    if let Some(error) = fault {
        return Err(error);
    }
    result.map_err(|error| match error {
        BatchedFault::Opening(error) => CircleError::Notation(error),
        BatchedFault::Search(BatchedError::Rivals { number, words }) => {
            CircleError::Play { number: number + 1, what: words }
        }
        BatchedFault::Search(BatchedError::Oracle(error)) => {
            CircleError::Play { number: next.load(Relaxed), what: error.to_string() }
        }
        other => CircleError::Play { number: next.load(Relaxed), what: format!("{other:?}") },
    })
}
