//! Checkpoints: everything that a run needs to go on as if it had never stopped, in one file that is whole or absent.
//!
//! `TESUJI-TRAINING` and a version, the length of a JSON header and the header (the settings, the lengths of what
//! follows), the sums of the figures since the last line of the log as doubles, the parameters and the optimiser's arrays
//! as floats, and a checksum; all little-endian.

use crate::loss::Figures;
use crate::optimiser::Optimiser;
use crate::settings::TrainSettings;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tesuji_game::fnv;
use tesuji_jobs::AtomicFile;

/// The state of a run between two steps.
///
/// # Examples
///
/// ```
/// use tesuji_nn::Architecture;
/// use tesuji_train::{
///     checkpoint::{Checkpoint, CheckpointError},
///     learn::begin,
///     settings::TrainSettings,
/// };
/// let settings = TrainSettings {
///     architecture: Architecture::for_any_size("go-1", 2, 4, 1, 16),
///     seed: 5,
///     samples: "toys".into(),
///     batch: 32,
///     steps: 100,
///     optimiser: Default::default(),
///     loss: Default::default(),
///     log_every: 10,
///     validate_every: 50,
///     validation: 64,
/// };
/// let state = begin(&settings, None, None)?;
/// let bytes = state.to_bytes();
/// assert_eq!(Checkpoint::from_bytes(&bytes)?, state);
/// assert!(matches!(Checkpoint::from_bytes(&bytes[..100]), Err(CheckpointError::Truncated { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The settings of the run.
    pub settings: TrainSettings,
    /// All numbers of the net.
    pub parameters: Vec<f32>,
    /// Steps taken, and what the optimiser remembers.
    pub optimiser: Optimiser,
    /// Of the positions since the last line of the log.
    pub figures: Figures,
}

/// The reason why a checkpoint cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It begins with something else.
    #[error("no checkpoint of a training: it begins with {0:?}")]
    Magic(String),
    /// It ends too early.
    #[error("a truncated checkpoint: {found} bytes, expected {expected}")]
    Truncated {
        /// Bytes there are.
        found: usize,
        /// Bytes there should be, as far as is known.
        expected: usize,
    },
    /// Its header says something that makes no sense.
    #[error("the checkpoint's header: {0}")]
    Header(String),
    /// Its bytes are not those that were written.
    #[error("the checkpoint is damaged: its checksum is {found:016x}, expected {expected:016x}")]
    Checksum {
        /// Of the bytes there are.
        found: u64,
        /// As written.
        expected: u64,
    },
}

const MAGIC: &[u8; 16] = b"TESUJI-TRAINING\x01";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    settings: TrainSettings,
    step: u64,
    /// Parameters, and the optimiser's three arrays.
    lengths: [usize; 4],
}

/// A checksum by the steps of FNV-1a (Fowler, Noll and Vo), taken eight bytes at a time: checkpoints have hundreds of megabytes.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(fnv::START, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        fnv::step(sum, u64::from_le_bytes(word)).rotate_left(29)
    })
}

impl Checkpoint {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let o = &self.optimiser;
        let arrays = [&self.parameters, &o.first, &o.second, &o.average];
        let header = Header { settings: self.settings.clone(), step: o.step, lengths: arrays.map(Vec::len) };
        let header = serde_json::to_vec(&header).expect("a header of plain numbers and texts is JSON");
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(header);
        bytes.extend(self.figures.numbers().iter().flat_map(|number| number.to_le_bytes()));
        for array in arrays {
            bytes.extend(array.iter().flat_map(|number| number.to_le_bytes()));
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads what [`Checkpoint::to_bytes`] wrote.
    ///
    /// # Errors
    /// When it is something else, ends early or was changed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let start = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(start) {
            return Err(CheckpointError::Magic(String::from_utf8_lossy(start).into_owned()));
        }
        let short = |expected: usize| CheckpointError::Truncated { found: bytes.len(), expected };
        let at = MAGIC.len() + 8;
        let length: [u8; 8] = bytes.get(MAGIC.len()..at).and_then(|b| b.try_into().ok()).ok_or(short(at))?;
        let body = usize::try_from(u64::from_le_bytes(length)).ok().and_then(|len| at.checked_add(len));
        let body = body.ok_or_else(|| CheckpointError::Header("it is longer than memory".into()))?;
        let header = bytes.get(at..body).ok_or(short(body))?;
        let header: Header =
            serde_json::from_slice(header).map_err(|error| CheckpointError::Header(error.to_string()))?;
        let numbers: Option<usize> = header.lengths.iter().try_fold(0usize, |sum, &len| sum.checked_add(len));
        let expected =
            numbers.and_then(|n| n.checked_mul(4)).and_then(|n| n.checked_add(body + 8 * Figures::COUNT + 8));
        let expected = expected.ok_or_else(|| CheckpointError::Header("its lengths are longer than memory".into()))?;
        if bytes.len() != expected {
            return Err(short(expected));
        }
        let (all, sum) = bytes.split_at(expected - 8);
        let written = u64::from_le_bytes(sum.try_into().map_err(|_| short(expected))?);
        if checksum(all) != written {
            return Err(CheckpointError::Checksum { found: checksum(all), expected: written });
        }
        let (doubles, floats) = all[body..].split_at(8 * Figures::COUNT);
        let mut doubles = doubles.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b));
        let figures = Figures::from_numbers(std::array::from_fn(|_| doubles.next().unwrap_or(0.0)));
        let mut floats = floats.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b));
        let [parameters, first, second, average] = header.lengths.map(|len| floats.by_ref().take(len).collect());
        let optimiser = Optimiser { step: header.step, first, second, average };
        Ok(Checkpoint { settings: header.settings, parameters, optimiser, figures })
    }

    /// Writes the file aside and puts it in its place.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        AtomicFile::write(path, &self.to_bytes())
    }
}
