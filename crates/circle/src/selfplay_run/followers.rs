//! Outputs that grow with the games: other formats than the one that the games are kept in get each game when it ended, so that a run that
//! was killed leaves files of whole games. A run that goes on writes them again from its games, to the same bytes.

use super::outputs::Outputs;
use crate::{
    CircleError,
    game_file::{origin_of, packing_of, written},
    selfplay::{Follow, behind_opening, is_unscored},
};
use std::{
    io::{Cursor, Write},
    path::{Path, PathBuf},
};
use tesuji_dataset::data::{Format, GameEncoder};
use tesuji_jobs::{AtomicFile, Existing, Interrupt, OutputFile, is_special, open_input, open_log, open_output};
use tesuji_kit::Kit;
use tesuji_record::{Fault, GameRecord, RecordError, RecordFormat, Records};

/// The outputs that grow with the games of a run.
pub(super) struct Followers<'a> {
    kit: &'static dyn Kit,
    stop: &'a Interrupt,
    /// Whether files that are there may be replaced, which is checked before: the run goes on.
    resume: bool,
    files: Vec<Follower>,
    /// Games so far.
    games: u64,
    /// The file of the games, and where they come from.
    own: (PathBuf, String),
    /// Whether the files are noted as outputs of these games.
    is_noted: bool,
    /// Whether it was stopped before the files had the games that were there.
    is_stopped: bool,
}

/// One of them.
pub(super) struct Follower {
    pub(super) path: PathBuf,
    format: Format,
    encoder: GameEncoder,
    /// Nothing before the first game: then the games tell to whom it belongs.
    file: Option<OutputFile>,
    /// Games without any score, which a format that has one for each move leaves out.
    unscored: u64,
}

/// Whether a file of this format can grow with the games.
pub(super) fn grows(path: &Path, format: Format) -> bool {
    !matches!(format, Format::Columns) && !is_special(path)
}

impl<'a> Followers<'a> {
    /// Those of `files` that can grow.
    pub(super) fn of(
        kit: &'static dyn Kit,
        stop: &'a Interrupt,
        (files, resume): (&[(PathBuf, Format)], bool),
    ) -> Followers<'a> {
        let follower = |(path, format): &(PathBuf, Format)| {
            let encoder = GameEncoder::new(*format, kit.survey()).filter(|_| grows(path, *format))?;
            Some(Follower { path: path.clone(), format: *format, encoder, file: None, unscored: 0 })
        };
        let files = files.iter().filter_map(follower).collect();
        let own = (PathBuf::new(), String::new());
        Followers { kit, stop, resume, files, games: 0, own, is_noted: false, is_stopped: false }
    }

    /// Ends all files; they are whole now.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn finish(mut self) -> Result<Vec<Follower>, CircleError> {
        self.note()?;
        self.files.iter_mut().try_for_each(|file| file.open(self.resume))?;
        Ok(self.files)
    }

    /// Notes, before they are written, that the files will be of these games.
    fn note(&mut self) -> Result<(), CircleError> {
        if self.is_noted || self.files.is_empty() {
            return Ok(());
        }
        let (own, origin) = &self.own;
        let mut outputs = Outputs::read(own, &origin_of(self.kit, own).unwrap_or_else(|| origin.clone()));
        for file in &self.files {
            outputs.begin(own, &file.path).map_err(|e| CircleError::file(&file.path, e))?;
        }
        self.is_noted = true;
        Ok(())
    }
}

impl Follow for Followers<'_> {
    fn begin(
        &mut self,
        (own, format): (&Path, &dyn RecordFormat),
        resumed: bool,
        origin: &str,
    ) -> Result<(), CircleError> {
        self.own = (own.to_path_buf(), origin.to_string());
        if !resumed {
            return Ok(());
        }
        self.note()?;
        for file in &mut self.files {
            let input = open_input(own).map_err(|e| CircleError::file(own, e))?;
            self.games = 0;
            // Aside: what a killed run left stays usable until then.
            let mut aside = AtomicFile::create(&file.path).map_err(|e| CircleError::file(&file.path, e))?;
            for game in Records::new(format.reader(input)) {
                if self.stop.is_raised() {
                    self.is_stopped = true;
                    return Ok(());
                }
                let game = game.map_err(|error| CircleError::Record { path: own.display().to_string(), error })?;
                self.games += 1;
                let bytes = file.encode(self.kit, game, self.games)?;
                aside.write_all(&bytes).map_err(|e| CircleError::file(&file.path, e))?;
            }
            let grown = aside.commit().and_then(|()| open_output(&file.path, Existing::Append));
            file.file = Some(grown.map_err(|e| CircleError::file(&file.path, e))?);
        }
        Ok(())
    }

    fn add(&mut self, own: &dyn RecordFormat, game: &GameRecord<String>) -> Result<(), CircleError> {
        if self.files.is_empty() || self.is_stopped {
            return Ok(());
        }
        self.note()?;
        self.games += 1;
        // As the games' own file has it: a run that goes on reads it from there.
        let bytes = written(own, game).unwrap_or_default();
        let game = match own.reader(Box::new(Cursor::new(bytes))).read() {
            Ok(Some(game)) => game,
            _ => game.clone(),
        };
        for file in &mut self.files {
            let bytes = file.encode(self.kit, game.clone(), self.games)?;
            file.open(self.resume)?;
            if let Some(output) = &mut file.file {
                output.write_all(&bytes).and_then(|()| output.flush()).map_err(|e| CircleError::file(&file.path, e))?;
            }
        }
        Ok(())
    }
}

impl Follower {
    /// Opens an empty file where none is open yet; `replace`: in the place of one that is there.
    fn open(&mut self, replace: bool) -> Result<(), CircleError> {
        if self.file.is_some() {
            return Ok(());
        }
        let opened = match replace {
            true => AtomicFile::write(&self.path, &[]).and_then(|()| open_output(&self.path, Existing::Append)),
            false => open_log(&self.path),
        };
        self.file = Some(opened.map_err(|e| CircleError::file(&self.path, e))?);
        Ok(())
    }

    /// The bytes of a game.
    fn encode(&mut self, kit: &dyn Kit, mut game: GameRecord<String>, number: u64) -> Result<Vec<u8>, CircleError> {
        if matches!(self.format, Format::Games(format) if !format.tells_unvalued()) {
            if is_unscored(&game) {
                self.unscored += 1;
                return Ok(Vec::new());
            }
            game = behind_opening(kit, game)?;
        }
        let at = |fault: Fault| CircleError::Record {
            path: self.path.display().to_string(),
            error: RecordError::without_line(number, fault),
        };
        let bytes = self.encoder.encode(game, number).map_err(at)?;
        packing_of(&self.path)?.pack(bytes).map_err(|e| CircleError::file(&self.path, e))
    }

    /// What the file holds, in words.
    pub(super) fn holds(&self) -> String {
        let noun = if self.format.holds_games() { "games" } else { "positions" };
        let left = self.encoder.left().iter();
        let mut left: String = left.map(|(reason, count)| format!(", {count} left out ({reason})")).collect();
        if self.unscored > 0 {
            left += &format!(", {} left out (games without a score)", self.unscored);
        }
        format!("{} {noun}{left}", self.encoder.written())
    }
}
