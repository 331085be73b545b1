//! Work on files of games and positions, carried out as a typed request asks for it.

mod done;
mod filter;
mod game;
mod request;
mod split;
mod task;

pub use game::{DataGame, MateJudge, MateVerdict, Scorer, game_of};
pub use request::{
    CheckTask, ConvertTask, DataRequest, DataTask, DedupTask, FilterTask, MatePreset, MateTask, Memory, RescoreTask,
    ShowTask, ShuffleTask, SplitTask, StatsTask, Writing, parse_range,
};
pub use task::{DataUnit, SKIP_HINT};

use crate::data::{
    DataError, Format, Item, Items, Job, OTHER_RESULT, Output, Routed, Sieve, Summary, Tally, convert, dedup, each,
    peek, recode, shuffle, summarise,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};
use task::Task;
use tesuji_jobs::{Interrupt, RequestError, Show};
use tesuji_record::{Ask, CLAIMED_RESULT, Fault, Sample, ShortCut};

/// Into how many pieces the usual block of records is cut where each is searched: searches take long, and a stopped pass should
/// lose few of them.
const RESCORE_BLOCK_SCALE: usize = 64;

/// The environment of a data task; it does not change the records that are written.
pub struct DataRun<'a> {
    /// The version of this program, for the files that it makes.
    pub made_by: &'a str,
    /// Settings of the progress display.
    pub show: Show,
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
    /// Hears of broken records that are passed over.
    pub complain: &'a (dyn Fn(&DataError) + Sync),
}

/// The result of a data task.
#[derive(Debug, Clone, PartialEq)]
pub enum DataOutcome {
    /// Files were written, or it was stopped before.
    Written(DataWritten),
    /// Statistics were counted.
    Counted {
        /// Games and positions.
        summary: Box<Summary>,
        /// Records.
        tally: Tally,
    },
    /// All was read and looked at.
    Checked {
        /// Records.
        tally: Tally,
        /// The unit of the records: games or positions.
        unit: DataUnit,
    },
    /// Records were shown.
    Shown,
}

/// Files that were written, or are not there yet where it was stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct DataWritten {
    /// The first of them.
    pub output: PathBuf,
    /// Records read and written.
    pub tally: Tally,
    /// The unit of the records that were read: games or positions.
    pub unit: DataUnit,
    /// The score that positions without one got, in centipawns.
    pub fill_score: Option<i16>,
    /// Scores of an engine that no file can hold, and became the nearest that it can.
    pub clipped: u64,
    /// Time for all of it.
    pub spent: Duration,
    /// Where programs read only the first game of such a file: the ending of a format that holds many.
    pub ending_for_many: Option<&'static str>,
    /// Whether it had been done before: the files are those that the same work wrote, and nothing was written now.
    pub was_done: bool,
}

/// Carries out a request on files of `game`; records that are shown go to `show`, with their numbers.
///
/// # Errors
/// The field that cannot be meant, a file that cannot be read or may not be written, or the first broken record unless they are
/// passed over.
pub fn run_data(
    request: &DataRequest,
    game: &dyn DataGame,
    run: &DataRun<'_>,
    show: &mut dyn FnMut(u64, Item<'_>),
) -> Result<DataOutcome, RequestError> {
    request.validate()?;
    let mut task = Task::new(request, game, run)?;
    match &request.task {
        DataTask::Convert(asked) => run_convert(task, asked),
        DataTask::Filter(asked) => filter::run(task, asked, game),
        DataTask::Shuffle(ShuffleTask { writing, seed, memory }) => {
            let output = task.output(&writing.output, writing)?;
            task.word(format!("seed {seed}"));
            let folder = memory.folder(Some(&writing.output));
            let shuffled = |job: &Job<'_>| shuffle(job, &output, *seed, memory.bytes(), &folder);
            Ok(DataOutcome::Written(task.write(&writing.output, shuffled)?))
        }
        DataTask::Split(asked) => split::run(task, asked),
        DataTask::Dedup(DedupTask { writing, memory }) => {
            let output = task.output(&writing.output, writing)?;
            let folder = memory.folder(Some(&writing.output));
            let sifted = |job: &Job<'_>| dedup(job, &output, memory.bytes(), &folder);
            Ok(DataOutcome::Written(task.write(&writing.output, sifted)?))
        }
        DataTask::Rescore(asked) => run_rescore(task, asked, game),
        DataTask::Stats(StatsTask { memory }) => {
            let folder = memory.folder(None);
            let (summary, tally) = task.run(|job| summarise(job, memory.bytes(), &folder))?;
            Ok(DataOutcome::Counted { summary: Box::new(summary), tally })
        }
        DataTask::Check(CheckTask {}) => {
            let tally = task.run(|job| {
                let job = Job { skip_errors: true, ..job.clone() };
                each(&job, |_, items, fault| look(&job, &items, fault), |()| Ok(()))
            })?;
            Ok(DataOutcome::Checked { tally, unit: task.unit })
        }
        DataTask::Show(ShowTask { skip, count }) => {
            peek(&task.inputs, *skip, *count, show)?;
            Ok(DataOutcome::Shown)
        }
    }
}

/// Files in another format.
fn run_convert(mut task: Task<'_>, asked: &ConvertTask) -> Result<DataOutcome, RequestError> {
    let (writing, unchecked) = (&asked.writing, asked.unchecked);
    let output = task.output(&writing.output, writing)?;
    if asked.or_ply_max.is_some() {
        check_plies(&task)?;
    }
    let ways = short_cuts(&task, &output, asked);
    if unchecked && ways.is_none() {
        return Err(RequestError::field(
            "unchecked",
            "is for packed positions: there is no short cut between these formats",
        ));
    }
    let bounds = asked.score_below.map(|below| (below.into(), asked.or_ply_max.map(u32::from)));
    let sieve = Sieve { score_below: bounds, ..Sieve::default() };
    if sieve.asks_positions() && output.format.holds_games() {
        let file = writing.output.display();
        return Err(RequestError::failed(format_args!("{file} holds games: --score-below asks positions")));
    }
    task.word(format!("{sieve:?} {unchecked}"));
    let lens = task.lens;
    let written = task.write(&writing.output, |job| match &ways {
        Some(ways) => recode(job, &output, ways),
        None => convert(job, &[output], |_, routed: Routed, fault| vec![sieve.sift(routed, &lens, 0, fault)]),
    })?;
    Ok(DataOutcome::Written(written))
}

/// Refuses files that do not tell move numbers.
fn check_plies(task: &Task<'_>) -> Result<(), RequestError> {
    match task.inputs.iter().find(|input| input.format.tells_ply() == Some(false)) {
        None => Ok(()),
        Some(input) => {
            let (file, name) = (input.path.display(), input.format.name());
            Err(RequestError::failed(format_args!(
                "{file}: {name} has no move numbers, and --or-ply-max asks for them"
            )))
        }
    }
}

/// The short cuts from each input to `output`; `None` where one has none.
fn short_cuts(task: &Task<'_>, output: &Output, asked: &ConvertTask) -> Option<Vec<Box<dyn ShortCut>>> {
    let ask = Ask { check: !asked.unchecked, score_below: asked.score_below, or_ply_max: asked.or_ply_max };
    let Format::Samples(to) = output.format else { return None };
    let way = |format: Format| match format {
        Format::Samples(from) if task.lens.fill_score.is_none() => from.short_cut(to, ask),
        _ => None,
    };
    task.inputs.iter().map(|input| way(input.format)).collect()
}

/// New scores for positions.
fn run_rescore(mut task: Task<'_>, asked: &RescoreTask, game: &dyn DataGame) -> Result<DataOutcome, RequestError> {
    let RescoreTask { writing, nodes, search, options, engine: _, moves } = asked;
    let output = task.output(&writing.output, writing)?;
    if output.format.holds_games() {
        let file = writing.output.display();
        return Err(RequestError::failed(format_args!("{file} holds games: scores are given to positions")));
    }
    let scorer = game.scorer(asked)?;
    task.word(format!("nodes {nodes} search {search:?} set {options:?} moves {moves}{}", scorer.identity()));
    let written = task.write(&writing.output, |job| {
        convert(&Job { scale: RESCORE_BLOCK_SCALE, ..job.clone() }, &[output], |block, mut routed: Routed, fault| {
            let mut broken = BTreeSet::new();
            if let Items::Samples(samples) = &mut routed.items {
                for (part, some) in samples.chunks_mut(scorer.samples_at_once()).enumerate() {
                    let before = part.saturating_mul(scorer.samples_at_once());
                    scorer.score(block as u64, some, &mut |index, found| {
                        broken.insert(before + index);
                        fault(routed.numbers[before + index], found);
                    });
                    task.searched(some.len());
                }
            }
            // Where broken records are passed over, what could not be searched does not keep the old score under a new name.
            let mut index = 0;
            routed.part(1, |_, _| {
                index += 1;
                (!broken.contains(&(index - 1))).then_some(0)
            })
        })
    })?;
    Ok(DataOutcome::Written(DataWritten { clipped: scorer.clipped(), ..written }))
}

/// Games were played through when they were read, and it is said where their results contradict each other; positions are looked at here, where nobody has yet.
fn look(job: &Job<'_>, items: &Items, fault: &mut dyn FnMut(usize, Fault)) {
    if let Items::Games(games) = items {
        for (i, game) in games.iter().enumerate() {
            let results = [
                (CLAIMED_RESULT, "the result of the last position"),
                (OTHER_RESULT, "the result of the tag Result behind the moves"),
            ];
            let told = results.iter().find_map(|(tag, expected)| Some((expected, game.tag(tag)?)));
            if let Some((expected, result)) = told {
                fault(i, Fault::Expected { expected, found: result.to_string() });
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

/// Whether `path` stands for stdin or stdout.
fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}
