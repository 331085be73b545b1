//! `learn games.pgn [from to]`: GreKo's way from games to weights, with its files and lines.

use super::Args;
use crate::{games, lessons::walk, selfplay::threads, skip::SkipErrors, tune};
use anyhow::{Context, bail};
use std::{
    fs::{self, File},
    io::{BufRead, Write},
    ops::ControlFlow,
    path::Path,
};
use tesuji_chess::{Board, Chess, Rules, UciNotation, fen, labelled, labelled::Labelled};
use tesuji_chess_eval::{GREKO_SET, GREKO_TERMS, GrekoEval, parse_greko, print_greko};
use tesuji_dataset::{Filter, Head, Rows};
use tesuji_engine::Kit;
use tesuji_game::Notation;
use tesuji_jobs::{AtomicFile, Interrupt, open_input};
use tesuji_record::{RecordReader, Sample, SampleFormat};
use tesuji_tally::{Row, Weights};
use tesuji_tune::{Canon, Event, Method, Settings, TuneError, learn_with};

/// Cycles through all weights at most.
const CYCLES: u32 = 1_000;

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
    if !positions.exists() {
        println!("Games: {}", skip.hinted(extract(&games, &positions, skip))?);
    }
    println!("Loading positions...");
    let rows = load(&positions)?;
    let frozen = (0..GREKO_TERMS).filter(|i| !(from - 1..to).contains(i)).collect();
    optimize(args, &rows, frozen)
}

/// Writes the positions of `games` that are not in check and not after a capture, with result and plies left. Returns the
/// number of games with a result.
fn extract(games: &Path, positions: &Path, skip: SkipErrors) -> anyhow::Result<u64> {
    let kit: &dyn Kit = games::kit("chess")?;
    let mut reader: Box<dyn RecordReader> = skip.reader(games, tune::reader(kit, games)?);
    let filter = Filter { skip: 0, drop_after_checks: false, ..Filter::default() };
    println!("Creating file '{}'", positions.file_name().unwrap_or_default().display());
    let mut out = AtomicFile::create(positions)?;
    let (mut found, mut number, mut lines) = (0, 0, Vec::new());
    while let Some(game) = reader.read().with_context(|| games.display().to_string())? {
        number += 1;
        if game.outcome.is_none() {
            continue;
        }
        found += 1;
        lines.clear();
        let mut fault = None;
        let parse = |board: &Board, text: &String| UciNotation::parse_move(board, text);
        let walked = walk::<Chess, _>(&game, 0, parse, |board, seen, head| {
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
        out.write_all(&lines)?;
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

/// What is written while learning: the weights so far, and each line on the screen and in the log.
struct Desk<'a> {
    folder: &'a Path,
    weights: [i16; GREKO_TERMS],
    log: File,
    lines: tune::GrekoLog,
}

impl Desk<'_> {
    fn say(&mut self, line: &str) -> anyhow::Result<()> {
        println!("{line}");
        writeln!(self.log, "{line}").context("learning.log")
    }

    fn save(&self, name: &str) -> anyhow::Result<()> {
        Ok(AtomicFile::write(&self.folder.join(name), print_greko(&self.weights).as_bytes())?)
    }

    fn note(&mut self, event: &Event) -> anyhow::Result<()> {
        match event {
            Event::Start { rows, .. } => {
                println!("Training set: {}", rows[0]);
                println!("Validation set: {}", rows[1]);
                self.save("weights.old")?;
                self.say("Old values saved in file 'weights.old'")?;
                self.say("Start optimization...")?;
            }
            Event::Epoch(progress) => {
                if let Some(change) = progress.change {
                    self.weights[change.feature] = change.value;
                    self.save("weights.txt")?;
                }
            }
            _ => {}
        }
        let line = self.lines.line(event);
        line.map_or(Ok(()), |line| self.say(&line))
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
        seed: args.seed,
        jobs: threads(args.jobs),
        ..Settings::default()
    };
    let start = Weights { values: weights.iter().map(|&w| [w, 0]).collect(), ..Weights::default() };
    let log = File::create(args.folder.join("learning.log")).context("learning.log")?;
    let mut desk = Desk { folder: &args.folder, weights, log, lines: tune::GrekoLog::new(GREKO_SET) };
    let stop = Interrupt::of_process();
    let mut failed: anyhow::Result<()> = Ok(());
    let learned = learn_with(rows, &start, &Canon::default(), &settings, &mut |event| {
        failed = desk.note(&event);
        if failed.is_err() || stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    failed?;
    match learned {
        Err(TuneError::NoRows) => bail!("there are no positions to learn from"),
        other => other.map(|_| ()).map_err(Into::into),
    }
}
