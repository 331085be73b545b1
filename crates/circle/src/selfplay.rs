//! Games for learning: many at once, written in the order of their numbers, continued where they were left.

use crate::{
    CircleError, DropRules, Dropped, Duelist, Openings,
    dropped::{DropReason, DroppedGames},
    game_file::{KeptGames, Shared, open, packing_of, tag},
    game_worker::{ATTEMPTS, Attempts, GameWorker, GamesOf},
    pool::in_order,
    selfplay_unit::play_on,
    unit_order::Halt,
};
use std::{path::Path, time::Instant};
use tesuji_arena::Conditions;
use tesuji_game::Side;
use tesuji_jobs::{Interrupt, PackedWriter, open_input, units::SharedCarrier};
use tesuji_kit::{Kit, endings};
use tesuji_record::{GameRecord, Note, RecordFormat, Records};

/// Characters that are shown of an engine's last line.
const EXCERPT: usize = 120;
/// Games in a row that stay without a result before the engine is taken not to work.
const VOID_IN_A_ROW: u64 = 3;

/// The games to play.
#[derive(Debug, Clone)]
pub struct SelfplayPlan {
    /// Games in all.
    pub games: u64,
    /// The player of both sides. An engine has a process for each of them, and a game that it ends by a fault is void: it is played
    /// again, and left out where that does not help.
    pub player: Duelist,
    /// The openings. Their seed decides everything.
    pub openings: Openings,
    /// The conditions of the games.
    pub conditions: Conditions,
    /// The games that are played and not written.
    pub drop: DropRules,
    /// Threads.
    pub jobs: usize,
    /// Begin no game after this.
    pub until: Option<Instant>,
    /// Reaches workers that play in place of threads.
    pub fleet: Option<SharedCarrier>,
    /// The origin of the games in one line: version, settings, weights. A file is only continued by the same.
    pub origin: String,
}

/// The games played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Played {
    /// Games played: those in the file, and those that were dropped.
    pub games: u64,
    /// Those that were played before.
    pub resumed: u64,
    /// Those that were dropped, before and now.
    pub dropped: Dropped,
    /// Moves of this run's games.
    pub plies: u64,
    /// Results of this run's games that were written: won by the first side, drawn, won by the second.
    pub results: [u64; 3],
}

impl Played {
    /// Games in the file.
    pub fn written(&self) -> u64 {
        self.games.saturating_sub(self.dropped.total())
    }
}

/// Plays the games of `plan` into the file `path`. Game `n` depends on the seed and `n` alone, so the file is the same
/// for any number of jobs and however often it was interrupted. Every game that is finished, and all before it, is
/// handed to the system at once. With `resume`, a file that is there is continued; without, it must not be there.
///
/// # Errors
/// When the file cannot be written, was made by something else, or a player fails.
///
/// # Examples
/// ```
/// use tesuji_circle::{DropRules, Openings, SelfplayPlan, Setup, conditions, selfplay};
/// use tesuji_four::FOUR;
/// use tesuji_jobs::Interrupt;
///
/// let plan = SelfplayPlan {
///     games: 2,
///     player: Setup::default().into(),
///     openings: Openings::random(4, 7),
///     conditions: conditions(50),
///     drop: DropRules::default(),
///     jobs: 1,
///     until: None,
///     fleet: None,
///     origin: "an example".into(),
/// };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("games.four");
/// let played = selfplay(&FOUR, &plan, &file, false, &Interrupt::new(), &mut |_| ())?;
/// assert_eq!(played.results.iter().sum::<u64>(), 2);
/// assert_eq!(std::fs::read_to_string(file)?.lines().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn selfplay(
    kit: &dyn Kit,
    plan: &SelfplayPlan,
    path: &Path,
    resume: bool,
    stop: &Interrupt,
    tell: &mut dyn FnMut(&Played),
) -> Result<Played, CircleError> {
    let warn = &mut |line: &str| tracing::warn!("{line}");
    selfplay_followed(kit, plan, (path, resume), stop, Listeners { follow: &mut (), tell, warn })
}

/// Hears of the games of a file as they are written to it, in order.
pub(crate) trait Follow {
    /// The file `own` is open; where it was there before, the games that it holds come first.
    fn begin(&mut self, own: (&Path, &dyn RecordFormat), resumed: bool, origin: &str) -> Result<(), CircleError>;

    /// The file got this game.
    fn add(&mut self, own: &dyn RecordFormat, game: &GameRecord<String>) -> Result<(), CircleError>;
}

/// Nobody.
impl Follow for () {
    fn begin(&mut self, _: (&Path, &dyn RecordFormat), _: bool, _: &str) -> Result<(), CircleError> {
        Ok(())
    }

    fn add(&mut self, _: &dyn RecordFormat, _: &GameRecord<String>) -> Result<(), CircleError> {
        Ok(())
    }
}

/// Who hears of games that are played.
pub(crate) struct Listeners<'a, T> {
    /// Gets the games.
    pub(crate) follow: &'a mut dyn Follow,
    /// Is told how many there are.
    pub(crate) tell: &'a mut dyn FnMut(&T),
    /// Is told in a line what is wrong with an engine.
    pub(crate) warn: &'a mut dyn FnMut(&str),
}

/// [`selfplay`] with one who follows it.
pub(crate) fn selfplay_followed(
    kit: &dyn Kit,
    plan: &SelfplayPlan,
    (path, resume): (&Path, bool),
    stop: &Interrupt,
    Listeners { follow, tell, warn }: Listeners<'_, Played>,
) -> Result<Played, CircleError> {
    let name = path.display().to_string();
    let format = kit.format(&name).or_else(|| kit.formats().first().copied()).ok_or_else(|| CircleError::Mismatch {
        path: name.clone(),
        reason: format!("{} has no format of records", kit.name()),
    })?;
    let record_error = |error| CircleError::Record { path: name.clone(), error };
    // An engine may leave games without a result: their numbers are kept, so that a run that goes on knows those of the others.
    let drop = DropRules { faulty: plan.player.is_foreign(), ..plan.drop };
    let mut dropped = DroppedGames::read(path, drop, resume)?;
    let (KeptGames { done, whole }, mut writer) = open((path, format), (plan.games, &dropped), &plan.origin, resume)?;
    dropped = dropped.open(path, drop, done)?;
    follow.begin((path, format), done > 0, &plan.origin)?;
    let mut played = Played { games: done, resumed: whole, dropped: dropped.counts, ..Played::default() };
    tell(&played);
    let enough = || stop.is_raised() || plan.until.is_some_and(|until| Instant::now() >= until);
    let mut doubts = Doubts::default();
    let mut take = |number: u64, attempts: Attempts| -> Result<(), CircleError> {
        played.games += 1;
        doubts.look(number, &attempts, warn)?;
        let Some(mut record) = attempts.played.map(|played| played.record) else {
            dropped.add(number, DropReason::Faulty)?;
            played.dropped = dropped.counts;
            tell(&played);
            return Ok(());
        };
        // One that was there and was played again is not new.
        let is_new = number >= whole;
        played.plies += if is_new { record.plies() as u64 } else { 0 };
        if let Some(reason) = plan.drop.reason(&record, plan.conditions.adjudication.plies_max) {
            dropped.add(number, reason)?;
            played.dropped = dropped.counts;
            tell(&played);
            return Ok(());
        }
        label(&mut record, number, &plan.origin);
        if !format.tells_unvalued() {
            record = behind_opening(kit, record)?;
        }
        writer.write(&record).and_then(|()| writer.flush()).map_err(record_error)?;
        follow.add(format, &record)?;
        let score = record.outcome.map_or(0.5, |o| o.score(Side::First));
        played.results[2 - (2.0 * score) as usize] += u64::from(is_new);
        tell(&played);
        Ok(())
    };
    let games = done..plan.games.max(done);
    let of = GamesOf { player: &plan.player, openings: &plan.openings, conditions: &plan.conditions };
    match &plan.fleet {
        Some(fleet) => play_on(fleet, (kit, of), games, &Halt { stop, enough: &enough }, &mut take)?,
        None => {
            let worker = || Ok(GameWorker { kit, plan: of, stop, sides: None });
            let work = |worker: &mut GameWorker<'_>, number| worker.play_one(number);
            in_order(plan.jobs, games, &enough, &worker, &work, &mut take)?;
        }
    }
    writer.finish().map_err(record_error)?;
    Ok(played)
}

/// What is doubtful about an engine's games, each told in a line.
#[derive(Default)]
struct Doubts {
    /// Games without a result since the last one with one.
    void_in_a_row: u64,
    told_scores: bool,
    told_nodes: bool,
}

impl Doubts {
    /// Tells what is wrong with game `number`.
    ///
    /// # Errors
    /// When too many games in a row have no result.
    fn look(&mut self, number: u64, attempts: &Attempts, warn: &mut dyn FnMut(&str)) -> Result<(), CircleError> {
        let number = number + 1;
        let name = |side: Side| if side == Side::First { "first" } else { "second" };
        for (attempt, (side, fault)) in attempts.faults.iter().enumerate() {
            let last = fault.last_lines.last().map_or(String::new(), |line| {
                let line: String = line.chars().take(EXCERPT).collect();
                format!("; it last wrote {line:?}")
            });
            let next = if attempt + 1 < ATTEMPTS { "it is played again" } else { "it is left out" };
            warn(&format!("game {number} is void by a fault of the {} side: {fault}{last}; {next}", name(*side)));
        }
        let Some(played) = &attempts.played else {
            self.void_in_a_row += 1;
            if self.void_in_a_row < VOID_IN_A_ROW {
                return Ok(());
            }
            let last = attempts.faults.last().map_or(String::new(), |(_, fault)| fault.to_string());
            let words = format!(
                "{VOID_IN_A_ROW} games in a row are void after {ATTEMPTS} attempts each; the last fault: {last}"
            );
            return Err(CircleError::Engine(format!("the engine does not work: {words}")));
        };
        self.void_in_a_row = 0;
        if is_unscored(&played.record) && played.used.iter().any(|used| used.moves > 0) && !self.told_scores {
            self.told_scores = true;
            warn(&format!(
                "game {number}: the engine told no score for any of its moves; such games have moves and results alone, and \
                 formats with a score for each move leave them out"
            ));
        }
        if let Some(used) = played.used.iter().find(|used| used.excess_moves > 0).filter(|_| !self.told_nodes) {
            self.told_nodes = true;
            let most = used.nodes_most;
            warn(&format!("game {number}: the engine searches more nodes than it is asked to, {most} for a move"));
        }
        Ok(())
    }
}

/// Whether no move of a game has a score.
pub(crate) fn is_unscored(game: &GameRecord<String>) -> bool {
    game.notes.iter().all(|note| note.value.is_none())
}

/// The tags of game `number`. What depends on the clock goes: same seed, same bytes.
fn label(record: &mut GameRecord<String>, number: u64, origin: &str) {
    for note in &mut record.notes {
        *note = Note { value: note.value, ..Note::default() };
    }
    tag(record, number, origin);
}

/// Writes the games of the file `from` in the format of the file `to` (by its ending), whole or not at all. Where a move
/// without a value would look like one of value 0, games begin behind their opening. Returns how many they are; `None` when
/// it was stopped.
///
/// # Errors
/// When `to` has no format of the game, or a file cannot be read or written.
///
/// # Examples
///
/// ```
/// use tesuji_arena::Output;
/// use tesuji_circle::export;
/// use tesuji_four::{FOUR, Lines};
/// use tesuji_jobs::Interrupt;
/// use tesuji_record::GameRecord;
/// let folder = tempfile::tempdir()?;
/// let [from, to] = ["games.four", "more.four"].map(|name| folder.path().join(name));
/// let mut output = Output::open(&from, &Lines, None)?;
/// let tail = output.render(&GameRecord::from_moves("", None, ["4", "4"].map(str::to_string)))?;
/// output.append(&tail)?;
/// assert_eq!(export(&FOUR, &from, &to, &Interrupt::new())?, Some(1));
/// assert_eq!(std::fs::read(&to)?, tail.bytes);
/// assert!(export(&FOUR, &from, &folder.path().join("games.pgn"), &Interrupt::new()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(kit: &dyn Kit, from: &Path, to: &Path, stop: &Interrupt) -> Result<Option<u64>, CircleError> {
    let format = |path: &Path| {
        let name = path.display().to_string();
        kit.format(&name).ok_or_else(|| CircleError::Mismatch {
            reason: format!("no format of {} ends so; there are: {}", kit.name(), endings(kit)),
            path: name,
        })
    };
    let at = |path: &Path, error| CircleError::Record { path: path.display().to_string(), error };
    let (read, write) = (format(from)?, format(to)?);
    let input = open_input(from).map_err(|e| CircleError::file(from, e))?;
    let out = Shared::create(to)?;
    let mut writer = write.writer(Box::new(PackedWriter::new(packing_of(to)?, out.clone())));
    let mut count = 0;
    for game in Records::new(read.reader(input)) {
        if stop.is_raised() {
            return Ok(None);
        }
        let mut game = game.map_err(|e| at(from, e))?;
        if !write.tells_unvalued() {
            game = behind_opening(kit, game)?;
        }
        writer.write(&game).map_err(|e| at(to, e))?;
        count += 1;
    }
    writer.finish().map_err(|e| at(to, e))?;
    out.commit(to)?;
    Ok(Some(count))
}

/// A game that begins where its values do.
pub(crate) fn behind_opening(kit: &dyn Kit, game: GameRecord<String>) -> Result<GameRecord<String>, CircleError> {
    let line = game.main_nodes();
    let unvalued = line.iter().take_while(|&&node| game.note(node).value.is_none()).count();
    if unvalued == 0 || unvalued == line.len() {
        return Ok(game);
    }
    let moves = game.main_line();
    let mut table = kit.table(&game.rules, game.start.as_deref())?;
    for mv in &moves[..unvalued] {
        table.play(mv)?;
    }
    let mut behind = GameRecord::from_moves(&game.rules, Some(&table.position()), moves[unvalued..].iter().cloned());
    for (node, old) in behind.main_nodes().into_iter().zip(&line[unvalued..]) {
        behind.note_mut(node).clone_from(game.note(*old));
    }
    (behind.outcome, behind.tags) = (game.outcome, game.tags);
    Ok(behind)
}
