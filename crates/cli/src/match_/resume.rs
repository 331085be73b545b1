//! Going on with a match that was stopped or is over, and making it longer.

use super::{Args, Playing, Remembered, book, open_outputs, plan, play, written_as};
use crate::games;
use anyhow::{Context, bail};
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::ExitCode;
use tesuji_arena::{Book, Journal, Match, Plan, Tail};
use tesuji_game::Side;
use tesuji_kit::Kit;
use tesuji_record::{GameRecord, Records};

/// The longest piece of a file that is read for one game. What was there before a match may be of any size.
const GAME_BYTES_MAX: u64 = 64 << 20;

/// Goes on with a match as its journal remembers it.
pub(super) fn run(path: &Path, now: &Args) -> anyhow::Result<ExitCode> {
    if !path.exists() {
        bail!("{}: there is no such journal", path.display());
    }
    let path = path.canonicalize()?;
    let mut journal = Journal::open(&path).with_context(|| path.display().to_string())?;
    let setting = |name| {
        let value = journal.setting(name)?;
        value.with_context(|| format!("{}: the journal does not say {name}: no match was begun in it", path.display()))
    };
    let words: Vec<String> = serde_json::from_str(&setting("arguments")?)?;
    let seed = setting("seed")?.parse()?;
    let mut openings = book::from_text(&setting("openings")?)?;
    let mut args = crate::bounds::parse_words::<Remembered, _>("match", &words)?.args;
    args.statistics.shown_as(&now.statistics)?;
    let folder = setting("folder")?;
    std::env::set_current_dir(&folder)
        .with_context(|| format!("{folder}: the match was begun in this folder, and goes on only there"))?;
    let kit = games::kit(&args.game)?;
    if let Some(games) = now.games.filter(|&games| games != args.games()) {
        openings = extend(kit, &mut journal, &mut args, (words, seed, openings), games)?;
    }
    args.json = now.json;
    args.quiet = now.quiet;
    args.concurrency = now.concurrency.or(args.concurrency);
    let plan = plan(kit, &args, openings)?;
    let running = Match::new(&plan, &journal)?;
    let tails = journal.tails()?;
    let outputs = open_outputs(kit, &args, &tails)?;
    check_for_lost_games(kit, &args, (&plan, &running), &tails)?;
    check_results(kit, &args, &journal)?;
    play(&args, seed, Playing { running, outputs, journal, path: &path })
}

/// Looks for games of this match behind what the journal knows of its files: a journal that was damaged or put back from an old copy
/// has lost them, and they would be played and counted twice.
fn check_for_lost_games(
    kit: &dyn Kit,
    args: &Args,
    (plan, running): (&Plan<'_>, &Match<'_>),
    tails: &[Tail],
) -> anyhow::Result<()> {
    let names: Vec<&str> = plan.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let is_lost = |record: &GameRecord<String>| {
        let by_ours = plan.side_tags.iter().all(|tag| record.tag(tag).is_some_and(|name| names.contains(&name)));
        let game = record.tag("Round").and_then(|round| round.split_once('.')?.1.parse::<u64>().ok());
        by_ours && game.is_some_and(|game| game > 0 && running.is_open(game - 1))
    };
    for ((path, format), tail) in args.outputs().zip(tails) {
        let (known, format) = (tail.start + tail.bytes.len() as u64, written_as(kit, format)?);
        let mut file = File::open(path)?;
        if !format.keeps_tags() || file.seek(SeekFrom::Start(known))? >= file.metadata()?.len() {
            continue;
        }
        let lost =
            Records::new(format.reader(Box::new(BufReader::new(file)))).filter_map(Result::ok).filter(is_lost).count();
        if lost > 0 {
            bail!(
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
fn check_results(kit: &dyn Kit, args: &Args, journal: &Journal) -> anyhow::Result<()> {
    let games = journal.ends()?;
    for (index, (path, format)) in args.outputs().enumerate() {
        let (format, mut file, mut at) = (written_as(kit, format)?, BufReader::new(File::open(path)?), 0);
        for game in &games {
            // Journals of earlier versions do not say where games end.
            let Some(length) = game.ends.get(index).and_then(|end| end.checked_sub(at)) else { break };
            at += length;
            if length > GAME_BYTES_MAX {
                file.seek_relative(i64::try_from(length)?)?;
                continue;
            }
            let mut bytes = Vec::new();
            file.by_ref().take(length).read_to_end(&mut bytes)?;
            // What was there before the match stands before its first game.
            let last = Records::new(format.reader(Box::new(Cursor::new(bytes)))).filter_map(Result::ok).last();
            let Some(said) = last.and_then(|record| record.outcome) else { continue };
            if said.winner != game.outcome.winner {
                let [said, known] =
                    [said.winner, game.outcome.winner].map(|winner| winner_text(kit.side_tags(), winner));
                bail!(
                    "{path}: of game {number} it says that {said}, and the journal that {known}: one of the two was changed. The journal \
                     counts: put back what the file was, or write the result of game {number} into it as the journal has it, and go on",
                    path = path.display(),
                    number = game.game + 1
                );
            }
        }
    }
    Ok(())
}

/// Who won, by the tags of the sides.
fn winner_text(tags: [&str; 2], winner: Option<Side>) -> String {
    winner.map_or("it is drawn".to_string(), |side| format!("{} won", tags[side.index()]))
}

/// Notes in the journal that every pairing plays `games` games: those that it would have played, had it been so long from
/// the beginning. Takes and gives the openings.
fn extend(
    kit: &dyn Kit,
    journal: &mut Journal,
    args: &mut Args,
    (mut words, seed, openings): (Vec<String>, u64, Book),
    games: u64,
) -> anyhow::Result<Book> {
    let had = args.games();
    let schedule = args.schedule(1)?;
    if schedule.is_knockout() {
        bail!("--games {games}: a knockout is over when somebody has won it");
    }
    if games < had {
        bail!("--games {games}: the match is of {had}, and what is played stays");
    }
    if schedule.is_paired() && had % 2 == 1 {
        bail!("--games {games}: a match of {had} games ends with half a pair and cannot be made longer");
    }
    args.games = Some(games);
    // A match with fewer openings than rounds has used all that there are.
    let openings = if (openings.len() as u64) < schedule.rounds() {
        openings
    } else {
        let more = book::openings(kit, args, seed, args.schedule(1)?.rounds())?;
        if !openings.iter().zip(more.iter()).all(|(had, has)| had == has) || more.len() < openings.len() {
            bail!("--games {games}: the openings are not those that the match began with");
        }
        more
    };
    words.extend(["--games".to_string(), games.to_string()]);
    let words = serde_json::to_string(&words)?;
    journal.set(&[("arguments", &words), ("openings", &book::to_text(&openings)?), ("over", "no")])?;
    Ok(openings)
}
