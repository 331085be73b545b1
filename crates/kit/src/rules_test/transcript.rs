//! Transcripts of what the rules say about positions: written, or compared with others'.

use super::{Selftest, SelftestListener, SelftestNews, SelftestRequest, Transcribed, engine};
use crate::RequestError;
use std::{
    collections::BTreeMap,
    io::{self, BufRead},
    path::Path,
    sync::{
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::Instant,
};
use tesuji_jobs::{Interrupt, Progress, Show, open_limited, threads};
use tesuji_record::{cases, transcript};

/// Carries out a request.
pub(super) fn run<T: Transcribed>(
    request: &SelftestRequest,
    news: &mut SelftestListener<'_>,
) -> Result<Selftest, RequestError> {
    let style = T::style(request)?;
    if let Some(positions) = request.make {
        news(SelftestNews::Text(&T::our_set(positions, request.seed))).map_err(RequestError::failed)?;
        return Ok(Selftest::Made);
    }
    let text = positions_text::<T>(request)?;
    let positions: Vec<(usize, &str)> = transcript::positions(&text).collect();
    if let Some(command) = &request.engine {
        return engine::compare::<T>(command, &positions, (style, request.depth));
    }
    let expected = request.expect.as_deref().map(read_text).transpose()?;
    let mut sink = Sink::new(expected.as_deref(), news);
    let began = Instant::now();
    let failed = write::<T>(request, &positions, style, &mut sink)?;
    let elapsed = began.elapsed();
    let (hash, difference) = sink.finish();
    Ok(match failed {
        Some(broken) => Selftest::Broken(broken),
        None => Selftest::Transcript { positions: positions.len(), hash, elapsed, difference },
    })
}

/// The lines of positions: of the file, or of random games.
fn positions_text<T: Transcribed>(request: &SelftestRequest) -> Result<String, RequestError> {
    match (&request.file, request.games) {
        (Some(path), _) => read_text(path),
        (None, Some(games)) => {
            let progress = Progress::start("random games", "games", Some(games), Show::Auto);
            let lines = (0..games).flat_map(|game| {
                progress.set(game);
                cases::random_game::<T::Game>(request.seed, game)
            });
            Ok(lines.fold(String::new(), |text, line| text + &line + "\n"))
        }
        (None, None) => Err(RequestError::failed("positions are wanted: a file, games, or make")),
    }
}

/// The longest file of positions, in bytes, unpacked: it is held in memory.
const POSITIONS_BYTES_MAX: u64 = 1 << 30;

/// The whole text of a file.
fn read_text(path: &Path) -> Result<String, RequestError> {
    let mut text = String::new();
    let mut input = open_limited(path, POSITIONS_BYTES_MAX).map_err(RequestError::failed)?;
    // Line by line, so that a file that is no text names its line.
    for number in 1.. {
        let read = input.read_line(&mut text);
        let at = |error: io::Error| RequestError::failed(format!("{}: line {number}: {error}", path.display()));
        if read.map_err(at)? == 0 {
            break;
        }
    }
    Ok(text)
}

/// One position: its entry, after its invariants.
fn entry<T: Transcribed>(
    (line, text): (usize, &str),
    invariants: bool,
    style: T::Style,
    dumper: &mut T::Dumper,
) -> Result<String, String> {
    let pos = T::load(text, style).map_err(|error| format!("line {line}: {text}: {error}"))?;
    if invariants {
        T::invariants(&pos).map_err(|broken| format!("line {line}: {broken}"))?;
    }
    let mut entry = String::with_capacity(512);
    T::write_entry(text, &pos, style, dumper, &mut entry);
    Ok(entry)
}

/// Writes the entries in the order of the positions, computed by several threads. What went wrong first, if anything.
fn write<T: Transcribed>(
    request: &SelftestRequest,
    positions: &[(usize, &str)],
    style: T::Style,
    sink: &mut Sink<'_, '_>,
) -> Result<Option<String>, RequestError> {
    let jobs = threads(request.jobs);
    let progress = Progress::start("selftest", "positions", Some(positions.len() as u64), Show::Auto);
    let interrupt = Interrupt::of_process();
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::sync_channel(jobs * 64);
    thread::scope(|scope| {
        for started in 0..jobs {
            let (sender, next, interrupt) = (sender.clone(), &next, &interrupt);
            let work = move || {
                let mut dumper = T::Dumper::default();
                while !interrupt.is_raised() {
                    let i = next.fetch_add(1, Relaxed);
                    let Some(&position) = positions.get(i) else { break };
                    if sender.send((i, entry::<T>(position, request.invariants, style, &mut dumper))).is_err() {
                        break;
                    }
                }
            };
            match thread::Builder::new().spawn_scoped(scope, work) {
                // Where the system gives no more threads, fewer work.
                Err(error) if started == 0 => return Err(RequestError::failed(error)),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        drop(sender);
        // Entries that came before their turn.
        let mut early = BTreeMap::new();
        let mut turn = 0;
        for (i, entry) in receiver {
            early.insert(i, entry);
            while let Some(entry) = early.remove(&turn) {
                match entry {
                    Ok(text) => sink.take(&text).map_err(RequestError::failed)?,
                    Err(fault) => return Ok(Some(fault)),
                }
                turn += 1;
                progress.advance(1);
            }
        }
        progress.finish();
        match turn < positions.len() {
            true => Err(RequestError::failed(format!("stopped after {turn} of {} positions", positions.len()))),
            false => Ok(None),
        }
    })
}

/// Takes entries: for anyone who asked, or against an expected transcript.
struct Sink<'a, 'n> {
    news: &'a mut SelftestListener<'n>,
    expected: Option<Vec<transcript::Entry<'a>>>,
    taken: usize,
    difference: Option<transcript::Difference>,
    hash: u64,
}

impl<'a, 'n> Sink<'a, 'n> {
    fn new(expected: Option<&'a str>, news: &'a mut SelftestListener<'n>) -> Self {
        let expected = expected.map(transcript::entries);
        Sink { news, expected, taken: 0, difference: None, hash: transcript::fnv1a(b"") }
    }

    fn take(&mut self, text: &str) -> io::Result<()> {
        self.hash = transcript::fnv1a_on(self.hash, text.as_bytes());
        match &self.expected {
            None => (self.news)(SelftestNews::Text(text))?,
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

    /// The hash, and the first difference; entries that were expected and did not come are one.
    fn finish(self) -> (u64, Option<transcript::Difference>) {
        let rest = self.expected.as_ref().and_then(|expected| expected.get(self.taken..));
        let missing = || transcript::compare(rest?, &[]).map(|d| d.at(self.taken));
        (self.hash, self.difference.clone().or_else(missing))
    }
}
