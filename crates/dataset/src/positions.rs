//! From files of positions to rows: block by block in parallel, in order, within bounded memory.

use crate::build::thin;
use crate::data::{DataError, Items, Job, each};
use crate::{Built, Features, GamesOfPositions, Plan, Rows};
use tesuji_record::{Fault, Sample};

/// Reads all positions of `job` and appends their rows to `rows`, numbering games as [`build`](crate::build()) does and telling
/// them apart as [`GamesOfPositions`] does.
///
/// The rows are the same for any number of jobs.
///
/// # Errors
/// The first broken record or position, unless they are skipped; files of games.
pub fn build_positions(
    job: &Job<'_>,
    features: &dyn Features,
    plan: &Plan,
    rows: &mut Rows,
    tell: &mut (dyn FnMut(&Built) + Send),
) -> Result<Built, DataError> {
    let mut built = Built::default();
    let mut number = rows.iter().last().map_or(0, |r| r.head.game + 1);
    let look = |_: usize, items: Items, fault: &mut dyn FnMut(usize, Fault)| {
        let mut block = Block { rows: Rows::default(), games: 0, boards: 0, unfinished: 0 };
        let Items::Samples(samples) = items else { return None };
        let (mut games, mut keys) = (GamesOfPositions::default(), Vec::new());
        let mut number = |sample: &Sample| {
            let (number, key) = games.next(sample.game, sample.ply, || sample.position.clone());
            if keys.len() == number as usize {
                keys.push(key);
            }
            number
        };
        block.boards = features.positions(&samples, &mut number, &plan.filter, &mut block.rows, fault);
        block.rows.set_keys(0, |head| keys.get(head.game as usize).copied().unwrap_or(0));
        block.games = games.count();
        block.unfinished = samples.iter().filter(|s| s.half_points.is_none()).count();
        Some(block)
    };
    let tally = each(job, look, |block| {
        let Some(block) = block else { return Err(DataError::other("expected files of positions, found games")) };
        built.games += u64::from(block.games);
        built.boards += block.boards as u64;
        built.unfinished += block.unfinished as u64;
        built.kept += block.rows.len() as u64;
        rows.append_games(&block.rows, number);
        number = number.wrapping_add(block.games);
        thin(rows, plan, &mut built);
        tell(&built);
        Ok(())
    })?;
    built.stopped = tally.stopped;
    Ok(built)
}

/// What a block of positions became.
struct Block {
    rows: Rows,
    games: u32,
    boards: usize,
    unfinished: usize,
}
