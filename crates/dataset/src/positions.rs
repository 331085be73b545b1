//! From files of positions to rows: block by block in parallel, in order, within bounded memory.

use crate::build::thin;
use crate::data::{DataError, Items, Job, each};
use crate::{Built, Features, Plan, Rows};
use tesuji_record::{Fault, Sample};

/// Neighbours of which neither the game nor the ply is known count as one game, so many of them: a shuffled file has no
/// games, and of one that is not shuffled few games are cut.
const RUN: u32 = 256;

/// Reads all positions of `job` and appends their rows to `rows`, numbering games as [`build`](crate::build()) does. A game
/// ends where the next position names another one, or where its ply does not follow.
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
    let mut number = rows.iter().last().map_or(0, |r| r.head.game + 1).max(plan.first_game);
    let look = |_: usize, items: Items, fault: &mut dyn FnMut(usize, Fault)| {
        let mut block = Block { rows: Rows::default(), games: Games::default(), boards: 0, unfinished: 0 };
        let Items::Samples(samples) = items else { return None };
        let Block { rows, games, .. } = &mut block;
        block.boards = features.positions(&samples, &mut |s| games.number(s), &plan.filter, rows, fault);
        block.unfinished = samples.iter().filter(|s| s.half_points.is_none()).count();
        Some(block)
    };
    let tally = each(job, look, |block| {
        let Some(block) = block else { return Err(DataError::other("expected files of positions, found games")) };
        built.games += u64::from(block.games.count);
        built.boards += block.boards as u64;
        built.unfinished += block.unfinished as u64;
        built.kept += block.rows.len() as u64;
        rows.append_games(&block.rows, number);
        number = number.wrapping_add(block.games.count);
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
    games: Games,
    boards: usize,
    unfinished: usize,
}

/// Tells where one game ends and the next begins.
#[derive(Default)]
struct Games {
    count: u32,
    last: Option<(u64, u32)>,
    run: u32,
}

impl Games {
    /// The number of the game of `sample`, from 0.
    fn number(&mut self, sample: &Sample) -> u32 {
        let here = (sample.game, sample.ply);
        self.run += 1;
        let goes_on = match self.last.replace(here) {
            None => false,
            Some((game, _)) if game != 0 || here.0 != 0 => game == here.0,
            Some((_, ply)) if ply != 0 || here.1 != 0 => here.1 == ply.wrapping_add(1),
            Some(_) => self.run < RUN,
        };
        if !goes_on {
            self.count += 1;
            self.run = 0;
        }
        self.count - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(samples: &[(u64, u32)], expect: &[u32]) {
        let mut games = Games::default();
        let numbers: Vec<u32> =
            samples.iter().map(|&(game, ply)| games.number(&Sample { game, ply, ..Sample::default() })).collect();
        assert_eq!(numbers, expect);
    }

    #[test]
    fn games_end_where_they_are_seen_to() {
        check(&[(7, 0), (7, 1), (9, 2), (7, 3)], &[0, 0, 1, 2]);
        check(&[(0, 4), (0, 5), (0, 9), (0, 10), (0, 0)], &[0, 0, 1, 1, 2]);
        check(&[(0, 0), (0, 0), (3, 0)], &[0, 0, 1]);
    }

    #[test]
    fn what_is_not_known_falls_into_runs() {
        let mut games = Games::default();
        let numbers: Vec<u32> = (0..3 * RUN).map(|_| games.number(&Sample::default())).collect();
        assert_eq!((numbers[0], numbers[RUN as usize - 1], numbers[3 * RUN as usize - 1]), (0, 0, 2));
    }
}
