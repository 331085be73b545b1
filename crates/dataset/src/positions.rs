//! From files of positions to rows: block by block in parallel, in order, within bounded memory.

use crate::build::thin;
use crate::data::{DataError, Items, Job, each};
use crate::{Built, Features, GamesOfPositions, Rows, RowsPlan};
use tesuji_record::{Facts, Fault, Sample, Survey};

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
    plan: &RowsPlan,
    rows: &mut Rows,
    tell: &mut (dyn FnMut(&Built) + Send),
) -> Result<Built, DataError> {
    let mut built = Built::default();
    let mut number = rows.iter().last().map_or(0, |r| r.head.game + 1);
    let look = |_: usize, items: Items, fault: &mut dyn FnMut(usize, Fault)| {
        let mut block = Block { rows: Rows::default(), games: 0, boards: 0, unfinished: 0 };
        let Items::Samples(mut samples) = items else { return None };
        forget_plies(&mut samples);
        if let Some(survey) = job.lens.survey {
            tell_before(&mut samples, survey);
        }
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

/// Takes the plies of known games for unknown where all of them are 0: some programs write a column that tells nothing, and the
/// beginning of a game is not learned from.
fn forget_plies(samples: &mut [Sample]) {
    if samples.len() > 1 && samples.iter().all(|sample| sample.ply.unwrap_or(0) == 0) {
        samples.iter_mut().for_each(|sample| sample.ply = None);
    }
}

/// Tells positions of known games what was played before them, as games tell it: their neighbour of the ply before knows.
fn tell_before(samples: &mut [Sample], survey: &dyn Survey) {
    let mut before: Option<(Option<u64>, Option<u32>, Facts)> = None;
    for sample in samples.iter_mut().filter(|sample| sample.facts.is_none()) {
        // What is wrong with a position is said where it is made into a row.
        let facts = sample.game.and_then(|_| survey.look(sample).ok());
        let next_of = |ply: Option<u32>| ply.and_then(|ply| ply.checked_add(1));
        let neighbour =
            before.filter(|&(game, ply, _)| game == sample.game && sample.ply.is_some() && sample.ply == next_of(ply));
        let (noisy, check) = match neighbour {
            Some((.., was)) => (Some(was.noisy), Some(was.check)),
            None if sample.game.is_some() && sample.ply == Some(0) => (Some(false), Some(false)),
            None => (None, None),
        };
        before = facts.map(|facts| (sample.game, sample.ply, facts));
        sample.facts = facts.map(|facts| Facts { after_noisy: noisy, after_check: check, ..facts });
    }
}

/// The rows and counts made from a block of positions.
struct Block {
    rows: Rows,
    games: u32,
    boards: usize,
    unfinished: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_chess::ChessSurvey;
    use tesuji_record::GameRecord;

    /// Files of others with ply 0 everywhere lost all their positions to the plies that are skipped.
    #[test]
    fn plies_that_are_all_0_are_unknown() {
        let plies = |plies: &[u32]| -> Vec<Option<u32>> {
            let mut samples: Vec<Sample> =
                plies.iter().map(|&ply| Sample { game: Some(7), ply: Some(ply), ..Sample::default() }).collect();
            forget_plies(&mut samples);
            samples.iter().map(|sample| sample.ply).collect()
        };
        assert_eq!(plies(&[0, 0, 0]), [None; 3]);
        assert_eq!(plies(&[0, 1, 0]), [0, 1, 0].map(Some));
        assert_eq!(plies(&[0]), [Some(0)], "it may be a start");
    }

    /// From Parquet a tenth more boards were kept than from the games themselves: nobody knew what was played before.
    #[test]
    fn positions_of_a_game_know_what_was_played_before() {
        let moves = "e2e4 d7d5 e4d5 d8d5 b1c3 d5e5 f1e2 e5e2 d1e2";
        let game = GameRecord::from_moves("", None, moves.split(' ').map(String::from));
        let mut told = Vec::new();
        ChessSurvey.samples(&game, &mut told).unwrap();
        let told: Vec<Sample> = told.into_iter().map(|s| Sample { half_points: Some(1), ..s }).collect();
        let bare = || told.iter().map(|s| Sample { facts: None, ..s.clone() });
        let before = |samples: &[Sample]| -> Vec<_> {
            let facts = |s: &Sample| s.facts.map(|f| (f.after_noisy, f.after_check));
            samples.iter().map(facts).collect()
        };
        let mut samples: Vec<Sample> = bare().collect();
        tell_before(&mut samples, &ChessSurvey);
        assert_eq!(before(&samples), before(&told));
        // Of games that are not known, and behind a gap, nobody knows.
        let mut unknown: Vec<Sample> = bare().map(|s| Sample { game: None, ..s }).collect();
        tell_before(&mut unknown, &ChessSurvey);
        assert!(unknown.iter().all(|s| s.facts.is_none()));
        let mut gaps: Vec<Sample> = bare().step_by(2).skip(1).collect();
        tell_before(&mut gaps, &ChessSurvey);
        assert!(gaps.iter().all(|s| s.facts.is_some_and(|f| f.after_noisy.is_none())));
    }
}
