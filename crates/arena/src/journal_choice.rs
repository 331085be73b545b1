//! The choice of a journal for a new match: one that no other process holds and that does not overwrite an unfinished match.

use crate::engine_files::{ENGINE_FILES, engine_files};
use crate::journal::VERSION;
use crate::match_request::EVENT;
use crate::request_error::{Context as _, refuse};
use crate::{Journal, JournalError, MatchPlan, MatchRequest, opening_files};
use std::io::Read;
use std::path::{Path, PathBuf};
use tesuji_kit::RequestError;

/// The journal of matches without output files.
pub const DEFAULT_JOURNAL: &str = "tesuji-match.journal";

/// The setting of a journal with the match's identifier. Those of earlier versions have none.
pub(crate) const MATCH: &str = "match";
/// Where SQLite keeps the version of the tables (`user_version`), big-endian, in the head of a file.
const VERSION_AT: usize = 60;
const HEAD_BYTES: usize = VERSION_AT + 4;
/// Journals beside each other before we give up.
const NUMBER_MAX: u32 = 1000;
/// Characters of a match's name in the name of a file.
const NAME_MAX: usize = 60;

/// The content of an existing journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Nothing that is worth keeping: no game, or a match that is over.
    Nothing,
    /// This match, unfinished.
    This,
    /// Another match, unfinished.
    Another,
    /// A match that is being played now.
    Played,
}

/// The journal for a match that is asked for in these words. Touches nothing; `tell` hears where another match is in the usual place.
///
/// # Errors
/// When the journal that was asked for holds another match, or the usual one this match, unfinished.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{MatchRequest, OwnProgram, begin_journal, built_in_openings, choose_journal};
/// use tesuji_four::FOUR;
/// let folder = tempfile::tempdir()?;
/// let text = r#"{ "game": "four", "engines": [{ "name": "new" }, { "name": "old" }], "nodes": 500, "games": 2 }"#;
/// let mut request = MatchRequest::from_json(text)?;
/// request.journal = Some(folder.path().join("match.journal"));
/// let own = OwnProgram { path: "tesuji".into(), words: vec!["uci".into()], version: "1.0".into() };
/// let plan = request.plan(&FOUR, &own, built_in_openings(&FOUR, "").iter().collect())?;
/// let path = choose_journal(&request, &[], &plan, &mut |_| ())?;
/// assert_eq!(Some(&path), request.journal.as_ref());
/// // While a match writes into it, no other takes it.
/// let journal = begin_journal(&path, &[], 7, (&request, &plan))?;
/// assert!(choose_journal(&request, &[], &plan, &mut |_| ()).is_err());
/// drop(journal);
/// assert!(choose_journal(&request, &[], &plan, &mut |_| ()).is_ok(), "a journal without games holds nothing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn choose_journal(
    asked: &MatchRequest,
    words: &[String],
    plan: &MatchPlan<'_>,
    tell: &mut dyn FnMut(&str),
) -> Result<PathBuf, RequestError> {
    let usual = usual(asked);
    let name = usual.display();
    match holds(&usual, words).context(&name)? {
        // The match in the usual place may be over, and this one have been begun beside it.
        Holds::Nothing => match begun_beside(asked, plan, &usual, words)? {
            Some(path) if asked.fresh => return Ok(path),
            Some(path) => refuse!("{}", goes_on(&path)),
            None => return Ok(usual),
        },
        Holds::Played if asked.journal.is_some() => {
            refuse!("{name}: a match is writing into it now; name another journal")
        }
        Holds::Played => {}
        Holds::This if asked.fresh => return Ok(usual),
        Holds::Another if asked.fresh && asked.journal.is_some() => return Ok(usual),
        Holds::This => refuse!("{}", goes_on(&usual)),
        Holds::Another if asked.journal.is_some() => {
            refuse!(
                "{name} holds another match, which is not over: --resume {name} goes on with it, --fresh begins again, another \
                 --journal leaves it alone"
            )
        }
        Holds::Another => {}
    }
    for number in 1..=NUMBER_MAX {
        let path = named(&usual, &match_name(asked, plan), number);
        match holds(&path, words).context(path.display())? {
            Holds::Another | Holds::Played => {}
            Holds::This if asked.fresh => return Ok(path),
            Holds::This => refuse!("{}", goes_on(&path)),
            Holds::Nothing => {
                tell(&format!(
                    "{name} holds another match that is not over; the journal of this one is {}",
                    path.display()
                ));
                return Ok(path);
            }
        }
    }
    refuse!("{name}: there are {NUMBER_MAX} unfinished matches beside it; name one with --journal FILE")
}

/// The journal in `folder` of the match that `--resume` means when it names no file: the one that is not over, or else the usual one,
/// whose match may be made longer. `tell` hears which it is, where it has another name.
///
/// # Errors
/// When there is none, or more than one.
pub(crate) fn journal_to_resume(folder: &Path, tell: &mut dyn FnMut(&str)) -> Result<PathBuf, RequestError> {
    let (mut unfinished, mut running) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).context(folder.display())? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "journal") || !may_be_journal(&path) {
            continue;
        }
        let named = path.strip_prefix(".").map(Path::to_path_buf).unwrap_or_else(|_| path.clone());
        match Journal::open(&path) {
            Err(JournalError::Busy) => running.push(named),
            Ok(journal) if is_unfinished(&journal) => unfinished.push(named),
            _ => {}
        }
    }
    unfinished.sort();
    let usual = folder.join(DEFAULT_JOURNAL);
    match unfinished.as_slice() {
        [] if !running.is_empty() => {
            let names: Vec<String> = running.iter().map(|name| name.display().to_string()).collect();
            refuse!(
                "the match of {} runs already: it goes on by itself; stop it before it is resumed with other options",
                names.join(", ")
            )
        }
        [] if usual.exists() => Ok(usual),
        [] => refuse!("no match in this folder can be resumed: name its journal, as in --resume GAMES.journal"),
        [one] => {
            if one.file_name() != usual.file_name() {
                tell(&format!("{} holds a match that is not over: it goes on", one.display()));
            }
            Ok(one.clone())
        }
        several => {
            let names: Vec<String> = several.iter().map(|name| name.display().to_string()).collect();
            refuse!("several matches in this folder are not over: --resume FILE, one of {}", names.join(", "))
        }
    }
}

/// Whether a file looks like a journal of ours, from outside: opening another database would change it.
fn may_be_journal(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let mut head = [0; HEAD_BYTES];
    // A killed match may have all of it in the log beside the file.
    Path::new(&log).exists()
        || std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok()
            && head.starts_with(b"SQLite format 3\0")
            && head[VERSION_AT..] == (VERSION as u32).to_be_bytes()
}

/// Whether a match was begun in this journal and is neither over nor being played.
fn is_unfinished(journal: &Journal) -> bool {
    let is_begun = matches!(journal.setting("arguments"), Ok(Some(_)));
    is_begun && !journal.setting("over").is_ok_and(|over| over.as_deref() == Some("yes"))
}

/// The hint for resuming a match that was started before.
fn goes_on(path: &Path) -> String {
    let path = path.display();
    format!("{path} holds this match, which is not over: --resume {path} goes on with it, --fresh begins again")
}

/// The journal of this match, unfinished, beside the usual one.
fn begun_beside(
    asked: &MatchRequest,
    plan: &MatchPlan<'_>,
    usual: &Path,
    words: &[String],
) -> Result<Option<PathBuf>, RequestError> {
    if asked.journal.is_some() {
        return Ok(None);
    }
    let name = match_name(asked, plan);
    for path in (1..=NUMBER_MAX).map(|number| named(usual, &name, number)).take_while(|path| path.exists()) {
        if holds(&path, words).context(path.display())? == Holds::This {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Begins the journal of the match `plan`, which `request` asks for, in these words of a command line.
///
/// # Errors
/// Those of the file system and of the database.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{MatchRequest, OwnProgram, Resumed, begin_journal, built_in_openings};
/// use tesuji_four::FOUR;
/// let folder = tempfile::tempdir()?;
/// let text = r#"{ "game": "four", "engines": [{ "name": "new" }, { "name": "old" }], "nodes": 500, "games": 2 }"#;
/// let request = MatchRequest::from_json(text)?;
/// let own = OwnProgram { path: "tesuji".into(), words: vec!["uci".into()], version: "1.0".into() };
/// let plan = request.plan(&FOUR, &own, built_in_openings(&FOUR, "").iter().collect())?;
/// let path = folder.path().join("match.journal");
/// begin_journal(&path, &["--games".to_string(), "2".to_string()], 7, (&request, &plan))?;
/// let resumed = Resumed::open(&path, &mut |_| ())?;
/// assert_eq!((resumed.seed, resumed.words.join(" ")), (7, "--games 2".to_string()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn begin_journal(
    path: &Path,
    words: &[String],
    seed: u64,
    (request, plan): (&MatchRequest, &MatchPlan<'_>),
) -> Result<Journal, RequestError> {
    let mut journal = begin(path)?;
    journal.set(&[
        (ENGINE_FILES, &serde_json::to_string(&engine_files(request)?)?),
        ("arguments", &serde_json::to_string(words)?),
        ("folder", &std::env::current_dir()?.to_string_lossy()),
        ("seed", &seed.to_string()),
        ("openings", &opening_files::to_text(&plan.openings)?),
    ])?;
    if let Some(id) = plan.id() {
        journal.set(&[(MATCH, id)])?;
    }
    Ok(journal)
}

/// Begins an empty journal. The file is taken before it is emptied: a match that has just begun in it keeps it.
///
/// # Errors
/// Another match writes into it; those of the file system and of the database.
fn begin(path: &Path) -> Result<Journal, RequestError> {
    let mut journal = Journal::open(path).context(path.display())?;
    journal.clear().context(path.display())?;
    Ok(journal)
}

/// The journal that was named, or that goes with the first output file.
pub(crate) fn usual(asked: &MatchRequest) -> PathBuf {
    // Beside a pipe or a device stands no journal.
    let is_place = |file: &Path| file.is_file() || !file.exists();
    let beside = asked.outputs.iter().find(|out| is_place(&out.file)).map(|out| {
        let mut name = out.file.as_os_str().to_owned();
        name.push(".journal");
        PathBuf::from(name)
    });
    asked.journal.clone().or(beside).unwrap_or_else(|| DEFAULT_JOURNAL.into())
}

fn holds(path: &Path, words: &[String]) -> Result<Holds, RequestError> {
    if !path.exists() {
        return Ok(Holds::Nothing);
    }
    let journal = match Journal::open(path) {
        Err(JournalError::Busy) => return Ok(Holds::Played),
        journal => journal?,
    };
    let begun = journal.setting("arguments")?;
    Ok(match begun {
        // Killed before its first word, or before its first game.
        None => Holds::Nothing,
        _ if !journal.has_games()? || journal.setting("over")?.as_deref() == Some("yes") => Holds::Nothing,
        Some(text) if serde_json::from_str::<Vec<String>>(&text).is_ok_and(|begun| begun == words) => Holds::This,
        Some(_) => Holds::Another,
    })
}

/// The match's name as part of a file's: the event where it was named, or the players.
fn match_name(asked: &MatchRequest, plan: &MatchPlan<'_>) -> String {
    let names: Vec<&str> = plan.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let name = if asked.event == EVENT { names.join("-") } else { asked.event.clone() };
    let plain = |c: char| if c.is_alphanumeric() || ".+_-".contains(c) { c } else { '-' };
    name.chars().map(plain).take(NAME_MAX).collect()
}

/// `games.pgn.A-B.journal`, and from the second on `games.pgn.A-B-2.journal`.
fn named(usual: &Path, name: &str, number: u32) -> PathBuf {
    let number = if number > 1 { format!("-{number}") } else { String::new() };
    usual.with_extension(format!("{name}{number}.journal"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputRequest;

    /// Two matches that began at the same moment took each other's journal away.
    #[test]
    fn a_match_that_has_just_begun_keeps_its_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DEFAULT_JOURNAL);
        let mut first = begin(&path).unwrap();
        first.set(&[("seed", "7")]).unwrap();
        let error = begin(&path).err().unwrap().to_string();
        assert!(error.contains("a match is running with this journal"), "{error}");
        assert_eq!(first.setting("seed").unwrap().as_deref(), Some("7"));
        drop(first);
        assert_eq!(begin(&path).unwrap().setting("seed").unwrap(), None, "it is empty for the next match");
    }

    #[test]
    fn a_journal_stood_beside_a_device() {
        let asked = |files: &[&str]| {
            let outputs = files.iter().map(|file| OutputRequest { file: file.into(), format: "pgn".into() }).collect();
            usual(&MatchRequest { outputs, ..MatchRequest::default() })
        };
        assert_eq!(asked(&["/proc/self/fd/0", "g.pgn"]), PathBuf::from("g.pgn.journal"));
        assert_eq!(asked(&["g.pgn", "h.pgn"]), PathBuf::from("g.pgn.journal"));
    }

    #[test]
    fn journals_are_named_after_their_match() {
        let name = |usual: &str, number| named(Path::new(usual), "A-B", number).display().to_string();
        assert_eq!(name("d/games.pgn.journal", 1), "d/games.pgn.A-B.journal");
        assert_eq!(name(DEFAULT_JOURNAL, 2), "tesuji-match.A-B-2.journal");
    }
}
