//! From a stream of records to rows: in parallel, in order, within bounded memory.

use crate::{Features, Filter, Rows, SampleError};
use rayon::prelude::*;
use std::ops::ControlFlow;
use tesuji_game::{By, Random};
use tesuji_record::{GameRecord, RecordError, RecordReader, fingerprint};
use thiserror::Error;

/// Games read ahead while those before them are made into rows.
const BATCH: usize = 1024;
/// Games that one job takes at a time.
const PIECE: usize = 32;

/// Settings for building rows from games.
#[derive(Debug, Clone)]
pub struct RowsPlan {
    /// Selects the boards that become rows.
    pub filter: Filter,
    /// Threads.
    pub jobs: usize,
    /// Rows held at most: beyond, a random half is dropped (and so on), the same whatever the number of jobs.
    pub rows_max: usize,
    /// Decides which rows are dropped.
    pub seed: u64,
    /// Hears of games that do not fit the rules, which are then left out; `None`: the first of them ends the work.
    pub skip: Option<fn(&DatasetError)>,
}

impl Default for RowsPlan {
    fn default() -> Self {
        RowsPlan { filter: Filter::default(), jobs: 1, rows_max: 20_000_000, seed: 0, skip: None }
    }
}

/// Counts of the games and boards that were read and of the rows that were kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Built {
    /// Games with a result.
    pub games: u64,
    /// Games without a result: they teach nothing and were left out.
    pub unfinished: u64,
    /// Boards of the games with a result.
    pub boards: u64,
    /// Rows that the filter kept; with [`Built::halved`] some of them are not held any more.
    pub kept: u64,
    /// Number of times that half of the rows had to be dropped to stay within [`RowsPlan::rows_max`].
    pub halved: u32,
    /// Whether the caller stopped it before the end of the stream.
    pub stopped: bool,
}

/// An error that kept rows from being built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// The file of records is broken.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A record does not fit the rules.
    #[error("game {number}: {error}")]
    Sample {
        /// The game's number in the stream, from 1.
        number: u64,
        /// The error in words.
        error: SampleError,
    },
    /// The threads could not be started.
    #[error("cannot start {jobs} threads: {reason}")]
    Threads {
        /// The number of threads asked for.
        jobs: usize,
        /// The operating system's error message.
        reason: String,
    },
}

/// Reads all games of `reader` and appends their rows to `rows`, numbering games from one more than the last there. `tell` hears of the progress after each batch and may stop the work.
///
/// The rows are the same for any number of jobs. While one batch of games is made into rows, the next is read.
///
/// # Errors
/// The first broken record or illegal move, with its place; `rows` then holds the batches before it.
pub fn build(
    reader: &mut dyn RecordReader,
    features: &dyn Features,
    plan: &RowsPlan,
    rows: &mut Rows,
    tell: &mut (dyn FnMut(&Built) -> ControlFlow<()> + Send),
) -> Result<Built, DatasetError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(plan.jobs.max(1))
        .build()
        .map_err(|e| DatasetError::Threads { jobs: plan.jobs, reason: e.to_string() })?;
    let mut built = Built::default();
    let mut number = rows.iter().last().map_or(0, |r| r.head.game + 1);
    let mut batch = read_batch(reader)?;
    while !batch.is_empty() {
        let (next, made) =
            pool.install(|| rayon::join(|| read_batch(reader), || make_batch(&batch, features, plan, number)));
        for piece in made {
            let piece = piece?;
            rows.append(&piece.rows);
            built.games += piece.built.games;
            built.unfinished += piece.built.unfinished;
            built.boards += piece.built.boards;
            built.kept += piece.rows.len() as u64;
        }
        number += batch.len() as u32;
        thin(rows, plan, &mut built);
        if tell(&built).is_break() {
            built.stopped = true;
            break;
        }
        batch = next?;
    }
    Ok(built)
}

/// Drops a random half of `rows`, and so on, until they are as few as `plan` allows.
pub(crate) fn thin(rows: &mut Rows, plan: &RowsPlan, built: &mut Built) {
    while rows.len() > plan.rows_max.max(1) {
        built.halved += 1;
        let share = 0.5f64.powi(built.halved as i32);
        rows.retain(|h| Random::for_item(plan.seed, u64::from(h.game) << 16 | u64::from(h.boards_left)).unit() < share);
    }
}

fn read_batch(reader: &mut dyn RecordReader) -> Result<Vec<GameRecord<String>>, RecordError> {
    let mut batch = Vec::with_capacity(BATCH);
    while batch.len() < BATCH {
        match reader.read()? {
            Some(game) => batch.push(game),
            None => break,
        }
    }
    Ok(batch)
}

/// The rows and counts that one job made from its games.
struct Piece {
    rows: Rows,
    built: Built,
}

fn make_batch(
    batch: &[GameRecord<String>],
    features: &dyn Features,
    plan: &RowsPlan,
    first: u32,
) -> Vec<Result<Piece, DatasetError>> {
    batch
        .par_chunks(PIECE)
        .enumerate()
        .map(|(i, games)| make_piece(games, features, plan, first + (i * PIECE) as u32))
        .collect()
}

fn make_piece(
    games: &[GameRecord<String>],
    features: &dyn Features,
    plan: &RowsPlan,
    first: u32,
) -> Result<Piece, DatasetError> {
    let mut piece = Piece { rows: Rows::default(), built: Built::default() };
    for (i, game) in games.iter().enumerate() {
        let number = first + i as u32;
        if game.outcome.is_none_or(|o| o.by == By::Void) {
            piece.built.unfinished += 1;
            continue;
        }
        let from = piece.rows.len();
        let rows = features.rows(game, number, &plan.filter, &mut piece.rows);
        let boards = match rows.map_err(|error| DatasetError::Sample { number: u64::from(number) + 1, error }) {
            Ok(boards) => boards,
            Err(error) => {
                let Some(skip) = plan.skip else { return Err(error) };
                skip(&error);
                piece.rows.truncate(from);
                continue;
            }
        };
        let key = fingerprint(game);
        piece.rows.set_keys(from, |_| key);
        piece.built.games += 1;
        piece.built.boards += boards as u64;
    }
    Ok(piece)
}
