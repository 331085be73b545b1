//! Our rules against those of an engine: move sets and perft counts, position by position.

use super::{PositionOf, Selftest, Transcribed};
use crate::RequestError;
use std::{
    ops::ControlFlow::Continue,
    time::{Duration, Instant},
};
use tesuji_game::{Position, move_text, position_text};
use tesuji_jobs::{Interrupt, LineProcess, NoLine, Progress, Show};

/// Timeouts of an engine for one answer, and to quit.
const PATIENCE: Duration = Duration::from_secs(120);
const QUIT_PATIENCE: Duration = Duration::from_secs(2);

/// Compares with the engine that `command` starts, up to a depth; the first difference, if there is one.
pub(super) fn compare<T: Transcribed>(
    command: &str,
    positions: &[(usize, &str)],
    (style, depth): (T::Style, u32),
) -> Result<Selftest, RequestError> {
    let mut engine = Engine::start(command, T::GREETING)?;
    if let Some(line) = T::preparation(style) {
        engine.say(line)?;
    }
    let (began, interrupt) = (Instant::now(), Interrupt::of_process());
    let progress = Progress::start("selftest", "positions", Some(positions.len() as u64), Show::Auto);
    let mut leaves = 0;
    for (done, &(line, text)) in positions.iter().enumerate() {
        if interrupt.is_raised() {
            return Err(RequestError::failed(format!("stopped after {done} of {} positions", positions.len())));
        }
        let at = |error: &dyn std::fmt::Display| RequestError::failed(format!("line {line}: {text}: {error}"));
        let pos = T::load(text, style).map_err(|error| at(&error))?;
        // As loaded: engines crash on rights that contradict the placement.
        engine.say(&format!("{} {}", T::POSITION, position_text::<T::Game>(&pos)))?;
        for depth in 1..=depth {
            let ours = divide::<T>(&pos, depth);
            let theirs = engine.perft(depth).map_err(|error| at(&error))?;
            leaves += ours.iter().map(|m| m.1).sum::<u64>();
            if let Some(what) = difference(&ours, &theirs, depth) {
                progress.finish();
                return Ok(Selftest::Differs(format!("line {line}: {text}\n  {what}")));
            }
        }
        progress.advance(1);
    }
    progress.finish();
    let (positions, elapsed, engine) = (positions.len(), began.elapsed(), engine.name.clone());
    Ok(Selftest::SameLeaves { positions, leaves, elapsed, engine })
}

/// The leaves below each move, sorted by move.
fn divide<T: Transcribed>(pos: &PositionOf<T>, depth: u32) -> Vec<(String, u64)> {
    let below = |mv| {
        let mut after = pos.clone();
        after.play(mv);
        (move_text::<T::Game>(pos, mv), leaves(&after, depth - 1))
    };
    let mut counts: Vec<(String, u64)> = moves(pos).into_iter().map(below).collect();
    counts.sort_unstable();
    counts
}

fn moves<P: Position>(pos: &P) -> Vec<P::Move> {
    let mut moves = Vec::with_capacity(128);
    let _ = pos.for_each_move(|mv| {
        moves.push(mv);
        Continue::<(), ()>(())
    });
    moves
}

fn leaves<P: Position>(pos: &P, depth: u32) -> u64 {
    let below = |mv| {
        let mut after = pos.clone();
        after.play(mv);
        leaves(&after, depth - 1)
    };
    match depth {
        0 => 1,
        1 => pos.count_moves() as u64,
        _ => moves(pos).into_iter().map(below).sum(),
    }
}

/// The first difference between two sorted lists of moves with their counts.
fn difference(ours: &[(String, u64)], theirs: &[(String, u64)], depth: u32) -> Option<String> {
    let lacks = |list: &[(String, u64)], mv: &str| !list.iter().any(|m| m.0 == mv);
    if let Some((mv, _)) = ours.iter().find(|m| lacks(theirs, &m.0)) {
        return Some(format!("move {mv}: the engine does not have it"));
    }
    if let Some((mv, _)) = theirs.iter().find(|m| lacks(ours, &m.0)) {
        return Some(format!("move {mv}: only the engine has it"));
    }
    let (our, their) = ours.iter().zip(theirs).find(|(o, t)| o.1 != t.1)?;
    Some(format!("move {}: perft {depth} counts {} leaves below it, the engine {}", our.0, our.1, their.1))
}

/// An engine as a process, which is killed with all that it started when this is dropped.
struct Engine {
    process: LineProcess,
    name: String,
}

impl Engine {
    fn start(command: &str, [greeting, greeted]: [&str; 2]) -> Result<Engine, RequestError> {
        let words: Vec<String> = command.split_whitespace().map(str::to_string).collect();
        let Some((program, arguments)) = words.split_first() else {
            return Err(RequestError::field("engine", "needs a command"));
        };
        let process = LineProcess::start(program, arguments, None, true)
            .map_err(|error| RequestError::failed(format!("cannot start {program}: {error}")))?;
        let mut engine = Engine { process, name: program.clone() };
        engine.say(greeting)?;
        loop {
            let line = engine.hear()?;
            if let Some(name) = line.strip_prefix("id name ") {
                engine.name = name.trim().into();
            }
            if line.trim() == greeted {
                return Ok(engine);
            }
        }
    }

    fn say(&mut self, line: &str) -> Result<(), RequestError> {
        let deaf = |error| RequestError::failed(format!("the engine does not listen: {error}"));
        self.process.say(line).map_err(deaf)
    }

    fn hear(&mut self) -> Result<String, RequestError> {
        self.process.hear(Instant::now() + PATIENCE).map_err(|none| match none {
            NoLine::Late => RequestError::failed("the engine does not answer"),
            NoLine::Ended => RequestError::failed("the engine ended"),
        })
    }

    /// The counts of `go perft`, sorted by move: lines `e2e4: 20`, then one that tells the nodes.
    fn perft(&mut self, depth: u32) -> Result<Vec<(String, u64)>, RequestError> {
        self.say(&format!("go perft {depth}"))?;
        let mut counts = Vec::new();
        loop {
            let line = self.hear()?;
            if let Some((mv, count)) = line.split_once(':')
                && let Ok(count) = count.trim().parse()
            {
                let mv = mv.trim();
                if is_move(mv) {
                    counts.push((mv.to_string(), count));
                    continue;
                }
            }
            if line.to_ascii_lowercase().contains("nodes") {
                counts.sort_unstable();
                return Ok(counts);
            }
        }
    }
}

/// Whether the word before a count is a move rather than a name such as `Nodes`: moves of all games have a digit.
fn is_move(word: &str) -> bool {
    (1..=5).contains(&word.len())
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"*+".contains(&b))
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.process.leave("quit", QUIT_PATIENCE);
    }
}
