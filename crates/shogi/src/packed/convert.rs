//! From one format of single positions to another, in blocks of bytes: any number of threads can work on one file, and the bytes are the same.

use super::{Coding, HCPE_BYTES, Hcpe, POSITION_BYTES, PSV_BYTES, PackedError, Psv, position::decode};
use std::io::{Read, Write};
use tesuji_record::RecordError;

/// A format of one position a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Positions of Apery, 32 bytes.
    Hcp,
    /// Apery's teacher data, 38 bytes.
    Hcpe,
    /// Positions as in hcpe, with the ending of the game in the last byte.
    Hcpe2,
    /// Positions of YaneuraOu, 32 bytes.
    PackedSfen,
    /// YaneuraOu's teacher data, 40 bytes.
    Psv,
}

impl Shape {
    /// All formats, by their usual names.
    pub const NAMES: [(Shape, &'static str); 5] = [
        (Shape::Hcp, "hcp"),
        (Shape::Hcpe, "hcpe"),
        (Shape::Hcpe2, "hcpe2"),
        (Shape::PackedSfen, "psfen"),
        (Shape::Psv, "psv"),
    ];

    /// Bytes of a record.
    pub const fn bytes(self) -> usize {
        match self {
            Shape::Hcp | Shape::PackedSfen => POSITION_BYTES,
            Shape::Hcpe | Shape::Hcpe2 => HCPE_BYTES,
            Shape::Psv => PSV_BYTES,
        }
    }

    /// Whether a record has score, move and result, not only a position.
    pub const fn teaches(self) -> bool {
        matches!(self, Shape::Hcpe | Shape::Hcpe2 | Shape::Psv)
    }

    /// The information lost in a conversion to `to`; empty when nothing is, `None` when there is no way.
    pub const fn loses(self, to: Shape) -> Option<&'static str> {
        match (self, to) {
            (Shape::Hcp | Shape::PackedSfen, Shape::Hcpe | Shape::Hcpe2 | Shape::Psv) => None,
            (Shape::Hcp | Shape::PackedSfen, Shape::Hcp | Shape::PackedSfen)
            | (Shape::Hcpe, Shape::Hcpe | Shape::Hcpe2 | Shape::Psv)
            | (Shape::Hcpe2, Shape::Hcpe2)
            | (Shape::Psv, Shape::Psv) => Some(""),
            (Shape::Hcpe2, Shape::Hcpe | Shape::Psv) => Some("how the game ended"),
            (Shape::Psv, Shape::Hcpe | Shape::Hcpe2) => Some("ply"),
            (Shape::Hcpe | Shape::Hcpe2, _) => Some("score, move, result"),
            (Shape::Psv, _) => Some("score, move, result, ply"),
        }
    }
}

/// A conversion of packed records: formats, checks and filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    /// The format read.
    pub from: Shape,
    /// The format written.
    pub to: Shape,
    /// Checks everything; without it only what the conversion itself needs.
    pub check: bool,
    /// Keeps only records with a score nearer to 0 than this (the third argument of `psv_to_hcp`).
    pub score_below: Option<u16>,
    /// Keeps records of at most this ply too, whatever their score (its fourth); only where there are plies.
    pub or_ply_max: Option<u16>,
}

/// The numbers of records read, written and wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversionCounts {
    /// Records read, wrong ones included.
    pub read: u64,
    /// Records written.
    pub written: u64,
    /// Records that were wrong.
    pub wrong: u64,
}

impl Conversion {
    /// Everything from `from` to `to`, checked.
    pub fn new(from: Shape, to: Shape) -> Conversion {
        Conversion { from, to, check: true, score_below: None, or_ply_max: None }
    }

    /// Converts the whole records at the beginning of `block`, which begins with record number `first`, from 0, of a file.
    /// Appends to `out`; `fault` hears of every wrong record, which is left out. Bytes behind the last whole record are not
    /// looked at.
    pub fn block(
        &self,
        first: u64,
        block: &[u8],
        out: &mut Vec<u8>,
        fault: &mut dyn FnMut(RecordError),
    ) -> ConversionCounts {
        match self.from {
            Shape::Hcp | Shape::PackedSfen => self.records::<POSITION_BYTES>(first, block, out, fault),
            Shape::Hcpe | Shape::Hcpe2 => self.records::<HCPE_BYTES>(first, block, out, fault),
            Shape::Psv => self.records::<PSV_BYTES>(first, block, out, fault),
        }
    }

    fn records<const N: usize>(
        &self,
        first: u64,
        block: &[u8],
        out: &mut Vec<u8>,
        fault: &mut dyn FnMut(RecordError),
    ) -> ConversionCounts {
        let (records, _) = block.as_chunks::<N>();
        out.reserve(records.len() * self.to.bytes());
        let mut counts = ConversionCounts { read: records.len() as u64, ..ConversionCounts::default() };
        for (i, record) in records.iter().enumerate() {
            match self.record(record, out) {
                Ok(written) => counts.written += u64::from(written),
                Err(error) => {
                    counts.wrong += 1;
                    let index = first + i as u64;
                    fault(error.at(index + 1, index * N as u64));
                }
            }
        }
        counts
    }

    /// Converts a record of the right length; whether it was kept.
    #[inline]
    fn record(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<bool, PackedError> {
        match self.from {
            Shape::Hcp => self.position(whole(bytes)?, Coding::Apery, out),
            Shape::PackedSfen => self.position(whole(bytes)?, Coding::Yaneuraou, out),
            Shape::Hcpe | Shape::Hcpe2 => self.hcpe(&Hcpe::from_bytes(whole(bytes)?), out),
            Shape::Psv => self.psv(&Psv::from_bytes(whole(bytes)?), out),
        }
    }

    fn hcpe(&self, record: &Hcpe, out: &mut Vec<u8>) -> Result<bool, PackedError> {
        let turns = matches!(self.to, Shape::Psv | Shape::PackedSfen);
        let decoded = if self.check || turns { Some(decode(&record.position, Coding::Apery)?) } else { None };
        if let Some(decoded) = decoded.as_ref().filter(|_| self.check) {
            record.check_decoded(decoded)?;
            if self.from == Shape::Hcpe && record.extra != 0 {
                return Err(PackedError::Byte { byte: 37, expected: "0", found: record.extra });
            }
        }
        if self.score_below.is_some_and(|below| record.score.unsigned_abs() >= below) {
            return Ok(false);
        }
        let other = decoded.map_or([0; POSITION_BYTES], |decoded| decoded.other);
        match self.to {
            Shape::Hcpe2 if self.from == Shape::Hcpe => {
                out.extend_from_slice(&Hcpe { extra: record.result, ..*record }.to_bytes());
            }
            Shape::Hcpe => out.extend_from_slice(&Hcpe { extra: 0, ..*record }.to_bytes()),
            Shape::Hcpe2 => out.extend_from_slice(&record.to_bytes()),
            Shape::Psv => out.extend_from_slice(&record.psv_at(other, 1)?.to_bytes()),
            Shape::Hcp => out.extend_from_slice(&record.position),
            Shape::PackedSfen => out.extend_from_slice(&other),
        }
        Ok(true)
    }

    fn psv(&self, record: &Psv, out: &mut Vec<u8>) -> Result<bool, PackedError> {
        let turns = matches!(self.to, Shape::Hcp | Shape::Hcpe | Shape::Hcpe2);
        let decoded = if self.check || turns { Some(decode(&record.position, Coding::Yaneuraou)?) } else { None };
        if let Some(decoded) = decoded.as_ref().filter(|_| self.check) {
            record.check_decoded(decoded)?;
        }
        if self.score_below.is_some_and(|below| !record.is_kept(below, self.or_ply_max)) {
            return Ok(false);
        }
        let other = decoded.map_or([0; POSITION_BYTES], |decoded| decoded.other);
        match self.to {
            Shape::Psv => out.extend_from_slice(&record.to_bytes()),
            Shape::Hcpe => out.extend_from_slice(&record.hcpe_at(other)?.to_bytes()),
            Shape::Hcpe2 => {
                let hcpe = record.hcpe_at(other)?;
                out.extend_from_slice(&Hcpe { extra: hcpe.result, ..hcpe }.to_bytes());
            }
            Shape::Hcp => out.extend_from_slice(&other),
            Shape::PackedSfen => out.extend_from_slice(&record.position),
        }
        Ok(true)
    }

    fn position(&self, bytes: &[u8; 32], coding: Coding, out: &mut Vec<u8>) -> Result<bool, PackedError> {
        let to = match self.to {
            Shape::Hcp => Coding::Apery,
            Shape::PackedSfen => Coding::Yaneuraou,
            _ => return Err(PackedError::Unsupported("a position without score and result")),
        };
        if !self.check && to == coding {
            out.extend_from_slice(bytes);
            return Ok(true);
        }
        let decoded = decode(bytes, coding)?;
        if self.check {
            decoded.board()?;
        }
        out.extend_from_slice(if to == coding { bytes } else { &decoded.other });
        Ok(true)
    }

    /// Converts all of `input` with little memory. `fault` hears of every wrong record, which is left out; what it says to
    /// return ends everything.
    ///
    /// # Errors
    /// When a stream fails, when the file ends within a record, or what `fault` returned.
    pub fn stream(
        &self,
        input: &mut dyn Read,
        output: &mut dyn Write,
        fault: &mut dyn FnMut(RecordError) -> Result<(), RecordError>,
    ) -> Result<ConversionCounts, RecordError> {
        let size = self.from.bytes();
        let mut block = Vec::with_capacity(BLOCK_RECORDS * size);
        let (mut out, mut counts) = (Vec::new(), ConversionCounts::default());
        loop {
            block.clear();
            out.clear();
            Read::take(&mut *input, (BLOCK_RECORDS * size) as u64).read_to_end(&mut block)?;
            let mut stop = Ok(());
            let part = self.block(counts.read, &block, &mut out, &mut |error| {
                if stop.is_ok() {
                    stop = fault(error);
                }
            });
            stop?;
            output.write_all(&out)?;
            counts.read += part.read;
            counts.written += part.written;
            counts.wrong += part.wrong;
            let rest = block.len() % size;
            if rest > 0 {
                let cut = PackedError::Cut { found: rest as u32, expected: size as u32 };
                return Err(cut.at(counts.read + 1, counts.read * size as u64));
            }
            if block.is_empty() {
                return Ok(counts);
            }
        }
    }
}

/// Records that [`Conversion::stream`] holds at once.
const BLOCK_RECORDS: usize = 4096;

fn whole<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], PackedError> {
    bytes.as_array::<N>().ok_or(PackedError::Cut { found: bytes.len() as u32, expected: N as u32 })
}
