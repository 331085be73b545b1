//! Reading of files of any of the formats into one table, in parallel, in the order of their rows.

use super::{
    cells::{CellUnits, RawRows},
    columns::{FeatureNames, Role, Roles, TableColumns},
    csv,
    games::{GameNumbers, GameOfRow, GameRule},
    parquet::ParquetTable,
    sparse_text,
};
use crate::data::DataError;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::{
    num::NonZeroU64,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};
use tesuji_jobs::{Interrupt, open_watched, read_text_limited};
use tesuji_record::{Blocks, unpacked_name};
use utoipa::ToSchema;

/// Bytes of text that a job reads at a time.
const BLOCK_BYTES: usize = 1 << 20;
/// The longest file of names, in bytes.
const NAMES_BYTES_MAX: u64 = 16 << 20;

/// The format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TableFormat {
    /// Text with a header, parted by commas, semicolons or tabs.
    Csv,
    /// Parquet: columns of numbers, or lists `index` and `count` as `data features` writes them.
    Parquet,
    /// Sparse text: `result index:value …`.
    Sparse,
}

impl TableFormat {
    /// The format that the name of a file tells; packed files have that of their content.
    ///
    /// # Errors
    /// In words, when the name tells none.
    pub fn of_name(path: &Path) -> Result<TableFormat, String> {
        let name = path.display().to_string();
        match Path::new(unpacked_name(&name)).extension().and_then(|ending| ending.to_str()) {
            Some("csv" | "tsv") => Ok(TableFormat::Csv),
            Some("parquet") => Ok(TableFormat::Parquet),
            Some("libsvm" | "svm" | "svmlight" | "sparse") => Ok(TableFormat::Sparse),
            _ => Err(format!(
                "{name}: the name tells no format: expected .csv, .tsv, .parquet, .libsvm or .svm, also packed (or name it: format)"
            )),
        }
    }
}

/// What is to be read, and how.
pub struct TableJob<'a> {
    /// The files, read one after the other.
    pub files: &'a [PathBuf],
    /// The format of all of them; that of their names if not given.
    pub format: Option<TableFormat>,
    /// The roles of their columns.
    pub columns: &'a TableColumns,
    /// Threads. The table does not depend on them.
    pub jobs: usize,
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
    /// Hears how many bytes of the files were read, and how many rows.
    pub tell: &'a (dyn Fn(u64, u64) + Sync),
}

/// Rows of real features.
#[derive(Debug, Default)]
pub struct FeatureTable {
    /// The names of the features.
    pub names: Vec<String>,
    /// Whether a column names the games.
    pub has_games: bool,
    /// Whether games end where plies begin again, since no column names them.
    pub has_games_by_plies: bool,
    /// Whether rows know their ply, or the plies left.
    pub has_plies: bool,
    /// Whether rows have scores.
    pub has_scores: bool,
    /// Whether rows have a phase.
    pub has_phase: bool,
    /// The number of games, or of what counts as one.
    pub games: u32,
    pub(super) parts: Vec<RawRows>,
    pub(super) games_of_rows: Vec<GameOfRow>,
}

impl FeatureTable {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.games_of_rows.len()
    }
}

/// Reads the table; `None` when it was stopped.
///
/// # Errors
/// The first file, line or row that cannot be read, with what is expected there.
///
/// # Examples
/// ```
/// use tesuji_dataset::feature_table::{TableColumns, TableJob, read_tables};
/// use tesuji_jobs::Interrupt;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("rows.csv");
/// std::fs::write(&file, "result,game,mobility,material\n1,1,3,0.5\n0,2,-1,0\n")?;
/// let (columns, interrupt) = (TableColumns::default(), Interrupt::new());
/// let job = TableJob { files: &[file], format: None, columns: &columns, jobs: 1, interrupt: &interrupt, tell: &|_, _| () };
/// let table = read_tables(&job)?.expect("nobody stops it");
/// assert_eq!((table.rows(), table.games, table.names.join(" ").as_str()), (2, 2, "mobility material"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_tables(job: &TableJob<'_>) -> Result<Option<FeatureTable>, DataError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(job.jobs.max(1))
        .build()
        .map_err(|error| DataError::other(format!("cannot start {} threads: {error}", job.jobs)))?;
    let mut reading = Reading {
        job,
        features: FeatureNames::default(),
        table: FeatureTable::default(),
        games: GameNumbers::default(),
        read: Arc::default(),
        indices: None,
    };
    for (number, path) in job.files.iter().enumerate() {
        let format = job.format.map_or_else(|| TableFormat::of_name(path).map_err(DataError::other), Ok)?;
        let is_whole = pool.install(|| match format {
            TableFormat::Csv => reading.csv(number, path),
            TableFormat::Parquet => reading.parquet(number, path),
            TableFormat::Sparse => reading.sparse(number, path),
        })?;
        if !is_whole {
            return Ok(None);
        }
    }
    reading.finish().map(Some)
}

/// Rows of some lines, or the line among them that is wrong, from 0.
type RowsOrLine = Result<RawRows, (u64, String)>;

/// The end of the last whole line of a block.
fn whole_lines(block: &[u8]) -> usize {
    block.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)
}

/// The reading on its way.
struct Reading<'a> {
    job: &'a TableJob<'a>,
    features: FeatureNames,
    table: FeatureTable,
    games: GameNumbers,
    read: Arc<AtomicU64>,
    /// One more than the largest feature that occurs, where indices have no names.
    indices: Option<usize>,
}

impl Reading<'_> {
    /// Reads a file of comma-separated values; `false` when it was stopped.
    fn csv(&mut self, number: usize, path: &Path) -> Result<bool, DataError> {
        let mut blocks = self.open(path)?;
        let fail = |error: std::io::Error| DataError::of_file(path, error);
        let Some(mut first) = blocks.read(whole_lines).map_err(fail)? else {
            return Err(DataError::of_file(path, "the file is empty: expected a header with the names of the columns"));
        };
        let end = first.bytes.iter().position(|&byte| byte == b'\n').map_or(first.bytes.len(), |at| at + 1);
        let rest = first.bytes.split_off(end);
        let line = first.bytes.strip_suffix(b"\n").unwrap_or(&first.bytes);
        let name = path.display().to_string();
        let header = csv::header(line).map_err(|words| at_line(path, 1, words))?;
        let roles = Roles::of_header(&header.names, self.job.columns, false, &mut self.features, &name)
            .map_err(|words| DataError::of_file(path, words))?;
        let rule = self.begin(number, path, &roles)?;
        let layout = csv::Layout { header: &header, roles: &roles, units: CellUnits::of(self.job.columns) };
        let rows = |lines: &[u8]| csv::rows(lines, &layout);
        self.lines((number, path, rule), &mut blocks, Some((1, rest)), &rows)
    }

    /// Reads a file of sparse text; `false` when it was stopped.
    fn sparse(&mut self, number: usize, path: &Path) -> Result<bool, DataError> {
        let columns = self.job.columns;
        let first = columns.first_index.unwrap_or(1);
        let name = path.display().to_string();
        let fail = |words: String| DataError::of_file(path, words);
        let roles = match &columns.names {
            Some(names) => {
                let text =
                    read_text_limited(names, NAMES_BYTES_MAX).map_err(|error| DataError::of_file(names, error))?;
                let names: Vec<String> =
                    text.lines().map(|line| line.trim().to_string()).filter(|line| !line.is_empty()).collect();
                Roles::of_header(&names, columns, true, &mut self.features, &name).map_err(fail)?
            }
            None => {
                self.indices.get_or_insert(0);
                Roles::of_indices(first, columns, &mut self.features, &name).map_err(fail)?
            }
        };
        let mut blocks = self.open(path)?;
        // Whether a row says `qid` is seen when it is read: the first row tells for all.
        let layout = sparse_text::Layout { roles: &roles, first, units: CellUnits::of(columns) };
        let rows = |lines: &[u8]| sparse_text::rows(lines, &layout);
        let block = blocks.read(whole_lines).map_err(|error| DataError::of_file(path, error))?.unwrap_or_default();
        let mut seen = roles.clone();
        if sparse_text::names_games(&block.bytes) {
            seen.of.push(Role::Game);
        }
        let rule = self.begin(number, path, &seen)?;
        self.lines((number, path, rule), &mut blocks, Some((0, block.bytes)), &rows)
    }

    /// Reads a Parquet file; `false` when it was stopped.
    fn parquet(&mut self, number: usize, path: &Path) -> Result<bool, DataError> {
        let table = ParquetTable::open(path, self.job.columns, &mut self.features)?;
        let rule = self.begin(number, path, table.roles())?;
        let groups: Vec<usize> = (0..table.groups()).collect();
        for groups in groups.chunks(self.job.jobs.max(1)) {
            if self.job.interrupt.is_raised() {
                return Ok(false);
            }
            let parts: Vec<_> = groups.par_iter().map(|&group| table.rows(group)).collect();
            for part in parts {
                self.add(number, path, part?, rule)?;
            }
            self.read.fetch_add(table.group_bytes(groups), Relaxed);
            self.tell();
        }
        Ok(true)
    }

    fn open(&self, path: &Path) -> Result<Blocks, DataError> {
        let stream = open_watched(path, &self.read).map_err(|error| DataError::of_file(path, error))?;
        Ok(Blocks::new(stream, BLOCK_BYTES))
    }

    /// Reads `ahead`, lines of a file with the number of those before it, and the rest of its blocks.
    fn lines(
        &mut self,
        (number, path, rule): (usize, &Path, GameRule),
        blocks: &mut Blocks,
        ahead: Option<(u64, Vec<u8>)>,
        rows: &(dyn Fn(&[u8]) -> RowsOrLine + Sync),
    ) -> Result<bool, DataError> {
        let mut batch: Vec<(u64, Vec<u8>)> = ahead.into_iter().collect();
        loop {
            if self.job.interrupt.is_raised() {
                return Ok(false);
            }
            while batch.len() < 2 * self.job.jobs.max(1) {
                match blocks.read(whole_lines).map_err(|error| DataError::of_file(path, error))? {
                    Some(block) => batch.push((block.lines_before, block.bytes)),
                    None => break,
                }
            }
            if batch.is_empty() {
                return Ok(true);
            }
            let parts: Vec<_> = batch.par_iter().map(|(_, bytes)| rows(bytes)).collect();
            for ((before, _), part) in batch.drain(..).zip(parts) {
                let part = part.map_err(|(line, words)| at_line(path, before + line + 1, words))?;
                self.add(number, path, part, rule)?;
            }
            self.tell();
        }
    }

    fn tell(&self) {
        (self.job.tell)(self.read.load(Relaxed), self.table.rows() as u64);
    }

    /// Notes what the rows of a file know. Files that know different things are no one table.
    fn begin(&mut self, number: usize, path: &Path, roles: &Roles) -> Result<GameRule, DataError> {
        let has_plies = roles.has(Role::Ply) || roles.has(Role::Left);
        let has = [roles.has(Role::Game), has_plies, roles.has(Role::Score), roles.has(Role::Phase)];
        let table = &mut self.table;
        let before = [table.has_games, table.has_plies, table.has_scores, table.has_phase];
        let names = ["game", "ply or plies left", "score", "phase"];
        let differs = names.iter().zip(has.iter().zip(before)).find(|(_, (now, before))| *now != before);
        if let Some((name, (now, _))) = differs.filter(|_| number > 0) {
            let (here, there) = if *now { ("has", "have not") } else { ("has not", "have") };
            let words = format!("it {here} a column of the {name}, which the files before it {there}");
            return Err(DataError::of_file(path, words));
        }
        [table.has_games, table.has_plies, table.has_scores, table.has_phase] = has;
        table.has_games_by_plies = has_plies && !table.has_games;
        Ok(match has {
            [true, ..] => GameRule::Column,
            [_, true, ..] => GameRule::Plies,
            _ => GameRule::Blocks,
        })
    }

    fn add(&mut self, number: usize, path: &Path, part: RawRows, rule: GameRule) -> Result<(), DataError> {
        let before = self.table.games_of_rows.len();
        for row in 0..part.heads.len() {
            if rule == GameRule::Column && part.heads[row].game.is_none() {
                let words = format!("row {} of the table names no game, others do", before + row + 1);
                return Err(DataError::of_file(path, words));
            }
            self.table.games_of_rows.push(self.games.next(number, &part, row, rule));
        }
        if let Some(indices) = &mut self.indices {
            *indices = part.features.iter().fold(*indices, |most, &feature| most.max(usize::from(feature) + 1));
        }
        self.table.parts.push(part);
        Ok(())
    }

    fn finish(self) -> Result<FeatureTable, DataError> {
        let mut table = self.table;
        if table.games_of_rows.is_empty() {
            return Err(DataError::other("there is no row to learn from: the tables have no line behind their header"));
        }
        table.names = self.features.names;
        if let Some(indices) = self.indices {
            table.names.truncate(indices.max(1));
        }
        table.games = self.games.count();
        Ok(table)
    }
}

/// An error in a line, from 1.
fn at_line(path: &Path, line: u64, words: String) -> DataError {
    DataError { line: NonZeroU64::new(line), ..DataError::of_file(path, words) }
}
