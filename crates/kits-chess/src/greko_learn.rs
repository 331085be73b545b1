//! GreKo's way from games to weights, with its files and lines.

use super::{greko::GrekoSet, greko_log::GrekoLog, lessons::ChessTaught};
use anyhow::{Context, bail};
use std::{
    fs,
    io::{BufRead, Write},
    ops::{ControlFlow, RangeInclusive},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use tesuji_chess::{Board, Rules, UciNotation, fen, labelled, labelled::Labelled};
use tesuji_chess_eval::{GREKO_SET, GREKO_TERMS, GrekoEval, parse_greko, print_greko};
use tesuji_dataset::{Filter, Head, Rows};
use tesuji_game::Notation;
use tesuji_jobs::{AtomicFile, Existing, Interrupt, OutputFile, open_input, open_output, read_text_bounded, threads};
use tesuji_kit::{
    Kit, SkipErrors, open_records,
    tuning::{Pupil, WeightSet, walk},
};
use tesuji_record::{RecordReader, Sample, SampleFormat};
use tesuji_tally::{Row, Weights};
use tesuji_tune::{Canon, Comparison, Event, Kept, Method, Trained, TuneError, TuneSettings, learn_with};

/// Cycles through all weights at most.
const CYCLES: u32 = 1_000;
/// The file of the weights.
const WEIGHTS: &str = "weights.txt";
/// The best weights so far are saved this often at most, and at the end.
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// Gets each line that a person is to see.
type Tell<'a> = &'a mut (dyn FnMut(&str) + Send);

/// A request to learn GreKo's weights: files, weights and settings.
#[derive(Debug, Clone, PartialEq)]
pub struct GrekoLearning {
    /// The folder of all files.
    pub folder: PathBuf,
    /// The file of games in it; its positions go beside it, as `.fen`.
    pub games: PathBuf,
    /// The weights that learn, from 1.
    pub weights: RangeInclusive<usize>,
    /// Whether broken games are left out.
    pub skip: SkipErrors,
    /// A board this many plies before the end counts 1/e of the last one; 0: all count the same.
    pub lambda_plies: f64,
    /// Centipawns that multiply the odds by e.
    pub k: f64,
    /// Decides the split.
    pub seed: u64,
    /// Threads; 0: one for each core.
    pub jobs: usize,
}

impl GrekoLearning {
    /// The weights that learn where none are named: all but those of material.
    pub const USUAL: RangeInclusive<usize> = 6..=GREKO_TERMS;
    /// The number of weights.
    pub const WEIGHTS: usize = GREKO_TERMS;
}

/// Learns `weights.txt` of a folder from games, one weight after the other; `tell` gets what GreKo prints.
///
/// # Errors
/// When games or positions cannot be read, or a file cannot be written.
pub fn learn_as_greko(request: &GrekoLearning, tell: Tell<'_>) -> anyhow::Result<()> {
    let (games, skip) = (request.folder.join(&request.games), request.skip);
    let positions = games.with_extension("fen");
    match newer(&games, &positions)? {
        None => extract_told(&games, &positions, skip, tell)?,
        Some(false) => tell(&format!(
            "Using the positions in '{}', which were extracted before",
            positions.file_name().unwrap_or_default().display()
        )),
        Some(true) => {
            let old = keep_old(&positions)?;
            tell(&format!("The games are newer than their positions, which are now in '{}'", old.display()));
            extract_told(&games, &positions, skip, tell)?;
        }
    }
    tell("Loading positions...");
    let rows = load(&positions)?;
    let frozen = (0..GREKO_TERMS).filter(|i| !request.weights.contains(&(i + 1))).collect();
    optimize(request, &rows, frozen, tell)
}

/// Extracts the positions of `games` and tells how many games there are.
fn extract_told(games: &Path, positions: &Path, skip: SkipErrors, tell: Tell<'_>) -> anyhow::Result<()> {
    let count = skip.hinted(extract(games, positions, skip, tell))?;
    tell(&format!("Games: {count}"));
    Ok(())
}

/// Whether the games changed after their positions were extracted; `None` where there are no positions.
fn newer(games: &Path, positions: &Path) -> anyhow::Result<Option<bool>> {
    let Ok(extracted) = fs::metadata(positions) else { return Ok(None) };
    let Ok(games) = fs::metadata(games) else { return Ok(Some(false)) };
    Ok(Some(games.modified()? > extracted.modified()?))
}

/// Gives the positions a name that no file has, and returns it: those kept before may be somebody's own.
fn keep_old(positions: &Path) -> anyhow::Result<PathBuf> {
    let named = |number: u32| {
        let mut name = positions.file_name().unwrap_or_default().to_owned();
        name.push(".old");
        if number > 1 {
            name.push(number.to_string());
        }
        PathBuf::from(name)
    };
    let is_free = |name: &PathBuf| !positions.with_file_name(name).exists();
    let name = (1..).map(named).find(is_free).unwrap_or_default();
    fs::rename(positions, positions.with_file_name(&name)).with_context(|| positions.display().to_string())?;
    Ok(name)
}

/// Writes the positions of `games` that are not in check and not after a capture, with result and plies left. Returns the
/// number of games with a result.
fn extract(games: &Path, positions: &Path, skip: SkipErrors, tell: Tell<'_>) -> anyhow::Result<u64> {
    let kit: &dyn Kit = &super::CHESS;
    let mut reader: Box<dyn RecordReader> = skip.reader(games, open_records(kit, games)?);
    let filter = Filter { skip: 0, drop_after_checks: false, ..Filter::default() };
    tell(&format!("Creating file '{}'", positions.file_name().unwrap_or_default().display()));
    let mut out = open_output(positions, Existing::Refuse)?;
    let (mut found, mut number, mut lines, mut is_empty) = (0, 0, Vec::new(), true);
    while let Some(game) = reader.read().with_context(|| games.display().to_string())? {
        number += 1;
        if game.outcome.is_none() {
            continue;
        }
        found += 1;
        lines.clear();
        let mut fault = None;
        let parse = |board: &Board, text: &String| UciNotation::parse_move(board, text);
        let walked = walk::<ChessTaught, _>(&game, 0, parse, |board, seen, head| {
            let left = head().boards_left;
            if filter.keeps(seen) && left > 0 {
                let position = fen::to_string(board);
                let points = Some(head().half_points);
                let sample =
                    Sample { position, half_points: points, plies_left: Some(left.into()), ..Sample::default() };
                fault = fault.take().or(Labelled::GREKO.write(&sample, &mut lines).err());
            }
        });
        walked.with_context(|| format!("{}: game {number}", games.display()))?;
        if let Some(fault) = fault {
            bail!("{}: game {number}: {fault}", games.display());
        }
        is_empty &= lines.is_empty();
        out.write_all(&lines)?;
    }
    if is_empty {
        bail!("{}: {found} of {number} games have a result, and none has a position to learn from", games.display());
    }
    out.commit()?;
    Ok(found)
}

/// Reads the positions back. A game ends where the plies left do not fall.
fn load(positions: &Path) -> anyhow::Result<Rows> {
    let (mut rows, mut row) = (Rows::default(), Row::new(GREKO_TERMS));
    let (mut game, mut last) = (0u32, 0u32);
    for (index, line) in open_input(positions)?.lines().enumerate() {
        let place = || format!("{}, line {}", positions.display(), index + 1);
        let line = line.with_context(place)?;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let sample = labelled::parse(line.trim()).map_err(|fault| anyhow::anyhow!("{}: {fault}", place()))?;
        let (Some(half_points), Some(left)) = (sample.half_points, sample.plies_left) else {
            bail!("{}: expected `result plies_left FEN`", place());
        };
        game += u32::from(left >= last && last != 0);
        last = left;
        let board = fen::parse(&sample.position, &Rules::default(), fen::Care::Lenient);
        let board = board.map_err(|error| anyhow::anyhow!("{}: {error}", place()))?;
        let blend = GrekoEval::row(&board, &mut row);
        let (phase, scale) = (blend.phase as u16, blend.scale as u16);
        let boards_left = left.min(u32::from(u16::MAX)) as u16;
        rows.push(Head { game, boards_left, phase, scale, half_points, ..Head::default() }, row.entries());
    }
    Ok(rows)
}

/// The journal of learning: the best weights so far, and each line on the screen and in the log.
struct Journal<'a> {
    folder: &'a Path,
    /// The weights at the start.
    start: [i16; GREKO_TERMS],
    /// The validation loss at the start.
    start_loss: Option<f64>,
    /// The weights at this step.
    weights: [i16; GREKO_TERMS],
    /// The best ones by validation, better than the start, that are not on disk yet.
    unsaved: Option<[i16; GREKO_TERMS]>,
    /// Whether the weights of the start are in `weights.old`.
    is_old_kept: bool,
    /// When weights were saved last.
    saved: Instant,
    log: OutputFile,
    lines: GrekoLog,
    tell: Tell<'a>,
}

impl Journal<'_> {
    fn say(&mut self, line: &str) -> anyhow::Result<()> {
        (self.tell)(line);
        writeln!(self.log, "{line}").context("learning.log")
    }

    fn save(&self, name: &str, weights: &[i16; GREKO_TERMS]) -> anyhow::Result<()> {
        Ok(AtomicFile::write(&self.folder.join(name), print_greko(weights).as_bytes())?)
    }

    fn note(&mut self, event: &Event) -> anyhow::Result<()> {
        match event {
            Event::Start { rows, .. } => {
                (self.tell)(&format!("Training set: {}", rows[0]));
                (self.tell)(&format!("Validation set: {}", rows[1]));
                self.say("Start optimization...")?;
            }
            Event::Epoch(progress) => {
                if let Some(change) = progress.change {
                    self.weights[change.feature] = change.value;
                    let losses = progress.held_loss.zip(self.start_loss);
                    if progress.best && losses.is_none_or(|(now, start)| now < start) {
                        self.unsaved = Some(self.weights);
                    }
                } else {
                    self.start_loss = progress.held_loss;
                }
            }
            _ => {}
        }
        // There are thousands of steps, and a disk takes milliseconds for each file that survives a power loss.
        if self.saved.elapsed() >= SAVE_EVERY {
            self.save_best()?;
        }
        let line = self.lines.line(event);
        line.map_or(Ok(()), |line| self.say(&line))
    }

    /// Saves the best weights, unless they are on disk, and before the first of them those of the start: learning that changes
    /// nothing leaves `weights.old` alone.
    fn save_best(&mut self) -> anyhow::Result<()> {
        if let Some(best) = self.unsaved.take() {
            if !self.is_old_kept {
                self.save("weights.old", &self.start)?;
                self.is_old_kept = true;
            }
            self.save(WEIGHTS, &best)?;
            self.saved = Instant::now();
        }
        Ok(())
    }

    /// Saves the weights that were kept.
    fn save_kept(&mut self, trained: &Trained) -> anyhow::Result<()> {
        let kept: Vec<i16> = trained.weights.values.iter().map(|pair| pair[0]).collect();
        let kept = <[i16; GREKO_TERMS]>::try_from(kept).unwrap_or(self.start);
        // Nothing is to be written where nothing changed.
        self.unsaved = Some(kept).filter(|kept| self.is_old_kept || *kept != self.start);
        self.save_best()
    }

    /// Tells which weights were kept, in words that GreKo had not.
    fn tell_kept(&mut self, trained: &Trained) -> anyhow::Result<()> {
        if self.is_old_kept {
            self.say("Old values saved in file 'weights.old'")?;
        }
        let factor = self.lines.validation(1.0);
        let told = |found: Comparison| {
            let Comparison { games, difference, error } = found;
            let error = if error.is_finite() { format!("{:.12}", error * factor) } else { "?".into() };
            let games = if games == 1 { "1 game that was".to_string() } else { format!("{games} games that were") };
            format!("{:.12} ± {error} over {games} held out", difference * factor)
        };
        let by = trained.against_start.map(told);
        let (step, steps) = (trained.best_epoch, trained.runs.iter().map(|run| run.epochs).sum::<u32>());
        let words = match (trained.kept, by) {
            (Kept::Best, Some(by)) => {
                let is_proven = trained.against_start.is_some_and(|found| found.is_better());
                let proof = if is_proven { "" } else { ", which tells nothing: prove it by games" };
                format!("Kept step {step} of {steps}, the best by validation: loss {by}{proof}")
            }
            (Kept::Best, None) => "Kept the last step: no games were held out to judge by".to_string(),
            (_, Some(by)) => {
                format!("Kept the old weights: the best of {steps} steps has a higher validation loss, {by}")
            }
            (_, None) => "Kept the old weights: no step changed them".to_string(),
        };
        (self.tell)(&words);
        Ok(())
    }
}

/// The bounds and step of GreKo's weights, changed by `weights.toml` beside them, where there is one.
fn bounds_beside(weights: &Path) -> anyhow::Result<(Vec<[f64; 2]>, f64)> {
    let file = weights.with_extension("toml");
    let limits = Pupil::new(&super::CHESS, GrekoSet.name())?.limits(file.exists().then_some(&file))?;
    Ok((limits.bounds.iter().map(|bounds| bounds.map(f64::from)).collect(), limits.step.unwrap_or(1).into()))
}

/// Learns, writing down each step.
fn optimize(request: &GrekoLearning, rows: &Rows, frozen: Vec<usize>, tell: Tell<'_>) -> anyhow::Result<()> {
    let path = request.folder.join(WEIGHTS);
    let text = if path.exists() { read_text_bounded(&path, 1 << 20)? } else { String::new() };
    let weights = parse_greko(&text, WEIGHTS)?;
    let (bounds, step) = bounds_beside(&path)?;
    let settings = TuneSettings {
        method: Method::Coordinate,
        epochs: CYCLES,
        lambda_plies: Some(request.lambda_plies),
        result_share: 1.0,
        pull_rows: Some(0.0),
        k: Some(request.k),
        held_out: 0.2,
        frozen,
        bounds,
        step,
        seed: request.seed,
        jobs: threads(request.jobs),
        ..TuneSettings::default()
    };
    let start = Weights { values: weights.iter().map(|&w| [w, 0]).collect(), ..Weights::default() };
    let log = open_output(&request.folder.join("learning.log"), Existing::Append)?;
    let lines = GrekoLog::new(GREKO_SET);
    let mut journal = Journal {
        folder: &request.folder,
        start: weights,
        start_loss: None,
        weights,
        unsaved: None,
        is_old_kept: false,
        saved: Instant::now(),
        log,
        lines,
        tell,
    };
    let stop = Interrupt::of_process();
    let mut failed: anyhow::Result<()> = Ok(());
    let learned = learn_with(rows, &start, &Canon::default(), &settings, &mut |event| {
        failed = journal.note(&event);
        if failed.is_err() || stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    // What was found is kept, whatever ended it.
    let saved = journal.save_best();
    failed?;
    let trained = match learned {
        Err(TuneError::NoRows) => bail!("there are no positions to learn from"),
        other => other?,
    };
    saved?;
    journal.save_kept(&trained)?;
    journal.tell_kept(&trained)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_tune::{LearnedChange, Progress};

    /// `learn` waited for the disk at each accepted step: 12.9 s for 60 games, where learning takes 0.1 s.
    #[test]
    fn steps_do_not_wait_for_the_disk_and_the_best_one_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(WEIGHTS);
        let mut journal = Journal {
            folder: folder.path(),
            start: [9; GREKO_TERMS],
            start_loss: Some(f64::MAX),
            weights: [0; GREKO_TERMS],
            unsaved: None,
            is_old_kept: false,
            saved: Instant::now() + Duration::from_secs(3600),
            log: open_output(&folder.path().join("learning.log"), Existing::Append).unwrap(),
            lines: GrekoLog::new(GREKO_SET),
            tell: &mut |_| (),
        };
        for step in 1..=500u32 {
            let change = Some(LearnedChange { cycle: 1, feature: 5, phase: 0, value: step as i16 });
            let [run, epochs] = [0, 1];
            // The validation loss is least at step 300.
            let (held_loss, best) = (Some(f64::from(step.abs_diff(300))), step <= 300);
            let event = Progress { run, epoch: step, epochs, train_loss: 0.0, held_loss, best, rows: 1, change };
            journal.note(&Event::Epoch(&event)).unwrap();
        }
        assert!(!path.exists(), "a file was written within a second");
        journal.save_best().unwrap();
        let saved = parse_greko(&fs::read_to_string(&path).unwrap(), WEIGHTS).unwrap();
        assert_eq!(saved[5], 300, "the best step by validation, not the last one");
        let old = || parse_greko(&fs::read_to_string(folder.path().join("weights.old")).unwrap(), WEIGHTS).unwrap();
        assert_eq!(old(), [9; GREKO_TERMS], "the weights of the start");
        // What is on disk is not written again.
        journal.saved = Instant::now();
        journal.unsaved = Some([7; GREKO_TERMS]);
        journal.save_best().unwrap();
        assert!(journal.unsaved.is_none() && fs::read_to_string(&path).unwrap().contains(" 7\n"));
    }
}
