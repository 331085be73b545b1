//! Files as blocks of whole records, the same no matter who reads them, each to be parsed apart from the others.

use super::{DataError, Format, Input, Item, Items, parquet};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tesuji_jobs::{Wanted, find_in_archive, open_members};
use tesuji_record::{Blocks, Fault, RecordError, RecordReader};

/// Bytes of a block of games: text that becomes ten times as much when it is positions.
const GAMES_BYTES: usize = 1 << 18;
/// Bytes of a block of positions.
const SAMPLES_BYTES: usize = 1 << 21;
/// Games of a block in formats that cannot be cut.
const GAMES: usize = 256;
/// Plies of such a block: long games would fill the memory.
const GAMES_PLIES: usize = 1 << 18;

/// A place between two blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InputOffset {
    /// Index of the input.
    pub input: usize,
    /// Bytes of its unpacked content, row groups of columns, or games of formats that cannot be cut before it.
    pub offset: u64,
    /// Lines before it.
    pub lines: u64,
    /// Blocks before it, in all files.
    pub blocks: usize,
}

/// Some records that follow each other in a file.
pub struct Block {
    /// Its start.
    pub start: InputOffset,
    /// Offset of the next one.
    pub end: InputOffset,
    content: Content,
}

enum Content {
    Bytes(Vec<u8>),
    Group(usize),
    Games(Vec<Result<tesuji_record::GameRecord<String>, RecordError>>),
}

/// The records of a block.
pub struct Parsed {
    /// The records that could be read.
    pub items: Items,
    /// For each item its number in the block, from 1.
    pub numbers: Vec<u64>,
    /// The errors of the records that could not be read.
    pub errors: Vec<DataError>,
    /// Records in all.
    pub records: u64,
}

/// Reads blocks of one file after another.
pub struct Source<'a> {
    inputs: &'a [Input],
    place: InputOffset,
    open: Option<Open>,
    read: Arc<AtomicU64>,
    scale: usize,
    /// Lines of the open file before the place where reading began.
    lines_skipped: u64,
}

enum Open {
    Bytes(Blocks),
    Groups(usize),
    Records(Box<dyn RecordReader>),
}

impl<'a> Source<'a> {
    /// The blocks of `inputs` from `place` on. `scale` divides the usual size of blocks.
    pub fn new(inputs: &'a [Input], place: InputOffset, scale: usize) -> Source<'a> {
        Source { inputs, place, open: None, read: Arc::default(), scale: scale.max(1), lines_skipped: 0 }
    }

    /// Counts the bytes of the files, as they lie on disk, that were read so far.
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        self.read.clone()
    }

    /// The next block; `None` at the end of the last file.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn next(&mut self) -> Result<Option<Block>, DataError> {
        while let Some(input) = self.inputs.get(self.place.input) {
            let start = self.place;
            if self.open.is_none() {
                self.open = Some(open(input, start.offset, self.scale, &self.read)?);
                self.lines_skipped = start.lines;
            }
            if let Some(content) = self.step(input).map_err(|e| DataError::of_file(&input.path, e))? {
                self.place.blocks += 1;
                return Ok(Some(Block { start, end: self.place, content }));
            }
            self.open = None;
            self.place = InputOffset { input: start.input + 1, offset: 0, lines: 0, blocks: start.blocks };
        }
        Ok(None)
    }

    fn step(&mut self, input: &Input) -> io::Result<Option<Content>> {
        let place = &mut self.place;
        match &mut self.open {
            None => Ok(None),
            Some(Open::Groups(count)) => {
                let group = place.offset as usize;
                place.offset += 1;
                Ok((group < *count).then_some(Content::Group(group)))
            }
            Some(Open::Records(reader)) => {
                let (mut games, mut plies) = (Vec::new(), 0);
                while games.len() < GAMES && plies < GAMES_PLIES {
                    match reader.read() {
                        Ok(None) => break,
                        Ok(Some(game)) => {
                            plies += game.plies();
                            games.push(Ok(game));
                        }
                        Err(error) if error.is_fatal() => return Err(io::Error::other(error.to_string())),
                        Err(error) => games.push(Err(error)),
                    }
                }
                place.offset += games.len() as u64;
                Ok((!games.is_empty()).then_some(Content::Games(games)))
            }
            Some(Open::Bytes(blocks)) => {
                let block = blocks.read(|block| whole(input.format, block))?;
                if let Some(block) = &block {
                    place.offset += block.bytes.len() as u64;
                }
                // The lines of a file that is gone on with begin where it was left.
                place.lines = self.lines_skipped + blocks.lines();
                Ok(block.map(|block| Content::Bytes(block.bytes)))
            }
        }
    }

    /// Bytes of the files in all, where they are known.
    pub fn bytes_total(inputs: &[Input]) -> Option<u64> {
        inputs.iter().map(|i| std::fs::metadata(&i.path).ok().filter(|m| m.is_file()).map(|m| m.len())).sum()
    }
}

fn whole(format: Format, block: &[u8]) -> usize {
    match format {
        Format::Games(format) => format.whole(block).unwrap_or(0),
        Format::Samples(format) => format.whole(block),
        Format::Columns => 0,
    }
}

/// Opens `input` at `offset`. `scale` divides the usual size of blocks.
fn open(input: &Input, offset: u64, scale: usize, read: &Arc<AtomicU64>) -> Result<Open, DataError> {
    let fail = |e: io::Error| DataError::of_file(&input.path, e);
    if let Format::Columns = input.format {
        let groups = parquet::groups(&input.path)?;
        read.fetch_add(std::fs::metadata(&input.path).map_or(0, |m| m.len()), Relaxed);
        return Ok(Open::Groups(groups));
    }
    let format = input.format;
    // Of an archive the files that are named as the format has it; where none is, all: the format was told.
    let is_named = find_in_archive(&input.path, &|name| format.fits(name)).is_ok_and(|name| name.is_some());
    let wanted: Wanted = Arc::new(move |name| !is_named || format.fits(name));
    let mut stream = open_members(&input.path, read, &wanted).map_err(fail)?;
    if let Format::Games(format) = input.format
        && format.whole(&[]).is_none()
    {
        let mut reader = format.reader(stream);
        for _ in 0..offset {
            if matches!(reader.read(), Ok(None)) {
                break;
            }
        }
        return Ok(Open::Records(reader));
    }
    let skipped = io::copy(&mut stream.by_ref().take(offset), &mut io::sink()).map_err(fail)?;
    if skipped < offset {
        return Err(DataError::of_file(&input.path, "the file is shorter than it was"));
    }
    let usual = if input.format.holds_games() { GAMES_BYTES } else { SAMPLES_BYTES };
    Ok(Open::Bytes(Blocks::new(stream, usual / scale)))
}

/// Shows `see` the records of `inputs` one by one, as they are, behind the first `skip`, until it has seen `count`.
///
/// # Errors
/// The first broken record, and files that cannot be read.
pub fn peek(inputs: &[Input], skip: u64, count: u64, mut see: impl FnMut(u64, Item<'_>)) -> Result<(), DataError> {
    // Small blocks: few records are wanted.
    let mut source = Source::new(inputs, InputOffset::default(), 16);
    let (mut seen, mut file, mut before) = (0, 0, 0);
    while let Some(block) = source.next()? {
        if block.start.input != file {
            (file, before) = (block.start.input, 0);
        }
        let parsed = block.parse(inputs);
        let mut each = |i: usize, item: Item<'_>| {
            seen += 1;
            if seen > skip && seen - skip <= count {
                see(before + parsed.numbers[i], item);
            }
        };
        match &parsed.items {
            Items::Games(list) => list.iter().enumerate().for_each(|(i, game)| each(i, Item::Game(game))),
            Items::Samples(list) => list.iter().enumerate().for_each(|(i, sample)| each(i, Item::Sample(sample))),
        }
        if seen >= skip.saturating_add(count) {
            return Ok(());
        }
        if let Some(error) = parsed.errors.into_iter().next() {
            return Err(error.after(before));
        }
        before += parsed.records;
    }
    Ok(())
}

impl Block {
    /// The bytes; `None` where it is no block of bytes.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes),
            Content::Group(_) | Content::Games(_) => None,
        }
    }

    /// `error`, found in this block, with the byte of the whole file.
    pub(super) fn placed(start: InputOffset, mut error: RecordError) -> RecordError {
        if let Fault::ExpectedAt { byte, .. } = &mut error.fault {
            *byte += start.offset;
        }
        error
    }

    /// Reads the records. Errors count records within the block.
    pub fn parse(self, inputs: &[Input]) -> Parsed {
        let input = &inputs[self.start.input];
        let (path, lines, start) = (input.path.as_path(), self.start.lines, self.start);
        match (self.content, input.format) {
            (Content::Games(games), _) => gather(games.into_iter(), path, InputOffset::default()),
            (Content::Bytes(bytes), Format::Games(format)) => {
                let reader = format.reader(Box::new(io::Cursor::new(bytes)));
                gather(tesuji_record::Records::new(reader), path, start)
            }
            (Content::Bytes(bytes), Format::Samples(format)) => {
                let mut parsed = Parsed::new(Items::Samples(Vec::new()));
                let Items::Samples(samples) = &mut parsed.items else { return parsed };
                format.read(&bytes, &mut |read| {
                    parsed.records += 1;
                    match read {
                        Ok(sample) => {
                            samples.push(sample);
                            parsed.numbers.push(parsed.records);
                        }
                        Err(error) => {
                            let error = Block::placed(start, error);
                            parsed.errors.push(DataError::of_record(path, false, lines, &error));
                        }
                    }
                });
                parsed
            }
            (Content::Group(group), _) => match parquet::read_group(path, group) {
                Ok(rows) => {
                    let (mut samples, mut parsed) = (Vec::new(), Parsed::new(Items::Samples(Vec::new())));
                    for row in rows {
                        parsed.records += 1;
                        match row {
                            Ok(sample) => {
                                samples.push(sample);
                                parsed.numbers.push(parsed.records);
                            }
                            Err(fault) => {
                                parsed.errors.push(DataError::of_fault(path, false, parsed.records, &fault));
                            }
                        }
                    }
                    parsed.items = Items::Samples(samples);
                    parsed
                }
                Err(error) => {
                    let mut parsed = Parsed::new(Items::Samples(Vec::new()));
                    parsed.errors.push(error);
                    parsed
                }
            },
            (Content::Bytes(_), Format::Columns) => Parsed::new(Items::Samples(Vec::new())),
        }
    }
}

impl Parsed {
    fn new(items: Items) -> Parsed {
        Parsed { items, numbers: Vec::new(), errors: Vec::new(), records: 0 }
    }
}

fn gather(
    records: impl Iterator<Item = Result<tesuji_record::GameRecord<String>, RecordError>>,
    path: &Path,
    start: InputOffset,
) -> Parsed {
    let (mut games, mut parsed) = (Vec::new(), Parsed::new(Items::Games(Vec::new())));
    for record in records {
        parsed.records += 1;
        match record {
            Ok(game) => {
                games.push(game);
                parsed.numbers.push(parsed.records);
            }
            Err(error) => {
                let error = Block::placed(start, error);
                parsed.errors.push(DataError::of_record(path, true, start.lines, &error));
            }
        }
    }
    parsed.items = Items::Games(games);
    parsed
}
