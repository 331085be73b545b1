//! What all the subcommands of `tesuji data` share: their files, their threads, their progress, their last words.

use crate::{games, version};
use anyhow::{Context, bail};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tesuji_dataset::data::{DataError, Format, Input, Job, Lens, Output, Tally, is_stopped};
use tesuji_jobs::{
    Existing, Interrupt, Progress, Show, archive_names, check_output, duration_text, is_same_file, threads,
    was_stdout_closed,
};
use tesuji_record::AnyGame;

/// The game of files whose names say nothing else.
const GAME: &str = "chess";

/// What is read, and how.
#[derive(clap::Args)]
pub(super) struct Reading {
    /// The game [default: the one that has the format of the first file, chess before others]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The format of what is read, whatever the names say
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Go on behind broken records, and name them
    #[arg(long)]
    skip_errors: bool,
    /// Threads (0: one for each core); the result is the same for any number
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl Reading {
    /// The game's name: as given, else of the game that has the format of `files`. Names that many games use, such as `.txt` and
    /// `.parquet`, are those of the first of them.
    fn game(&self, files: &[PathBuf]) -> &str {
        if let Some(game) = &self.game {
            return game;
        }
        let Some(first) = self.from.clone().or_else(|| files.first().map(|path| file_name(path))) else { return GAME };
        let knows =
            |name: &str, file: &str| games::kit(name).is_ok_and(|kit| Format::find(kit, kit.survey(), file).is_ok());
        let of = |file: &str| [GAME].into_iter().chain(games::names()).find(|name| knows(name, file));
        let within = || files.first().and_then(|path| of(&name_within(path)?));
        of(&first).or_else(within).unwrap_or(GAME)
    }
}

/// What is written, and how.
#[derive(clap::Args)]
pub(super) struct Writing {
    /// The format of what is written, whatever the name says
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// Positions without a score get this one, in centipawns; without it formats that need a score leave them out
    #[arg(long, value_name = "CP", allow_negative_numbers = true, value_parser = clap::value_parser!(i16).range(-32_000..=32_000))]
    fill_score: Option<i16>,
    /// Write in a format that cannot hold all that each position tells; what games lose is counted without it
    #[arg(long)]
    lossy: bool,
    /// Print what was done as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// How much memory may be used.
#[derive(clap::Args)]
pub(super) struct Memory {
    /// Use at most this many MiB, 80 and 60 more for each job at least; what does not fit goes to the disk
    #[arg(long, default_value_t = 1024, value_name = "MIB")]
    memory: usize,
    /// The folder for that (default: that of the output)
    #[arg(long, value_name = "FOLDER")]
    temp: Option<PathBuf>,
}

impl Memory {
    /// Bytes.
    pub(super) fn bytes(&self) -> usize {
        self.memory << 20
    }

    /// The folder for what does not fit, beside `output` unless another was asked for.
    pub(super) fn folder(&self, output: Option<&Path>) -> PathBuf {
        let beside = output.filter(|o| *o != Path::new("-")).and_then(Path::parent);
        let beside = beside.map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p }.to_path_buf());
        self.temp.clone().or(beside).unwrap_or_else(std::env::temp_dir)
    }
}

/// The inputs before the last of `files`, which is the output.
pub(super) fn last_is_output(files: &[PathBuf]) -> anyhow::Result<(&[PathBuf], &Path)> {
    match files.split_last() {
        Some((output, inputs)) if !inputs.is_empty() => Ok((inputs, output)),
        _ => bail!("expected the files to read and, last, the file to write"),
    }
}

/// Work on data that is ready to begin.
pub(super) struct Task {
    game: &'static dyn AnyGame,
    pub(super) inputs: Vec<Input>,
    pub(super) lens: Lens,
    jobs: usize,
    skip_errors: bool,
    quiet: bool,
    resume: bool,
    scale: usize,
    words: Vec<String>,
    outputs: Vec<Output>,
    interrupt: Interrupt,
    progress: Progress,
    began: Instant,
}

impl Task {
    /// Work called `what` on `inputs`.
    pub(super) fn new(what: &str, reading: &Reading, inputs: &[PathBuf]) -> anyhow::Result<Task> {
        let kit = games::kit(reading.game(inputs))?;
        let lens = Lens { survey: kit.survey(), fill_score: None };
        let game: &'static dyn AnyGame = kit;
        let mut read = Vec::new();
        for path in inputs {
            let name = match &reading.from {
                Some(name) => name.clone(),
                None if path == Path::new("-") => bail!("--from FORMAT says what comes from stdin"),
                None => file_name(path),
            };
            let found = Format::find(game, lens.survey, &name);
            // A name such as `b.zip` says nothing: what is in the archive does.
            let format = found.or_else(|error| match name_within(path).filter(|_| reading.from.is_none()) {
                Some(inner) => Format::find(game, lens.survey, &inner),
                None => Err(error),
            })?;
            read.push(Input { path: path.clone(), format });
        }
        let unit = if read.iter().all(|i| i.format.holds_games()) { "games" } else { "positions" };
        let show = if reading.quiet { Show::Quiet } else { Show::Auto };
        Ok(Task {
            game,
            inputs: read,
            lens,
            jobs: threads(reading.jobs),
            skip_errors: reading.skip_errors,
            quiet: reading.quiet,
            resume: false,
            scale: 1,
            words: vec![what.to_string()],
            outputs: Vec::new(),
            interrupt: Interrupt::of_process(),
            progress: Progress::start(what, unit, None, show),
            began: Instant::now(),
        })
    }

    /// The output `path`, as `writing` wants it.
    pub(super) fn output(&mut self, path: &Path, writing: &Writing) -> anyhow::Result<Output> {
        self.lens.fill_score = writing.fill_score;
        let name = match &writing.to {
            Some(name) => name.clone(),
            None if path == Path::new("-") => bail!("--to FORMAT says what goes to stdout"),
            None => file_name(path),
        };
        let format = Format::find(self.game, self.lens.survey, &name)?;
        self.check_apart(path)?;
        for input in &self.inputs {
            let lost = input.format.loses(format);
            if !lost.is_empty() && !writing.lossy {
                let (from, to, lost) = (input.format.name(), format.name(), lost.join(", "));
                bail!("{}: {to} cannot hold what {from} tells: {lost}; --lossy writes without", input.path.display());
            }
        }
        let games = self.inputs.iter().any(|i| i.format.holds_games() != format.holds_games());
        if games && self.lens.survey.is_none() {
            bail!("{}: games of {} do not become positions yet, nor positions games", path.display(), self.game.name());
        }
        let output = Output::new(path, format)?;
        self.outputs.push(output.clone());
        self.words.push(format!("{}={}", path.display(), format.name()));
        Ok(output)
    }

    /// Checks that writing `path` touches no input and no other output, whatever their names are.
    fn check_apart(&self, path: &Path) -> anyhow::Result<()> {
        if path == Path::new("-") {
            if was_stdout_closed() {
                bail!("stdout is closed: nobody would get what is written; name a file");
            }
            return Ok(());
        }
        if self.inputs.iter().any(|input| is_same_file(&input.path, path)) {
            bail!("{} is read and written: name another output", path.display());
        }
        if let Some(other) = self.outputs.iter().find(|other| is_same_file(&other.path, path)) {
            bail!("{} and {} are one file: name two", other.path.display(), path.display());
        }
        Ok(())
    }

    /// The name of the game.
    pub(super) fn game(&self) -> &'static str {
        self.game.name()
    }

    /// The formats of the game.
    pub(super) fn formats(&self) -> Vec<Format> {
        Format::all(self.game, self.lens.survey)
    }

    /// Something else that makes this work this one: a resumed one must say the same.
    pub(super) fn word(&mut self, word: String) {
        self.words.push(word);
    }

    /// Go on where the same work stopped.
    pub(super) fn resume(&mut self, resume: bool) {
        self.resume = resume;
    }

    /// Takes blocks this much smaller: each record is long work.
    pub(super) fn scale(&mut self, scale: usize) {
        self.scale = scale;
    }

    /// Does the work.
    pub(super) fn run<T>(&self, work: impl FnOnce(&Job<'_>) -> Result<T, DataError>) -> anyhow::Result<T> {
        // Work that goes on knows itself what it may replace: it may have given the file its name already.
        let is_resumed = self.resume && self.outputs.first().is_some_and(is_stopped);
        let existing = if is_resumed { Existing::Replace } else { Existing::Refuse };
        let paths = self.outputs.iter().map(|output| &output.path).filter(|path| *path != Path::new("-"));
        for path in paths {
            if let Err(error) = check_output(path, existing) {
                let is_there = self.resume && error.kind() == ErrorKind::AlreadyExists;
                let more = if is_there { "; there is no stopped work to go on with" } else { "" };
                bail!("{error}{more}");
            }
        }
        let describe = |input: &Input| format!("{}={}", input.path.display(), input.format.name());
        let fill = self.lens.fill_score.map(|s| format!("fill {s}"));
        let words: Vec<String> =
            self.words.iter().cloned().chain(self.inputs.iter().map(describe)).chain(fill).collect();
        let names: Vec<String> = self.inputs.iter().map(|i| file_name(&i.path)).collect();
        let about = [
            ("tesuji.version", version::short().to_string()),
            ("tesuji.game", self.game.name().to_string()),
            ("tesuji.inputs", names.join(", ")),
        ];
        let tell = |tally: &Tally| self.tell(tally);
        let complain = |error: &DataError| {
            if !self.quiet {
                eprintln!("{error}");
            }
        };
        let job = Job {
            inputs: &self.inputs,
            keep_game: None,
            scale: self.scale,
            lens: self.lens,
            jobs: self.jobs,
            skip_errors: self.skip_errors,
            resume: self.resume,
            words: serde_json::to_string(&words)?,
            about: about.map(|(k, v)| (k.to_string(), v)).to_vec(),
            interrupt: &self.interrupt,
            tell: &tell,
            complain: &complain,
        };
        let result = work(&job);
        self.progress.finish();
        tesuji_kit::SkipErrors { wanted: self.skip_errors }.hinted(result.map_err(anyhow::Error::from))
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

    /// Says what was done, and how the process ends.
    pub(super) fn end(&self, tally: &Tally, output: &Path, json: bool) -> anyhow::Result<ExitCode> {
        let text = if json {
            serde_json::to_string(tally).context("writing JSON")? + "\n"
        } else {
            self.last_words(tally, output)
        };
        if output == Path::new("-") {
            eprint!("{text}")
        } else {
            print!("{text}")
        }
        if tally.stopped {
            return Ok(ExitCode::from(4));
        }
        // Files that hold nothing of what was read are no success.
        let lost = tally.written == 0 && tally.records > 0 && !tally.left.is_empty();
        Ok(ExitCode::from(u8::from(lost)))
    }

    fn last_words(&self, tally: &Tally, output: &Path) -> String {
        let spent = self.began.elapsed();
        let rate = tally.records as f64 / spent.as_secs_f64().max(1e-3);
        let (read, unit) = (grouped(tally.records), self.unit());
        let mut text = format!("{read} {unit} read, {} records written", grouped(tally.written));
        text += &format!(" in {} ({} {unit}/s)\n", duration_text(spent), grouped(rate as u64));
        for (kind, n) in &tally.found {
            text += &format!("found: {} {kind}\n", grouped(*n));
        }
        for (part, n) in &tally.lost {
            text += &format!("left out: {part} of {} games\n", grouped(*n));
        }
        for (label, n) in &tally.untold {
            text += &format!("lost: {label} of {} positions (the format has none)\n", grouped(*n));
        }
        for (reason, n) in &tally.left {
            text += &format!("left out: {} {reason}\n", grouped(*n));
        }
        if tally.errors > 0 {
            text += &format!("skipped: {} broken records\n", grouped(tally.errors));
        }
        if tally.left.keys().any(|k| k.contains("without a score")) && self.lens.fill_score.is_none() {
            text += "--fill-score CP gives positions without a score one\n";
        }
        if tally.stopped {
            text += &format!("stopped; {} is not there yet: the same words with --resume go on\n", output.display());
        }
        text
    }

    /// What is counted.
    pub(super) fn unit(&self) -> &'static str {
        if self.inputs.iter().all(|i| i.format.holds_games()) { "games" } else { "positions" }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}

/// The name of the first file in the archive `path`; `None` for what is no archive.
fn name_within(path: &Path) -> Option<String> {
    archive_names(path).ok()?.into_iter().next()
}

/// A number with its thousands apart.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Reads `A..B`, `A..` and `..B`, both ends included.
pub(super) fn range(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("{text:?}: expected A..B, A.. or ..B");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str, otherwise: u32| {
        if text.is_empty() { Ok(otherwise) } else { text.parse().map_err(|_| wrong()) }
    };
    let (from, to) = (number(from, 0)?, number(to, u32::MAX)?);
    if from <= to { Ok((from, to)) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `.psv` asked for `--game shogi`, although no other game has such files.
    #[test]
    fn the_format_tells_the_game() {
        #[track_caller]
        fn check(from: Option<&str>, game: Option<&str>, file: &str, expect: &str) {
            let [from, game] = [from, game].map(|text| text.map(String::from));
            let reading = Reading { game, from, skip_errors: false, jobs: 1, quiet: true };
            assert_eq!(reading.game(&[PathBuf::from(file)]), expect, "{file}");
        }
        check(None, None, "a/teacher.psv", "shogi");
        check(None, None, "games.sgf.xz", "go");
        check(None, None, "games.kif", "shogi");
        check(Some("hcpe"), None, "-", "shogi");
        check(None, Some("go"), "games.psv", "go");
        for chess in ["games.pgn.zst", "positions.txt", "rows.parquet", "what.is.this", "-"] {
            check(None, None, chess, "chess");
        }
    }

    #[test]
    fn numbers_and_ranges_are_for_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(range("3..7"), Ok((3, 7)));
        assert_eq!((range("..7"), range("3..")), (Ok((0, 7)), Ok((3, u32::MAX))));
        assert!(["", "3", "7..3", "a..b"].iter().all(|t| range(t).is_err()));
    }
}
