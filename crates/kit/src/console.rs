//! Consoles, at which people play by hand against an engine, a command a line; and what the consoles of all games share.

mod any_game;

use crate::Kit;
use anyhow::{Context, bail};
use std::{
    io::{BufRead, Write},
    path::{Path, PathBuf},
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
};
use tesuji_engine::Player;
use tesuji_game::{Limits, Report, Signal, Watch};
use tesuji_jobs::{
    Existing, Interrupt, open_output,
    terminal::{self, Stdout},
};
use tesuji_protocol::EngineEnd;
use tesuji_record::{GameRecord, RecordFormat, SharedBuffer};

/// Gets each text that a person is to see, a line or several without the last line's end.
pub type Tell<'a> = &'a mut (dyn FnMut(&str) + Send);

/// A request to open a console.
#[derive(Debug, Clone, Default)]
pub struct ConsoleRequest {
    /// The rules that the first game is played by, where the console knows rules.
    pub rules: String,
    /// Nodes or playouts of the engine for a move, at least 1; `None`: the default of the game.
    pub nodes: Option<u64>,
    /// Whether the player was given options, and so is to play where the console has an engine of its own.
    pub engine: bool,
    /// The folder of the files of weights and games that the console reads and writes by names of its own.
    pub folder: PathBuf,
    /// A board this many plies before the end of its game counts 1/e of the last one when weights learn; 0: all count the same.
    pub lambda_plies: f64,
    /// Centipawns that multiply the odds by e when weights learn.
    pub k: f64,
    /// The seed of splits (`None`: 0) and of random first moves (`None`: a new one).
    pub seed: Option<u64>,
    /// Threads that learn; 0: one for each core.
    pub jobs: usize,
    /// This program with its version, for the origin of games.
    pub made_by: String,
}

/// A player, and the engine's end of the protocol in which it is spoken to.
pub type Spoken = (Box<dyn Player>, Box<dyn EngineEnd>);

/// A game that is played by hand, and the commands about it.
pub trait Console {
    /// The first text of the console.
    fn greeting(&self) -> String;

    /// The side that moves, as a prompt names it.
    fn prompt(&self) -> String;

    /// The player and the protocol that go on where `line` is the greeting of a GUI (`uci`, `xboard`) which this console knows.
    ///
    /// # Errors
    /// When there is no such player; the words say why.
    fn greeted(&mut self, _line: &str) -> anyhow::Result<Option<Spoken>> {
        Ok(None)
    }

    /// Carries out a line without spaces around it and tells what came of it, faults of the line too; `false` when it asked for the end.
    fn obey(&mut self, line: &str, tell: Tell<'_>) -> bool;
}

/// A game with a console of its own.
pub trait Consoles: Sync {
    /// Opens it for `player`, which has its options already.
    ///
    /// # Errors
    /// When the request cannot be met; the words say why.
    fn open(&self, request: &ConsoleRequest, player: Box<dyn Player>) -> anyhow::Result<Box<dyn Console>>;
}

/// Opens the console of a game: its own, or the one that knows all moves as text.
///
/// # Errors
/// When the request cannot be met; the words say why.
pub fn open_console(
    kit: &'static dyn Kit,
    request: &ConsoleRequest,
    player: Box<dyn Player>,
) -> anyhow::Result<Box<dyn Console>> {
    match kit.consoles() {
        Some(own) => own.open(request, player),
        None => Ok(Box::new(any_game::AnyConsole::open(kit, request, player)?)),
    }
}

/// A GUI that spoke to a console.
pub struct Greeted {
    /// Its first line, which the session reads again.
    pub line: String,
    /// Who goes on in its protocol.
    pub spoken: Spoken,
}

/// Carries out `commands`, separated by `;`, then the lines of `input`, until one asks for the end or the input ends; `prompts`:
/// a person types. A GUI that greets first is returned.
///
/// # Errors
/// When the input cannot be read, or a GUI asks for a player that there is not.
pub fn converse(
    console: &mut dyn Console,
    commands: &str,
    input: &mut dyn BufRead,
    prompts: bool,
) -> anyhow::Result<Option<Greeted>> {
    let mut output = Stdout;
    let mut greeting = Some(console.greeting());
    // A GUI that greets first is not greeted.
    if prompts || !commands.is_empty() {
        greeting.take().iter().try_for_each(|text| writeln!(output, "{text}"))?;
    }
    for line in commands.split(';').map(str::trim).filter(|line| !line.is_empty()) {
        writeln!(output, "> {line}")?;
        if !obey(console, line)? {
            return Ok(None);
        }
    }
    loop {
        if prompts {
            write!(output, "{}> ", console.prompt())?;
            output.flush()?;
        }
        let mut line = String::new();
        let bytes = input.read_line(&mut line).context("cannot read the commands")?;
        if let Some(spoken) = console.greeted(line.trim())? {
            return Ok(Some(Greeted { line, spoken }));
        }
        greeting.take().iter().try_for_each(|text| writeln!(output, "{text}"))?;
        if bytes == 0 || (!line.trim().is_empty() && !obey(console, line.trim())?) {
            return Ok(None);
        }
    }
}

/// Carries out a line; `false` at `quit`.
fn obey(console: &mut dyn Console, line: &str) -> anyhow::Result<bool> {
    let goes_on = console.obey(line, &mut |text| terminal::print(format_args!("{text}\n")));
    // Ctrl-C ends what was going on, not what comes next.
    Interrupt::of_process().flag().store(false, SeqCst);
    Stdout.flush()?;
    Ok(goes_on)
}

/// A command of a console: its name, its arguments, what it does.
pub type Command = (&'static str, &'static str, &'static str);

/// The list of commands that `help` shows.
pub fn help(commands: &[Command]) -> String {
    let line = |(name, arguments, what): &Command| format!("{:42}{what}", format!("{name} {arguments}"));
    commands.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The limits of the engine where nothing else is said: nodes, or a second a move.
pub fn usual_limits(nodes: Option<u64>) -> Limits {
    match nodes {
        Some(nodes) => Limits { nodes: Some(nodes), ..Limits::default() },
        None => Limits { move_time: Some(Duration::from_secs(1)), ..Limits::default() },
    }
}

/// Sets how long a move takes as `rest` says, where it says something, and describes it.
///
/// # Errors
/// When `rest` is no level; the words say what is expected.
pub fn level(rest: &str, limits: &mut Limits) -> anyhow::Result<String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let wrong = || format!("level {rest}: expected depth N, nodes N or time SECONDS, above 0");
    match words[..] {
        [] => {}
        [kind, number] => {
            let number: f64 = number.parse().ok().filter(|n| (0.001..1e9).contains(n)).with_context(wrong)?;
            let whole = || if number >= 1.0 { Ok(number as u64) } else { bail!(wrong()) };
            *limits = match kind {
                "depth" => Limits { depth: Some(whole()? as u32), ..Limits::default() },
                "nodes" => Limits { nodes: Some(whole()?), ..Limits::default() },
                "time" => Limits { move_time: Some(Duration::from_secs_f64(number)), ..Limits::default() },
                _ => bail!(wrong()),
            };
        }
        _ => bail!(wrong()),
    }
    Ok(match *limits {
        Limits { depth: Some(depth), .. } => format!("level: depth {depth}"),
        Limits { nodes: Some(nodes), .. } => format!("level: {nodes} nodes a move"),
        Limits { move_time: Some(time), .. } => format!("level: {} s a move", time.as_secs_f64()),
        _ => "level: no limit".to_string(),
    })
}

/// The file that the words after `save` name, and what becomes of one that is there.
pub fn save_words(rest: &str) -> (&str, Existing) {
    match rest.trim().strip_suffix("--force") {
        Some(name) => (name.trim(), Existing::Replace),
        None => (rest.trim(), Existing::Refuse),
    }
}

/// Writes a game as a file of its own, whole or not at all.
///
/// # Errors
/// When the format cannot hold the game, or the file cannot be written.
pub fn save_game(
    game: &GameRecord<String>,
    format: &dyn RecordFormat,
    path: &Path,
    existing: Existing,
) -> anyhow::Result<()> {
    let bytes = SharedBuffer::default();
    let mut writer = format.writer(Box::new(bytes.clone()));
    writer.write(game)?;
    writer.finish()?;
    let mut file = open_output(path, existing)?;
    file.write_all(&bytes.take())?;
    Ok(file.commit()?)
}

/// A search that a person waits for: Ctrl-C stops it, and `show` gets its reports.
pub struct Shown<'a> {
    began: Instant,
    stop: Interrupt,
    show: &'a mut dyn FnMut(&Report<String>),
}

impl<'a> Shown<'a> {
    /// A search that begins now.
    pub fn new(show: &'a mut dyn FnMut(&Report<String>)) -> Shown<'a> {
        Shown { began: Instant::now(), stop: Interrupt::of_process(), show }
    }
}

impl Watch<String> for Shown<'_> {
    fn signal(&mut self) -> Signal {
        if self.stop.is_raised() { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        (self.show)(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_set_and_described() {
        let mut limits = usual_limits(None);
        assert_eq!(level("", &mut limits).unwrap(), "level: 1 s a move");
        assert_eq!(level("depth 3", &mut limits).unwrap(), "level: depth 3");
        assert_eq!((limits.depth, limits.move_time), (Some(3), None));
        assert_eq!(level("time 0.5", &mut limits).unwrap(), "level: 0.5 s a move");
        for wrong in ["depth", "nodes 0", "depth 0.5", "time -1", "plies 3", "nodes 1 2"] {
            let error = level(wrong, &mut limits).unwrap_err().to_string();
            assert!(error.starts_with(&format!("level {wrong}: expected depth N")), "{error}");
        }
        assert_eq!(level("", &mut limits).unwrap(), "level: 0.5 s a move", "a wrong level changes nothing");
    }

    #[test]
    fn files_are_replaced_when_asked() {
        assert_eq!(save_words(" a.sgf "), ("a.sgf", Existing::Refuse));
        assert_eq!(save_words("a.sgf --force"), ("a.sgf", Existing::Replace));
    }
}
