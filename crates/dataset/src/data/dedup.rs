//! Dropping what came before: one pass collects keys, a second one writes the first record of each.

use super::encode::At;
use super::run::{Item, Routed, convert_into, pass, to_hold};
use super::source::Parsed;
use super::spill::{Collected, Spill};
use super::work::Work;
use super::{DataError, Items, Job, Left, Lens, Output, Tally};
use std::path::Path;
use tesuji_jobs::in_order;
use tesuji_record::{Fault, fingerprint};

/// The keys of `items`: games by start and moves, positions by what play can go on from; 0 and a fault for those that make
/// no sense.
pub(super) fn keys(lens: &Lens, items: &Items, mut fault: impl FnMut(usize, Fault)) -> Vec<u64> {
    match items {
        Items::Games(games) => games.iter().map(fingerprint).collect(),
        Items::Samples(samples) => samples
            .iter()
            .enumerate()
            .map(|(i, sample)| match (sample.facts, lens.survey) {
                (Some(facts), _) => facts.key,
                (None, Some(survey)) => survey.look(sample).map_or_else(
                    |f| {
                        fault(i, f);
                        0
                    },
                    |facts| facts.key,
                ),
                (None, None) => 0,
            })
            .collect(),
    }
}

/// The numbers of records whose key an earlier record has: with how many there are in all.
///
/// # Errors
/// Those of the disk.
pub(super) fn repeated(spill: &Collected, jobs: usize, mut tell: impl FnMut(u64)) -> std::io::Result<u64> {
    let mut pieces = 0..spill.pieces();
    let source = || Ok(pieces.next());
    let work = |(): &mut (), piece: usize| {
        let sorted = spill.read(piece)?;
        let (mut last, mut again) = (None, Vec::new());
        for (key, record) in sorted.iter() {
            if last == Some(key) {
                again.push(record.try_into().map_or(0, u64::from_le_bytes));
            }
            last = Some(key);
        }
        Ok(again)
    };
    let mut count = 0;
    in_order(
        jobs,
        source,
        || (),
        work,
        |again: Vec<u64>| {
            count += again.len() as u64;
            again.into_iter().for_each(&mut tell);
            Ok::<_, std::io::Error>(())
        },
    )?;
    Ok(count)
}

/// Writes the records of all inputs into `output` but those that came before: games with the same start and moves,
/// positions from which play can go on in the same way. Stopped while it writes, the same call with `resume` reads everything once
/// more and goes on with writing. Holds about `memory` bytes and a bit for each record.
///
/// # Errors
/// The first broken record, unless they are skipped; files that cannot be read or written.
pub fn dedup(job: &Job<'_>, output: &Output, memory: usize, folder: &Path) -> Result<Tally, DataError> {
    let outputs = std::slice::from_ref(output);
    let writing = Work::open(job, outputs)?;
    let (firsts, again, dropped) = match first_pass(job, output, memory, folder) {
        Ok(Seen::All { firsts, again, dropped }) => (firsts, again, dropped),
        Ok(Seen::Stopped(tally)) => return Ok(tally),
        Err(error) => return Err(writing.fail(error, job.resume)),
    };
    let silent = Job { complain: &|_| (), ..job.clone() };
    let result = convert_into(&silent, outputs, writing, |block, routed: Routed, _| {
        let mut number = firsts.get(block).copied().unwrap_or(0);
        routed.part(1, |_: Item<'_>, _| {
            number += 1;
            let bit = again.get(((number - 1) / 64) as usize).is_some_and(|w| w >> ((number - 1) % 64) & 1 != 0);
            (!bit).then_some(0)
        })
    })?;
    let mut left = result.left.clone();
    if dropped > 0 {
        let games = output.format.holds_games();
        left.insert(if games { "games seen before" } else { "positions seen before" }.into(), dropped);
    }
    Ok(Tally { left, ..result })
}

/// The result of the first pass, which finds the duplicates.
enum Seen {
    /// Everything.
    All {
        /// The number of the first record of each block.
        firsts: Vec<u64>,
        /// A bit for each record, set where it came before.
        again: Vec<u64>,
        /// The number of records that came before.
        dropped: u64,
    },
    /// It was stopped.
    Stopped(Tally),
}

/// Finds the records that came before.
fn first_pass(job: &Job<'_>, output: &Output, memory: usize, folder: &Path) -> Result<Seen, DataError> {
    let games = output.format.holds_games();
    let mut spill = Spill::new(to_hold(job, memory), folder);
    let (mut firsts, mut count) = (Vec::new(), 0u64);
    let work = |_: usize, parsed: Parsed, left: &mut Left, faults: &mut Vec<At>| {
        let mut numbers = parsed.numbers;
        let items = job.lens.turn(parsed.items, &mut numbers, games, left, faults);
        keys(&job.lens, &items, |i, fault| faults.push((numbers[i], fault)))
    };
    let tally = pass(job, Default::default(), work, |keys, _, _, _| {
        firsts.push(count);
        for key in keys {
            spill.push(key, &count.to_le_bytes()).map_err(|e| DataError::of_io(folder, &e))?;
            count += 1;
        }
        Ok(())
    })?;
    if tally.stopped {
        return Ok(Seen::Stopped(tally));
    }
    let spill = spill.finish().map_err(|e| DataError::of_io(folder, &e))?;
    let mut again = vec![0u64; (count / 64 + 1) as usize];
    let dropped = repeated(&spill, job.jobs, |number| again[(number / 64) as usize] |= 1 << (number % 64));
    let dropped = dropped.map_err(|e| DataError::of_file(folder, e))?;
    Ok(Seen::All { firsts, again, dropped })
}
