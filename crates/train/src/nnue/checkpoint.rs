//! Checkpoints of a run: everything that it needs to go on as if it had never stopped, in one file that is whole or absent.
//!
//! `TESUJI-NNUE-RUN` and a version, the length of a JSON header (u64) and the header (settings, steps, sums since the last line of the log,
//! lengths of the tensors), the values of all tensors with both moments as floats, and a checksum; all little-endian.

use super::net::Learner;
use super::settings::NnueSettings;
use super::tail::NnueSums;
use crate::checkpoint::{CheckpointError, checksum};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use tesuji_jobs::AtomicFile;

const MAGIC: &[u8; 16] = b"TESUJI-NNUE-RUN\x01";

/// The state of a run between two steps, beside its tensors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    pub(super) settings: NnueSettings,
    /// Steps taken.
    pub(super) step: u64,
    /// Of the positions since the last line of the log.
    pub(super) sums: NnueSums,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    settings: NnueSettings,
    step: u64,
    /// Bits of [`NnueSums`], so that none is lost in text.
    sums: [u64; 5],
    lengths: Vec<usize>,
}

/// A checkpoint that was read.
#[derive(Debug)]
pub(super) struct Checkpoint {
    pub(super) state: State,
    lengths: Vec<usize>,
    numbers: Vec<f32>,
}

/// The bytes of a checkpoint.
pub(super) fn to_bytes(state: &State, learner: &Learner) -> io::Result<Vec<u8>> {
    let NnueSums { positions, loss, value, decided, signs } = state.sums;
    let header = Header {
        settings: state.settings.clone(),
        step: state.step,
        sums: [positions, loss, value, decided, signs].map(f64::to_bits),
        lengths: learner.tensors().map(|tensor| tensor.values.len()).collect(),
    };
    let numbers: usize = header.lengths.iter().sum();
    let header = serde_json::to_vec(&header)?;
    let mut bytes = Vec::with_capacity(MAGIC.len() + header.len() + 12 * numbers + 16);
    bytes.extend(MAGIC);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header);
    for tensor in learner.tensors() {
        for numbers in [&tensor.values, &tensor.moments[0], &tensor.moments[1]] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
    }
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    Ok(bytes)
}

/// Writes the file aside and puts it in its place: what was there before stays where that fails.
///
/// # Errors
/// Those of the file system.
pub(super) fn save(path: &Path, state: &State, learner: &Learner) -> io::Result<()> {
    AtomicFile::write(path, &to_bytes(state, learner)?)
}

impl Checkpoint {
    /// Reads what [`to_bytes`] wrote.
    ///
    /// # Errors
    /// When it is something else, ends early or was changed.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let start = &bytes[..bytes.len().min(MAGIC.len())];
        if start != MAGIC {
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
        let numbers = header.lengths.iter().try_fold(0usize, |sum, &len| sum.checked_add(len));
        let expected = numbers.and_then(|n| n.checked_mul(12)).and_then(|n| n.checked_add(body + 8));
        let expected = expected.ok_or_else(|| CheckpointError::Header("its lengths are longer than memory".into()))?;
        if bytes.len() != expected {
            return Err(short(expected));
        }
        let (all, sum) = bytes.split_at(expected - 8);
        let written = u64::from_le_bytes(sum.try_into().map_err(|_| short(expected))?);
        if checksum(all) != written {
            return Err(CheckpointError::Checksum { found: checksum(all), expected: written });
        }
        let [positions, loss, value, decided, signs] = header.sums.map(f64::from_bits);
        let sums = NnueSums { positions, loss, value, decided, signs };
        let numbers = all[body..].as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let state = State { settings: header.settings, step: header.step, sums };
        Ok(Checkpoint { state, lengths: header.lengths, numbers })
    }

    /// Puts its numbers into `learner`.
    ///
    /// # Errors
    /// When it is of another network.
    pub(super) fn restore(&self, learner: &mut Learner) -> Result<(), CheckpointError> {
        let wanted: Vec<usize> = learner.tensors().map(|tensor| tensor.values.len()).collect();
        if self.lengths != wanted {
            let words = format!("tensors of {:?} numbers, expected {wanted:?}", self.lengths);
            return Err(CheckpointError::Header(words));
        }
        let mut rest = &self.numbers[..];
        for tensor in learner.tensors_mut() {
            let [first, second] = &mut tensor.moments;
            for numbers in [&mut tensor.values, first, second] {
                let (here, behind) = rest.split_at(numbers.len());
                numbers.copy_from_slice(here);
                rest = behind;
            }
        }
        Ok(())
    }
}
