//! `--rate`: ratings of the players of games in files.

use crate::games;
use anyhow::{Context, bail};
use std::path::PathBuf;
use tesuji_jobs::{Progress, Show, open_input};
use tesuji_kit::Kit;
use tesuji_record::{RecordFormat, Records};
use tesuji_report::matches::ratings::{Anchor, RatedGames};

/// Games that cannot be read are named one by one up to this many.
const ERRORS_MAX: u64 = 5;

/// The format that a file's name ends in: of the game that was named or is usual, else of the first that has one.
fn format_of(given: &'static dyn Kit, name: &str) -> anyhow::Result<(&'static dyn Kit, &'static dyn RecordFormat)> {
    let kits = std::iter::once(given).chain(games::kits().iter().copied());
    let found = kits.filter_map(|kit| Some((kit, kit.format(name)?))).next();
    found.with_context(|| format!("{name}: no game has a format of this name"))
}

/// `--rate`: rates the players of games in files.
///
/// # Errors
/// When a file cannot be read, or holds no games that tell anything.
pub(super) fn rate_files(game: &str, files: &[PathBuf], anchor: Option<&Anchor>, as_json: bool) -> anyhow::Result<()> {
    let given = games::kit(game)?;
    let (mut read, mut faulty) = (RatedGames::default(), 0_u64);
    let progress = Progress::start("rate", "games", None, Show::Auto);
    for path in files {
        let name = path.to_string_lossy();
        let (kit, format) = format_of(given, &name)?;
        for record in Records::new(format.reader(open_input(path)?)) {
            match record {
                Ok(record) => read.add(&record, kit.side_tags()),
                Err(error) if error.is_fatal() => return Err(error).with_context(|| name.to_string()),
                Err(error) => {
                    faulty += 1;
                    if faulty <= ERRORS_MAX {
                        progress.line(&format!("{name}: {error}; left out"));
                    }
                }
            }
            progress.advance(1);
        }
    }
    progress.finish();
    drop(progress);
    let left_out = [(read.unfinished, "without a result"), (read.nameless, "without names"), (faulty, "unreadable")];
    let left_out: Vec<String> = left_out.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
    if !left_out.is_empty() {
        eprintln!("Left out: {} games", left_out.join(", "));
    }
    if read.games == 0 {
        bail!("there are no games with two names and a result");
    }
    let table = read.rate(anchor)?;
    if as_json {
        println!("{}", serde_json::to_string(&table.json())?);
    } else {
        print!("{}", table.text());
    }
    Ok(())
}
