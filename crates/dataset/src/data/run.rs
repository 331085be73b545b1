//! One pass over data: blocks are read in order, worked on by many threads, and their pieces written in order, with a
//! journal from which a stopped pass goes on.

use super::encode::{At, encode};
use super::sink::{Output, Sink, is_stream};
use super::source::{Block, Parsed, Place, Source};
use super::{DataError, Input, Items, Left, Lens};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tesuji_jobs::{Identity, Interrupt, LineJournal, in_order};
use tesuji_record::{Fault, GameRecord, Sample, ShortCut};

/// A question to whole games.
pub type KeepGame<'a> = &'a (dyn Fn(&GameRecord<String>) -> bool + Sync);

/// What is to be done, but for the work itself.
#[derive(Clone)]
pub struct Job<'a> {
    /// The files to read, in order.
    pub inputs: &'a [Input],
    /// Which games are seen at all, where the files hold games.
    pub keep_game: Option<KeepGame<'a>>,
    /// How records are seen.
    pub lens: Lens,
    /// Threads.
    pub jobs: usize,
    /// Divides the usual size of blocks: for work that takes long at each record.
    pub scale: usize,
    /// Go on behind broken records.
    pub skip_errors: bool,
    /// Go on where a pass with the same words stopped.
    pub resume: bool,
    /// What makes this pass this one: a journal of other words is not gone on with.
    pub words: String,
    /// Who makes the files, for their metadata.
    pub about: Vec<(String, String)>,
    /// Stops the work.
    pub interrupt: &'a Interrupt,
    /// Hears of the progress.
    pub tell: &'a (dyn Fn(&Tally) + Sync),
    /// Hears of broken records when they are skipped.
    pub complain: &'a (dyn Fn(&DataError) + Sync),
}

/// What was done so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Records read: games or positions, as the files have them.
    pub records: u64,
    /// Records written.
    pub written: u64,
    /// What was found, by kind, by work that looks for something.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub found: BTreeMap<String, u64>,
    /// What was left out, by reason.
    pub left: BTreeMap<String, u64>,
    /// Broken records that were skipped.
    pub errors: u64,
    /// Bytes of the files that were read, and of all, as they lie on disk; 0 where that is not known.
    pub bytes: (u64, u64),
    /// Whether it was stopped before the end.
    pub stopped: bool,
}

/// What a block became.
struct Done<T> {
    end: Place,
    records: u64,
    faults: Vec<(u64, DataError)>,
    made: T,
}

/// Reads all blocks from `place` on, does `work` on each in parallel and gives the results to `sink` in order, with the
/// place behind them and the tally so far.
///
/// `work` gets the number of the block from 0 and puts records that do not fit into the list; these are errors as
/// broken records are.
///
/// # Errors
/// The first broken record, unless they are skipped; whatever `sink` says.
pub(super) fn pass<T: Send>(
    job: &Job<'_>,
    begin: (Place, Tally, u64),
    work: impl Fn(usize, Parsed, &mut Left, &mut Vec<At>) -> T + Sync,
    sink: impl FnMut(T, Place, u64, &Tally) -> Result<(), DataError>,
) -> Result<Tally, DataError> {
    pass_blocks(job, begin, |block| finish_block(job, block, &work), sink)
}

/// [`pass`] with blocks as they are read.
fn pass_blocks<T: Send>(
    job: &Job<'_>,
    (place, mut tally, mut before): (Place, Tally, u64),
    finish: impl Fn(Block) -> (Place, Left, Done<T>) + Sync,
    mut sink: impl FnMut(T, Place, u64, &Tally) -> Result<(), DataError>,
) -> Result<Tally, DataError> {
    let mut source = Source::new(job.inputs, place, job.scale);
    let (read, total) = (source.bytes_read(), Source::bytes_total(job.inputs).unwrap_or(0));
    let mut file = place.input;
    let stopped = AtomicU64::new(0);
    let next = || {
        if job.interrupt.is_raised() {
            stopped.store(1, Relaxed);
            return Ok(None);
        }
        source.next()
    };
    let done = |(): &mut (), block: Block| Ok(finish(block));
    in_order(
        job.jobs,
        next,
        || (),
        done,
        |(start, left, done): (Place, Left, Done<T>)| {
            if start.input != file {
                (file, before) = (start.input, 0);
            }
            for (_, error) in done.faults {
                let error = error.after(before);
                if !job.skip_errors {
                    return Err(error);
                }
                tally.errors += 1;
                (job.complain)(&error);
            }
            before += done.records;
            tally.records += done.records;
            for (reason, n) in left.0 {
                *tally.left.entry(reason).or_default() += n;
            }
            tally.bytes = (read.load(Relaxed), total);
            sink(done.made, done.end, before, &tally)?;
            (job.tell)(&tally);
            Ok(())
        },
    )?;
    tally.stopped = stopped.into_inner() > 0;
    Ok(tally)
}

/// Parses a block and does the work on it.
fn finish_block<T>(
    job: &Job<'_>,
    block: Block,
    work: &impl Fn(usize, Parsed, &mut Left, &mut Vec<At>) -> T,
) -> (Place, Left, Done<T>) {
    let (start, end) = (block.start, block.end);
    let mut parsed = block.parse(job.inputs);
    let records = parsed.records;
    let mut faults: Vec<_> = std::mem::take(&mut parsed.errors).into_iter().map(|e| (e.record, e)).collect();
    if let (Some(keep), Items::Games(games)) = (job.keep_game, &mut parsed.items) {
        let kept: Vec<bool> = games.iter().map(keep).collect();
        let (mut of_games, mut of_numbers) = (kept.iter(), kept.iter());
        games.retain(|_| of_games.next() == Some(&true));
        parsed.numbers.retain(|_| of_numbers.next() == Some(&true));
    }
    let input = &job.inputs[start.input];
    let (mut left, mut found) = (Left::default(), Vec::new());
    let made = work(start.blocks, parsed, &mut left, &mut found);
    let games = input.format.holds_games();
    faults
        .extend(found.iter().map(|(record, fault)| (*record, DataError::of_fault(&input.path, games, *record, fault))));
    faults.sort_by_key(|f| f.0);
    (start, left, Done { end, records, faults, made })
}

/// Bytes that a job needs beside what is collected: blocks of records as they are read, pieces as they are written.
const JOB_BYTES: usize = 60 << 20;

/// How much of `memory` bytes may be collected: what is left beside the jobs, but an eighth at least.
pub(super) fn to_hold(job: &Job<'_>, memory: usize) -> usize {
    memory.saturating_sub(job.jobs * JOB_BYTES).max(memory / 8)
}

/// Reads everything and lets `look` see it in parallel, block by block; `gather` gets what it made in order.
///
/// # Errors
/// The first broken record, unless they are skipped; whatever `gather` says.
pub fn each<T: Send>(
    job: &Job<'_>,
    look: impl Fn(usize, Items, &mut dyn FnMut(usize, Fault)) -> T + Sync,
    mut gather: impl FnMut(T) -> Result<(), DataError>,
) -> Result<Tally, DataError> {
    let work = |number: usize, parsed: Parsed, _: &mut Left, faults: &mut Vec<At>| {
        let numbers = parsed.numbers;
        look(number, parsed.items, &mut |index, fault| {
            faults.push((numbers.get(index).copied().unwrap_or(0), fault));
        })
    };
    pass(job, Default::default(), work, |made, _, _, _| gather(made))
}

/// Records with the numbers that errors name: those of the records of the block they come from.
pub struct Routed {
    /// The records.
    pub items: Items,
    /// As many numbers.
    pub numbers: Vec<u64>,
    /// What was found among them, by kind.
    pub found: BTreeMap<&'static str, u64>,
}

impl Routed {
    /// Records with their numbers; nothing was found yet.
    pub fn new(items: Items, numbers: Vec<u64>) -> Routed {
        Routed { items, numbers, found: BTreeMap::new() }
    }

    /// Parts the records: `to` says into which of `count` outputs one goes, `None` drops it.
    pub fn part(self, count: usize, mut to: impl FnMut(Item<'_>, u64) -> Option<usize>) -> Vec<Routed> {
        let mut parts: Vec<Routed> = (0..count).map(|_| Routed::new(self.items.none(), Vec::new())).collect();
        match self.items {
            Items::Games(list) => {
                for (game, number) in list.into_iter().zip(self.numbers) {
                    let part = to(Item::Game(&game), number).and_then(|i| parts.get_mut(i));
                    if let Some(Routed { items: Items::Games(part), numbers, .. }) = part {
                        part.push(game);
                        numbers.push(number);
                    }
                }
            }
            Items::Samples(list) => {
                for (sample, number) in list.into_iter().zip(self.numbers) {
                    let part = to(Item::Sample(&sample), number).and_then(|i| parts.get_mut(i));
                    if let Some(Routed { items: Items::Samples(part), numbers, .. }) = part {
                        part.push(sample);
                        numbers.push(number);
                    }
                }
            }
        }
        parts
    }
}

/// A record.
#[derive(Clone, Copy)]
pub enum Item<'a> {
    /// A game.
    Game(&'a GameRecord<String>),
    /// A position.
    Sample(&'a Sample),
}

/// A line of a journal.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Point {
    /// What comes next.
    pub(super) place: Place,
    /// Records of the present file before it.
    pub(super) before: u64,
    /// Bytes written to each output.
    pub(super) lengths: Vec<u64>,
    /// What was done.
    pub(super) tally: Tally,
    /// Whether nothing is left but to give the outputs their names.
    #[serde(default)]
    pub(super) whole: bool,
}

impl Point {
    /// Nothing is done yet, for so many outputs.
    pub(super) fn beginning(outputs: usize) -> Point {
        Point { lengths: vec![0; outputs], ..Point::default() }
    }
}

/// The first line of a journal: which work it is of.
#[derive(Serialize, Deserialize)]
struct Heading {
    /// [`Job::words`].
    words: String,
    /// The inputs as they were when the work began; `None` for pipes.
    inputs: Vec<Option<Identity>>,
}

impl Heading {
    /// The heading of `job` with its inputs as they are now.
    fn of(job: &Job<'_>) -> Result<Heading, DataError> {
        let identity = |input: &Input| Identity::of(&input.path).map_err(|e| DataError::of_file(&input.path, e));
        let inputs = job.inputs.iter().map(identity).collect::<Result<_, _>>()?;
        Ok(Heading { words: job.words.clone(), inputs })
    }
}

/// Whether the journal at `path`, which begins with the line `heading`, is of this work and of these inputs.
fn check_heading(job: &Job<'_>, path: &Path, heading: &str) -> Result<(), DataError> {
    let was: Option<Heading> = serde_json::from_str(heading).ok();
    let Some(was) = was.filter(|was| was.words == job.words && was.inputs.len() == job.inputs.len()) else {
        let message = "it belongs to other work; start without --resume to begin anew";
        return Err(DataError::of_file(path, message));
    };
    for ((input, is), was) in job.inputs.iter().zip(Heading::of(job)?.inputs).zip(&was.inputs) {
        let differs = match (is, was) {
            (Some(is), Some(was)) => is.differs_from(was),
            _ => Some("what comes from a pipe cannot be read twice".to_string()),
        };
        if let Some(how) = differs {
            let words = format!(
                "it is not the file that the stopped work began with ({how}): put that file back, or start without --resume to \
                 begin anew"
            );
            return Err(DataError::of_file(&input.path, words));
        }
    }
    Ok(())
}

/// Refuses early what [`open_journal`] would refuse after a long pass over the inputs.
pub(super) fn check_resumed(job: &Job<'_>, output: &Output) -> Result<(), DataError> {
    let path = journal_path(output);
    if !job.resume || is_stream(&output.path) || !path.exists() {
        return Ok(());
    }
    let text = std::fs::read_to_string(&path).map_err(|e| DataError::of_file(&path, e))?;
    // A line without its end was torn by the kill: nothing had begun.
    text.split_once('\n').map_or(Ok(()), |(heading, _)| check_heading(job, &path, heading))
}

/// Appends `point` to the journal at `path`.
pub(super) fn note(journal: &mut LineJournal, path: &Path, point: &Point) -> Result<(), DataError> {
    let line = serde_json::to_string(point).map_err(DataError::other)?;
    journal.append(&line).map_err(|e| DataError::of_file(path, e))
}

/// Where the journal of a pass that writes `output` is.
pub(super) fn journal_path(output: &Output) -> PathBuf {
    let mut name = output.aside().into_os_string();
    name.push(".journal");
    name.into()
}

/// Writes the records of all inputs into `outputs`. `route` gets the number of the block, its records as games or as
/// positions (as the outputs hold them) and a place for those that do not fit, and says which go into which output.
///
/// Interrupted, it leaves what is done aside and a journal, from which the same call with `resume` goes on.
///
/// # Errors
/// The first broken record, unless they are skipped; files that cannot be read or written. Nothing appears under the
/// names of the outputs then.
pub fn convert(
    job: &Job<'_>,
    outputs: &[Output],
    route: impl Fn(usize, Routed, &mut dyn FnMut(u64, Fault)) -> Vec<Routed> + Sync,
) -> Result<Tally, DataError> {
    let games = outputs.first().is_some_and(|o| o.format.holds_games());
    let work = |number: usize, parsed: Parsed, left: &mut Left, faults: &mut Vec<At>| {
        let mut numbers = parsed.numbers;
        let items = job.lens.turn(parsed.items, &mut numbers, games, left, faults);
        let routed = route(number, Routed::new(items, numbers), &mut |record, fault| faults.push((record, fault)));
        let mut found = BTreeMap::new();
        routed.iter().flat_map(|part| &part.found).for_each(|(kind, n)| *found.entry(*kind).or_insert(0) += n);
        let pieces = routed.into_iter().zip(outputs).map(|(routed, output)| {
            let (bytes, count) = encode(output.format, routed.items, &routed.numbers, left, faults);
            output.packing.pack(bytes).map(|bytes| (bytes, count))
        });
        pieces.collect::<std::io::Result<Vec<_>>>().map(|pieces| (pieces, found))
    };
    write(job, outputs, |block| finish_block(job, block, &work))
}

/// Writes the records of all inputs into `output`, each input by its short cut. Otherwise as [`convert`].
///
/// # Errors
/// Those of [`convert`].
pub fn recode(job: &Job<'_>, output: &Output, ways: &[Box<dyn ShortCut>]) -> Result<Tally, DataError> {
    write(job, std::slice::from_ref(output), |block| {
        let (start, end, mut out, mut faults) = (block.start, block.end, Vec::new(), Vec::new());
        let path = &job.inputs[start.input].path;
        let (records, written) = match (ways.get(start.input), block.bytes()) {
            (Some(way), Some(bytes)) => way.convert(bytes, &mut out, &mut |error| {
                let error = Block::placed(start, error);
                faults.push((error.record, DataError::of_record(path, false, 0, &error)));
            }),
            _ => (0, 0),
        };
        let made = output.packing.pack(out).map(|bytes| (vec![(bytes, written)], BTreeMap::new()));
        (start, Left::default(), Done { end, records, faults, made })
    })
}

/// What a block became: bytes and records for each output, and what was found in it, by kind.
type Pieces = std::io::Result<(Vec<(Vec<u8>, u64)>, BTreeMap<&'static str, u64>)>;

/// Writes what `finish` makes of each block into `outputs`.
fn write(
    job: &Job<'_>,
    outputs: &[Output],
    finish: impl Fn(Block) -> (Place, Left, Done<Pieces>) + Sync,
) -> Result<Tally, DataError> {
    let first = outputs.first().ok_or_else(|| DataError::other("there is nothing to write to"))?;
    let to_stdout = outputs.iter().any(|o| is_stream(&o.path));
    let path = journal_path(first);
    let (mut journal, point) = if to_stdout { (None, None) } else { open_journal(job, &path)? };
    let mut point = point.unwrap_or_else(|| Point::beginning(outputs.len()));
    let mut sinks = Vec::new();
    for (output, keep) in outputs.iter().zip(&point.lengths) {
        sinks.push(Sink::open(output, *keep, point.whole)?);
    }
    let begin = (point.place, point.tally.clone(), point.before);
    let result = pass_blocks(job, begin, finish, |pieces, place, before, tally| {
        let (pieces, found_here) = pieces.map_err(DataError::other)?;
        let Tally { mut written, mut found, .. } = std::mem::take(&mut point.tally);
        found_here.into_iter().for_each(|(kind, n)| *found.entry(kind.to_string()).or_insert(0) += n);
        for ((bytes, count), sink) in pieces.iter().zip(&mut sinks) {
            sink.append(bytes)?;
            written += count;
        }
        let lengths = sinks.iter().map(Sink::length).collect();
        point = Point { place, before, lengths, tally: Tally { written, found, ..tally.clone() }, whole: false };
        journal.as_mut().map_or(Ok(()), |journal| note(journal, &path, &point))
    });
    let Tally { written, found, .. } = point.tally.clone();
    let result = result.map(|tally| Tally { written, found, ..tally });
    match result {
        Ok(Tally { stopped: true, .. }) => {}
        Ok(_) => name_outputs(journal, &path, point, sinks, &job.about)?,
        Err(_) => {
            outputs.iter().filter(|o| !is_stream(&o.path)).for_each(|o| drop(std::fs::remove_file(o.aside())));
            let _ = std::fs::remove_file(&path);
        }
    }
    result
}

/// Gives the outputs their names when all is written, and drops the journal. A file that is there is not replaced by nothing.
/// Killed in between, the same work with
/// `resume` does the rest.
pub(super) fn name_outputs(
    journal: Option<LineJournal>,
    path: &Path,
    point: Point,
    sinks: Vec<Sink>,
    about: &[(String, String)],
) -> Result<(), DataError> {
    if let (0, Some(full)) = (point.tally.written, sinks.iter().find(|sink| sink.replaces())) {
        let message = "there is nothing to write, and this file stays as it was";
        let error = DataError::of_file(full.path(), message);
        sinks.into_iter().for_each(Sink::discard);
        let _ = std::fs::remove_file(path);
        return Err(error);
    }
    if let Some(mut journal) = journal {
        note(&mut journal, path, &Point { whole: true, ..point })?;
    }
    for sink in sinks {
        sink.finish(about)?;
    }
    let _ = std::fs::remove_file(path);
    Ok(())
}

/// The journal of a pass, and the point to go on from if there is one.
pub(super) fn open_journal(job: &Job<'_>, path: &Path) -> Result<(Option<LineJournal>, Option<Point>), DataError> {
    let fail = |e: std::io::Error| DataError::of_file(path, e);
    if !job.resume {
        let _ = std::fs::remove_file(path);
    }
    let (mut journal, lines) = LineJournal::open(path, false).map_err(fail)?;
    let Some(heading) = lines.first() else {
        let heading = serde_json::to_string(&Heading::of(job)?).map_err(DataError::other)?;
        journal.append(&heading).map_err(fail)?;
        return Ok((Some(journal), None));
    };
    check_heading(job, path, heading)?;
    let point = lines.iter().skip(1).next_back().map(|line| serde_json::from_str(line));
    let point = point.transpose().map_err(|e| DataError::of_file(path, format!("a broken line: {e}")))?;
    Ok((Some(journal), point))
}
