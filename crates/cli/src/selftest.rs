//! `tesuji selftest`: the transcript of what our rules say, compared with others', and the laws that every position keeps.

mod engine;
mod games;
mod go;

use anyhow::{Context, bail};
use games::Transcribed;
use std::{
    collections::BTreeMap,
    io::{BufRead, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    time::Instant,
};
use tesuji_chess::{Chess, selftest::Style};
use tesuji_game::Game;
use tesuji_jobs::{Interrupt, Progress, Show, open_input, terminal::Stdout};
use tesuji_record::{cases, transcript};
use tesuji_shogi::Shogi;

/// Arguments of `tesuji selftest`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji selftest chess crates/chess/data/selftest.fen > transcript.txt\n  \
    tesuji selftest chess boards.fen.zst --expect expected.txt.zst\n  \
    tesuji selftest chess --games 20 --seed 1 --engine stockfish\n  \
    tesuji selftest shogi --games 20 --seed 1 --engine fairy-stockfish\n  \
    tesuji selftest go\n  \
    tesuji selftest go --games 8 --engine 'gnugo --mode gtp --chinese-rules'\n\n\
    The guide for authors of other engines is docs/selftest.md.\n\
    Exit codes: 0 all alike, 1 a difference or a broken law, 2 wrong usage or input.")]
pub(crate) struct Args {
    /// The game: chess, shogi or go
    #[arg(value_parser = ["chess", "shogi", "go"])]
    game: String,
    /// Positions, one FEN or SFEN a line; blank lines and # comments are left out (.zst and .gz are read; - is stdin)
    file: Option<PathBuf>,
    /// Take the positions of this many random games instead of a file
    #[arg(long, value_name = "N", conflicts_with = "file")]
    games: Option<u64>,
    /// Seed of the random games
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Compare with this transcript instead of printing ours
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Compare moves and perft counts with a UCI or USI engine that knows `go perft N`; in go, legal moves and prisoners with one
    /// that knows GNU Go's `all_legal`
    #[arg(long, value_name = "CMD", conflicts_with = "expect")]
    engine: Option<String>,
    /// Print our own set of positions: edge cases by name and random games
    #[arg(long, conflicts_with_all = ["file", "games", "expect", "engine"])]
    make: bool,
    /// How many positions --make makes
    #[arg(long, default_value_t = 3000, value_name = "N", requires = "make")]
    positions: usize,
    /// Deepest dump (perft with --engine), in plies
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=6), value_name = "D")]
    depth: u32,
    /// Chess: show and hash the squares that each side attacks
    #[arg(long)]
    heatmaps: bool,
    /// Castle as in Chess960: the king takes its rook
    #[arg(long)]
    chess960: bool,
    /// Leave out the laws that every position and its children are checked against
    #[arg(long)]
    no_laws: bool,
    /// Threads (0: one for each core)
    #[arg(long, short, default_value_t = 0, value_name = "N")]
    jobs: usize,
}

/// Runs the selftest.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.game == "go" {
        return go::run(&args);
    }
    if args.game == Shogi::NAME {
        if args.chess960 || args.heatmaps {
            bail!("--chess960 and --heatmaps are for chess");
        }
        return run_for::<Shogi>(&args);
    }
    run_for::<Chess>(&args)
}

fn run_for<G: Transcribed>(args: &Args) -> anyhow::Result<ExitCode> {
    let out = Stdout;
    if args.make {
        let mut out = out;
        out.write_all(G::our_set(args.positions, args.seed).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = Style { depth: args.depth, heatmaps: args.heatmaps, chess960: args.chess960 };
    let text = positions_text::<G>(args)?;
    let positions: Vec<(usize, &str)> = transcript::positions(&text).collect();
    if let Some(command) = &args.engine {
        return engine::compare::<G>(command, &positions, style);
    }
    let expected = args.expect.as_deref().map(read_text).transpose()?;
    let mut sink = Sink::new(expected.as_deref(), out);
    let began = Instant::now();
    let failed = write_transcript::<G>(args, &positions, style, &mut sink)?;
    let seconds = began.elapsed().as_secs_f64();
    let laws = if args.no_laws { "laws left out" } else { "every law holds" };
    let verdict = sink.finish()?;
    if let Some(broken) = failed {
        eprintln!("tesuji: {broken}");
        return Ok(ExitCode::from(1));
    }
    eprintln!(
        "{} positions, {laws}, transcript hash {:016x} (FNV-1a 64), {seconds:.1} s",
        positions.len(),
        verdict.hash
    );
    match verdict.difference {
        Some(difference) => {
            println!("{difference}");
            Ok(ExitCode::from(1))
        }
        None => {
            if args.expect.is_some() {
                println!("identical: {} positions", positions.len());
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The lines of positions: of the file, or of random games.
fn positions_text<G: Transcribed>(args: &Args) -> anyhow::Result<String> {
    match (&args.file, args.games) {
        (Some(path), _) => read_text(path),
        (None, Some(games)) => {
            let mut text = String::new();
            for game in 0..games {
                for fen in cases::random_game::<G>(args.seed, game) {
                    text.push_str(&fen);
                    text.push('\n');
                }
            }
            Ok(text)
        }
        (None, None) => bail!("give a file of positions, --games N or --make"),
    }
}

/// The whole text of a file.
fn read_text(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let mut input = open_input(path)?;
    // Line by line, so that a file that is no text names its line.
    for number in 1.. {
        let read = input.read_line(&mut text);
        if read.with_context(|| format!("{}: line {number}", path.display()))? == 0 {
            break;
        }
    }
    Ok(text)
}

/// One position: its entry, after its laws.
fn entry<G: Transcribed>(
    line: usize,
    fen: &str,
    args: &Args,
    style: Style,
    dumper: &mut G::Dumper,
) -> Result<String, String> {
    let board = G::load(fen, style).map_err(|e| format!("line {line}: {fen}: {e}"))?;
    if !args.no_laws {
        G::laws(&board).map_err(|broken| format!("line {line}: {broken}"))?;
    }
    let mut text = String::with_capacity(512);
    G::write_entry(fen, &board, style, dumper, &mut text);
    Ok(text)
}

/// Writes the entries in the order of the positions, computed by several threads. What went wrong first, if anything.
fn write_transcript<G: Transcribed>(
    args: &Args,
    positions: &[(usize, &str)],
    style: Style,
    sink: &mut Sink<'_, impl Write>,
) -> anyhow::Result<Option<String>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = if args.jobs == 0 { cores } else { args.jobs };
    let progress = Progress::start("selftest", "positions", Some(positions.len() as u64), Show::Auto);
    let interrupt = Interrupt::of_process();
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::sync_channel(jobs * 64);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, next, interrupt) = (sender.clone(), &next, &interrupt);
            scope.spawn(move || {
                let mut dumper = G::Dumper::default();
                while !interrupt.is_raised() {
                    let i = next.fetch_add(1, Relaxed);
                    let Some(&(line, fen)) = positions.get(i) else { break };
                    if sender.send((i, entry::<G>(line, fen, args, style, &mut dumper))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // Entries that came before their turn.
        let mut early = BTreeMap::new();
        let mut turn = 0;
        for (i, entry) in receiver {
            early.insert(i, entry);
            while let Some(entry) = early.remove(&turn) {
                match entry {
                    Ok(text) => sink.take(&text)?,
                    Err(fault) => return Ok(Some(fault)),
                }
                turn += 1;
                progress.advance(1);
            }
        }
        progress.finish();
        if turn < positions.len() {
            bail!("stopped after {turn} of {} positions", positions.len());
        }
        Ok(None)
    })
}

/// Where entries go: to stdout, or against an expected transcript.
struct Sink<'a, W> {
    out: W,
    expected: Option<Vec<transcript::Entry<'a>>>,
    taken: usize,
    difference: Option<transcript::Difference>,
    hash: u64,
}

/// What came of it.
struct Verdict {
    hash: u64,
    difference: Option<transcript::Difference>,
}

impl<'a, W: Write> Sink<'a, W> {
    fn new(expected: Option<&'a str>, out: W) -> Self {
        Sink {
            out,
            expected: expected.map(transcript::entries),
            taken: 0,
            difference: None,
            hash: transcript::fnv1a(b""),
        }
    }

    fn take(&mut self, text: &str) -> anyhow::Result<()> {
        self.hash = transcript::fnv1a_on(self.hash, text.as_bytes());
        match &self.expected {
            None => self.out.write_all(text.as_bytes())?,
            Some(expected) if self.difference.is_none() => {
                let ours = transcript::entries(text);
                let theirs = expected.get(self.taken..(self.taken + 1).min(expected.len())).unwrap_or(&[]);
                self.difference = transcript::compare(theirs, &ours).map(|d| d.at(self.taken));
            }
            Some(_) => {}
        }
        self.taken += 1;
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<Verdict> {
        self.out.flush()?;
        if let (Some(expected), None) = (&self.expected, &self.difference)
            && let Some(rest) = expected.get(self.taken..)
        {
            self.difference = transcript::compare(rest, &[]).map(|d| d.at(self.taken));
        }
        Ok(Verdict { hash: self.hash, difference: self.difference })
    }
}
