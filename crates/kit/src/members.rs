//! The games of a folder or an archive, one after another, as if they were one file.

use crate::skip::closing;
use std::{
    io::{self, BufRead},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};
use tesuji_jobs::each_member;
use tesuji_record::{GameRecord, RecordError, RecordFormat, RecordReader, format_of_name};

/// Games that are read ahead.
const AHEAD: usize = 64;
/// A text beside games may be anything.
const UNKNOWN_ENDING: &str = ".txt";

/// A game, or why it cannot be read.
type Read = Result<GameRecord<String>, RecordError>;

/// Reads the members of a folder or an archive, which a thread of its own opens: an archive gives its members in its own order and time.
struct Members {
    games: Receiver<Read>,
}

/// The end of reading: the file system failed, or nobody reads on.
enum End {
    Failed(io::Error),
    Dropped,
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        End::Failed(error)
    }
}

/// The games in all files of the folder or archive `path` whose names end as one of `formats` says; other files, and texts (`.txt`), are passed
/// over. Errors name the file.
///
/// # Errors
/// When no thread can be started.
pub(crate) fn members(path: &Path, formats: &'static [&'static dyn RecordFormat]) -> io::Result<Box<dyn RecordReader>> {
    let (give, games) = sync_channel(AHEAD);
    let path = path.to_path_buf();
    thread::Builder::new().name("reader of games".into()).spawn(move || read_all(path, formats, &give))?;
    Ok(Box::new(Members { games }))
}

fn read_all(path: PathBuf, formats: &'static [&'static dyn RecordFormat], give: &SyncSender<Read>) {
    let known = |name: &str| format_of_name(formats, name).filter(|_| !name.ends_with(UNKNOWN_ENDING));
    let mut member = |name: &str, content: Box<dyn BufRead + Send>| match known(name) {
        Some(format) => read_member(name, &mut *closing(name.to_string(), format.reader(content)), give),
        None => Ok(()),
    };
    if let Err(End::Failed(error)) = each_member(&path, &|name| known(name).is_some(), &mut member) {
        let _ = give.send(Err(error.into()));
    }
}

fn read_member(name: &str, reader: &mut dyn RecordReader, give: &SyncSender<Read>) -> Result<(), End> {
    loop {
        let (game, is_last) = match reader.read() {
            Ok(None) => return Ok(()),
            Ok(Some(game)) => (Ok(game), false),
            Err(error) => {
                let is_last = error.is_fatal();
                (Err(RecordError { file: Some(name.into()), ..error }), is_last)
            }
        };
        give.send(game).map_err(|_| End::Dropped)?;
        if is_last {
            return Err(End::Dropped);
        }
    }
}

impl RecordReader for Members {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        self.games.recv().ok().transpose()
    }
}

/// Whether `path` is a folder or an archive of files.
pub(crate) fn is_bundle(path: &Path) -> bool {
    // The first member is enough.
    let mut is_found = false;
    let found = each_member(path, &|_| true, &mut |_, _| {
        is_found = true;
        Err(End::Dropped)
    });
    is_found || matches!(found, Ok(true))
}
