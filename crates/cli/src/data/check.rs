//! `tesuji data check`: every broken record by name.

use super::task::{Reading, Task, grouped};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tesuji_dataset::data::{DataError, Items, Job, OTHER_RESULT, each};
use tesuji_record::Sample;

/// Arguments of `tesuji data check`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data check games.pgn\n  \
    tesuji data check positions.parquet --max 100\n\n\
    Every move is played and every position looked at. Each broken record is named with its file, line or number, and what was \
    expected there. Exit codes: 0 all is well, 1 something is broken, 2 wrong usage, or a file that cannot be read at all.")]
pub(crate) struct Args {
    /// The files to read (`-`: stdin)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Name at most so many broken records; all are counted
    #[arg(long, default_value_t = 1000, value_name = "N")]
    max: u64,
    #[command(flatten)]
    reading: Reading,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let task = Task::new("check", &args.reading, &args.files)?;
    let named = AtomicU64::new(0);
    let complain = |error: &DataError| {
        if named.fetch_add(1, Relaxed) < args.max {
            println!("{error}");
        }
    };
    let tally = task.run(|job| {
        let job = Job { skip_errors: true, complain: &complain, ..job.clone() };
        each(&job, |_, items, fault| look(&job, &items, fault), |()| Ok(()))
    })?;
    let (records, errors) = (grouped(tally.records), grouped(tally.errors));
    println!(
        "{records} {}, {errors} broken{}",
        task.unit(),
        if tally.stopped { ", stopped before the end" } else { "" }
    );
    Ok(match (tally.stopped, tally.errors) {
        (true, _) => ExitCode::from(4),
        (false, 0) => ExitCode::SUCCESS,
        (false, _) => ExitCode::from(1),
    })
}

/// Games were played through when they were read, and it is said where their results contradict each other; positions are looked at here, where nobody has yet.
fn look(job: &Job<'_>, items: &Items, fault: &mut dyn FnMut(usize, tesuji_record::Fault)) {
    if let Items::Games(games) = items {
        for (i, game) in games.iter().enumerate() {
            if let Some(result) = game.tag(OTHER_RESULT) {
                let expected = "the result of the tag Result behind the moves";
                fault(i, tesuji_record::Fault::Expected { expected, found: result.to_string() });
            }
        }
    }
    let (Items::Samples(samples), Some(survey)) = (items, job.lens.survey) else { return };
    let unseen = |s: &&Sample| s.facts.is_none();
    for (i, sample) in samples.iter().enumerate().filter(|(_, s)| unseen(s)) {
        if let Err(reason) = survey.look(sample) {
            fault(i, reason);
        }
    }
}
