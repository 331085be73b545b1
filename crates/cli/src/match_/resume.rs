//! Going on with a match that was stopped or is over, and making it longer.

use super::{Args, Playing, Remembered, book, open_outputs, plan, play};
use crate::games;
use anyhow::{Context, bail};
use std::path::Path;
use std::process::ExitCode;
use tesuji_arena::{Book, Journal, Match};
use tesuji_engine::Kit;

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
    let outputs = open_outputs(kit, &args, &journal.tails()?)?;
    play(&args, seed, Playing { running, outputs, journal, path: &path })
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
