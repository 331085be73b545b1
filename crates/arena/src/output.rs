//! Files that games are appended to, one whole game at a time, compressed where their names say so. Nothing in them is ever cut or
//! changed: what a kill tore is completed from the journal.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use tesuji_jobs::{Existing, OutputFile, Packing, open_input, open_output, unpacked};
use tesuji_record::{GameRecord, RecordError, RecordFormat, RecordWriter, SharedBuffer};

/// A file of games.
///
/// # Examples
///
/// ```
/// use tesuji_arena::Output;
/// use tesuji_four::Lines;
/// use tesuji_record::GameRecord;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.four");
/// let mut output = Output::open(&path, &Lines, None)?;
/// let record = GameRecord::from_moves("", None, ["4", "4", "3"].map(str::to_string));
/// // The journal keeps the bytes before they are in the file.
/// let tail = output.render(&record)?;
/// output.append(&tail)?;
/// drop(output);
/// assert_eq!(std::fs::read(&path)?, tail.bytes);
/// // A kill tore the game: it is completed from the journal.
/// std::fs::write(&path, &tail.bytes[..4])?;
/// drop(Output::open(&path, &Lines, Some(&tail))?);
/// assert_eq!(std::fs::read(&path)?, tail.bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Output {
    file: OutputFile,
    packing: Packing,
    writer: Box<dyn RecordWriter>,
    /// Text that the writer has formatted and that is not in the file yet.
    text: SharedBuffer,
}

/// The bytes of the last game in an output, as the journal remembers them before they are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tail {
    /// Offset of the first one in the file, in bytes.
    pub start: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Output {
    /// Opens `path` in `format` for appending. With the `tail` of a match that goes on, the last game that its journal knows
    /// is completed where a kill tore it; lines that somebody else appended behind it are kept.
    ///
    /// # Errors
    /// Those of the file system; [`io::ErrorKind::WouldBlock`] when another match writes into the file;
    /// [`io::ErrorKind::InvalidData`] when the file is shorter than the journal says, or is not what was written.
    pub fn open(path: &Path, format: &dyn RecordFormat, tail: Option<&Tail>) -> io::Result<Output> {
        let wrong = |kind, what: String| Err(io::Error::new(kind, format!("{}: {what}", path.display())));
        let expected = tail.map_or(0, |tail| tail.start);
        if expected > 0 && !path.exists() {
            return wrong(
                io::ErrorKind::NotFound,
                format!(
                    "the games of this match were here, {expected} bytes, and the file is gone; put it back under this name, or begin the match again: its first command with --fresh, without --resume"
                ),
            );
        }
        // What a kill tore of a first game is no game yet, but the journal knows it.
        let packing = packing_of(path)?;
        if tail.is_none() {
            check_holds_games(path, format)?;
        }
        let mut file = open_output(path, Existing::Append)?;
        if !file.lock()? {
            return wrong(io::ErrorKind::WouldBlock, "another match writes into this file; name another".to_string());
        }
        if let Some(tail) = tail {
            complete(&mut file, tail)?;
        }
        if packing == Packing::Plain {
            file.end_last_line()?;
        }
        let text = SharedBuffer::default();
        Ok(Output { file, packing, writer: format.writer(Box::new(text.clone())), text })
    }

    /// The bytes of a game, and where they will be: for the journal, before [`Output::append`].
    ///
    /// # Errors
    /// Those of the writer and of the file system.
    pub fn render(&mut self, record: &GameRecord<String>) -> Result<Tail, RecordError> {
        self.writer.write(record)?;
        self.writer.flush()?;
        Ok(Tail { start: self.file.length()?, bytes: self.packing.pack(self.text.take())? })
    }

    /// Appends a game and hands it to the system.
    ///
    /// # Errors
    /// Those of the file system, also when the file was deleted meanwhile.
    pub fn append(&mut self, tail: &Tail) -> Result<(), RecordError> {
        self.file.write_all(&tail.bytes)?;
        Ok(self.file.flush()?)
    }
}

/// Refuses a file that has something else in it than games of `format`: weights or a page with games behind them are neither. Looks
/// at the first game alone, and whether a compressed file is whole. A file that is not there, or holds nothing but spaces, may become
/// one.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`] with the file's name and what to do, and those of the file system.
///
/// # Examples
///
/// ```
/// use tesuji_arena::check_holds_games;
/// use tesuji_four::Lines;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.four");
/// assert!(check_holds_games(&path, &Lines).is_ok(), "it may become one");
/// std::fs::write(&path, "a diary\n")?;
/// assert!(check_holds_games(&path, &Lines).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn check_holds_games(path: &Path, format: &dyn RecordFormat) -> io::Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let packing = packing_of(path)?;
    check_is_whole(path, packing)?;
    let mut input: Box<dyn BufRead + Send> = match packing {
        Packing::Plain => Box::new(BufReader::new(File::open(path)?)),
        Packing::Zstd | Packing::Gzip => open_input(path)?,
    };
    loop {
        let block = input.fill_buf()?;
        match block.iter().position(|byte| !byte.is_ascii_whitespace()) {
            Some(at) => break input.consume(at),
            None if block.is_empty() => return Ok(()),
            None => {
                let length = block.len();
                input.consume(length);
            }
        }
    }
    let is_game = |game: &GameRecord<String>| game.nodes.len() > 1 || !game.tags.is_empty() || game.outcome.is_some();
    match format.reader(Box::new(input.take(FIRST_GAME_BYTES))).read() {
        Ok(Some(game)) if is_game(&game) => Ok(()),
        // A game that was cut is one, too.
        Err(RecordError { read: Some(game), .. }) if is_game(&game) => Ok(()),
        _ => {
            let words = format!(
                "{}: this file holds something else than games as {}; nothing is appended to it: name another file",
                path.display(),
                format.extensions().first().copied().unwrap_or_default()
            );
            Err(io::Error::new(io::ErrorKind::InvalidData, words))
        }
    }
}

/// The compression of the file `path`, by its name.
fn packing_of(path: &Path) -> io::Result<Packing> {
    let named = |words| io::Error::new(io::ErrorKind::InvalidInput, format!("{}: {words}", path.display()));
    Packing::of(path).map_err(named)
}

/// Refuses a file to which no compressed game can be appended: one that is not compressed as its name says, or whose end a kill tore.
fn check_is_whole(path: &Path, packing: Packing) -> io::Result<()> {
    if packing == Packing::Plain || !path.is_file() {
        return Ok(());
    }
    let wrong = |what: &str| {
        let words = format!("{}: {what}; nothing is appended to it: name another file", path.display());
        io::Error::new(io::ErrorKind::InvalidData, words)
    };
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    Read::by_ref(&mut file).take(packing.magic().len() as u64).read_to_end(&mut head)?;
    if head.is_empty() {
        return Ok(());
    }
    if head != packing.magic() {
        return Err(wrong("it is not compressed as its name says"));
    }
    let mut rest = unpacked(Box::new(io::Cursor::new(head).chain(file)))?;
    io::copy(&mut rest, &mut io::sink()).map(drop).map_err(|error| wrong(&error.to_string()))
}

/// What `bytes` of the file `path` hold, which begin with a piece that was appended to it.
pub(crate) fn content_of(path: &Path, bytes: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    match packing_of(path)? {
        Packing::Plain => Ok(Box::new(BufReader::new(bytes))),
        Packing::Zstd | Packing::Gzip => unpacked(Box::new(bytes)),
    }
}

/// The bytes within which a first game must end.
const FIRST_GAME_BYTES: u64 = 64 << 20;

/// Writes what is missing of the last game.
fn complete(file: &mut OutputFile, tail: &Tail) -> io::Result<()> {
    let wrong = |what: String| Err(io::Error::new(io::ErrorKind::InvalidData, what));
    let (path, length) = (file.path().display().to_string(), file.length()?);
    if length < tail.start {
        return wrong(format!(
            "{path}: {length} bytes, but the journal knows of {}: games were lost; put the file back, or begin again with \
             --fresh and another file",
            tail.start
        ));
    }
    let there = file.tail(tail.start, tail.bytes.len() as u64)?;
    if !tail.bytes.starts_with(&there) {
        return wrong(format!(
            "{path}: from byte {} on it is not what the journal says that this match wrote: one of the two was changed. Put back what \
             it was; or move what is there into another file, cut this one to {} bytes and go on: the last game is written again",
            tail.start, tail.start
        ));
    }
    file.write_all(&tail.bytes[there.len()..])
}
