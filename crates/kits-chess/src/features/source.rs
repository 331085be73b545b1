//! The source of games: files of any format, in pieces that jobs read apart from each other where the format allows it.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use tesuji_chess::{Move, sgs};
use tesuji_jobs::open_input;
use tesuji_kit::{Kit, SkipErrors, complain};
use tesuji_record::{AnyGame, Block, Blocks, GameRecord, RecordError, RecordFormat, RecordReader, unpacked_name};

/// Games that a job takes at a time where the text cannot be cut.
const RECORDS: usize = 32;

/// Games that a job takes at a time.
pub(super) struct Item {
    /// The number of the first among all games, from 0.
    pub first: u32,
    /// The file, as it was named.
    pub file: PathBuf,
    /// Games of the files before.
    before: u32,
    /// The games.
    pub games: Games,
    skip: SkipErrors,
}

/// Games as a job gets them.
pub(super) enum Games {
    /// Still to be read.
    Text(Block),
    /// Read, with their numbers in the file; and why reading ended, if that is an error.
    Records(Vec<GameRecord<String>>, Option<RecordError>),
}

/// One game, its moves as text or checked already.
pub(super) enum OneGame<'a> {
    /// Moves are text.
    Words(&'a GameRecord<String>),
    /// Moves are moves.
    Moves(&'a GameRecord<Move>),
}

enum Open {
    Blocks(Blocks),
    Reader(Box<dyn RecordReader>),
}

/// Gives the games of several files, one file after the other.
pub(super) struct Source {
    files: std::vec::IntoIter<PathBuf>,
    open: Option<(PathBuf, Open)>,
    /// Games given so far, and those of the files before this one.
    games: u32,
    before: u32,
    block_bytes: usize,
    skip: SkipErrors,
}

impl Source {
    /// The games of `files`; `-` is stdin. Jobs get this many bytes of text at a time, where the text can be cut.
    pub(super) fn new(files: Vec<PathBuf>, block_bytes: usize, skip: SkipErrors) -> Source {
        Source { files: files.into_iter(), open: None, games: 0, before: 0, block_bytes, skip }
    }

    /// The next games.
    ///
    /// # Errors
    /// Files that cannot be opened or read.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<Item>> {
        loop {
            if self.open.is_none() {
                let Some(file) = self.files.next() else { return Ok(None) };
                self.before = self.games;
                self.open = Some((file.clone(), open(&file, self.block_bytes, self.skip)?));
            }
            let Some((file, open)) = &mut self.open else { return Ok(None) };
            let item = match open {
                Open::Blocks(blocks) => {
                    let whole = |block: &[u8]| sgs::Sgs::EXTENDED.whole(block).unwrap_or(0);
                    let block = blocks.read(whole).with_context(|| file.display().to_string())?;
                    let first = self.games;
                    self.games += block.as_ref().map_or(0, |b| sgs::count(&b.bytes)) as u32;
                    block.map(|b| (first, Games::Text(b)))
                }
                Open::Reader(reader) => {
                    let first = self.games;
                    let games = read_some(reader.as_mut());
                    if let Games::Records(games, _) = &games {
                        self.games += games.len() as u32;
                    }
                    let none = matches!(&games, Games::Records(games, None) if games.is_empty());
                    (!none).then_some((first, games))
                }
            };
            match item {
                Some((first, games)) => {
                    return Ok(Some(Item { first, file: file.clone(), before: self.before, games, skip: self.skip }));
                }
                None => self.open = None,
            }
        }
    }
}

fn read_some(reader: &mut dyn RecordReader) -> Games {
    let mut games = Vec::with_capacity(RECORDS);
    while games.len() < RECORDS {
        match reader.read() {
            Ok(Some(game)) => games.push(game),
            Ok(None) => break,
            Err(error) => return Games::Records(games, Some(error)),
        }
    }
    Games::Records(games, None)
}

fn open(path: &Path, block_bytes: usize, skip: SkipErrors) -> anyhow::Result<Open> {
    let mut input = open_input(path)?;
    let name = path.display().to_string();
    let plain = unpacked_name(&name);
    let kit: &dyn Kit = &crate::CHESS;
    // A stream without a name is told by its first word: PGN begins with a tag.
    let plain = match plain {
        "-" if input.fill_buf()?.trim_ascii_start().starts_with(b"[") => "-.pgn",
        "-" => "-.sgs",
        plain => plain,
    };
    let Some(format) = AnyGame::format(kit, plain) else {
        let known: Vec<&str> = kit.formats().iter().flat_map(|f| f.extensions()).copied().collect();
        bail!("{name}: no format is known by this name; known endings: {}", known.join(", "));
    };
    Ok(match format.name() {
        "sgs" => Open::Blocks(Blocks::new(input, block_bytes)),
        _ => Open::Reader(skip.reader(path, format.reader(input))),
    })
}

impl Item {
    /// Shows `each` every game with its number, from 0, and its place as errors name it.
    ///
    /// # Errors
    /// The first broken game, or the first error of `each`, with file, line and game.
    pub(super) fn each(self, mut each: impl FnMut(OneGame, u32) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let Item { first, file, before, games, skip } = self;
        let file = file.display();
        match games {
            Games::Text(block) => {
                let (mut games, mut number) = (sgs::games(block, u64::from(first - before)), first);
                while let Some(game) = games.next() {
                    let game = match game {
                        Err(error) if skip.wanted && !error.is_fatal() => {
                            complain(&format_args!("{file}: {error}"));
                            number += 1;
                            continue;
                        }
                        game => game.with_context(|| file.to_string())?,
                    };
                    let at = |line: u64| format!("{file}: line {line} (game {})", number - before + 1);
                    each(OneGame::Moves(&game), number).with_context(|| at(games.line()))?;
                    number += 1;
                }
            }
            Games::Records(games, error) => {
                for (number, game) in (first..).zip(&games) {
                    each(OneGame::Words(game), number)
                        .with_context(|| format!("{file}: game {}", number - before + 1))?;
                }
                if let Some(error) = error {
                    return Err(error).with_context(|| file.to_string());
                }
            }
        }
        Ok(())
    }
}
