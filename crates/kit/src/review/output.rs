//! Where reviewed games go: a file that grows game by game, which a later run can go on with, or a stream.

use super::AnalyseRequest;
use crate::{RequestError, check_new_output, check_plain_output, tuning::keep_old};
use std::{
    fs::{self, File},
    io::{self, BufReader, Read, Write},
    path::Path,
};
use tesuji_jobs::{
    Existing, OutputFile, SummedOutput, check_output, is_special, open_log, open_output, sums_file, whole_parts,
};
use tesuji_record::{GameRecord, RecordFormat, RecordReader, Step};

/// The output of a review. While it grows, the checksums of its games stand beside it.
pub(super) struct ReviewOutput<'a> {
    path: Option<&'a Path>,
    /// Opened when the first game is done.
    file: Option<SummedOutput>,
    stream: &'a mut dyn Write,
    earlier: Option<Earlier>,
}

/// The games that an earlier run wrote into the file.
struct Earlier {
    reader: Box<dyn RecordReader>,
    /// Those that the games of the input were not compared with yet.
    left: usize,
    /// The end of the last one, in bytes.
    end: u64,
}

impl<'a> ReviewOutput<'a> {
    /// The output that a request asks for, of games in `format`. Nothing is written yet.
    ///
    /// # Errors
    /// A file that is there and not to be gone on with, or cannot be, and one that cannot be written.
    pub(super) fn begin(
        request: &'a AnalyseRequest,
        format: &dyn RecordFormat,
        stream: &'a mut dyn Write,
    ) -> Result<ReviewOutput<'a>, RequestError> {
        let mut output = ReviewOutput { path: request.out.as_deref(), file: None, stream, earlier: None };
        let Some(path) = output.path else { return Ok(output) };
        if !request.resume || !path.exists() || is_special(path) {
            check_new_output(path, [&request.file])?;
            return Ok(output);
        }
        check_plain_output(path, [&request.file])?;
        check_output(path, Existing::Append)?;
        let at = |error: io::Error| RequestError::failed(format_args!("{}: {error}", path.display()));
        let ends = whole_parts(path).map_err(at)?;
        let Some(&end) = ends.last() else {
            return Err(RequestError::failed(format_args!(
                "{}: this is no review that was stopped: such a one has {} beside it; name another output",
                path.display(),
                sums_file(path).display()
            )));
        };
        let games = BufReader::new(File::open(path).map_err(at)?.take(end));
        output.earlier = Some(Earlier { reader: format.reader(Box::new(games)), left: ends.len(), end });
        Ok(output)
    }

    /// Whether an earlier run wrote the review of `game`, number `number` of the input.
    ///
    /// # Errors
    /// When another game stands in its place.
    pub(super) fn has(&mut self, number: u32, game: &GameRecord<String>) -> Result<bool, RequestError> {
        let (Some(path), Some(earlier)) = (self.path, self.earlier.as_mut().filter(|earlier| earlier.left > 0)) else {
            return Ok(false);
        };
        earlier.left -= 1;
        let there = earlier.reader.read();
        let there = there.map_err(|error| RequestError::failed(format_args!("{}: {error}", path.display())))?;
        match there.is_some_and(|there| moves(&there) == moves(game)) {
            true => Ok(true),
            false => Err(RequestError::failed(format_args!(
                "{}: game {number} in it is not game {number} of the input: it is the review of other games; name another output",
                path.display()
            ))),
        }
    }

    /// Writes a game, whole or not at all.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(path) = self.path else {
            return self.stream.write_all(bytes).and_then(|()| self.stream.flush());
        };
        let mut file = match self.file.take() {
            Some(file) => file,
            None => SummedOutput::begin(self.open(path)?)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", sums_file(path).display())))?,
        };
        if let Err(error) = file.write_all(bytes).and_then(|()| file.flush()) {
            // What is torn would be read as a game.
            let _ = file.cut_back();
            return Err(error);
        }
        self.file = Some(file);
        Ok(())
    }

    fn open(&self, path: &Path) -> io::Result<OutputFile> {
        let Some(earlier) = &self.earlier else {
            // The new one grows game by game: until it is whole the old one may be all that there is.
            keep_old(path).map_err(io::Error::other)?;
            return open_log(path);
        };
        let mut file = open_output(path, Existing::Append)?;
        if file.length()? > earlier.end {
            keep_old(path).map_err(io::Error::other)?;
            file.cut(earlier.end)?;
        }
        Ok(file)
    }

    /// Ends the output, once all games of the input are in it.
    ///
    /// # Errors
    /// When the file holds more games than the input.
    pub(super) fn finish(self) -> Result<(), RequestError> {
        let Some(path) = self.path else { return Ok(()) };
        if self.earlier.is_some_and(|earlier| earlier.left > 0) {
            let words = "it holds more games than the input: it is the review of other games; name another output";
            return Err(RequestError::failed(format_args!("{}: {words}", path.display())));
        }
        if self.file.is_some() && !is_special(path) {
            fs::remove_file(sums_file(path))?;
        }
        Ok(())
    }
}

/// The moves of a game's main line.
fn moves(game: &GameRecord<String>) -> Vec<&str> {
    let text = |node: u32| match &game.nodes[node as usize].step {
        Step::Move(text) => Some(text.as_str()),
        _ => None,
    };
    game.main_nodes().into_iter().filter_map(text).collect()
}
