//! `tesuji learned`: the positions that best-first search remembers from game to game: shown, pruned, exported.

use crate::games;
use serde_json::json;
use std::{path::PathBuf, process::ExitCode};
use tesuji_book::{Learned, Memory, POSITIONS_MAX};
use tesuji_jobs::AtomicFile;
use tesuji_kit::{Pasted, check_new_output};

/// Arguments of `tesuji learned`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji uci --search best-first --option LearnedFile=learned.db\n  \
    tesuji learned show chess learned.db --best 20\n  \
    tesuji learned prune chess learned.db --quality 5000 --max 100000\n  \
    tesuji learned export chess learned.db --out learned.tsv\n\n\
    Exported: a position a line, with its value in centipawns for the side to move and its quality, parted by tabs.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

/// The file of a game.
#[derive(clap::Args)]
struct Of {
    /// The game
    #[arg(value_name = "GAME")]
    game: String,
    /// The file that LearnedFile named
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Show how much is known, and the best known positions
    Show {
        #[command(flatten)]
        of: Of,
        /// The number of positions
        #[arg(long, value_name = "N", default_value_t = 10)]
        best: u64,
        /// Only this position
        #[arg(long, value_name = "TEXT")]
        position: Option<Pasted>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget positions
    Prune {
        #[command(flatten)]
        of: Of,
        /// Those of a lower quality
        #[arg(long, value_name = "QUALITY", default_value_t = 0.0)]
        quality: f64,
        /// Those of the lowest quality until this many are left
        #[arg(long, value_name = "N", default_value_t = POSITIONS_MAX)]
        max: u64,
    },
    /// Write all positions as text
    Export {
        #[command(flatten)]
        of: Of,
        /// Write there [default: stdout]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// Shows, prunes or exports.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.action {
        Action::Show { of, best, position, json } => {
            let memory = Memory::open_to_read(&of.file, games::kit(&of.game)?.name())?;
            let found = match &position {
                Some(Pasted { start: Some(text), moves }) if moves.is_empty() => {
                    memory.find(text)?.into_iter().collect()
                }
                Some(given) => {
                    let table = given.table(games::kit(&of.game)?, "")?;
                    memory.find(&table.position())?.into_iter().collect()
                }
                None => memory.best(best)?,
            };
            let count = memory.count()?;
            if json {
                let row = |l: &Learned| json!({ "position": l.position, "value_cp": l.value_cp, "quality": l.quality });
                println!("{}", json!({ "positions": count, "best": found.iter().map(row).collect::<Vec<_>>() }));
            } else {
                print!("{count} positions in {}\n{}", of.file.display(), Learned::lines(&found));
            }
        }
        Action::Prune { of, quality, max } => {
            // Only what is there can be pruned.
            let game = games::kit(&of.game)?.name();
            drop(Memory::open_to_read(&of.file, game)?);
            let mut memory = Memory::open(&of.file, game)?;
            let gone = memory.prune(quality, max)?;
            println!("{gone} positions forgotten, {} left", memory.count()?);
        }
        Action::Export { of, out } => {
            if let Some(path) = &out {
                check_new_output(path, [&of.file])?;
            }
            let memory = Memory::open_to_read(&of.file, games::kit(&of.game)?.name())?;
            let text = Learned::lines(&memory.best(u64::MAX)?);
            match &out {
                Some(path) => AtomicFile::write(path, text.as_bytes())?,
                None => print!("{text}"),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
