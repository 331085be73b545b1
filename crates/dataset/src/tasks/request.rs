//! Work on data as it is asked for: by a command line, a file or a page, in one typed form that is checked in one place.

use crate::{
    HELD_OUT_SEED,
    data::{ENDINGS, Sieve},
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tesuji_jobs::RequestError;
use utoipa::ToSchema;

/// Work on files of games and positions.
///
/// # Examples
/// ```
/// use tesuji_dataset::tasks::DataRequest;
/// let text = r#"{ "inputs": ["a.pgn"], "task": { "shuffle": { "writing": { "output": "b.pgn" }, "seed": 7 } } }"#;
/// let request: DataRequest = serde_json::from_str(text)?;
/// assert!(request.validate().is_ok());
/// let wrong: DataRequest = serde_json::from_str(&text.replace("a.pgn", ""))?;
/// assert_eq!(wrong.validate().unwrap_err().to_string(), "inputs is missing");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DataRequest {
    /// The version of this form: [`DataRequest::VERSION`].
    #[serde(default = "version")]
    pub version: u32,
    /// The game; the one that has the format of the first file if not given.
    #[serde(default)]
    pub game: Option<String>,
    /// The files to read; `-`: stdin.
    #[schema(value_type = Vec<String>)]
    pub inputs: Vec<PathBuf>,
    /// Their format, whatever their names say.
    #[serde(default)]
    pub from: Option<String>,
    /// Whether to go on behind broken records.
    #[serde(default)]
    pub skip_errors: bool,
    /// Threads; 0: one for each core.
    #[serde(default)]
    pub jobs: usize,
    /// The task.
    pub task: DataTask,
}

/// A data task: convert, filter, shuffle and so on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataTask {
    /// Files are written in another format.
    Convert(ConvertTask),
    /// The games and positions that are wanted are kept.
    Filter(Box<FilterTask>),
    /// Games or positions are brought into random order.
    Shuffle(ShuffleTask),
    /// Training and validation are parted, game by game.
    Split(SplitTask),
    /// Every game or position is kept once.
    Dedup(DedupTask),
    /// Positions get new scores by searches.
    Rescore(RescoreTask),
    /// Games and positions are counted.
    Stats(StatsTask),
    /// Every broken record is named.
    Check(CheckTask),
    /// Some records are shown.
    Show(ShowTask),
}

/// The output file and its options.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Writing {
    /// The file; `-`: stdout. For splits, where most games go.
    #[schema(value_type = String)]
    pub output: PathBuf,
    /// Its format, whatever its name says.
    pub to: Option<String>,
    /// The score of positions without one, in centipawns; formats that need a score leave them out if not given.
    pub fill_score: Option<i16>,
    /// Whether to write in a format that cannot hold all that each position tells.
    pub lossy: bool,
    /// Whether to go on with work that was stopped.
    pub resume: bool,
}

/// The memory limit, and the folder for what exceeds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// In MiB; what does not fit goes to the disk.
    pub mib: usize,
    /// The folder for that; the one of the output if not given.
    #[schema(value_type = Option<String>)]
    pub folder: Option<PathBuf>,
}

/// See [`DataTask::Convert`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConvertTask {
    /// The output.
    pub writing: Writing,
    /// Only positions with a score nearer to 0 than this, in centipawns.
    pub score_below: Option<u16>,
    /// And positions with a move number of at most this, from 1, whatever their score.
    pub or_ply_max: Option<u16>,
    /// Whether packed positions are checked only as far as the conversion needs it.
    pub unchecked: bool,
}

/// See [`DataTask::Filter`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FilterTask {
    /// The output.
    pub writing: Writing,
    /// The conditions on records that are kept.
    pub wanted: Sieve,
    /// Mates, which go to a file of their own.
    pub mates: Option<MateTask>,
}

/// Positions where the side to move mates, or is in check and mated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MateTask {
    /// The output file.
    #[schema(value_type = String)]
    pub output: PathBuf,
    /// The limits of the mate search.
    #[serde(default)]
    pub preset: MatePreset,
    /// Nodes for each question at most, whatever the preset.
    #[serde(default)]
    pub nodes: Option<u64>,
    /// Plies of the mate at most, whatever the preset.
    #[serde(default)]
    pub plies: Option<u16>,
    /// Memory of each thread's search, in MiB.
    #[serde(default = "mate_hash_mib")]
    pub hash_mib: usize,
}

/// Presets of the limits of the mate search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatePreset {
    /// Up to 300 plies, 5,000 nodes.
    Quick,
    /// 20 plies, 1,048,576 nodes: those of Yamaoka's diary of 2018.
    #[default]
    Diary,
    /// Up to 300 plies, 10,000,000 nodes.
    Deep,
}

/// The longest mate that is looked for where no limit is asked for: the threads have the usual stacks.
const MATE_PLIES_MAX: u16 = 300;

impl MateTask {
    /// Plies of the mate at most.
    pub fn plies(&self) -> u16 {
        let usual = if self.preset == MatePreset::Diary { 20 } else { MATE_PLIES_MAX };
        self.plies.unwrap_or(usual).min(MATE_PLIES_MAX)
    }

    /// Nodes for each question at most.
    pub fn nodes(&self) -> u64 {
        self.nodes.unwrap_or(match self.preset {
            MatePreset::Quick => 5_000,
            MatePreset::Diary => 1 << 20,
            MatePreset::Deep => 10_000_000,
        })
    }
}

/// See [`DataTask::Shuffle`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShuffleTask {
    /// The output.
    pub writing: Writing,
    /// Decides the order.
    pub seed: u64,
    /// Memory.
    pub memory: Memory,
}

/// See [`DataTask::Split`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SplitTask {
    /// The output for the training set, or the name that those of the parts are made from.
    pub writing: Writing,
    /// The file for the other games; empty for parts.
    #[schema(value_type = String)]
    pub valid: PathBuf,
    /// The number of parts of one size, of any records, in the place of training and validation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<usize>,
    /// Their share, in 0..=1.
    pub share: f64,
    /// Decides which games go where.
    pub seed: u64,
}

/// See [`DataTask::Dedup`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DedupTask {
    /// The output.
    pub writing: Writing,
    /// Memory.
    pub memory: Memory,
}

/// See [`DataTask::Rescore`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RescoreTask {
    /// The output.
    pub writing: Writing,
    /// Nodes for each position; 0 only with an engine whose words have a limit.
    pub nodes: u64,
    /// The search family; empty: the game's usual one.
    pub search: String,
    /// Options of the engine, as `NAME=VALUE`.
    pub options: Vec<String>,
    /// An engine of the user that searches instead, in the words of matches: `cmd=PROGRAM option.NAME=VALUE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub engine: Option<String>,
    /// Whether the move that the search chose is put in place of the one on record.
    pub moves: bool,
}

/// See [`DataTask::Stats`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StatsTask {
    /// Memory.
    pub memory: Memory,
}

/// See [`DataTask::Check`]. How many broken records are named is a matter of who reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CheckTask {}

/// See [`DataTask::Show`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShowTask {
    /// Records that are passed over.
    pub skip: u64,
    /// Records that are shown.
    pub count: u64,
}

/// The most parts that records are split into: all their files are open at once.
pub(super) const PARTS_MAX: usize = 500;

impl Default for Memory {
    fn default() -> Memory {
        Memory { mib: 1024, folder: None }
    }
}

impl Default for ShuffleTask {
    fn default() -> ShuffleTask {
        ShuffleTask { writing: Writing::default(), seed: 1, memory: Memory::default() }
    }
}

impl Default for SplitTask {
    fn default() -> SplitTask {
        SplitTask { writing: Writing::default(), valid: PathBuf::new(), parts: None, share: 0.1, seed: HELD_OUT_SEED }
    }
}

impl Default for ShowTask {
    fn default() -> ShowTask {
        ShowTask { skip: 0, count: 5 }
    }
}

fn version() -> u32 {
    DataRequest::VERSION
}

fn mate_hash_mib() -> usize {
    64
}

impl Memory {
    /// Bytes.
    pub(super) fn bytes(&self) -> usize {
        self.mib << 20
    }

    /// The folder for what does not fit, beside `output` unless another was asked for.
    pub(super) fn folder(&self, output: Option<&Path>) -> PathBuf {
        let beside = output.filter(|o| *o != Path::new("-")).and_then(Path::parent);
        let beside = beside.map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p }.to_path_buf());
        self.folder.clone().or(beside).unwrap_or_else(std::env::temp_dir)
    }
}

impl DataTask {
    /// Its name, as in `tesuji data NAME`.
    pub fn name(&self) -> &'static str {
        match self {
            DataTask::Convert(_) => "convert",
            DataTask::Filter(_) => "filter",
            DataTask::Shuffle(_) => "shuffle",
            DataTask::Split(_) => "split",
            DataTask::Dedup(_) => "dedup",
            DataTask::Rescore(_) => "rescore",
            DataTask::Stats(_) => "stats",
            DataTask::Check(_) => "check",
            DataTask::Show(_) => "show",
        }
    }

    /// The output options, if the task writes files.
    pub fn writing(&self) -> Option<&Writing> {
        match self {
            DataTask::Convert(task) => Some(&task.writing),
            DataTask::Filter(task) => Some(&task.writing),
            DataTask::Shuffle(task) => Some(&task.writing),
            DataTask::Split(task) => Some(&task.writing),
            DataTask::Dedup(task) => Some(&task.writing),
            DataTask::Rescore(task) => Some(&task.writing),
            DataTask::Stats(_) | DataTask::Check(_) | DataTask::Show(_) => None,
        }
    }
}

impl DataRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; files and formats are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_jobs("jobs", self.jobs)?;
        let is_missing = |path: &Path| path.as_os_str().is_empty();
        if self.inputs.is_empty() || self.inputs.iter().any(|path| is_missing(path)) {
            return Err(RequestError::field("inputs", "is missing"));
        }
        if self.task.writing().is_some_and(|writing| is_missing(&writing.output)) {
            return Err(RequestError::field("output", "is missing"));
        }
        match &self.task {
            DataTask::Filter(task) => check_filter(task),
            DataTask::Split(SplitTask { parts: Some(parts), valid, .. }) => match parts {
                2..=PARTS_MAX if is_missing(valid) => Ok(()),
                2..=PARTS_MAX => Err(RequestError::field("valid", "is for training and validation, not for parts")),
                _ => Err(RequestError::value("parts", parts, format_args!("expected 2 to {PARTS_MAX}"))),
            },
            DataTask::Split(task) if is_missing(&task.valid) => Err(RequestError::field("valid", "is missing")),
            DataTask::Split(task) => check_share("share", task.share),
            DataTask::Dedup(_) if self.inputs.iter().any(|path| path == Path::new("-")) => {
                Err(RequestError::failed("files are read twice, stdin cannot be"))
            }
            DataTask::Rescore(task) if task.nodes == 0 && task.engine.is_none() => {
                Err(RequestError::value("nodes", 0, "expected at least 1"))
            }
            DataTask::Rescore(task) if task.engine.is_some() && !task.search.is_empty() => {
                Err(RequestError::field("search", "is for players of this program, not for an engine of its own"))
            }
            DataTask::Rescore(task) if task.engine.is_some() && !task.options.is_empty() => {
                Err(RequestError::field("options", "stand in the words of the engine: option.NAME=VALUE"))
            }
            DataTask::Convert(task) if task.or_ply_max.is_some() && task.score_below.is_none() => {
                Err(RequestError::field("or_ply_max", "goes with score_below alone"))
            }
            _ => Ok(()),
        }
    }
}

fn check_filter(task: &FilterTask) -> Result<(), RequestError> {
    if let Some(word) = task.wanted.endings.iter().find(|word| !ENDINGS.contains(&word.as_str())) {
        return Err(RequestError::value("endings", word, format_args!("expected one of {}", ENDINGS.join(", "))));
    }
    match task.wanted.share {
        Some((share, _)) => check_share("share", share),
        None => Ok(()),
    }
}

fn check_share(field: &'static str, share: f64) -> Result<(), RequestError> {
    match (0.0..=1.0).contains(&share) {
        true => Ok(()),
        false => Err(RequestError::value(field, share, "expected a number from 0 to 1")),
    }
}

/// Reads `A..B`, `A..` and `..B`, both ends included.
///
/// # Errors
/// When it is none of these, or empty.
pub fn parse_range(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("{text:?}: expected A..B, A.. or ..B");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str, otherwise: u32| {
        if text.is_empty() { Ok(otherwise) } else { text.parse().map_err(|_| wrong()) }
    };
    let (from, to) = (number(from, 0)?, number(to, u32::MAX)?);
    if from <= to { Ok((from, to)) } else { Err(format!("{text:?}: {from} is above {to}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(task: DataTask) -> DataRequest {
        let (inputs, version) = (vec!["a.pgn".into()], DataRequest::VERSION);
        DataRequest { version, game: None, inputs, from: None, skip_errors: false, jobs: 0, task }
    }

    fn writing() -> Writing {
        Writing { output: "b.pgn".into(), ..Writing::default() }
    }

    #[test]
    fn requests_travel_as_json() {
        let wanted = Sieve { plies: Some((3, 40)), endings: vec!["mate".into()], ..Sieve::default() };
        let mates = r#"{ "output": "m.hcp", "preset": "deep" }"#;
        let mates: MateTask = serde_json::from_str(mates).unwrap();
        assert_eq!((mates.plies(), mates.nodes(), mates.hash_mib), (300, 10_000_000, 64));
        let filter = FilterTask { writing: writing(), wanted, mates: Some(mates) };
        for task in [
            DataTask::Filter(filter.into()),
            DataTask::Split(SplitTask { writing: writing(), valid: "c".into(), ..SplitTask::default() }),
            DataTask::Check(CheckTask {}),
        ] {
            let request = request(task);
            let text = serde_json::to_string(&request).unwrap();
            assert_eq!(serde_json::from_str::<DataRequest>(&text).unwrap(), request, "{text}");
            assert!(request.validate().is_ok(), "{text}");
        }
        let unknown = r#"{ "inputs": ["a"], "task": { "show": { "cuont": 3 } } }"#;
        assert!(serde_json::from_str::<DataRequest>(unknown).unwrap_err().to_string().contains("cuont"));
    }

    #[test]
    fn the_wrong_field_is_named() {
        let wanted = Sieve { endings: vec!["boredom".into()], ..Sieve::default() };
        let rescore = RescoreTask { writing: writing(), ..RescoreTask::default() };
        for (task, field) in [
            (DataTask::Shuffle(ShuffleTask::default()), "output"),
            (DataTask::Filter(FilterTask { writing: writing(), wanted, mates: None }.into()), "endings"),
            (DataTask::Split(SplitTask { writing: writing(), ..SplitTask::default() }), "valid"),
            (DataTask::Rescore(rescore), "nodes"),
        ] {
            let error = request(task).validate().unwrap_err().to_string();
            assert!(error.starts_with(field), "{field}: {error}");
        }
    }

    #[test]
    fn ranges_are_for_people() {
        assert_eq!(parse_range("3..7"), Ok((3, 7)));
        assert_eq!((parse_range("..7"), parse_range("3..")), (Ok((0, 7)), Ok((3, u32::MAX))));
        assert!(["", "3", "7..3", "a..b"].iter().all(|t| parse_range(t).is_err()));
    }
}
