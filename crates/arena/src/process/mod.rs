//! Engines as processes: started, spoken to in their protocol, watched, and ended whatever they do.

mod pipes;
mod starved;

use crate::{Contestant, Fault, FaultKind, Thought, Turn};
use pipes::{Pipes, Wait};
use starved::Starved;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tesuji_jobs::Interrupt;
use tesuji_protocol::{Board, Command, Go, Offer, OfferKind, Reply, RunnerEnd};

/// How to start an engine and how long to wait for it.
#[derive(Debug, Clone)]
pub struct EngineSpec {
    /// The program: a path, or a name looked up in `PATH`.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The directory it runs in; `None`: this one.
    pub dir: Option<PathBuf>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
    /// Options set after the greeting.
    pub options: Vec<(String, String)>,
    /// The name in tables and records; `None`: as it calls itself.
    pub name: Option<String>,
    /// How long it may take to greet, and to get ready for a game.
    pub start_patience: Duration,
    /// How long it may take to end after `quit` before it is killed.
    pub quit_patience: Duration,
}

impl EngineSpec {
    /// An engine without options, with the usual patience: 20 s to start or get ready, 2 s to quit.
    pub fn new(command: impl Into<PathBuf>) -> EngineSpec {
        EngineSpec {
            command: command.into(),
            args: Vec::new(),
            dir: None,
            env: Vec::new(),
            options: Vec::new(),
            name: None,
            start_patience: Duration::from_secs(20),
            quit_patience: Duration::from_secs(2),
        }
    }
}

/// What an engine may write during one move before it counts as a flood.
const FLOOD_BYTES: usize = 1 << 26;

/// Between two looks at the threads of an engine that thinks long.
const LOOK_AT_THREADS: Duration = Duration::from_millis(100);

/// A running engine.
pub struct Engine {
    spec: EngineSpec,
    name: String,
    protocol: Box<dyn RunnerEnd>,
    pipes: Pipes,
    offers: Vec<Offer>,
    starved: Starved,
    stop: Interrupt,
    /// The line last sent, kept so that a move only adds to it.
    board: Command,
    out: String,
    /// The last line of news that had a score, unread.
    news: Vec<u8>,
}

impl Engine {
    /// Starts an engine, greets it, sets its options.
    ///
    /// # Errors
    /// [`FaultKind::Start`], with its last lines.
    pub fn start(spec: &EngineSpec, protocol: Box<dyn RunnerEnd>, stop: &Interrupt) -> Result<Engine, Fault> {
        let pipes = Pipes::spawn(spec)
            .map_err(|e| Fault::new(FaultKind::Start, format!("cannot start {}: {e}", spec.command.display())))?;
        let name = spec
            .name
            .clone()
            .unwrap_or_else(|| spec.command.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned()));
        let starved = Starved::new(pipes.pid());
        let board = Command::Board(Board::Set { start: None, moves: Vec::new() });
        let (offers, out, news, spec) = (Vec::new(), String::new(), Vec::new(), spec.clone());
        let stop = stop.clone();
        let mut engine = Engine { spec, name, protocol, pipes, offers, starved, stop, board, out, news };
        engine.greet().map_err(|fault| match fault.kind {
            FaultKind::Stopped => fault,
            _ => Fault { kind: FaultKind::Start, ..fault },
        })?;
        Ok(engine)
    }

    /// The options it offers.
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    fn greet(&mut self) -> Result<(), Fault> {
        self.send(&[Command::Hello])?;
        let patience = self.spec.start_patience;
        let mut offers = Vec::new();
        let mut own_name = None;
        self.read_until(patience, "greet", |reply| {
            match reply {
                Reply::Name(name) => own_name = Some(name),
                Reply::Option(offer) => offers.push(offer),
                Reply::Welcome => return true,
                _ => {}
            }
            false
        })?;
        self.offers = offers;
        if let (None, Some(name)) = (&self.spec.name, own_name) {
            self.name = name;
        }
        let mut commands = Vec::new();
        for (name, value) in &self.spec.options {
            let same = |offer: &&Offer| tesuji_options::same_name(&offer.name, name);
            let offer = self.offers.iter().find(same).ok_or_else(|| {
                let known: Vec<&str> = self.offers.iter().map(|o| o.name.as_str()).collect();
                Fault::new(FaultKind::Start, format!("it has no option {name:?}, but {}", known.join(", ")))
            })?;
            check_value(offer, value).map_err(|detail| Fault::new(FaultKind::Start, detail))?;
            commands.push(Command::Set { name: offer.name.clone(), value: value.clone() });
        }
        commands.push(Command::Sync);
        self.send(&commands)?;
        self.read_until(patience, "get ready", |reply| reply == Reply::Ready)
    }

    /// Sends commands in one write.
    fn send(&mut self, commands: &[Command]) -> Result<(), Fault> {
        self.out.clear();
        for command in commands {
            self.protocol.write(command, &mut self.out);
        }
        self.flush()
    }

    /// Sends what stands in `out`.
    fn flush(&mut self) -> Result<(), Fault> {
        tracing::trace!(target: "protocol", "{} < {}", self.name, self.out.trim_end());
        match self.pipes.send(self.out.as_bytes(), Duration::from_secs(10)) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == std::io::ErrorKind::TimedOut => {
                Err(self.fault(FaultKind::Hang, "it does not read its input".to_string()))
            }
            Err(_) => Err(self.ended()),
        }
    }

    /// Reads replies until `done` says so.
    fn read_until(&mut self, patience: Duration, what: &str, mut done: impl FnMut(Reply) -> bool) -> Result<(), Fault> {
        let end = Instant::now() + patience;
        loop {
            match self.pipes.wait(end, self.stop.flag()) {
                Wait::Line => {
                    let line = self.pipes.line();
                    tracing::trace!(target: "protocol", "{} > {line}", self.name);
                    if let Ok(Some(reply)) = self.protocol.read(&line)
                        && done(reply)
                    {
                        return Ok(());
                    }
                }
                Wait::Ended => return Err(self.ended()),
                Wait::Late => {
                    let seconds = patience.as_secs_f64();
                    return Err(self.fault(FaultKind::Hang, format!("it did not {what} within {seconds} s")));
                }
                Wait::Stopped => return Err(Fault::new(FaultKind::Stopped, "the match was stopped")),
                Wait::Flood => return Err(self.fault(FaultKind::Garbage, "it writes without end".to_string())),
            }
        }
    }

    /// A fault with the last lines.
    fn fault(&mut self, kind: FaultKind, detail: String) -> Fault {
        Fault { last_lines: self.pipes.last_lines(), ..Fault::new(kind, detail) }
    }

    /// It ended by itself.
    fn ended(&mut self) -> Fault {
        let how = self.pipes.how_it_ended();
        self.fault(FaultKind::Crash, how)
    }

    /// Asks for a move: position and `go` in one write. Returns the time of that write.
    fn ask(&mut self, turn: &Turn<'_>) -> Result<Instant, Fault> {
        if let Command::Board(Board::Set { start, moves }) = &mut self.board {
            if start.as_deref() != turn.start {
                *start = turn.start.map(str::to_string);
            }
            let common = moves.iter().zip(turn.moves).take_while(|(a, b)| a == b).count();
            moves.truncate(common);
            moves.extend_from_slice(&turn.moves[common..]);
        }
        self.pipes.forget();
        self.news.clear();
        self.out.clear();
        self.protocol.write(&self.board, &mut self.out);
        let go = Go { limits: turn.limits.clone(), side: Some(turn.side), commit: true, ..Go::default() };
        self.protocol.write(&Command::Go(go), &mut self.out);
        if turn.deadline.is_some() {
            self.starved.begin();
        }
        // Before the write and not after it: an engine that wakes up takes this thread's processor often enough, and
        // would think unseen until the write returns. The write itself costs a few microseconds.
        let asked = Instant::now();
        self.flush()?;
        Ok(asked)
    }

    /// Reads the line that ends a search.
    fn decide(&mut self, line: &str, turn: &Turn<'_>, spent: Duration) -> Result<Thought, Fault> {
        let choice = match self.protocol.read(line) {
            Ok(Some(Reply::Best { choice: Some(choice), .. })) => choice,
            Ok(_) => return Err(self.fault(FaultKind::Illegal, "it says that it has no move".to_string())),
            Err(e) => return Err(self.fault(FaultKind::Garbage, e.to_string())),
        };
        let mut thought = Thought::new(choice, spent);
        let news = String::from_utf8_lossy(&self.news);
        if let Ok(Some(Reply::Info(info))) = self.protocol.read(&news) {
            thought.value = info.score.map(|s| s.value);
            thought.depth = info.depth.unwrap_or(0);
            thought.depth_max = info.depth_max.unwrap_or(0);
            thought.nodes = info.nodes.unwrap_or(0);
            thought.told = info.time;
            thought.pv = info.pv;
        }
        if turn.deadline.is_some_and(|deadline| spent > deadline) {
            thought.starved = self.starved.since_begin().map(|t| t.min(spent));
        }
        Ok(thought)
    }

    /// Keeps a line of news that has a score of the best line.
    fn keep_news(news: &mut Vec<u8>, line: &[u8]) {
        let has = |word: &[u8]| line.windows(word.len()).any(|w| w == word);
        if has(b" score ") && (!has(b" multipv ") || has(b" multipv 1 ")) {
            news.clear();
            news.extend_from_slice(line);
        }
    }
}

impl Contestant for Engine {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, rules: &str) -> Result<(), Fault> {
        let rules = Command::Board(Board::Rules(rules.to_string()));
        self.send(&[rules, Command::NewGame, Command::Sync])?;
        self.read_until(self.spec.start_patience, "get ready", |reply| reply == Reply::Ready)?;
        self.starved.run_from_here();
        Ok(())
    }

    fn think(&mut self, turn: &Turn<'_>) -> Result<Thought, Fault> {
        let began = self.ask(turn)?;
        let given_up = began + turn.patience;
        let mut alarm = turn.deadline.map_or(given_up, |d| began + d);
        let mut told_to_stop = turn.deadline.is_none();
        let mut look_at = if turn.deadline.is_some() { began + LOOK_AT_THREADS } else { given_up };
        loop {
            match self.pipes.wait(alarm.min(look_at), turn.stop) {
                Wait::Line => {
                    let line = self.pipes.line_bytes();
                    if line.starts_with(b"info") {
                        Self::keep_news(&mut self.news, line);
                        if self.pipes.read_since_forget() > FLOOD_BYTES {
                            return Err(self.fault(FaultKind::Garbage, "it writes without end".to_string()));
                        }
                        continue;
                    }
                    let line = self.pipes.line().into_owned();
                    tracing::trace!(target: "protocol", "{} > {line}", self.name);
                    if line.trim_start().starts_with("bestmove") {
                        let spent = self.pipes.last_read().saturating_duration_since(began);
                        return self.decide(&line, turn, spent);
                    }
                    if self.pipes.read_since_forget() > FLOOD_BYTES {
                        return Err(self.fault(FaultKind::Garbage, "it writes without end".to_string()));
                    }
                }
                Wait::Ended => return Err(self.ended()),
                Wait::Stopped => return Err(Fault::new(FaultKind::Stopped, "the match was stopped")),
                Wait::Flood => return Err(self.fault(FaultKind::Garbage, "it writes a line without end".to_string())),
                Wait::Late if look_at < alarm => {
                    self.starved.look();
                    look_at += LOOK_AT_THREADS;
                }
                Wait::Late if !told_to_stop => {
                    told_to_stop = true;
                    alarm = given_up.max(alarm);
                    self.send(&[Command::Stop])?;
                }
                Wait::Late => {
                    let seconds = began.elapsed().as_secs_f64();
                    return Err(self.fault(FaultKind::Hang, format!("no move within {seconds:.1} s")));
                }
            }
        }
    }

    fn quit(&mut self) {
        if self.send(&[Command::Stop, Command::Quit]).is_ok() {
            self.pipes.end(self.spec.quit_patience);
        }
    }
}

/// Whether an option takes a value: engines die of numbers out of their bounds, or use others without a word.
fn check_value(offer: &Offer, value: &str) -> Result<(), String> {
    let name = &offer.name;
    match &offer.kind {
        OfferKind::Spin { min, max, .. } if !value.parse().is_ok_and(|v: i64| (*min..=*max).contains(&v)) => {
            Err(format!("its option {name} takes a number from {min} to {max}, not {value:?}"))
        }
        OfferKind::Combo { among, .. } if !among.iter().any(|word| word.eq_ignore_ascii_case(value)) => {
            Err(format!("its option {name} takes one of {}, not {value:?}", among.join(", ")))
        }
        _ => Ok(()),
    }
}

/// A match is stopped by raising this; engines that are asked see it within a tenth of a second.
pub(crate) fn is_raised(stop: &AtomicBool) -> bool {
    stop.load(Relaxed)
}
