//! `learn games.pgn [from to]`: GreKo's way from games to weights, with its files and lines.

use super::Args;
use crate::{games, tune};
use anyhow::{Context, bail};
use std::{
    fs,
    io::{BufRead, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use tesuji_chess::{Board, Rules, UciNotation, fen, labelled, labelled::Labelled};
use tesuji_chess_eval::{GREKO_SET, GREKO_TERMS, GrekoEval, parse_greko, print_greko};
use tesuji_dataset::{Filter, Head, Rows};
use tesuji_game::Notation;
use tesuji_jobs::{AtomicFile, Existing, Interrupt, OutputFile, open_input, open_output, threads};
use tesuji_kit::{Kit, SkipErrors, open_records, tuning::walk};
use tesuji_record::{RecordReader, Sample, SampleFormat};
use tesuji_tally::{Row, Weights};
use tesuji_tune::{Canon, Event, Kept, Method, Settings, Trained, TuneError, learn_with};

/// Cycles through all weights at most.
const CYCLES: u32 = 1_000;
/// Where the weights are.
const WEIGHTS: &str = "weights.txt";
/// The best weights so far are saved this often at most, and at the end.
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// Learns as `rest`, the words after the command, say.
pub(super) fn run(args: &Args, rest: &str) -> anyhow::Result<()> {
    let mut words: Vec<&str> = rest.split_whitespace().collect();
    let skip = SkipErrors { wanted: words.contains(&"--skip-errors") };
    words.retain(|word| *word != "--skip-errors");
    let number = |word: &str| word.parse::<usize>().ok().filter(|n| (1..=GREKO_TERMS).contains(n));
    let (file, range) = match words[..] {
        [file] => (file, Some((6, 27))),
        [file, from, to] => (file, number(from).zip(number(to)).filter(|(from, to)| from <= to)),
        _ => ("", None),
    };
    let Some((from, to)) = range else {
        bail!("expected: learn FILE [FROM TO] [--skip-errors], with weights from 1 to {GREKO_TERMS}");
    };
    let games = args.folder.join(file);
    let positions = games.with_extension("fen");
    match newer(&games, &positions)? {
        None => println!("Games: {}", skip.hinted(extract(&games, &positions, skip))?),
        Some(false) => println!(
            "Using the positions in '{}', which were extracted before",
            positions.file_name().unwrap_or_default().display()
        ),
        Some(true) => {
            let old = keep_old(&positions)?;
            println!("The games are newer than their positions, which are now in '{}'", old.display());
            println!("Games: {}", skip.hinted(extract(&games, &positions, skip))?);
        }
    }
    println!("Loading positions...");
    let rows = load(&positions)?;
    let frozen = (0..GREKO_TERMS).filter(|i| !(from - 1..to).contains(i)).collect();
    optimize(args, &rows, frozen)
}

/// Whether the games changed after their positions were extracted; `None` where there are no positions.
fn newer(games: &Path, positions: &Path) -> anyhow::Result<Option<bool>> {
    let Ok(extracted) = fs::metadata(positions) else { return Ok(None) };
    let Ok(games) = fs::metadata(games) else { return Ok(Some(false)) };
    Ok(Some(games.modified()? > extracted.modified()?))
}

/// Gives the positions another name, and returns it.
fn keep_old(positions: &Path) -> anyhow::Result<PathBuf> {
    let mut name = positions.file_name().unwrap_or_default().to_owned();
    name.push(".old");
    let old = positions.with_file_name(&name);
    fs::rename(positions, &old).with_context(|| positions.display().to_string())?;
    Ok(name.into())
}

/// Writes the positions of `games` that are not in check and not after a capture, with result and plies left. Returns the
/// number of games with a result.
fn extract(games: &Path, positions: &Path, skip: SkipErrors) -> anyhow::Result<u64> {
    let kit: &dyn Kit = games::kit("chess")?;
    let mut reader: Box<dyn RecordReader> = skip.reader(games, open_records(kit, games)?);
    let filter = Filter { skip: 0, drop_after_checks: false, ..Filter::default() };
    println!("Creating file '{}'", positions.file_name().unwrap_or_default().display());
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
        let walked = walk::<tesuji_kits::ChessTaught, _>(&game, 0, parse, |board, seen, head| {
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

/// What is written while learning: the best weights so far, and each line on the screen and in the log.
struct Desk<'a> {
    folder: &'a Path,
    /// The weights at this step.
    weights: [i16; GREKO_TERMS],
    /// The best ones by validation that are not on disk yet.
    unsaved: Option<[i16; GREKO_TERMS]>,
    /// When weights were saved last.
    saved: Instant,
    log: OutputFile,
    lines: tune::GrekoLog,
}

impl Desk<'_> {
    fn say(&mut self, line: &str) -> anyhow::Result<()> {
        println!("{line}");
        writeln!(self.log, "{line}").context("learning.log")
    }

    fn save(&self, name: &str, weights: &[i16; GREKO_TERMS]) -> anyhow::Result<()> {
        Ok(AtomicFile::write(&self.folder.join(name), print_greko(weights).as_bytes())?)
    }

    fn note(&mut self, event: &Event) -> anyhow::Result<()> {
        match event {
            Event::Start { rows, .. } => {
                println!("Training set: {}", rows[0]);
                println!("Validation set: {}", rows[1]);
                self.save("weights.old", &self.weights)?;
                self.say("Old values saved in file 'weights.old'")?;
                self.say("Start optimization...")?;
            }
            Event::Epoch(progress) => {
                if let Some(change) = progress.change {
                    self.weights[change.feature] = change.value;
                    if progress.best {
                        self.unsaved = Some(self.weights);
                    }
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

    /// Saves the best weights, unless they are on disk.
    fn save_best(&mut self) -> anyhow::Result<()> {
        if let Some(best) = self.unsaved.take() {
            self.save(WEIGHTS, &best)?;
            self.saved = Instant::now();
        }
        Ok(())
    }

    /// Tells which weights were kept, in words that GreKo had not.
    fn tell_kept(&self, trained: &Trained) {
        let [before, after] = [trained.history.first().and_then(|p| p.held_loss), trained.held_loss]
            .map(|loss| loss.map_or("-".to_string(), |loss| format!("{:.12}", self.lines.validation(loss))));
        match (trained.kept, trained.held_loss) {
            (Kept::Best, Some(_)) => {
                let (step, steps) = (trained.best_epoch, trained.runs.iter().map(|run| run.epochs).sum::<u32>());
                println!("Kept step {step} of {steps}, the best by validation: loss {before} -> {after}");
            }
            (Kept::Best, None) => println!("Kept the last step: no games were held out to judge by"),
            _ => println!("Kept the old weights: no step has a lower validation loss ({before})"),
        }
    }
}

/// Learns, writing down each step.
fn optimize(args: &Args, rows: &Rows, frozen: Vec<usize>) -> anyhow::Result<()> {
    let path = args.folder.join("weights.txt");
    let text = if path.exists() { fs::read_to_string(&path).context("weights.txt")? } else { String::new() };
    let weights = parse_greko(&text, "weights.txt")?;
    let (bounds, step) = tune::bounds_beside(&path)?;
    let settings = Settings {
        method: Method::Coordinate,
        epochs: CYCLES,
        lambda_plies: Some(args.lambda),
        result_share: 1.0,
        pull_rows: Some(0.0),
        k: Some(args.k),
        held_out: 0.2,
        frozen,
        bounds,
        step,
        seed: args.seed.unwrap_or(0),
        jobs: threads(args.jobs),
        ..Settings::default()
    };
    let start = Weights { values: weights.iter().map(|&w| [w, 0]).collect(), ..Weights::default() };
    let log = open_output(&args.folder.join("learning.log"), Existing::Append)?;
    let lines = tune::GrekoLog::new(GREKO_SET);
    let mut desk = Desk { folder: &args.folder, weights, unsaved: None, saved: Instant::now(), log, lines };
    let stop = Interrupt::of_process();
    let mut failed: anyhow::Result<()> = Ok(());
    let learned = learn_with(rows, &start, &Canon::default(), &settings, &mut |event| {
        failed = desk.note(&event);
        if failed.is_err() || stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    // What was found is kept, whatever ended it.
    let saved = desk.save_best();
    failed?;
    let trained = match learned {
        Err(TuneError::NoRows) => bail!("there are no positions to learn from"),
        other => other?,
    };
    saved?;
    desk.tell_kept(&trained);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_tune::{Change, Progress};

    /// `learn` waited for the disk at each accepted step: 12.9 s for 60 games, where learning takes 0.1 s.
    #[test]
    fn steps_do_not_wait_for_the_disk_and_the_best_one_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(WEIGHTS);
        let mut desk = Desk {
            folder: folder.path(),
            weights: [0; GREKO_TERMS],
            unsaved: None,
            saved: Instant::now() + Duration::from_secs(3600),
            log: open_output(&folder.path().join("learning.log"), Existing::Append).unwrap(),
            lines: tune::GrekoLog::new(GREKO_SET),
        };
        for step in 1..=500u32 {
            let change = Some(Change { cycle: 1, feature: 5, phase: 0, value: step as i16 });
            let [run, epochs] = [0, 1];
            // The validation loss is least at step 300.
            let (held_loss, best) = (Some(f64::from(step.abs_diff(300))), step <= 300);
            let event = Progress { run, epoch: step, epochs, train_loss: 0.0, held_loss, best, rows: 1, change };
            desk.note(&Event::Epoch(&event)).unwrap();
        }
        assert!(!path.exists(), "a file was written within a second");
        desk.save_best().unwrap();
        let saved = parse_greko(&fs::read_to_string(&path).unwrap(), WEIGHTS).unwrap();
        assert_eq!(saved[5], 300, "the best step by validation, not the last one");
        // What is on disk is not written again.
        desk.saved = Instant::now();
        desk.unsaved = Some([7; GREKO_TERMS]);
        desk.save_best().unwrap();
        assert!(desk.unsaved.is_none() && fs::read_to_string(&path).unwrap().contains(" 7\n"));
    }
}
