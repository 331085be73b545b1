//! Engines as processes: started, driven by their protocol, watched, and ended whatever they do.

mod analysis;
mod dialect;
mod dialogue;
mod greet;
mod gtp_process;
mod judge;
mod pipes;
mod position;
pub(crate) mod quota;
mod think;

pub use analysis::{News, PositionQuestion, SearchEnd};
pub use dialect::Dialect;
pub use dialogue::Dialogue;
pub use gtp_process::{GtpAnswer, GtpFault, GtpProcess};

use crate::{Fault, FaultKind};
use greet::as_start;
use pipes::{Pipes, Wait};
use quota::Quota;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tesuji_jobs::Interrupt;
use tesuji_protocol::{BoardCommand, Command, Offer, Reply, RunnerEnd};
use tesuji_system::{Starved, on_processors};

/// The command and settings of an engine process: arguments, folder, protocol, options, timeouts.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::EngineSpec;
/// let spec = EngineSpec { restart: true, ..EngineSpec::new("./engine") };
/// assert_eq!((spec.start_patience, spec.quit_patience), (Duration::from_secs(20), Duration::from_secs(2)));
/// ```
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
    /// Timeout of its greeting, and of getting ready for a game.
    pub start_patience: Duration,
    /// Time after `quit` after which it is killed.
    pub quit_patience: Duration,
    /// The protocol it speaks; `None`: to be found out.
    pub dialect: Option<Dialect>,
    /// The detected protocol, shared with later processes of the engine.
    pub detected: Arc<OnceLock<Dialect>>,
    /// Whether it thinks on the opponent's time.
    pub ponder: bool,
    /// Whether each game has a process of its own.
    pub restart: bool,
    /// The processors it may run on; empty: all.
    pub affinity: Vec<usize>,
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
            dialect: None,
            detected: Arc::default(),
            ponder: false,
            restart: false,
            affinity: Vec::new(),
        }
    }
}

/// A running engine.
///
/// # Examples
///
/// An engine in a line of shell:
///
/// ```
/// use std::{sync::atomic::AtomicBool, time::Duration};
/// use tesuji_arena::{Contestant, Dialect, Engine, EngineSpec, Turn};
/// use tesuji_game::{Choice, Limits, Side};
/// use tesuji_jobs::Interrupt;
/// let script = "while read -r word rest; do case $word in \
///     uci) echo option name Hash type spin default 16 min 1 max 64; echo uciok;; \
///     isready) echo readyok;; go) echo bestmove 4;; quit) exit;; esac; done";
/// let mut spec = EngineSpec::new("sh");
/// spec.args = vec!["-c".to_string(), script.to_string()];
/// spec.dialect = Some(Dialect::Uci);
/// let mut engine = Engine::open(&spec, &Interrupt::new())?;
/// assert_eq!(engine.offers()[0].name, "Hash");
/// engine.new_game("")?;
/// let (limits, stop) = (Limits { nodes: Some(100), ..Limits::default() }, AtomicBool::new(false));
/// let thought = engine.think(&Turn {
///     start: None,
///     moves: &[],
///     side: Side::First,
///     limits: &limits,
///     deadline: None,
///     patience: Duration::from_secs(10),
///     stop: &stop,
///     attend: None,
///     is_draw_offered: false,
/// })?;
/// assert_eq!(thought.choice, Choice::Play("4".to_string()));
/// assert_eq!(engine.quit(), None);
/// # Ok::<(), tesuji_arena::Fault>(())
/// ```
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
    /// The last one whose score is no bound.
    exact_news: Vec<u8>,
    /// The move of the opponent that it thinks about already.
    expected: Option<String>,
    /// A reply that came before the question, while it pondered.
    early: Option<Reply>,
    /// Whether it tells what it thinks while it thinks.
    tells_news: bool,
    /// Whether it told anything about the search that it was asked for last.
    told_search: bool,
    offers_draw: bool,
    is_spent: bool,
    dialogue: Option<Dialogue>,
}

impl Engine {
    /// Starts an engine, greets it, sets its options.
    ///
    /// # Errors
    /// [`FaultKind::Start`], with its last lines.
    pub fn start(spec: &EngineSpec, protocol: Box<dyn RunnerEnd>, stop: &Interrupt) -> Result<Engine, Fault> {
        let mut engine = Engine::prepare(spec, protocol, stop)?;
        engine.greet(false).map_err(as_start)?;
        engine.set_up()?;
        Ok(engine)
    }

    /// Starts the process, without a word to it.
    fn prepare(spec: &EngineSpec, protocol: Box<dyn RunnerEnd>, stop: &Interrupt) -> Result<Engine, Fault> {
        let pipes = on_processors(&spec.affinity, || Pipes::spawn(spec))
            .map_err(|e| Fault::new(FaultKind::Start, format!("cannot start {}: {e}", spec.command.display())))?;
        let name = spec
            .name
            .clone()
            .unwrap_or_else(|| spec.command.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned()));
        Ok(Engine {
            spec: spec.clone(),
            name,
            protocol,
            starved: Starved::new(pipes.pid()),
            pipes,
            offers: Vec::new(),
            stop: stop.clone(),
            board: Command::Board(BoardCommand::Set { start: None, moves: Vec::new() }),
            out: String::new(),
            news: Vec::new(),
            exact_news: Vec::new(),
            expected: None,
            early: None,
            tells_news: false,
            told_search: false,
            offers_draw: false,
            is_spent: false,
            dialogue: None,
        })
    }

    /// The options it offers.
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// Sends commands in one write.
    fn send(&mut self, commands: &[Command]) -> Result<(), Fault> {
        self.out.clear();
        for command in commands {
            self.protocol.write(command, &mut self.out);
        }
        self.flush()
    }

    /// Sends what the protocol wants to be answered to the lines read.
    fn respond(&mut self) -> Result<(), Fault> {
        self.out.clear();
        self.protocol.respond(&mut self.out);
        self.flush()
    }

    /// Sends what stands in `out`.
    fn flush(&mut self) -> Result<(), Fault> {
        if self.out.is_empty() {
            return Ok(());
        }
        tracing::trace!(target: "protocol", "{} < {}", self.name, self.out.trim_end());
        if let Some(dialogue) = &self.dialogue {
            dialogue.note(&self.name, '<', &self.out);
        }
        match self.pipes.send(self.out.as_bytes(), Duration::from_secs(10)) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == std::io::ErrorKind::TimedOut => {
                Err(self.fault(FaultKind::Hang, "it does not read its input".to_string()))
            }
            Err(_) => Err(self.ended()),
        }
    }

    /// The line that was waited for, noted down.
    fn line(&self) -> String {
        let line = self.pipes.line().into_owned();
        tracing::trace!(target: "protocol", "{} > {line}", self.name);
        line
    }

    /// Reads replies until `done` says so; `late` is the fault when that takes too long.
    fn read_until(
        &mut self,
        patience: Duration,
        what: &str,
        late: FaultKind,
        done: impl FnMut(Reply) -> bool,
    ) -> Result<(), Fault> {
        self.read_within(Quota::UNLIMITED, patience, what, late, done)
    }

    /// [`Engine::read_until`] for answers that are kept, which may therefore not be longer than `quota`.
    fn read_within(
        &mut self,
        mut quota: Quota,
        patience: Duration,
        what: &str,
        late: FaultKind,
        mut done: impl FnMut(Reply) -> bool,
    ) -> Result<(), Fault> {
        let end = Instant::now() + patience;
        loop {
            while let Some(reply) = self.protocol.next_reply() {
                if done(reply) {
                    return Ok(());
                }
            }
            match self.pipes.wait(end, self.stop.flag()) {
                Wait::Line => {
                    let line = self.line();
                    if !quota.take(&line) {
                        return Err(self.fault(FaultKind::Garbage, quota::flooded()));
                    }
                    self.note_line();
                    let reply = self.protocol.read(&line);
                    self.respond()?;
                    let reply = match reply {
                        Ok(Some(Reply::Fault(text))) if self.protocol.refuses() => {
                            return Err(self.fault(FaultKind::Garbage, format!("it refuses {text}")));
                        }
                        Ok(Some(reply)) => reply,
                        _ => continue,
                    };
                    if done(reply) {
                        return Ok(());
                    }
                }
                Wait::Ended => return Err(self.ended()),
                Wait::Late => {
                    let seconds = patience.as_secs_f64();
                    return Err(self.fault(late, format!("it did not {what} within {seconds} s")));
                }
                Wait::Stopped => return Err(self.fault(FaultKind::Stopped, "the match was stopped".to_string())),
                Wait::Flood => return Err(self.fault(FaultKind::Garbage, "it writes without end".to_string())),
            }
        }
    }

    /// Writes the line that was waited for into the dialogue, if one is kept.
    fn note_line(&self) {
        if let Some(dialogue) = &self.dialogue {
            dialogue.note(&self.name, '>', &self.pipes.line());
        }
    }

    /// A fault with the last lines.
    fn fault(&mut self, kind: FaultKind, detail: String) -> Fault {
        Fault { last_lines: self.pipes.last_lines(), ..Fault::new(kind, detail) }
    }

    /// It ended by itself: by a signal, or because it wanted to.
    fn ended(&mut self) -> Fault {
        let (is_exit, how) = self.pipes.how_it_ended();
        self.fault(if is_exit { FaultKind::Exit } else { FaultKind::Crash }, how)
    }
}

/// A match is stopped by raising this; engines that are asked see it within a tenth of a second.
pub(crate) fn is_raised(stop: &AtomicBool) -> bool {
    stop.load(Relaxed)
}
