//! Our rules against those of an engine: move sets and perft counts, position by position.

use super::games::Transcribed;
use anyhow::{Context, anyhow, bail};
use std::{
    io::{BufRead, BufReader, Write},
    ops::ControlFlow::Continue,
    process::{ChildStdin, Command, ExitCode, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};
use tesuji_arena::EngineProcess;
use tesuji_chess::selftest::Style;
use tesuji_game::{Notation, Position};
use tesuji_jobs::{Interrupt, Progress, Show};

/// How long an engine may take for one answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Compares with the engine that `command` starts, and says where it first differs.
pub(super) fn compare<G: Transcribed>(
    command: &str,
    positions: &[(usize, &str)],
    style: Style,
) -> anyhow::Result<ExitCode> {
    let mut engine = Engine::start(command, G::GREETING)?;
    if style.chess960 {
        engine.say("setoption name UCI_Chess960 value true")?;
    }
    let (began, interrupt) = (Instant::now(), Interrupt::of_process());
    let progress = Progress::start("selftest", "positions", Some(positions.len() as u64), Show::Auto);
    let mut leaves = 0;
    for (done, &(line, fen)) in positions.iter().enumerate() {
        if interrupt.is_raised() {
            bail!("stopped after {done} of {} positions", positions.len());
        }
        let board = G::load(fen, style).map_err(|e| anyhow!("line {line}: {fen}: {e}"))?;
        // As loaded: engines crash on rights that contradict the placement.
        let mut text = String::new();
        let _ = G::Notation::write_position(&board, &mut text);
        engine.say(&format!("{} {text}", G::POSITION))?;
        for depth in 1..=style.depth {
            let ours = divide::<G>(&board, depth);
            let theirs = engine.perft(depth).with_context(|| format!("line {line}: {fen}"))?;
            leaves += ours.iter().map(|m| m.1).sum::<u64>();
            if let Some(what) = difference(&ours, &theirs, depth) {
                progress.finish();
                println!("line {line}: {fen}\n  {what}");
                return Ok(ExitCode::from(1));
            }
        }
        progress.advance(1);
    }
    progress.finish();
    println!(
        "identical: {} positions, {leaves} leaves, {:.1} s, against {}",
        positions.len(),
        began.elapsed().as_secs_f64(),
        engine.name
    );
    Ok(ExitCode::SUCCESS)
}

/// The leaves below each move, sorted by move.
fn divide<G: Transcribed>(board: &G::Position, depth: u32) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> = Vec::new();
    for mv in moves(board) {
        let mut text = String::new();
        let _ = G::Notation::write_move(board, mv, &mut text);
        let mut after = board.clone();
        after.play(mv);
        counts.push((text, leaves(&after, depth - 1)));
    }
    counts.sort_unstable();
    counts
}

fn moves<P: Position>(board: &P) -> Vec<P::Move> {
    let mut moves = Vec::with_capacity(128);
    let _ = board.for_each_move(|mv| {
        moves.push(mv);
        Continue::<(), ()>(())
    });
    moves
}

fn leaves<P: Position>(board: &P, depth: u32) -> u64 {
    let below = |mv| {
        let mut after = board.clone();
        after.play(mv);
        leaves(&after, depth - 1)
    };
    match depth {
        0 => 1,
        1 => board.count_moves() as u64,
        _ => moves(board).into_iter().map(below).sum(),
    }
}

/// What differs between two sorted lists of moves with their counts.
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
    process: EngineProcess,
    input: ChildStdin,
    lines: Receiver<String>,
    name: String,
}

impl Engine {
    fn start(command: &str, [greeting, greeted]: [&str; 2]) -> anyhow::Result<Engine> {
        let mut words = command.split_whitespace();
        let program = words.next().context("--engine needs a command")?;
        let mut spawned = Command::new(program);
        spawned.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = EngineProcess::spawn(&mut spawned).with_context(|| format!("cannot start {program}"))?;
        let (input, output) = process.take_input().zip(process.take_output()).context("an engine without pipes")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut engine = Engine { process, input, lines, name: program.into() };
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

    fn say(&mut self, line: &str) -> anyhow::Result<()> {
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).context("the engine does not listen")
    }

    fn hear(&mut self) -> anyhow::Result<String> {
        self.lines.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => anyhow!("the engine does not answer"),
            RecvTimeoutError::Disconnected => anyhow!("the engine ended"),
        })
    }

    /// The counts of `go perft`, sorted by move: lines `e2e4: 20`, then one that tells the nodes.
    fn perft(&mut self, depth: u32) -> anyhow::Result<Vec<(String, u64)>> {
        self.say(&format!("go perft {depth}"))?;
        let mut counts = Vec::new();
        loop {
            let line = self.hear()?;
            if let Some((mv, count)) = line.split_once(':')
                && let Ok(count) = count.trim().parse()
            {
                let mv = mv.trim();
                if (4..=5).contains(&mv.len()) && mv.bytes().all(|b| b.is_ascii_alphanumeric() || b"*+".contains(&b)) {
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

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.say("quit");
        let deadline = Instant::now() + Duration::from_secs(2);
        while Instant::now() < deadline {
            if self.process.has_ended() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
