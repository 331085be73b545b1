//! `tesuji data rescore`: new scores for positions, by searches of our engine.

use super::task::{Reading, Task, Writing, last_is_output};
use crate::{games, settings::settings};
use anyhow::bail;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tesuji_dataset::data::{Items, Job, Routed, convert};
use tesuji_engine::Player;
use tesuji_game::{Limits, Report, Signal, Watch};
use tesuji_kit::Kit;
use tesuji_record::{Fault, Note, Sample, score_of};

/// Into how many pieces the usual block of records is cut: searches take long, and a stopped pass should lose few of them.
const GRAIN: usize = 64;

/// Arguments of `tesuji data rescore`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data rescore --game shogi teacher.psv better.psv --nodes 20000\n  \
    tesuji data rescore games.sgs.zst positions.parquet --nodes 1000 --set Hash=4 -j 4\n\n\
    Every position is searched by itself, with empty tables, so that the scores depend on engine, options and nodes alone: the \
    output is the same for any number of jobs. Positions where the game is over keep what they have. Interrupted work goes on with \
    --resume and the same words. Exit codes: 0 done, 1 nothing could be written, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read and, last, the file to write, which holds positions (`-`: stdin, stdout)
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Nodes for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The search family; the game's usual one without it
    #[arg(long, default_value = "", value_name = "FAMILY")]
    search: String,
    /// An option of the engine; several may be given
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Put the move that the search chose in place of the one on record
    #[arg(long)]
    moves: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
    /// Go on with work that was stopped
    #[arg(long)]
    resume: bool,
}

/// Engines that wait for work, and how to make another.
struct Engines<'a> {
    kit: &'static dyn Kit,
    args: &'a Args,
    idle: Mutex<Vec<Box<dyn Player>>>,
}

impl Engines<'_> {
    fn make(&self) -> anyhow::Result<Box<dyn Player>> {
        let mut player = self.kit.player(&self.args.search)?;
        tesuji_options::set_all(&mut *player.options(), settings(&self.args.set)?)?;
        Ok(player)
    }

    /// Gives all of `samples` their scores; `fault` hears of those that cannot be searched.
    fn score(&self, samples: &mut [Sample], mut fault: impl FnMut(usize, Fault)) {
        let lock = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = lock().pop();
        let Some(mut player) = waiting.or_else(|| self.make().ok()) else { return };
        for (index, sample) in samples.iter_mut().enumerate() {
            if let Err(found) = self.score_one(player.as_mut(), sample) {
                fault(index, found);
            }
        }
        lock().push(player);
    }

    fn score_one(&self, player: &mut dyn Player, sample: &mut Sample) -> Result<(), Fault> {
        let table = self.kit.table(&sample.rules, Some(&sample.position)).map_err(Fault::Position)?;
        if table.outcome().is_some() {
            return Ok(());
        }
        player.new_game();
        let taken = player.set_position(&sample.rules, Some(&sample.position), &[]);
        taken.map_err(|_| Fault::Unsupported("a position that the engine does not take"))?;
        let limits = Limits { nodes: Some(self.args.nodes), ..Limits::default() };
        let report = player.go(&limits, &[], &mut Patience { began: Instant::now() });
        if report.fault.is_some() {
            return Err(Fault::Unsupported("an engine whose network gives no answer"));
        }
        if let Some(best) = report.lines.first() {
            let note = Note { value: Some(best.value), ..Note::default() };
            sample.score = score_of(&note, table.side_to_move());
            if let (true, Some(mv)) = (self.args.moves, best.pv.first()) {
                sample.mv.clone_from(mv);
                // What was known of the move on record is not true of this one.
                sample.facts = None;
            }
        }
        Ok(())
    }
}

/// Lets a search run to its end. Interrupted work is stopped between blocks: half a search is no score.
struct Patience {
    began: Instant,
}

impl Watch<String> for Patience {
    fn signal(&mut self) -> Signal {
        Signal::Run
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (inputs, path) = last_is_output(&args.files)?;
    let mut task = Task::new("rescore", &args.reading, inputs)?;
    let output = task.output(path, &args.writing)?;
    if output.format.holds_games() {
        bail!("{} holds games: scores are given to positions", path.display());
    }
    task.resume(args.resume);
    task.word(format!("nodes {} search {:?} set {:?} moves {}", args.nodes, args.search, args.set, args.moves));
    let engines = Engines { kit: games::kit(task.game())?, args: &args, idle: Mutex::default() };
    // What is wrong with the options is said before anything is read.
    let first = engines.make()?;
    engines.idle.lock().unwrap_or_else(PoisonError::into_inner).push(first);
    let tally = task.run(|job| {
        convert(&Job { scale: GRAIN, ..job.clone() }, &[output], |_, mut routed: Routed, fault| {
            if let Items::Samples(samples) = &mut routed.items {
                engines.score(samples, |index, found| fault(routed.numbers[index], found));
            }
            vec![routed]
        })
    })?;
    task.end(&tally, path, args.writing.json)
}
