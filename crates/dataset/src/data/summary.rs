//! Statistics of files: games, positions, and the distributions of results, plies, scores and material.

use super::dedup::{keys, repeated};
use super::run::to_hold;
use super::spill::Spill;
use super::{DataError, Items, Job, Left, Tally, each};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use tesuji_record::{Facts, Fault, Sample, half_points};
use utoipa::ToSchema;

/// A histogram: record counts over ranges of equal width.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Histogram {
    /// The width of a range.
    pub width: i64,
    /// Records by the beginning of their range.
    pub counts: BTreeMap<i64, u64>,
    /// The smallest and the largest value.
    pub range: Option<(i64, i64)>,
    /// The mean; 0 without records.
    pub mean: f64,
    #[schema(ignore)]
    sum: i64,
}

impl Histogram {
    /// An empty histogram of ranges of `width`.
    pub fn new(width: i64) -> Histogram {
        Histogram { width, counts: BTreeMap::new(), range: None, mean: 0.0, sum: 0 }
    }

    /// One more record, of value `value`.
    pub fn add(&mut self, value: i64) {
        *self.counts.entry(value.div_euclid(self.width) * self.width).or_default() += 1;
        self.stretch(Some((value, value)));
        self.sum += value;
    }

    fn stretch(&mut self, range: Option<(i64, i64)>) {
        if let Some((low, high)) = range {
            let (a, b) = self.range.unwrap_or((low, high));
            self.range = Some((a.min(low), b.max(high)));
        }
    }

    /// The records of `other`, too.
    pub fn join(&mut self, other: &Histogram) {
        for (&from, n) in &other.counts {
            *self.counts.entry(from).or_default() += n;
        }
        self.stretch(other.range);
        self.sum += other.sum;
        self.mean = self.sum as f64 / self.total().max(1) as f64;
    }

    /// Records in all.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

/// Statistics of the contents of files.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Summary {
    /// Games: those of the files, or those that positions name.
    pub games: u64,
    /// Games with moves that came before, or `None` where positions are no games.
    pub games_repeated: Option<u64>,
    /// Positions.
    pub positions: u64,
    /// Positions that came before; `None` where nothing looks at positions of the game.
    pub positions_repeated: Option<u64>,
    /// Wins of First, draws, wins of Second, unknown: of games, or of positions where the files hold positions.
    pub results: [u64; 4],
    /// Plies of games, or plies to the end of positions.
    pub plies: Histogram,
    /// Scores for First in centipawns, proven wins left out.
    pub scores: Histogram,
    /// Scores that are proven wins or losses.
    pub mates: u64,
    /// Positions with a move.
    pub moves: u64,
    /// Positions in check.
    pub checks: u64,
    /// Material of both sides.
    pub material: Histogram,
    /// Material of First minus Second.
    pub balance: Histogram,
    /// Whether the files hold games.
    pub of_games: bool,
}

impl Summary {
    /// Of nothing.
    pub fn new(of_games: bool) -> Summary {
        Summary {
            games: 0,
            games_repeated: None,
            positions: 0,
            positions_repeated: None,
            results: [0; 4],
            plies: Histogram::new(20),
            scores: Histogram::new(100),
            mates: 0,
            moves: 0,
            checks: 0,
            material: Histogram::new(6),
            balance: Histogram::new(1),
            of_games,
        }
    }

    fn result(&mut self, half_points: Option<u8>) {
        self.results[half_points.map_or(3, |p| 2 - usize::from(p.min(2)))] += 1;
    }

    fn sample(&mut self, sample: &Sample, facts: Option<Facts>) {
        self.positions += 1;
        self.moves += u64::from(!sample.mv.is_empty());
        match sample.score.map(|score| i64::from(score.0)) {
            Some(score) if score.abs() > i64::from(tesuji_game::Value::CP_MAX) => self.mates += 1,
            Some(score) => self.scores.add(score),
            None => {}
        }
        if let Some(facts) = facts {
            self.checks += u64::from(facts.check);
            self.material.add(facts.material.into());
            self.balance.add(facts.balance.into());
        }
    }

    fn join(&mut self, other: &Summary) {
        self.games += other.games;
        self.positions += other.positions;
        self.results.iter_mut().zip(other.results).for_each(|(a, b)| *a += b);
        self.plies.join(&other.plies);
        self.scores.join(&other.scores);
        self.mates += other.mates;
        self.moves += other.moves;
        self.checks += other.checks;
        self.material.join(&other.material);
        self.balance.join(&other.balance);
    }
}

/// The statistics of one block.
struct Part {
    summary: Summary,
    games: Vec<u64>,
    positions: Vec<u64>,
}

/// Looks at all records. Holds about `memory` bytes; what is needed to find duplicates beyond it goes to the disk in `folder`.
///
/// # Errors
/// The first broken record, unless they are skipped; files that cannot be read.
pub fn summarise(job: &Job<'_>, memory: usize, folder: &Path) -> Result<(Summary, Tally), DataError> {
    let of_games = job.inputs.iter().all(|i| i.format.holds_games());
    let mut all = Summary::new(of_games);
    let memory = to_hold(job, memory);
    let (mut games, mut positions) = (Spill::new(memory / 4, folder), Spill::new(memory / 4 * 3, folder));
    let disk = |e: std::io::Error| DataError::of_file(folder, e);
    let look = |_: usize, items: Items, fault: &mut dyn FnMut(usize, Fault)| look(job, of_games, items, fault);
    let tally = each(job, look, |part: Part| {
        all.join(&part.summary);
        part.games.iter().try_for_each(|&key| games.push(key, &[])).map_err(disk)?;
        part.positions.iter().try_for_each(|&key| positions.push(key, &[])).map_err(disk)
    })?;
    let count = |spill: Spill| spill.finish().and_then(|spill| repeated(&spill, job.jobs, |_| ())).map_err(disk);
    let repeated = count(positions)?;
    all.positions_repeated = job.lens.survey.map(|_| repeated);
    let again = count(games)?;
    if of_games {
        all.games_repeated = Some(again);
    } else {
        // Each position names its game.
        all.games -= again;
    }
    Ok((all, tally))
}

fn look(job: &Job<'_>, of_games: bool, items: Items, fault: &mut dyn FnMut(usize, Fault)) -> Part {
    let mut part = Part { summary: Summary::new(of_games), games: Vec::new(), positions: Vec::new() };
    let mut numbers: Vec<u64> = (0..items.len() as u64).collect();
    if let Items::Games(list) = &items {
        part.games = keys(&job.lens, &items, |_, _| ());
        part.summary.games = list.len() as u64;
        for game in list {
            if of_games {
                part.summary.result(half_points(game.outcome));
                part.summary.plies.add(game.plies() as i64);
            }
            if job.lens.survey.is_none() {
                // Nobody looks at the positions of this game, but they can be counted.
                part.summary.positions += game.main_nodes().len() as u64 + 1;
                part.summary.moves += game.plies() as u64;
            }
        }
    }
    let of_files = matches!(items, Items::Samples(_));
    let (mut left, mut faults) = (Left::default(), Vec::new());
    let Items::Samples(mut samples) = job.lens.turn(items, &mut numbers, false, &mut left, &mut faults) else {
        return part;
    };
    faults.into_iter().for_each(|(number, reason)| fault(number as usize, reason));
    for (i, sample) in samples.iter_mut().enumerate() {
        if let (None, Some(survey)) = (sample.facts, job.lens.survey) {
            match survey.look(sample) {
                Ok(facts) => sample.facts = Some(facts),
                Err(reason) => fault(numbers[i] as usize, reason),
            }
        }
        part.summary.sample(sample, sample.facts);
        part.positions.extend(sample.facts.map(|f| f.key));
        if of_files {
            if let Some(game) = sample.game {
                part.summary.games += 1;
                part.games.push(game);
            }
            if let Some(left) = sample.plies_left {
                part.summary.plies.add(left.into());
            }
        }
        if !of_games {
            part.summary.result(sample.half_points);
        }
    }
    part
}
