//! One pass over data: blocks are read in order, worked on by many threads, and their pieces written in order, with a
//! journal from which a stopped pass goes on.

use super::encode::{At, encode};
use super::sink::Output;
use super::source::{Block, InputOffset, Parsed, Source};
use super::work::Work;
use super::{DataError, Input, Items, Left, Lens};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tesuji_jobs::{Interrupt, in_order};
use tesuji_record::{CLAIMED_RESULT, Fault, GameRecord, Sample, ShortCut};

/// A question to whole games.
pub type KeepGame<'a> = &'a (dyn Fn(&GameRecord<String>) -> bool + Sync);

/// The inputs and settings of a pass over data, except the work itself.
#[derive(Clone)]
pub struct Job<'a> {
    /// The files to read, in order.
    pub inputs: &'a [Input],
    /// A filter of whole games, applied before all else where the files hold games.
    pub keep_game: Option<KeepGame<'a>>,
    /// The conversion of games into positions and back.
    pub lens: Lens,
    /// Threads.
    pub jobs: usize,
    /// Divides the usual size of blocks: for work that takes long at each record.
    pub scale: usize,
    /// Go on behind broken records.
    pub skip_errors: bool,
    /// Go on where a pass with the same words stopped.
    pub resume: bool,
    /// Identifies this pass: a journal with other words is not resumed.
    pub words: String,
    /// The metadata of the output files about the program that makes them.
    pub about: Vec<(String, String)>,
    /// Stops the work.
    pub interrupt: &'a Interrupt,
    /// Hears of the progress.
    pub tell: &'a (dyn Fn(&Tally) + Sync),
    /// Hears of broken records when they are skipped.
    pub complain: &'a (dyn Fn(&DataError) + Sync),
}

/// Counts of the records read, written and left out so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Records read: games or positions, as the files have them.
    pub records: u64,
    /// Records written.
    pub written: u64,
    /// Records written to each file, by its path, where there are several files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, u64>,
    /// Counts of the finds, by kind, for work that looks for something.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub found: BTreeMap<String, u64>,
    /// Records left out, by reason.
    pub left: BTreeMap<String, u64>,
    /// Parts that games were written without, with how many games each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lost: BTreeMap<String, u64>,
    /// Labels that positions were written without, with how many positions each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub untold: BTreeMap<String, u64>,
    /// Broken records that were skipped.
    pub errors: u64,
    /// Bytes of the files that were read, and of all, as they lie on disk; 0 where that is not known.
    pub bytes: (u64, u64),
    /// Whether it was stopped before the end.
    pub stopped: bool,
}

/// The result of the work on a block.
struct Done<T> {
    end: InputOffset,
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
    begin: (InputOffset, Tally, u64),
    work: impl Fn(usize, Parsed, &mut Left, &mut Vec<At>) -> T + Sync,
    sink: impl FnMut(T, InputOffset, u64, &Tally) -> Result<(), DataError>,
) -> Result<Tally, DataError> {
    pass_blocks(job, begin, |block| finish_block(job, block, &work), sink)
}

/// [`pass`] with blocks as they are read.
fn pass_blocks<T: Send>(
    job: &Job<'_>,
    (place, mut tally, mut before): (InputOffset, Tally, u64),
    finish: impl Fn(Block) -> (InputOffset, Left, Done<T>) + Sync,
    mut sink: impl FnMut(T, InputOffset, u64, &Tally) -> Result<(), DataError>,
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
        |(start, left, done): (InputOffset, Left, Done<T>)| {
            if start.input != file {
                (file, before) = (start.input, 0);
            }
            for (_, error) in done.faults {
                let error = error.after(before);
                if !job.skip_errors || error.ends_all {
                    return Err(error);
                }
                tally.errors += 1;
                (job.complain)(&error);
            }
            before += done.records;
            tally.records += done.records;
            for (reason, n) in left.records {
                *tally.left.entry(reason).or_default() += n;
            }
            for (part, n) in left.parts {
                *tally.lost.entry(part.to_string()).or_default() += n;
            }
            for (label, n) in left.labels {
                *tally.untold.entry(label.to_string()).or_default() += n;
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

/// The tag of games of PGN whose moves end with another result than their tag has, which counts.
pub const OTHER_RESULT: &str = "MovetextResult";

/// Parses a block and does the work on it.
fn finish_block<T>(
    job: &Job<'_>,
    block: Block,
    work: &impl Fn(usize, Parsed, &mut Left, &mut Vec<At>) -> T,
) -> (InputOffset, Left, Done<T>) {
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
    if let Items::Games(games) = &parsed.items {
        for (tag, words) in [
            (OTHER_RESULT, "results behind the moves (the tag Result says another)"),
            (CLAIMED_RESULT, "results that the last position contradicts (it counts)"),
        ] {
            games.iter().filter(|game| game.tag(tag).is_some()).for_each(|_| left.lose_words(words));
        }
        let clipped = games.iter().filter(|game| game.clipped > 0);
        clipped.for_each(|_| left.lose_words("values out of range (the nearest are kept)"));
    }
    let made = work(start.blocks, parsed, &mut left, &mut found);
    let games = input.format.holds_games();
    faults
        .extend(found.iter().map(|(record, fault)| (*record, DataError::of_fault(&input.path, games, *record, fault))));
    faults.sort_by_key(|f| f.0);
    (start, left, Done { end, records, faults, made })
}

/// Bytes that a job needs beside what is collected: blocks of records as they are read, pieces as they are written.
const JOB_BYTES: usize = 60 << 20;

/// The part of `memory` bytes that collected records may use: what the jobs do not need, but an eighth at least.
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
    /// Counts of the finds among them, by kind.
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
    convert_into(job, outputs, Work::open(job, outputs)?, route)
}

/// [`convert`] with `outputs` that are open already.
pub(super) fn convert_into(
    job: &Job<'_>,
    outputs: &[Output],
    writing: Work,
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
    write(job, writing, |block| finish_block(job, block, &work))
}

/// Writes the records of all inputs into `output`, each input by its short cut. Otherwise as [`convert`].
///
/// # Errors
/// Those of [`convert`].
pub fn recode(job: &Job<'_>, output: &Output, ways: &[Box<dyn ShortCut>]) -> Result<Tally, DataError> {
    write(job, Work::open(job, std::slice::from_ref(output))?, |block| {
        let (start, end, mut out, mut faults) = (block.start, block.end, Vec::new(), Vec::new());
        let path = &job.inputs[start.input].path;
        let (records, written) = match (ways.get(start.input), block.bytes()) {
            (Some(way), Some(bytes)) => way.convert(bytes, &mut out, &mut |error| {
                let error = Block::placed(start, error);
                faults.push((error.record, DataError::of_record(path, false, 0, &error)));
            }),
            _ => (0, 0),
        };
        let mut left = Left::default();
        left.lose_labels(&job.inputs[start.input].format.loses(output.format), written);
        let made = output.packing.pack(out).map(|bytes| (vec![(bytes, written)], BTreeMap::new()));
        (start, left, Done { end, records, faults, made })
    })
}

/// The output of a block: bytes and records for each output file, and counts of the finds in it, by kind.
type Pieces = std::io::Result<(Vec<(Vec<u8>, u64)>, BTreeMap<&'static str, u64>)>;

/// Writes what `finish` makes of each block by `writing`.
fn write(
    job: &Job<'_>,
    mut writing: Work,
    finish: impl Fn(Block) -> (InputOffset, Left, Done<Pieces>) + Sync,
) -> Result<Tally, DataError> {
    let begun = writing.point().clone();
    // What is written and found is counted here, the rest by the pass.
    let (mut written, mut found) = (begun.tally.written, begun.tally.found.clone());
    let (names, mut each) = (writing.names(), begun.tally.outputs.clone());
    if names.len() > 1 {
        each.extend(names.iter().filter(|name| !begun.tally.outputs.contains_key(*name)).map(|name| (name.clone(), 0)));
    }
    let result = pass_blocks(job, (begun.place, begun.tally, begun.before), finish, |pieces, place, before, tally| {
        let (pieces, found_here) = pieces.map_err(DataError::other)?;
        found_here.into_iter().for_each(|(kind, n)| *found.entry(kind.to_string()).or_insert(0) += n);
        written += pieces.iter().map(|(_, count)| count).sum::<u64>();
        for (name, (_, count)) in names.iter().zip(&pieces) {
            each.entry(name.clone()).and_modify(|n| *n += count);
        }
        let tally = Tally { written, outputs: each.clone(), found: found.clone(), ..tally.clone() };
        writing.append(pieces.iter().map(|(bytes, _)| bytes.as_slice()), (place, before, tally))
    });
    match result {
        Ok(tally) => {
            // Stopped work leaves its files for the same work with `resume`.
            if !tally.stopped {
                writing.finish(&job.about)?;
            }
            Ok(Tally { written, outputs: each, found, ..tally })
        }
        Err(error) => Err(writing.fail(error, false)),
    }
}
