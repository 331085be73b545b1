//! Games to packed positions: every file is read and decoded once, by all threads; what passes the filters is cut into runs, which
//! are shuffled, with the help of the disk where memory ends.

use super::game::NnueTraining;
use super::request::NnueRequest;
use crate::nnue::NnueNetworks;
use crate::{Kit, RequestError, SkipErrors};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::num::NonZeroU16;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tesuji_dataset::data::{Collected, DataError, Items, Job, Lens, Sieve, Spill, Tally, each, inputs_of};
use tesuji_dataset::{GamesOfPositions, HELD_OUT_SEED, is_held_out};
use tesuji_game::{Random, fnv};
use tesuji_jobs::{Existing, Interrupt, Progress, check_output, threads};
use tesuji_record::{Fault, Sample, Survey};
use tesuji_train::nnue::{
    CellLayout, CellPosition, NO_RESULT, PackError, PositionsFile, PositionsHeader, PositionsWriter,
};

/// Counts of positions: read, filtered, kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Positions of all files.
    pub(super) read: u64,
    /// Those that did not pass the filters.
    pub(super) filtered: u64,
    /// Those that came before.
    pub(super) duplicates: u64,
    pub(super) training: u64,
    pub(super) held_out: u64,
    pub(super) games: u64,
}

impl Counts {
    /// For a person.
    pub(super) fn words(&self) -> String {
        let Counts { read, filtered, duplicates, training, held_out, games } = self;
        format!(
            "{read} positions of {games} games: {training} to learn from, {held_out} held out, {filtered} filtered out, {duplicates} \
             duplicates"
        )
    }
}

/// A position of a block.
struct Found {
    /// See [`Sample`].
    game: Option<u64>,
    ply: Option<u32>,
    /// The position as text, where the game is not known by a number.
    text: Option<String>,
    /// Its records in the block, those of its branches behind its own, and its key; `None` if it is left out.
    kept: Option<(Range<usize>, u64)>,
}

/// The positions of a block, with their records.
#[derive(Default)]
struct Block {
    found: Vec<Found>,
    records: Vec<u8>,
}

/// Keys are random already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0 << 8 ^ u64::from(byte));
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// One part of the positions: to learn from, or held out.
struct Part {
    spill: Spill,
    run: Vec<u8>,
    game: Option<u32>,
    count: u64,
    runs: u64,
    seed: u64,
}

impl Part {
    fn new(memory: usize, folder: &Path, seed: u64) -> Part {
        Part { spill: Spill::new(memory, folder), run: Vec::new(), game: None, count: 0, runs: 0, seed }
    }

    /// Adds a record of game number `game`.
    fn add(&mut self, layout: &CellLayout, game: u32, record: &[u8], run_max: usize) -> std::io::Result<()> {
        if self.game != Some(game) || self.run.len() >= run_max * record.len() {
            self.end_run()?;
            self.game = Some(game);
        }
        let start = self.run.len();
        self.run.extend_from_slice(record);
        layout.set_starts_run(&mut self.run[start..], start == 0);
        self.count += 1;
        Ok(())
    }

    fn end_run(&mut self) -> std::io::Result<()> {
        if !self.run.is_empty() {
            self.spill.push(Random::for_item(self.seed, self.runs).next_u64(), &self.run)?;
            self.runs += 1;
            self.run.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> std::io::Result<Collected> {
        self.end_run()?;
        self.spill.finish()
    }
}

/// The filter of positions, shared by all threads.
struct Look<'a> {
    survey: &'static dyn Survey,
    nnue: &'a dyn NnueTraining,
    layout: CellLayout,
    sieve: Sieve,
    lens: Lens,
    branches: u32,
}

impl Look<'_> {
    /// The positions of `items`.
    fn block(&self, items: Items, fault: &mut dyn FnMut(usize, Fault)) -> Block {
        let mut block = Block::default();
        match items {
            Items::Samples(samples) => {
                for (index, mut sample) in samples.into_iter().enumerate() {
                    self.add(&mut block, &mut sample).unwrap_or_else(|reason| fault(index, reason));
                }
            }
            Items::Games(games) => {
                let mut samples = Vec::new();
                for (index, game) in games.iter().enumerate() {
                    samples.clear();
                    let looked = self.survey.samples(game, &mut samples);
                    let added =
                        looked.and_then(|()| samples.iter_mut().try_for_each(|sample| self.add(&mut block, sample)));
                    added.unwrap_or_else(|reason| fault(index, reason));
                }
            }
        }
        block
    }

    fn add(&self, block: &mut Block, sample: &mut Sample) -> Result<(), Fault> {
        // Filters and duplicates go by the same look at the position.
        let facts = match sample.facts {
            Some(facts) => facts,
            None => self.survey.look(sample)?,
        };
        sample.facts = Some(facts);
        let keep = self.sieve.keeps_sample(sample, &self.lens)?;
        let text = sample.game.is_none().then(|| sample.position.clone());
        let (game, ply) = (sample.game, sample.ply);
        let kept = if keep {
            let mut position = self.nnue.position(sample)?;
            position.score = sample.score.unwrap_or_default();
            position.half_points = sample.half_points.unwrap_or(NO_RESULT);
            position.ply = ply.and_then(|ply| NonZeroU16::new(u16::try_from(ply).unwrap_or(u16::MAX)));
            let start = block.records.len();
            self.pack(&position, &mut block.records)?;
            self.add_branches(sample, facts.key, &mut block.records)?;
            Some((start..block.records.len(), facts.key))
        } else {
            None
        };
        block.found.push(Found { game, ply, text, kept });
        Ok(())
    }

    /// Appends the record of a position.
    fn pack(&self, position: &CellPosition, records: &mut Vec<u8>) -> Result<(), Fault> {
        self.layout.pack(position, records).map_err(|error| match error {
            PackError::Used { .. } => Fault::Unsupported("more pieces than the game begins with"),
            _ => Fault::Unsupported("a piece that networks do not know"),
        })
    }

    /// Appends positions after random moves, which the key of `sample` decides, with their static values as scores.
    fn add_branches(&self, sample: &Sample, key: u64, records: &mut Vec<u8>) -> Result<(), Fault> {
        for branch in 0..self.branches {
            let Some(position) = self.nnue.branch(sample, &mut Random::for_item(key, branch.into()))? else { continue };
            self.pack(&CellPosition { score: position.base, half_points: NO_RESULT, ..position }, records)?;
        }
        Ok(())
    }
}

/// The result of the preparation.
pub(super) enum Prepared {
    /// The file, and what went into it; nothing where it was there already.
    Ready(Box<PositionsFile>, Option<Counts>),
    /// It was interrupted, and nothing is left of it.
    Stopped,
}

/// The weights of the hand-made evaluation that networks of a game may correct; empty where there is none.
pub(super) fn base(kit: &dyn Kit) -> &'static str {
    kit.nnue().map_or("", NnueNetworks::base)
}

/// The checksum of the weights by which positions have their base; empty where there is none.
pub(super) fn base_checksum(kit: &dyn Kit) -> String {
    match base(kit) {
        "" => String::new(),
        weights => format!("{:016x}", fnv::hash(weights.bytes())),
    }
}

/// The packed positions of a request: those of its file, where that has them, or made from the games.
pub(super) fn prepare(
    request: &NnueRequest,
    (kit, nnue): (&'static dyn Kit, &dyn NnueTraining),
    interrupt: &Interrupt,
    progress: &Progress,
) -> Result<Prepared, RequestError> {
    let path = request.prepared_path();
    let fail = |error| RequestError::failed(error);
    let words = request.words()?;
    if path.exists() {
        let header = PositionsFile::header_of(&path).map_err(|error| {
            fail(format!("{error}; packed positions go there: move it, or give --prepared another name"))
        })?;
        if header.game != kit.name() || header.layout != nnue.layout() {
            let words = format!("{}: positions of {}, expected {}", path.display(), header.game, kit.name());
            return Err(fail(words));
        }
        let is_known = request.games.is_empty() || (header.words == words && header.base == base_checksum(kit));
        if is_known {
            let file = PositionsFile::open(&path).map_err(|error| fail(error.to_string()))?;
            return Ok(Prepared::Ready(Box::new(file), None));
        }
        // Another run may go on with them, whatever becomes of this one.
        check_output(&path, Existing::Refuse).map_err(|_| {
            let words =
                "holds positions of other games, filters or hand-made weights: --prepared FILE keeps both, --force makes them again";
            fail(format!("{} {words}", path.display()))
        })?;
    } else if request.games.is_empty() {
        return Err(RequestError::value(
            "prepared",
            path.display(),
            "there is no such file, and no games to make it of",
        ));
    }
    make(request, (kit, nnue), words, (interrupt, progress))
}

/// The collector of positions of all files, in their order.
struct Gathered {
    layout: CellLayout,
    /// To learn from, and held out.
    parts: [Part; 2],
    keys: HashSet<u64, BuildHasherDefault<AsItIs>>,
    keys_max: usize,
    games: GamesOfPositions,
    counts: Counts,
    /// The file that is made: errors of the disk name it.
    path: PathBuf,
}

impl Gathered {
    fn new(request: &NnueRequest, layout: CellLayout) -> Gathered {
        let path = request.prepared_path();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let memory = request.memory_mib << 20;
        let part = |part: u64, memory| Part::new(memory, folder, request.seed.wrapping_add(part));
        Gathered {
            layout,
            parts: [part(0, memory / 3), part(1, memory / 12)],
            keys: HashSet::default(),
            // A key takes about 18 bytes in the set: what does not fit is compared with what does.
            keys_max: memory / 2 / 18,
            games: GamesOfPositions::default(),
            counts: Counts::default(),
            path,
        }
    }

    fn take(&mut self, block: Block, request: &NnueRequest) -> Result<(), DataError> {
        let (size, run) = (self.layout.record_bytes(), request.filters.run.0 as usize);
        for found in block.found {
            let (number, game) = self.games.next(found.game, found.ply, || found.text.unwrap_or_default());
            self.counts.read += 1;
            let Some((records, key)) = found.kept else {
                self.counts.filtered += 1;
                continue;
            };
            let is_known =
                if self.keys.len() < self.keys_max { !self.keys.insert(key) } else { self.keys.contains(&key) };
            if is_known && !request.filters.duplicates {
                self.counts.duplicates += 1;
                continue;
            }
            let is_judge = is_held_out(game, HELD_OUT_SEED, request.held_out);
            let part = &mut self.parts[usize::from(is_judge)];
            // Networks are judged by positions of games alone.
            let count = if is_judge { 1 } else { records.len() / size };
            for record in block.records[records].chunks_exact(size).take(count) {
                part.add(&self.layout, number, record, run).map_err(|error| DataError::of_file(&self.path, error))?;
            }
        }
        Ok(())
    }

    /// Writes the file, of which `words` say what it holds; `base` is the checksum of the base's weights.
    fn write(mut self, game: &str, (words, base): (String, String)) -> Result<Counts, RequestError> {
        let path = std::mem::take(&mut self.path);
        let named = |error| RequestError::failed(DataError::of_file(&path, error));
        self.write_to(&path, game, (words, base)).map_err(named)
    }

    fn write_to(mut self, path: &Path, game: &str, (words, base): (String, String)) -> std::io::Result<Counts> {
        let (layout, counts) = (self.layout, self.end());
        let (training, held_out) = (counts.training, counts.held_out);
        let header = PositionsHeader { game: game.to_owned(), layout, words, training, held_out, base };
        let mut writer = PositionsWriter::begin(path, &header)?;
        for part in self.parts {
            let collected = part.finish()?;
            for piece in 0..collected.pieces() {
                collected.read(piece)?.iter().try_for_each(|(_, run)| writer.push(run))?;
            }
        }
        writer.finish()?;
        Ok(counts)
    }

    /// The final counts, when all is read.
    fn end(&mut self) -> Counts {
        [self.counts.training, self.counts.held_out] = [self.parts[0].count, self.parts[1].count];
        self.counts.games = self.games.count().into();
        self.counts
    }
}

/// Reads the games and writes the file.
fn make(
    request: &NnueRequest,
    (kit, nnue): (&'static dyn Kit, &dyn NnueTraining),
    words: String,
    (interrupt, progress): (&Interrupt, &Progress),
) -> Result<Prepared, RequestError> {
    let path = request.prepared_path();
    let survey = kit.survey().ok_or_else(|| {
        let words = "are not known one by one, and networks learn from them";
        RequestError::failed(format!("positions of {} {words}", kit.name()))
    })?;
    let lens = Lens { survey: Some(survey), fill_score: None };
    let inputs = inputs_of(&request.games, None, kit, Some(survey))?;
    let (layout, sieve, branches) = (nnue.layout(), request.sieve(), request.filters.branches);
    let look = Look { survey, nnue, layout, sieve, lens, branches };
    let mut gathered = Gathered::new(request, look.layout);
    let job = Job {
        inputs: &inputs,
        keep_game: None,
        lens,
        jobs: threads(request.threads),
        scale: 1,
        skip_errors: request.skip_errors,
        resume: false,
        words: String::new(),
        about: Vec::new(),
        interrupt,
        tell: &|tally: &Tally| {
            progress.total(tally.bytes.1);
            progress.set(tally.bytes.0);
        },
        complain: &|error: &DataError| tracing::warn!(target: "train", "left out: {error}"),
    };
    let tally = each(&job, |_, items, fault| look.block(items, fault), |block: Block| gathered.take(block, request));
    let skip = SkipErrors { wanted: request.skip_errors };
    let tally = tally.map_err(|error| match error.record > 0 {
        true => RequestError::failed(format_args!("{error}{}", skip.hint())),
        false => error.into(),
    })?;
    if tally.stopped {
        return Ok(Prepared::Stopped);
    }
    let counts = gathered.end();
    if counts.training == 0 || counts.held_out == 0 {
        return Err(nothing_left(request, &counts));
    }
    let counts = gathered.write(kit.name(), (words, base_checksum(kit)))?;
    let file = PositionsFile::open(&path).map_err(RequestError::failed)?;
    Ok(Prepared::Ready(Box::new(file), Some(counts)))
}

/// The error where there is nothing to learn from, with a hint.
fn nothing_left(request: &NnueRequest, counts: &Counts) -> RequestError {
    let help = if counts.read == 0 {
        "the files have no positions"
    } else if counts.training == 0 && request.sieve().scored {
        "are there scores and results in the files? Games without scores can be learned from with a result share of 1"
    } else {
        "more games, or another share that is held out, would help"
    };
    RequestError::failed(format!("nothing to learn from or to judge by: {}; {help}", counts.words()))
}
