//! Going on with a match that was stopped or is over, and making it longer.

use crate::journal_choice::{MATCH, journal_to_resume};
use crate::opening_files::{from_text, to_text};
use crate::output::content_of;
use crate::plan::MATCH_ID;
use crate::request_error::{Context as _, refuse};
use crate::{Book, Journal, Match, MatchPlan, MatchRequest, Output, Tail};
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use tesuji_game::{By, Outcome, Side};
use tesuji_jobs::Packing;
use tesuji_kit::Kit;
use tesuji_kit::RequestError;
use tesuji_record::{GameRecord, RecordFormat, Records};

/// The most that is read of a file for one game. What was there before a match may be of any size.
const GAME_BYTES_MAX: u64 = 1 << 20;

/// A match as its journal remembers it.
///
/// # Examples
///
/// A match of two games becomes one of six:
///
/// ```
/// use tesuji_arena::{MatchRequest, OwnProgram, Resumed, begin_journal, built_in_openings};
/// use tesuji_four::FOUR;
/// let folder = tempfile::tempdir()?;
/// let text = r#"{ "game": "four", "engines": [{ "name": "new" }, { "name": "old" }], "nodes": 500, "games": 2 }"#;
/// let mut request = MatchRequest::from_json(text)?;
/// let own = OwnProgram { path: "tesuji".into(), words: vec!["uci".into()], version: "1.0".into() };
/// let openings = request.openings(&FOUR, 7, 1, &mut |_| ())?;
/// let path = folder.path().join("match.journal");
/// drop(begin_journal(&path, &[], 7, (&request, &request.plan(&FOUR, &own, openings)?))?);
/// let mut resumed = Resumed::open(&path, &mut |_| ())?;
/// assert_eq!(resumed.openings.len(), 1);
/// resumed.extend(&FOUR, &mut request, 6, vec!["--games".to_string(), "6".to_string()])?;
/// assert_eq!((request.games(), resumed.openings.len()), (6, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Resumed {
    /// The journal.
    pub journal: Journal,
    /// Its file.
    pub path: PathBuf,
    /// The words in which the match was asked for.
    pub words: Vec<String>,
    /// The seed of all that is random.
    pub seed: u64,
    /// The openings in their order.
    pub openings: Book,
    /// The folder in which the match was begun: paths count from there.
    pub folder: PathBuf,
    /// The match's identifier in records; earlier versions gave none.
    pub id: Option<String>,
}

impl Resumed {
    /// Opens the journal of a match, or that of the one match in a folder that is not over; `tell` hears its name.
    ///
    /// # Errors
    /// When there is none, or no match was begun in it; when several are not over.
    pub fn open(path: &Path, tell: &mut dyn FnMut(&str)) -> Result<Resumed, RequestError> {
        if path.is_dir() {
            return Resumed::open(&journal_to_resume(path, tell)?, tell);
        }
        if !path.exists() {
            refuse!("{}: there is no such journal", path.display());
        }
        let path = path.canonicalize()?;
        let journal = Journal::open(&path).context(path.display())?;
        let setting = |name: &str| -> Result<String, RequestError> {
            match journal.setting(name)? {
                Some(value) => Ok(value),
                None => refuse!("{}: the journal does not say {name}: no match was begun in it", path.display()),
            }
        };
        let words = serde_json::from_str(&setting("arguments")?)?;
        let seed = setting("seed")?.parse().map_err(RequestError::failed)?;
        let openings = from_text(&setting("openings")?)?;
        let folder = PathBuf::from(setting("folder")?);
        let id = journal.setting(MATCH)?;
        Ok(Resumed { journal, path, words, seed, openings, folder, id })
    }

    /// Notes in the journal that every pairing plays `games` games, which `words` ask for: those that it would have played, had it
    /// been so long from the beginning. `asked` is the match as it was.
    ///
    /// # Errors
    /// When the match cannot be made longer.
    pub fn extend(
        &mut self,
        kit: &dyn Kit,
        asked: &mut MatchRequest,
        games: u64,
        words: Vec<String>,
    ) -> Result<(), RequestError> {
        let had = asked.games();
        let schedule = asked.schedule(1)?;
        if schedule.is_knockout() {
            return Err(RequestError::value("games", games, "a knockout is over when somebody has won it"));
        }
        if schedule.is_swiss() {
            return Err(RequestError::value("games", games, "a Swiss tournament keeps the length that it began with"));
        }
        if games < had {
            return Err(RequestError::value(
                "games",
                games,
                format_args!("the match is of {had}, and what is played stays"),
            ));
        }
        if schedule.is_paired() && had % 2 == 1 {
            return Err(RequestError::value(
                "games",
                games,
                format_args!("a match of {had} games ends with half a pair and cannot be made longer"),
            ));
        }
        asked.games = Some(games);
        // A match with fewer openings than rounds has used all that there are.
        if self.openings.len() as u64 >= schedule.rounds() {
            let more = asked.openings(kit, self.seed, asked.schedule(1)?.rounds(), &mut |_| ())?;
            let begins_alike = self.openings.iter().zip(more.iter()).all(|(had, has)| had == has);
            if !begins_alike || more.len() < self.openings.len() {
                return Err(RequestError::value(
                    "games",
                    games,
                    "the openings are not those that the match began with",
                ));
            }
            self.openings = more;
        }
        let text = serde_json::to_string(&words)?;
        self.journal.set(&[("arguments", &text), ("openings", &to_text(&self.openings)?), ("over", "no")])?;
        self.words = words;
        Ok(())
    }
}

/// Opens the output files behind what is in them.
///
/// # Errors
/// Those of the file system, and a format in which the game is not written.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{MatchRequest, OutputRequest, open_outputs};
/// use tesuji_four::FOUR;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("games.four");
/// let mut request = MatchRequest { game: "four".into(), ..MatchRequest::default() };
/// request.outputs.push(OutputRequest { format: "four".into(), file: file.clone() });
/// assert_eq!(open_outputs(&FOUR, &request, &[])?.len(), 1);
/// std::fs::write(&file, "a diary\n")?;
/// assert!(open_outputs(&FOUR, &request, &[]).is_err(), "nothing is appended to what is no file of games");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open_outputs(kit: &dyn Kit, asked: &MatchRequest, tails: &[Tail]) -> Result<Vec<Output>, RequestError> {
    let open = |(index, (path, format))| Ok(Output::open(path, format, tails.get(index))?);
    asked.outputs(kit)?.into_iter().enumerate().map(open).collect()
}

/// Looks for games of this match behind what the journal knows of its files: a journal that was damaged or put back from an old copy
/// has lost them, and they would be played and counted twice. Games of other matches may stand there, of the same players as well: they
/// have another identifier or, where this match has none, one at all or another event.
///
/// # Errors
/// When there are such games, or a file cannot be read.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{
///     Journal, Match, MatchRequest, OutputRequest, OwnProgram, Tail, built_in_openings, check_for_lost_games, open_outputs,
/// };
/// use tesuji_four::FOUR;
/// use tesuji_record::GameRecord;
/// let folder = tempfile::tempdir()?;
/// let text = r#"{ "game": "four", "engines": [{ "name": "new" }, { "name": "old" }], "nodes": 500, "games": 2 }"#;
/// let mut request = MatchRequest::from_json(text)?;
/// request.outputs.push(OutputRequest { format: "four".into(), file: folder.path().join("games.four") });
/// let own = OwnProgram { path: "tesuji".into(), words: vec!["uci".into()], version: "1.0".into() };
/// let plan = request.plan(&FOUR, &own, built_in_openings(&FOUR, "").iter().collect())?;
/// let journal = Journal::in_memory()?;
/// let running = Match::new(&plan, &journal)?;
/// let mut outputs = open_outputs(&FOUR, &request, &[])?;
/// let tails = [Tail::default()];
/// assert_eq!(check_for_lost_games(&FOUR, &request, (&plan, &running), &tails), Ok(()));
/// // The first game of this match, of which the journal knows nothing.
/// let mut record = GameRecord::from_moves("", None, ["4", "4"].map(str::to_string));
/// let [first, second] = plan.side_tags;
/// for (tag, value) in [("Event", "Tesuji match"), ("Round", "1.1"), (first, "new"), (second, "old")] {
///     record.set_tag(tag, value);
/// }
/// let tail = outputs[0].render(&record)?;
/// outputs[0].append(&tail)?;
/// assert!(check_for_lost_games(&FOUR, &request, (&plan, &running), &tails).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_for_lost_games(
    kit: &dyn Kit,
    asked: &MatchRequest,
    (plan, running): (&MatchPlan<'_>, &Match<'_>),
    tails: &[Tail],
) -> Result<(), RequestError> {
    let names: Vec<&str> = plan.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let tag = |name: &str| plan.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
    let is_lost = |record: &GameRecord<String>| {
        let is_ours = record.tag(MATCH_ID) == plan.id() && record.tag("Event") == tag("Event");
        let by_ours = plan.side_tags.iter().all(|tag| record.tag(tag).is_some_and(|name| names.contains(&name)));
        let game = record.tag("Round").and_then(|round| round.split_once('.')?.1.parse::<u64>().ok());
        is_ours && by_ours && game.is_some_and(|game| game > 0 && running.is_open(game - 1))
    };
    for ((path, format), tail) in asked.outputs(kit)?.into_iter().zip(tails) {
        let known = tail.start + tail.bytes.len() as u64;
        let mut file = File::open(path)?;
        if !format.keeps_tags() || file.seek(SeekFrom::Start(known))? >= file.metadata()?.len() {
            continue;
        }
        let lost = Records::new(format.reader(content_of(path, file)?)).filter_map(Result::ok).filter(is_lost).count();
        if lost > 0 {
            refuse!(
                "{path}: from byte {known} on it holds {lost} games of this match that the journal does not know: the journal was \
                 damaged, or is an older copy. Put the right one back; or move these games into another file, cut this one to \
                 {known} bytes, and go on: they are played again",
                path = path.display()
            );
        }
    }
    Ok(())
}

/// Compares the results in the output files with those of the journal, which are counted: files are edited by hand.
///
/// # Errors
/// When a result was changed, or a file cannot be read.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::{Finished, Journal, MatchRequest, OutputRequest, Used, check_results, open_outputs};
/// use tesuji_four::FOUR;
/// use tesuji_game::{By, Outcome, Side};
/// use tesuji_record::GameRecord;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("games.four");
/// let mut request = MatchRequest { game: "four".into(), ..MatchRequest::default() };
/// request.outputs.push(OutputRequest { format: "four".into(), file: file.clone() });
/// let moves: Vec<String> = ["1", "2", "1", "2", "1", "2", "1"].map(str::to_string).into();
/// let outcome = Outcome::win(Side::First, By::Mate);
/// let (mut journal, mut outputs) = (Journal::in_memory()?, open_outputs(&FOUR, &request, &[])?);
/// let record = GameRecord { outcome: Some(outcome), ..GameRecord::from_moves("", None, moves.iter().cloned()) };
/// let tail = outputs[0].render(&record)?;
/// let (fault, used, duration) = (None, [Used::default(); 2], Duration::from_secs(1));
/// let game = Finished { game: 0, outcome, fault, plies: 7, duration, used, moves, values: Vec::new() };
/// journal.add(&game, std::slice::from_ref(&tail))?;
/// outputs[0].append(&tail)?;
/// assert_eq!(check_results(&FOUR, &request, &journal), Ok(()));
/// // Somebody has given the game to the other side.
/// std::fs::write(&file, std::fs::read_to_string(&file)?.replace('x', "o"))?;
/// assert!(check_results(&FOUR, &request, &journal).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_results(kit: &dyn Kit, asked: &MatchRequest, journal: &Journal) -> Result<(), RequestError> {
    let games = journal.ends()?;
    for (index, (path, format)) in asked.outputs(kit)?.into_iter().enumerate() {
        let (mut file, mut at) = (BufReader::new(File::open(path)?), 0);
        for game in &games {
            // Journals of earlier versions do not say where games end.
            let Some(length) = game.ends.get(index).and_then(|end| end.checked_sub(at)) else { break };
            at += length;
            let Some(said) = last_of_piece((path, &mut file), length, format)? else { continue };
            let winner = |outcome: Outcome| winner_text(kit.side_tags(), outcome.winner);
            let (said, known) = match said.outcome {
                Some(said) if said.winner != game.outcome.winner => (winner(said), winner(game.outcome)),
                // Files of positions hold the last one alone, and no result that is read.
                None if said.plies() == 0 => continue,
                // A game that does not count may have no result in the file.
                None if game.outcome.by != By::Void => ("it has no result".to_string(), winner(game.outcome)),
                _ => continue,
            };
            refuse!(
                "{path}: of game {number} it says that {said}, and the journal that {known}: one of the two was changed. The journal \
                 counts: put back what the file was, or write the result of game {number} into it as the journal has it, and go on",
                path = path.display(),
                number = game.game + 1
            );
        }
    }
    Ok(())
}

/// The last game in the next `length` bytes of `file`, which is left behind them. What was there before a match stands before its first
/// game: where that is long, its end is enough for formats of text, whose readers find the next game by its tags.
fn last_of_piece(
    (path, file): (&Path, &mut BufReader<File>),
    length: u64,
    format: &dyn RecordFormat,
) -> Result<Option<GameRecord<String>>, RequestError> {
    let is_packed = Packing::of(path).is_ok_and(|packing| packing != Packing::Plain);
    let passed_over = match format.keeps_tags() && !is_packed || length <= GAME_BYTES_MAX {
        true => length.saturating_sub(GAME_BYTES_MAX),
        false => length,
    };
    file.seek_relative(i64::try_from(passed_over).map_err(RequestError::failed)?)?;
    let mut bytes = Vec::new();
    file.by_ref().take(length - passed_over).read_to_end(&mut bytes)?;
    let content = content_of(path, Cursor::new(bytes))?;
    Ok(Records::new(format.reader(content)).filter_map(Result::ok).last())
}

/// The winner, by the tags of the sides.
fn winner_text(tags: [&str; 2], winner: Option<Side>) -> String {
    winner.map_or("it is drawn".to_string(), |side| format!("{} won", tags[side.index()]))
}
