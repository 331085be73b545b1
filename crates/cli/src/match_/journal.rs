//! Which journal a new match gets: one that blocks nobody, and that no unfinished match is lost from.

use super::{Args, DEFAULT_JOURNAL};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use tesuji_arena::{Journal, JournalError, Plan};

/// Journals beside each other before we give up.
const NUMBER_MAX: u32 = 1000;
/// Characters of a match's name in the name of a file.
const NAME_MAX: usize = 60;

/// What a journal that is there holds.
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

/// The journal for the match that `args` ask for. Touches nothing.
///
/// # Errors
/// When the journal that was asked for holds another match, or the usual one this match, unfinished.
pub(super) fn choose(args: &Args, plan: &Plan<'_>) -> anyhow::Result<PathBuf> {
    let usual = usual(args);
    let name = usual.display();
    match holds(&usual, args).with_context(|| name.to_string())? {
        Holds::Nothing => return Ok(usual),
        Holds::Played if args.journal.is_some() => {
            bail!("{name}: a match is writing into it now; name another journal")
        }
        Holds::Played => {}
        Holds::This if args.fresh => return Ok(usual),
        Holds::Another if args.fresh && args.journal.is_some() => return Ok(usual),
        Holds::This => {
            bail!("{name} holds this match, which is not over: --resume {name} goes on with it, --fresh begins anew")
        }
        Holds::Another if args.journal.is_some() => {
            bail!(
                "{name} holds another match, which is not over: --resume {name} goes on with it, --fresh begins anew, another \
                 --journal leaves it alone"
            )
        }
        Holds::Another => {}
    }
    for number in 1..=NUMBER_MAX {
        let path = named(&usual, &match_name(args, plan), number);
        match holds(&path, args).with_context(|| path.display().to_string())? {
            Holds::Another | Holds::Played => {}
            Holds::This if args.fresh => return Ok(path),
            Holds::This => {
                let path = path.display();
                bail!(
                    "{path} holds this match, which is not over: --resume {path} goes on with it, --fresh begins anew"
                );
            }
            Holds::Nothing => {
                if !args.quiet {
                    eprintln!(
                        "{name} holds another match that is not over; the journal of this one is {}",
                        path.display()
                    );
                }
                return Ok(path);
            }
        }
    }
    bail!("{name}: there are {NUMBER_MAX} unfinished matches beside it; name one with --journal FILE")
}

/// Begins an empty journal; one that holds nothing any more is removed.
///
/// # Errors
/// Those of the file system and of the database.
pub(super) fn begin(path: &Path) -> anyhow::Result<Journal> {
    for ending in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        match std::fs::remove_file(&file) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(e).with_context(|| path.display().to_string());
            }
            _ => {}
        }
    }
    Journal::open(path).with_context(|| path.display().to_string())
}

/// The journal that was named, or that goes with the first output file.
fn usual(args: &Args) -> PathBuf {
    let beside = args.outputs().next().map(|(out, _)| {
        let mut name = out.as_os_str().to_owned();
        name.push(".journal");
        PathBuf::from(name)
    });
    args.journal.clone().or(beside).unwrap_or_else(|| DEFAULT_JOURNAL.into())
}

fn holds(path: &Path, args: &Args) -> anyhow::Result<Holds> {
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
        Some(words) if serde_json::from_str::<Vec<String>>(&words).ok().as_ref() == args.words.as_ref() => Holds::This,
        Some(_) => Holds::Another,
    })
}

/// The match's name as part of a file's: the event where it was named, or the players.
fn match_name(args: &Args, plan: &Plan<'_>) -> String {
    let names: Vec<&str> = plan.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let name = if args.event == super::EVENT { names.join("-") } else { args.event.clone() };
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

    #[test]
    fn journals_are_named_after_their_match() {
        let name = |usual: &str, number| named(Path::new(usual), "A-B", number).display().to_string();
        assert_eq!(name("d/games.pgn.journal", 1), "d/games.pgn.A-B.journal");
        assert_eq!(name(DEFAULT_JOURNAL, 2), "tesuji-match.A-B-2.journal");
    }
}
