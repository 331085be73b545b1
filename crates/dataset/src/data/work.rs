//! The files of a pass while it writes: its outputs aside and the journal beside them, taken for this process alone. What a stopped
//! pass left there is verified before it is gone on with, and files that no pass of ours made are left alone.

use super::sink::{Sink, is_stream};
use super::source::InputOffset;
use super::{DataError, Job, Output, Tally};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tesuji_jobs::{Existing, Identity, LineJournal, check_output};

/// A line of a journal.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Point {
    /// The place in the input from which reading goes on.
    pub(super) place: InputOffset,
    /// Records of the present file before it.
    pub(super) before: u64,
    /// Bytes written to each output.
    lengths: Vec<u64>,
    /// CRC-32 of these bytes.
    #[serde(default)]
    checksums: Vec<u32>,
    /// The records counted so far.
    pub(super) tally: Tally,
    /// Whether nothing is left but to give the outputs their names.
    #[serde(default)]
    whole: bool,
}

/// The first bytes of every journal of this program.
const BEGINNING: &str = "{\"words\":";

/// The first line of a journal: which work it is of.
#[derive(Serialize, Deserialize)]
struct Heading {
    /// [`Job::words`].
    words: String,
    /// The inputs as they were when the work began; `None` for pipes.
    inputs: Vec<Option<Identity>>,
    /// The outputs aside.
    #[serde(default)]
    asides: Vec<String>,
    /// The files that the outputs will replace, as they were when the work began.
    #[serde(default)]
    replaced: Vec<Option<Identity>>,
}

impl Heading {
    /// The heading of `job` with its inputs and outputs as they are now.
    fn of(job: &Job<'_>, outputs: &[Output]) -> Result<Heading, DataError> {
        let identity = |path: &Path| Identity::of(path).map_err(|e| DataError::of_file(path, e));
        let inputs = job.inputs.iter().map(|input| identity(&input.path)).collect::<Result<_, _>>()?;
        let asides = outputs.iter().map(|output| output.aside().display().to_string()).collect();
        let replaced = outputs.iter().map(|output| Identity::of(&output.path).ok().flatten()).collect();
        Ok(Heading { words: job.words.clone(), inputs, asides, replaced })
    }

    /// Whether it is the heading of this work and of these inputs. `path` is that of the journal.
    fn check(&self, job: &Job<'_>, path: &Path) -> Result<(), DataError> {
        if self.words != job.words || self.inputs.len() != job.inputs.len() {
            let message = "it belongs to other work; --force instead of --resume begins again";
            return Err(DataError::of_file(path, message));
        }
        for (input, was) in job.inputs.iter().zip(&self.inputs) {
            let is = Identity::of(&input.path).map_err(|e| DataError::of_file(&input.path, e))?;
            let differs = match (is, was) {
                (Some(is), Some(was)) => is.differs_from(was),
                _ => Some("what comes from a pipe cannot be read twice".to_string()),
            };
            if let Some(how) = differs {
                let words = format!(
                    "it is not the file that the stopped work began with ({how}): put that file back, or --force instead of --resume \
                     begins again"
                );
                return Err(DataError::of_file(&input.path, words));
            }
        }
        Ok(())
    }

    /// Whether a pass with this heading made the file `aside` of output number `index`.
    fn made(&self, aside: &Path, index: usize) -> bool {
        let name = aside.display().to_string();
        if self.asides.is_empty() { index == 0 } else { self.asides.contains(&name) }
    }
}

/// The path of the journal of a pass that writes `output`.
fn journal_path(output: &Output) -> PathBuf {
    let mut name = output.aside().into_os_string();
    name.push(".journal");
    name.into()
}

/// Whether a pass that writes `output` was stopped, so that there is something to go on with.
pub fn is_stopped(output: &Output) -> bool {
    !is_stream(&output.path) && is_journal(&journal_path(output)).unwrap_or(false)
}

/// Whether the file `path` is a journal of ours with a line in it.
fn is_journal(path: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    File::open(path)?.take(BEGINNING.len() as u64).read_to_end(&mut beginning)?;
    Ok(beginning == BEGINNING.as_bytes())
}

/// The error for a file that blocks one of ours and that no stopped work of ours made.
fn foreign(path: &Path) -> DataError {
    DataError::of_file(
        path,
        "this file is in the way, and no stopped work made it: move it, or give the output another name",
    )
}

/// Open outputs with their journal.
pub(super) struct Work {
    /// None for streams, with which nothing can go on.
    journal: Option<LineJournal>,
    path: PathBuf,
    sinks: Vec<Sink>,
    point: Point,
    is_write_failed: bool,
}

impl Work {
    /// Takes the files of a pass into `outputs`: those of a stopped one with [`Job::resume`], else new ones.
    ///
    /// # Errors
    /// When another process writes them; files in the way that no pass made; what was written and is another now; other work, other
    /// inputs; an output that is there and that the work did not begin with.
    pub(super) fn open(job: &Job<'_>, outputs: &[Output]) -> Result<Work, DataError> {
        let first = outputs.first().ok_or_else(|| DataError::other("there is nothing to write to"))?;
        let path = journal_path(first);
        let beginning = Point { lengths: vec![0; outputs.len()], ..Point::default() };
        let (mut work, is_new) = if outputs.iter().any(|o| is_stream(&o.path)) {
            (Work { journal: None, path, sinks: Vec::new(), point: beginning, is_write_failed: false }, true)
        } else {
            let is_there = fs::symlink_metadata(&path).is_ok();
            let (journal, point) = open_journal(job, outputs, &path).inspect_err(|_| {
                if !is_there && fs::metadata(&path).is_ok_and(|m| m.len() == 0) {
                    let _ = fs::remove_file(&path);
                }
            })?;
            let is_new = point.is_none();
            let point = point.unwrap_or(beginning);
            (Work { journal: Some(journal), path, sinks: Vec::new(), point, is_write_failed: false }, is_new)
        };
        for (i, output) in outputs.iter().enumerate() {
            let (keep, sum) = (work.point.lengths.get(i).copied().unwrap_or(0), work.point.checksums.get(i).copied());
            match Sink::open(output, keep, sum, work.point.whole) {
                Ok(sink) => work.sinks.push(sink),
                Err(error) => {
                    if is_new {
                        work.discard();
                    }
                    return Err(error);
                }
            }
        }
        Ok(work)
    }

    /// The names of the outputs.
    pub(super) fn names(&self) -> Vec<String> {
        self.sinks.iter().map(|sink| sink.path().display().to_string()).collect()
    }

    /// The point at which to go on.
    pub(super) fn point(&self) -> &Point {
        &self.point
    }

    /// Appends a piece to each output and notes how far the work is.
    pub(super) fn append<'a>(
        &mut self,
        pieces: impl IntoIterator<Item = &'a [u8]>,
        (place, before, tally): (InputOffset, u64, Tally),
    ) -> Result<(), DataError> {
        let written = self.write(pieces, Point { place, before, tally, ..Point::default() });
        self.is_write_failed = written.is_err();
        written
    }

    fn write<'a>(&mut self, pieces: impl IntoIterator<Item = &'a [u8]>, point: Point) -> Result<(), DataError> {
        for (piece, sink) in pieces.into_iter().zip(&mut self.sinks) {
            sink.append(piece)?;
        }
        let lengths = self.sinks.iter().map(Sink::length).collect();
        let checksums = self.sinks.iter().map(Sink::checksum).collect();
        self.note(Point { lengths, checksums, ..point })
    }

    /// Appends `point` to the journal.
    fn note(&mut self, point: Point) -> Result<(), DataError> {
        if let Some(journal) = &mut self.journal {
            let line = serde_json::to_string(&point).map_err(DataError::other)?;
            journal.append(&line).map_err(|e| DataError::of_io(&self.path, &e))?;
        }
        self.point = point;
        Ok(())
    }

    /// Whether something was written that can be gone on with.
    fn is_begun(&self) -> bool {
        self.journal.is_some() && self.point.place != InputOffset::default()
    }

    /// Ends work that failed with `error`. What was written is dropped, unless writing itself failed, as it does when the disk is full,
    /// or the work was resumed (`keep`) and nothing was wrong with a record.
    pub(super) fn fail(self, error: DataError, keep: bool) -> DataError {
        if !(self.is_write_failed || keep) || !self.is_begun() {
            self.discard();
            return error;
        }
        if self.is_write_failed { self.keep(error) } else { error }
    }

    /// Keeps what the journal knows of, and says so.
    fn keep(mut self, error: DataError) -> DataError {
        for (sink, length) in self.sinks.iter_mut().zip(&self.point.lengths) {
            sink.cut(*length);
        }
        let message = format!(
            "{}; what was written before is kept: the same words with --resume go on when there is room",
            error.message
        );
        DataError { message, ..error }
    }

    /// Gives the outputs their names when all is written, and drops the journal. A file that is there is not replaced by nothing.
    /// Killed in between, the same work with `resume` does the rest.
    pub(super) fn finish(mut self, about: &[(String, String)]) -> Result<(), DataError> {
        if let (0, Some(full)) = (self.point.tally.written, self.sinks.iter().find(|sink| sink.replaces())) {
            let error = DataError::of_file(full.path(), "there is nothing to write, and this file stays as it was");
            self.discard();
            return Err(error);
        }
        if let Err(error) = self.note(Point { whole: true, ..self.point.clone() }) {
            return Err(self.keep(error));
        }
        for index in 0..self.sinks.len() {
            if let Err(error) = self.sinks[index].finish(about) {
                let message =
                    format!("{}; all is written: the same words with --resume give it its name", error.message);
                return Err(DataError { message, ..error });
            }
        }
        if self.journal.is_some() {
            let _ = fs::remove_file(&self.path);
        }
        Ok(())
    }

    /// Leaves nothing but what was there before.
    fn discard(self) {
        self.sinks.into_iter().for_each(Sink::discard);
        // The last of all: what lies aside without a journal is not ours.
        if self.journal.is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The journal at `path` of a pass into `outputs`, and the point to go on from if there is one.
fn open_journal(job: &Job<'_>, outputs: &[Output], path: &Path) -> Result<(LineJournal, Option<Point>), DataError> {
    let fail = |e: io::Error| DataError::of_io(path, &e);
    if fs::metadata(path).is_ok_and(|m| m.len() > 0) && !is_journal(path).map_err(fail)? {
        return Err(foreign(path));
    }
    let Some((mut journal, lines)) = LineJournal::open_alone(path, false).map_err(fail)? else {
        return Err(busy(&outputs[0].path));
    };
    let was: Option<Heading> = lines.first().and_then(|line| serde_json::from_str(line).ok());
    for (i, aside) in outputs.iter().map(Output::aside).enumerate() {
        if fs::symlink_metadata(&aside).is_ok() && !was.as_ref().is_some_and(|was| was.made(&aside, i)) {
            return Err(foreign(&aside));
        }
    }
    match was.filter(|_| job.resume) {
        Some(was) => {
            was.check(job, path)?;
            let point = lines.iter().skip(1).next_back().map(|line| serde_json::from_str::<Point>(line));
            let point = point.transpose().map_err(|e| DataError::of_file(path, format!("a broken line: {e}")))?;
            // The last thing that it did may have been to give an output its name.
            if point.as_ref().is_none_or(|point| !point.whole) {
                check_replaced(outputs, &was.replaced)?;
            }
            Ok((journal, point))
        }
        None => {
            if job.resume {
                check_replaced(outputs, &[])?;
            }
            // The first line is the heading; a pass that was stopped before its first point wrote nothing.
            let is_begun = lines.len() > 1;
            if is_begun && check_output(path, Existing::Refuse).is_err() {
                let words = "stopped work lies there: --resume goes on with it, --force begins again";
                return Err(DataError::of_file(&outputs[0].path, words));
            }
            journal.clear().map_err(fail)?;
            let heading = serde_json::to_string(&Heading::of(job, outputs)?).map_err(DataError::other)?;
            journal.append(&heading).map_err(fail)?;
            Ok((journal, None))
        }
    }
}

/// Refuses `outputs` that are there and are not those that the work began with, to replace them.
fn check_replaced(outputs: &[Output], was: &[Option<Identity>]) -> Result<(), DataError> {
    for (i, output) in outputs.iter().enumerate() {
        let is = Identity::of(&output.path).ok().flatten();
        let is_known = is.is_some() && was.get(i).is_some_and(|was| *was == is);
        if !is_known && output.path.is_file() {
            check_output(&output.path, Existing::Refuse).map_err(|e| DataError::of_file(&output.path, e))?;
        }
    }
    Ok(())
}

/// The error for an `output` that another process is writing.
pub(super) fn busy(output: &Path) -> DataError {
    DataError::of_file(output, "another run is writing this file: wait until it has ended, or give another name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Format, Lens};
    use std::slice::from_ref;
    use tesuji_jobs::{Interrupt, Packing};

    fn with_job<T>(resume: bool, work: impl FnOnce(&Job<'_>) -> T) -> T {
        work(&Job {
            inputs: &[],
            keep_game: None,
            scale: 1,
            lens: Lens { survey: None, fill_score: None },
            jobs: 1,
            skip_errors: false,
            resume,
            words: "words".into(),
            about: Vec::new(),
            interrupt: &Interrupt::new(),
            tell: &|_| (),
            complain: &|_| (),
        })
    }

    fn output(path: &Path) -> Output {
        Output { path: path.to_path_buf(), format: Format::Columns, packing: Packing::Plain }
    }

    fn place(blocks: usize) -> (InputOffset, u64, Tally) {
        (InputOffset { blocks, ..InputOffset::default() }, 0, Tally { written: 1, ..Tally::default() })
    }

    #[track_caller]
    fn said(result: Result<Work, DataError>) -> String {
        result.err().expect("it is refused").to_string()
    }

    /// Two runs wrote one file at once, a mixture of both, and said that all was well.
    #[test]
    fn a_file_that_another_run_writes_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one.pgn", "two.pgn"].map(|name| output(&folder.path().join(name)));
        let first = with_job(false, |job| Work::open(job, &[one.clone(), two.clone()])).unwrap();
        for outputs in [vec![one.clone(), two.clone()], vec![one.clone()]] {
            for resume in [false, true] {
                let error = said(with_job(resume, |job| Work::open(job, &outputs)));
                assert!(
                    error.contains("one.pgn: another run is writing this file: wait until it has ended"),
                    "{error}"
                );
            }
        }
        // Its second file, as the first of another run.
        assert!(with_job(false, |job| Work::open(job, from_ref(&two))).is_err());
        assert!(two.aside().exists() && one.aside().exists());
        drop(first);
        assert!(with_job(true, |job| Work::open(job, &[one, two])).is_ok());
    }

    /// A person's own `out.pgn.part` was overwritten.
    #[test]
    fn files_that_no_work_made_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let out = output(&folder.path().join("out.pgn"));
        for path in [out.aside(), journal_path(&out)] {
            fs::write(&path, "precious").unwrap();
            for resume in [false, true] {
                let error = said(with_job(resume, |job| Work::open(job, from_ref(&out))));
                assert!(error.contains("this file is in the way, and no stopped work made it"), "{error}");
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
            fs::remove_file(&path).unwrap();
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
        }
    }

    /// Of what was written before a stop only the length was looked at.
    #[test]
    fn what_was_changed_after_the_stop_is_not_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let out = output(&folder.path().join("out.parquet"));
        let mut work = with_job(false, |job| Work::open(job, from_ref(&out))).unwrap();
        for blocks in 1..=3 {
            work.append([&[7; 1000][..]], place(blocks)).unwrap();
        }
        drop(work);
        let was = fs::read(out.aside()).unwrap();
        let mut other = was.clone();
        other[1500] ^= 1;
        fs::write(out.aside(), &other).unwrap();
        let error = said(with_job(true, |job| Work::open(job, from_ref(&out))));
        assert!(error.contains("out.parquet.part: it was changed since it was written"), "{error}");
        fs::write(out.aside(), &was).unwrap();
        let work = with_job(true, |job| Work::open(job, from_ref(&out))).unwrap();
        assert_eq!(work.point().place.blocks, 3);
    }

    /// Killed between the name of an output and the end of its journal, whatever had that name by then was taken for it.
    #[test]
    fn an_output_with_its_name_is_known_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let out = Output { format: Format::Games(&tesuji_chess::pgn::Pgn), ..output(&folder.path().join("out.txt")) };
        let mut work = with_job(false, |job| Work::open(job, from_ref(&out))).unwrap();
        work.append([&[7; 1000][..]], place(1)).unwrap();
        work.note(Point { whole: true, ..work.point.clone() }).unwrap();
        drop(work);
        fs::rename(out.aside(), &out.path).unwrap();
        assert!(with_job(true, |job| Work::open(job, from_ref(&out))).is_ok());
        for other in [vec![8; 1000], vec![7; 1001], vec![7; 999]] {
            fs::write(&out.path, &other).unwrap();
            let error = said(with_job(true, |job| Work::open(job, from_ref(&out))));
            assert!(error.contains("out.txt: it ") && error.contains("--force instead of --resume"), "{error}");
            assert_eq!(fs::read(&out.path).unwrap(), other);
        }
    }

    /// `--resume` without stopped work replaced what was there, without `--force`.
    #[test]
    fn nothing_to_resume_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let out = output(&folder.path().join("out.parquet"));
        fs::write(&out.path, "precious").unwrap();
        let refused = |what: &str| {
            let error = said(with_job(true, |job| Work::open(job, from_ref(&out))));
            assert!(error.contains("out.parquet: this file exists; --force replaces it"), "{what}: {error}");
        };
        refused("no stopped work");
        fs::remove_file(&out.path).unwrap();
        let mut work = with_job(false, |job| Work::open(job, from_ref(&out))).unwrap();
        work.append([&[7; 10][..]], place(1)).unwrap();
        drop(work);
        fs::write(&out.path, "precious").unwrap();
        refused("it came after the stop");
    }

    /// A full disk threw hours of work away.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_keeps_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let out = output(&folder.path().join("out.parquet"));
        let mut work = with_job(false, |job| Work::open(job, from_ref(&out))).unwrap();
        work.append([&[7; 1000][..]], place(1)).unwrap();
        work.sinks[0].fill_disk();
        let error = work.append([&[8; 1000][..]], place(2)).unwrap_err();
        let error = work.fail(error, false).to_string();
        assert!(error.contains("out.parquet: the disk is full; what was written before is kept"), "{error}");
        assert!(error.contains("the same words with --resume go on"), "{error}");
        let work = with_job(true, |job| Work::open(job, from_ref(&out))).unwrap();
        assert_eq!((work.point().place.blocks, fs::metadata(out.aside()).unwrap().len()), (1, 1008));
    }
}
