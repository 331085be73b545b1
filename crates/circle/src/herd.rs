//! Games for learning, many at once in each thread: a leaf of every game goes to the network in one batch.

use crate::{
    CircleError, Openings, Opponents, Played, rivals,
    selfplay::{Kept, behind_opening, open, tag},
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
use tesuji_game::{By, Game, Line, Notation, Oracle, Random, Side};
use tesuji_jobs::Interrupt;
use tesuji_kit::Kit;
use tesuji_record::{GameRecord, Note};
use tesuji_search::mcts::{Beginning, Finished, HerdError, HerdRules, NoRivals, Rivals, play_herd};

/// What a herd of games is.
#[derive(Debug, Clone)]
pub struct HerdPlan {
    /// Games in all.
    pub games: u64,
    /// The rules of the game as text.
    pub rules: String,
    /// How games begin; what they say of balance is not heeded. Their seed decides everything.
    pub openings: Openings,
    /// How they are played.
    pub herd: HerdRules,
    /// Games at once in each thread.
    pub batch: usize,
    /// Threads; at least as many as there are oracles.
    pub threads: usize,
    /// Begin no game after this.
    pub until: Option<Instant>,
    /// Programs that move for one side in some of the games.
    pub opponents: Option<Arc<Opponents>>,
    /// What made the games, in one line: version, settings, nets. A file is only continued by the same.
    pub origin: String,
}

/// What was played, and what the audits found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HerdPlayed {
    /// Games, results, moves.
    pub played: Played,
    /// New games in which a side would have given up and was made to play on.
    pub audited: u64,
    /// Those of them that it did not lose.
    pub wrong: u64,
    /// New games that an opponent lost by a move that the rules do not allow.
    pub illegal: u64,
}

/// A game on its way to the file.
struct Done {
    number: u64,
    record: GameRecord<String>,
    gave_up: Option<Side>,
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
pub fn selfplay_herd<G: Game, O: Oracle<G::Position> + Clone>(
    kit: &dyn Kit,
    plan: &HerdPlan,
    oracles: &[O],
    path: &Path,
    resume: bool,
    stop: &Interrupt,
    tell: &mut dyn FnMut(&HerdPlayed),
) -> Result<HerdPlayed, CircleError> {
    assert!(!oracles.is_empty(), "a herd needs an oracle");
    let name = path.display().to_string();
    let format = kit.format(&name).or_else(|| kit.formats().first().copied()).ok_or_else(|| CircleError::Mismatch {
        path: name.clone(),
        reason: format!("{} has no format of records", kit.name()),
    })?;
    let record_error = |error| CircleError::Record { path: name.clone(), error };
    let (Kept { done, whole }, mut writer) = open(path, format, plan.games, &plan.origin, resume)?;
    let mut told =
        HerdPlayed { played: Played { games: done, resumed: whole, ..Played::default() }, ..HerdPlayed::default() };
    tell(&told);
    let halt = AtomicBool::new(false);
    let count = oracles.len() as u64;
    // The next game of each oracle.
    let nexts: Vec<AtomicU64> = (0..count).map(|k| AtomicU64::new(done + (count + k - done % count) % count)).collect();
    let (sender, results) = mpsc::channel::<Result<Done, CircleError>>();
    thread::scope(|scope| {
        let opponents = plan.opponents.as_deref();
        let desks = opponents.map(|opponents| rivals::open(scope, opponents, (&plan.rules, stop, &halt)));
        for thread in 0..plan.threads.max(oracles.len()) {
            let (sender, halt, nexts, oracle) =
                (sender.clone(), &halt, &nexts, oracles[thread % oracles.len()].clone());
            let next = &nexts[thread % oracles.len()];
            let desks = desks.clone();
            scope.spawn(move || {
                let broken = || {
                    // Opponents that think look at `halt` alone.
                    halt.fetch_or(stop.is_raised(), Relaxed) || stop.is_raised()
                };
                let table = opponents.zip(desks).map(|(opponents, desks)| {
                    rivals::Table::<G>::new(opponents, &plan.rules, plan.openings.seed, desks)
                });
                let played = table.transpose().and_then(|mut table| {
                    let rivals: &mut dyn Rivals<G::Position> = match &mut table {
                        Some(table) => table,
                        None => &mut NoRivals,
                    };
                    drive::<G, O>(kit, plan, (oracle, rivals), (next, count), &broken, &sender)
                });
                if let Err(error) = played {
                    halt.store(true, Relaxed);
                    let _ = sender.send(Err(error));
                }
            });
        }
        drop((sender, desks));
        let (mut early, mut fault) = (BTreeMap::new(), None);
        for result in results {
            match result {
                Ok(game) => drop(early.insert(game.number, game)),
                Err(error) => fault = fault.or(Some(error)),
            }
            while fault.is_none()
                && let Some(mut game) = early.remove(&told.played.games)
            {
                let resumed = told.played.results;
                count_in(&mut told, &game);
                if game.number < whole {
                    // It was there, and was played again.
                    told.played.results = resumed;
                }
                tag(&mut game.record, game.number, &plan.origin);
                let written = if format.tells_unvalued() { Ok(game.record) } else { behind_opening(kit, game.record) };
                let written = written
                    .and_then(|record| writer.write(&record).and_then(|()| writer.flush()).map_err(record_error));
                fault = written.err();
                tell(&told);
            }
            if fault.is_some() {
                halt.store(true, Relaxed);
            }
        }
        fault.map_or(Ok(()), Err)
    })?;
    writer.finish().map_err(record_error)?;
    Ok(told)
}

fn count_in(told: &mut HerdPlayed, game: &Done) {
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
fn drive<G: Game, O: Oracle<G::Position>>(
    kit: &dyn Kit,
    plan: &HerdPlan,
    (mut oracle, rivals): (O, &mut dyn Rivals<G::Position>),
    (next, step): (&AtomicU64, u64),
    broken: &dyn Fn() -> bool,
    sender: &mpsc::Sender<Result<Done, CircleError>>,
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
        match plan.openings.begin(kit, &plan.rules, number).and_then(|opening| line_of::<G>(&plan.rules, &opening)) {
            Ok(line) => {
                let seed = Random::for_item(plan.openings.seed ^ 0x6865_7264, number).next_u64();
                Some(Beginning { number, line, seed })
            }
            Err(error) => {
                fault = Some(error);
                None
            }
        }
    };
    let ended = std::cell::RefCell::new(Vec::new());
    let mut done = |game: Finished<G::Position>| ended.borrow_mut().push(game);
    // Games are handed on at the next look at the clock.
    let result = play_herd(plan.batch, &plan.herd, &mut oracle, rivals, &mut begin, &mut done, &|| {
        for game in ended.borrow_mut().drain(..) {
            if sender.send(record_of::<G>(&plan.rules, game)).is_err() {
                return true;
            }
        }
        broken()
    });
    for game in ended.into_inner() {
        let _ = sender.send(record_of::<G>(&plan.rules, game));
    }
    if let Some(error) = fault {
        return Err(error);
    }
    result.map(|_| ()).map_err(|error| match error {
        HerdError::Rivals { number, words } => CircleError::Play { number: number + 1, what: words },
        HerdError::Oracle(error) => CircleError::Play { number: next.load(Relaxed), what: error.to_string() },
    })
}

/// The line that an opening makes.
fn line_of<G: Game>(rules: &str, opening: &Opening) -> Result<Line<G::Position>, CircleError> {
    let rules: G::Rules = rules.parse()?;
    let start = match &opening.start {
        Some(text) => G::Notation::parse_position(&rules, text)?,
        None => G::start(&rules),
    };
    let mut line = Line::new(start);
    for text in &opening.moves {
        let mv = G::Notation::parse_move(line.here(), text)?;
        line.push(mv);
    }
    Ok(line)
}

/// The record of a game, with values and visits.
fn record_of<G: Game>(rules: &str, game: Finished<G::Position>) -> Result<Done, CircleError> {
    let words = |_| CircleError::Play { number: game.number + 1, what: "a move without words".into() };
    let usual: G::Rules = rules.parse()?;
    let mut start = String::new();
    G::Notation::write_position(game.line.start(), &mut start).map_err(words)?;
    let mut usual_text = String::new();
    G::Notation::write_position(&G::start(&usual), &mut usual_text).map_err(words)?;
    let start = (start != usual_text).then_some(start);
    let mut here = Line::new(game.line.start().clone());
    let mut moves = Vec::with_capacity(game.line.len());
    for mv in game.line.moves() {
        let mut text = String::new();
        G::Notation::write_move(here.here(), mv, &mut text).map_err(words)?;
        moves.push(text);
        here.push(mv);
    }
    let mut record = GameRecord::from_moves(rules, start.as_deref(), moves);
    for (node, turn) in record.main_nodes().into_iter().skip(game.opening).zip(&game.turns) {
        let value = (!turn.visits.is_empty()).then_some(turn.value);
        *record.note_mut(node) = Note { value, nodes: turn.nodes, visits: turn.visits.clone(), ..Note::default() };
    }
    record.outcome = Some(game.outcome);
    Ok(Done { number: game.number, record, gave_up: game.gave_up })
}
