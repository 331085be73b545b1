//! The output of rows: lines of CSV, row groups of Parquet, or a hash.

use super::worker::{Layout, Piece, csv_row};
use anyhow::Context;
use std::io::Write;
use std::path::{Path, PathBuf};
use tesuji_chess_eval::sofcheck;
use tesuji_dataset::sparse_parquet::{GroupEncoder, SparseFile};
use tesuji_dataset::{Head, SparseRows, sparse};
use tesuji_jobs::{AtomicFile, terminal::Stdout};
use tesuji_kit::features::FeatureOutput;

/// Bytes of text that a job takes at a time: some twenty games, or the row group that becomes of some four hundred.
const BLOCK_BYTES: [usize; 2] = [16 << 10, 256 << 10];
/// Rows of a row group when they do not come from a job.
const GROUP_ROWS: usize = 32 << 10;
/// Bytes of lines that are handed on at once when they do not come from a job.
const LINES_BYTES: usize = 1 << 16;

/// An open output.
pub(super) struct Output {
    /// Rows written or hashed so far.
    rows: u64,
    destination: Destination,
}

enum Destination {
    Csv(Csv),
    Parquet { path: PathBuf, file: Box<SparseFile<AtomicFile>> },
    Hash { names: Vec<u64>, sum: u64 },
}

/// A stream of lines.
struct Csv {
    path: PathBuf,
    out: Lines,
}

enum Lines {
    /// Stdout.
    Stream(Stdout),
    /// A file that appears when it is whole.
    File(AtomicFile),
}

/// The encoding that a job applies to its rows before they are handed on in order.
pub(super) enum Encoder {
    /// Nothing.
    Nothing,
    /// Encodes them.
    Groups(GroupEncoder),
    /// Hashes them; the names of the columns, hashed.
    Hash(Vec<u64>),
}

impl Encoder {
    /// Does it.
    pub(super) fn encode(&self, piece: &mut Piece) -> anyhow::Result<()> {
        match self {
            Encoder::Nothing => {}
            Encoder::Groups(encoder) => piece.group = encoder.encode(&piece.rows)?,
            Encoder::Hash(names) => piece.hash = piece.rows.hash(names),
        }
        Ok(())
    }
}

impl Output {
    /// Opens the output.
    pub(super) fn open(out: &FeatureOutput, layout: Layout) -> anyhow::Result<Output> {
        let names = layout.names();
        let destination = match out {
            FeatureOutput::Hash => {
                Destination::Hash { names: names.iter().map(|n| sparse::name_hash(n)).collect(), sum: 0 }
            }
            FeatureOutput::Csv(path) => Destination::Csv(Csv::open(path)?),
            FeatureOutput::Parquet(path) => {
                let meta = [("layout", layout.to_string()), ("names", serde_json::to_string(&names)?)];
                let file = SparseFile::create(AtomicFile::create(path)?, &meta);
                let file = file.with_context(|| path.display().to_string())?;
                Destination::Parquet { path: path.clone(), file: Box::new(file) }
            }
        };
        Ok(Output { rows: 0, destination })
    }

    /// Bytes of text that a job should take at a time. What is written depends on it, for Parquet.
    pub(super) fn block_bytes(&self) -> usize {
        BLOCK_BYTES[usize::from(matches!(self.destination, Destination::Parquet { .. }))]
    }

    /// The encoder that jobs use for this output.
    pub(super) fn encoder(&self) -> Encoder {
        match &self.destination {
            Destination::Csv(_) => Encoder::Nothing,
            Destination::Parquet { file, .. } => Encoder::Groups(file.encoder()),
            Destination::Hash { names, .. } => Encoder::Hash(names.clone()),
        }
    }

    /// Takes what a job made.
    pub(super) fn take(&mut self, piece: &mut Piece) -> anyhow::Result<()> {
        self.rows += piece.kept;
        match &mut self.destination {
            Destination::Csv(csv) => csv.write(&piece.text),
            Destination::Parquet { path, file } => {
                file.append(std::mem::take(&mut piece.group)).with_context(|| path.display().to_string())
            }
            Destination::Hash { sum, .. } => {
                *sum = sum.wrapping_add(piece.hash);
                Ok(())
            }
        }
    }

    /// Takes rows that were drawn.
    pub(super) fn take_drawn(&mut self, drawn: impl Iterator<Item = (Head, Box<[(u16, i32)]>)>) -> anyhow::Result<()> {
        let (mut line, mut text) = (sofcheck::CsvLine::default(), Vec::with_capacity(2 * LINES_BYTES));
        let mut some = SparseRows::default();
        for (head, entries) in drawn {
            self.rows += 1;
            match &mut self.destination {
                Destination::Csv(csv) => {
                    line.write(&csv_row(&head), &entries, &mut text);
                    if text.len() > LINES_BYTES {
                        csv.write(&text)?;
                        text.clear();
                    }
                }
                Destination::Parquet { path, file } => {
                    some.push(head, entries);
                    if some.len() >= GROUP_ROWS {
                        file.append(file.encoder().encode(&some)?).with_context(|| path.display().to_string())?;
                        some.clear();
                    }
                }
                Destination::Hash { names, sum } => {
                    some.clear();
                    some.push(head, entries);
                    *sum = sum.wrapping_add(some.hash(names));
                }
            }
        }
        match &mut self.destination {
            Destination::Csv(csv) => csv.write(&text),
            Destination::Parquet { path, file } => {
                let last = file.encoder().encode(&some)?;
                file.append(last).with_context(|| path.display().to_string())
            }
            Destination::Hash { .. } => Ok(()),
        }
    }

    /// Completes the output. The number of rows, and their hash where nothing else is written.
    pub(super) fn finish(self) -> anyhow::Result<(u64, Option<u64>)> {
        match self.destination {
            Destination::Csv(csv) => csv.finish()?,
            Destination::Parquet { path, file } => {
                file.finish().with_context(|| path.display().to_string())?.commit()?;
            }
            Destination::Hash { sum, .. } => return Ok((self.rows, Some(sum))),
        }
        Ok((self.rows, None))
    }
}

impl Csv {
    fn open(path: &Path) -> anyhow::Result<Csv> {
        let out = if path == Path::new("-") { Lines::Stream(Stdout) } else { Lines::File(AtomicFile::create(path)?) };
        let mut csv = Csv { path: path.to_path_buf(), out };
        let mut header = Vec::new();
        sofcheck::write_header(&mut header);
        csv.write(&header)?;
        Ok(csv)
    }

    fn write(&mut self, text: &[u8]) -> anyhow::Result<()> {
        let out: &mut dyn Write = match &mut self.out {
            Lines::Stream(out) => out,
            Lines::File(out) => out,
        };
        out.write_all(text).with_context(|| self.path.display().to_string())
    }

    fn finish(self) -> anyhow::Result<()> {
        match self.out {
            Lines::Stream(mut out) => out.flush()?,
            Lines::File(out) => out.commit()?,
        }
        Ok(())
    }
}
