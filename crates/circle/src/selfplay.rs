//! Games for learning: many at once, written in the order of their numbers, continued where they were left.

use crate::{CircleError, DropRules, Dropped, LocalContestant, Openings, Setup, dropped::DroppedGames, pool::in_order};
use std::{
    borrow::Cow,
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};
use tesuji_arena::{Conditions, NoGame, play_game};
use tesuji_game::{By, Outcome, Side};
use tesuji_jobs::{
    AtomicFile, Existing, Interrupt, SummedOutput, changed_part, check_sums, is_special, open_alone, open_input,
    open_log, open_output, sums_file,
};
use tesuji_kit::{Kit, endings};
use tesuji_record::{GameRecord, Note, RecordFormat, RecordWriter, Records, SharedBuffer};

/// A file without any whole game is a torn first one when it is no longer than this, in bytes.
const TORN_MAX: u64 = 4096;

/// The games to play.
#[derive(Debug, Clone)]
pub struct SelfplayPlan {
    /// Games in all.
    pub games: u64,
    /// The players.
    pub setup: Setup,
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
///     setup: Setup::default(),
///     openings: Openings::random(4, 7),
///     conditions: conditions(50),
///     drop: DropRules::default(),
///     jobs: 1,
///     until: None,
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
    selfplay_followed(kit, plan, (path, resume), stop, Listeners { follow: &mut (), tell })
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
}

/// [`selfplay`] with one who follows it.
pub(crate) fn selfplay_followed(
    kit: &dyn Kit,
    plan: &SelfplayPlan,
    (path, resume): (&Path, bool),
    stop: &Interrupt,
    Listeners { follow, tell }: Listeners<'_, Played>,
) -> Result<Played, CircleError> {
    let name = path.display().to_string();
    let format = kit.format(&name).or_else(|| kit.formats().first().copied()).ok_or_else(|| CircleError::Mismatch {
        path: name.clone(),
        reason: format!("{} has no format of records", kit.name()),
    })?;
    let record_error = |error| CircleError::Record { path: name.clone(), error };
    let mut dropped = DroppedGames::read(path, plan.drop, resume)?;
    let (KeptGames { done, whole }, mut writer) = open((path, format), (plan.games, &dropped), &plan.origin, resume)?;
    dropped = dropped.open(path, plan.drop, done)?;
    follow.begin((path, format), done > 0, &plan.origin)?;
    let mut played = Played { games: done, resumed: whole, dropped: dropped.counts, ..Played::default() };
    tell(&played);
    let enough = || stop.is_raised() || plan.until.is_some_and(|until| Instant::now() >= until);
    let worker = || Ok([plan.setup.contestant(kit, "first")?, plan.setup.contestant(kit, "second")?]);
    let work = |contestants: &mut [LocalContestant; 2], number| play_one(kit, plan, contestants, number, stop);
    in_order(plan.jobs, done..plan.games.max(done), &enough, &worker, &work, &mut |number, mut record| {
        played.games += 1;
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
    })?;
    writer.finish().map_err(record_error)?;
    Ok(played)
}

/// Game `number`; `None` when it was stopped.
fn play_one(
    kit: &dyn Kit,
    plan: &SelfplayPlan,
    contestants: &mut [LocalContestant; 2],
    number: u64,
    stop: &Interrupt,
) -> Result<Option<GameRecord<String>>, CircleError> {
    let [first, second] = contestants;
    let mut conditions = Cow::Borrowed(&plan.conditions);
    if let Some(rules) = plan.openings.shuffled_rules(number) {
        conditions.to_mut().rules = rules.to_string();
    }
    let rules = &conditions.rules;
    let drawn = plan.openings.draw(kit, rules, number, first.player.as_mut(), stop.flag())?;
    let Some(opening) = drawn else { return Ok(None) };
    match play_game(kit, &opening, [first, second], &conditions, stop.flag()) {
        Ok(played) => match played.fault {
            None => Ok(Some(played.record)),
            Some((_, fault)) => Err(CircleError::Play { number: number + 1, what: fault.to_string() }),
        },
        Err(NoGame::Stopped) => Ok(None),
        Err(no_game) => Err(CircleError::Play { number: number + 1, what: format!("{no_game:?}") }),
    }
}

/// The tags of game `number`. What depends on the clock goes: same seed, same bytes.
fn label(record: &mut GameRecord<String>, number: u64, origin: &str) {
    for note in &mut record.notes {
        *note = Note { value: note.value, ..Note::default() };
    }
    tag(record, number, origin);
}

/// The tags of game `number`, by which a file that was left is continued.
pub(crate) fn tag(record: &mut GameRecord<String>, number: u64, origin: &str) {
    record.tags.clear();
    record.set_tag("Label", format!("g{}", number + 1));
    record.set_tag("Origin", origin);
}

/// Counts of the games of a file that is continued, those that were dropped included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct KeptGames {
    /// Games that stay as they are: the number of the first game that is played.
    pub(crate) done: u64,
    /// Games that were there: those that stay, and a last one that is played again and comes out the same.
    pub(crate) whole: u64,
}

/// Opens the file for appending. What is there is read and written again without its last game, which may be torn: it
/// will be played again, and be the same. Each flush of the writer fails when the file was
/// deleted meanwhile.
pub(crate) fn open(
    (path, format): (&Path, &dyn RecordFormat),
    (games, dropped): (u64, &DroppedGames),
    origin: &str,
    resume: bool,
) -> Result<(KeptGames, Box<dyn RecordWriter>), CircleError> {
    let file_error = |e| CircleError::file(path, e);
    let taken = || CircleError::Mismatch {
        path: path.display().to_string(),
        reason: "another run writes this file; wait for its end, or name another file".into(),
    };
    if path.exists() && resume {
        // Held until the file that takes its place is ours, too.
        let held = match is_special(path) {
            true => None,
            false => Some(open_alone(path).map_err(file_error)?.ok_or_else(taken)?),
        };
        let kept = repair((path, format), (games, dropped), origin)?;
        let file = open_output(path, Existing::Append).map_err(file_error)?;
        // Where nothing was exchanged, it is the file that is held: the writer holds it from now on.
        drop(held);
        return match file.lock().map_err(file_error)? {
            true => Ok((kept, format.writer(Box::new(SummedOutput::begin(file).map_err(file_error)?)))),
            false => Err(taken()),
        };
    }
    let beside = sums_file(path);
    check_sums(path).map_err(|e| CircleError::file(&beside, e))?;
    let file = open_log(path).map_err(file_error)?;
    if !file.lock().map_err(file_error)? {
        return Err(taken());
    }
    if !format.keeps_tags() {
        let beside = origin_file(path);
        AtomicFile::write(&beside, origin.as_bytes()).map_err(|e| CircleError::file(&beside, e))?;
    }
    let file = SummedOutput::begin(file).map_err(file_error)?;
    Ok((KeptGames::default(), format.writer(Box::new(file))))
}

/// The origin of the games of the file `path`, from the tag of the first; `None` where it is not known.
///
/// # Examples
///
/// ```
/// use tesuji_circle::{DropRules, Openings, SelfplayPlan, Setup, conditions, origin_of, selfplay};
/// use tesuji_four::FOUR;
/// use tesuji_jobs::Interrupt;
/// let plan = SelfplayPlan {
///     games: 1,
///     setup: Setup::default(),
///     openings: Openings::random(4, 7),
///     conditions: conditions(50),
///     drop: DropRules::default(),
///     jobs: 1,
///     until: None,
///     origin: "an example".into(),
/// };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("games.four");
/// selfplay(&FOUR, &plan, &file, false, &Interrupt::new(), &mut |_| ())?;
/// assert_eq!(origin_of(&FOUR, &file).as_deref(), Some("an example"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn origin_of(kit: &dyn Kit, path: &Path) -> Option<String> {
    if let Ok(origin) = std::fs::read_to_string(origin_file(path)) {
        return Some(origin);
    }
    let format = kit.format(&path.display().to_string()).or_else(|| kit.formats().first().copied())?;
    let game = format.reader(open_input(path).ok()?).read().ok()??;
    game.tag("Origin").map(str::to_string)
}

/// The file with the origin of games whose format keeps no tags.
fn origin_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".origin");
    name.into()
}

/// A file that a boxed writer fills and its maker commits.
#[derive(Clone)]
struct Shared(Arc<Mutex<AtomicFile>>);

impl Shared {
    fn create(path: &Path) -> Result<Shared, CircleError> {
        let file = AtomicFile::create(path).map_err(|e| CircleError::file(path, e))?;
        Ok(Shared(Arc::new(Mutex::new(file))))
    }

    /// Puts the file in its place. The writer that filled it is gone.
    fn commit(self, path: &Path) -> Result<(), CircleError> {
        match Arc::try_unwrap(self.0) {
            Ok(file) => file.into_inner().unwrap_or_else(PoisonError::into_inner).commit(),
            Err(_) => Err(io::Error::other("its writer still holds it")),
        }
        .map_err(|e| CircleError::file(path, e))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether the file begins as its first game does, which has this number and is made by `origin`, so that it can be what was left of one; an empty file is.
fn begins_ours(path: &Path, format: &dyn RecordFormat, number: u64, origin: &str) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(TORN_MAX).read_to_end(&mut head)?;
    let outcomes =
        [Some(Side::First), Some(Side::Second), None].map(|winner| Some(Outcome { winner, by: By::Adjudication }));
    Ok([None].into_iter().chain(outcomes).any(|outcome| {
        let mut game = GameRecord::from_moves("", None, []);
        game.outcome = outcome;
        tag(&mut game, number, origin);
        let Some(text) = written(format, &game) else { return head.is_empty() };
        let until =
            text.windows(origin.len()).position(|part| part == origin.as_bytes()).map_or(0, |at| at + origin.len());
        let ours = &text[..until];
        head.starts_with(ours) && until > 0 || ours.starts_with(&head)
    }))
}

/// A game as the format writes it.
pub(crate) fn written(format: &dyn RecordFormat, game: &GameRecord<String>) -> Option<Vec<u8>> {
    let bytes = SharedBuffer::default();
    let mut writer = format.writer(Box::new(bytes.clone()));
    writer.write(game).and_then(|()| writer.flush()).ok()?;
    drop(writer);
    Some(bytes.take())
}

/// Keeps the games that are certainly whole: all but the last. A file with more games than are wanted, with games behind
/// a broken one, or of another maker is left as it is.
fn repair(
    (path, format): (&Path, &dyn RecordFormat),
    (games, dropped): (u64, &DroppedGames),
    origin: &str,
) -> Result<KeptGames, CircleError> {
    let name = path.display().to_string();
    let record_error = |error| CircleError::Record { path: name.clone(), error };
    let file = File::open(path).map_err(|e| CircleError::file(path, e))?;
    let length = file.metadata().map_err(|e| CircleError::file(path, e))?.len();
    let mut reader = format.reader(Box::new(io::BufReader::new(file)));
    let kept = Shared::create(path)?;
    let mut writer = format.writer(Box::new(kept.clone()));
    // The number of the last game that was read.
    let mut done = dropped.next_written(0);
    let mut last: Option<GameRecord<String>> = None;
    let beside = match format.keeps_tags() {
        true => None,
        false => std::fs::read_to_string(origin_file(path)).ok(),
    };
    let other = |found: Option<&str>| {
        let found = found.unwrap_or("nothing of ours");
        let reason = format!("cannot go on with games of other settings\n  there: {found}\n  here:  {}", origin);
        CircleError::Mismatch { path: name.clone(), reason }
    };
    let out_of_order = |number: u64, label: &str| CircleError::Mismatch {
        path: name.clone(),
        reason: format!(
            "game {number} should have the label g{number} and has {label}: games before it were removed, or moved. Nothing was \
             changed"
        ),
    };
    let refused = |reason: String| CircleError::Mismatch { path: name.clone(), reason };
    loop {
        let game = match reader.read() {
            Ok(Some(game)) => game,
            Ok(None) => break,
            // A torn game is the last one.
            Err(error) => match reader.read() {
                Ok(Some(game)) if game.plies() > 0 => {
                    let number = if last.is_some() { dropped.next_written(done + 1) } else { done } + 1;
                    return Err(refused(format!(
                        "game {number} is broken ({error}) and others follow it; mend or remove it. Nothing was changed"
                    )));
                }
                _ => break,
            },
        };
        if let Some(game) = last.replace(game) {
            let label = game.tag("Label").is_none_or(|label| label == format!("g{}", done + 1));
            let found = beside.as_deref().or(game.tag("Origin"));
            if found != Some(origin) {
                return Err(other(found));
            }
            if !label {
                return Err(out_of_order(done + 1, game.tag("Label").unwrap_or("none")));
            }
            writer.write(&game).map_err(record_error)?;
            done = dropped.next_written(done + 1);
        }
        if done >= games {
            return Err(refused(format!(
                "it holds more than the {games} games that are asked for; ask for more, or name another file. Nothing was changed"
            )));
        }
    }
    // It will be played again, but nobody else's: what is left of it must begin as ours do.
    let found = beside.as_deref().or(last.as_ref().and_then(|game| game.tag("Origin")));
    let is_ours = || begins_ours(path, format, done, origin).map_err(|e| CircleError::file(path, e));
    let torn = match &last {
        Some(game) => game.plies() == 0,
        None => length <= TORN_MAX && is_ours()?,
    };
    if found != Some(origin) && !(torn && origin.starts_with(found.unwrap_or_default())) {
        return Err(other(found));
    }
    check_unchanged((path, format))?;
    writer.finish().map_err(record_error)?;
    kept.commit(path)?;
    Ok(KeptGames { done, whole: done + u64::from(last.is_some_and(|game| game.outcome.is_some())) })
}

/// Checks that the games in the file are those that were written, as far as they have checksums.
fn check_unchanged((path, format): (&Path, &dyn RecordFormat)) -> Result<(), CircleError> {
    let beside = sums_file(path);
    if !beside.exists() && !is_special(path) {
        tracing::warn!(
            target: "circle",
            "{}: its checksums are not there ({}); its games are taken as they stand",
            path.display(),
            beside.display()
        );
    }
    let Some(part) = changed_part(path).map_err(|e| CircleError::file(&beside, e))? else { return Ok(()) };
    let before = File::open(path).map_err(|e| CircleError::file(path, e))?.take(part.start);
    let unchanged = Records::new(format.reader(Box::new(io::BufReader::new(before)))).take_while(Result::is_ok).count();
    let reason = format!(
        "game {} in it is not as this run wrote it (bytes {} to {}); put the file back as it was, or name another one; without {} the \
         run goes on with what is there. Nothing was changed",
        unchanged + 1,
        part.start,
        part.end,
        beside.display()
    );
    Err(CircleError::Mismatch { path: path.display().to_string(), reason })
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
    let mut writer = write.writer(Box::new(out.clone()));
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
