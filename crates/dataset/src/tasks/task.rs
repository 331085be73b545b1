//! Work on data that is ready to begin: its files with their formats, its threads, what makes it the same work again.

use super::{DataGame, DataRequest, DataRun, DataWritten, Writing, done};
use crate::data::{DataError, Format, Input, Job, Lens, Output, Tally, file_name, inputs_of, is_stopped};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tesuji_jobs::{
    Existing, Interrupt, Progress, RequestError, check_output, counted, is_same_file, threads, was_stdout_closed,
};
use tesuji_record::AnyGame;

/// Added to the error for an output that exists when work is to be resumed and has no journal. Outputs get their names when they
/// are whole, and a process that is killed right after that leaves no journal.
const NOTHING_STOPPED: &str =
    "; there is no stopped work to go on with: where this command wrote the file, the work is done and the file whole";

/// The hint at the end of errors of broken records.
pub const SKIP_HINT: &str = "--skip-errors leaves broken records out";

/// The unit of the records that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataUnit {
    /// Whole games.
    Games,
    /// Positions.
    Positions,
}

impl DataUnit {
    /// The noun, in the plural.
    pub fn noun(self) -> &'static str {
        match self {
            DataUnit::Games => "games",
            DataUnit::Positions => "positions",
        }
    }
}

/// Work on data that is ready to begin.
pub(super) struct Task<'a> {
    game: &'static dyn AnyGame,
    pub(super) inputs: Vec<Input>,
    pub(super) lens: Lens,
    jobs: usize,
    skip_errors: bool,
    resume: bool,
    scale: usize,
    words: Vec<String>,
    outputs: Vec<Output>,
    made_by: &'a str,
    interrupt: &'a Interrupt,
    complain: &'a (dyn Fn(&DataError) + Sync),
    /// The unit of the records that are counted.
    pub(super) unit: DataUnit,
    progress: Progress,
    /// Positions that were searched by this process.
    searched: AtomicU64,
    began: Instant,
}

impl<'a> Task<'a> {
    /// The work of a request.
    pub(super) fn new(request: &DataRequest, game: &dyn DataGame, run: &DataRun<'a>) -> Result<Task<'a>, RequestError> {
        let lens = Lens { survey: game.survey(), fill_score: None };
        let game = game.records();
        if request.from.is_none() && request.inputs.iter().any(|path| path == Path::new("-")) {
            return Err(RequestError::field("from", "FORMAT says what comes from stdin"));
        }
        let inputs = inputs_of(&request.inputs, request.from.as_deref(), game, lens.survey)?;
        let what = request.task.name();
        let unit = unit_of(&inputs);
        Ok(Task {
            game,
            inputs,
            lens,
            jobs: threads(request.jobs),
            skip_errors: request.skip_errors,
            resume: request.task.writing().is_some_and(|writing| writing.resume),
            scale: 1,
            words: vec![what.to_string()],
            outputs: Vec::new(),
            made_by: run.made_by,
            interrupt: run.interrupt,
            complain: run.complain,
            unit,
            progress: Progress::start(what, unit.noun(), None, run.show),
            searched: AtomicU64::new(0),
            began: Instant::now(),
        })
    }

    /// The output `path`, as `writing` wants it.
    pub(super) fn output(&mut self, path: &Path, writing: &Writing) -> Result<Output, RequestError> {
        self.lens.fill_score = writing.fill_score;
        let name = match &writing.to {
            Some(name) => name.clone(),
            None if path == Path::new("-") => {
                return Err(RequestError::field("to", "FORMAT says what goes to stdout"));
            }
            None => file_name(path),
        };
        let format = Format::find(self.game, self.lens.survey, &name)?;
        self.check_apart(path)?;
        for input in &self.inputs {
            let lost = input.format.loses(format);
            if !lost.is_empty() && !writing.lossy {
                let (from, to, lost) = (input.format.name(), format.name(), lost.join(", "));
                let file = input.path.display();
                return Err(RequestError::failed(format_args!(
                    "{file}: {to} cannot hold what {from} tells: {lost}; --lossy writes without"
                )));
            }
        }
        let games = self.inputs.iter().any(|i| i.format.holds_games() != format.holds_games());
        if games && self.lens.survey.is_none() {
            let (file, game) = (path.display(), self.game.name());
            return Err(RequestError::failed(format_args!(
                "{file}: games of {game} do not become positions yet, nor positions games"
            )));
        }
        let output = Output::new(path, format)?;
        self.outputs.push(output.clone());
        self.words.push(format!("{}={}", path.display(), format.name()));
        Ok(output)
    }

    /// Checks that writing `path` touches no input and no other output, whatever their names are.
    fn check_apart(&self, path: &Path) -> Result<(), RequestError> {
        if path == Path::new("-") {
            return match was_stdout_closed() {
                false => Ok(()),
                true => Err(RequestError::failed("stdout is closed: nobody would get what is written; name a file")),
            };
        }
        if self.inputs.iter().any(|input| is_same_file(&input.path, path)) {
            let file = path.display();
            return Err(RequestError::failed(format_args!("{file} is read and written: name another output")));
        }
        if let Some(other) = self.outputs.iter().find(|other| is_same_file(&other.path, path)) {
            let (one, two) = (other.path.display(), path.display());
            return Err(RequestError::failed(format_args!("{one} and {two} are one file: name two")));
        }
        Ok(())
    }

    /// Something else that makes this work this one: a resumed one must say the same.
    pub(super) fn word(&mut self, word: String) {
        self.words.push(word);
    }

    /// Takes blocks this much smaller: each record is long work.
    pub(super) fn scale(&mut self, scale: usize) {
        self.scale = scale;
    }

    /// The text that identifies this work: its settings, inputs and fill score.
    fn words(&self) -> Result<String, RequestError> {
        let describe = |input: &Input| format!("{}={}", input.path.display(), input.format.name());
        let fill = self.lens.fill_score.map(|s| format!("fill {s}"));
        let words: Vec<String> =
            self.words.iter().cloned().chain(self.inputs.iter().map(describe)).chain(fill).collect();
        Ok(serde_json::to_string(&words)?)
    }

    /// Does work that writes the outputs, the first of which is `output`. Work that goes on and is found done is left as it is.
    pub(super) fn write(
        &self,
        output: &Path,
        work: impl FnOnce(&Job<'_>) -> Result<Tally, DataError>,
    ) -> Result<DataWritten, RequestError> {
        let words = self.words()?;
        let inputs: Vec<&Path> = self.inputs.iter().map(|input| &*input.path).collect();
        let outputs: Vec<&Path> = self.outputs.iter().map(|output| &*output.path).collect();
        if self.resume
            && !self.outputs.first().is_some_and(is_stopped)
            && let Some(tally) = done::find(&words, &inputs, &outputs)
        {
            self.progress.finish();
            return Ok(DataWritten { was_done: true, ..self.written(tally, output) });
        }
        let tally = self.run(work)?;
        if !tally.stopped {
            done::note(&words, &inputs, &outputs, &tally);
        }
        Ok(self.written(tally, output))
    }

    /// Does the work.
    pub(super) fn run<T>(&self, work: impl FnOnce(&Job<'_>) -> Result<T, DataError>) -> Result<T, RequestError> {
        self.check_outputs()?;
        let names: Vec<String> = self.inputs.iter().map(|i| file_name(&i.path)).collect();
        let about = [
            ("tesuji.version", self.made_by.to_string()),
            ("tesuji.game", self.game.name().to_string()),
            ("tesuji.inputs", names.join(", ")),
        ];
        let tell = |tally: &Tally| self.tell(tally);
        let job = Job {
            inputs: &self.inputs,
            keep_game: None,
            scale: self.scale,
            lens: self.lens,
            jobs: self.jobs,
            skip_errors: self.skip_errors,
            resume: self.resume,
            words: self.words()?,
            about: about.map(|(k, v)| (k.to_string(), v)).to_vec(),
            interrupt: self.interrupt,
            tell: &tell,
            complain: self.complain,
        };
        let result = work(&job);
        self.progress.finish();
        result.map_err(|error| match !self.skip_errors && error.record > 0 {
            true => RequestError::failed(format_args!("{error}; {SKIP_HINT}")),
            false => error.into(),
        })
    }

    /// Checks that all outputs may be written.
    fn check_outputs(&self) -> Result<(), RequestError> {
        // Work that goes on knows itself what it may replace: it may have given the file its name already.
        let is_resumed = self.resume && self.outputs.first().is_some_and(is_stopped);
        let existing = if is_resumed { Existing::Replace } else { Existing::Refuse };
        let paths = self.outputs.iter().map(|output| &output.path).filter(|path| *path != Path::new("-"));
        for path in paths {
            if let Err(error) = check_output(path, existing) {
                let is_there = self.resume && error.kind() == ErrorKind::AlreadyExists;
                let more = if is_there { NOTHING_STOPPED } else { "" };
                return Err(RequestError::failed(format_args!("{error}{more}")));
            }
        }
        Ok(())
    }

    /// `samples` more were searched, in blocks that may not be done yet.
    pub(super) fn searched(&self, samples: usize) {
        let all = self.searched.fetch_add(samples as u64, Relaxed) + samples as u64;
        self.progress.note(&format!("{} searched", counted(all, "position")));
    }

    fn tell(&self, tally: &Tally) {
        self.progress.set(tally.records);
        let (read, all) = tally.bytes;
        let spent = self.began.elapsed().as_secs_f64();
        if read > 0 && all > read && spent > 0.5 {
            let left = Duration::from_secs_f64(spent * (all - read) as f64 / read as f64);
            self.progress.left(Some((left, left)));
        }
    }

    /// See [`DataWritten::ending_for_many`].
    fn ending_for_many(&self) -> Option<&'static str> {
        let is_of_one = |output: &Output| match output.format {
            Format::Games(format) => format.is_of_one_game(),
            Format::Samples(_) | Format::Columns => false,
        };
        self.outputs.first().filter(|output| is_of_one(output) && output.path != Path::new("-"))?;
        let many = self.game.formats().iter().find(|format| !format.is_of_one_game())?;
        many.extensions().first().copied()
    }

    /// The report of the finished work.
    fn written(&self, tally: Tally, output: &Path) -> DataWritten {
        DataWritten {
            output: output.to_path_buf(),
            tally,
            unit: self.unit,
            fill_score: self.lens.fill_score,
            clipped: 0,
            spent: self.began.elapsed(),
            ending_for_many: self.ending_for_many(),
            was_done: false,
        }
    }
}

/// The unit of the records of `inputs`: games only if all files hold games.
fn unit_of(inputs: &[Input]) -> DataUnit {
    match inputs.iter().all(|input| input.format.holds_games()) {
        true => DataUnit::Games,
        false => DataUnit::Positions,
    }
}
