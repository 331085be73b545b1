//! Shuffling files of any size: every record gets a random key by its number, and records are sorted by their keys.

use super::encode::{At, encode_each, join};
use super::run::{pass, to_hold};
use super::source::{InputOffset, Parsed};
use super::spill::Spill;
use super::work::Work;
use super::{DataError, Job, Left, Output, Tally};
use std::path::Path;
use tesuji_game::Random;
use tesuji_jobs::in_order;

/// Writes the records of all inputs into `output` in an order that `seed` decides: the same for any number of jobs and any
/// `memory`, the bytes to hold before the disk in `folder` is used (about twice the output).
///
/// Stopped while it writes, the same call with `resume` reads everything once more and goes on with writing.
///
/// # Errors
/// The first broken record, unless they are skipped; files that cannot be read or written.
pub fn shuffle(job: &Job<'_>, output: &Output, seed: u64, memory: usize, folder: &Path) -> Result<Tally, DataError> {
    let mut writing = Work::open(job, std::slice::from_ref(output))?;
    let mut spill = Spill::new(to_hold(job, memory), folder);
    let tally = match collect(job, output, seed, &mut spill, folder) {
        Ok(tally) if !tally.stopped => tally,
        Ok(stopped) => return Ok(stopped),
        Err(error) => return Err(writing.fail(error, job.resume)),
    };
    let spill = match spill.finish() {
        Ok(spill) => spill,
        Err(error) => return Err(writing.fail(DataError::of_io(folder, &error), job.resume)),
    };
    let mut pieces = writing.point().place.blocks..spill.pieces();
    let source = || Ok(if job.interrupt.is_raised() { None } else { pieces.next() });
    let work = |(): &mut (), piece: usize| {
        let sorted = spill.read(piece).map_err(|e| DataError::of_file(folder, e))?;
        let bytes = join(output.format, sorted.iter().map(|r| r.1)).map_err(DataError::other)?;
        output.packing.pack(bytes).map_err(DataError::other)
    };
    let written = in_order(
        job.jobs,
        source,
        || (),
        work,
        |piece| {
            let place = InputOffset { blocks: writing.point().place.blocks + 1, ..InputOffset::default() };
            writing.append([piece.as_slice()], (place, 0, tally.clone()))
        },
    );
    if let Err(error) = written {
        return Err(writing.fail(error, false));
    }
    if writing.point().place.blocks < spill.pieces() {
        return Ok(Tally { stopped: true, ..tally });
    }
    writing.finish(&job.about)?;
    Ok(tally)
}

/// Reads everything and gives each record a random key.
fn collect(job: &Job<'_>, output: &Output, seed: u64, spill: &mut Spill, folder: &Path) -> Result<Tally, DataError> {
    let games = output.format.holds_games();
    let work = |_: usize, parsed: Parsed, left: &mut Left, faults: &mut Vec<At>| {
        let mut numbers = parsed.numbers;
        let items = job.lens.turn(parsed.items, &mut numbers, games, left, faults);
        encode_each(output.format, items, &numbers, left, faults)
    };
    let mut count = 0u64;
    let tally = pass(job, Default::default(), work, |records, _, _, _| {
        for record in records.iter() {
            let key = Random::for_item(seed, count).next_u64();
            count += 1;
            spill.push(key, record).map_err(|e| DataError::of_io(folder, &e))?;
        }
        Ok(())
    })?;
    Ok(Tally { written: count, ..tally })
}
