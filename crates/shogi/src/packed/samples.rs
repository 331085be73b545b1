//! The packed formats of single positions as [`SampleFormat`]s: what data commands read, check and turn into each other.

use super::{
    Checked, Coding, Conversion, HCPE_BYTES, Hcpe, POSITION_BYTES, PSV_BYTES, PackedError, Psv, Shape, pack, unpack,
};
use crate::{Board, Rules, UsiNotation, facts};
use tesuji_game::{Notation, Position, Side};
use tesuji_record::{Ask, Fault, Labels, RecordError, Sample, SampleFormat, ShortCut, score_by, score_for};

/// A packed format as a format of samples. Every record is checked, the legality of its move included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed(pub Shape);

impl SampleFormat for Packed {
    fn name(&self) -> &'static str {
        Shape::NAMES.iter().find(|n| n.0 == self.0).map_or("hcp", |n| n.1)
    }

    fn extensions(&self) -> &'static [&'static str] {
        match self.0 {
            Shape::Hcp => &["hcp"],
            Shape::Hcpe => &["hcpe"],
            Shape::Hcpe2 => &["hcpe2"],
            Shape::PackedSfen => &["psfen"],
            Shape::Psv => &["psv"],
        }
    }

    fn carries(&self) -> &'static str {
        match self.0 {
            Shape::Hcp | Shape::PackedSfen => "positions with both kings; no move number, score, result",
            Shape::Hcpe => "position, move, score, result; no move number",
            Shape::Hcpe2 => "position, move, score, result with its kind; no move number",
            Shape::Psv => "position with its number, move, score, result",
        }
    }

    fn whole(&self, block: &[u8]) -> usize {
        block.len() / self.0.bytes() * self.0.bytes()
    }

    fn record_bytes(&self) -> Option<usize> {
        Some(self.0.bytes())
    }

    fn read(&self, block: &[u8], each: &mut dyn FnMut(Result<Sample, RecordError>)) {
        let size = self.0.bytes();
        for (i, record) in (1u64..).zip(block.chunks(size)) {
            let sample = if record.len() < size {
                Err(PackedError::Cut { found: record.len() as u32, expected: size as u32 })
            } else {
                self.sample(record)
            };
            each(sample.map_err(|error| error.at(i, (i - 1) * size as u64)));
        }
    }

    fn write(&self, sample: &Sample, out: &mut Vec<u8>) -> Result<(), RecordError> {
        self.record(sample, out).map_err(|fault| RecordError::without_line(0, fault))
    }

    fn labels(&self) -> Option<Labels> {
        let hcpe = Labels { mv: true, score: true, result: true, ..Labels::NONE };
        Some(match self.0 {
            Shape::Hcp | Shape::PackedSfen => Labels::NONE,
            Shape::Hcpe => hcpe,
            Shape::Hcpe2 => Labels { ending: true, ..hcpe },
            Shape::Psv => Labels { ply: true, ..hcpe },
        })
    }

    fn short_cut(&self, to: &dyn SampleFormat, ask: Ask) -> Option<Box<dyn ShortCut>> {
        let to = Shape::NAMES.iter().find(|n| n.1 == to.name())?.0;
        self.0.loses(to)?;
        let Ask { check, score_below, or_ply_max } = ask;
        Some(Box::new(Conversion { from: self.0, to, check, score_below, or_ply_max }))
    }
}

impl ShortCut for Conversion {
    fn convert(&self, block: &[u8], out: &mut Vec<u8>, fault: &mut dyn FnMut(RecordError)) -> (u64, u64) {
        let counts = self.block(0, block, out, fault);
        let size = self.from.bytes();
        let rest = block.len() % size;
        if rest > 0 {
            let cut = PackedError::Cut { found: rest as u32, expected: size as u32 };
            fault(cut.at(counts.read + 1, counts.read * size as u64));
        }
        (counts.read + u64::from(rest > 0), counts.written)
    }
}

impl Packed {
    fn sample(&self, bytes: &[u8]) -> Result<Sample, PackedError> {
        let position = |bytes: &[u8], coding| {
            let board = unpack(whole::<POSITION_BYTES>(bytes)?, coding)?;
            Ok(facts::sample(&Checked { board, mv: None }))
        };
        match self.0 {
            Shape::Hcp => position(bytes, Coding::Apery),
            Shape::PackedSfen => position(bytes, Coding::Yaneuraou),
            Shape::Hcpe | Shape::Hcpe2 => {
                let record = Hcpe::from_bytes(whole::<HCPE_BYTES>(bytes)?);
                let checked = record.check()?;
                if self.0 == Shape::Hcpe && record.extra != 0 {
                    return Err(PackedError::Byte { byte: 37, expected: "0", found: record.extra });
                }
                Ok(labelled(&checked, record.score, record.winner()))
            }
            Shape::Psv => {
                let record = Psv::from_bytes(whole::<PSV_BYTES>(bytes)?);
                let checked = record.check()?;
                let winner = match record.result {
                    0 => None,
                    1 => Some(checked.board.side_to_move()),
                    _ => Some(!checked.board.side_to_move()),
                };
                let sample = labelled(&checked, record.score, winner);
                Ok(Sample { ply: facts::ply_of(record.ply), ..sample })
            }
        }
    }

    fn record(&self, sample: &Sample, out: &mut Vec<u8>) -> Result<(), Fault> {
        let checked = checked_of(sample)?;
        let fault = |error: PackedError| error.at(0, 0).fault;
        match self.0 {
            Shape::Hcp => out.extend_from_slice(&pack(&checked.board, Coding::Apery).map_err(fault)?),
            Shape::PackedSfen => out.extend_from_slice(&pack(&checked.board, Coding::Yaneuraou).map_err(fault)?),
            // No move is no move of theirs: readers would meet a record that is broken.
            Shape::Hcpe | Shape::Hcpe2 | Shape::Psv if checked.mv.is_none() => {
                return Err(Fault::Unsupported("a position without a move"));
            }
            Shape::Hcpe | Shape::Hcpe2 => {
                let (score, winner) = labels_of(sample, &checked.board)?;
                let record = checked.to_hcpe(score, winner).map_err(fault)?;
                let extra = if self.0 == Shape::Hcpe2 { record.result } else { 0 };
                out.extend_from_slice(&Hcpe { extra, ..record }.to_bytes());
            }
            Shape::Psv => {
                let (score, winner) = labels_of(sample, &checked.board)?;
                out.extend_from_slice(&checked.to_psv(score, winner).map_err(fault)?.to_bytes());
            }
        }
        Ok(())
    }
}

fn whole<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], PackedError> {
    bytes.as_array::<N>().ok_or(PackedError::Cut { found: bytes.len() as u32, expected: N as u32 })
}

/// A sample with a score for the side to move and a winner.
pub(crate) fn labelled(checked: &Checked, score: i16, winner: Option<Side>) -> Sample {
    let half_points = winner.map_or(1, |side| if side == Side::First { 2 } else { 0 });
    let score = Some(score_by(checked.board.side_to_move(), score));
    Sample { score, half_points: Some(half_points), ..facts::sample(checked) }
}

/// Board and move of a sample.
pub(crate) fn checked_of(sample: &Sample) -> Result<Checked, Fault> {
    let rules: Rules = sample.rules.parse().map_err(Fault::Position)?;
    let board = UsiNotation::parse_position(&rules, &sample.position).map_err(Fault::Position)?;
    let mv = if sample.mv.is_empty() { None } else { Some(facts::move_at(&board, 1, &sample.mv)?) };
    Ok(Checked { board, mv })
}

/// Score for the side to move and winner of a sample.
pub(crate) fn labels_of(sample: &Sample, board: &Board) -> Result<(i16, Option<Side>), Fault> {
    let score = sample.score.ok_or(Fault::Unsupported("a position without a score"))?;
    let winner = match sample.half_points.ok_or(Fault::Unsupported("a position without a result"))? {
        0 => Some(Side::Second),
        1 => None,
        _ => Some(Side::First),
    };
    Ok((score_for(board.side_to_move(), score), winner))
}
