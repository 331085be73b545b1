//! Shuffling files of any size: every record gets a random key by its number, and records are sorted by their keys.

use super::encode::{At, encode_each, join};
use super::run::{Point, check_resumed, journal_path, name_outputs, note, open_journal, pass, to_hold};
use super::sink::{Sink, is_stream};
use super::source::{Parsed, Place};
use super::spill::Spill;
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
    check_resumed(job, output)?;
    let games = output.format.holds_games();
    let mut spill = Spill::new(to_hold(job, memory), folder);
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
            spill.push(key, record).map_err(|e| DataError::of_file(folder, e))?;
        }
        Ok(())
    })?;
    let tally = Tally { written: count, ..tally };
    if tally.stopped {
        return Ok(tally);
    }
    let spill = spill.finish().map_err(|e| DataError::of_file(folder, e))?;
    let path = journal_path(output);
    let (mut journal, point) = if is_stream(&output.path) { (None, None) } else { open_journal(job, &path)? };
    let mut point = point.unwrap_or_else(|| Point::beginning(1));
    let keep = point.lengths.first().copied().unwrap_or(0);
    let mut sink = Sink::open(output, keep, point.whole)?;
    let mut pieces = point.place.blocks..spill.pieces();
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
            sink.append(&piece)?;
            let place = Place { blocks: point.place.blocks + 1, ..Place::default() };
            point = Point { place, lengths: vec![sink.length()], tally: tally.clone(), ..Point::default() };
            journal.as_mut().map_or(Ok(()), |journal| note(journal, &path, &point))
        },
    );
    if let Err(error) = written {
        let _ = std::fs::remove_file(output.aside());
        let _ = std::fs::remove_file(&path);
        return Err(error);
    }
    if point.place.blocks < spill.pieces() {
        return Ok(Tally { stopped: true, ..tally });
    }
    name_outputs(journal, &path, point, vec![sink], &job.about)?;
    Ok(tally)
}
